"""Pictures made smaller, fast: whole halves first, which are cheap, then by area what is left."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float64]

#: Halved only while it stays so much larger than what is wanted: what was rounded once is averaged once more.
LARGER = 1.25
#: What is shown smaller by less than this is sampled as it is; sizes that are kept lie apart by this factor.
AS_IT_IS, APART = 1.3, 1.15


def shrunk(image: Pixels, size: tuple[int, int]) -> Pixels:
    """The picture (H, W) or (H, W, 3) as one of `size` (columns, rows), not larger: means of what a px covers."""
    while image.shape[1] >= 2 * LARGER * size[0] and image.shape[0] >= 2 * LARGER * size[1]:
        half = (image.shape[1] // 2, image.shape[0] // 2)
        image = np.asarray(cv2.resize(image, half, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


class Sizes:
    """A picture in smaller sizes, each made when it is first asked for: things of one size are cut out of one."""

    def __init__(self, image: Pixels) -> None:
        self._image = image
        self._made: dict[int, Pixels] = {}

    def shown(self, shrink: float) -> tuple[Pixels, Floats]:
        """The picture for things that are shown smaller by `shrink`; (3, 3) from its px to the picture's."""
        if shrink < AS_IT_IS:
            return self._image, np.eye(3)
        level = int(np.log(shrink) / np.log(APART))
        if level not in self._made:
            rows, columns = (max(1, round(side / APART**level)) for side in self._image.shape[:2])
            self._made[level] = shrunk(self._image, (columns, rows))
        made = self._made[level]
        x, y = self._image.shape[1] / made.shape[1], self._image.shape[0] / made.shape[0]
        return made, np.diag([x, y, 1.0])
