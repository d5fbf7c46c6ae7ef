"""How likely two backs are of one design, by all that is seen of them and of the picture's others (models/backs.md)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.trained import open_model

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]


class WholeBacks:
    """The network that compares all backs of a picture with one another."""

    def __init__(self, model: Path | None = None, threads: int = 2) -> None:
        self._session = open_model("backs.onnx", model, threads)

    def odds(self, crops: Pixels, masks: Pixels) -> Floats:
        """(n, n) log odds that two of the backs of one picture are of one design.

        (n, 160, 112, 3) BGR crops of `vision.reader.rectify`, and their (n, 160, 112) masks, 255 = the card's own
        visible part. What others show of a design helps to tell whether two cards that share little are of it.
        """
        if not len(crops):
            return np.zeros((0, 0))
        seen = (masks > 127).astype(np.float32)
        backs = np.concatenate([crops.astype(np.float32) / 255, seen[..., None]], axis=3).transpose(
            0, 3, 1, 2
        )
        (odds,) = self._session.run(None, {"backs": np.ascontiguousarray(backs)})
        return np.asarray(odds[1], dtype=np.float64)
