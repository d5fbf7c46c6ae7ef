"""From the ideal canvas to the finished frame: lens, defocus, flicker and noise."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.film.camera import Camera
from datasets.film.look import Look
from datasets.film.paint import Box, Pixels, merged

#: px around a changed box that the lens and the defocus may spread it over.
SPREAD = 6


class Sensor:
    """Sees a canvas through the lens; only what changed since the last frame is looked at again."""

    def __init__(self, camera: Camera, look: Look, rng: np.random.Generator) -> None:
        self.camera, self.look, self.rng = camera, look, rng
        self._map, self._fraction = camera.lens_maps
        h, w = camera.height, camera.width
        self._clean = np.zeros((h * 3 // 2, w), dtype=np.uint8)
        self._luma = self._clean[:h]
        chroma = self._clean.reshape(-1)[h * w :].reshape(2, h // 2, w // 2)
        self._blue, self._red = chroma[0], chroma[1]
        self._grain = [self._noise(h * 3 // 2 + 48, w + 48) for _ in range(3)]

    def knock(self, camera: Camera) -> None:
        """Look from now on through a camera that has moved; the whole canvas must be looked at anew."""
        self.camera = camera
        self._map, self._fraction = camera.lens_maps

    def _noise(self, h: int, w: int) -> NDArray[np.int8]:
        fine = self.rng.standard_normal((h, w), dtype=np.float32)
        coarse = cv2.GaussianBlur(self.rng.standard_normal((h, w), dtype=np.float32), (0, 0), 1.1) * 3.0
        mixed = (0.7 * fine + 0.6 * coarse) * self.look.noise
        return np.asarray(np.clip(np.round(mixed), -100, 100), dtype=np.int8)

    def expose(self, canvas: Pixels, changed: Iterable[Box]) -> Pixels:
        """(h · 3 / 2, w) I420 planes of the picture of a canvas, of which only `changed` is new."""
        for box in merged(changed):
            self._look(canvas, box)
        planes = self._clean.copy()
        luma = planes[: self.camera.height]
        cv2.convertScaleAbs(luma, luma, 1.0 + self.look.flicker * float(self.rng.standard_normal()))
        if self.look.noise > 0:
            dy, dx = self.rng.integers(0, 48, 2)
            grain = self._grain[int(self.rng.integers(len(self._grain)))]
            part = grain[dy : dy + planes.shape[0], dx : dx + planes.shape[1]]
            cv2.add(planes, part, planes, dtype=cv2.CV_8U)
        return planes

    def _look(self, canvas: Pixels, box: Box) -> None:
        """Bring the part of the picture in which a canvas box shows up to date."""
        out = self._in_picture(box)
        if not out:
            return
        wide = Box(out.x0 - 4, out.y0 - 4, out.x1 + 4, out.y1 + 4) & self._frame
        seen = cv2.remap(canvas, wide.of(self._map), wide.of(self._fraction), cv2.INTER_LINEAR)
        if self.look.blur > 0.3:
            seen = cv2.GaussianBlur(seen, (5, 5), self.look.blur)
        inner = seen[out.y0 - wide.y0 : out.y1 - wide.y0, out.x0 - wide.x0 : out.x1 - wide.x0]
        planes = cv2.cvtColor(np.ascontiguousarray(inner), cv2.COLOR_BGR2YUV_I420)
        w, h = out.size
        half = Box(out.x0 // 2, out.y0 // 2, out.x1 // 2, out.y1 // 2)
        out.of(self._luma)[:] = planes[:h]
        chroma = np.asarray(planes[h:]).reshape(2, h // 2, w // 2)
        half.of(self._blue)[:], half.of(self._red)[:] = chroma[0], chroma[1]

    @property
    def _frame(self) -> Box:
        return Box(0, 0, self.camera.width, self.camera.height)

    def _in_picture(self, box: Box) -> Box:
        """The part of the picture (even px) in which a box of the canvas shows."""
        xs, ys = np.linspace(box.x0, box.x1, 5), np.linspace(box.y0, box.y1, 5)
        edge = [(x, y) for x in xs for y in (box.y0, box.y1)] + [(x, y) for y in ys for x in (box.x0, box.x1)]
        seen = Box.around(self.camera.distort(np.array(edge, dtype=np.float64) - self.camera.margin), SPREAD)
        inside = seen & self._frame
        return Box(inside.x0 // 2 * 2, inside.y0 // 2 * 2, -(-inside.x1 // 2) * 2, -(-inside.y1 // 2) * 2)
