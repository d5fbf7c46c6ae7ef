"""A packet laid the other way round (N11): told where the round before says which card should lie on top, and the packets
behind it lie as they should.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from test_explain import SOUTH, read, table

from referee.rules.cards import UNKNOWN
from referee.rules.events import INFERRED
from referee.umpire.beam import Beam
from referee.umpire.odds import Odds
from referee.umpire.sights import View
from referee.umpire.story import Believed, Lying, Story
from referee.umpire.trust.misfits import Misfits
from referee.umpire.trust.remembered import FORGOTTEN_S, Remembered

#: The tops of south's packets as the round before showed them, the next one first.
TOPS = ("5H", "9H", "6D", "QS")


def second_round() -> Story:
    hidden = Lying(UNKNOWN, "south", False)
    packets = [(Lying(top, "south", False), hidden, hidden) for top in reversed(TOPS)]
    stock = tuple(card for packet in packets for card in packet)
    return table(north__nerts="KC").with_pile(SOUTH["stock"], stock)


def look(at: float, top: str, chance: float = 0.999) -> View:
    seen = View(SOUTH["waste"], at, round(at * 30), at, [read({top: chance}, (0.0, 0.0))], stirred=True)
    seen.untouched = at - 0.5
    return seen


def drawn(*tops: str) -> list[Believed]:
    """What is told when these cards come to lie on top, one draw after the other."""
    beam = Beam(second_round(), Odds())
    for number, top in enumerate(tops):
        for again in (0.0, 0.2):
            beam.push(look(2.0 + 1.2 * number + again, top))
    return beam.best.events()


def test_a_packet_among_others_in_their_order_was_laid_the_other_way_round() -> None:
    first, *others = drawn("KS", "9H", "6D")
    assert (first.foul, first.misfit, first.under) == ("upended", True, "5H")
    assert first.cards == ("5H", UNKNOWN, "KS")
    assert [event.foul for event in others] == [None, None]


@pytest.mark.parametrize("tops", [("5H", "9H", "6D"), ("KS", "8C", "2D"), ("9H", "6D", "QS")])
def test_packets_in_order_or_all_out_of_it_were_not(tops: tuple[str, ...]) -> None:
    """As they should lie; shifted by a draw of the round before that was missed; or with a draw missed now."""
    assert {event.foul for event in drawn(*tops)} == {None}


@pytest.mark.parametrize(
    ("before", "now", "looks", "sure"),
    [(0.999, 0.999, 2, True), (0.94, 0.999, 2, False), (0.999, 0.94, 2, False), (0.999, 0.999, 1, False)],
)
def test_both_cards_must_have_been_read_beyond_what_is_misread(
    before: float, now: float, looks: int, sure: bool
) -> None:
    """The card that should lie on top, when it did, and the one that does."""
    seen = [look(0.5 + 0.2 * number, "5H", before) for number in range(looks)]
    seen += [look(2.0 + 0.2 * number, "KS", now) for number in range(looks)]
    assert (trusted(seen) > INFERRED) == sure


def trusted(looks: Sequence[View], begins: Remembered | None = None) -> float:
    """How far the packet is believed that came to lie there at 2.0 s, after these looks."""
    event, seen = drawn("KS", "9H", "6D")[0], begins or Remembered()
    for one in looks:
        seen.add(one)
    return Misfits().trust(event, seen, looks[-1].at)


def test_a_round_that_takes_longer_than_looks_are_kept_is_remembered() -> None:
    long_ago = [look(0.5 - FORGOTTEN_S + 0.2 * number, "5H") for number in range(2)]
    between = [look(0.3 + 0.3 * number, top) for number, top in enumerate(("QS", "9H", "8C", "QS"))]
    now = [look(2.0 + 0.2 * number, "KS") for number in range(3)]
    assert trusted([*long_ago, *between, *now]) > INFERRED
    assert trusted([*between, *now]) == INFERRED


def test_who_goes_through_all_looks_again_knows_what_was_known_before_the_first() -> None:
    known = Remembered()
    known.lay(second_round().piles, 0.2)
    # what was seen since is seen again
    known.add(look(0.5, "JD"))
    again = known.anew()
    assert known.tops(SOUTH["waste"], "JD", 9.0) and not again.tops(SOUTH["waste"], "JD", 9.0)
    assert trusted([look(2.0 + 0.2 * number, "KS") for number in range(2)], again) > INFERRED
