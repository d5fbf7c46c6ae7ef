"""Writes the trained verifier as ONNX, checks that it says the same, and keeps weights to go on training from."""

from __future__ import annotations

import torch

from models.verify_net import VerifyNet
from scripts.train.export.checked import command


def main() -> None:
    """Command line."""
    command(
        __doc__, VerifyNet(), "verifier", torch.rand(3, 5, 128, 96), ({0: "n"}, {0: "n"}), ("cuts", "odds")
    )


if __name__ == "__main__":
    main()
