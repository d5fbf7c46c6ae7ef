"""What becomes of tied cards that nobody saw lie on one another, and what frames tell of how they came."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from believed import believed
from test_explain import CENTRE, SOUTH, face, table
from test_ties import FIRST, NORTH_WORK, SECOND, TOP, came, plays, raced, view

from referee.rules.events import INFERRED
from referee.rules.places import Place
from referee.umpire.beam import Beam
from referee.umpire.odds import Odds
from referee.umpire.sights import Came, Interval, View
from referee.umpire.story import Lying
from referee.umpire.tied.arriving import Arriving
from referee.umpire.tied.contested import Contested, contested
from referee.umpire.trust.witness import gave_way, has_rival, is_back, may_lie_under
from referee.umpire.umpire import Umpire
from vision.capture.moments.carried import Arrival


def touched(shown: View, *intervals: Interval) -> View:
    """The same view, before which hands were at the foundation in these intervals (s)."""
    there: Any = lambda place: intervals if place == CENTRE else ()  # noqa: E731
    return replace(shown, touched=there)


def told(beam: Beam) -> list[tuple[str, str]]:
    return [(event.seat, event.event.kind) for event in beam.best.events()]


def test_a_card_that_is_back_after_a_hand_came_for_it_had_been_laid() -> None:
    beam = raced()
    beam.push(view(10.8, NORTH_WORK, []))
    beam.push(view(11.6, CENTRE, [TOP]))
    beam.push(touched(view(12.0, NORTH_WORK, [face("2H")]), (9.7, 10.3), (11.3, 11.5)))
    assert told(beam) == [("south", "play"), ("north", "play"), ("north", "take-back")]
    # neither landing was told from the other's
    found = plays(beam.best.events())
    assert found["south"].landed == found["north"].landed


@pytest.mark.parametrize("hands", [[(9.7, 10.3)], [(9.7, 10.3), (12.5, 12.7)], [(6.0, 6.4)]])
def test_a_card_that_is_back_though_no_hand_came_for_it_was_held(hands: list[Interval]) -> None:
    beam = raced()
    beam.push(view(10.8, NORTH_WORK, []))
    beam.push(view(11.6, CENTRE, [TOP]))
    beam.push(touched(view(12.0, NORTH_WORK, [face("2H")]), *hands))
    assert told(beam) == [("south", "play")]


@pytest.mark.parametrize("loser", ["south", "north"])
def test_either_of_two_cards_is_taken_back_and_both_landings_stay_as_they_were_seen(loser: str) -> None:
    beam = raced()
    beam.push(replace(view(11.0, CENTRE, [TOP]), came=came(("north", FIRST), ("south", SECOND))))
    beam.push(view(12.0, NORTH_WORK if loser == "north" else SOUTH["work 1"], [face("2H")]))
    assert told(beam) == [("north", "play"), ("south", "play"), (loser, "take-back")]
    found = plays(beam.best.events())
    assert (found["north"].landed, found["south"].landed) == (FIRST, SECOND)


def test_where_neither_was_told_from_the_other_both_came_after_the_foundation_lay_as_before() -> None:
    beam = Beam(table(work_1="2H", north__work_1="2H", foundation_1="AH"), Odds())
    beam.push(replace(view(10.3, CENTRE, [TOP], landed=(10.00, 10.07)), untouched=9.7))
    for at in (10.5, 12.0, 13.0):
        beam.push(view(at, SOUTH["work 1"], []))
        beam.push(view(at, NORTH_WORK, []))
    beam.push(view(17.0, CENTRE, [TOP]))
    landings = {play.landed for play in plays(beam.best.events()).values() if play.landed}
    # the card that shows may be the first of two alike, and the other one lie on it
    ((since, until),) = landings
    assert since == 9.7
    assert until == pytest.approx(10.32)


@pytest.mark.parametrize("seat", ["south", "north"])
def test_the_one_card_that_was_seen_to_come_landed_then_and_the_other_one_somewhen(seat: str) -> None:
    beam = Beam(table(work_1="2H", north__work_1="2H", foundation_1="AH"), Odds())
    other = "south" if seat == "north" else "north"
    lone = Came(FIRST, {seat: 0.98, other: 0.45})
    beam.push(replace(view(10.3, CENTRE, [TOP], landed=(10.00, 10.07)), untouched=9.6))
    for at in (10.5, 12.0, 13.0):
        beam.push(view(at, SOUTH["work 1"], []))
        beam.push(view(at, NORTH_WORK, []))
    beam.push(replace(view(17.0, CENTRE, [TOP]), lone=lone))
    found = plays(beam.best.events())
    assert (found[seat].landed, found[other].landed) == (FIRST, (9.6, 10.07))


@pytest.mark.parametrize("seat", ["south", "north"])
def test_the_one_that_was_seen_to_come_keeps_its_moment_when_a_card_is_taken_back(seat: str) -> None:
    """It came to rest a tenth of a second after the foundation was thought to show its card."""
    other, landed = "south" if seat == "north" else "north", (10.12, 10.19)
    beam = Beam(table(work_1="2H", north__work_1="2H", foundation_1="AH"), Odds())
    seen = replace(view(10.3, CENTRE, [TOP], landed=(10.00, 10.07)), untouched=9.6)
    beam.push(replace(seen, lone=Came(landed, {seat: 0.98, other: 0.45})))
    beam.push(view(10.4, SOUTH["work 1"], []))
    beam.push(view(10.5, NORTH_WORK, []))
    beam.push(view(10.8, NORTH_WORK, []))
    beam.push(view(11.6, CENTRE, [TOP]))
    beam.push(touched(view(12.0, NORTH_WORK, [face("2H")]), (9.7, 10.3), (11.3, 11.5)))
    assert ("north", "take-back") in told(beam)
    found = plays(beam.best.events())
    # the other one may have come as late
    assert (found[seat].landed, found[other].landed) == (landed, (9.6, 10.19))


@pytest.mark.parametrize(
    ("seen", "lies", "back"),
    [
        ([], "5S", False),
        # before it was played, and on the way
        ([(9.0, "2H"), (10.2, "2H")], "5S", False),
        ([(11.0, "5S"), (12.0, "2H")], "5S", True),
        # that it was taken back is told
        ([(12.0, "2H")], "2H", False),
        ([(11.0, "5S"), (12.0, "5S")], "5S", False),
    ],
)
def test_a_card_that_lies_again_where_it_came_from_is_no_longer_surely_in_the_centre(
    seen: list[tuple[float, str]], lies: str, back: bool
) -> None:
    """Else who lost a tie, and took the card back unseen, is accused of having left it there."""
    event = believed("play", 10.1, "south", 300, ["2H"], SOUTH["work 1"], CENTRE)
    views = [view(at, SOUTH["work 1"], [face(name)]) for at, name in seen]
    assert is_back(event, views, Lying(lies, "south")) == back


def test_of_one_card_that_may_have_come_from_either_side_nobody_can_say_whose_it_is() -> None:
    beam = Beam(table(work_1="2H", north__work_1="2H", foundation_1="AH"), Odds())
    beam.push(replace(view(10.3, CENTRE, [TOP], landed=(10.00, 10.07)), untouched=9.6))
    for at in (10.5, 12.0, 13.0):
        beam.push(view(at, SOUTH["work 1"], []))
        beam.push(view(at, NORTH_WORK, []))
    beam.push(replace(view(17.0, CENTRE, [TOP]), lone=Came(FIRST, {"south": 0.95, "north": 0.7})))
    assert {play.landed for play in plays(beam.best.events()).values()} == {(9.6, 10.07)}


def test_where_a_card_in_hand_lay_is_looked_at_if_another_seat_laid_its_like() -> None:
    assert set(contested(raced()).taken) >= {NORTH_WORK}
    lone = Beam(table(work_1="2H", north__work_1="3H", foundation_1="AH"), Odds())
    lone.push(view(10.3, CENTRE, [TOP], landed=(10.00, 10.07)))
    assert not contested(lone).taken


class Seats:
    """South sits below the middle of the table, north above it; a px is a mm."""

    def __init__(self) -> None:
        self.seats = [self._seat("south", 300.0), self._seat("north", -300.0)]

    @staticmethod
    def _seat(seat: str, y: float) -> Any:
        return SimpleNamespace(seat=seat, spots={Place("work", 1, seat): (0.0, y)}, table=lambda *at: at)

    def seen(self, points: Any) -> Any:
        return np.asarray(points)

    at = seen


UP, DOWN, ASIDE = (np.array(way) for way in ([0.0, -9.0], [1.0, 9.0], [9.0, 0.5]))


def arriving(*arrivals: tuple[float, Any], landed: Interval = (9.99, 10.05)) -> tuple[Any, ...]:
    """The cards that were seen to come to one place, where these came (s, from which side)."""
    return looked_into(*arrivals, landed=landed).came


def looked_into(*arrivals: tuple[float, Any], landed: Interval) -> View:
    """A view in which a card landed, where these cards came (s, from which side)."""
    found = [Arrival((at - 0.033, at + 0.033), side) for at, side in arrivals]
    still: Any = SimpleNamespace(arrivals=lambda corners, since, until, sides: found)
    area: Any = Seats()
    looked = Arriving(area)
    looked.contested = Contested(faces=frozenset({"2H"}))
    shown = view(10.3, CENTRE, [TOP], landed=landed)
    looked.see(shown, still)
    return shown


def test_two_cards_from_two_seats_were_seen_to_come_and_which_lies_on_top() -> None:
    lower, upper = arriving((9.82, UP), (10.02, DOWN))
    assert lower.towards["north"] > 0.9
    assert upper.towards["south"] > 0.9
    assert (lower.on_top, upper.on_top) == (False, True)
    # the one on top came to rest as the first one did: pushed under it, or laid on it to a hair and printed alike
    assert not any(one.on_top for one in arriving((9.82, UP), (10.02, DOWN), landed=(9.79, 9.85)))
    # of a moment between the two nobody can say so
    assert not any(one.on_top for one in arriving((9.82, UP), (10.02, DOWN), landed=(9.89, 9.95)))
    # they came together
    assert not any(one.on_top for one in arriving((9.99, UP), (10.02, DOWN)))


def test_what_came_from_nobodys_side_is_no_card() -> None:
    assert len(arriving((9.82, UP), (9.9, ASIDE), (10.02, DOWN))) == 2


@pytest.mark.parametrize(
    "came", [[(9.82, UP)], [(9.82, UP), (10.02, UP)], [(9.7, UP), (9.9, DOWN), (10.02, UP)]]
)
def test_nothing_is_told_but_of_one_card_of_each_of_two_seats(came: list[tuple[float, Any]]) -> None:
    assert arriving(*came) == ()


def test_whose_card_it_is_that_two_seats_had_ready_is_told_by_the_side_it_was_carried_from() -> None:
    landed = (9.99, 10.05)
    shown = looked_into((10.02, UP), landed=landed)
    assert shown.brought["north"] - shown.brought["south"] > 1.5
    # no reach ends when the card landed, or two do
    assert not looked_into((9.7, UP), landed=landed).brought
    assert not looked_into((10.0, UP), (10.03, DOWN), landed=landed).brought


@pytest.mark.parametrize("seat", ["south", "north"])
def test_of_two_seats_whose_cards_are_gone_each_laid_the_one_carried_from_its_side(seat: str) -> None:
    """Both had an ace, both aces lie in the centre, side by side, and both places are empty."""
    other = "north" if seat == "south" else "south"
    beam = Beam(table(work_1="AH", north__work_1="AH"), Odds())
    for at, place, brought in ((10.3, CENTRE, seat), (10.5, Place("foundation", 2), other)):
        shown = replace(view(at, place, [face("AH")], landed=(at - 0.3, at - 0.24)), untouched=9.7)
        beam.push(replace(shown, brought={brought: 0.9, seat if brought == other else other: -0.9}))
    for place in (SOUTH["work 1"], NORTH_WORK):
        beam.push(view(10.8, place, []))
    found = [(event.seat, str(event.target)) for event in beam.best.events()]
    assert found == [(seat, str(CENTRE)), (other, str(Place("foundation", 2)))]


@pytest.mark.parametrize("seat", ["south", "north"])
def test_of_two_seats_whose_cards_are_gone_each_laid_the_one_over_which_its_arm_lay(seat: str) -> None:
    other = "north" if seat == "south" else "south"
    beam = Beam(table(work_1="AH", north__work_1="AH"), Odds())
    for place in (SOUTH["work 1"], NORTH_WORK):
        beam.push(view(9.8, place, []))
    for at, place, arm in ((10.3, CENTRE, seat), (10.5, Place("foundation", 2), other)):
        assert "AH" in contested(beam).faces, "they are told apart at the second one, too"
        shown = replace(view(at, place, [face("AH")], landed=(at - 0.3, at - 0.24)), untouched=9.7)
        beam.push(replace(shown, arms={arm: 1.0, seat if arm == other else other: 0.6}))
    found = [(event.seat, str(event.target)) for event in beam.best.events()]
    assert found == [(seat, str(CENTRE)), (other, str(Place("foundation", 2)))]
    assert all(beam.confidence(event) > 0.9 for event in beam.best.events())


@pytest.mark.parametrize(
    ("faces", "landed", "asked"),
    [({"2H"}, (9.99, 10.05), [10.02]), ({"2H"}, (9.5, 10.05), []), ({"2S"}, (9.99, 10.05), [])],
)
def test_whose_arm_lay_there_is_asked_of_what_several_had_ready_and_was_seen_to_land(
    faces: set[str], landed: Interval, asked: list[float]
) -> None:
    area: Any = Seats()
    still: Any = SimpleNamespace(arrivals=lambda corners, since, until, sides: [])
    looked, moments = Arriving(area), list[float]()

    def arms(point: object, at: float) -> dict[str, float]:
        moments.append(round(at, 2))
        return {"south": 1.0, "north": 0.2}

    looked.contested, looked.arms = Contested(faces=frozenset(faces)), arms
    shown = view(10.3, CENTRE, [TOP], landed=landed)
    looked.see(shown, still)
    assert (moments, bool(shown.arms)) == (asked, bool(asked))


@pytest.mark.parametrize(
    ("back", "sooner", "settled"),
    [("north", 9.7, True), ("south", 9.7, False), ("north", 10.09, False), (None, 9.7, False)],
)
def test_who_came_later_is_not_accused_where_the_one_who_was_first_took_theirs_back(
    back: str | None, sooner: float, settled: bool
) -> None:
    """A card was pushed under the one that lay there: by time and by layering different ones were first."""
    mine = believed("play", 10.1, "south", 303, ["2H"], SOUTH["work 1"], CENTRE)
    theirs = believed("play", sooner, "north", 290, ["2H"], NORTH_WORK, CENTRE)
    events = [mine, theirs]
    if back is not None:
        home = NORTH_WORK if back == "north" else SOUTH["work 1"]
        events = [believed("take-back", 12.0, back, 360, ["2H"], CENTRE, home), *events]
    assert gave_way(mine, events) == settled


@pytest.mark.parametrize(
    ("seat", "card", "target", "rival"),
    [
        ("north", "2H", CENTRE, True),
        ("south", "2H", CENTRE, False),
        ("north", "2S", CENTRE, False),
        ("north", "2H", NORTH_WORK, False),
    ],
)
def test_a_card_has_a_rival_where_another_seat_laid_its_like_on_the_same_foundation(
    seat: str, card: str, target: Place, rival: bool
) -> None:
    mine = believed("play", 10.1, "south", 303, ["2H"], SOUTH["work 1"], CENTRE)
    other = believed("play", 9.9, seat, 297, [card], Place("work", 2, seat), target)
    assert has_rival(mine, [mine, other]) == rival


@pytest.mark.parametrize(("at", "over", "under"), [(10.1, "", True), (10.1, "north", True), (9.7, "", False)])
def test_who_came_later_may_have_pushed_the_card_underneath_though_it_seems_to_lie_on_top(
    at: float, over: str, under: bool
) -> None:
    mine = replace(believed("play", at, "south", 303, ["2H"], SOUTH["work 1"], CENTRE), over=over)
    other = believed("play", 9.9, "north", 297, ["2H"], NORTH_WORK, CENTRE)
    assert may_lie_under(mine, [mine, other]) == under
    assert not may_lie_under(mine, [mine])


def test_who_may_have_laid_a_tied_card_back_is_not_surely_in_the_centre() -> None:
    beam = raced()
    beam.push(replace(view(11.0, CENTRE, [TOP]), came=came(("north", FIRST), ("south", SECOND))))
    for at in (11.2, 11.4):
        beam.push(view(at, SOUTH["work 1"], []))
        beam.push(view(at, NORTH_WORK, []))
    umpire = Umpire(Odds())
    umpire._beam = beam
    first = next(one for one in beam.best.events() if one.seat == "north")
    assert umpire._confidence(first, everywhere=True) > INFERRED
    before = umpire.tied().count(NORTH_WORK)
    # something came to lie there since, and nobody has looked yet
    umpire.unseen = frozenset({NORTH_WORK})
    assert umpire._confidence(first, everywhere=True) == INFERRED
    assert umpire.tied().count(NORTH_WORK) == before + 1
