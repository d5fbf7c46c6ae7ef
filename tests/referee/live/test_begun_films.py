"""A recording that begins in the middle of a hand: followed from there, and no more is told than was seen."""

from __future__ import annotations

from typing import Any

import pytest
from filmed_table import FilmedTable, Told, followed
from umpire_table import Change, Cover, Table

from referee.rules.cards import RANKS
from referee.rules.places import NERTS, WORK, Place
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


def test_a_place_under_a_hand_is_waited_for_but_not_for_ever() -> None:
    """A column that a hand hides for long is taken as it lies when it is seen first, and nobody played it."""
    film = FilmedTable(Table(8, 20.0), 20.0)
    film.table.covers = [cover for cover in film.table.covers if cover.place != ("north", "work 2")]
    film.table.covers.append(Cover(("north", "work 2"), SINCE, SINCE + 4.0))
    told = followed(film, frames=(frame for frame in film.frames() if frame.time_s >= SINCE))
    (north,) = [line for line in told.kind("begun") if line.get("seat") == "north"]
    assert SINCE + 2.0 < north["at"] < SINCE + 4.0
    assert "work 2" not in north["piles"] and "work 2" not in north.get("more", [])
    lay = {
        place: [face for face, _, _ in change.cards] for place, change in _lying(film, SINCE + 4.0).items()
    }
    pile = told.referee.umpire.story.pile(Place(WORK, 2, "north"))
    assert [card.face for card in pile][: len(lay["north", "work 2"])] == lay["north", "work 2"]
    true = {tuple(line["cards"]) for line in film.table.record if line.get("event") == "play"}
    assert {tuple(line["cards"]) for line in told.kind("play")} <= true


def test_one_ace_in_the_centre_is_no_deal() -> None:
    """An ace was played and both have drawn: nobody knows any more how many cards the Nerts piles hold."""
    since = 5.0
    film = FilmedTable(Table(49, 12.0), 12.0)
    before = [line for line in film.table.record if line.get("at", since) < since]
    aces = [line for line in before if str(line.get("to", "")).startswith("foundation")]
    assert len(aces) == 1 and aces[0]["cards"][0][0] == "A"
    told = followed(film, frames=(frame for frame in film.frames() if frame.time_s >= since))
    assert not told.kind("deal")
    lines = begun(told)
    assert {"nerts", "stock"} <= set(lines["north"]["more"]) & set(lines["south"]["more"])
    assert [pile[-1] for pile in lines[""]["piles"].values()] == aces[0]["cards"]
    assert not [line for line in told.record if line.get("verdict") == "illegal"]


def _lying(film: FilmedTable, at: float) -> dict[tuple[str, str], Change]:
    return {change.place: change for change in film.lying(at)}
