"""Writes the finder of spread backs, both its looks, as ONNX, checks that it says the same, and keeps its weights."""

from __future__ import annotations

import torch

from models.second_look import SecondLook
from scripts.train.export.checked import command


def main() -> None:
    """Command line."""
    command(
        __doc__,
        SecondLook(),
        "spreads",
        torch.rand(1, 3, 128, 160),
        ({2: "height", 3: "width"}, {2: "rows", 3: "columns"}),
        ("image", "cells"),
        half=True,
    )


if __name__ == "__main__":
    main()
