"""Cards that were carried to one place one soon after the other: when each came to rest, and from where it came.

Of two cards that come to one place hands and cards cover each other, and little of a print is seen. But what is new
there, card, fingers and shade, moves as one. So each frame is asked for what is new in it, and that is followed back
through the frames before (`following.py`): what moves as one, then what is left, there and beside it, where the arms of
those who sit there come from. A hand that reaches goes along a line, and of its way so much is
left as of the smoothest movement there is (minimum jerk; Flash and Hogan, 1985): where what was followed fits that, its
end is the moment at which the card came to rest, be it that another one had covered it by then. A hand that leaves does
not fit it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.capture.moments.following import AROUND_PX, moves_along, way_of
from vision.capture.moments.landing import NEWS, SIZE, STEEP, Interval, Mask, Patch, Patches, gradients
from vision.capture.moments.ring import FrameRing
from vision.layout import Floats

#: What is carried is looked for by at least so many px (of `SIZE`).
LEAST_PX = 60
#: Arms are followed in squares of so many px to both sides of a middle so far (px) to their seat's side, but not within
#: so many px of the card's middle.
SQUARE_PX, ASIDE_PX, BEYOND_PX = 34, 45, 12
#: Patches are so much wider (px) than a card on all sides.
RIM_PX = 84
#: What is new came within so long (s), and is followed back for so long (s). Of what is new in one frame so many move
#: each in its own way: two hands, and what they hold.
NEW_S, BACK_S, MOVERS = 0.05, 0.25, 2
#: A reach takes one of these times (s), and is so long (px of `SIZE`): of others the end is no reach's.
REACHES_S, LENGTHS_PX = (0.5, 0.6, 0.75), (40.0, 450.0)
#: It ends up to so long (s) after what is followed, or was over so long before; moments are tried so close (frames). It
#: fits to so many px (root of mean square).
AHEAD_S, BEHIND_S, TRIED, FITS_PX = 0.07, 0.2, 0.05, 0.35
#: Ends from one side (cosine) within so long (s) are one card's. It is told by so many of them where the card lies, or so
#: many in all: few of those beside it are of ways that were lost before, up to 0.2 s too early.
ONE_SIDE, ONE_CARD_S, TOLD, TOLD_BESIDE = 0.85, 0.06, 2, 4
#: What is told beside the card came to its place, too, so many times, no longer before than this (s).
THERE, SHORTLY_S = 2, 0.15
#: A card came to rest within so many frames of what its reach tells.
SURE_FRAMES = 1.0


#: A patch, and where what is new in it lay before, away from there ((n, 2) px).
_Way = tuple[int, Floats]


@dataclass(frozen=True, slots=True)
class Arrival:
    """A card that came to rest: when (s), and from which side ((2,) px of the picture)."""

    landed: Interval
    side: Floats


@dataclass(frozen=True, slots=True)
class Reach:
    """The end of a reach towards the middle of patches: its moment (patches), and from which side ((2,), length 1)."""

    ends: float
    side: Floats
    #: It was followed beside where the card lies.
    beside: bool = False


@dataclass(frozen=True, slots=True)
class _Window:
    """A part of patches in which what is new is followed: its rows and columns, and which of its px are asked."""

    rows: slice
    columns: slice
    asked: Mask


def arrivals(
    ring: FrameRing, corners: Floats, since: float, until: float, sides: Sequence[Floats] = ()
) -> list[Arrival]:
    """Cards that came to rest between two moments (s) where one lies at `corners` ((4, 2) px), in order.

    `sides`: (2,) px each, towards whom arms may come from.
    """
    width, height = SIZE
    across, down = (corners[1] - corners[0]) / width, (corners[3] - corners[0]) / height
    rim = RIM_PX * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    wide = corners + rim[:, :1] * across + rim[:, 1:] * down
    times, patches = ring.part(wide, (width + 2 * RIM_PX, height + 2 * RIM_PX), since, until)
    if len(patches) < 4:
        return []
    frame = float(np.median(np.diff(times)))
    numbers = np.arange(len(times))
    upright = np.linalg.inv(np.stack([across, down], axis=1))
    found = []
    for reach in reaches(patches, frame, [upright @ side for side in sides]):
        beyond = max(0.0, reach.ends - numbers[-1]) * frame
        at = float(np.interp(reach.ends, numbers, times)) + beyond
        side = reach.side[0] * across + reach.side[1] * down
        about = SURE_FRAMES * frame
        found.append(Arrival((at - about, at + about), side))
    return found


def reaches(patches: Patches, frame: float, sides: Sequence[Floats] = ()) -> list[Reach]:
    """The ends of all reaches towards the middle of patches, in order. `frame`: s from one patch to the next.

    `sides`: (2,) px each, towards whom arms may come from.
    """
    smooth = np.stack([cv2.GaussianBlur(patch, (0, 0), 0.7) for patch in patches])
    ways = list(_followed(smooth, _card(smooth.shape[1:]), frame))
    ends = list(_ends(ways, frame))
    for side in sides:
        # arms reach for what lies beside it, too
        reach = _ends(_followed(smooth, _arm(smooth.shape[1:], side), frame), frame)
        ends += [replace(end, beside=True) for end in reach if _leads_there(end, ways, frame)]
    cards: list[list[Reach]] = []
    for end in sorted(ends, key=lambda reach: reach.ends):
        same = (card for card in cards if _is_one(card[-1], end, frame))
        card = next(same, None)
        if card is None:
            cards.append([end])
        else:
            card.append(end)
    told = [card for card in cards if sum(not end.beside for end in card) >= TOLD or len(card) >= TOLD_BESIDE]
    return sorted(map(_middle, told), key=lambda reach: reach.ends)


def _is_one(one: Reach, other: Reach, frame: float) -> bool:
    return bool(one.side @ other.side > ONE_SIDE) and abs(one.ends - other.ends) * frame < ONE_CARD_S


def _middle(card: Sequence[Reach]) -> Reach:
    side = np.mean([reach.side for reach in card], axis=0)
    return Reach(float(np.median([reach.ends for reach in card])), side / np.hypot(*side))


def _card(shape: tuple[int, ...]) -> _Window:
    """Where the card lies, in the middle of patches of this shape."""
    height, width = SIZE[::-1]
    top, left = (shape[0] - height) // 2, (shape[1] - width) // 2
    return _Window(slice(top, top + height), slice(left, left + width), np.ones((height, width), dtype=bool))


def _arm(shape: tuple[int, ...], side: Floats) -> _Window:
    """Beside the card, to this side: there the hand is that comes from there, whatever covers the card."""
    way = side / np.hypot(*side)
    x, y = (int(one) for one in np.round(np.array(shape[::-1]) / 2 + ASIDE_PX * way))
    rows, columns = slice(y - SQUARE_PX, y + SQUARE_PX), slice(x - SQUARE_PX, x + SQUARE_PX)
    down, across = np.mgrid[rows, columns]
    beyond = (across - shape[1] / 2) * way[0] + (down - shape[0] / 2) * way[1] > BEYOND_PX
    return _Window(rows, columns, beyond)


def _ends(ways: Iterable[_Way], frame: float) -> Iterator[Reach]:
    """Of the ways that end a reach, its end."""
    for last, way in ways:
        ends = None if len(way) < 3 else _end(way, frame)
        if ends is not None:
            yield Reach(last + ends, way[0] / np.hypot(*way[0]))


def _leads_there(end: Reach, ways: Sequence[_Way], frame: float) -> bool:
    """Whether something came to the card's place from there, too, shortly before."""
    since, until = end.ends - SHORTLY_S / frame, end.ends + 1.0
    there = [way[0] for last, way in ways if since <= last <= until]
    return sum(bool(away @ end.side > ONE_SIDE * np.hypot(*away)) for away in there) >= THERE


