"""Writes the trained sifter as ONNX, checks that it says the same, and keeps weights to go on training from."""

from __future__ import annotations

import torch

from models.sift_net import SiftNet
from scripts.train.export.checked import command


def main() -> None:
    """Command line."""
    rows = torch.tensor([0, 1, 2, 1]), torch.tensor([1, 0, 1, 2])
    example = (torch.randn(3, 18), *rows, torch.randn(4, 12))
    each, pair = {0: "n"}, {0: "m"}
    names = ("cards", "one", "other", "pairs", "odds")
    command(__doc__, SiftNet(), "sifter", example, (each, pair, pair, pair, each), names)


if __name__ == "__main__":
    main()
