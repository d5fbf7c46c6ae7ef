"""How the film looks: table top, light on it, and what lens and sensor do to a frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets import surfaces
from datasets.decks import Split
from datasets.film.camera import Camera

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Look:
    """Light, lens and sensor of one film; lengths in mm."""

    #: `felt`, `wood`, `cloth`, `plain`, or a split of `datasets.surfaces` ("train", "figures", "tune").
    surface: str = "felt"
    #: Direction in which shadows fall, degrees (0 = right, 90 = down in the picture), and mm a mm of height.
    shadow_towards: float = 60.0
    shadow_length: float = 0.6
    shadow_strength: float = 0.45
    #: Brightness at the middle, its fall across the table (share) and its direction in degrees.
    exposure: float = 0.92
    gradient: float = 0.2
    gradient_towards: float = 30.0
    vignette: float = 0.15
    #: Gains of blue, green and red.
    balance: tuple[float, float, float] = (1.0, 1.0, 1.0)
    flicker: float = 0.004
    #: Standard deviation of defocus in px, of noise in grey levels.
    blur: float = 0.7
    noise: float = 1.6
    #: Open shutter, share of a frame.
    shutter: float = 0.4
    crf: int = 25


def table_top(camera: Camera, look: Look, rng: np.random.Generator) -> Pixels:
    """The empty table on the camera's undistorted canvas, before the light."""
    scale = 1.5
    corners = camera.plane_to_picture_corners
    reach = np.abs(corners).max(axis=0) + (camera.margin + 20) / camera.px_per_mm
    texture = surface(look.surface, rng, (int(2 * scale * reach[0]), int(2 * scale * reach[1])), scale)
    to_mm = np.array([[1 / scale, 0, -reach[0]], [0, 1 / scale, -reach[1]], [0, 0, 1]])
    height, width = camera.canvas_shape
    return np.asarray(
        cv2.warpPerspective(
            texture,
            camera.plane_to_canvas @ to_mm,
            (width, height),
            flags=cv2.INTER_AREA,
            borderMode=cv2.BORDER_REFLECT,
        ),
        dtype=np.uint8,
    )


def surface(kind: str, rng: np.random.Generator, size: tuple[int, int], scale: float) -> Pixels:
    """A piece of table top of a kind that `Look.surface` names; `size` in px, `scale` in px a mm."""
    w, h = size
    if kind in ("train", "tune", "figures"):
        return np.asarray(surfaces.surface(rng, h, w, scale, cast(Split, kind)))
    if kind == "wood":
        return _wood(rng, w, h)
    hue = rng.uniform(0, 180)
    light = rng.uniform(60, 150) if kind == "felt" else rng.uniform(90, 215)
    saturation = rng.uniform(60, 170) if kind == "felt" else rng.uniform(5, 90)
    base = cv2.cvtColor(np.array([[[hue, saturation, light]]], dtype=np.uint8), cv2.COLOR_HSV2BGR)[0, 0]
    relief = _clouds(rng, w, h, 180) * 0.06
    if kind == "felt":
        relief = relief + rng.normal(0, 0.05, (h, w)).astype(np.float32) + _clouds(rng, w, h, 6) * 0.04
    if kind == "cloth":
        x, y = np.meshgrid(np.arange(w), np.arange(h))
        relief = relief + 0.05 * np.sin(x * 2.1) * np.sin(y * 2.1) + rng.normal(0, 0.02, (h, w))
        if rng.random() < 0.5:
            step = rng.integers(40, 90)
            relief = relief + 0.16 * (((x // step) % 2) + ((y // step) % 2) - 1)
    picture = np.clip(base.astype(np.float32) * (1 + relief[..., None]), 0, 255)
    return np.asarray(picture, dtype=np.uint8)


def _clouds(rng: np.random.Generator, w: int, h: int, size: float) -> Floats:
    small = rng.standard_normal((max(2, int(h / size) + 2), max(2, int(w / size) + 2))).astype(np.float32)
    return np.asarray(cv2.resize(small, (w, h), interpolation=cv2.INTER_CUBIC))


def _wood(rng: np.random.Generator, w: int, h: int) -> Pixels:
    dark, pale = np.array([38, 62, 96.0]), np.array([120, 165, 205.0])
    tone = rng.uniform(0.1, 0.9)
    plank = int(rng.integers(140, 320))
    y = np.repeat(np.arange(h, dtype=np.float32)[:, None], w, axis=1)
    board = (y // plank).astype(int)
    shift = rng.uniform(0, 5000, board.max() + 1)[board]
    wave = _clouds(rng, w, h, 120) * 16
    grain = (
        np.sin((y + wave) * rng.uniform(0.12, 0.3) + shift) * 0.5
        + np.sin((y + wave * 1.5) * 0.9 + shift) * 0.25
    )
    streaks = cv2.resize(
        rng.standard_normal((h, w // 60)).astype(np.float32), (w, h), interpolation=cv2.INTER_LINEAR
    )
    level = tone + 0.09 * grain + 0.05 * streaks + rng.uniform(-0.07, 0.07, board.max() + 1)[board]
    level = np.where(y % plank < 2, level - 0.25, level)[..., None]
    return np.asarray(np.clip(dark * (1 - level) + pale * level, 0, 255), dtype=np.uint8)


def light_field(camera: Camera, look: Look) -> Floats:
    """(h, w, 3) gain of every canvas px."""
    h, w = camera.canvas_shape
    y, x = np.mgrid[0:h, 0:w].astype(np.float32)
    x, y = (x - w / 2) / (camera.width / 2), (y - h / 2) / (camera.width / 2)
    towards = np.radians(look.gradient_towards)
    slope = 1 + look.gradient * (x * np.cos(towards) + y * np.sin(towards))
    level = look.exposure * slope * (1 - look.vignette * (x**2 + y**2))
    return np.asarray(level[..., None] * np.array(look.balance, dtype=np.float32), dtype=np.float32)
