"""Rings and watches, drawn on a hand that is seen from above."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Layer = NDArray[np.float32]
Colour = tuple[float, float, float]

#: mm: how broad a ring is, and half the width of a finger that it may cover.
RING, FINGER = 3.2, 11.0
#: mm: strap and dial of a watch, and how far above the wrist it sits.
STRAP, DIAL, ABOVE = 17.0, 34.0, 26.0


def wear_ring(colour: Layer, alpha: Layer, bone: Floats, metal: Colour, px_per_mm: float) -> None:
    """A ring about the middle of a finger's first bone, (2, 2) px, in place; `colour` (h, w, 3), `alpha` (h, w)."""
    along = bone[1] - bone[0]
    along /= np.linalg.norm(along) + 1e-9
    y, x = np.mgrid[0 : alpha.shape[0], 0 : alpha.shape[1]].astype(np.float32)
    away = np.stack([x, y], axis=-1) - bone.mean(axis=0).astype(np.float32)
    up, side = away @ along, away @ np.array([-along[1], along[0]])
    # seen from above a ring bows towards the fingertip
    bow = 0.12 * px_per_mm * (side / (FINGER * px_per_mm)) ** 2 * FINGER
    here = (np.abs(up + bow) < RING / 2 * px_per_mm) & (np.abs(side) < FINGER * px_per_mm) & (alpha > 0)
    shine = 0.55 + 0.6 * np.exp(-((side / (3.0 * px_per_mm) - 0.6) ** 2))
    colour[here] = np.clip(np.array(metal, np.float32) * shine[..., None], 0, 255)[here]


def wear_watch(
    colour: Layer, alpha: Layer, wrist: Floats, strap: Colour, metal: Colour, px_per_mm: float
) -> None:
    """A strap across the forearm and a dial on it, in place; `wrist`: (2,) px, the arm towards larger rows."""
    row = round(float(wrist[1]) + ABOVE * px_per_mm)
    half = round(STRAP / 2 * px_per_mm)
    if row + half >= alpha.shape[0]:
        return
    band = np.s_[row - half : row + half]
    across = np.flatnonzero(alpha[row] > 0)
    if not len(across):
        return
    middle, width = (across[0] + across[-1]) / 2, (across[-1] - across[0]) / 2 + 1
    side = (np.arange(alpha.shape[1], dtype=np.float32) - middle) / width
    round_off = 0.45 + 0.55 * np.sqrt(np.clip(1 - side**2, 0, 1))
    on_arm = (alpha[band] > 0)[..., None]
    colour[band] = np.where(on_arm, np.array(strap, np.float32) * round_off[None, :, None], colour[band])
    face = np.zeros(alpha.shape, np.uint8)
    for radius, tone in ((DIAL / 2, metal), (DIAL / 2 - 2.5, tuple(0.12 * v + 12 for v in metal))):
        face[:] = 0
        cv2.circle(face, (round(middle), row), round(radius * px_per_mm), 255, -1, cv2.LINE_AA)
        share = (face / np.float32(255))[..., None]
        colour[:] = colour * (1 - share) + np.array(tone, np.float32) * share
