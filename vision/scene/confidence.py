"""How sure it is that a found card is one: a logistic model of what speaks for it.

Fitted by scripts/calibrate/finder.py on rendered windows of the tuning decks, which the network was not trained on.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.found import Found
from vision.scene.stacking import Stacking

Floats = NDArray[np.float64]

#: Weights of `features`, and constants: of what the finder found, and the finder of spread backs.
WEIGHTS = np.array([[0.123, 0.924, -0.755, 1.188, 2.421], [0.106, -1.13, -0.578, 1.283, 1.478]])
CONSTANTS = np.array([1.534, -2.417])


def features(found: Found, stacking: Stacking) -> Floats:
    """(n, 5): log odds of the cells, log scatter and log expected error of the votes, log visible share, fill.

    Fill is how much of the part that should be visible its cells cover.
    """
    if not len(found):
        return np.zeros((0, 5))
    chance = np.clip(found.evidence[:, 0], 1e-4, 1 - 1e-4)
    area = 4 * np.linalg.norm(found.long, axis=1) * np.linalg.norm(found.short, axis=1)
    shown = np.maximum(stacking.fraction * area, found.cell_px**2)
    return np.column_stack(
        [
            np.log(chance / (1 - chance)),
            np.log(found.evidence[:, 1] + 0.005),
            np.log(found.evidence[:, 2] + 0.005),
            np.log(np.clip(stacking.fraction, 0.01, 1.0)),
            np.minimum(found.support * found.cell_px**2 / shown, 1.5),
        ]
    )


def confidence(found: Found, stacking: Stacking) -> Floats:
    """(n,) probability that each found card is a card."""
    by = int(found.of_spread)
    modelled = 1 / (1 + np.exp(-(features(found, stacking) @ WEIGHTS[by] + CONSTANTS[by])))
    return np.asarray(np.where(np.isnan(found.given), modelled, found.given))