def _followed(smooth: Patches, window: _Window, frame: float) -> Iterator[_Way]:
    """What is new in each patch, followed back: the patch, and every way to it."""
    shown = np.ascontiguousarray(smooth[:, window.rows, window.columns])
    rows, columns = (
        slice(one.start - AROUND_PX, one.stop + AROUND_PX) for one in (window.rows, window.columns)
    )
    around = np.ascontiguousarray(smooth[:, rows, columns])
    new, back = max(2, round(NEW_S / frame)), max(3, round(BACK_S / frame))
    for last in range(new, len(smooth)):
        across, down = gradients(shown[last])
        tells = (np.abs(shown[last] - shown[last - new]) > NEWS) & (np.hypot(across, down) > STEEP)
        tells &= window.asked
        if int(tells.sum()) >= LEAST_PX:
            parts = around[max(0, last - back) : last + 1]
            yield from ((last, way) for way in _ways(parts, shown[last], _grown(tells)))


def _ways(parts: Patches, shown: Patch, new: Mask) -> Iterator[Floats]:
    """The ways of what moves as one among what is new, one after the other."""
    for _ in range(MOVERS):
        if int(new.sum()) < LEAST_PX:
            return
        way = way_of(parts, shown, new.astype(np.float32))
        if len(way) < 2:
            return
        mine = moves_along(parts, shown, new, way)
        if int(mine.sum()) >= LEAST_PX:
            # what stands still, or moves otherwise, draws it aside
            way = way_of(parts, shown, mine.astype(np.float32))
            if len(way) < 2:
                return
            mine = moves_along(parts, shown, mine, way)
        yield way
        new = new & ~_grown(mine)


def _grown(mask: Mask) -> Mask:
    return np.asarray(cv2.dilate(mask.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0)


def _end(way: Floats, frame: float) -> float | None:
    """When a way ends, in patches after its last one, less than 0 if it was over; None if it is not a reach's."""
    left = way @ (way[0] / np.hypot(*way[0]))
    steps = np.arange(len(left)) - (len(left) - 1.0)
    tried = np.arange(-BEHIND_S / frame, AHEAD_S / frame, TRIED)
    best: tuple[float, float] | None = None
    for lasts in REACHES_S:
        shape = _left((tried[:, None] - steps) * frame / lasts) - _left(tried * frame / lasts)[:, None]
        length = (shape @ left) / np.maximum((shape * shape).sum(axis=1), 1e-12)
        miss = np.sqrt(np.mean((left - length[:, None] * shape) ** 2, axis=1))
        miss[(length < LENGTHS_PX[0]) | (length > LENGTHS_PX[1])] = np.inf
        index = int(miss.argmin())
        if 0 < index < len(tried) - 1 and miss[index] < (FITS_PX if best is None else best[0]):
            best = float(miss[index]), float(tried[index])
    return None if best is None else best[1]


def _left(share: Floats) -> Floats:
    """What share of a reach is left such a share of its time before its end."""
    u = np.clip(share, 0.0, 1.0)
    return np.asarray(10 * u**3 - 15 * u**4 + 6 * u**5)
