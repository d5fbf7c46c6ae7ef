"""The exporter: its table against the networks that are kept, and what it says of bad input."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest
from numpy.typing import NDArray

from scripts.train.export.__main__ import main
from scripts.train.export.nets import NETS

ROOT = Path(__file__).parents[3]
KEPT = sorted(file.stem for file in (ROOT / "models").glob("*.onnx"))


def test_every_network_that_is_kept_can_be_exported() -> None:
    assert sorted(NETS) == KEPT


@pytest.mark.parametrize("name", KEPT)
def test_the_table_says_what_the_kept_file_says(name: str) -> None:
    asked = NETS[name]
    session = ort.InferenceSession(str(ROOT / "models" / f"{name}.onnx"), providers=["CPUExecutionProvider"])
    shapes = {part.name: part.shape for part in [*session.get_inputs(), *session.get_outputs()]}
    assert list(shapes) == [*asked.inputs, asked.output]
    for part, shape in shapes.items():
        assert {axis: length for axis, length in enumerate(shape) if isinstance(length, str)} == asked.free[
            part
        ]
    (told,) = session.run(None, dict(asked.inputs))
    assert np.isfinite(told).all() and told.ndim == len(shapes[asked.output])


@pytest.mark.parametrize("name", KEPT)
def test_what_is_kept_beside_the_weights_is_what_the_file_has(name: str) -> None:
    session = ort.InferenceSession(str(ROOT / "models" / f"{name}.onnx"), providers=["CPUExecutionProvider"])
    figures = {"": set[str](), "odds": {"sharp", "bias"}, "temperature": {"temperature"}}
    assert set(session.get_modelmeta().custom_metadata_map) == figures[NETS[name].beside]


@pytest.mark.parametrize("name", KEPT)
def test_every_network_is_made_by_a_class_that_is_there(name: str) -> None:
    module, _, kind = NETS[name].made_by.partition(":")
    tree = ast.parse((ROOT / f"{module.replace('.', '/')}.py").read_text("utf-8"))
    assert kind in {node.name for node in tree.body if isinstance(node, ast.ClassDef)}


@pytest.mark.parametrize("name", KEPT)
def test_weights_to_go_on_from_are_kept(name: str) -> None:
    with np.load(ROOT / "models" / f"{name}.npz") as kept:
        assert kept.files


def one_line(capsys: pytest.CaptureFixture[str]) -> str:
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("train.export: ")
    return line


def test_the_reader_wants_decks_to_tune_it_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reader"]) == 2
    assert "--tune" in one_line(capsys)


def test_no_other_network_is_tuned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["finder", "--tune", str(tmp_path)]) == 2
    assert "has no use for --tune" in one_line(capsys)


def test_without_torch_it_says_where_torch_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "scripts.train.export.checked", raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    assert main(["finder"]) == 2
    assert "make train" in one_line(capsys)


def test_a_network_that_nobody_knows_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["nonesuch"])
    assert ended.value.code == 2
    assert "nonesuch" in capsys.readouterr().err.splitlines()[-1]


def test_a_run_without_a_checkpoint_is_told_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")
    assert main(["finder", "--run", str(tmp_path), "--out", str(tmp_path / "finder.onnx")]) == 2
    assert "train first" in one_line(capsys)
    assert not list(tmp_path.iterdir())


def checkpoint(name: str, run: Path) -> dict[str, NDArray[Any]]:
    """A checkpoint of the weights that are kept, as a training writes it; the weights."""
    torch = pytest.importorskip("torch")
    with np.load(ROOT / "models" / f"{name}.npz") as kept:
        weights = {key: kept[key] for key in kept.files}
    average = {key: torch.from_numpy(value) for key, value in weights.items()}
    torch.save({"average": average, "views": 7}, run / "last.pt")
    return weights


@pytest.mark.parametrize("name", KEPT)
def test_kept_weights_are_exported_again(name: str, tmp_path: Path) -> None:
    """A checkpoint of the kept weights becomes a file that says what torch says, with the weights beside it."""
    weights = checkpoint(name, tmp_path)
    out, tune = tmp_path / "out" / f"{name}.onnx", tmp_path / "tune"
    out.parent.mkdir()
    tune.mkdir()
    rng = np.random.default_rng(1)
    np.save(tune / "0000.images.npy", rng.integers(0, 255, (5, 160, 112, 3), dtype=np.uint8))
    np.save(tune / "0000.masks.npy", np.full((5, 160, 112), 255, dtype=np.uint8))
    np.save(tune / "0000.labels.npy", np.arange(5))
    more = ["--tune", str(tune)] if NETS[name].beside == "temperature" else []
    assert main([name, "--run", str(tmp_path), "--out", str(out), *more]) == 0
    assert {file.name for file in out.parent.iterdir()} == {out.name, f"{name}.npz"}
    with np.load(out.with_suffix(".npz")) as again:
        assert all(np.array_equal(again[key], value) for key, value in weights.items())
    figures = {"": set[str](), "odds": {"sharp", "bias"}, "temperature": {"temperature"}}
    session = ort.InferenceSession(str(out), providers=["CPUExecutionProvider"])
    assert set(session.get_modelmeta().custom_metadata_map) == figures[NETS[name].beside]


def test_what_differs_from_torch_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    checkpoint("verifier", tmp_path)
    monkeypatch.setattr("scripts.train.export.checked.TOLERANCE", -1.0)
    out = tmp_path / "out" / "verifier.onnx"
    out.parent.mkdir()
    assert main(["verifier", "--run", str(tmp_path), "--out", str(out)]) == 2
    assert "differs from torch" in capsys.readouterr().err.splitlines()[-1]
    assert not list(out.parent.iterdir())


def test_a_checkpoint_of_another_network_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    checkpoint("verifier", tmp_path)
    assert main(["rows", "--run", str(tmp_path), "--out", str(tmp_path / "rows.onnx")]) == 2
    assert "no checkpoint of a RowNet" in one_line(capsys)


def test_the_mean_with_its_own_weights_is_what_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    weights = checkpoint("verifier", tmp_path)
    given = ["verifier", "--run", str(tmp_path), "--out", str(tmp_path / "verifier.onnx"), "--mean"]
    assert main([*given, str(ROOT / "models" / "verifier.npz")]) == 0
    with np.load(tmp_path / "verifier.npz") as again:
        assert all(np.array_equal(again[key], value) for key, value in weights.items())
    capsys.readouterr()
    assert main([*given, str(ROOT / "models" / "rows.npz")]) == 2
    assert "no weights of a VerifyNet" in one_line(capsys)
