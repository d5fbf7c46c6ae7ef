"""How likely two backs are of one design, from all that is seen of them (models/backs.md)."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.trained import open_model

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]

#: Rows and columns that the network is given of a card.
SIZE = (80, 56)


def reduced(crops: Pixels, masks: Pixels) -> tuple[Pixels, Pixels]:
    """(n, H, W, 3) crops and (n, H, W) masks, 255 = the card's own visible part, in the network's size."""
    size = SIZE[::-1]
    small = [cv2.resize(crop, size, interpolation=cv2.INTER_AREA) for crop in crops]
    shown = [cv2.resize(mask, size, interpolation=cv2.INTER_AREA) > 127 for mask in masks]
    return np.asarray(np.stack(small), dtype=np.uint8), np.stack(shown) * np.uint8(255)


class WholeBacks:
    """The network that makes vectors of backs."""

    def __init__(self, model: Path | None = None, threads: int = 2) -> None:
        self._session = open_model("backs.onnx", model, threads)
        metadata = self._session.get_modelmeta().custom_metadata_map
        self._sharp, self._bias = float(metadata["sharp"]), float(metadata["bias"])

    def odds(self, crops: Pixels, masks: Pixels) -> Floats:
        """(n, n) log odds that two of the backs of one picture, (n, H, W, 3) crops and their masks, are of one design.

        A back need not be the same upside down: every back is compared both ways round, and the better way counts.
        """
        small, seen = reduced(crops, masks)
        both = np.concatenate([small, seen[..., None]], axis=3).transpose(0, 3, 1, 2)
        turned = np.concatenate([both, both[:, :, ::-1, ::-1]]).astype(np.float32) / 255
        (vectors,) = self._session.run(None, {"backs": turned})
        up, down = np.split(vectors.astype(np.float64), 2)
        alike, across = (up @ up.T + down @ down.T) / 2, (up @ down.T + down @ up.T) / 2
        return np.asarray(self._sharp * np.maximum(alike, across) + self._bias)
