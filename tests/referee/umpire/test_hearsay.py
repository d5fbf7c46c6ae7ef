"""A hand that is gone on with from what was believed of it: nobody is accused of what was only said to lie there."""

from __future__ import annotations

import numpy as np
import pytest
from umpire_table import PX_PER_MM, RANKS, Change, Eye, Still, Table, layout_of, umpired, window_of

from referee.rules.cards import UNKNOWN
from referee.rules.events import INFERRED
from referee.rules.places import FOUNDATION, WASTE, Place
from referee.umpire.odds import Odds
from referee.umpire.story import Believed, Lying
from referee.umpire.umpire import Umpire

SHARP = Eye(0, wrong=0.0, missed=0.0)
NORTH = Place(WASTE, 0, "north")


@pytest.fixture(scope="module")
def table() -> Table:
    return Table(1, 12.0)


class NorthMoved(Still):
    """Nothing moves on south's side."""

    def moved_share(self, region: np.ndarray, since: float) -> float | None:
        return float(region[:, 1].mean() < 400 * PX_PER_MM)


def pulled(
    table: Table, at: float, *, hearsay: bool = False, seen: bool = False, looked: bool = True
) -> tuple[Believed, float]:
    """North's 2D lands in the centre at a moment (s). It lay beneath its waste's top, as who looked before says.

    `looked`: the centre is looked at before it lands there.
    """
    before = umpired(table, SHARP)
    assert before.dealt is not None and before.story.pile(Place(FOUNDATION, 1))[-1].face == "AD"
    lay = tuple(Lying(face, "north") for face in ("2D", UNKNOWN, UNKNOWN, "9S"))
    umpire = Umpire(Odds())
    # the ninth foundation was set aside long ago, and nobody knows where it lay
    piles = {**before.story.piles, NORTH: lay, Place(FOUNDATION, 9): ()}
    umpire.resume(before.dealt, piles, 20.0, hearsay=hearsay, seen=seen)

    def look(now: float, rested: float, place: tuple[str, str], face: str) -> None:
        spot = table.home(*place) if place[0] else table.spots[0]
        shown = layout_of(SHARP, [Change(rested, place, [(face, *spot)])])
        umpire.see(
            now, round(now * 30), shown, window=window_of(table, place), still=NorthMoved(rested, False)
        )

    for now in (20.1, 20.3):
        look(now, 20.0, ("north", "waste"), "9S")
    if looked:
        look(20.2, 20.0, ("", "foundation 1"), "AD")
    for number in range(4):
        look(at + 0.2 * number, at, ("", "foundation 1"), "2D")
        look(at + 0.1 + 0.2 * number, at, ("north", "waste"), "9S")
    return umpire.events()[-1]


def test_what_is_known_to_lie_beneath_is_held_against_whoever_takes_it(table: Table) -> None:
    event, sure = pulled(table, 26.0, hearsay=False)
    assert (event.cards, event.foul) == (("2D",), "buried")
    assert sure > INFERRED


@pytest.mark.parametrize(("at", "hearsay"), [(26.0, True), (21.0, False)])
def test_what_is_only_said_to_lie_beneath_is_not(table: Table, at: float, hearsay: bool) -> None:
    """The last packet was never drawn, and 2D lay on top when it was played; or it was in hand when all was seen."""
    event, sure = pulled(table, at, hearsay=hearsay)
    assert event.cards == ("2D",)
    assert sure <= INFERRED


@pytest.mark.parametrize("seen", [True, False])
def test_a_centre_that_nobody_looked_at_since_is_held_against_whoever_saw_the_whole_table(
    table: Table, seen: bool
) -> None:
    event, sure = pulled(table, 26.0, seen=seen, looked=False)
    assert (event.cards, event.foul) == (("2D",), "buried")
    assert (sure > INFERRED) == seen


def test_what_hands_held_when_all_was_seen_is_not(table: Table) -> None:
    _, sure = pulled(table, 21.0, seen=True, looked=False)
    assert sure <= INFERRED


@pytest.mark.parametrize("lies", [True, False])
def test_a_deal_that_is_read_late_says_nothing_of_what_was_played_already(table: Table, lies: bool) -> None:
    """A card lay in the centre when the deal was read, and was never looked at again: the next one is laid on it."""
    spot = table.spots[0]
    dealt = [change for change in table.changes if change.at == 0.0]
    tops = {change.place: change.cards[-1][0] for change in dealt if "work" in change.place[1]}
    # so high that not a few unseen cards make it right
    north, card = next((place, top) for place, top in tops.items() if RANKS.index(top[0]) > 5)
    below = RANKS[RANKS.index(card[0]) - 1] + card[1]
    played = [Change(0.0, ("", "foundation 1"), [(below, *spot)])] if lies else []
    umpire = Umpire(Odds())
    umpire.deal([layout_of(SHARP, [*dealt, *played]) for _ in range(3)])
    for number in range(4):
        for place, shown in ((north, []), (("", "foundation 1"), [(card, *spot)])):
            laid = layout_of(SHARP, [Change(6.0, place, shown)])
            at, window = 6.1 + 0.2 * number, window_of(table, place)
            umpire.see(at, round(at * 30), laid, window=window, still=Still(6.0, False))
    event, sure = umpire.events()[-1]
    assert event.cards == (card,) and event.misfit
    assert (sure > INFERRED) == (not lies)
