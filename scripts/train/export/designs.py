"""Writes the trained back matcher as ONNX, checks that it says the same, and keeps weights to go on training from."""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from models.design_net import DesignNet
from scripts.train.export.checked import export_matcher
from vision.backs.strips import STRIP


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, default=Path("runs/designs"))
    parser.add_argument("--out", type=Path, default=Path("models/designs.onnx"))
    options = parser.parse_args()
    print(export_matcher(DesignNet(), options.run, torch.rand(2, 3, *STRIP), "strips", options.out))


if __name__ == "__main__":
    main()
