"""Moments of doubt of a recording are looked at once more, frame by frame, before it is explained again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from filmed_table import HEIGHT, WIDTH, FilmedTable
from umpire_table import FACES, Eye, Table, umpired

from referee.live.hands import Hands
from referee.live.look_back import DOUBTFUL, LONGEST_S, MOST_S, Doubt, _affordable, doubts_of
from referee.live.terms import Terms
from referee.live.unseen import touched
from referee.umpire.odds import Odds
from referee.umpire.umpire import Umpire
from scripts.measure.replays import adjudicated
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


def refereed(film: HastyTable, *, again: bool) -> list[Line]:
    hands = Hands(film, lambda: Umpire(Odds()), (WIDTH, HEIGHT), film.fps, Terms(), twice=True)
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
    other = next(face for face in FACES if face[1] == card[1] and face != card)
    film = HastyTable(table, SECONDS, taken=card, for_another=other)
    lines = refereed(film, again=again)
    drawn = [line["cards"][-1] for line in adjudicated(lines) if line.get("event") == "draw"]
    assert (card in drawn) == again
    assert (film.looked_back > 0) == again
    assert any(line.get("pass") == 2 for line in lines) == again


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
