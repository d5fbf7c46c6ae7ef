"""A camera held by hand over cards that lie still: how its pictures lie on an earlier one, and what changed since.

Corners of the earlier picture are followed into each new one (Lucas and Kanade, 1981), starting from where the last one
had them, and a homography laid through them (RANSAC): never from picture to picture, so that nothing drifts. What changed
is told by contrast and structure alone (as in SSIM; Wang et al., 2004), so that neither light nor a little blur does.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.capture.frames import Image
from vision.geometry.plane import apply

Floats = NDArray[np.float64]
Greys = NDArray[np.uint8]
Mask = NDArray[np.bool_]

#: Pictures are compared at this width, px.
WIDTH = 640
#: Corners that are followed at most, and how far apart these are at least, px.
CORNERS, APART = 400, 8
#: px around a corner that are compared, and how often these are halved first.
AROUND, HALVED = 21, 4
#: px that corners may lie beside the homography; so many, and such a share of those in view, must lie on it.
BESIDE, LEAST, SHARE = 2.0, 24, 0.25
#: By how much a picture may be larger or smaller than the first one (area).
LARGER = 4.0
#: px that structure is told over (standard deviation); less contrast than this (of 255) is noise; what is less alike than
#: this changed, and how much of it is taken for an error of the edges, px.
OVER, NOISE, ALIKE, EDGE = 4.0, 7.0, 0.35, 5
#: px by which that reaches (twice).
MARGIN = 33


@dataclass(frozen=True, slots=True)
class Followed:
    """How a picture lies on the first one."""

    #: (3, 3) px of the first picture to px of this one.
    onto: Floats
    #: (h, w) of the first picture, small: what of it is in view, and what of that changed.
    inside: Mask
    changed: Mask
    #: px of the small picture a px of the first one.
    scale: float

    def share(self, outline: Floats) -> float:
        """How much of what lies in an outline, (n, 2) px of the first picture, changed, 0 to 1."""
        inside = np.zeros(self.changed.shape, np.uint8)
        cv2.fillPoly(inside, [np.round(outline * self.scale).astype(np.int32)], 1)
        covered = int(inside.sum())
        return float(self.changed[inside > 0].sum() / covered) if covered else 0.0

    @property
    def most(self) -> float:
        """px² of the first picture: the largest part that changed."""
        return _largest(self.changed) / self.scale**2

    def since(self, before: Followed) -> float:
        """px² of the first picture: the largest part that changed in this picture or in the one before, not in both."""
        return _largest((self.changed ^ before.changed) & self.inside & before.inside) / self.scale**2


class Follower:
    """Lays the pictures of one camera on the first one, (H, W, 3) BGR. Not safe for use by several threads at once."""

    def __init__(self, first: Image, onto: Floats | None = None) -> None:
        """`onto`: (3, 3) px of the first picture to px of the one that was taken last, where that is not the first."""
        self._size = first.shape[:2]
        self._scale = min(1.0, WIDTH / first.shape[1])
        self._first = self._small(first)
        self._corners = _corners(self._first)
        self._onto = np.eye(3) if onto is None else self._shrunk(onto)

    @property
    def onto(self) -> Floats:
        """(3, 3) px of the first picture to px of the newest one that could be laid on it."""
        return self._grown(self._onto)

    def follow(self, image: Image) -> Followed | None:
        """How a picture lies on the first one; None where that cannot be told, or it has another size."""
        if image.shape[:2] != self._size or not len(self._corners):
            return None
        small = self._small(image)
        onto = self._found(small)
        if onto is None:
            return None
        self._onto = onto
        back = cv2.WARP_INVERSE_MAP | cv2.INTER_LINEAR
        size = (small.shape[1], small.shape[0])
        laid = np.asarray(cv2.warpPerspective(small, onto, size, flags=back), dtype=np.uint8)
        there = cv2.warpPerspective(np.full_like(small, 255), onto, size, flags=back) == 255
        # what is told near the edge of the view comes from beyond it
        there = cv2.erode(there.astype(np.uint8), np.ones((MARGIN, MARGIN), np.uint8)) > 0
        changed = differs(self._first, laid) & there
        return Followed(self.onto, np.asarray(there), changed, self._scale)

    def _small(self, image: Image) -> Greys:
        size = (round(image.shape[1] * self._scale), round(image.shape[0] * self._scale))
        small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), dtype=np.uint8)

    def _shrunk(self, onto: Floats) -> Floats:
        scale = np.diag([self._scale, self._scale, 1.0])
        return np.asarray(scale @ onto @ np.linalg.inv(scale), dtype=np.float64)

    def _grown(self, onto: Floats) -> Floats:
        scale = np.diag([self._scale, self._scale, 1.0])
        return np.asarray(np.linalg.inv(scale) @ onto @ scale, dtype=np.float64)

    def _found(self, small: Greys) -> Floats | None:
        """(3, 3) small px of the first picture to those of this one."""
        size = (small.shape[1], small.shape[0])
        as_before = cv2.warpPerspective(self._first, self._onto, size, borderMode=cv2.BORDER_REPLICATE)
        start = apply(self._onto, self._corners)
        inside = ((start >= 0) & (start < size)).all(axis=1)
        if inside.sum() < LEAST:
            return None
        at = start[inside].astype(np.float32)
        ended, met, _ = cv2.calcOpticalFlowPyrLK(
            as_before, small, at, np.zeros_like(at), winSize=(AROUND, AROUND), maxLevel=HALVED
        )
        kept = met.ravel() > 0
        if kept.sum() < LEAST:
            return None
        told, good = cv2.findHomography(self._corners[inside][kept], ended[kept], cv2.RANSAC, BESIDE)
        if told is None or good.sum() < max(LEAST, SHARE * inside.sum()):
            return None
        onto = np.asarray(told, dtype=np.float64)
        return onto if _is_view(onto, size) else None


def differs(one: Greys, two: Greys) -> Mask:
    """(h, w) where two grey pictures show other things."""
    first, second = (_fine(grey) for grey in (one, two))
    alike = (2 * _over(first * second) + NOISE**2) / (_over(first**2) + _over(second**2) + NOISE**2)
    mask = (alike < ALIKE).astype(np.uint8)
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((EDGE, EDGE), np.uint8)) > 0)


def _largest(mask: Mask) -> int:
    areas = cv2.connectedComponentsWithStats(mask.astype(np.uint8))[2][1:, cv2.CC_STAT_AREA]
    return int(areas.max()) if len(areas) else 0


def _fine(grey: Greys) -> NDArray[np.float32]:
    """What stands out in a picture, a little blurred, since no picture lies on another to the px."""
    told = cv2.GaussianBlur(grey.astype(np.float32), (0, 0), 1.5)
    return np.asarray(told - cv2.GaussianBlur(told, (0, 0), 2 * OVER), dtype=np.float32)


def _over(values: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(cv2.GaussianBlur(values, (0, 0), OVER), dtype=np.float32)


def _corners(grey: Greys) -> Floats:
    """(n, 2) px that can be followed."""
    found = cv2.goodFeaturesToTrack(grey, CORNERS, 0.01, APART)
    return np.zeros((0, 2)) if found is None else found.reshape(-1, 2).astype(np.float64)


def _is_view(onto: Floats, size: tuple[int, int]) -> bool:
    """Is this how a camera sees a plane from another place, not far from the first one?"""
    corners = np.array([[0, 0], [size[0], 0], size, [0, size[1]]], dtype=np.float64)
    if (np.column_stack([corners, np.ones(4)]) @ onto[2] <= 0).any():
        return False
    seen = apply(onto, corners).astype(np.float32)
    larger = cv2.contourArea(seen, True) / cv2.contourArea(corners.astype(np.float32), True)
    return bool(cv2.isContourConvex(seen)) and 1 / LARGER < larger < LARGER
