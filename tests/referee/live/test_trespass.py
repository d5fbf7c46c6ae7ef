"""Whose arm took a card, on small pictures drawn here: an owner is cleared, and another one accused, by whole ways."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from test_reaches import NORTH, SOUTH, TO_PX, watched

from referee.live.reaching.reaches import shoulder
from referee.live.reaching.trespass import Trespass
from referee.rules.events import INFERRED, Play, Recycle, SetAside
from referee.rules.places import FOUNDATION, WORK, Place
from referee.umpire.seats.area import SeatArea
from referee.umpire.sights import Point
from referee.umpire.story import ASIDE, FOREIGN, Believed, Foul

PILE, THEIRS, CENTRE = Place(WORK, 1, "south"), Place(WORK, 2, "north"), Place(FOUNDATION, 1)
POINTS: dict[Place, Point] = {PILE: (-80.0, 180.0), THEIRS: (0.0, -180.0), CENTRE: (30.0, 10.0)}
TAKEN, LAID = (1.6, 1.8), (2.1, 2.4)


@dataclass
class Table:
    """What of an umpire is asked."""

    left: bool = True
    #: Up to when (s) the place where the card was laid looked as before.
    as_before_s: float = -1e9
    dealing: Any = field(default_factory=lambda: SimpleNamespace(partners=False))
    dealt_area: Any = field(default_factory=lambda: SimpleNamespace(seats=[SOUTH, NORTH], from_table=TO_PX))

    def middles(self, place: Place) -> list[Point]:
        return [POINTS[place]]

    def has_left(self, event: Believed) -> bool:
        return self.left

    def untouched(self, event: Believed) -> float:
        return self.as_before_s


def play(target: Place, foul: Foul | None = None) -> Believed:
    event = Play(at=2.3, seat="south", cards=("AD",), source=PILE.own_name, target=target.written_by("south"))
    return Believed(event, PILE, target, foul=foul, misfit=foul is not None)


def arm(area: SeatArea, to: Place, when: tuple[float, float]) -> tuple[float, float, Point, Point]:
    return *when, POINTS[to], shoulder(area, 60.0)


def told(
    event: Believed, *arms: tuple[float, float, Point, Point], left: bool = True, now: float = 3.6
) -> tuple[Believed, float]:
    return Trespass(cast(Any, Table(left)), watched(*arms)).told(event, 0.99, now)


def both(area: SeatArea, target: Place = CENTRE) -> list[tuple[float, float, Point, Point]]:
    return [arm(area, PILE, TAKEN), arm(area, target, LAID)]


def test_a_card_that_another_ones_arm_took_and_laid_is_theirs_to_answer_for() -> None:
    event, sure = told(play(CENTRE), *both(NORTH))
    assert (event.seat, event.foul, event.misfit, sure) == ("north", FOREIGN, True, 0.99)
    assert isinstance(event.event, Play) and event.event.source == "south work 1"


@pytest.mark.parametrize(
    "arms",
    [
        both(SOUTH),
        [],
        # the owner's arm was there, too
        [*both(NORTH), arm(SOUTH, CENTRE, LAID)],
        # it was laid before, and seen late
        [*both(NORTH), arm(SOUTH, CENTRE, (1.1, 1.4))],
        # nobody else's came for it
        [arm(NORTH, CENTRE, LAID)],
        [arm(NORTH, PILE, TAKEN), arm(SOUTH, CENTRE, LAID)],
    ],
)
def test_an_owner_who_may_have_been_it_was(arms: list[tuple[float, float, Point, Point]]) -> None:
    assert told(play(CENTRE), *arms) == (play(CENTRE), 0.99)


def test_an_owner_who_was_there_before_the_card_can_have_been_laid_is_cleared() -> None:
    arms = [*both(NORTH), arm(SOUTH, CENTRE, (1.1, 1.4))]
    event, sure = Trespass(cast(Any, Table(as_before_s=1.7)), watched(*arms)).told(play(CENTRE), 0.99, 3.6)
    assert (event.seat, sure) == ("north", 0.99)


@pytest.mark.parametrize(
    ("landed", "seat"), [((2.25, 2.32), "north"), ((1.2, 2.32), "south"), (None, "south")]
)
def test_an_owner_who_had_gone_when_frames_saw_it_land_is_cleared(
    landed: tuple[float, float] | None, seat: str
) -> None:
    arms = [*both(NORTH), arm(SOUTH, CENTRE, (1.1, 1.4))]
    one = play(CENTRE)
    event, _ = told(replace(one, event=replace(one.event, landed=landed)), *arms)
    assert event.seat == seat


@pytest.mark.parametrize(("landed", "seat"), [((2.25, 2.32), "north"), (None, "south")])
def test_an_owner_who_came_when_frames_had_seen_it_land_is_cleared(
    landed: tuple[float, float] | None, seat: str
) -> None:
    arms = [*both(NORTH), arm(SOUTH, CENTRE, (2.37, 2.6))]
    one = play(CENTRE)
    event, _ = told(replace(one, event=replace(one.event, landed=landed)), *arms)
    assert event.seat == seat


def part_seen(
    area: SeatArea, to: Place, when: tuple[float, float]
) -> list[tuple[float, float, Point, Point]]:
    """An arm of whose sleeve a hand's breadth is as bright as the table."""
    hand, end = np.array(POINTS[to]), np.array(shoulder(area, 60.0))
    bare = [hand + part * (end - hand) for part in (0.18, 0.42)]
    first, last = ((float(x), float(y)) for x, y in bare)
    return [(*when, POINTS[to], first), (*when, last, shoulder(area, 60.0))]


