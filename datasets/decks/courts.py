"""Court pictures of drawn decks: the middle of another deck's court in other inks, or figures of our own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.decks.ornament import rosette
from datasets.decks.pen import SUPER, Pen, polar
from datasets.decks.raster import Pixels

Points = NDArray[np.float64]
Generator = np.random.Generator
Colour = NDArray[np.float32]
Box = tuple[int, int, int, int]

#: What of a donor's card is taken: inside its indices, as shares of its width and height.
_DONOR_INSIDE = (0.19, 0.075)


@dataclass(frozen=True, slots=True)
class Inks:
    """A recolouring that one deck uses for all its courts."""

    mix: NDArray[np.float32]
    gamma: float
    levels: int

    def print(self, picture: Pixels) -> Pixels:
        """The picture in these inks; white stays white."""
        depth = 1 - picture.astype(np.float32) / 255
        mixed = 1 - np.clip(depth @ self.mix, 0, 1) ** np.float32(self.gamma)
        if self.levels:
            mixed = np.round(mixed * self.levels) / self.levels
        return np.asarray(mixed * 255, dtype=np.uint8)


def random_inks(rng: Generator) -> Inks:
    """Mostly near the donor's colours; at times a duotone, a strong shift or flat colours."""
    kind = rng.random()
    if kind < 0.5:
        mix = np.eye(3) + rng.normal(0, 0.12, (3, 3))
    elif kind < 0.75:
        mix = np.outer(np.full(3, 1 / 3), rng.uniform(0.2, 1.1, 3))
    else:
        mix = rng.dirichlet([0.6, 0.6, 0.6], 3).T * rng.uniform(0.8, 1.1)
    levels = int(rng.integers(2, 5)) if rng.random() < 0.15 else 0
    return Inks(mix.astype(np.float32), rng.uniform(0.7, 1.4), levels)


def donor_art(card: Pixels, inks: Inks) -> Pixels:
    """The middle of a court card of another deck, without its indices: BGR."""
    height, width = card.shape[:2]
    x, y = round(width * _DONOR_INSIDE[0]), round(height * _DONOR_INSIDE[1])
    return inks.print(np.ascontiguousarray(card[y : height - y, x : width - x, :3]))


def place(canvas: Pixels, art: Pixels, box: Box) -> None:
    """Scale art into a box (left, top, right, bottom) of a canvas."""
    left, top, right, bottom = box
    shrinking = cv2.INTER_AREA if art.shape[0] > bottom - top else cv2.INTER_CUBIC
    canvas[top:bottom, left:right] = cv2.resize(art, (right - left, bottom - top), interpolation=shrinking)


class _Half:
    """Draws the upper half of a figure in a few colours; lengths are shares of the half's width."""

    def __init__(self, width: int, height: int, ground: Colour) -> None:
        self.picture = np.empty((height, width, 3), np.uint8)
        self.picture[:] = np.clip(ground, 0, 255)
        self.width, self.height = width, height

    def _to_px(self, points: Points) -> list[NDArray[np.int32]]:
        return [np.round((points * self.width + (self.width / 2, 0)) * 8).astype(np.int32)]

    def shape(self, points: Points, colour: Colour, line: int = 2) -> None:
        """A filled shape with an outline."""
        fixed = self._to_px(points)
        cv2.fillPoly(self.picture, fixed, tuple(float(v) for v in colour), cv2.LINE_AA, 3)
        cv2.polylines(self.picture, fixed, True, (25.0, 20.0, 20.0), line, cv2.LINE_AA, 3)

    def both(self, points: Points, colour: Colour, line: int = 2) -> None:
        """A shape and its mirror picture."""
        self.shape(points, colour, line)
        self.shape(points * (-1, 1), colour, line)


def _crown(rng: Generator, half: _Half, rank: str, y: float, size: float, colour: Colour) -> None:
    """What tells a king from a queen from a jack."""
    if rank == "K":
        spikes = int(rng.integers(3, 6))
        xs = np.linspace(-size, size, 2 * spikes + 1)
        ys = np.where(np.arange(2 * spikes + 1) % 2 == 0, y - rng.uniform(0.8, 1.3) * size, y - 0.5 * size)
        outline = np.concatenate([np.stack([xs * 1.1, ys], 1), [[size, y]], [[-size, y]]])
        half.shape(outline, colour)
    elif rank == "Q":
        half.shape(polar(0, y, size, np.linspace(np.pi, 2 * np.pi, 24), rng.uniform(0.6, 1)), colour)
        for x in np.linspace(-0.7, 0.7, int(rng.integers(3, 6))) * size:
            half.shape(polar(x, y - size * 0.75, size * 0.18, np.linspace(0, 6.28, 16)), 255 - colour)
    else:
        brim = np.array([[-1.3, 0], [1.3, 0], [0.9, -0.6], [-0.4, -0.9], [-1.1, -0.5]]) * size
        half.shape(brim + np.array([0, y]), colour)
        half.shape(
            polar(size * 0.9, y - size * 0.9, size * 0.35, np.linspace(0, 6.28, 16), 1.8), 255 - colour
        )


