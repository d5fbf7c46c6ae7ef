"""The digital table's speed: what is asked for is measured, and said whether it is met."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from datasets.sets import PictureSet
from scripts.measure.bench import table as bench_table

WANTED = PictureSet(what="windows", pictures=3, seed=1, size=64)


def test_stills_are_counted_by_the_clock_and_by_processor_time(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[tuple[int, int]] = []
    drawn: list[int] = []
    now = iter(np.arange(0, 100, 0.5).tolist())

    def build(name: str, wanted: PictureSet, out: Path, workers: int) -> int:
        built.append((wanted.pictures, workers))
        return wanted.pictures

    def draw(wanted: PictureSet, number: int) -> None:
        drawn.append(number)
        sum(range(100_000))

    monkeypatch.setattr(bench_table, "build", build)
    monkeypatch.setattr(bench_table, "draw", draw)
    monkeypatch.setattr(bench_table.time, "perf_counter", lambda: next(now))
    clock, core = bench_table.stills(WANTED, 2, workers=2)
    assert built == [(3, 2), (3, 2)]
    assert drawn == [0, 1, 2, 0, 1, 2]
    assert clock.runs == [6.0, 6.0]
    assert (clock.asked, clock.met) == (">= 4", True)
    assert core.asked == ""
    assert min(core.runs) > 0