@pytest.mark.parametrize(
    ("seen", "landed", "more", "seat"),
    [
        (True, (2.25, 2.32), [], "north"),
        # frames did not show it land
        (True, None, [], "south"),
        # it did not come for the card, or not only
        (False, (2.25, 2.32), [], "south"),
        (False, (2.25, 2.32), [arm(SOUTH, PILE, TAKEN)], "south"),
        (True, (2.25, 2.32), [arm(SOUTH, PILE, (1.2, 2.0))], "south"),
        (True, (2.25, 2.32), [arm(SOUTH, PILE, (1.1, 1.5))], "south"),
        # the owner's lay there, too, or had a moment before
        (True, (2.25, 2.32), [arm(SOUTH, CENTRE, LAID)], "south"),
        (True, (2.25, 2.32), [arm(SOUTH, CENTRE, (2.1, 2.2))], "south"),
        (True, (2.25, 2.32), part_seen(SOUTH, CENTRE, (2.1, 2.2)), "south"),
    ],
)
def test_an_arm_of_which_some_is_as_bright_as_the_table_stands_out_as_a_whole(
    seen: bool,
    landed: tuple[float, float] | None,
    more: list[tuple[float, float, Point, Point]],
    seat: str,
) -> None:
    taken = part_seen(NORTH, PILE, TAKEN) if seen else []
    one = replace(play(CENTRE), event=replace(cast(Play, play(CENTRE).event), landed=landed))
    event, _ = told(one, *taken, *part_seen(NORTH, CENTRE, LAID), *more)
    assert event.seat == seat


def test_nobody_is_accused_of_a_card_that_was_not_seen_to_leave() -> None:
    assert told(play(CENTRE), *both(NORTH), left=False) == (play(CENTRE), 0.99)


@pytest.mark.parametrize(("at", "seat"), [(2.2, "south"), (2.5, "south"), (0.9, "north"), (3.5, "north")])
def test_whose_arm_came_with_a_card_of_their_own_laid_no_other(at: float, seat: str) -> None:
    """Two players lay the same card: both arms are there, and the moments of either are hardly told apart."""
    from_pile = replace(play(CENTRE).event, at=at, seat="north", cards=("AD",), source="work 2")
    own = Believed(from_pile, THEIRS, CENTRE)
    beside = [(play(CENTRE), 0.99), (own, 0.9)]
    event, sure = Trespass(cast(Any, Table()), watched(*both(NORTH))).told(play(CENTRE), 0.99, 3.6, beside)
    assert (event.seat, sure) == (seat, 0.99)


