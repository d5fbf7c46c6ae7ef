"""Writes the trained matcher of whole backs as ONNX, checked against torch, and weights to go on training from."""

from __future__ import annotations

import torch

from models.back_net import COLUMNS, ROWS, BackNet
from scripts.train.export.checked import command


def main() -> None:
    """Command line."""
    free = {0: "n"}, {1: "n", 2: "n"}
    command(__doc__, BackNet(), "backs", torch.rand(3, 4, ROWS, COLUMNS), free, ("backs", "odds"))


if __name__ == "__main__":
    main()
