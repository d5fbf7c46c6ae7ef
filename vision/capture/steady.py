"""A fixed camera that is knocked: its picture is laid on what it showed before, by what lies on the table.

It works on the small grey copies that `ChangeMap.shrunk` makes. Points that stand out in the last steady picture are
followed into the present one (Lucas and Kanade, there and back); what most of them agree on is how the picture moved
(RANSAC). Hands and cards that moved meanwhile are the others.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.capture.change import Grey
from vision.layout import Floats

#: A picture is compared with an earlier one so often (s), and at once where so much of what stands out in the one before
#: (by more than this, of 255) has changed by more than so much: hands change a quarter, a knock two thirds.
COMPARE_S, JUMPED_SHARE, STANDS_OUT, STEP = 1.0, 0.4, 20, 8
#: The camera has moved when a corner of the picture has by more than this (px of the small copy). It stands again when
#: two pictures so far apart (s) agree to within so many px.
MOVED_PX, STANDS_S, AGREE_PX = 0.4, 0.09, 0.25
#: So many points are followed; they come back to within so many px; the picture moved as so many of them say, and as
#: this share of those that were found again does, to within so many px.
POINTS, BACK_PX, LEAST_POINTS, LEAST_SHARE, OFF_PX = 160, 0.5, 20, 0.4, 0.35
#: It stands where it stood if nearly as many points (share of those that agree) have stayed to within so many px; or if
#: this share has to within `OFF_PX`: in a dim picture points stray, and where hands leave but some in one part of it,
#: what they agree on says little of a far corner. A turn by half a px there leaves four in five so near.
STAYED, STAYED_PX, STAYED_AT_ALL = 0.8, 0.2, 0.85
#: And it does if this share of the points that were found again has stayed while a corner is said to have moved by more
#: than this (px): a tilt fits what lies still in one part of the picture and what hands move in another.
STAND, TORN_PX = 0.5, 2.0
#: A camera that was tilted needs more than a turn and a shift: where so many times as many points, and so many more,
#: agree on it.
BETTER, MORE_POINTS = 1.25, 12
#: Pictures too far apart for points to be followed are laid on one another by so many features, so often (s).
FEATURES, WIDE_S = 700, 0.3
#: Another picture is compared with when the one that was is older than this (s), or less than this share of its points
#: are found again: the table changes. It may lie so far off, which is little beside what a camera sags meanwhile.
ANCHOR_S, ANCHOR_SHARE = 20.0, 0.6
#: A light that is switched on leaves what is fine alike (correlation) in this share of what stands out. Where no more
#: than this share stands out of what did, or did of what does now, cards went or came and nothing tells of the camera.
ALIKE, ALIKE_SHARE, FINE_PX, PART, LEFT_SHARE = 0.5, 0.5, 3.0, 9, 0.5
#: Of a picture with fewer points nothing is told when they are gone; nor where so many of them, this far apart (px), are
#: just where they were: hands that gather up what few cards lie on a plain table are most of what stands out there.
RICH, HELD, HELD_PX = 60, 8, 60.0
#: Frames further apart than this (s) are compared anew; while no more than so much (s) passes, hands change no table so
#: much that nothing is left of it.
PAUSE_S, PAUSE_MOST_S = 0.3, 2.0
#: A camera that has not found the table for so long (s) searches for it so often (s).
LONG_S, SELDOM_S = 5.0, 1.0
#: So many moves are remembered.
MOVES = 64

_SAME = np.eye(3)
Mask = NDArray[np.bool_]


class Steady:
    """Push every small copy that can be read, in order."""

    def __init__(self) -> None:
        #: Since when (s) the camera moves, or stands where the table was not found yet.
        self.moving_since: float | None = None
        self._anchor: Grey | None = None
        self._anchor_s = 0.0
        self._latest: Grey | None = None
        self._latest_s = -np.inf
        self._shown: Grey | None = None
        #: From when (s) on which (3, 3), px of the small copy -> px of what the first one showed, holds.
        self._moves: deque[tuple[float, Floats]] = deque([(-np.inf, _SAME)], MOVES)
        self._compared_s = self._searched_s = -np.inf
        self._followed_s = -np.inf
        self._guess: Floats | None = None

    def push(self, at: float, small: Grey) -> Grey | None:
        """The picture shown at `at` (s) as the first one's camera would have taken it; None while it moves.

        What has left the picture stays as it was seen last.
        """
        before, pause_s = self._latest, at - self._latest_s
        self._latest, self._latest_s = small, at
        if self._anchor is None or before is None:
            self.begin(at, small)
        elif self.moving_since is not None:
            self._search(at, small)
        elif pause_s > PAUSE_S or _jumped(before, small):
            self._compare(at, small, at, jumped=pause_s <= PAUSE_MOST_S)
        elif at - self._compared_s >= COMPARE_S:
            self._compare(at, small, self._compared_s, jumped=False)
        return None if self.moving_since is not None else self._laid(small)

    def begin(self, at: float, small: Grey) -> None:
        """Where the camera stands now (s) is where it is to stand."""
        self._latest, self._latest_s = small, at
        self._anchor, self._anchor_s, self._compared_s = small, at, at
        if not np.array_equal(self._now, _SAME):
            self._moves.append((at, _SAME))
        self.moving_since = self._guess = self._shown = None

    def stay(self, at: float, small: Grey) -> None:
        """It has not moved: it stands (at s) where it was seen to stand last."""
        self._anchor, self._anchor_s, self._compared_s = small, at, at
        self.moving_since = self._guess = None

    def to_first(self, at: float) -> Floats:
        """(3, 3): px of a small copy taken at `at` (s) -> px of the first one."""
        return next((by for since, by in reversed(self._moves) if since <= at), self._moves[0][1])

    @property
    def _now(self) -> Floats:
        return self._moves[-1][1]

    def _compare(self, at: float, small: Grey, since: float, *, jumped: bool) -> None:
        assert self._anchor is not None
        self._compared_s = at
        found = followed(self._anchor, small)
        if found is None:
            gone = jumped and _is_rich(self._anchor) and not _alike(self._anchor, small)
            if gone and not _holds(self._anchor, small):
                self.moving_since, self._guess = at, None
            else:
                self._anchor, self._anchor_s = small, at
        elif found.stayed:
            if at - self._anchor_s > ANCHOR_S or found.share < ANCHOR_SHARE:
                self._anchor, self._anchor_s = small, at
        elif _apart(found.by, _SAME, small) > MOVED_PX:
            self.moving_since, self._guess, self._followed_s = since, found.by, at

    def _search(self, at: float, small: Grey) -> None:
        """Whether the camera stands again, and how."""
        assert self._anchor is not None and self.moving_since is not None
        long = self._guess is None and at - self.moving_since > LONG_S
        if at - self._followed_s < (SELDOM_S if long else STANDS_S):
            return
        self._followed_s = at
        found = followed(self._anchor, small)
        if found is None and at - self._searched_s >= WIDE_S:
            self._searched_s = at
            found = matched(self._anchor, small)
        if found is None:
            self._guess = None
        elif self._guess is None or _apart(found.by, self._guess, small) > AGREE_PX:
            self._guess = found.by
        else:
            if not found.stayed:
                self._moves.append((at, self._now @ inverse(found.by)))
            self._anchor, self._anchor_s, self._compared_s = small, at, at
            self.moving_since = self._guess = None

    def _laid(self, small: Grey) -> Grey:
        if np.array_equal(self._now, _SAME):
            self._shown = small
            return small
        self._shown = laid(small, self._now, self._shown)
        return self._shown


def inverse(by: Floats) -> Floats:
    """(3, 3): the way back."""
    return np.asarray(np.linalg.inv(by), dtype=np.float64)


def scaled(by: Floats, scale: float) -> Floats:
    """(3, 3) px -> px, for pictures so many times as large."""
    return np.asarray(
        by * [[1.0, 1.0, scale], [1.0, 1.0, scale], [1 / scale, 1 / scale, 1.0]], dtype=np.float64
    )


def full_size(by: Floats, scale: float) -> Floats | None:
    """The same for the pictures of which small copies were made, so many times as small; None where nothing moves."""
    return None if np.array_equal(by, _SAME) else scaled(by, 1 / scale)


def laid(picture: Grey, by: Floats, beneath: Grey | None = None) -> Grey:
    """A grey picture moved by (3, 3) px -> px. `beneath`: what shows where it does not reach; else its edge."""
    height, width = picture.shape
    if beneath is None:
        moved = cv2.warpPerspective(picture, by, (width, height), borderMode=cv2.BORDER_REPLICATE)
    else:
        onto = beneath.copy()
        moved = cv2.warpPerspective(picture, by, (width, height), dst=onto, borderMode=cv2.BORDER_TRANSPARENT)
    return np.asarray(moved, dtype=np.uint8)


@dataclass(frozen=True, slots=True)
class Followed:
    """How one picture lies on another."""

    #: (3, 3): px of the first -> px of the second.
    by: Floats
    #: The share of the points that were found again.
    share: float
    stayed: bool = False


def followed(before: Grey, now: Grey) -> Followed | None:
    """As most points say that stand out; None where too few agree."""
    here, found, sought = _found_again(before, now)
    agreed = _agreed(here, found, sought)
    if (
        agreed is not None
        and _apart(agreed.by, _SAME, now) > TORN_PX
        and _stay(here, found) >= STAND * len(here)
    ):
        return Followed(_SAME, agreed.share, stayed=True)
    return agreed


def _found_again(before: Grey, now: Grey) -> tuple[Floats, Floats, int]:
    """(n, 2) px of the points that stand out and were found again, in both pictures; how many were looked for."""
    points = cv2.goodFeaturesToTrack(before, POINTS, 0.02, 7, blockSize=5)
    if points is None or len(points) < LEAST_POINTS:
        return np.empty((0, 2)), np.empty((0, 2)), 0
    there, one, _ = cv2.calcOpticalFlowPyrLK(before, now, points, np.zeros_like(points), winSize=(15, 15))
    back, two, _ = cv2.calcOpticalFlowPyrLK(now, before, there, np.zeros_like(points), winSize=(15, 15))
    again = (one[:, 0] > 0) & (two[:, 0] > 0) & (np.abs(back - points).max(axis=(1, 2)) < BACK_PX)
    return points[again, 0], there[again, 0], len(points)


def _holds(before: Grey, now: Grey) -> bool:
    """Whether some of what stands out is just where it was, in more than one place: no camera turns about two."""
    here, there, _ = _found_again(before, now)
    held = here[np.linalg.norm(there - here, axis=1) < STAYED_PX]
    return len(held) >= HELD and float(np.linalg.norm(np.ptp(held, axis=0))) > HELD_PX


def stands(before: Grey, now: Grey) -> bool:
    """Whether the camera stands where it stood, as what is seen in both pictures says; not where that is too little."""
    found = followed(before, now)
    return found is not None and (found.stayed or _apart(found.by, _SAME, now) <= MOVED_PX)


def matched(before: Grey, now: Grey) -> Followed | None:
    """The same of pictures that lie far apart, by features that look alike, made sure of by `followed`."""
    finder = cv2.ORB.create(nfeatures=FEATURES, fastThreshold=10)
    (one, print_one), (two, print_two) = (finder.detectAndCompute(each, None) for each in (before, now))
    if len(one) < LEAST_POINTS or len(two) < LEAST_POINTS:
        return None
    pairs = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True).match(print_one, print_two)
    if len(pairs) < LEAST_POINTS:
        return None
    here = np.array([one[pair.queryIdx].pt for pair in pairs], dtype=np.float32)
    there = np.array([two[pair.trainIdx].pt for pair in pairs], dtype=np.float32)
    about, agree = cv2.findHomography(here, there, cv2.RANSAC, 2.0)
    if about is None or int(agree.sum()) < LEAST_POINTS or abs(np.linalg.det(about)) < 1e-6:
        return None
    rest = followed(before, laid(now, inverse(np.asarray(about, dtype=np.float64))))
    return None if rest is None else Followed(np.asarray(about @ rest.by, dtype=np.float64), rest.share)


def _agreed(here: Floats, there: Floats, sought: int) -> Followed | None:
    if len(here) < LEAST_POINTS:
        return None
    turned, agree = cv2.estimateAffinePartial2D(here, there, method=cv2.RANSAC, ransacReprojThreshold=OFF_PX)
    tilted, agree_tilted = cv2.findHomography(here, there, cv2.RANSAC, OFF_PX)
    count, count_tilted = (0 if one is None else int(one.sum()) for one in (agree, agree_tilted))
    most, share = max(count, count_tilted), len(here) / sought
    if most < max(LEAST_POINTS, LEAST_SHARE * len(here)):
        return None
    if _stay(here, there) >= STAYED * most or _stay(here, there, OFF_PX) >= STAYED_AT_ALL * most:
        return Followed(_SAME, share, stayed=True)
    if turned is None or count_tilted > max(BETTER * count, count + MORE_POINTS):
        return Followed(np.asarray(tilted, dtype=np.float64), share)
    return Followed(np.vstack([turned, [0.0, 0.0, 1.0]]), share)


def _stay(here: Floats, there: Floats, within: float = STAYED_PX) -> int:
    """How many points stay where they were, to within so many px."""
    return int((np.linalg.norm(there - here, axis=1) < within).sum())


def _apart(one: Floats, other: Floats, small: Grey) -> float:
    """How far (px) two transforms carry a corner of the picture apart at most."""
    height, width = small.shape
    corners = np.array([[[0.0, 0.0], [width, 0.0], [width, height], [0.0, height]]])
    step = cv2.perspectiveTransform(corners, one) - cv2.perspectiveTransform(corners, other)
    return float(np.linalg.norm(step, axis=2).max())


def _standing_out(small: Grey) -> Mask:
    edges = cv2.morphologyEx(small, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))
    return np.asarray(edges[::2, ::2] > STANDS_OUT)


def _jumped(before: Grey, now: Grey) -> bool:
    """Whether most of what stood out has changed from one picture to the next."""
    edges = _standing_out(before)
    if not edges.any():
        return False
    step = cv2.absdiff(before[::2, ::2], now[::2, ::2]) > STEP
    return float(step[edges].mean()) > JUMPED_SHARE


def _is_rich(small: Grey) -> bool:
    """Whether there is so much in a picture that it would be seen if it were still there."""
    points = cv2.goodFeaturesToTrack(small, POINTS, 0.02, 7, blockSize=5)
    return points is not None and len(points) >= RICH


def _alike(before: Grey, now: Grey) -> bool:
    """Whether what is fine in a picture may be where it was, whatever light falls on it."""
    edges = _standing_out(before)
    then, since = float(edges.mean()), float(_standing_out(now).mean())
    if min(then, since) <= LEFT_SHARE * max(then, since):
        return True
    one, two = (_fine(each) for each in (before, now))
    both, each_one, each_two = (
        cv2.blur(product, (PART, PART))[::2, ::2] for product in (one * two, one * one, two * two)
    )
    same = both > ALIKE * np.sqrt(each_one * each_two)
    return float(same[edges].mean()) > ALIKE_SHARE


def _fine(small: Grey) -> NDArray[np.float32]:
    exact = small.astype(np.float32)
    return np.asarray(exact - cv2.GaussianBlur(exact, (0, 0), FINE_PX), dtype=np.float32)
