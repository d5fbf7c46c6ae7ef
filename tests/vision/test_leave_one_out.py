"""Families of decks left out: what a fold is trained on never holds the family that it is measured on."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from datasets.decks import list_decks
from scripts import build_reader_crops
from scripts import leave_one_out as out_of


def test_a_fold_never_sees_its_family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of_folder: dict[Path, set[str]] = {}
    seen: dict[Path, set[str]] = {}
    measured: dict[str, tuple[set[str], set[str]]] = {}

    def crops(_: Namespace, name: str, families: Sequence[str], shards: int, *, plain: bool) -> Path:
        assert shards > 0
        of_folder[tmp_path / name] = set(families)
        assert plain == name.endswith("as-they-are")
        return tmp_path / name

    def train(
        _: Namespace, name: str, data: Callable[[], Sequence[Path]], views: int, init: Path | None
    ) -> Path:
        out = tmp_path / f"{name}.onnx"
        before = set() if init is None else seen[init.with_suffix(".onnx")]
        seen[out] = before.union(*(of_folder[folder] for folder in data()))
        assert views == (100 if init is None else 10)
        return out

    def measure(family: str, model: Path, folder: Path) -> object:
        measured[family] = (seen[model], of_folder[folder])
        return out_of.Outcome(family, ("a deck",), ((1, 1),) * len(out_of.COLUMNS), ())

    for name, made_up in (("crops", crops), ("train", train), ("measured", measure)):
        monkeypatch.setattr(out_of, name, made_up)
    page = tmp_path / "left-out.md"
    assert out_of.main(["--out", str(page), "--views", "100", "--further", "10"]) == 0
    every = {info.family for info in list_decks(split="train")}
    assert len(measured) >= 4
    for family, (trained, tried) in measured.items():
        assert tried == {family}
        assert trained == every - {family}
        assert f"| {family} | a deck |" in page.read_text()


def test_crops_of_some_families_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "crops"
    assert build_reader_crops.main(["--out", str(out), "--families", "A", "V"]) == 2
    assert "--families V: split train has A, B, C" in capsys.readouterr().err
    assert not out.exists()
