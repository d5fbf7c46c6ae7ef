"""What the sifter is trained on: which of the things found among spread backs are cards."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from datasets.stills import Still
from datasets.truth import CardTruth
from scripts.build.cases import case_of, cases_of, keep, main, true_ones
from vision.layout import SeenCard
from vision.scene.sifting import Case


def corners(x: float) -> list[list[float]]:
    return [[x, 100], [x + 126, 100], [x + 126, 276], [x, 276]]


def truth(x: float, visible: float = 1.0) -> CardTruth:
    return CardTruth(corners(x), "QS", False, 0, 0, 0, visible, None, [0, 0, 0, 63, 88], False)


def seen(x: float, share: float = 0.5) -> SeenCard:
    return SeenCard(np.array(corners(x)), "back", np.zeros((0, 2)), share, 0.9)


def told(cards: int, pairs: int) -> Case:
    rows = np.arange(pairs, dtype=np.int64) % max(cards, 1)
    return Case(np.full((cards, 18), cards, np.float32), rows, rows, np.full((pairs, 12), pairs, np.float32))


def test_of_several_in_the_place_of_a_card_the_nearest_is_it() -> None:
    found = [seen(110, 1.0), seen(101, 0.0), seen(130, 0.9), seen(700, 1.0)]
    assert true_ones([truth(100), truth(400)], found).tolist() == [False, True, False, False]


def test_a_card_that_shows_nothing_is_not_found() -> None:
    assert true_ones([truth(100, 0.01)], [seen(100)]).tolist() == [False]
    assert true_ones([], [seen(100)]).tolist() == [False] and not len(true_ones([truth(100)], []))


def test_shards_give_back_what_was_kept(tmp_path: Path) -> None:
    still = Still(np.zeros((400, 1000, 3), np.uint8), [truth(100), truth(400)], 2.0)
    made = []
    for count, pairs in ((3, 4), (1, 0), (2, 2)):
        found = [seen(100 + 300 * k) for k in range(count)]
        answer = (found, told(count, pairs))
        eye = SimpleNamespace(case=lambda _, answer=answer: answer)
        case = case_of(eye, still)  # type: ignore[arg-type]
        assert case is not None
        made.append(case)
    keep(tmp_path / "0000.npz", made)
    back = cases_of(tmp_path / "0000.npz")
    assert [len(case["cards"]) for case in back] == [3, 1, 2]
    assert [len(case["one"]) for case in back] == [4, 0, 2]
    assert [case["right"].tolist() for case in back] == [[True, True, False], [True], [True, True]]
    assert (back[2]["cards"] == 2).all() and (back[2]["pairs"] == 2).all()


def test_a_photo_without_spread_backs_is_no_case() -> None:
    still = Still(np.zeros((400, 1000, 3), np.uint8), [], 2.0)
    assert case_of(SimpleNamespace(case=lambda _: None), still) is None  # type: ignore[arg-type]


def test_a_folder_of_other_pictures_is_not_gone_on_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cases.json").write_text('{"split": "tune", "per_shard": 20, "seed": 1}')
    (tmp_path / "0000.npz").touch()
    assert main(["--out", str(tmp_path)]) == 2
    assert str(tmp_path) in capsys.readouterr().err
