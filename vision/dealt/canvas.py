"""What lies still under a fixed camera, and which parts of the present picture show something else by now.

What differs and reaches the picture's edge is an arm, or belongs to one; what does not, and rests, came to lie there.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.capture.frames import Image
from vision.layout import Floats

Mask = NDArray[np.bool_]
Pixels = NDArray[np.uint8]

#: Width of the copy that is compared, px; side of a tile of it, in which anything moves or nothing does.
WIDTH, TILE = 960, 6
#: A pixel differs by more than this (of 255, the largest of its colours), or than so many times the noise of a tile.
LEAST_STEP, NOISE_TIMES = 15.0, 2.6
#: Moved since the picture before: the same, for tiles.
LEAST_MOVE, MOVE_TIMES = 11.0, 2.6
#: More than this in most tiles is no noise: everything moves; of late: the last picture weighs so much.
MOST_NOISE, LATELY = 9.0, 0.1
#: What is no further apart than this (px of the copy) changed together.
NEAR = 5
#: So much of a part may still move (shadows, noise) when it is said to rest, for so long (s).
STIRRED, SETTLE_S = 0.03, 0.055
#: Of what differs by less the picture is followed, so slowly: light changes.
FOLLOWS, FOLLOW_EVERY = 0.08, 6
#: A picture of which more than this share moves is no picture of a fixed camera.
SHAKEN = 0.55


@dataclass(frozen=True, slots=True)
class Part:
    """A connected part of the copy that differs from what lay there."""

    #: Its first column and row, px of the copy, and (height, width) which px there differ.
    x: int
    y: int
    mask: Mask
    #: Does it reach the picture's edge?
    reaches: bool
    #: Does it rest?
    rests: bool

    @property
    def area(self) -> int:
        """px of the copy."""
        return int(np.count_nonzero(self.mask))


class Canvas:
    """Push every frame."""

    def __init__(self, width: int, height: int) -> None:
        #: px of the copy per px of the picture.
        self.scale = min(1.0, WIDTH / width)
        self.size = (round(width * self.scale), max(TILE, round(height * self.scale)))
        self.now = 0.0
        self.frames = 0
        #: (height, width, 3): what lies there; what is seen now; both small and a little blurred.
        self.lies: Pixels | None = None
        self.seen: Pixels | None = None
        #: The first picture.
        self.first: Pixels | None = None
        self.parts: list[Part] = []
        #: (height, width): 0 where nothing differs, else the number of the part, from 1.
        self.labels = np.zeros(self.size[::-1], np.int32)
        self.shaken = False
        #: The usual step of a tile between two pictures of what rests, of late.
        self.noise = 0.0
        self._moved = np.full((-(-self.size[1] // TILE), -(-self.size[0] // TILE)), -np.inf)

    def push(self, at: float, image: Image) -> None:
        """Takes the frame shown at `at` (s), (height, width, 3) BGR."""
        small = cv2.blur(cv2.resize(image, self.size, interpolation=cv2.INTER_AREA), (3, 3))
        seen = np.asarray(small, dtype=np.uint8)
        self.frames += 1
        before, self.seen, self.now = self.seen, seen, at
        if self.lies is None or before is None:
            self.lies, self.first = seen.copy(), seen.copy()
            return
        step = self._tiles(_apart(seen, before))
        noise = min(float(np.median(step)), MOST_NOISE)
        self.noise += LATELY * (noise - self.noise)
        moving = step > max(LEAST_MOVE, MOVE_TIMES * noise)
        self.shaken = bool(moving.mean() > SHAKEN)
        self._moved[moving] = at
        apart = _apart(seen, self.lies)
        differs = (apart > max(LEAST_STEP, NOISE_TIMES * noise)).astype(np.uint8)
        opened = cv2.morphologyEx(differs, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
        self._take_apart(np.asarray(opened, dtype=np.uint8))
        if self.frames % FOLLOW_EVERY == 0:
            self._follow(seen)

    def accept(self, where: Mask) -> None:
        """What is seen now at these px of the copy (height, width) lies there, but for arms."""
        assert self.lies is not None and self.seen is not None
        arms = self.arms().astype(np.uint8)
        free = where & (cv2.dilate(arms, np.ones((7, 7), np.uint8)) == 0)
        self.lies[free] = self.seen[free]

    def arms(self) -> Mask:
        """(height, width): what differs and belongs to a part that reaches the picture's edge."""
        reaches = np.array([False, *(part.reaches for part in self.parts)])
        return np.asarray(reaches[self.labels])

    def area_of(self, quad: Floats, grown: float = 0.0) -> Mask:
        """(height, width) px of the copy within (4, 2) px of the picture, grown by so many px of the copy."""
        mask = np.zeros(self.labels.shape, np.uint8)
        points = np.round((quad * self.scale - 0.5) * 16).astype(np.int32)
        cv2.fillPoly(mask, [points], 1, cv2.LINE_8, 4)
        if grown > 0:
            side = 2 * round(grown) + 1
            mask = np.asarray(
                cv2.dilate(mask, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))), np.uint8
            )
        return mask.astype(bool)

    def moved_since(self, part: Part, since_s: float) -> bool:
        """Has anything moved around a part since then (s)?"""
        height, width = part.mask.shape
        rows = slice(part.y // TILE, (part.y + height) // TILE + 1)
        columns = slice(part.x // TILE, (part.x + width) // TILE + 1)
        return bool((self._moved[rows, columns] > since_s).mean() > STIRRED)

    def mask_of(self, part: Part) -> Mask:
        """(height, width): a part on the whole copy."""
        mask = np.zeros(self.labels.shape, dtype=bool)
        height, width = part.mask.shape
        mask[part.y : part.y + height, part.x : part.x + width] = part.mask
        return mask

    def _take_apart(self, differs: Pixels) -> None:
        """The parts of what differs."""
        kernel = np.ones((2 * NEAR + 1, 2 * NEAR + 1), np.uint8)
        together = cv2.dilate(differs, kernel)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(together, connectivity=8)
        labels[differs == 0] = 0
        self.labels = labels
        height, width = labels.shape
        recent = self._moved > self.now - SETTLE_S
        self.parts = []
        for number in range(1, count):
            x, y, w, h = (int(v) for v in stats[number, :4])
            mask = labels[y : y + h, x : x + w] == number
            reaches = x == 0 or y == 0 or x + w == width or y + h == height
            self.parts.append(Part(x, y, mask, reaches, self._rests(x, y, mask, recent)))

    def _rests(self, x: int, y: int, mask: Mask, recent: Mask) -> bool:
        rows, columns = np.nonzero(mask)
        if not len(rows):
            return False
        tiles = recent[(rows + y) // TILE, (columns + x) // TILE]
        return bool(tiles.mean() <= STIRRED)

    def _tiles(self, apart: Pixels) -> Pixels:
        """(rows, columns): the largest step in each tile."""
        more = (0, -apart.shape[0] % TILE, 0, -apart.shape[1] % TILE)
        padded = cv2.copyMakeBorder(apart, *more, cv2.BORDER_CONSTANT, value=0) if any(more) else apart
        # the largest step around the middle of every tile
        largest = cv2.dilate(padded, np.ones((TILE, TILE), np.uint8), borderValue=0)
        return np.asarray(largest[TILE // 2 :: TILE, TILE // 2 :: TILE], dtype=np.uint8)

    def _follow(self, seen: Pixels) -> None:
        """Follows the light where nothing differs."""
        assert self.lies is not None
        still = cv2.dilate((self.labels > 0).astype(np.uint8), np.ones((9, 9), np.uint8)) == 0
        mixed = cv2.addWeighted(self.lies, 1 - FOLLOWS * FOLLOW_EVERY, seen, FOLLOWS * FOLLOW_EVERY, 0)
        self.lies[still] = mixed[still]


def _apart(a: Pixels, b: Pixels) -> Pixels:
    """(height, width): by how much two copies differ, in the colour in which they do most."""
    blue, green, red = cv2.split(cv2.absdiff(a, b))
    return np.asarray(cv2.max(cv2.max(blue, green), red), dtype=np.uint8)
