"""What the verifier is trained on: which of the things found in a window are cards."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from voted_cards import cards, grid

from scripts.build.candidates import candidates
from vision.detect.placing import CUT

#: Rows of a window's cards: middle, half the short side, half the long side, as its shards keep them.
ONE, OTHER = (100.0, 100.0, 0.0, 70.0, 50.0, 0.0), (100.0, 230.0, 0.0, 70.0, 50.0, 0.0)


def eye(middles: list[tuple[float, float]], seen: list[float]) -> SimpleNamespace:
    """One that finds these."""
    found = cards(middles, [grid(x, y, 80, 80) for x, y in middles])
    found.short, found.long = (np.tile(axis, (len(middles), 1)) for axis in ((50.0, 0.0), (0.0, 70.0)))
    cuts = np.zeros((len(middles), *CUT, 5), np.uint8)
    return SimpleNamespace(candidate_cuts=lambda _: (found, np.array(seen), cuts))


def window() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """An image, its cells and its cards: one seen whole, one of which the upper half is covered by it."""
    cells = np.full((80, 80), -1, np.int16)
    cells[43:75, 13:37] = 1
    cells[8:43, 13:37] = 0
    return np.zeros((320, 320, 3), np.uint8), cells, np.array([ONE, OTHER])


def test_what_lies_where_a_card_does_is_right_once() -> None:
    told = candidates(eye([(102, 99), (99, 228), (101, 104)], [0.9, 0.9, 0.1]), *window())
    assert told["right"].tolist() == [True, True, False]


def test_what_lies_where_none_does_is_wrong() -> None:
    told = candidates(eye([(180, 165), (99, 228)], [0.5, 0.9]), *window())
    assert told["right"].tolist() == [False, True]


def test_a_card_that_hardly_shows_is_none_and_what_leaves_the_window_is_not_kept() -> None:
    image, cells, table = window()
    cells[cells == 1] = -1
    cells[74, 13:15] = 1
    told = candidates(eye([(99, 228), (300, 300)], [0.9, 0.9]), image, cells, table)
    assert told["right"].tolist() == [False]
    assert len(told["cuts"]) == 1


def test_a_folder_without_windows_is_named(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "scripts.build.candidates",
        str(tmp_path),
        "--out",
        str(tmp_path / "out"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert str(tmp_path) in done.stderr and "build.windows" in done.stderr
