"""How sure left-over piles are is fitted to piles that were seen: what goes with wrong numbers weighs more."""

from __future__ import annotations

import pickle
import tomllib
from pathlib import Path

import numpy as np
import pytest

from datasets.truth import CardTruth
from referee.photos.left.certain import FIGURES
from scripts.build.seen.kept import SeenPhoto
from scripts.calibrate import piles
from vision.layout import Layout, SeenCard


def pile(true: int, seen: int, sure: float) -> SeenPhoto:
    """A fan of `true` cards of which `seen` are, `sure` as they are."""
    truth, cards = [], []
    for number in range(true):
        left = 40.0 * number
        corners = [[left, 0.0], [left + 126, 0.0], [left + 126, 176.0], [left, 176.0]]
        truth.append(CardTruth(corners, "AS", False, 0, number, 0, 1.0, None, [left, 0, 0, 126, 176], False))
        if number < seen:
            square = np.array(corners)
            cards.append(SeenCard(square, "back", square, 0.3, sure, back="red", order=number))
    return SeenPhoto(Layout(1000, 500, 2.0, cards), truth)


def kept(folder: Path, *some: SeenPhoto) -> Path:
    for number, one in enumerate(some):
        (folder / f"{number:05d}.pile").write_bytes(pickle.dumps(one))
    return folder


def test_doubtful_cards_weigh_more_where_such_numbers_are_wrong(tmp_path: Path) -> None:
    some = [pile(5, 5, 0.99) for _ in range(40)]
    for wrong, folder in ((0, tmp_path / "right"), (15, tmp_path / "wrong")):
        folder.mkdir()
        doubtful = [pile(5, 4 if number < wrong else 5, 0.7) for number in range(20)]
        assert piles.main([str(kept(folder, *some, *doubtful)), "--out", str(folder / "certain.toml")]) == 0
    right, wrongly = (
        tomllib.loads((tmp_path / name / "certain.toml").read_text()) for name in ("right", "wrong")
    )
    assert wrongly["hardly cards"] > 2 * right["hardly cards"]
    assert set(FIGURES) | {"bound"} == set(right)


def test_the_bound_leaves_out_what_is_wrong() -> None:
    begun = np.array([piles.BEGUN[figure] for figure in FIGURES])
    clear, doubtful = np.zeros(len(FIGURES)), np.zeros(len(FIGURES))
    clear[FIGURES.index("a pile")] = doubtful[FIGURES.index("a pile")] = 1.0
    doubtful[FIGURES.index("wide steps")] = 1.0
    figures = np.array([clear] * 60 + [doubtful] * 20)
    bound, sure, right = piles.bound_of(figures, np.arange(80) < 60, begun)
    assert (sure, right) == (60, 60) and piles.LOWEST <= bound <= piles.HIGHEST


def test_too_few_piles_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert piles.main([str(kept(tmp_path, pile(3, 3, 0.99))), "--out", str(tmp_path / "certain.toml")]) == 2
    assert "too few" in capsys.readouterr().err
    assert not (tmp_path / "certain.toml").exists()
