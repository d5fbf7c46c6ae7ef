"""The quick look: what its training is told, how it goes on, and how the exported network is judged."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from types import SimpleNamespace

import cv2
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from datasets.files import put
from scripts.building import BuildError
from scripts.train.quick.data import label_path, picture_path
from scripts.train.quick.labels import CARD, HAND, Box, lines_of
from scripts.train.quick.measure import Judged, Looker, judge, main, overlaps
from scripts.train.quick.recipe import LOOK, Spent, checkpoint, read_spent, settings, write_spent
from scripts.train.quick.train import Clock
from scripts.train.quick.train import main as train

ROOT = Path(__file__).resolve().parents[3]
SIZE = (640, 360)


def test_minutes_are_hours_and_paths_are_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    told = settings(Path("pictures"), Path("runs/quick"), 30)
    assert told["time"] == 0.5
    assert told["data"] == str(tmp_path / "pictures" / "data.yaml")
    assert (told["project"], told["name"]) == (str(tmp_path / "runs"), "quick")


def test_nothing_is_fetched_to_begin_with() -> None:
    told = settings(Path("a"), Path("b"), 10)
    assert told["pretrained"] is False
    # the check of mixed precision fetches a network of its own
    assert told["amp"] is False


def test_ultralytics_knows_everything_that_it_is_told() -> None:
    python = ROOT / ".venv-train" / "bin" / "python"
    if not python.exists():
        pytest.skip(".venv-train is not set up")
    code = "import json, sys; from ultralytics.cfg import get_cfg; get_cfg(overrides=json.loads(sys.argv[1]))"
    told = json.dumps(settings(Path("a"), Path("b"), 10))
    done = subprocess.run([python, "-c", code, told], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_what_is_looked_at_is_a_film_in_the_networks_strides() -> None:
    height, width = LOOK
    assert height % 32 == width % 32 == 0
    assert height >= width * 9 / 16 > height - 32


def begun(run: Path) -> None:
    checkpoint(run).parent.mkdir(parents=True)
    checkpoint(run).write_bytes(b"weights")


def test_a_run_that_was_stopped_knows_how_far_it_came(tmp_path: Path) -> None:
    assert read_spent(tmp_path) == Spent()
    begun(tmp_path)
    write_spent(tmp_path, Spent(312.5, 4, 2560))
    assert read_spent(tmp_path) == Spent(312.5, 4, 2560)


@pytest.mark.parametrize("noted", [None, "", "{", '{"hours": 3}', "[1]"])
def test_a_run_that_cannot_tell_is_not_gone_on_with(tmp_path: Path, noted: str | None) -> None:
    begun(tmp_path)
    if noted is not None:
        (tmp_path / "spent.json").write_text(noted)
    with pytest.raises(BuildError, match="train anew"):
        read_spent(tmp_path)


def test_seconds_of_all_starts_count(tmp_path: Path) -> None:
    """Ten minutes asked for, four of them spent in an earlier start: six are left, and epochs are reckoned by all."""
    trainer = SimpleNamespace(
        train_time_start=1000.0, start_epoch=5, epoch=5, train_loader=SimpleNamespace(dataset=range(64))
    )
    clock = Clock(tmp_path, Spent(seconds=240, epochs=5))
    for _ in range(2):
        clock.begin(trainer)
    assert (trainer.train_time_start, trainer.start_epoch) == (760.0, 0)
    clock.keep(trainer)
    begun(tmp_path)
    spent = read_spent(tmp_path)
    assert (spent.epochs, spent.views, spent.done) == (6, 384, False)


def test_training_without_pictures_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train(["--data", str(tmp_path / "none"), "--run", str(tmp_path / "run")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "scripts.train.quick.data" in line
    assert not (tmp_path / "run").exists()


def network(path: Path, rows: list[list[float]]) -> Path:
    """An ONNX file that tells these rows whatever it is shown: left, top, right, bottom, confidence, class."""
    told = np.zeros((1, 300, 6), np.float32)
    told[0, : len(rows)] = np.reshape(rows, (-1, 6))
    shown = helper.make_tensor_value_info("images", TensorProto.FLOAT, [1, 3, *LOOK])
    output = helper.make_tensor_value_info("output0", TensorProto.FLOAT, [1, 300, 6])
    constant = helper.make_tensor("told", TensorProto.FLOAT, told.shape, told.ravel())
    nodes = [
        helper.make_node("ReduceMax", ["images"], ["most"], keepdims=0),
        helper.make_node("Mul", ["most", "none"], ["nothing"]),
        helper.make_node("Add", ["told", "nothing"], ["output0"]),
    ]
    none = helper.make_tensor("none", TensorProto.FLOAT, [], [0.0])
    graph = helper.make_graph(nodes, "quick", [shown], [output], [constant, none])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(path))
    return path


def test_what_the_network_is_shown_is_the_whole_picture_in_its_middle(tmp_path: Path) -> None:
    looker = Looker(network(tmp_path / "net.onnx", []), 1)
    image = np.zeros((360, 640, 3), np.uint8)
    image[..., 2] = 255
    tensor, scale, (left, top) = looker.prepared(image)
    assert tensor.shape == (1, 3, *LOOK) and scale == pytest.approx(0.5)
    # red comes first, grey lies above and below
    assert tensor[0, :, 128, 200].tolist() == [1, 0, 0]
    assert np.allclose(tensor[0, :, :top], 114 / 255) and np.allclose(tensor[0, :, top + 180 :], 114 / 255)
    assert (left, top) == (0, 6)


def test_boxes_are_told_in_px_of_the_picture(tmp_path: Path) -> None:
    rows = [[50, 6 + 50, 100, 6 + 100, 0.9, HAND], [0, 6, 50, 56, 0.2, CARD]]
    looker = Looker(network(tmp_path / "net.onnx", rows), 1)
    (box,) = looker.look(np.zeros((360, 640, 3), np.uint8))
    assert box.kind == HAND
    assert box[1:] == pytest.approx((100, 100, 200, 200))


def test_overlap_of_boxes() -> None:
    a, half, apart = Box(0, 0, 0, 10, 10), Box(0, 5, 0, 15, 10), Box(0, 20, 20, 30, 30)
    assert overlaps([a, apart], [a, half]) == pytest.approx(np.array([[1, 1 / 3], [0, 0]]))


def test_each_thing_is_found_once_and_by_its_own_kind() -> None:
    there = [Box(HAND, 0, 0, 100, 100), Box(CARD, 200, 0, 240, 60), Box(CARD, 300, 0, 340, 60)]
    seen = [
        Box(HAND, 2, 0, 100, 100),
        Box(HAND, 0, 3, 100, 100),
        Box(HAND, 200, 0, 240, 60),
        Box(CARD, 202, 0, 242, 60),
    ]
    judged = Judged()
    judged.count(there, seen)
    hands, cards = (tally.as_json() for tally in judged.tallies)
    assert (hands["there"], hands["told"], hands["both"]) == (1, 3, 1)
    assert (cards["recall"], cards["precision"]) == (0.5, 1.0)


def held(folder: Path, boxes: list[Box]) -> Path:
    """A folder with one picture to measure on."""
    path = picture_path(folder, "tune", 0, 0)
    for made in (path, label_path(path)):
        made.parent.mkdir(parents=True)
    cv2.imwrite(str(path), np.zeros((360, 640, 3), np.uint8))
    put(label_path(path), lines_of(boxes, SIZE))
    return path


def test_figures_are_written_for_people_and_programs(tmp_path: Path) -> None:
    held(tmp_path / "data", [Box(HAND, 100, 100, 200, 200), Box(CARD, 300, 100, 340, 160)])
    net = network(tmp_path / "quick.onnx", [[50, 56, 100, 106, 0.9, HAND]])
    out = tmp_path / "lab" / "quick"
    assert main([str(net), "--data", str(tmp_path / "data"), "--out", str(out)]) == 0
    figures = json.loads(out.with_suffix(".json").read_text())
    assert (figures["hand"]["recall"], figures["carried card"]["recall"]) == (1.0, 0.0)
    assert figures["carried card"]["precision"] is None
    assert figures["look_ms"] > 0 and figures["threads"] == 2
    page = out.with_suffix(".md").read_text()
    assert "| hands | 1 | 1 | 1.000 (" in page and "| carried cards | 1 | 0 | 0.000 (" in page


@pytest.mark.parametrize("broken", ["net", "labels", "picture", "data"])
def test_what_cannot_be_judged_is_named_in_one_line(
    broken: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = held(tmp_path / "data", [Box(HAND, 100, 100, 200, 200)])
    net = network(tmp_path / "quick.onnx", [])
    named = {"net": net, "labels": label_path(picture), "picture": picture, "data": tmp_path / "nothing"}[
        broken
    ]
    if broken != "data":
        named.write_text("0 1 2\n")
    data = named if broken == "data" else tmp_path / "data"
    assert main([str(net), "--data", str(data), "--out", str(tmp_path / "out")]) == 2
    line = capsys.readouterr().err.splitlines()[-1]
    assert str(named) in line and "Traceback" not in line
    assert not (tmp_path / "out.md").exists()


def test_time_is_told_without_the_first_looks(tmp_path: Path) -> None:
    picture = held(tmp_path / "data", [])
    looker = Looker(network(tmp_path / "quick.onnx", []), 1)
    assert len(judge(looker, [picture] * 8).look_ms) == 3
    assert len(judge(looker, [picture]).look_ms) == 1


def test_suppression_keeps_the_best_of_those_that_overlap() -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("ultralytics")
    from scripts.train.quick.ultralytics_here import nms

    boxes = torch.tensor([[0, 0, 10, 10], [1, 0, 11, 10], [20, 0, 30, 10.0]])
    assert nms(boxes, torch.tensor([0.5, 0.9, 0.7]), 0.5).tolist() == [1, 2]
    assert nms(boxes[:0], torch.zeros(0), 0.5).tolist() == []
