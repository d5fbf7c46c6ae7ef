"""Makes new designs of those that were drawn: recoloured, mirrored, twins of one another, two in the same colours."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]
Numbers = NDArray[np.int64]

#: How often a design is coloured anew, mirrored, and how far its colours are strengthened (log) and darkened (log).
COLOURED, MIRRORED, STRONGER, DARKER = 0.6, 0.5, 0.3, 0.25
#: How often a picture shows twins that were one design, and designs that are given the colour of another.
TWINS, ALIKE = 0.25, 0.35
#: Twins' colours are turned at least so far (radians), which must change what is seen by so much (0..255).
APART, CHANGED = 0.9, 14.0
#: Cards that a design needs for twins to be made of it.
ENOUGH = 4


def redesigned(
    crops: Pixels, masks: Pixels, decks: Numbers, rng: np.random.Generator
) -> tuple[Pixels, Pixels, Numbers]:
    """Copies of (n, H, W, 3) crops, their masks and (n,) decks, with designs made anew; the paper stays as it is."""
    shown, seen, decks = crops.copy(), masks.copy(), decks.copy()
    light = _light(crops, masks)
    numbers = list(np.unique(decks))
    hues = {number: _hue(crops[decks == number], masks[decks == number], light) for number in numbers}
    turns = {number: rng.uniform(-np.pi, np.pi) if rng.random() < COLOURED else 0.0 for number in numbers}
    if len(numbers) > 1 and rng.random() < ALIKE:
        one, two = rng.permutation(numbers)[:2]
        turns[two] = turns[one] + hues[one] - hues[two] + rng.normal(0, 0.15)
    for number in numbers:
        rows = np.flatnonzero(decks == number)
        stronger, darker = np.exp(rng.normal(0, STRONGER)), np.exp(rng.normal(0, DARKER))
        if not turns[number]:
            stronger, darker = 1.0, 1.0
        shown[rows] = coloured(crops[rows], light, turns[number], stronger, darker)
        if rng.random() < TWINS / len(numbers) and len(rows) >= ENOUGH:
            half = rng.permutation(rows)[: len(rows) // 2]
            other = turns[number] + rng.choice((-1, 1)) * rng.uniform(APART, np.pi)
            twin = coloured(crops[half], light, other, stronger, darker)
            if _changed(shown[half], twin, masks[half]) > CHANGED:
                shown[half], decks[half] = twin, decks.max() + 1
        if rng.random() < MIRRORED:
            shown[rows], seen[rows] = shown[rows, :, ::-1], seen[rows, :, ::-1]
    return shown, seen, decks


def coloured(crops: Pixels, light: Floats, turn: float, stronger: float, darker: float) -> Pixels:
    """Crops in whose paint every hue is turned (radians) and strengthened; what is grey under `light` (3,) stays."""
    if not turn:
        return crops.copy()
    axis = np.full(3, 1 / np.sqrt(3))
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    grey = np.outer(axis, axis)
    rotation = grey + stronger * (np.cos(turn) * (np.eye(3) - grey) + np.sin(turn) * cross)
    matrix = np.diag(light) @ rotation @ np.diag(1 / light)
    turned = cv2.transform(crops.reshape(-1, crops.shape[2], 3), matrix.astype(np.float32)).reshape(
        crops.shape
    )
    if darker != 1.0:
        top = float(light.max()) * 255
        table = np.clip((np.arange(256) / top) ** darker * top, 0, 255).astype(np.uint8)
        turned = cv2.LUT(turned.reshape(-1, crops.shape[2], 3), table).reshape(crops.shape)
    return np.asarray(turned, dtype=np.uint8)


def _light(crops: Pixels, masks: Pixels) -> Floats:
    """(3,) 0..1, the colour of the brightest paint of the picture: paper, mostly."""
    paint = crops[:, ::4, ::4][masks[:, ::4, ::4] > 127].astype(np.float64)
    if len(paint) < 20:
        return np.full(3, 0.8)
    least = paint.min(axis=1)
    return np.asarray(np.maximum(paint[least >= np.quantile(least, 0.95)].mean(axis=0), 30) / 255)


def _hue(crops: Pixels, masks: Pixels, light: Floats) -> float:
    """Angle (radians) about grey of what colour there is."""
    paint = crops[:, ::4, ::4][masks[:, ::4, ::4] > 127] / light
    if not len(paint):
        return 0.0
    away = paint - paint.mean(axis=1, keepdims=True)
    one, two = np.array([1, -1, 0]) / np.sqrt(2), np.array([1, 1, -2]) / np.sqrt(6)
    strength = np.linalg.norm(away, axis=1)
    return float(np.arctan2((away @ two * strength).sum(), (away @ one * strength).sum()))


def _changed(one: Pixels, two: Pixels, masks: Pixels) -> float:
    shown = masks > 127
    return float(np.abs(one[shown].astype(float) - two[shown]).mean()) if shown.any() else 0.0
