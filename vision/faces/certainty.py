"""How sure is a reading? The chance that a card's face is what it was read as, after everything that was done to read it.

The reader is calibrated on crops of single cards; in a picture some lie less exactly, and some were read again.
Fitted by scripts/calibrate/reading.py on pictures drawn with the tuning decks.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.layout import SeenCard

Floats = NDArray[np.float64]

#: Weights of `features`, and the constant. The first two say nearly the same, and the fit, left to itself, takes one from
#: the other; so their sum is the fit's, and a rival counts a little.
WEIGHTS = np.array([0.793, 0.1, 0.424])
CONSTANT = 1.135
#: Log odds above this are too low, since readings that are given so much are nearly always right: so they count more.
ABOVE, MORE = 3.4, 1.45


def features(cards: Sequence[SeenCard]) -> Floats:
    """(n, 3) of cards that were read: log odds of the best face, and of it against the next; log visible share."""
    rows = []
    for card in cards:
        assert card.face_probabilities is not None
        second, best = np.sort(card.face_probabilities)[-2:]
        rows.append(
            (_odds(best), _odds(best / (best + second)), float(np.log(max(card.visible_fraction, 0.02))))
        )
    return np.array(rows, dtype=np.float64).reshape(-1, len(WEIGHTS))


def settle(cards: Sequence[SeenCard]) -> None:
    """Says of every face that was named how sure it is, in place; its probabilities stay as they were read."""
    named = [card for card in cards if card.face is not None and card.face_probabilities is not None]
    odds = features(named) @ WEIGHTS + CONSTANT
    chances = 1 / (1 + np.exp(-(odds + MORE * np.maximum(odds - ABOVE, 0))))
    for card, chance in zip(named, chances, strict=True):
        card.face_confidence = float(chance)


def _odds(chance: float) -> float:
    kept = float(np.clip(chance, 0.0001, 0.9999))
    return float(np.log(kept / (1 - kept)))
