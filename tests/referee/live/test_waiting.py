"""Looking may fall behind what is shown: nothing that rested for a moment is missed, and memory stays bounded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import inf
from threading import Event
from typing import Any, cast

import numpy as np
import pytest

from referee.live.session import waiting as module
from referee.live.session.evening import Session
from referee.live.session.waiting import APART_S, BEHIND_S, STEPS, Waiting
from referee.live.session.watching import Watching
from vision.capture.video import Frame

FPS = 30.0


def frame(index: int) -> Frame:
    return Frame(index, index / FPS, np.zeros((4, 6, 3), np.uint8))


def filled(count: int) -> Waiting:
    waiting = Waiting()
    for index in range(count):
        waiting.add(frame(index))
    return waiting


def taken(waiting: Waiting, after_s: float = -APART_S) -> list[Frame]:
    """All frames one after the other, as whoever looks takes them."""
    frames: list[Frame] = []
    while (one := waiting.next(frames[-1].time_s if frames else after_s)) is not None:
        frames.append(one)
    return frames


def test_frames_are_taken_in_order_and_once() -> None:
    waiting = filled(10)
    assert [one.index for one in taken(waiting)] == [0, 3, 6, 9]
    assert waiting.newest() is None and waiting.behind_s == 0.0


def test_whoever_keeps_up_gets_every_frame() -> None:
    waiting, got = Waiting(), []
    for index in range(60):
        waiting.add(frame(index))
        got += taken(waiting)
    assert [one.index for one in got] == list(range(60))


def test_of_many_that_wait_some_are_taken_from_all_the_time_the_further_apart_the_more_there_are() -> None:
    frames = taken(filled(90))
    assert frames[0].time_s < 0.4 and frames[-1].index == 89
    for a, b in pairwise(frames):
        behind = 89 / FPS - a.time_s
        step = next((step for least, step in STEPS if behind > least), 0.0)
        assert b.time_s - a.time_s <= step + APART_S + 1 / FPS + 1e-9
        assert b.time_s - a.time_s > step or b.index == 89


def test_those_before_a_moment_are_let_go() -> None:
    assert 2.0 < taken(filled(90), after_s=2.0)[0].time_s <= 2.0 + STEPS[-1][1] + APART_S + 1 / FPS


def test_once_a_hand_is_called_and_all_was_seen_the_newest_alone_matters() -> None:
    waiting, got = filled(40), []
    while (one := waiting.next(-1.0 if not got else got[-1], newest_from_s=0.95)) is not None:
        got.append(one.time_s)
    assert got[-2] <= 0.95 < got[-1] == pytest.approx(39 / FPS)
    waiting.add(frame(40))
    waiting.add(frame(45))
    latest = waiting.next(got[-1], newest_from_s=0.95)
    assert latest is not None and latest.index == 45


def test_looking_at_the_newest_takes_nothing() -> None:
    waiting = filled(90)
    newest = waiting.newest()
    assert newest is not None and newest.index == 89
    assert [one.index for one in taken(waiting)] == [one.index for one in taken(filled(90))]


def test_time_and_memory_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = filled(900)
    assert BEHIND_S - 0.2 <= waiting.behind_s <= BEHIND_S
    monkeypatch.setattr(module, "BEHIND_MB", 10 * 4 * 6 * 3 / 1e6)
    waiting = filled(900)
    assert 8 <= len(waiting._frames) <= 10 and taken(waiting)[-1].index == 899


class Taken:
    """A camera that gives `count` frames at once; the film ends with them."""

    troubles: Sequence[str] = ()
    notices: Sequence[Any] = ()

    def __init__(self, count: int, goes_on: Event) -> None:
        self.frames, self.goes_on = [frame(index) for index in range(count)], goes_on

    @property
    def ended(self) -> bool:
        return self.goes_on.is_set()

    def newest(self, after_index: int, timeout_s: float) -> Frame | None:
        if after_index < self.frames[-1].index:
            return self.frames[-1]
        self.goes_on.wait(timeout_s)
        return None

    def since(self, after_index: int, limit: int) -> list[Frame]:
        return [one for one in self.frames if one.index > after_index][:limit]


class Looks:
    """A session that takes its time with the first look until all frames were noticed, and finds a deal in it or none."""

    def __init__(self, count: int, goes_on: Event, dealt_s: float | None) -> None:
        self.count, self.goes_on, self.dealt_s = count, goes_on, dealt_s
        self.noticed: list[int] = []
        self.looked: list[int] = []
        self.all_noticed = Event()
        self.looked_s: float | None = None
        self.settles_s = inf

    def notice(self, one: Frame) -> None:
        self.noticed.append(one.index)
        if len(self.noticed) == self.count:
            self.all_noticed.set()

    def look(self, one: Frame, hurried: Callable[[], bool]) -> None:
        assert self.all_noticed.wait(10)
        self.looked_s = self.dealt_s if not self.looked and self.dealt_s is not None else self.looked_s
        if self.looked_s is not None and self.looked:
            self.looked_s = one.time_s
        self.looked.append(one.index)
        self.hurried = hurried()
        self.goes_on.set()


def test_what_was_shown_while_the_deal_was_read_is_looked_at_afterwards() -> None:
    goes_on = Event()
    session = Looks(60, goes_on, dealt_s=0.5)
    Watching(cast(Session, session), Taken(60, goes_on)).run()
    assert session.noticed == list(range(60))
    hand = session.looked[1:]
    assert hand == sorted(hand) and hand[-1] == 59
    assert 15 < hand[0] <= 24 and max(b - a for a, b in pairwise(hand)) <= 10
    assert not session.hurried


def test_between_hands_the_newest_is_looked_at_alone() -> None:
    goes_on = Event()
    session = Looks(60, goes_on, dealt_s=None)
    Watching(cast(Session, session), Taken(60, goes_on)).run()
    assert session.noticed == list(range(60)) and session.looked[-1] == 59 and len(session.looked) <= 3
