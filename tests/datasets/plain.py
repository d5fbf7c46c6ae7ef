"""Decks and a table drawn without any art, for tests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from datasets.photos.phone import Phone
from datasets.render import Art
from datasets.scene import Scene

Pixels = NDArray[np.uint8]
FACES = [rank + suit for suit in "SHDC" for rank in "A23456789TJQK"]


@dataclass(frozen=True)
class PlainDeck:
    """One flat picture for every face and another one as the back."""

    faces: dict[str, Pixels]
    back: Pixels | None


def plain_decks(number: int) -> list[Art]:
    """Decks of 52 cards with backs of different colours."""
    rng = np.random.default_rng(number)
    backs = rng.integers(30, 226, (number, 3))
    white = flat(235, 235, 235)
    return [PlainDeck(dict.fromkeys(FACES, white), flat(*map(int, back))) for back in backs]


def flat(blue: int, green: int, red: int) -> Pixels:
    """(352, 252, 4) of one colour."""
    return np.full((352, 252, 4), (blue, green, red, 255), np.uint8)


def cloth(rng: np.random.Generator, height: int, width: int, scale: float) -> Pixels:
    """A table of one colour."""
    return np.full((height, width, 3), rng.integers(60, 200, 3), np.uint8)


def tilt_of(scene: Scene, phone: Phone) -> float:
    """Degrees between the camera's line of sight and the table's normal, as the homography alone has it."""
    focal = phone.focal * max(scene.width, scene.height)
    lens = np.array([[focal, 0, scene.width / 2], [0, focal, scene.height / 2], [0, 0, 1]])
    across, along = (np.linalg.inv(lens) @ scene.to_picture)[:, :2].T
    normal = np.cross(across, along)
    return float(np.degrees(np.arccos(abs(normal[2]) / np.linalg.norm(normal))))