def _body(rng: Generator, half: _Half, top: float, colours: Sequence[Colour]) -> None:
    bottom = half.height / half.width
    shoulders, waist = rng.uniform(0.26, 0.46), rng.uniform(0.3, 0.5)
    coat = np.array(
        [[0, top], [shoulders * 0.6, top + 0.02], [shoulders, top + 0.14], [waist, bottom], [0, bottom]]
    )
    half.both(coat, colours[0])
    for k in range(int(rng.integers(2, 6))):
        inner = rng.uniform(0.05, 0.9)
        stripe = np.array(
            [[inner, top], [inner + 0.15, top], [inner * 0.6 + 0.2, bottom], [inner * 0.6, bottom]]
        )
        half.both(stripe * (shoulders, 1), colours[1 + k % (len(colours) - 1)])
    for y in np.linspace(top + 0.1, bottom - 0.05, int(rng.integers(2, 6))):
        half.both(
            polar(rng.uniform(0, 0.12), y, rng.uniform(0.015, 0.05), np.linspace(0, 6.28, 14)), colours[-1], 1
        )


def figure(rng: Generator, rank: str, width: int, height: int) -> Pixels:
    """A king, queen or jack of our own, the same upside down: (height, width, 3) BGR."""
    colours = [np.asarray(rng.uniform(20, 245, 3), np.float32) for _ in range(4)]
    ground = (
        np.full(3, 252, np.float32)
        if rng.random() < 0.7
        else np.asarray(rng.uniform(170, 250, 3), np.float32)
    )
    half = _Half(width, height // 2 + 1, ground)
    head, middle = rng.uniform(0.12, 0.17), rng.uniform(0.25, 0.36)
    skin = np.array([rng.uniform(120, 190), rng.uniform(165, 215), rng.uniform(210, 245)], np.float32)
    hair = np.asarray(rng.uniform(10, 200) * np.array([0.5, 0.7, 1.0]), np.float32)
    _body(rng, half, middle + head * 0.9, colours)
    if rank == "Q":
        locks = np.array([[0, -1], [1.2, -0.8], [1.6, 1.4], [0.7, 1.8], [0, 0]]) * head + (0, middle)
        half.both(locks, hair)
    half.shape(polar(0, middle, head * 0.8, np.linspace(0, 6.28, 32), 1.2), skin)
    for x in (-0.3, 0.3):
        half.shape(
            polar(x * head, middle - 0.1 * head, head * 0.09, np.linspace(0, 6.28, 10)), colours[3] * 0, 1
        )
    half.shape(np.array([[-0.25, 0.55], [0.25, 0.55], [0, 0.63]]) * head + (0, middle), colours[0], 1)
    if rank == "K":
        beard = (
            np.array([[-0.75, 0.3], [-0.3, 0.45], [0.3, 0.45], [0.75, 0.3], [0.4, 1.5], [-0.4, 1.5]]) * head
        )
        half.shape(beard + np.array([0, middle]), hair)
    _crown(rng, half, rank, middle - head * 0.75, head, colours[2])
    top = half.picture[: height // 2]
    lower = top[::-1, ::-1]
    rest = half.picture[height // 2 : height - height // 2]
    return np.ascontiguousarray(np.vstack([top, rest, lower])[:height])


def emblem(rng: Generator, rank: str, width: int, height: int, colour: Colour) -> Pixels:
    """A rosette or a crown in one ink: (height, width, 3) BGR."""
    mask = np.zeros((height, width), np.uint8)
    rosette(rng, Pen(mask), width / 2, height / 2, width * rng.uniform(0.3, 0.48), rng.uniform(0.8, 1.3))
    share = mask[..., None].astype(np.float32) / 255
    return np.asarray(255 * (1 - share) + colour * share, dtype=np.uint8)


def usable_donor(faces: Mapping[str, Pixels]) -> bool:
    """Whether a deck has all twelve courts."""
    return all(rank + suit in faces for rank in "JQK" for suit in "SHDC")


def frame_line(canvas: Pixels, box: Box, colour: Colour, width: float) -> None:
    """A line around a box."""
    left, top, right, bottom = box
    thick = max(1, round(width * SUPER / 2))
    cv2.rectangle(canvas, (left, top), (right, bottom), tuple(float(v) for v in colour), thick)
