"""Turns a trained reader into ONNX: calibrates its temperature on decks held out for tuning, checks the outputs."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import torch
from numpy.typing import NDArray
from torch.nn import functional

from models.reader_net import ReaderNet

Floats = NDArray[np.float64]
#: What a weight of the network may differ between torch and ONNX Runtime, in logits.
TOLERANCE = 1e-3


def load_net(checkpoint: Path) -> ReaderNet:
    """The averaged weights of a checkpoint of `train_reader.py`, ready to read."""
    net = ReaderNet()
    net.load_state_dict(torch.load(checkpoint, weights_only=False)["average"])
    return net.eval()


def both_ways(net: ReaderNet, images: NDArray[np.uint8], masks: NDArray[np.uint8]) -> torch.Tensor:
    """(n, 53) logits as `vision.reader.Reader` has them: averaged over both ways round."""
    parts = []
    with torch.no_grad():
        for start in range(0, len(images), 64):
            part = slice(start, start + 64)
            both = np.concatenate([images[part].transpose(0, 3, 1, 2), masks[part][:, None]], axis=1)
            x = torch.from_numpy(both).float() / 255
            parts.append((net(x) + net(x.flip(2, 3))) / 2)
    return torch.cat(parts)


def fit_temperature(logits: torch.Tensor, labels: torch.Tensor) -> float:
    """The temperature with the least cross entropy, of a fine grid."""
    grid = np.exp(np.linspace(np.log(0.3), np.log(4.0), 120))
    losses = [float(functional.cross_entropy(logits / t, labels)) for t in grid]
    return float(grid[int(np.argmin(losses))])


def export(net: ReaderNet, path: Path, metadata: dict[str, str]) -> None:
    """Writes the network with a free batch size, opset 17."""
    example = torch.zeros(2, 4, 160, 112)
    torch.onnx.export(
        net,
        (example,),
        str(path),
        input_names=["crops"],
        output_names=["logits"],
        dynamic_axes={"crops": {0: "n"}, "logits": {0: "n"}},
        opset_version=17,
        dynamo=False,
    )
    model = onnx.load(str(path))
    onnx.helper.set_model_props(model, metadata)
    onnx.save(model, str(path))


def keep_weights(net: ReaderNet, path: Path) -> None:
    """The weights in half precision, to go on training from."""
    kept = {
        name: value.half() if value.is_floating_point() else value for name, value in net.state_dict().items()
    }
    np.savez_compressed(path, **{name: value.numpy() for name, value in kept.items()})


def largest_difference(net: ReaderNet, path: Path, crops: torch.Tensor) -> float:
    """Between the logits of torch and of ONNX Runtime."""
    session = ort.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    with torch.no_grad():
        ours = net(crops).numpy()
    theirs = session.run(None, {"crops": crops.numpy()})[0]
    return float(np.abs(ours - theirs).max())


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--tune", type=Path, required=True, help="folder of shards of the tuning decks")
    parser.add_argument("--out", type=Path, default=Path("models/reader.onnx"))
    options = parser.parse_args()
    net = load_net(options.checkpoint)
    logits, labels = [], []
    for path in sorted(options.tune.glob("*.labels.npy")):
        images, masks = (
            np.load(path.with_name(path.name.replace("labels", kind))) for kind in ("images", "masks")
        )
        logits.append(both_ways(net, images, masks))
        labels.append(torch.from_numpy(np.load(path).astype(np.int64)))
    temperature = fit_temperature(torch.cat(logits), torch.cat(labels))
    export(net, options.out, {"temperature": f"{temperature:.4f}"})
    difference = largest_difference(net, options.out, torch.rand(3, 4, 160, 112))
    if difference > TOLERANCE:
        raise SystemExit(f"{options.out}: differs from torch by {difference:.2g} in a logit")
    keep_weights(net, options.out.with_suffix(".npz"))
    print(f"{options.out}: temperature {temperature:.3f}, differs from torch by {difference:.1g}")


if __name__ == "__main__":
    main()
