"""Writes the trained finder as ONNX, checks that it says the same, and keeps weights to go on training from."""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from models.finder_net import FinderNet
from scripts.train.export.checked import drawn_towards, export, load_average


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, default=Path("runs/finder"))
    parser.add_argument("--out", type=Path, default=Path("models/finder.onnx"))
    parser.add_argument(
        "--mean", type=Path, help="weights (*.npz) to take the mean with, as those it began from"
    )
    options = parser.parse_args()
    net = FinderNet()
    views = load_average(net, options.run / "last.pt")
    if options.mean is not None:
        drawn_towards(net, options.mean)
    free = ({2: "height", 3: "width"}, {2: "rows", 3: "columns"})
    difference = export(net, torch.rand(1, 3, 128, 160), free, ("image", "cells"), options.out)
    print(f"{options.out}: {views} views, differs from torch by {difference:.1g}")


if __name__ == "__main__":
    main()
