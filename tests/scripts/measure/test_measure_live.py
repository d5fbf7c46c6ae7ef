"""What the measure of live play makes of a record's lines, and of what a referee keeps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from referee.rules.places import Place
from scripts.measure.live import SETTLED_MINUTE, Told, Watched, kept

HEADER = {"record": 1, "game": "nerts"}


def draw(at: float, **more: Any) -> dict[str, Any]:
    return {"event": "draw", "at": at, "seat": "north", "cards": ["??", "??", "7H"], **more}


def correct(of: int, **what: Any) -> dict[str, Any]:
    return {"event": "correct", "at": 9.0, "of": of, **what, "by": "umpire"}


def test_delays_are_those_of_events_that_were_told_while_the_film_ran() -> None:
    told = Told()
    told.take([HEADER, {"event": "deal", "at": 0.0}], 0.5)
    told.take([draw(1.0), {"event": "ruling", "at": 1.0}], 3.0)
    told.take([draw(2.0)], 5.0)
    told.take([draw(6.0)], None)
    assert told.to_json()["delay_s"] == {"events": 2, "median": 2.5, "p95": 2.95}
    assert told.to_json()["told"] == 3


def test_what_is_taken_back_is_counted_once_an_event() -> None:
    told = Told()
    told.take([HEADER, draw(1.0), draw(2.0), draw(3.0), {"event": "ruling", "at": 3.0}], 5.0)
    told.take([correct(1, **{"with": {"confidence": 0.85}}), correct(2, **{"with": {"cards": ["AS"]}})], 6.0)
    told.take([correct(2, **{"with": {"at": 2.5}}), correct(3, drop=True), correct(4, drop=True)], 7.0)
    figures = told.to_json()
    assert figures["corrected"] == 1
    assert figures["corrected_in_confidence_alone"] == 1
    assert (figures["withdrawn"], figures["rulings_withdrawn"]) == (1, 1)


def test_an_event_that_is_put_in_twice_is_told_once() -> None:
    told = Told()
    told.take([HEADER, draw(8.0), correct(1, insert=[draw(2.0)])], 9.0)
    told.take([correct(2, drop=True), correct(1, insert=[draw(2.1), {**draw(3.0), "seat": "south"}])], 10.0)
    figures = told.to_json()
    assert figures["put_in_later"] == 2
    assert figures["told"] == 3
    assert sorted(told.delays) == [1.0, 7.0, 7.0]
    assert (figures["withdrawn"], figures["corrected"]) == (0, 0)


@pytest.mark.parametrize(("memory", "growth"), [([90.0, 100.0, 104.0, 105.0], 0.05), ([90.0, 100.0], None)])
def test_memory_is_held_against_that_after_minute_two(memory: list[float], growth: float | None) -> None:
    assert SETTLED_MINUTE == 2
    assert Watched(Told(), 0, 0.0, memory, []).to_json()["memory_growth"] == growth


def test_what_is_kept_is_counted_once_however_it_is_reached() -> None:
    place, array = Place("work", 1, "north"), np.zeros(4)
    counts = kept({"a": [place, array], "b": (place, {3: array}), "eye": (eye := [np.zeros(9)])}, [eye])
    assert counts == {"Place": 1, "arrays": 1, "bytes of arrays": 32}
