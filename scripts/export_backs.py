"""Writes the trained matcher of whole backs as ONNX, checked against torch, and weights to go on training from."""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from models.back_net import BackNet
from scripts.exporting import export_matcher
from vision.whole_backs import SIZE


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, default=Path("runs/backs"))
    parser.add_argument("--out", type=Path, default=Path("models/backs.onnx"))
    options = parser.parse_args()
    print(export_matcher(BackNet(), options.run, torch.rand(2, 4, *SIZE), "backs", options.out))


if __name__ == "__main__":
    main()
