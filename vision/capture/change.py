"""Where a fixed camera's picture moves, rests, and differs from what was last looked at. Cheap: it works on a
small grey copy of every frame, in tiles.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.capture.frames import Image
from vision.layout import Floats

Mask = NDArray[np.bool_]
Grey = NDArray[np.uint8]

#: Width of the small copy, px; side of a tile in it.
SMALL_WIDTH = 480
TILE = 5
#: So many tiles may move in a picture that is still.
FEW_TILES = 6
#: A tile moves or differs when a pixel does by more than this (of 255) and than so many times the noise.
LEAST_STEP = 9.0
NOISE_TIMES = 3.5
#: Two pictures of a region are the same if they differ by less than this on average (of 255), and by less than
#: this share of what the region differs from what was there before; which must be so much at least.
SAME_LOOK, SAME_SHARE, LEAST_NEWS = 4.0, 0.35, 2.5
#: Light changes by no more than so much (of 255) while a place is steady; a sleeve over all of it may look as flat.
STEADY_LIGHT = 30
#: Two pictures of a region show the same print if no part of so many px of the small copy differs by more than this
#: share of what stands out most in it, or if no part's grain is further than this from being the other's (0: the same;
#: 1: nothing in common). Light and shadow are smooth, print and the edges of cards are not: finer than so many px.
SAME_PRINT, SAME_GRAIN, PART, FINE_PX = 0.3, 0.4, 7, 3.0
#: So many small pictures are compared at once: mostly one of the first tells.
AT_ONCE = 16
#: What stands out less than this (of 255) is noise.
NOISE = 4.5
#: What passes differs by so much (of 255) from what shows mostly within so long (s) before and after, in so many
#: pictures, every so many px.
PASSES, PASSES_S, PASSES_OF, PASSES_EVERY = 10, 3.0, 15, 2
#: So many moments are remembered of which that was asked.
PASSES_KEPT = 40

_WHOLE_TILE = np.ones((TILE, TILE), np.uint8)


@dataclass(frozen=True, slots=True)
class _Past:
    at: float
    small: Grey


class ChangeMap:
    """Push every frame; then ask of a region (n, 2) px whether it moves, since when it rests, if it changed.

    A region "changed" when it no longer looks as it did when it was `accept`ed last (or in the first frame).
    `memory_s`: how far back `rested` can look.
    """

    def __init__(self, width: int, height: int, *, memory_s: float = 10.0) -> None:
        self.scale = SMALL_WIDTH / width
        self.size = (SMALL_WIDTH, max(TILE, round(height * self.scale)))
        self.rows, self.columns = -(-self.size[1] // TILE), -(-SMALL_WIDTH // TILE)
        self.now = 0.0
        self.memory_s = memory_s
        #: (rows, columns) s: when each tile last moved, and whether it differs from what was accepted.
        self.moved = np.full((self.rows, self.columns), -np.inf)
        self.changed = np.zeros((self.rows, self.columns), dtype=bool)
        self._past: deque[_Past] = deque()
        self._tiles: dict[bytes, Mask] = {}
        self._accepted: Grey | None = None
        #: By moment and the frames around it: what passed then, which is asked of many places.
        self._passing: dict[tuple[float, ...], Mask] = {}

    def push(self, at: float, image: Image) -> None:
        """Take the frame shown at `at` (s); (height, width, 3) uint8 BGR."""
        self.push_small(at, self.shrunk(image))

    def push_small(self, at: float, small: Grey) -> None:
        """Take the frame shown at `at` (s) as `shrunk` gave it."""
        if self._accepted is None:
            self._accepted = small.copy()
        if self._past:
            self.moved[self._steps(small, self._past[-1].small)] = at
        self.changed = self._steps(small, self._accepted)
        self.now = at
        self._past.append(_Past(at, small))
        while self._past[0].at < at - self.memory_s:
            self._past.popleft()

    def tiles(self, region: Floats) -> Mask:
        """(rows, columns): the tiles that a polygon (n, 2) px touches."""
        key = region.tobytes()
        if key not in self._tiles:
            if len(self._tiles) > 2000:
                self._tiles.clear()
            mask = np.zeros((self.rows, self.columns), dtype=np.uint8)
            points = np.round((region * self.scale / TILE - 0.5) * 16).astype(np.int32)
            cv2.fillPoly(mask, [points], 1, cv2.LINE_8, 4)
            self._tiles[key] = mask.astype(bool)
        return self._tiles[key]

    def last_moved(self, region: Floats) -> float:
        """When anything last moved in the region (s); -inf if nothing ever did."""
        moved = self.moved[self.tiles(region)]
        return float(moved.max()) if moved.size else -np.inf

    def moving(self, region: Floats, within_s: float) -> float:
        """What share of the region's tiles moved within the last `within_s` seconds."""
        moved = self.moved[self.tiles(region)]
        return float((moved > self.now - within_s).mean()) if moved.size else 0.0

    def moved_share(self, region: Floats, since: float) -> float | None:
        """What share of the region's tiles has moved since then (s)."""
        return self.moving(region, self.now - since)

    def differs(self, region: Floats, least_tiles: int = 2) -> bool:
        """Whether at least so many tiles of the region look other than when they were accepted."""
        return int(self.changed[self.tiles(region)].sum()) >= least_tiles

    def accept(self, region: Floats) -> None:
        """Remember the region as it looks now."""
        self.accept_tiles(self.tiles(region))

    def accept_tiles(self, tiles: Mask) -> None:
        """Remember some tiles as they look now."""
        if not self._past or self._accepted is None:
            return
        pixels = _px_of(tiles, self.size)
        self._accepted[pixels] = self._past[-1].small[pixels]
        self.changed &= ~tiles

    def rested(self, region: Floats, since: float = -np.inf) -> float | None:
        """Since when (s) the region has looked as it looks now, but for what passed over it in between.

        The earliest frame after `since` (and within memory) that shows the region as it is now. None when the
        region looks just as it did at `since` (beyond memory: when it was accepted): then it cannot tell.
        """
        x0, y0, x1, y1 = self._bounds(region)
        if not self._past or self._accepted is None or x1 <= x0 or y1 <= y0:
            return None
        here = self._past[-1].small[y0:y1, x0:x1]
        news = float(_unlike(here, self._before(since)[None, y0:y1, x0:x1])[0])
        if news < LEAST_NEWS:
            return None
        same = min(SAME_LOOK, SAME_SHARE * news)
        shown = [past for past in self._past if past.at > since]
        if not shown:
            return self._past[-1].at
        unlike = _unlike(here, np.stack([past.small[y0:y1, x0:x1] for past in shown]))
        return next(past.at for past, much in zip(shown, unlike, strict=True) if much <= same)

    def as_before(self, region: Floats, since: float) -> float:
        """Up to when (s) the region looked as it did at `since`; `since` itself where it never did again."""
        return next((at for at, alike in self._likeness(region, since, newest_first=True) if alike), since)

    def steady(self, region: Floats, since: float) -> float:
        """Up to when (s) the region looked all the time as it did at `since`; `since` itself beyond memory."""
        if not self._past or self._past[0].at > since:
            return since
        likeness = self._likeness(region, since, light=STEADY_LIGHT)
        return next(
            (before for (before, _), (_, alike) in pairwise(chain([(since, True)], likeness)) if not alike),
            self.now,
        )

    def _likeness(
        self, region: Floats, since: float, *, newest_first: bool = False, light: int = 255
    ) -> Iterator[tuple[float, bool]]:
        """By frame after `since`: its moment (s), and whether the region looked as it did then, but for so much light."""
        x0, y0, x1, y1 = self._bounds(region)
        shown = [past for past in self._past if past.at > since][:: -1 if newest_first else 1]
        if not shown or self._accepted is None or x1 <= x0 or y1 <= y0:
            return
        before = self._before(since)[y0:y1, x0:x1]
        for first in range(0, len(shown), AT_ONCE):
            part = shown[first : first + AT_ONCE]
            unlike = _unlike(before, np.stack([past.small[y0:y1, x0:x1] for past in part]), light)
            yield from ((past.at, bool(much < LEAST_NEWS)) for past, much in zip(part, unlike, strict=True))

    def passing(self, at: float) -> Mask:
        """What shows at `at` (s) and mostly does not before and after, as an arm: (height, width), every `PASSES_EVERY`th
        px of the small copy. Nothing where that is not remembered.
        """
        shown = [past for past in self._past if abs(past.at - at) <= PASSES_S]
        if len(shown) < 3:
            return np.zeros((0, 0), dtype=bool)
        key = at, shown[0].at, shown[-1].at
        if key not in self._passing:
            if len(self._passing) >= PASSES_KEPT:
                self._passing.clear()
            self._passing[key] = _passing(shown, at)
        return self._passing[key]

    def patch(self, region: Floats) -> Grey:
        """The part of the small copy that a region takes now, to be compared as a `Print`."""
        x0, y0, x1, y1 = self._bounds(region)
        return self._past[-1].small[y0:y1, x0:x1].copy()

    def patch_of(self, region: Floats, at: float) -> Grey | None:
        """The same of a moment (s); None beyond memory."""
        x0, y0, x1, y1 = self._bounds(region)
        shown = next((past.small for past in reversed(self._past) if past.at <= at), None)
        return None if shown is None else shown[y0:y1, x0:x1].copy()

    def shows(self, region: Floats, patch: Grey) -> bool:
        """Whether a region shows the same print now as a patch of it did, whatever light falls on either."""
        return Print(self.patch(region)).same(Print(patch))

    def reaching(self, within_s: float) -> Mask:
        """(rows, columns): what reaches in from the edge of the picture as arms do: it differs from what was accepted,
        and moved within so many seconds.
        """
        moved = self.changed & (self.moved > self.now - within_s)
        count, labels = cv2.connectedComponents(moved.astype(np.uint8), connectivity=8)
        rim = np.zeros(count, dtype=bool)
        for edge in (labels[0], labels[-1], labels[:, 0], labels[:, -1]):
            rim[edge] = True
        rim[0] = False
        return np.asarray(rim[labels])

    def shows_same_print(self, tiles: Mask) -> bool:
        """Whether some tiles, which differ from what was accepted, differ by light and shadow alone."""
        if not self._past or self._accepted is None:
            return False
        rows, columns = np.nonzero(tiles)
        y0, y1 = int(rows.min()) * TILE, min((int(rows.max()) + 1) * TILE, self.size[1])
        x0, x1 = int(columns.min()) * TILE, min((int(columns.max()) + 1) * TILE, self.size[0])
        top, left = max(0, y0 - PART), max(0, x0 - PART)
        part = slice(top, y1 + PART), slice(left, x1 + PART)
        within = _px_of(tiles, self.size)[part]
        now, before = (Print(small[part], within) for small in (self._past[-1].small, self._accepted))
        return now.same(before, alike=True)

    def _before(self, since: float) -> Grey:
        """The small picture shown at `since`, or what was accepted if that is too long ago."""
        assert self._accepted is not None
        if self._past[0].at > since:
            return self._accepted
        return next((past.small for past in reversed(self._past) if past.at <= since), self._accepted)

    def _bounds(self, region: Floats) -> tuple[int, int, int, int]:
        low = np.floor(region.min(axis=0) * self.scale).astype(int)
        high = np.ceil(region.max(axis=0) * self.scale).astype(int)
        x0, y0 = max(0, int(low[0])), max(0, int(low[1]))
        return x0, y0, min(self.size[0], int(high[0])), min(self.size[1], int(high[1]))

    def shrunk(self, image: Image) -> Grey:
        """What is kept of a frame; (height, width, 3) uint8 BGR. May be asked by any thread."""
        return self.shrunk_grey(np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8))

    def shrunk_grey(self, grey: Grey, smaller: Grey | None = None) -> Grey:
        """The same of the grey levels of a frame, (height, width); `smaller`: the same picture, cheaper to work with."""
        if smaller is not None and smaller.shape[1] >= SMALL_WIDTH:
            grey = smaller
        shrunk = cv2.resize(grey, self.size, interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.blur(shrunk, (3, 3)), dtype=np.uint8)

    def still_for(self, seconds: float) -> bool:
        """Whether nothing moved anywhere for so long; noise and a light that flickers move a tile or two."""
        return int((self.moved > self.now - seconds).sum()) <= FEW_TILES

    def _steps(self, a: Grey, b: Grey) -> Mask:
        """The tiles in which two small pictures differ by more than noise and a common change of light."""
        change = np.asarray(cv2.subtract(a, b, dtype=cv2.CV_16S), dtype=np.int16)
        step = cv2.convertScaleAbs(change, alpha=1.0, beta=-int(_median(change[::4, ::4])))
        more = (0, -step.shape[0] % TILE, 0, -step.shape[1] % TILE)
        padded = cv2.copyMakeBorder(step, *more, cv2.BORDER_CONSTANT, value=0) if any(more) else step
        # the largest step around the middle of every tile
        largest = np.asarray(cv2.dilate(padded, _WHOLE_TILE, borderValue=0), dtype=np.uint8)
        tiles = largest[TILE // 2 :: TILE, TILE // 2 :: TILE]
        return np.asarray(tiles > max(LEAST_STEP, NOISE_TIMES * _median(tiles)))


def _passing(shown: Sequence[_Past], at: float) -> Mask:
    """What of some frames shows at `at` (s) and mostly does not; see `ChangeMap.passing`."""
    near = int(np.argmin([abs(past.at - at) for past in shown]))
    often = [past.small for past in shown[:: -(-len(shown) // PASSES_OF)]]
    usual = _mostly(often)
    here = _mostly([past.small for past in shown[max(0, min(near - 1, len(shown) - 3)) :][:3]])
    step = here.astype(np.int16) - usual
    return np.asarray(np.abs(step - np.int16(_median(step))) > PASSES)


def _median(values: NDArray[np.int16] | Grey) -> float:
    """The median of whole numbers from -255 to 255: counted, which is much faster than sorted."""
    upto = np.cumsum(np.bincount(values.ravel() + np.int16(255), minlength=511))
    low, high = np.searchsorted(upto, ((values.size + 1) // 2, values.size // 2 + 1))
    return float(low + high) / 2 - 255


def _mostly(smalls: Sequence[Grey]) -> Grey:
    """What they show at each px, thinned: their median there."""
    stack = np.stack([small[::PASSES_EVERY, ::PASSES_EVERY] for small in smalls])
    middle = len(smalls) // 2
    return np.asarray(np.partition(stack, middle, axis=0)[middle])


def _px_of(tiles: Mask, size: tuple[int, int]) -> Mask:
    """(height, width): the px of some tiles, in a small copy of this size."""
    return np.asarray(np.repeat(np.repeat(tiles, TILE, axis=0), TILE, axis=1)[: size[1], : size[0]])


def _unlike(a: Grey, others: Grey, light: int = 255) -> Floats:
    """(n,): mean difference from each of (n, height, width), but for a common change of light of up to so much: the
    shadow of a hand that still hovers.
    """
    step = (a.astype(np.int16) - others).reshape(len(others), -1)
    common = np.clip(np.median(step, axis=1), -light, light).astype(np.int16)
    return np.asarray(np.abs(step - common[:, None]).mean(axis=1), dtype=np.float64)


class Print:
    """A small picture of a place, to be compared with others of it; what that takes is worked out once."""

    def __init__(self, small: Grey, within: Mask | None = None) -> None:
        """`within`: the px of it that count; all of them without it."""
        self.small, self._within = small, within

    @cached_property
    def _fine(self) -> NDArray[np.float32]:
        fine = _fine(self.small)
        return fine if self._within is None else np.where(self._within, fine, np.float32(0))

    @cached_property
    def _most(self) -> float:
        return float(_parts(np.abs(self._fine)).max())

    @cached_property
    def _strength(self) -> NDArray[np.float32]:
        return _parts(self._fine * self._fine)

    def same(self, other: Print, *, alike: bool = False) -> bool:
        """Whether both show the same cards, whatever shadow lies on either; `alike`: no less of it."""
        if self.small.shape != other.small.shape or not self.small.size:
            return False
        apart = np.asarray(cv2.absdiff(self._fine, other._fine), dtype=np.float32)
        if _parts(apart).max() < SAME_PRINT * max(self._most, other._most, NOISE):
            return True
        both, noise = _parts(self._fine * other._fine), NOISE * NOISE
        one, another = self._strength, other._strength
        # what shows no print at all is no fainter picture of one: a plain back is none of any card
        bare = min(self._most, other._most) < NOISE
        each = np.maximum(one, another) if alike or bare else np.sqrt(one * another)
        return bool(((both + noise) / (each + noise)).min() > 1.0 - SAME_GRAIN)


def _fine(small: Grey) -> NDArray[np.float32]:
    exact = small.astype(np.float32)
    return np.asarray(exact - cv2.GaussianBlur(exact, (0, 0), FINE_PX), dtype=np.float32)


def _parts(fine: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(cv2.blur(fine, (PART, PART)), dtype=np.float32)


def spread_out(tiles: Mask, by: int = 1) -> Mask:
    """The mask grown by some tiles on every side."""
    return np.asarray(cv2.dilate(tiles.astype(np.uint8), np.ones((2 * by + 1, 2 * by + 1), np.uint8)) > 0)


def clusters(tiles: Mask) -> list[Mask]:
    """The connected parts of a mask, largest first."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(tiles.astype(np.uint8), connectivity=8)
    order = sorted(range(1, count), key=lambda i: -int(stats[i, cv2.CC_STAT_AREA]))
    return [labels == i for i in order]
