"""Moments of doubt of a recording are looked at once more, frame by frame, before it is explained again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from filmed_table import HEIGHT, WIDTH, FilmedTable
from umpire_table import FACES, Eye, Table, umpired

from referee.live.hands import Hands
from referee.live.look_back import DOUBTFUL, LONGEST_S, MOST_S, Doubt, _affordable, _windows, doubts_of
from referee.live.looking import CropEyes, Eyes
from referee.live.terms import Terms
from referee.live.unseen import touched
from referee.rules.places import FOUNDATION, WASTE, Place
from referee.umpire.odds import Odds
from referee.umpire.umpire import Umpire
from scripts.measure.replays import adjudicated
from vision.capture.change import ChangeMap
from vision.capture.video import Frame
from vision.layout import Floats, Layout

SECONDS = 10.0
Line = dict[str, Any]


@dataclass
class HastyTable(FilmedTable):
    """Its eye takes one card for another one, not surely, as long as no frame comes a second time."""

    taken: str = ""
    for_another: str = ""
    latest: float = -1.0
    looked_back: int = 0

    def look(self, frame: Frame, box: tuple[int, int, int, int] | None, to_table: Floats | None) -> Layout:
        layout = super().look(frame, box, to_table)
        first = frame.time_s >= self.latest
        self.latest = max(self.latest, frame.time_s)
        self.looked_back += not first
        for card in layout.cards if first else ():
            if card.face == self.taken:
                chances = np.zeros(52)
                chances[FACES.index(self.for_another)], chances[FACES.index(self.taken)] = 0.55, 0.43
                card.name_face(chances)
        return layout


def drawn_and_left(table: Table) -> str:
    """A card that is drawn on top of a waste and not played."""
    played = {card for line in table.record if line["event"] == "play" for card in line["cards"]}  # type: ignore[attr-defined]
    draws = [line["cards"][-1] for line in table.record if line["event"] == "draw"]  # type: ignore[index]
    return next(str(card) for card in draws if card not in played)


def another(card: str) -> str:
    """A card that it may be taken for."""
    return next(face for face in FACES if face[1] == card[1] and face != card)


@dataclass(slots=True)
class NotingEyes(CropEyes):
    """Looks as a table does, and notes of every look whether the table was known and backs were to be named."""

    asked: list[tuple[bool, bool]] = field(default_factory=list)

    def look(self, frame: Frame, box: tuple[int, int, int, int] | None, to_table: Floats | None) -> Layout:
        self.asked.append((to_table is not None, self.names_backs))
        layout: Layout = self.eye.look(frame, box, to_table)
        return layout


def refereed(film: HastyTable, *, again: bool, eyes: Eyes | None = None) -> list[Line]:
    hands = Hands(eyes or film, lambda: Umpire(Odds()), (WIDTH, HEIGHT), film.fps, Terms(), twice=True)
    if again:

        def frames_from(since: float) -> Iterator[Frame]:
            return (frame for frame in film.frames() if frame.time_s >= since)

        hands.frames_from = frames_from
    lines = [line for frame in film.frames() for line in hands.push(frame)]
    return [*lines, *hands.end(None)]


@pytest.mark.parametrize("again", [False, True])
def test_a_card_that_was_read_badly_is_read_again(again: bool) -> None:
    table = Table(8, SECONDS, pace=1.8)
    card = drawn_and_left(table)
    film = HastyTable(table, SECONDS, taken=card, for_another=another(card))
    lines = refereed(film, again=again)
    drawn = [line["cards"][-1] for line in adjudicated(lines) if line.get("event") == "draw"]
    assert (card in drawn) == again
    assert (film.looked_back > 0) == again
    assert any(line.get("pass") == 2 for line in lines) == again


def test_backs_are_told_apart_until_the_deal_is_read_and_never_again() -> None:
    table = Table(8, SECONDS, pace=1.8)
    card = drawn_and_left(table)
    film = HastyTable(table, SECONDS, taken=card, for_another=another(card))
    eyes = NotingEyes(film)
    refereed(film, again=True, eyes=eyes)
    assert film.looked_back > 0
    assert {named for known, named in eyes.asked if not known} == {True}
    assert {named for known, named in eyes.asked if known} == {False}


def test_what_was_seen_well_is_not_looked_at_again() -> None:
    film = HastyTable(Table(8, SECONDS, pace=1.8), SECONDS)
    refereed(film, again=True)
    assert film.looked_back == 0


def test_a_doubt_begins_where_its_place_was_known_and_lasts_until_it_is_seen() -> None:
    umpire = umpired(Table(0, 12.0), Eye(0, wrong=0.0, missed=0.0))
    events = [(event, 1.0) for event in umpire.story.events()]
    assert doubts_of(umpire, events) == []
    event, _ = events[len(events) // 2]
    events[len(events) // 2] = event, DOUBTFUL - 0.1
    doubts = doubts_of(umpire, events)
    assert {place for doubt in doubts for place in doubt.places} <= touched(event)
    assert any(doubt.since <= event.at <= doubt.until for doubt in doubts)
    for doubt in doubts:
        assert doubt.until - doubt.since <= LONGEST_S + 1.0
        looks = [look.at for look in umpire.kept if look.place in doubt.places]
        assert any(doubt.since <= at < doubt.until for at in looks)
    assert all(a.until <= b.since for a, b in pairwise(doubts))


def test_the_most_doubtful_come_first_where_there_are_too_many() -> None:
    many = [Doubt(10.0 * n, 10.0 * n + 4.0, sure=n / 100) for n in range(50)]
    chosen = _affordable([replace(one) for one in reversed(many)])
    assert sum(one.until - one.since for one in chosen) <= MOST_S
    assert [one.sure for one in chosen] == [one.sure for one in many[: len(chosen)]] and chosen


class Laid:
    """Two places of a table, the other so far (px) from the first."""

    def __init__(self, away: float) -> None:
        first = np.array([[100.0, 100.0], [200.0, 100.0], [200.0, 240.0], [100.0, 240.0]])
        self.places = {Place(WASTE, 0, "south"): first, Place(FOUNDATION, 1): first + away}

    def regions(self) -> dict[Place, Floats]:
        return self.places


@pytest.mark.parametrize(("away", "windows"), [(60.0, 1), (700.0, 2)])
def test_places_of_a_doubt_that_lie_far_apart_are_looked_at_by_themselves(away: float, windows: int) -> None:
    """A look around both took as long as a dozen, and twice the memory."""
    change, table = ChangeMap(1920, 1080), Laid(away)
    change.push_small(0.0, np.zeros(change.size[::-1], np.uint8))
    doubt = Doubt(0.0, 1.0, 0.5, dict.fromkeys(table.places, 0.0))
    seen = _windows(table, doubt, change, (1920, 1080))  # type: ignore[arg-type]
    assert len(seen) == windows
    for corners in table.places.values():
        (x0, y0), (x1, y1) = corners.min(axis=0), corners.max(axis=0)
        assert any(w[0] <= x0 and w[1] <= y0 and w[2] >= x1 and w[3] >= y1 for w in seen)
    assert sum((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in seen) < 0.05 * 1920 * 1080
