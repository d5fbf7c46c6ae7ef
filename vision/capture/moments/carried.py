"""Cards that were carried to one place one soon after the other: when each came to rest, and from where it came.

Of two cards that come to one place hands and cards cover each other, and little of a print is seen. But what is new
there, card, fingers and shade, moves as one. So each frame is asked for what is new in it, and that is followed back
through the frames before (normalized correlation). A hand that reaches goes along a line, and of its way so much is
left as of the smoothest movement there is (minimum jerk; Flash and Hogan, 1985): where what was followed fits that, its
end is the moment at which the card came to rest, be it that another one had covered it by then. A hand that leaves does
not fit it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.capture.moments.landing import NEWS, SIZE, STEEP, Interval, Patch, Patches, gradients
from vision.capture.moments.ring import FrameRing
from vision.layout import Floats

#: What is carried is looked for so far (px of `SIZE`) around where the card lies, by at least so many px.
AROUND_PX, LEAST_PX = 24, 60
#: It is there where the correlation is at least this; what is flat has no more grain than this (of 255).
ALIKE, GRAIN = 0.25, 2.0
#: What is new came within so long (s), and is followed back for so long (s): from so far at least (px), in a line
#: (cosine; near its end it hardly has one), ever further but for what noise makes of it (px). What lay there stays.
NEW_S, BACK_S, FROM_PX, STRAIGHT, NEAR_PX, NOISE_PX, LAY_PX = 0.05, 0.25, 5.0, 0.9, 3.0, 0.4, 0.3
#: A reach takes one of these times (s), and is so long (px of `SIZE`): of others the end is no reach's.
REACHES_S, LENGTHS_PX = (0.5, 0.6, 0.75), (40.0, 450.0)
#: It ends up to so long (s) after what is followed, or was over so long before; moments are tried so close (frames). It
#: fits to so many px (root of mean square).
AHEAD_S, BEHIND_S, TRIED, FITS_PX = 0.07, 0.2, 0.05, 0.35
#: Ends from one side (cosine) within so long (s) are one card's, which is told by so many of them at least.
ONE_SIDE, ONE_CARD_S, TOLD = 0.85, 0.06, 2
#: A card came to rest within so many frames of what its reach tells.
SURE_FRAMES = 1.0


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


def arrivals(ring: FrameRing, corners: Floats, since: float, until: float) -> list[Arrival]:
    """Cards that came to rest between two moments (s) where one lies at `corners` ((4, 2) px), in order."""
    width, height = SIZE
    across, down = (corners[1] - corners[0]) / width, (corners[3] - corners[0]) / height
    rim = AROUND_PX * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    wide = corners + rim[:, :1] * across + rim[:, 1:] * down
    times, patches = ring.part(wide, (width + 2 * AROUND_PX, height + 2 * AROUND_PX), since, until)
    if len(patches) < 4:
        return []
    frame = float(np.median(np.diff(times)))
    numbers = np.arange(len(times))
    found = []
    for reach in reaches(patches, frame):
        beyond = max(0.0, reach.ends - numbers[-1]) * frame
        at = float(np.interp(reach.ends, numbers, times)) + beyond
        side = reach.side[0] * across + reach.side[1] * down
        found.append(Arrival((at - SURE_FRAMES * frame, at + SURE_FRAMES * frame), side))
    return found


def reaches(patches: Patches, frame: float) -> list[Reach]:
    """The ends of all reaches towards the middle of patches, in order. `frame`: s from one patch to the next."""
    cards: list[list[Reach]] = []
    for end in _ends(patches, frame):
        same = (card for card in cards if _is_one(card[-1], end, frame))
        card = next(same, None)
        if card is None:
            cards.append([end])
        else:
            card.append(end)
    told = [card for card in cards if len(card) >= TOLD]
    return sorted(map(_middle, told), key=lambda reach: reach.ends)


def _is_one(one: Reach, other: Reach, frame: float) -> bool:
    return bool(one.side @ other.side > ONE_SIDE) and abs(one.ends - other.ends) * frame < ONE_CARD_S


def _middle(card: Sequence[Reach]) -> Reach:
    side = np.mean([reach.side for reach in card], axis=0)
    return Reach(float(np.median([reach.ends for reach in card])), side / np.hypot(*side))


def _ends(patches: Patches, frame: float) -> Iterator[Reach]:
    """What is new in each patch, followed back, where that is the end of a reach."""
    smooth = np.stack([cv2.GaussianBlur(patch, (0, 0), 0.7) for patch in patches])
    middle, new = slice(AROUND_PX, -AROUND_PX), max(2, round(NEW_S / frame))
    back = max(3, round(BACK_S / frame))
    for last in range(new, len(smooth)):
        shown = smooth[last, middle, middle]
        across, down = gradients(shown)
        tells = (np.abs(shown - smooth[last - new, middle, middle]) > NEWS) & (np.hypot(across, down) > STEEP)
        if int(tells.sum()) < LEAST_PX:
            continue
        mask: Patch = np.asarray(
            cv2.dilate(tells.astype(np.float32), np.ones((3, 3), np.uint8)), dtype=np.float32
        )
        track = np.array([_found(patch, shown, mask) for patch in smooth[max(0, last - back) : last + 1]])
        way = _way(track)
        ends = None if len(way) < 3 else _end(way, frame)
        if ends is not None:
            yield Reach(last + ends, way[0] / np.hypot(*way[0]))


def _way(track: Floats) -> Floats:
    """(n, 2) px: the end of what is tracked ((m, 3): x, y, how alike) that is a way in a line to where it is at last."""
    begins, side, far = len(track) - 1, np.zeros(2), 0.0
    for index in range(len(track) - 2, -1, -1):
        away, alike = track[index, :2] - track[-1, :2], track[index, 2]
        further = float(np.hypot(*away))
        bent = min(further, far) > NEAR_PX and away @ side < STRAIGHT * further * np.hypot(*side)
        lay = further > NEAR_PX and further - far < LAY_PX
        seen = alike >= ALIKE and np.abs(track[index, :2]).max() < AROUND_PX - 0.5
        if not seen or bent or lay or further < far - NOISE_PX:
            break
        begins, side, far = index, away, max(far, further)
    return track[begins:, :2] - track[-1, :2] if far >= FROM_PX else np.empty((0, 2))


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


def _found(patch: Patch, wanted: Patch, mask: Patch) -> tuple[float, float, float]:
    """(x, y) px away and how alike: where in a patch what shows in a mask is most likely."""
    count = float(mask.sum())
    flat = (wanted - float((wanted * mask).sum()) / count) * mask
    fits, sums = cv2.matchTemplate(patch, flat, cv2.TM_CCORR), cv2.matchTemplate(patch, mask, cv2.TM_CCORR)
    squares = cv2.matchTemplate(patch * patch, mask, cv2.TM_CCORR)
    grain = np.maximum(squares - sums * sums / count, count * GRAIN**2)
    alike = fits / (np.sqrt(grain) * float(np.sqrt((flat * flat).sum())))
    y, x = np.unravel_index(int(alike.argmax()), alike.shape)
    score = float(alike[y, x])
    return (
        x - AROUND_PX + _peak(alike[y, x - 1 : x + 2]),
        y - AROUND_PX + _peak(alike[y - 1 : y + 2, x]),
        score,
    )


def _peak(three: NDArray[np.floating]) -> float:
    """How far from the middle one of three values their parabola has its peak."""
    if len(three) < 3:
        return 0.0
    left, middle, right = (float(one) for one in three)
    bend = left - 2 * middle + right
    return 0.0 if bend >= 0 else float(np.clip(0.5 * (left - right) / bend, -0.5, 0.5))
