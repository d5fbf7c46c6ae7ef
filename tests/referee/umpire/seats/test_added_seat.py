"""Somebody sits down in the middle of a hand and lays out cards: nobody who plays is held to account for them."""

from __future__ import annotations

import random

import pytest
from umpire_table import FACES, Change, Cover, Eye, Table, umpired

from referee.rules.places import FOUNDATION, Place
from referee.umpire.umpire import Umpire

LAID_S, EACH_S = 8.0, 0.6


def followed(seed: int, gap_mm: float, cards: int) -> tuple[Table, Umpire]:
    """A hand in which so many cards that are no aces are laid out in the centre one after the other, so far apart."""
    table = Table(seed, 25.0)
    faces = [face for face in FACES if face[0] != "A"]
    random.Random(seed).shuffle(faces)
    for number in range(cards):
        x, y, at = 840.0, 400.0 + gap_mm * (number - (cards - 1) / 2), LAID_S + EACH_S * number
        table.spots.append((x, y))
        place = ("", f"foundation {len(table.spots)}")
        table.changes.append(Change(at, place, [(faces[number], x, y)]))
        table.covers.append(Cover(place, at - 0.25, at + 0.15))
    table.changes.sort(key=lambda change: change.at)
    return table, umpired(table, Eye(seed, wrong=0.0, missed=0.0))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_row_of_cards_that_begins_beside_the_hand_is_nobodys_play(seed: int) -> None:
    table, umpire = followed(seed, 82.0, 3)
    assert len(umpire.strangers.places) == 3
    assert umpire.strangers.since == pytest.approx(LAID_S, abs=0.5)
    odd = [event for event, sure in umpire.events() if event.misfit and sure > 0.9]
    assert not odd
    true = {(line["seat"], *line["cards"]) for line in table.record if line["event"] == "play"}
    told = {(event.event.seat, *event.cards) for event, _ in umpire.events() if event.event.kind == "play"}
    assert len(told - true) <= 1
    assert len(true & told) >= 0.8 * len(true)


def test_one_card_that_begins_a_foundation_without_an_ace_is_still_somebodys(seed: int = 1) -> None:
    _, umpire = followed(seed, 82.0, 1)
    assert not umpire.strangers.places
    begun = [e for e, _ in umpire.events() if e.target is not None and e.target.kind == FOUNDATION]
    assert any(event.misfit for event in begun)


def test_two_far_apart_are_no_row() -> None:
    _, umpire = followed(1, 180.0, 2)
    assert umpire.strangers.places == set()
    assert Place(FOUNDATION, 1) not in umpire.strangers.places
