"""A new deal is told from the last hand's cards that still lie there."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from believed import place_of

from referee.live.session.deals import DealWatch
from referee.live.session.picture import Picture
from referee.rules.places import Place
from referee.umpire.odds import Odds
from referee.umpire.seats.deal import Deal
from referee.umpire.seats.dealt_row import Found
from referee.umpire.umpire import Umpire
from vision.capture.video import Frame
from vision.layout import FACES, Layout, SeenCard

NAMES = ("nerts", "work 1", "work 2", "work 3", "work 4")
PLACES = [place_of(seat, name) for seat in ("west", "east") for name in NAMES]


def dealt() -> Deal:
    """Ten open cards of which one cannot be read."""
    tops: dict[str, dict[Place, Found]] = {"west": {}, "east": {}}
    for number, place in enumerate(PLACES):
        chances = np.full(52, 1e-4 if number else 1 / 52)
        chances[number] = 0.99 if number else 1 / 52
        tops[str(place.seat)][place] = Found((70.0 * number, 0.0), 0.0, True, np.log(chances / chances.sum()))
    return Deal(cast(Any, None), tops, {})


@pytest.mark.parametrize(("same", "old"), [(9, True), (7, True), (4, False), (3, False), (0, False)])
def test_cards_that_lie_where_they_lay_by_chance_make_no_deal_an_old_one(same: int, old: bool) -> None:
    """In a filmed evening three of ten did, and the hand was not followed."""
    faces = [FACES[number if 0 < number <= same else number + 20] for number in range(len(PLACES))]
    watch = DealWatch(cast(Any, None), cast(Any, None), dict(zip(PLACES, faces, strict=True)))
    assert watch._is_old(dealt()) == old


class Still:
    """A picture of which one pause is over; nothing is still now."""

    changed = True

    def __init__(self, paused_s: float) -> None:
        self.stills: list[Frame] = []
        self.stood = [Frame(n, paused_s + 0.25 * n, np.zeros((4, 6, 3), np.uint8)) for n in range(3)]

    def accept(self) -> None:
        """Nothing to remember."""


def shown(at: float) -> Frame:
    return Frame(int(at * 30), at, np.zeros((4, 6, 3), np.uint8))


class Looks:
    """An eye that sees an empty table, and which frames it was shown."""

    def __init__(self) -> None:
        self.shown: list[int] = []

    def look(self, frame: Frame, box: Any, to_table: Any) -> Layout:
        self.shown.append(frame.index)
        return Layout(6, 4, 1.0, [], [], None)


@pytest.mark.parametrize(
    ("paused_s", "ended_s", "read"),
    [(8.0, 0.0, True), (2.0, 0.0, False), (8.0, 9.0, False)],
    ids=["during a look", "before it", "in the hand before"],
)
def test_a_pause_that_went_by_during_a_look_is_looked_at(paused_s: float, ended_s: float, read: bool) -> None:
    """On a slow machine a look lasts for as long as a deal lies there before its first card moves."""
    eyes = Looks()
    watch = DealWatch(cast(Any, eyes), cast(Any, Still(paused_s)), ended_s=ended_s)
    watch._looked_s = 5.0
    lies = watch.look(shown(12.0), cast(Any, None))
    assert (lies is not None) == read and eyes.shown == ([2] if read else [])
    assert watch.look(shown(14.0), cast(Any, None)) is None


@pytest.mark.parametrize(("cards", "looks"), [(3, 4), (20, 16)], ids=["something else", "a table"])
def test_a_restless_picture_without_cards_is_looked_at_seldom(cards: int, looks: int) -> None:
    square = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 3.0], [0.0, 3.0]])

    class Sees(Looks):
        def look(self, frame: Frame, box: Any, to_table: Any) -> Layout:
            self.shown.append(frame.index)
            lie = [SeenCard(square, "face", square, 1.0, 0.9) for _ in range(cards)]
            return Layout(6, 4, 1.0, lie, [], np.eye(3))

    eyes, restless = Sees(), Still(0.0)
    restless.stood = []
    watch = DealWatch(cast(Any, eyes), cast(Any, restless))
    for tenth in range(190):
        watch.look(shown(tenth / 10), Umpire(Odds()))
    assert len(eyes.shown) == looks


def test_the_last_pause_is_kept_when_something_moves_again() -> None:
    picture = Picture(600, 400)
    cloth = np.random.default_rng(1).integers(40, 200, (400, 600, 3), dtype=np.uint8)
    for index in range(90):
        image, moved = cloth.copy(), index * 5 if index < 20 or index >= 60 else 100
        image[100:220, moved : moved + 120] = 250
        picture.notice(Frame(index, index / 30, image))
        assert picture.stood == [] or index >= 60
    assert picture.stills == []
    assert [20 / 30 <= frame.time_s < 2.0 for frame in picture.stood] == [True] * 3
