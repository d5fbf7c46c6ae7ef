"""Whose arm reaches to a point, and which one of the two, on small pictures drawn here."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from referee.live.reaching.reaches import FEW, Reaches, shoulder
from referee.rules.places import NERTS, WORK, Place
from referee.umpire.seats.area import SeatArea, project
from referee.umpire.sights import Point
from vision.capture.change import ChangeMap

WIDTH, HEIGHT, PX_PER_MM = 1920, 1080, 1.3
TO_PX = np.array([[PX_PER_MM, 0.0, WIDTH / 2], [0.0, PX_PER_MM, HEIGHT / 2], [0.0, 0.0, 1.0]])
CENTRE = (30.0, 10.0)


def seat(name: str, near: Point) -> SeatArea:
    """A row of piles along one side of the table, its Nerts pile at its player's left."""
    right = near[1], -near[0]
    kinds = [Place(NERTS, 0, name), *(Place(WORK, n, name) for n in range(1, 5))]
    return SeatArea(name, right, near, {p: (80.0 * n - 160.0, 180.0) for n, p in enumerate(kinds)})


SOUTH, NORTH, WEST = seat("south", (0.0, 1.0)), seat("north", (0.0, -1.0)), seat("west", (-1.0, 0.0))
SEATS = [SOUTH, NORTH, WEST]


def watched(*arms: tuple[float, float, Point, Point]) -> Reaches:
    """Arms that lie over the table from one moment (s) to another, from a hand to a shoulder (mm)."""
    change = ChangeMap(WIDTH, HEIGHT)
    rng = np.random.default_rng(4)
    table = rng.integers(60, 200, (change.size[1], change.size[0]))
    noisy = np.clip(table + rng.normal(0, 1.5, (5, *table.shape)), 0, 255).astype(np.uint8)
    for frame in range(0, 135, 2):
        small = noisy[frame % 5].copy()
        for since, until, hand, end in arms:
            if since <= frame / 30 <= until:
                ends = np.round(project(TO_PX, np.array([hand, end])) * change.scale).astype(int)
                cv2.line(small, *ends.tolist(), 235, 22)
        change.push_small(frame / 30, small)
    return Reaches(change)


@pytest.mark.parametrize("area", SEATS)
@pytest.mark.parametrize("aside", [-180.0, 60.0, 180.0])
def test_an_arm_over_a_point_is_of_the_seat_to_which_it_leads(area: SeatArea, aside: float) -> None:
    reaches = watched((2.0, 2.4, CENTRE, shoulder(area, aside)))
    found = reaches.whose(CENTRE, 2.2, SEATS, TO_PX)
    assert found is not None
    assert found.seat == area.seat
    assert found.aside == pytest.approx(aside, abs=90.0)
    # before it came and after it left nobody's arm is there
    assert reaches.whose(CENTRE, 1.8, SEATS, TO_PX) is None
    assert reaches.whose(CENTRE, 2.7, SEATS, TO_PX) is None


def test_where_two_arms_lie_over_one_point_neither_stands_out() -> None:
    both = [(2.0, 2.4, CENTRE, shoulder(area, 60.0)) for area in (SOUTH, NORTH)]
    assert watched(*both).whose(CENTRE, 2.2, SEATS, TO_PX) is None


def test_an_arm_that_lies_elsewhere_says_nothing() -> None:
    reaches = watched((2.0, 2.4, (300.0, 0.0), shoulder(SOUTH, 60.0)))
    assert reaches.whose((-200.0, 0.0), 2.2, SEATS, TO_PX) is None


def test_a_moment_that_is_not_remembered_says_nothing() -> None:
    assert watched().at(CENTRE, 60.0, SEATS, TO_PX) == []


@pytest.mark.parametrize("area", SEATS)
@pytest.mark.parametrize("usual", [-70.0, 70.0])
def test_the_arm_that_comes_from_elsewhere_than_most_is_the_other_one(area: SeatArea, usual: float) -> None:
    other = usual - np.sign(usual) * 290.0
    moments = [(0.5 * n, 0.5 * n + 0.2, CENTRE, shoulder(area, usual)) for n in range(1, 7)]
    reaches = watched(*moments, (4.0, 4.3, CENTRE, shoulder(area, float(other))))
    for number, (since, *_) in enumerate(moments):
        found = reaches.whose(CENTRE, since + 0.1, SEATS, TO_PX)
        assert found is not None
        reaches.note(found)
        assert (reaches.side(found) is None) == (number + 1 < FEW)
    assert reaches.side(found) == ("right" if usual > 0 else "left")
    found = reaches.whose(CENTRE, 4.15, SEATS, TO_PX)
    assert found is not None
    assert reaches.side(found) == ("left" if usual > 0 else "right")


def test_what_is_remembered_of_ways_and_moments_is_what_would_be_seen_anew() -> None:
    """Also when frames came since, and the picture shows the table elsewhere."""
    arm, moment = (1.0, 2.4, CENTRE, shoulder(WEST, 60.0)), 2.2
    whole = watched(arm)
    reaches = Reaches(ChangeMap(WIDTH, HEIGHT))
    moved = TO_PX + np.array([[0.0, 0.0, 140.0], [0.0, 0.0, -125.0], [0.0, 0.0, 0.0]])
    for past in whole.change._past:
        reaches.change.push_small(past.at, past.small)
        if past.at < moment:
            continue
        for to_px, point in ((TO_PX, CENTRE), (moved, CENTRE), (TO_PX, (CENTRE[0] + 90.0, CENTRE[1]))):
            anew = Reaches(ChangeMap(WIDTH, HEIGHT))
            anew.change._past.extend(reaches.change._past)
            assert reaches.at(point, moment, SEATS, to_px) == anew.at(point, moment, SEATS, to_px)
            least = anew.least_hidden(point, moment, SEATS, to_px)
            assert reaches.least_hidden(point, moment, SEATS, to_px) == least
    assert reaches.whose(CENTRE, moment, SEATS, TO_PX) == whole.whose(CENTRE, moment, SEATS, TO_PX)


def test_no_more_ways_are_remembered_than_a_bounded_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.live.reaching.reaches.POINTS", 4)
    reaches = watched((1.0, 2.4, CENTRE, shoulder(WEST, 60.0)))
    for number in range(9):
        reaches.at((CENTRE[0] + 5.0 * number, CENTRE[1]), 2.2, SEATS, TO_PX)
    assert 0 < len(reaches._ways) <= 4
