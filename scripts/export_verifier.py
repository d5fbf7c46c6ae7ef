"""Writes the trained verifier as ONNX, checks that it says the same, and keeps weights to go on training from."""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from models.verify_net import VerifyNet
from scripts.exporting import export, load_average


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, default=Path("runs/verifier"))
    parser.add_argument("--out", type=Path, default=Path("models/verifier.onnx"))
    options = parser.parse_args()
    net = VerifyNet()
    views = load_average(net, options.run / "last.pt")
    free = ({0: "n"}, {0: "n"})
    difference = export(net, torch.rand(3, 5, 128, 96), free, ("cuts", "odds"), options.out)
    print(f"{options.out}: {views} views, differs from torch by {difference:.1g}")


if __name__ == "__main__":
    main()
