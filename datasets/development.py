"""What light, lens, sensor and compression do to a small picture. Strengths are drawn at random."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]

_NOISE_SIDE = 900
#: By how much `overexposed` is: natural logarithm of the gain of light; and the light that flare adds at most.
STOPS, FLARE = (0.3, 1.8), 0.08


@cache
def _grain() -> NDArray[np.int16]:
    """Noise of standard deviation 16, to be cut from anywhere."""
    rng = np.random.default_rng(5)
    return rng.normal(0, 16, (_NOISE_SIDE, _NOISE_SIDE, 3)).round().astype(np.int16)


def develop(rng: np.random.Generator, image: Pixels, drawn: float, scale: float) -> Pixels:
    """Light, blur, noise, smear, sharpening, JPEG. `drawn` px/mm of `image`, `scale` px/mm of the camera.

    Where the camera has more px/mm than the picture, its grain and its blocks are finer than these px.
    """
    finer = drawn / scale
    image = _light(rng, image)
    image = _blur(rng, image, finer)
    if rng.random() < 0.75:
        image = _noise(rng, image, finer)
    if rng.random() < 0.15:
        image = _smear(rng, image)
    if rng.random() < 0.3:
        soft = cv2.GaussianBlur(image, (0, 0), float(rng.uniform(0.7, 1.6)))
        amount = float(rng.uniform(0.3, 1.6))
        image = np.asarray(cv2.addWeighted(image, 1 + amount, soft, -amount, 0), dtype=np.uint8)
    if rng.random() < 0.7 * finer**0.5:
        quality = int(rng.uniform(30, 96)) if finer > 0.8 else int(rng.uniform(60, 96))
        _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
        image = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), dtype=np.uint8)
    return image


def _light(rng: np.random.Generator, image: Pixels) -> Pixels:
    """Exposure, colour of the lamp, contrast; a gradient, a shadow's edge, a glare."""
    ramp = np.arange(256, dtype=np.float32) / 255
    exposure = float(np.exp(rng.normal(-0.15, 0.35)))
    lamp = np.exp(rng.normal(0, 0.04, 3) + rng.normal(0, 0.10) * np.array([-1.0, 0.0, 0.8]))
    gamma, lift = float(np.exp(rng.normal(0, 0.2))), float(max(0.0, rng.normal(0, 0.05)))
    tables = np.stack(
        [
            np.clip(255 * (lift + (1 - lift) * np.clip(ramp * exposure * g, 0, 1.3) ** gamma), 0, 255)
            for g in lamp
        ],
        1,
    )
    field = _field(rng, image.shape[0], image.shape[1])
    if field is not None:
        shade, glare = field
        image = np.asarray(cv2.multiply(image, cv2.merge([shade] * 3), dtype=cv2.CV_8U), dtype=np.uint8)
        image = np.asarray(cv2.LUT(image, tables.astype(np.uint8)[None]), dtype=np.uint8)
        if glare is None:
            return image
        return np.asarray(cv2.add(image, cv2.merge([glare] * 3), dtype=cv2.CV_8U), dtype=np.uint8)
    return np.asarray(cv2.LUT(image, tables.astype(np.uint8)[None]), dtype=np.uint8)


def overexposed(rng: np.random.Generator, image: Pixels) -> Pixels:
    """Too much light: paper and pale inks run into white, dark ones fade, bright parts glow."""
    light = (np.arange(256, dtype=np.float32) / 255) ** 2.2 * float(np.exp(rng.uniform(*STOPS)))
    light = np.clip(light + float(rng.uniform(0, FLARE)), 0, 1)
    image = np.asarray(cv2.LUT(image, (255 * light ** (1 / 2.2)).astype(np.uint8)), dtype=np.uint8)
    if rng.random() < 0.5:
        glow = cv2.GaussianBlur(image, (0, 0), float(rng.uniform(1.5, 5)))
        image = np.asarray(cv2.max(image, cv2.addWeighted(image, 0.8, glow, 0.3, -15)), dtype=np.uint8)
    return image


