"""Writes the trained matcher of whole backs as ONNX, checked against torch, and weights to go on training from."""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from models.back_net import BackNet
from scripts.exporting import export, load_average
from vision.whole_backs import SIZE


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, default=Path("runs/backs"))
    parser.add_argument("--out", type=Path, default=Path("models/backs.onnx"))
    options = parser.parse_args()
    net = BackNet()
    pictures = load_average(net, options.run / "last.pt")
    free = ({0: "n"}, {0: "n"})
    metadata = {"sharp": f"{float(net.sharp):.4f}", "bias": f"{float(net.bias):.4f}"}
    difference = export(net, torch.rand(2, 4, *SIZE), free, ("backs", "vectors"), options.out, metadata)
    print(f"{options.out}: {pictures} backs, differs from torch by {difference:.1g}")


if __name__ == "__main__":
    main()
