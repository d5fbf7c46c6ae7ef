"""Cards too many in a deal: seen by all looks, or not at all."""

from __future__ import annotations

import numpy as np
import pytest
from test_deal import CAMERA, card, looks, row

from referee.live.scribe import deal_lines
from referee.record.book import WITNESSED
from referee.rules.cards import UNKNOWN
from referee.rules.places import STOCK, WORK, Place
from referee.umpire.seats.area import project
from referee.umpire.seats.deal import find_deal
from referee.umpire.seats.dealt_piles import dealt_piles
from vision.layout import FACES, Layout


def doubled(under: str, step: float = 18.0, shown: float = 0.2, chance: float = 0.99) -> list[Layout]:
    """South's second work pile has its 2S moved a step towards the player, and another card behind it."""
    cards = row("south")
    at = next(c for c in cards if c.face == "2S").corners.mean(axis=0)
    ((x, y),) = project(np.linalg.inv(CAMERA), at[None])
    top, strip = card(x, y + step, 0.0, "2S"), card(x, y, 0.0, under)
    strip.visible_fraction = shown
    assert strip.face_probabilities is not None
    strip.face_probabilities[FACES.index(under)] = chance
    return looks([c for c in cards if c.face != "2S"], [strip, top], row("north"))


PILE = Place(WORK, 2, "south")


@pytest.mark.parametrize("chance", [0.99, 0.8])
def test_a_second_card_on_a_dealt_work_pile_is_dealt(chance: float) -> None:
    deal = find_deal(doubled("9D", chance=chance))
    assert list(deal.extra) == [PILE]
    piles = dealt_piles(deal)
    assert [lying.face for lying in piles[PILE]] == ["9D", "2S"]
    assert len(piles[Place(STOCK, 0, "south")]) == 34
    south, north = sorted(deal_lines(deal), key=lambda line: line["seat"], reverse=True)
    assert south["piles"]["work 2"] == ["9D", "2S"] and south["piles"][STOCK] == 34
    assert south[WITNESSED] and WITNESSED not in north


def either(first: float, second: float) -> list[Layout]:
    """The strip may be one of two black aces."""
    found = doubled("AS", chance=first)
    for layout in found:
        strip = next(c for c in layout.cards if c.visible_fraction == 0.2)
        assert strip.face_probabilities is not None
        strip.face_probabilities[FACES.index("AC")] = second
    return found


def test_a_second_card_of_which_only_the_suit_is_unsure_is_dealt_and_not_named() -> None:
    deal = find_deal(either(0.52, 0.46))
    assert [lying.face for lying in dealt_piles(deal)[PILE]] == [UNKNOWN, "2S"]
    south = next(line for line in deal_lines(deal) if line["seat"] == "south")
    assert south["piles"]["work 2"] == [UNKNOWN, "2S"] and south[WITNESSED]
    assert not find_deal(either(0.42, 0.38)).extra


@pytest.mark.parametrize(
    "quiet",
    [
        # it may have been built there before the first look
        doubled("3D"),
        # edges of one card, or another pile's card
        doubled("9D", step=4.0),
        doubled("9D", step=40.0),
        doubled("9D", shown=0.04),
        # nobody can tell what it is
        doubled("9D", chance=0.3),
        # not seen again
        [*doubled("9D")[:2], doubled("9D", shown=0.04)[0]],
    ],
)
def test_what_may_be_no_second_card_is_none(quiet: list[Layout]) -> None:
    deal = find_deal(quiet)
    assert not deal.extra and len(dealt_piles(deal)[PILE]) == 1