def test_a_play_is_not_asked_about_before_its_hand_has_passed() -> None:
    assert told(play(CENTRE), *both(NORTH), now=2.9) == (play(CENTRE), 0.99)


def test_who_lays_a_card_in_anothers_area_must_have_reached_there() -> None:
    foreign = play(THEIRS, FOREIGN)
    assert told(foreign, *both(SOUTH, THEIRS)) == (foreign, 0.99)
    assert told(foreign) == (foreign, INFERRED)
    # or else that one came and took it
    event, sure = told(foreign, *both(NORTH, THEIRS))
    assert (event.seat, event.foul, sure) == ("north", FOREIGN, 0.99)


@pytest.mark.parametrize(("share", "accused"), [(0.5, False), (0.2, True)])
@pytest.mark.parametrize("beside", [False, True])
def test_of_two_who_sit_side_by_side_the_owner_must_surely_not_have_come(
    monkeypatch: pytest.MonkeyPatch, beside: bool, share: float, accused: bool
) -> None:
    """A tilted arm of the owner hides the neighbour's way better than the owner's own."""
    other = replace(SOUTH if beside else NORTH, seat="other")
    shares = {"south": share, "other": 0.9}
    monkeypatch.setattr(Trespass, "came_to", lambda *_: shares)
    table = Table(dealt_area=SimpleNamespace(seats=[SOUTH, other], from_table=TO_PX))
    event, _ = Trespass(cast(Any, table), watched()).told(play(CENTRE), 0.99, 3.6)
    assert (event.seat == "other") == (accused or not beside)


def in_parts(area: SeatArea) -> list[tuple[float, float, Point, Point]]:
    """An arm to the centre of which a stretch looks like the table."""
    hand, end = np.array(POINTS[CENTRE]), np.array(shoulder(area, 60.0))
    ways = [(hand + a * (end - hand), hand + b * (end - hand)) for a, b in ((0.0, 0.22), (0.36, 1.0))]
    return [(*LAID, (float(a[0]), float(a[1])), (float(b[0]), float(b[1]))) for a, b in ways]


@pytest.mark.parametrize(
    ("arms", "seat"),
    [
        ([arm(SOUTH, CENTRE, LAID)], "south"),
        ([arm(NORTH, CENTRE, LAID)], "north"),
        (in_parts(SOUTH), "south"),
        (in_parts(NORTH), "north"),
        ([], ""),
        ([arm(SOUTH, CENTRE, LAID), arm(NORTH, CENTRE, LAID)], ""),
        ([*in_parts(SOUTH), *in_parts(NORTH)], ""),
        # it was there for a moment only
        ([(2.3, 2.36, *way[2:]) for way in in_parts(NORTH)], ""),
    ],
)
def test_who_sets_a_foundation_aside_is_whose_arm_alone_was_there(
    arms: list[tuple[float, float, Point, Point]], seat: str
) -> None:
    event = Believed(
        SetAside(at=2.4, seat="south", place=CENTRE.own_name), None, CENTRE, foul=ASIDE, misfit=True
    )
    by, sure = told(event, *arms)
    assert (by.seat, sure) == (seat or "south", 0.99 if seat else INFERRED)


@pytest.mark.parametrize(
    ("seat", "at", "sure"), [("south", 1.2, INFERRED), ("south", 0.2, 0.99), ("north", 1.2, 0.99)]
)
def test_who_turned_a_waste_over_just_before_may_have_laid_its_top_card_there(
    seat: str, at: float, sure: float
) -> None:
    aside = SetAside(at=2.4, seat="south", place=CENTRE.own_name)
    event = Believed(aside, None, CENTRE, foul=ASIDE, misfit=True)
    beside = [(Believed(Recycle(at=at, seat=seat), None, None), 0.85)]
    trespass = Trespass(cast(Any, Table()), watched(arm(SOUTH, CENTRE, LAID)))
    assert trespass.told(event, 0.99, 3.6, beside)[1] == sure
