"""A hand with its forearm drawn from above in plain shapes, for pictures in which hands only have to be in the way."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render import SHARES, around

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float64]

#: Where fingers begin on the palm and how long they are, as shares of the palm's width (thumb first).
_FINGERS = (
    (-0.50, 0.15, 0.75, 0.26),
    (-0.36, -0.50, 0.95, 0.21),
    (-0.12, -0.58, 1.08, 0.22),
    (0.13, -0.55, 1.0, 0.21),
    (0.37, -0.45, 0.78, 0.19),
)


def draw_hand(
    rng: np.random.Generator, height: int, width: int, at: tuple[float, float], towards: float, palm_px: float
) -> Pixels:
    """(height, width, 4) BGRA: a hand whose palm is at `at` px, its arm coming from the direction `towards`.

    `palm_px` is the palm's width, about 85 mm on the table's scale.
    """
    mask = np.zeros((height, width), dtype=np.uint8)
    sleeve = np.zeros((height, width), dtype=np.uint8)
    axis = np.array([-np.cos(towards), -np.sin(towards)])
    side = np.array([-axis[1], axis[0]]) * (1 if rng.random() < 0.5 else -1)
    origin = np.array(at)
    shading = np.zeros((height, width), dtype=np.float32)

    def point(x: float, y: float) -> Floats:
        return np.asarray(origin + side * x * palm_px - axis * y * palm_px, dtype=np.float64)

    spread, curl = rng.uniform(0.3, 1.3), rng.uniform(0.45, 1.0)
    _capsule(mask, point(0, 0.35), point(0, 6.0), 0.34 * palm_px)
    _capsule(mask, point(-0.12, -0.15), point(-0.08, 0.3), 0.36 * palm_px)
    _capsule(mask, point(0.12, -0.15), point(0.08, 0.3), 0.36 * palm_px)
    for i, (x, y, length, thick) in enumerate(_FINGERS):
        angle = (x * 0.7 if i else -0.9) * spread + rng.normal(0, 0.08)
        reach = length * (curl if i else min(1.0, curl + 0.2)) * rng.uniform(0.8, 1.05)
        tip = (x + reach * np.sin(angle), y - reach * np.cos(angle))
        middle = (x + 0.55 * reach * np.sin(angle * 0.8), y - 0.55 * reach * np.cos(angle * 0.8))
        _capsule(mask, point(x * 0.9, y + 0.2), point(*middle), thick * palm_px / 2 * 1.06)
        _capsule(mask, point(*middle), point(*tip), thick * palm_px / 2 * 0.95)
        finger = np.zeros_like(mask)
        _capsule(finger, point(x, y), point(*tip), thick * palm_px / 2)
        softness = max(palm_px * 0.05, 0.5)
        box = around(finger, softness)
        if box is not None:
            shading[box] += cv2.GaussianBlur(cv2.LUT(finger[box], SHARES), (0, 0), softness) * 0.25
    if rng.random() < 0.7:
        _capsule(sleeve, point(0, rng.uniform(0.8, 2.0)), point(0, 7.0), rng.uniform(0.4, 0.55) * palm_px)
    return _coloured(rng, mask, sleeve, shading, palm_px)


def _capsule(mask: Pixels, start: Floats, end: Floats, radius: float) -> None:
    shift = 4
    scale = 1 << shift
    thickness = max(1, round(2 * radius))
    a = tuple(int(v) for v in np.round(start * scale))
    b = tuple(int(v) for v in np.round(end * scale))
    cv2.line(mask, a, b, 255, thickness, cv2.LINE_AA, shift)


def _coloured(
    rng: np.random.Generator, mask: Pixels, sleeve: Pixels, shading: NDArray[np.float32], palm_px: float
) -> Pixels:
    tone = float(rng.uniform(0, 1))
    light, dark = np.array([165, 190, 228.0]), np.array([45, 62, 92.0])
    skin = light * tone + dark * (1 - tone) + rng.normal(0, 8, 3)
    cloth = rng.uniform(10, 235, 3)
    softness = max(palm_px / 18, 0.6)
    noise = rng.standard_normal(mask.shape, dtype=np.float32)
    depth = rng.uniform(0.1, 0.5)
    drawn = np.zeros((*mask.shape, 4), np.uint8)
    both = np.maximum(mask, sleeve)
    box = around(both, softness)
    if box is None:
        return drawn
    both, sleeve, shading = both[box], sleeve[box], shading[box]
    distance = cv2.distanceTransform((both > 127).astype(np.uint8), cv2.DIST_L2, 3)
    round_off = np.clip(distance / max(palm_px * 0.22, 1), 0, 1) ** 0.5
    relief = 0.62 + 0.38 * round_off + shading * 0.3
    relief = relief * (1 + cv2.GaussianBlur(noise[box], (0, 0), softness) * depth)
    covered = sleeve > 127
    planes = [
        np.clip(np.where(covered, *pair) * relief, 0, 255).astype(np.uint8)
        for pair in zip(cloth, skin, strict=True)
    ]
    drawn[box] = cv2.merge([*planes, cv2.GaussianBlur(both, (0, 0), 0.7)])
    return drawn
