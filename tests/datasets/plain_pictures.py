"""The formulas of `datasets.render` written down plainly: whole pictures, a new array for every step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render import HAND, NOTHING, PaintStyle
from datasets.scene import Scene

Pixels = NDArray[np.uint8]
Generator = np.random.Generator


@dataclass(frozen=True)
class Deck:
    """A deck's pictures."""

    faces: dict[str, Pixels]
    back: Pixels | None


def painted(
    scene: Scene, deck: Deck, ground: Pixels, style: PaintStyle, extras: Sequence[tuple[int, Pixels]]
) -> tuple[Pixels, NDArray[np.int16]]:
    """The picture and its ids."""
    image, ids = ground.copy(), np.full(ground.shape[:2], NOTHING, np.int16)
    for index, card in enumerate(scene.cards):
        corners = scene.project(card.corners_mm())
        art: Any = deck.faces[card.face] if card.face_up else deck.back
        width = float(np.linalg.norm(corners[1] - corners[0]))
        art = np.dstack([np.rint(art[..., :3] * (art[..., 3:] / 255)), art[..., 3:]]).astype(np.uint8)
        halvings = max(0, int(np.floor(np.log2(max(252 / width, 1.0) / 1.1))))
        if halvings:
            art = cv2.resize(art, (252 >> halvings, 352 >> halvings), interpolation=cv2.INTER_AREA)
        rim = np.array([[0, 0], [art.shape[1], 0], art.shape[1::-1], [0, art.shape[0]]], np.float32) - 0.5
        pad = int(np.ceil(3 * style.shadow_blur + max(abs(v) for v in style.shadow_offset) + 2))
        left, top = np.maximum(np.floor(corners.min(axis=0)).astype(int) - pad, 0)
        right, bottom = np.minimum(np.ceil(corners.max(axis=0)).astype(int) + pad, ground.shape[1::-1])
        if left >= right or top >= bottom:
            continue
        matrix = cv2.getPerspectiveTransform(rim, (corners - (left, top) - 0.5).astype(np.float32))
        warped = cv2.warpPerspective(art, matrix, (int(right - left), int(bottom - top)))
        alpha = (warped[..., 3] / 255).astype(np.float32)
        shift = np.array([[1, 0, style.shadow_offset[0]], [0, 1, style.shadow_offset[1]]])
        shadow = cv2.GaussianBlur(cv2.warpAffine(alpha, shift, alpha.shape[::-1]), (0, 0), style.shadow_blur)
        under = image[top:bottom, left:right].astype(np.float32) * (1 - style.shadow * shadow)[..., None]
        colour = warped[..., :3].astype(np.float32) * np.array(style.tint, np.float32)
        edge = alpha - cv2.erode(alpha, np.ones((3, 3), np.uint8))
        colour = colour * (1 - style.edge * min(1, 0.25 * width / card.width) * edge)[..., None]
        image[top:bottom, left:right] = np.clip(under * (1 - alpha[..., None]) + colour, 0, 255)
        ids[top:bottom, left:right][alpha > 0.5] = index
    for kind, sprite in extras:
        alpha = sprite[..., 3:].astype(np.float32) / 255
        shade = cv2.GaussianBlur(alpha, (0, 0), 6)[..., None] * 0.35 * (kind == HAND)
        image[:] = image * (1 - shade * (1 - alpha)) * (1 - alpha) + sprite[..., :3] * alpha
        ids[sprite[..., 3] > 127] = kind
    return image, ids


def exposed(image: Pixels, rng: Generator, hardness: float) -> Pixels:
    """Light, lens, sensor and compression."""
    rows, columns = image.shape[:2]
    lit: Any = image.astype(np.float32) * _light(rows, columns, rng, hardness)[..., None]
    if rng.random() < 0.3 * hardness:
        lit = lit + _glare(rows, columns, rng)[..., None]
    balance = rng.normal(0, 0.06 * hardness, 3)
    lit = _lens_blur(lit * np.exp(balance - balance.mean()).astype(np.float32), rng, hardness)
    gamma = np.exp(rng.normal(0, 0.18 * hardness))
    exposure = np.exp(rng.normal(-0.05, 0.22 * hardness))
    shot: Any = 255 * np.power(np.clip(lit / 255, 0, 2) * exposure, gamma, dtype=np.float32)
    if rng.random() < 0.3:
        shot = 128 + (shot - 128) * float(rng.uniform(0.6, 1.15))
    shot = _grain(shot, rng, hardness)
    if rng.random() < 0.3:
        soft = cv2.GaussianBlur(shot, (0, 0), float(rng.uniform(0.7, 1.6)))
        shot = shot + (shot - soft) * float(rng.uniform(0.2, 1.2))
    result = np.clip(shot, 0, 255).astype(np.uint8)
    if rng.random() < 0.7:
        quality = int(rng.uniform(35 if hardness > 0.5 else 60, 96))
        _, jpeg = cv2.imencode(".jpg", result, [cv2.IMWRITE_JPEG_QUALITY, quality])
        result = np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_COLOR), np.uint8)
    return result


