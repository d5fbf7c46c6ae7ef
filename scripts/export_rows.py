"""Writes the trained row reader as ONNX, checks that it says the same, and keeps weights to go on training from."""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from models.row_net import RowNet
from scripts.exporting import export, load_average
from vision.band import ROWS


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, default=Path("runs/rows"))
    parser.add_argument("--out", type=Path, default=Path("models/rows.onnx"))
    options = parser.parse_args()
    net = RowNet()
    views = load_average(net, options.run / "last.pt")
    free = ({0: "n", 3: "columns"}, {0: "n", 2: "steps"})
    difference = export(net, torch.rand(2, 3, ROWS, 320), free, ("band", "edges"), options.out)
    print(f"{options.out}: {views} views, differs from torch by {difference:.1g}")


if __name__ == "__main__":
    main()
