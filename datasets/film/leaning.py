"""A player who leans in over the table: head and shoulders hide what lies below for some seconds."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.film.hands import Arm
from datasets.film.movement import HandAt, minimum_jerk
from datasets.film.table import Table, turn_of

Pixels = NDArray[np.uint8]

#: Seconds from the first to the last moment, and of coming and going.
LASTS, MOVES = 3.2, 0.7
#: mm of the sprite; head (across, along) and shoulders in it; the height at which they are.
SIZE, HEAD, SHOULDERS, HEIGHT = (460, 420), (155, 195), (430, 170), 160.0


A_HEAD, A_GLASS = " head", " glass"


def is_no_hand(arm: str) -> bool:
    """Is what an arm's name stands for a head, or a glass?"""
    return A_HEAD in arm or A_GLASS in arm


@dataclass(frozen=True, slots=True)
class Leaning:
    """One player's head on its way over the table and back."""

    seat: str
    start: float
    #: mm: where the forehead is when nobody leans and when it is furthest in.
    outside: tuple[float, float]
    inside: tuple[float, float]
    #: Direction in which the forehead points, degrees.
    points: float

    @property
    def name(self) -> str:
        """What the head is called among the arms."""
        return f"{self.seat}{A_HEAD}"

    def at(self, t: float) -> HandAt | None:
        """Where the head is at `t`; None while nobody leans."""
        if not self.start <= t < self.start + LASTS:
            return None
        share = minimum_jerk((t - self.start) / MOVES) - minimum_jerk(
            (t - self.start - LASTS + MOVES) / MOVES
        )
        x, y = (a + share * (b - a) for a, b in zip(self.outside, self.inside, strict=True))
        return HandAt(self.name, x, y, HEIGHT, self.points, False)


def lean_in(table: Table, start: float, rng: np.random.Generator) -> Leaning:
    """Somebody leans in at `start` seconds as far as the own cards."""
    seat = str(rng.choice(sorted(table.styles)))
    turn = np.radians(turn_of(seat))
    edge = (table.width if seat in ("east", "west") else table.height) / 2
    across = table.middle[seat] + float(rng.uniform(-120, 120))

    def spot(near: float) -> tuple[float, float]:
        return (
            float(across * np.cos(turn) - near * np.sin(turn)),
            float(across * np.sin(turn) + near * np.cos(turn)),
        )

    return Leaning(seat, start, spot(edge + 60), spot(edge - float(rng.uniform(220, 340))), turn_of(seat))


def draw_head(px_per_mm: float, rng: np.random.Generator) -> Arm:
    """Head and shoulders from above, forehead towards the top of the picture."""
    width, height = (round(side * px_per_mm) for side in SIZE)
    sprite = np.zeros((height, width, 4), np.float32)
    hair = rng.uniform(15, 190) * np.array([0.7, 0.85, 1.0]) * rng.uniform(0.85, 1.1, 3)
    for (across, along), middle, colour in (
        (SHOULDERS, 250.0, rng.uniform(15, 235, 3)),
        (HEAD, HEAD[1] / 2 + 8, hair),
    ):
        shape = np.zeros((height, width), np.uint8)
        centre = (width // 2, round(middle * px_per_mm))
        axes = (round(across / 2 * px_per_mm), round(along / 2 * px_per_mm))
        cv2.ellipse(shape, centre, axes, 0, 0, 360, 255, -1, cv2.LINE_AA)
        alpha = (shape / 255.0).astype(np.float32)[..., None]
        y, x = np.mgrid[0:height, 0:width].astype(np.float32)
        round_off = 1.1 - 0.45 * np.clip(
            np.hypot((x - centre[0]) / axes[0], (y - centre[1]) / axes[1]), 0, 1.2
        )
        strands = 1 + 0.08 * cv2.GaussianBlur(rng.standard_normal((height, width), np.float32), (0, 0), 1.5)
        painted = np.clip(colour * (round_off * strands)[..., None], 0, 255)
        sprite[..., :3] = sprite[..., :3] * (1 - alpha) + painted * alpha
        sprite[..., 3:] = np.maximum(sprite[..., 3:], 255 * alpha)
    picture: Pixels = np.clip(sprite, 0, 255).astype(np.uint8)
    pivot = (width / 2, 8 * px_per_mm)
    return Arm(picture, picture, px_per_mm, pivot, pivot)
