"""What the placer is trained on: which cards the things found in a window truly are."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from voted_cards import cards, grid

from scripts.build.found import NOTHING, UNTOLD, looked_by, main, truth_of
from vision.detect.placing import seen_map

#: A window's cards, as its shards keep them: two of a fan, the second 16 px further on and above.
FAN = np.array([(110.0, 150.0, 0.0, 70.0, 50.0, 0.0, 0, 0), (126.0, 150.0, 0.0, 70.0, 50.0, 0.0, 0, 0)])


def fan_cells() -> np.ndarray:
    """Which of the two is seen in each cell."""
    cells = np.full((80, 80), -1, np.int16)
    cells[20:55, 15:19] = 0
    cells[20:55, 19:44] = 1
    return cells


def told(middles: list[tuple[float, float]], votes: list[list[tuple[float, float]]]) -> list[int]:
    found = cards(middles, votes)
    return truth_of(found, seen_map(found, 320, 320)[0], fan_cells(), FAN).tolist()


STRIP, REST = grid(68, 150, 16, 136, 4.0), grid(126, 150, 96, 136, 4.0)


def test_cards_of_a_fan_are_told_by_where_they_lie_and_by_their_cells() -> None:
    assert told([(112, 151), (125, 149)], [STRIP, REST]) == [0, 1]
    # half way between the two, it is the one whose cells it has
    assert told([(118, 150)], [STRIP]) == [0]
    assert told([(118, 150)], [REST]) == [1]


def test_of_two_that_lie_near_one_card_one_is_its_neighbour() -> None:
    assert told([(125, 150), (121, 150)], [REST, STRIP]) == [1, 0]


def test_what_is_found_once_more_is_not_told_and_what_lies_elsewhere_is_none() -> None:
    more = [(110.0, 150.0), (126.0, 150.0), (120.0, 150.0), (240.0, 240.0)]
    assert told(more, [STRIP, REST, [], grid(240, 240, 40, 40)]) == [0, 1, UNTOLD, NOTHING]


def test_a_folder_without_windows_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 2
    assert f"{tmp_path}: no windows" in capsys.readouterr().err


def test_what_other_weights_found_is_known_from_what_these_do(tmp_path: Path) -> None:
    shard = tmp_path / "0000.found.npz"
    assert looked_by(shard) is None
    np.savez(shard, quads=np.zeros((1, 1, 4, 2)))
    assert looked_by(shard) is None
    np.savez(shard, quads=np.zeros((1, 1, 4, 2)), looked=np.array("5f3a"))
    assert looked_by(shard) == "5f3a"


def test_windows_are_looked_at_once_and_anew_by_other_weights(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, models = tmp_path / "windows", tmp_path / "models"
    folder.mkdir()
    models.mkdir()
    np.save(folder / "0000.images.npy", np.zeros((1, 320, 320, 3), np.uint8))
    np.save(folder / "0000.cells.npy", np.full((1, 80, 80), -1, np.int16))
    np.save(folder / "0000.cards.npy", np.zeros((1, 1, 8)))
    nothing = cards([], [])
    nothing.cells_at, nothing.middle = np.zeros((0, 2)), np.zeros((0, 2))
    finder = SimpleNamespace(find=lambda image: nothing)
    kind = type("Kind", (), {"weights": "finder.onnx", "__new__": lambda cls, *_, **__: finder})
    monkeypatch.setattr("scripts.build.found.Finder", kind)
    for weights, now in ((b"one", 1), (b"one", 0), (b"other", 1)):
        (models / "finder.onnx").write_bytes(weights)
        assert main([str(folder), "--models", str(models)]) == 0
        assert f"1 shards, {now} of them" in capsys.readouterr().out
