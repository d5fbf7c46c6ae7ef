"""How likely two backs are of one design, from the strips along their long edges (models/designs.md)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.backs.strips import edge_strips
from vision.layout import CARD_HEIGHT_MM, CARD_WIDTH_MM
from vision.trained import open_model

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]


class Designs:
    """The network that makes vectors of strips."""

    def __init__(self, model: Path | None = None, threads: int = 2) -> None:
        self._session = open_model("designs.onnx", model, threads)
        metadata = self._session.get_modelmeta().custom_metadata_map
        self._sharp, self._bias = float(metadata["sharp"]), float(metadata["bias"])

    def odds(self, crops: Pixels, masks: Pixels) -> Floats:
        """(n, n) log odds that two of (n, H, W, 3) crops of backs are of one design; NaN where no strips can be compared.

        A back that shows both its edges may be compared by either: the better one counts, for a design need not be
        the same upside down. Of those that lie one behind the other the short edges show: they are compared with one
        another.
        """
        long = self._odds(crops, masks, CARD_WIDTH_MM)
        turned = np.rot90(crops, axes=(1, 2)), np.rot90(masks, axes=(1, 2))
        short = self._odds(*turned, CARD_HEIGHT_MM)
        return np.where(np.isnan(long), short, long)

    def _odds(self, crops: Pixels, masks: Pixels, width_mm: float) -> Floats:
        """The same by the edges at the left and at the right of crops that show `width_mm` between them."""
        strips, seen = edge_strips(crops, masks, width_mm)
        flat = strips.reshape(-1, *strips.shape[2:]).transpose(0, 3, 1, 2).astype(np.float32) / 255
        (vectors,) = self._session.run(None, {"strips": flat})
        likeness = self._sharp * (vectors @ vectors.T).astype(np.float64) + self._bias
        known = seen.reshape(-1)
        likeness[~known] = -np.inf
        likeness[:, ~known] = -np.inf
        best = likeness.reshape(len(crops), 2, len(crops), 2).max(axis=(1, 3))
        return np.where(np.isfinite(best), best, np.nan)
