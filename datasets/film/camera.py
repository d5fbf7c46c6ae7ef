"""The overhead camera: table plane and heights in mm to picture px, with tilt, roll and lens distortion.

Table coordinates: origin where the camera looks, x to the right and y down *as seen in the picture*, z up
towards the camera, all mm.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Camera:
    """A fixed camera. Angles in degrees; `px_per_mm` holds at the origin of the table."""

    width: int = 1920
    height: int = 1080
    px_per_mm: float = 2.0
    #: Horizontal field of view.
    view: float = 60.0
    #: Lean away from straight down, and the direction (0 = towards the top of the picture) of the lean.
    tilt: float = 0.0
    towards: float = 0.0
    roll: float = 0.0
    #: Radial distortion, of the radius in focal lengths; negative is barrel.
    k1: float = 0.0
    k2: float = 0.0
    #: Seconds from the reading of one line to that of the next (rolling shutter).
    line_time: float = 0.0
    #: How far the picture has moved since the camera was put up: px right and down, degrees about its middle.
    knock: tuple[float, float, float] = (0.0, 0.0, 0.0)
    #: px that the undistorted canvas extends beyond the picture on every side.
    margin: int = 72

    @cached_property
    def focal(self) -> float:
        """Focal length in px."""
        return float(self.width / 2 / np.tan(np.radians(self.view / 2)))

    @cached_property
    def distance(self) -> float:
        """mm from the lens to the origin of the table."""
        return self.focal / self.px_per_mm

    @cached_property
    def _rotation(self) -> Floats:
        roll, tilt, towards = np.radians([self.roll, self.tilt, self.towards])
        spin = _about_z(roll)
        lean = _about_z(towards) @ _about_x(tilt) @ _about_z(-towards)
        return np.asarray(lean @ spin)

    def project(self, points: Floats) -> Floats:
        """(n, 3) mm → (n, 2) px of an ideal lens, in the picture's coordinates."""
        turned = np.asarray(points, dtype=np.float64) @ self._rotation.T
        depth = self.distance - turned[:, 2]
        centre = (self.width / 2, self.height / 2)
        return np.asarray(turned[:, :2] * (self.focal / depth)[:, None] + centre)

    def to_canvas(self, points: Floats) -> Floats:
        """(n, 3) mm → (n, 2) px on the undistorted canvas."""
        return self.project(points) + self.margin

    def to_picture(self, points: Floats) -> Floats:
        """(n, 3) mm → (n, 2) px in the finished picture, lens distortion included."""
        return self.distort(self.project(points))

    def distort(self, px: Floats) -> Floats:
        """(n, 2) px of an ideal lens → px in the finished picture."""
        centre = np.array([self.width / 2, self.height / 2])
        ray = (px - centre) / self.focal
        r2 = (ray**2).sum(axis=1, keepdims=True)
        seen = ray * (1 + self.k1 * r2 + self.k2 * r2**2) * self.focal
        return np.asarray(centre + seen @ self._knocked.T + self.knock[:2])

    def rolled(self, velocity: Floats) -> Floats:
        """(3, 3) map on the canvas of what moves by `velocity` (px right and down a second), its lines read in turn.

        The middle line is read at the picture's moment.
        """
        vx, vy = float(velocity[0]) * self.line_time, float(velocity[1]) * self.line_time
        middle = self.height / 2 + self.margin
        stretch = 1 / (1 - vy)
        return np.array(
            [
                [1, vx * stretch, -vx * stretch * middle],
                [0, stretch, middle * (1 - stretch)],
                [0, 0, 1],
            ]
        )

    @property
    def _knocked(self) -> Floats:
        return _about_z(float(np.radians(self.knock[2])))[:2, :2]

    @cached_property
    def plane_to_canvas(self) -> Floats:
        """(3, 3) homography from mm on the table to canvas px."""
        corners = np.array([[-400, -300], [400, -300], [400, 300], [-400, 300]], dtype=np.float32)
        seen = self.to_canvas(np.column_stack([corners, np.zeros(4)])).astype(np.float32)
        return np.asarray(cv2.getPerspectiveTransform(corners, seen), dtype=np.float64)

    @cached_property
    def plane_to_picture_corners(self) -> Floats:
        """(4, 2) mm on the table under the corners of the ideal picture, clockwise from the top left."""
        w, h, m = self.width, self.height, self.margin
        px = np.array([[[0, 0], [w, 0], [w, h], [0, h]]], dtype=np.float64) + m
        return np.asarray(cv2.perspectiveTransform(px, np.linalg.inv(self.plane_to_canvas))[0])

    @cached_property
    def canvas_shape(self) -> tuple[int, int]:
        """Height and width of the undistorted canvas, px."""
        return self.height + 2 * self.margin, self.width + 2 * self.margin

    @cached_property
    def lens_maps(self) -> tuple[NDArray[np.int16], NDArray[np.uint16]]:
        """Fixed-point maps for `cv2.remap` from the canvas to the finished picture."""
        ys, xs = np.mgrid[0 : self.height, 0 : self.width].astype(np.float32)
        cx, cy = self.width / 2, self.height / 2
        # A pixel's middle is half a px from its index; the geometry counts from the picture's corner.
        if any(self.knock):
            away = np.stack([xs - self.knock[0] + 0.5 - cx, ys - self.knock[1] + 0.5 - cy], axis=-1)
            away = away @ self._knocked.astype(np.float32)
            xs, ys = away[..., 0] - 0.5 + cx, away[..., 1] - 0.5 + cy
        dx, dy = (xs + 0.5 - cx) / self.focal, (ys + 0.5 - cy) / self.focal
        ux, uy = dx.copy(), dy.copy()
        for _ in range(6):
            r2 = ux**2 + uy**2
            scale = 1 + self.k1 * r2 + self.k2 * r2**2
            ux, uy = dx / scale, dy / scale
        map_x = (ux * self.focal + cx + self.margin - 0.5).astype(np.float32)
        map_y = (uy * self.focal + cy + self.margin - 0.5).astype(np.float32)
        return cv2.convertMaps(map_x, map_y, cv2.CV_16SC2)

    def room(self, margin_px: float = 14.0) -> tuple[float, float]:
        """Width and height (mm) in view: the largest rectangle around the origin of the picture's shape."""
        inside = np.array([self.width, self.height]) - margin_px
        low, high = 0.2, 1.2
        for _ in range(30):
            scale = (low + high) / 2
            w, h = scale * self.width / self.px_per_mm, scale * self.height / self.px_per_mm
            edge = [[x * w / 2, y * h / 2, 12.0] for x in (-1, 0, 1) for y in (-1, 0, 1)]
            seen = self.to_picture(np.array(edge))
            low, high = (scale, high) if (seen > margin_px).all() and (seen < inside).all() else (low, scale)
        return low * self.width / self.px_per_mm, low * self.height / self.px_per_mm


def _about_x(angle: float) -> Floats:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def _about_z(angle: float) -> Floats:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
