"""How likely two backs are of one design, from the strips along their long edges (models/designs.md)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.strips import edge_strips
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
        the same upside down.
        """
        strips, seen = edge_strips(crops, masks)
        flat = strips.reshape(-1, *strips.shape[2:]).transpose(0, 3, 1, 2).astype(np.float32) / 255
        (vectors,) = self._session.run(None, {"strips": flat})
        likeness = self._sharp * (vectors @ vectors.T).astype(np.float64) + self._bias
        known = seen.reshape(-1)
        likeness[~known] = -np.inf
        likeness[:, ~known] = -np.inf
        best = likeness.reshape(len(crops), 2, len(crops), 2).max(axis=(1, 3))
        return np.where(np.isfinite(best), best, np.nan)
