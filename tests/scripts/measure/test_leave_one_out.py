"""Families of decks left out: what a fold is trained on never holds the family that it is measured on."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from datasets.decks import DeckInfo, list_decks
from scripts.build import crops as build_reader_crops
from scripts.measure import leave_one_out as out_of


def test_a_fold_never_sees_its_family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of_folder: dict[Path, set[str]] = {}
    seen: dict[Path, set[str]] = {}
    measured: dict[str, tuple[set[str], set[str]]] = {}
    longer: dict[str, tuple[Path | None, set[str], list[Path], int]] = {}
    pool = tmp_path / "pool"
    pool.mkdir()
    (pool / "crops.json").write_text('{"seed": 5, "drawn": 9, "decks": 6}')
    np.save(pool / "0000.labels.npy", np.zeros(7))

    def crops(_: Namespace, name: str, families: Sequence[str], shards: int, *, plain: bool) -> Path:
        assert shards > 0
        of_folder[tmp_path / name] = set(families)
        assert plain == name.endswith("as-they-are")
        return tmp_path / name

    def train(
        _: Namespace,
        name: str,
        data: Callable[[], Sequence[Path]],
        views: int,
        init: Path | None,
        without: Sequence[str] = (),
    ) -> Path:
        if without:
            longer[name] = (init, set(without), list(data()), views)
            return tmp_path / f"{str(init).partition('.')[0]}.onnx"
        out = tmp_path / f"{name}.onnx"
        before = set() if init is None else seen[init.with_suffix(".onnx")]
        seen[out] = before.union(*(of_folder[folder] for folder in data()))
        assert views == (100 if init is None else 10)
        return out

    def measure(family: str, model: Path, folder: Path) -> object:
        measured[family] = (seen[model], of_folder[folder])
        return out_of.Outcome(family, ("a deck",), ((1, 1),) * len(out_of.COLUMNS), ())

    def drawn(_: str) -> list[DeckInfo]:
        return [DeckInfo(f"drawn/train-{i:04d}", "P", "train", "", False) for i in range(3)]

    made_up = {"crops": crops, "train": train, "measured": measure, "list_drawn_decks": drawn}
    made_up["court_lender"] = lambda _, split, index: ("anglo", "plastic", None)[index]
    for name, other in made_up.items():
        monkeypatch.setattr(out_of, name, other)
    page = tmp_path / "left-out.md"
    asked = ["--out", str(page), "--views", "100", "--further", "10", "--pool", str(pool)]
    asked += ["--longer", "G=77", "B=77"]
    assert out_of.main(asked) == 0
    every = {info.family for info in list_decks(split="train")}
    families = {info.name: info.family for info in list_decks(split="train")}
    borrowed = {"B": "drawn/train-0000", "G": "drawn/train-0001"}
    assert set(longer) == {"longer-without-B", "longer-without-G"}
    for family in ("B", "G"):
        init, without, data, views = longer[f"longer-without-{family}"]
        own = {name for name, of in families.items() if of == family}
        assert without == own | {borrowed[family]}
        assert (init, data, views) == (tmp_path / f"without-{family}.npz", [pool], 77)
    assert "with 7 crops (`build.crops`: seed 5, drawn 9, decks 6)" in page.read_text()
    assert len(measured) >= 4
    for family, (trained, tried) in measured.items():
        assert tried == {family}
        assert trained == every - {family}
        assert f"| {family} | a deck | {187 if family in 'BG' else 110} |" in page.read_text()


def test_a_longer_training_wants_crops_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--out", str(tmp_path / "page.md"), "--longer", "G=9"]
    assert out_of.main(asked) == 2
    assert "--longer wants --pool" in capsys.readouterr().err
    assert out_of.main([*asked, "--pool", str(tmp_path)]) == 2
    assert f"--pool {tmp_path}: no crops there" in capsys.readouterr().err


@pytest.mark.parametrize("said", ["9", "V=9", "G=", "G=many"])
def test_families_that_go_on_are_named(said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        out_of.main(["--out", "page.md", "--longer", said])
    assert ended.value.code == 2 and "FAMILY=VIEWS, of A, B, C" in capsys.readouterr().err


def test_crops_of_some_families_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "crops"
    assert build_reader_crops.main(["--out", str(out), "--families", "A", "V"]) == 2
    assert "--families V: split train has A, B, C" in capsys.readouterr().err
    assert not out.exists()
