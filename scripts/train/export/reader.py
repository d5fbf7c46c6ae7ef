"""Turns a trained reader into ONNX: calibrates its temperature on decks held out for tuning, checks the outputs."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from models.reader_net import ReaderNet
from scripts.train.export.checked import drawn_towards, export, load_average


def both_ways(net: ReaderNet, images: NDArray[np.uint8], masks: NDArray[np.uint8]) -> torch.Tensor:
    """(n, 53) logits as `vision.faces.reader.Reader` has them: averaged over both ways round."""
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


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--tune", type=Path, required=True, help="folder of shards of the tuning decks")
    parser.add_argument("--out", type=Path, default=Path("models/reader.onnx"))
    parser.add_argument(
        "--mean", type=Path, help="weights (*.npz) to take the mean with, as those it began from"
    )
    options = parser.parse_args()
    net = ReaderNet()
    load_average(net, options.checkpoint)
    if options.mean is not None:
        drawn_towards(net, options.mean)
    logits, labels = [], []
    for path in sorted(options.tune.glob("*.labels.npy")):
        images, masks = (
            np.load(path.with_name(path.name.replace("labels", kind))) for kind in ("images", "masks")
        )
        logits.append(both_ways(net, images, masks))
        labels.append(torch.from_numpy(np.load(path).astype(np.int64)))
    temperature = fit_temperature(torch.cat(logits), torch.cat(labels))
    free = ({0: "n"}, {0: "n"})
    metadata = {"temperature": f"{temperature:.4f}"}
    difference = export(net, torch.rand(3, 4, 160, 112), free, ("crops", "logits"), options.out, metadata)
    print(f"{options.out}: temperature {temperature:.3f}, differs from torch by {difference:.1g}")


if __name__ == "__main__":
    main()
