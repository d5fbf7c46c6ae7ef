"""Writes the trained row reader as ONNX, checks that it says the same, and keeps weights to go on training from."""

from __future__ import annotations

import torch

from models.row_net import RowNet
from scripts.train.export.checked import command
from vision.rows.band import ROWS


def main() -> None:
    """Command line."""
    command(
        __doc__,
        RowNet(),
        "rows",
        torch.rand(2, 3, ROWS, 320),
        ({0: "n", 3: "columns"}, {0: "n", 2: "steps"}),
        ("band", "edges"),
    )


if __name__ == "__main__":
    main()
