"""The eye's bench: what is asked for is measured, and said whether it is met."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from scripts.building import BuildError
from scripts.measure.bench import eye as bench_eye


def test_a_look_is_timed_after_one_that_does_not_count() -> None:
    looks: list[int] = []

    def look() -> None:
        # the first is slow
        sum(range(3_000_000 if not looks else 1000))
        looks.append(1)

    clock, processor = bench_eye.warm("a look", look, 3, 300)
    assert len(looks) == 4 and len(clock.runs) == len(processor.runs) == 3
    assert clock.met and clock.asked == "<= 300"


def test_a_program_is_measured_with_its_memory() -> None:
    small, large = (
        bench_eye.cold("it", [sys.executable, "-c", f"b'x' * {size}"], 2, 60_000, 100)
        for size in (1, 300 << 20)
    )
    assert 250 < large[2].median - small[2].median < 350
    assert small[2].met and not large[2].met


def test_a_program_that_fails_is_no_figure() -> None:
    with pytest.raises(BuildError, match="ended with 3"):
        bench_eye.cold("it", [sys.executable, "-c", "raise SystemExit(3)"], 1, 1000, 100)


def test_a_table_without_so_many_cards_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Bare:
        image, cards = np.zeros((4, 4, 3), np.uint8), list[object]()

    monkeypatch.setattr(bench_eye, "draw", lambda wanted, number: Bare())
    with pytest.raises(BuildError, match="shows 55 to 65 cards"):
        bench_eye.table()
