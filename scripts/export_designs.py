"""Writes the trained back matcher as ONNX, checks that it says the same, and keeps weights to go on training from."""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from models.design_net import DesignNet
from scripts.exporting import export, load_average
from vision.strips import STRIP


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, default=Path("runs/designs"))
    parser.add_argument("--out", type=Path, default=Path("models/designs.onnx"))
    options = parser.parse_args()
    net = DesignNet()
    pictures = load_average(net, options.run / "last.pt")
    free = ({0: "n"}, {0: "n"})
    metadata = {"sharp": f"{float(net.sharp):.4f}", "bias": f"{float(net.bias):.4f}"}
    difference = export(net, torch.rand(2, 3, *STRIP), free, ("strips", "vectors"), options.out, metadata)
    print(f"{options.out}: {pictures} strips, differs from torch by {difference:.1g}")


if __name__ == "__main__":
    main()
