"""Makes networks of the eye smaller and faster: convolutions in eight bits, ranges as the eye meets them.

    python -m scripts.train.quantize reader placer

The eye looks at pictures drawn with the tuning decks, and what a network is given there tells the ranges of its
activations. Weights have seven bits, for processors without VNNI add products of bytes in 16 bits, which eight would
overflow ("reduced range" in ONNX Runtime's documentation of quantization).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
import onnx
import onnxruntime as ort
from numpy.typing import NDArray
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process
from tqdm import tqdm

from datasets.sets import draw
from scripts.build.measured import SETS
from scripts.building import positive
from vision.eye import Eye

#: Sets of scripts/measure/eyes that are drawn, each of `--pictures` pictures.
KINDS = ("tables", "far", "few", "some", "leftovers", "tops")
NAMES = ("finder", "placer", "reader", "rows", "designs", "backs")
#: Batches that a network's ranges are taken from, and how many of a batch's rows.
BATCHES, ROWS = 96, 16

Feed = Mapping[str, NDArray[np.float32]]


class Fed(CalibrationDataReader):
    """What a network was given, one batch after the other."""

    def __init__(self, feeds: list[Feed]) -> None:
        self._left: Iterator[Feed] = iter(feeds)

    def get_next(self) -> Feed | None:  # type: ignore[override]
        """The next batch, None after the last."""
        return next(self._left, None)


class Listening:
    """A session that keeps what it is given."""

    def __init__(self, session: ort.InferenceSession) -> None:
        self._session, self.feeds = session, list[Feed]()

    def run(self, outputs: Any, feed: Feed, *options: Any) -> Any:
        """As the session does."""
        self.feeds.append({name: values[:ROWS] for name, values in feed.items()})
        return self._session.run(outputs, feed, *options)

    def get_modelmeta(self) -> Any:
        """As the session does."""
        return self._session.get_modelmeta()


def heard(models: Path, pictures: int, seed: int) -> dict[str, list[Feed]]:
    """What every network is given while the eye looks at drawn pictures of the tuning decks, evenly chosen batches."""
    ears: dict[str, Listening] = {}
    plain = ort.InferenceSession

    def listen(path: str, *settings: Any, **named: Any) -> Any:
        ears[Path(path).stem] = Listening(plain(path, *settings, **named))
        return ears[Path(path).stem]

    wanted = [SETS[kind].pictures("tune", seed, pictures) for kind in KINDS]
    # some are opened when they are first asked
    with patch("vision.trained.ort.InferenceSession", listen):
        eye = Eye(models)
        for number in tqdm(range(pictures * len(wanted)), desc="pictures"):
            eye.see(draw(wanted[number % len(wanted)], number // len(wanted)).image)
    return {
        name: [
            ear.feeds[i] for i in np.linspace(0, len(ear.feeds) - 1, min(BATCHES, len(ear.feeds))).astype(int)
        ]
        for name, ear in ears.items()
    }


def quantize(model: Path, feeds: list[Feed], out: Path) -> None:
    """Writes the network with convolutions in eight bits; its metadata are kept."""
    kept = onnx.load(str(model))
    if any(node.op_type == "QuantizeLinear" for node in kept.graph.node):
        raise SystemExit(f"{model}: has eight bits already; export it from its training again first")
    with TemporaryDirectory() as folder:
        ready = Path(folder) / "ready.onnx"
        quant_pre_process(model, ready, skip_symbolic_shape=True)
        quantize_static(
            ready,
            out,
            Fed(feeds),
            quant_format=QuantFormat.QDQ,
            op_types_to_quantize=["Conv"],
            per_channel=True,
            reduce_range=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
        )
    written = onnx.load(str(out))
    onnx.helper.set_model_props(written, {entry.key: entry.value for entry in kept.metadata_props})
    onnx.save(written, str(out))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("networks", nargs="+", choices=NAMES)
    parser.add_argument(
        "--models", type=Path, default=Path("models"), help="folder with the networks, *.onnx"
    )
    parser.add_argument("--out", type=Path, default=Path("models"), help="folder for those in eight bits")
    parser.add_argument("--pictures", type=positive, default=4, help="of every kind")
    parser.add_argument("--seed", type=int, default=9901)
    options = parser.parse_args()
    feeds = heard(options.models, options.pictures, options.seed)
    options.out.mkdir(parents=True, exist_ok=True)
    for name in options.networks:
        quantize(options.models / f"{name}.onnx", feeds[name], options.out / f"{name}.onnx")
        print(f"{options.out / name}.onnx: from {len(feeds[name])} batches")


if __name__ == "__main__":
    main()
