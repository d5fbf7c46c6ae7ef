"""A closer look at what may be a card: a network sees it from above, with what is seen of it and of others.

It was shown what the finder took for cards, rightly and by mistake (models/verifier.md), and is asked where other signs
leave a doubt (`vision/scene/belief.py`).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.detect.placing import cuts_of
from vision.found import Found
from vision.scene.stacking import stack_up
from vision.trained import open_model

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]

#: Log odds beyond this say no more.
MOST = 6.0
#: Print looks like spread backs to the finder. Where faces show on more than this share of what it takes for spread
#: backs, those are left out of which the verifier says less than this.
FACES, NO_BACK = 0.02, -3.0


class Verifier:
    """The network."""

    def __init__(self, model: Path | None = None, threads: int = 2, batch: int = 32) -> None:
        self._session = open_model("verifier.onnx", model, threads)
        self._batch = batch

    def odds(self, cuts: Pixels) -> Floats:
        """(n,) log odds that a card lies there, of (n, 128, 96, 5) cuts (`vision.detect.placing.cuts_of`)."""
        parts = [np.zeros(0)]
        for first in range(0, len(cuts), self._batch):
            part = cuts[first : first + self._batch].transpose(0, 3, 1, 2).astype(np.float32) / 255
            (told,) = self._session.run(None, {"cuts": part})
            parts.append(np.asarray(told[:, 0], dtype=np.float64))
        return np.clip(np.concatenate(parts), -MOST, MOST)

    def cleared(self, image: Pixels, found: Found) -> Found:
        """`found` in `image` ((H, W, 3) BGR); of what seems to be spread backs with faces among them, the likely ones."""
        backs = found.back > 0.5
        if not found.of_backs() or np.average(~backs, weights=found.support) <= FACES:
            return found
        stacking = stack_up(found, image.shape[1], image.shape[0])
        rows = np.flatnonzero(backs)
        odds = self.odds(
            cuts_of(image, found.corners, stacking.shown, stacking.step, [int(row) for row in rows])
        )
        return found.only(np.setdiff1d(np.arange(len(found)), rows[odds < NO_BACK]))
