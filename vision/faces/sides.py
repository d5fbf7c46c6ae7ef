"""Which side does a card show? What the finder took it for, weighed against what can be read on it.

Court cards look like backs to the finder, strips of them above all, and some backs look like pips; what is read on
them tells. Fitted by scripts/calibrate/reading.py on pictures drawn with the tuning decks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Weights of `features`, and the constant.
WEIGHTS = np.array([0.743, -0.557, -3.63, 0.593])
CONSTANT = 2.404


def features(back: Floats, chances: Floats, fraction: Floats) -> Floats:
    """(n, 4): log odds of a back (finder) and of a readable face, chance of the best face, log visible share.

    `back` (n,) probability, `chances` (n, 52) of faces, `fraction` (n,) visible share.
    """
    shown = np.log(np.maximum(fraction, 0.02))
    return np.column_stack([_odds(back), _odds(chances.sum(axis=1)), chances.max(axis=1), shown])


def odds_of_back(back: Floats, chances: Floats, fraction: Floats) -> Floats:
    """(n,) log odds that a card shows its back; those of cards that must show one side may be added up."""
    return np.asarray(features(back, chances, fraction) @ WEIGHTS + CONSTANT)


def _odds(chance: Floats) -> Floats:
    kept = np.clip(chance, 0.003, 0.997)
    return np.asarray(np.log(kept / (1 - kept)))