def _field(
    rng: np.random.Generator, height: int, width: int
) -> tuple[NDArray[np.float32], NDArray[np.float32] | None] | None:
    """Shade (1 = none) and glare (0 .. 255) over the picture, or None where the light is even."""
    kind = rng.random()
    if kind < 0.4:
        return None
    coarse = 24
    y, x = np.mgrid[0:coarse, 0:coarse].astype(np.float32) / (coarse - 1) - 0.5
    angle = float(rng.uniform(0, 2 * np.pi))
    along = x * np.cos(angle) + y * np.sin(angle)
    shade = 1 + along * float(rng.normal(0, 0.3))
    if kind > 0.7:
        depth, edge = float(rng.uniform(0.2, 0.65)), float(rng.uniform(0.02, 0.15))
        steps = (along - float(rng.uniform(-0.35, 0.35))) / edge
        shade = shade * (1 - depth / (1 + np.exp(-np.clip(4 * steps, -30, 30))))
    glare = None
    if rng.random() < 0.3:
        spot = ((x - rng.uniform(-0.4, 0.4)) / rng.uniform(0.05, 0.3)) ** 2
        spot = spot + ((y - rng.uniform(-0.4, 0.4)) / rng.uniform(0.05, 0.3)) ** 2
        small = (np.exp(-spot) * float(rng.uniform(40, 260))).astype(np.float32)
        glare = np.asarray(cv2.resize(small, (width, height)), dtype=np.float32)
    small_shade = np.clip(shade, 0.1, 1.5).astype(np.float32)
    return np.asarray(cv2.resize(small_shade, (width, height)), dtype=np.float32), glare


def _blur(rng: np.random.Generator, image: Pixels, finer: float) -> Pixels:
    kind = rng.random()
    if kind < 0.7:
        sigma = float(abs(rng.normal(0, 0.75)) + 0.25) * finer
        if kind > 0.62:
            sigma += float(rng.uniform(0.5, 1.6))
        if sigma > 0.25:
            image = np.asarray(cv2.GaussianBlur(image, (0, 0), sigma), dtype=np.uint8)
    elif kind < 0.85:
        image = _move(rng, image)
    return image


def _move(rng: np.random.Generator, image: Pixels) -> Pixels:
    length, angle = float(rng.uniform(1.5, 7)), float(rng.uniform(0, np.pi))
    size = 2 * int(np.ceil(length / 2)) + 1
    kernel = np.zeros((size, size), np.float32)
    middle, half = size // 2, length / 2
    for t in np.linspace(-half, half, 4 * size):
        column, row = middle + t * np.cos(angle), middle + t * np.sin(angle)
        kernel[min(size - 1, max(0, round(row))), min(size - 1, max(0, round(column)))] += 1
    return np.asarray(cv2.filter2D(image, -1, kernel / kernel.sum()), dtype=np.uint8)


def _noise(rng: np.random.Generator, image: Pixels, finer: float) -> Pixels:
    height, width = image.shape[:2]
    top, left = rng.integers(0, _NOISE_SIDE - height), rng.integers(0, _NOISE_SIDE - width)
    grain = _grain()[top : top + height, left : left + width]
    strength = float(abs(rng.normal(0, 6))) * (0.3 + 0.7 * finer) / 16
    return np.asarray(cv2.add(image, grain * np.float32(strength), dtype=cv2.CV_8U), dtype=np.uint8)


def _smear(rng: np.random.Generator, image: Pixels) -> Pixels:
    """Detail lost as video loses it: coarser for a moment, or averaged away where it is faint."""
    if rng.random() < 0.5:
        height, width = image.shape[:2]
        share = float(rng.uniform(0.5, 0.85))
        small = cv2.resize(image, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR), dtype=np.uint8)
    return np.asarray(cv2.medianBlur(image, 3), dtype=np.uint8)
