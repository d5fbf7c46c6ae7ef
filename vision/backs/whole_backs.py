"""How likely two backs are of one design, by all that is seen of them and of the picture's others (models/backs.md)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.trained import open_model, weights_path

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]


class WholeBacks:
    """The network that compares all backs of a picture with one another."""

    def __init__(self, model: Path | None = None, threads: int = 2) -> None:
        # it has a thousand small steps, which take long to open: meanwhile the rest of the eye gets ready
        opening = ThreadPoolExecutor(1)
        path = weights_path("backs.onnx") if model is None else model
        self._opened = opening.submit(open_model, "backs.onnx", path, threads)
        opening.shutdown(wait=False)

    def odds(self, crops: Pixels, masks: Pixels) -> Floats:
        """(n, n) log odds that two of the backs of one picture are of one design.

        (n, 160, 112, 3) BGR crops of `vision.faces.reader.rectify`, and their (n, 160, 112) masks, 255 = the card's own
        visible part. What others show of a design helps to tell whether two cards that share little are of it.
        """
        if not len(crops):
            return np.zeros((0, 0))
        seen = (masks > 127).astype(np.float32)
        backs = np.concatenate([crops.astype(np.float32) / 255, seen[..., None]], axis=3).transpose(
            0, 3, 1, 2
        )
        (odds,) = self._opened.result().run(None, {"backs": np.ascontiguousarray(backs)})
        return np.asarray(odds[1], dtype=np.float64)
