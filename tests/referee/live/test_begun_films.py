"""A recording that begins in the middle of a hand: followed from there, and no more is told than was seen."""

from __future__ import annotations

from typing import Any

import pytest
from filmed_table import FilmedTable, Told, followed
from umpire_table import Table

from referee.rules.cards import RANKS
from referee.rules.places import NERTS, Place
from scripts.measure.replays import score_replay

Line = dict[str, Any]
#: Of a hand so long (s) a recording from this second on.
SECONDS, SINCE = 26.0, 14.0
#: What is told of the beginning takes so long (s).
FOUND_S = 3.0


@pytest.fixture(scope="module")
def hand() -> Told:
    film = FilmedTable(Table(8, SECONDS), SECONDS)
    return followed(film, frames=(frame for frame in film.frames() if frame.time_s >= SINCE))


def begun(hand: Told) -> dict[str, Line]:
    return {line.get("seat", ""): line for line in hand.kind("begun")}


def test_how_the_table_lay_comes_first(hand: Told) -> None:
    assert [line.get("event") for line in hand.record[:4]] == [None, "begun", "begun", "begun"]
    lines = begun(hand)
    assert set(lines) == {"", "north", "south"}
    assert all(SINCE < line["at"] < SINCE + FOUND_S for line in lines.values())
    assert not hand.kind("deal")


def test_it_lay_so(hand: Told) -> None:
    lines = begun(hand)
    at = lines["north"]["at"]
    lay = {change.place: [name for name, _, _ in change.cards] for change in hand.film.lying(at)}
    for seat in ("north", "south"):
        piles = lines[seat]["piles"]
        for number in range(1, 5):
            assert piles[f"work {number}"] == lay[seat, f"work {number}"]
        assert set(lines[seat]["more"]) >= {"nerts", "stock"}
        shown = lay[seat, "nerts"][-1]
        assert piles["nerts"] == ["??" if shown == "back" else shown]
    tops = sorted(cards[-1] for (seat, _), cards in lay.items() if not seat and cards)
    piles = lines[""]["piles"]
    assert sorted(pile[-1] for pile in piles.values()) == tops
    assert all(len(pile) == 1 + RANKS.index(pile[-1][0]) for pile in piles.values())


def test_what_is_played_from_then_on_is_told_and_nobody_is_accused(hand: Told) -> None:
    since, until = begun(hand)["north"]["at"], SECONDS - 0.5
    told = [line for line in hand.record if since <= line.get("at", since) < until]
    true = [line for line in hand.film.table.record if since <= line.get("at", since) < until]
    figures = score_replay(told, true)
    assert figures.plays.true >= 8
    assert figures.plays.right >= figures.plays.true - 1, figures.faults
    assert figures.plays.invented == 0, figures.faults
    assert not [line for line in hand.record if line.get("verdict") == "illegal"]


def test_a_pile_that_nobody_counted_is_no_call(hand: Told) -> None:
    """Cards lie on both Nerts piles in the end, though nobody knows how many."""
    assert hand.referee.empty_handed() == [] and not hand.kind("call")
    umpire, events = hand.referee.umpire, hand.referee.events
    played = [event for event, _ in events if event.source == Place(NERTS, 0, "north")]
    left = umpire.nerts_left("north", SINCE, events)
    assert left == len(played) + 1 and umpire.nerts_left("north", SECONDS, events) == 1
