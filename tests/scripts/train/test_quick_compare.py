"""Three ways of seeing hands side by side: what is held against what, and what is no film."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from test_quick_net import network

from scripts.train.quick.compare import Compared, main, moving, rims
from scripts.train.quick.labels import HAND, Box
from vision.capture.change import ChangeMap

SIZE = (1280, 720)


def test_the_side_of_an_arm_is_where_its_box_ends_at_the_picture() -> None:
    assert rims(Box(HAND, 500, 300, 640, 720), SIZE) == "b"
    assert rims(Box(HAND, 0, 3, 300, 200), SIZE) == "tl"
    assert rims(Box(HAND, 300, 200, 500, 400), SIZE) == ""


def test_a_hand_is_found_once_and_its_side_told() -> None:
    one, other = Box(HAND, 500, 300, 640, 720), Box(HAND, 0, 200, 300, 320)
    compared = Compared()
    compared.count([one, other], [Box(HAND, 505, 310, 640, 719), Box(HAND, 40, 200, 300, 320)], SIZE)
    compared.count([one], [Box(HAND, 900, 100, 990, 200)], SIZE)
    told = compared.as_json()
    assert (told["there"], told["told"], told["both"], told["sided"]) == (3, 3, 2, 1)


def test_what_moves_is_boxed_and_what_rests_is_not() -> None:
    change = ChangeMap(*SIZE)
    rng = np.random.default_rng(1)
    table = rng.integers(60, 200, (SIZE[1], SIZE[0], 3)).astype(np.uint8)
    for number in range(4):
        shown = table.copy()
        # a sleeve of a pattern
        shown[200 + 10 * number : 400 + 10 * number, 600:700] = (
            50 * (1 + np.indices((200, 100))[0] // 20 % 3)[..., None]
        )
        change.push(number / 30, shown)
    (box,) = moving(change)
    assert box.left < 620 and box.right > 680 and box.top < 240 and box.bottom > 400
    assert (box.right - box.left) * (box.bottom - box.top) < 0.15 * SIZE[0] * SIZE[1]
    change.push(1.0, shown)
    assert moving(change) == []


def test_a_film_without_its_truth_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    film = tmp_path / "hand.mp4"
    film.write_bytes(b"")
    assert main([str(network(tmp_path / "net.onnx", [])), str(film)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "hand.frames.jsonl" in line
