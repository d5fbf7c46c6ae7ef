"""Networks in eight bits: what they say, what they keep, and whose ranges they have."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from scripts.train import quantize
from scripts.train.quantize import BATCHES, KINDS, ROWS, Fed, Listening, heard
from tests.vision.detect.test_placing import picture

Floats = NDArray[np.float32]

#: Weights of seven bits; of eight, sums of two products overflow 16 bits on processors without VNNI.
MOST_WEIGHT = 64
SIDE, CHANNELS = 8, 6


def network(path: Path) -> Path:
    """Two convolutions with a rectifier between, channels of different sizes, and a temperature beside them."""
    rng = np.random.default_rng(3)
    sizes = np.array([0.5, 0.7, 1.0, 1.2, 1.6, 2.0], np.float32)[:, None, None, None]
    first = (rng.normal(size=(CHANNELS, 3, 3, 3)) * sizes).astype(np.float32)
    second = (rng.normal(size=(2, CHANNELS, 1, 1)) / sizes[:, 0, 0, 0][None, :, None, None]).astype(
        np.float32
    )
    graph = helper.make_graph(
        [
            helper.make_node("Conv", ["x", "first"], ["a"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
            helper.make_node("Relu", ["a"], ["b"]),
            helper.make_node("Conv", ["b", "second"], ["y"], kernel_shape=[1, 1]),
        ],
        "small",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3, SIDE, SIDE])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 2, SIDE, SIDE])],
        [numpy_helper.from_array(first, "first"), numpy_helper.from_array(second, "second")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    helper.set_model_props(model, {"temperature": "1.25"})
    onnx.save(model, str(path))
    return path


def crops(count: int, most: float = 1.0, seed: int = 1) -> Floats:
    """(count, 3, SIDE, SIDE) of 0 to `most`."""
    return np.random.default_rng(seed).uniform(0, most, (count, 3, SIDE, SIDE)).astype(np.float32)


def said(path: Path, x: Floats) -> Floats:
    """What a network says."""
    return np.asarray(ort.InferenceSession(str(path)).run(None, {"x": x})[0], np.float32)


def small(folder: Path, most: float = 1.0) -> tuple[Path, Path]:
    """A network, and the same in eight bits with ranges from crops of 0 to `most`."""
    plain, out = network(folder / "plain.onnx"), folder / "small.onnx"
    quantize.quantize(plain, [{"x": crops(4, most, seed)} for seed in range(8)], out)
    return plain, out


def test_says_nearly_the_same_of_what_it_was_not_shown(tmp_path: Path) -> None:
    plain, out = small(tmp_path)
    x = crops(16, seed=99)
    before, after = said(plain, x), said(out, x)
    assert 0 < np.abs(after - before).mean() < 0.03 * before.std()


def test_weights_have_seven_bits_and_a_scale_for_every_channel(tmp_path: Path) -> None:
    _, out = small(tmp_path)
    arrays = {t.name: numpy_helper.to_array(t) for t in onnx.load(str(out)).graph.initializer}
    weights = [a for a in arrays.values() if a.dtype == np.int8 and a.ndim == 4]
    assert len(weights) == 2
    for array in weights:
        largest = np.abs(array.astype(int)).reshape(len(array), -1).max(axis=1)
        # every channel uses the whole of its range, however small it is beside the others, and no more
        assert ((largest >= MOST_WEIGHT - 1) & (largest <= MOST_WEIGHT)).all()


def test_what_is_written_beside_the_network_is_kept(tmp_path: Path) -> None:
    _, out = small(tmp_path)
    assert ort.InferenceSession(str(out)).get_modelmeta().custom_metadata_map == {"temperature": "1.25"}


def test_ranges_are_those_of_what_was_heard(tmp_path: Path) -> None:
    (tmp_path / "narrow").mkdir()
    (tmp_path / "wide").mkdir()
    plain, narrow = small(tmp_path / "narrow")
    _, wide = small(tmp_path / "wide", most=4.0)
    x = crops(16, most=4.0, seed=99)
    before = said(plain, x)
    off = [np.abs(said(path, x) - before).mean() for path in (narrow, wide)]
    assert off[0] > 5 * off[1]


def test_a_network_in_eight_bits_is_not_made_smaller_again(tmp_path: Path) -> None:
    _, out = small(tmp_path)
    before = out.read_bytes()
    with pytest.raises(SystemExit, match=r"small\.onnx.*export it from its training again"):
        quantize.quantize(out, [{"x": crops(4)}], out)
    assert out.read_bytes() == before


def test_batches_come_one_after_the_other_and_end() -> None:
    fed = Fed([{"x": crops(1)}, {"x": crops(2)}])
    assert [len(feed["x"]) if (feed := fed.get_next()) else None for _ in range(3)] == [1, 2, None]


def test_a_large_batch_is_heard_in_part_and_answered_whole(tmp_path: Path) -> None:
    plain, x = network(tmp_path / "plain.onnx"), crops(3 * ROWS)
    ear = Listening(ort.InferenceSession(str(plain)))
    assert np.array_equal(ear.run(None, {"x": x})[0], said(plain, x))
    assert np.array_equal(ear.feeds[0]["x"], x[:ROWS])
    assert ear.get_modelmeta().custom_metadata_map == {"temperature": "1.25"}


def test_every_network_is_heard_and_none_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def drawn(_: object, number: int) -> SimpleNamespace:
        asked.append(number)
        return SimpleNamespace(image=picture())

    monkeypatch.setattr(quantize, "draw", drawn)
    feeds = heard(Path(__file__).parents[3] / "models", pictures=1, seed=1)
    assert asked == [0] * len(KINDS)
    assert {"finder", "placer", "reader"} <= feeds.keys()
    assert feeds["finder"] and feeds["reader"]
    assert all(len(batches) <= BATCHES for batches in feeds.values())
    # the crops that the reader is given, not those of another
    assert {feed["crops"].shape[1:] for feed in feeds["reader"]} == {(4, 160, 112)}
