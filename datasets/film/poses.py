"""How a card lies or moves: its middle, height, turn on the table and turn over its long axis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pose:
    """A rigid card. Lengths in mm, angles in degrees; `angle` grows clockwise in the picture."""

    x: float
    y: float
    angle: float
    #: 0 = face up, 180 = face down; between the two the card stands on its long edge.
    flip: float = 0.0
    z: float = 0.0

    @property
    def face_up(self) -> bool:
        """Is the face the side that the camera sees?"""
        return abs(self.flip % 360 - 180) > 90

    def corners(self, width: float, height: float) -> Floats:
        """(4, 3) mm: top left, top right, bottom right, bottom left of the side that is seen."""
        turn, flip = np.radians(self.angle), np.radians(self.flip)
        across = (
            np.array([np.cos(turn) * np.cos(flip), np.sin(turn) * np.cos(flip), np.sin(flip)]) * width / 2
        )
        along = np.array([-np.sin(turn), np.cos(turn), 0.0]) * height / 2
        if not self.face_up:
            across = -across
        middle = np.array([self.x, self.y, self.z])
        return np.stack(
            [
                middle - across - along,
                middle + across - along,
                middle + across + along,
                middle - across + along,
            ]
        )


def between(a: Pose, b: Pose, share: float) -> Pose:
    """The pose at `share` of the way from `a` to `b`, turning the short way round."""
    turn = (b.angle - a.angle + 180.0) % 360.0 - 180.0
    return Pose(
        a.x + share * (b.x - a.x),
        a.y + share * (b.y - a.y),
        a.angle + share * turn,
        a.flip + share * (b.flip - a.flip),
        a.z + share * (b.z - a.z),
    )