def _light(rows: int, columns: int, rng: Generator, hardness: float) -> Any:
    y, x = np.mgrid[0:rows, 0:columns].astype(np.float32)
    size = max(rows, columns)
    angle, strength = rng.uniform(0, 2 * np.pi), abs(rng.normal(0, 0.3 * hardness))
    ramp = ((x - columns / 2) * np.cos(angle) + (y - rows / 2) * np.sin(angle)) / size
    light: Any = 1 + strength * ramp
    r2 = ((x - columns / 2) ** 2 + (y - rows / 2) ** 2) / (size / 2) ** 2
    light = light - float(rng.uniform(0, 0.2)) * hardness * r2
    for _ in range(int(rng.random() < 0.45 * hardness) + int(rng.random() < 0.2 * hardness)):
        light = light * (1 - float(rng.uniform(0.15, 0.65)) * _cast_shadow(rows, columns, rng))
    return np.clip(light, 0.15, 2.0).astype(np.float32)


def _cast_shadow(rows: int, columns: int, rng: Generator) -> Any:
    middle = rng.uniform((0, 0), (columns, rows))
    turn = np.sort(rng.uniform(0, 2 * np.pi, int(rng.integers(3, 7))))
    reach = rng.uniform(0.2, 0.9, len(turn)) * max(rows, columns)
    outline = middle + np.column_stack([np.cos(turn), np.sin(turn)]) * reach[:, None]
    mask = np.zeros((rows // 2 + 1, columns // 2 + 1), np.float32)
    cv2.fillPoly(mask, [np.round(outline / 2).astype(np.int32)], 1.0)
    soft = cv2.GaussianBlur(mask, (0, 0), float(np.exp(rng.uniform(np.log(0.8), np.log(25)))))
    return cv2.resize(soft, (columns, rows))


def _glare(rows: int, columns: int, rng: Generator) -> Any:
    y, x = np.mgrid[0:rows, 0:columns].astype(np.float32)
    cx, cy = rng.uniform((0, 0), (columns, rows))
    spread = rng.uniform(0.05, 0.3) * max(rows, columns)
    glare = rng.uniform(20, 110) * np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / (2 * spread**2))
    return glare.astype(np.float32)


def _lens_blur(image: Any, rng: Generator, hardness: float) -> Any:
    rows, columns = image.shape[:2]
    if rng.random() < 0.35 * hardness:
        factor = float(rng.uniform(0.45, 0.95))
        small = cv2.resize(image, (int(columns * factor), int(rows * factor)), interpolation=cv2.INTER_AREA)
        image = cv2.resize(small, (columns, rows), interpolation=cv2.INTER_CUBIC)
    sigma = abs(rng.normal(0, 0.8 * hardness))
    if sigma > 0.3:
        image = cv2.GaussianBlur(image, (0, 0), sigma)
    if rng.random() < 0.12 * hardness:
        length = int(rng.integers(3, 8))
        kernel = np.zeros((length, length), np.float32)
        angle, half = rng.uniform(0, np.pi), (length - 1) / 2
        step = np.array([np.cos(angle), np.sin(angle)]) * half
        ends = np.round(half + np.array([-step, step])).astype(int)
        cv2.line(kernel, ends[0].tolist(), ends[1].tolist(), 1.0)
        image = cv2.filter2D(image, -1, kernel / kernel.sum())
    return image


def _grain(image: Any, rng: Generator, hardness: float) -> Any:
    strength = abs(rng.normal(0, 5.0 * hardness))
    if strength < 0.5:
        return image
    noise: Any = rng.standard_normal(image.shape, dtype=np.float32)
    if rng.random() < 0.6:
        noise = cv2.GaussianBlur(noise, (0, 0), float(rng.uniform(0.5, 1.1))) * 2
    if rng.random() < 0.5:
        noise = np.repeat(noise.mean(axis=2, keepdims=True) * 1.5, 3, axis=2)
    return image + noise * np.float32(strength)
