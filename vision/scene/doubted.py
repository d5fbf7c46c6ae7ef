"""What may be a card of a spread and was not taken for one.

Who counts the cards of a picture wants to know how much the count leaves open, and where. Of what was weighed together
(`vision/scene/sifting.py`) most is a card found once more, a little turned or pushed; what lies where no card is reported
is told.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.found import Found
from vision.geometry.polygons import oriented_iou
from vision.layout import Doubted, SeenCard

Floats = NDArray[np.float64]

#: What is less likely a card is not told; nor what shares so much (IoU) with a card that is reported, or with something
#: likelier that is told.
LEAST, SAME = 0.02, 0.6


def doubted(found: Found, cards: Sequence[SeenCard]) -> list[Doubted]:
    """Of what was weighed in a picture, what lies where none of its `cards` is; the likeliest first."""
    told: list[Doubted] = []
    there = [card.corners for card in cards]
    for row in np.argsort(-found.weights, kind="stable"):
        chance, corners = float(found.weights[row]), found.weighed[row]
        if chance < LEAST:
            break
        if not any(oriented_iou(corners, other) > SAME for other in _near(corners, there)):
            told.append(Doubted(corners, chance))
            there.append(corners)
    return told


def _near(corners: Floats, others: Sequence[Floats]) -> list[Floats]:
    """Those of the others that may share that much."""
    middle, reach = corners.mean(axis=0), float(np.linalg.norm(corners[1] - corners[0]))
    return [other for other in others if float(np.abs(other.mean(axis=0) - middle).max()) < reach]
