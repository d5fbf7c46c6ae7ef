"""Two cards of one print that came to lie on one another: when each came to rest, and from where.

The card that lies on top in the end is looked for, upright and turned round, in a cut of every frame that is larger than
it (normalized correlation of what is new and steep in it). Where it glides in and stops a card has come. Two such stops,
the second where the card on top lies now, are two cards; from where each glided tells whose hand brought it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.capture.moments.landing import (
    NEWS,
    SAME,
    SIZE,
    SOFT_S,
    SOFT_SHARE,
    STEEP,
    Interval,
    Mask,
    Patch,
    Patches,
    gradients,
    shifts,
    traced,
)
from vision.capture.moments.ring import FrameRing
from vision.layout import Floats

#: The card is looked for so far (px of `SIZE`) around where it lies, by at least so many px.
AROUND_PX, LEAST_PX = 24, 60
#: It is there where the correlation is at least this; what is flat has no more grain than this (of 255).
ALIKE, GRAIN = 0.25, 2.0
#: It rests while it stays so near (px), for so long (s); it glided in from so far at least, to be seen in two frames or
#: more, and in one direction (cosine). Where it rests so far away it is another pile.
RESTS_PX, STAYS_S, FROM_PX, STRAIGHT, BESIDE_PX = 0.6, 0.03, 5.0, 0.8, 8.0
#: A hand lays a card down slower and slower: it goes no further than this (px) at last, and before that no less than such
#: a share of its next step, roughly (px). Hands that leave a card make it seem to come, but not so.
LAST_STEP_PX, SLOWER, ROUGHLY_PX = 5.5, 0.7, 1.2
#: What the card on top covered is looked for up to so long (s) before that came; it lay within so many px then, and is
#: so much alike.
EARLIER_S, LIES_PX, SURELY = 0.3, 1.5, 0.6
#: What is covered so soon that it is hardly seen to rest may still have come so fast (px/s).
SLOW_PX_S = 45.0
#: Stops from one side within so long (s) are one card that stops softly, or is found upright and turned round.
ONE_STOP_S = 0.13


@dataclass(frozen=True, slots=True)
class Arrival:
    """A card that came to rest: when (s), from which side ((2,) px of the picture), how far from the one on top (px)."""

    landed: Interval
    side: Floats
    away_px: float


@dataclass(frozen=True, slots=True)
class Stop:
    """From patch `begins` on it glided in from `side` away; up to patch `last` it rests at `at` ((2,) px of `SIZE`).

    From patch `before`, in which it had not come, to patch `first`, in which it had, it came to rest.
    """

    begins: int
    before: int
    first: int
    last: int
    at: Floats
    side: Floats
    score: float
    turned: bool


def arrivals(ring: FrameRing, corners: Floats, since: float, now: float) -> list[Arrival]:
    """Cards that came to rest since (s) where one lies at `corners` ((4, 2) px) at `now`, it the last of them."""
    width, height = SIZE
    across, down = (corners[1] - corners[0]) / width, (corners[3] - corners[0]) / height
    rim = AROUND_PX * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    wide = corners + rim[:, :1] * across + rim[:, 1:] * down
    times, patches = ring.part(wide, (width + 2 * AROUND_PX, height + 2 * AROUND_PX), since, now)
    if len(patches) < 4:
        return []
    frame = float(np.median(np.diff(times)))
    soft = max(0.0, SOFT_S - SOFT_SHARE * frame)
    return [
        Arrival(
            (float(times[stop.before]), float(times[min(stop.first, len(times) - 1)]) + frame + soft),
            stop.side[0] * across + stop.side[1] * down,
            float(np.hypot(*stop.at)),
        )
        for stop in stops(patches, frame)
    ]


def stops(patches: Patches, frame: float) -> list[Stop]:
    """Where and when cards came to rest in the middle of patches, in order: the one that lies there in the last, those of
    its print, and if there are none what it covered as it came. `frame`: s from one patch to the next.
    """
    smooth = np.stack([cv2.GaussianBlur(patch, (0, 0), 0.7) for patch in patches])
    found = _stops_of(smooth, len(smooth) - 1, RESTS_PX, frame, turned=(False, True))
    if len(found) != 1:
        return found
    # a hand may come or go at any moment: what lay there is looked for as it was a little earlier, too
    for last in range(found[0].begins - 1, max(2, found[0].begins - 1 - round(EARLIER_S / frame)), -1):
        covered = _stops_of(
            smooth[: last + 1], last, max(RESTS_PX, SLOW_PX_S * frame), frame, turned=(False,)
        )
        if lay := [stop for stop in covered if _lay(stop)]:
            return [lay[-1], *found]
    return found


def _stops_of(
    smooth: Patches, last: int, slow_px: float, frame: float, *, turned: tuple[bool, ...]
) -> list[Stop]:
    """Stops of what lies in the middle of one patch and the one before, and did not in the first."""
    middle = slice(AROUND_PX, -AROUND_PX)
    print_, before = (
        smooth[max(0, last - 1) : last + 1, middle, middle].mean(axis=0),
        smooth[0, middle, middle],
    )
    across, down = gradients(print_)
    tells = (np.abs(print_ - before) > NEWS) & (np.hypot(across, down) > STEEP)
    tells &= np.abs(print_ - smooth[last - 1, middle, middle]) < SAME
    if int(tells.sum()) < LEAST_PX:
        return []
    mask = cv2.dilate(tells.astype(np.float32), np.ones((3, 3), np.uint8))
    found = []
    for turn in turned:
        wanted, where = (np.ascontiguousarray(one[::-1, ::-1] if turn else one) for one in (print_, mask))
        track = np.array([_found(patch, wanted, where) for patch in smooth])
        found += [
            _refined(smooth, stop, where > 0, frame) for stop in _stops(track, slow_px, frame, turned=turn)
        ]
    return _told_apart(found, frame)


def _lay(covered: Stop) -> bool:
    """Whether a card was seen to rest that another one covered soon after."""
    return covered.score > SURELY and float(np.hypot(*covered.at)) < LIES_PX


def _refined(smooth: Patches, stop: Stop, shown: Mask, frame: float) -> Stop:
    """The same stop with its moments as gradients tell them, to hundredths of a px."""
    x, y = (AROUND_PX + round(float(one)) for one in stop.at)
    width, height = SIZE
    part = smooth[stop.begins : stop.last + 1, y : y + height, x : x + width]
    away = shifts(part, part[-2:].mean(axis=0), shown)
    first, before = traced(away, np.zeros(len(away), dtype=bool), frame)
    if before is None or first == len(part) - 1:
        # it was hardly seen to rest
        return replace(stop, before=max(stop.last - 2, 0), first=stop.last + 1)
    return replace(stop, first=stop.begins + first, before=stop.begins + before)


def _found(patch: Patch, wanted: Patch, mask: Patch) -> tuple[float, float, float]:
    """(x, y) px away and how alike: where in a patch the print is most likely."""
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


def _stops(track: Floats, slow_px: float, frame: float, *, turned: bool) -> list[Stop]:
    """Every time that something which is tracked ((n, 3): x, y, how alike) glides in and rests."""
    steps = np.hypot(*np.diff(track[:, :2], axis=0).T)
    rests = (steps < slow_px) & (track[1:, 2] > ALIKE) & (track[:-1, 2] > ALIKE)
    found, index, stays = [], 1, max(1, round(STAYS_S / frame))
    while index < len(rests):
        last = index
        while last < len(rests) and rests[last]:
            last += 1
        if last - index >= stays:
            at = np.median(track[(index + last) // 2 : last + 1, :2], axis=0)
            side = _side(track, index, at) if np.hypot(*at) < BESIDE_PX else None
            if side is not None:
                score = float(track[index : last + 1, 2].mean())
                found.append(Stop(index - side[1], index - 1, index, last, at, side[0], score, turned))
        index = last + 1
    return found


def _side(track: Floats, index: int, rest: Floats) -> tuple[Floats, int] | None:
    """From where it glided into a rest that begins with a frame, (2,) px, and in how many frames; None where unseen.

    It slows down: from one frame to the one before it was further and further away.
    """
    steps, fars = list[Floats](), [0.0]
    for away, score in zip(track[index - 1 :: -1, :2] - rest, track[index - 1 :: -1, 2], strict=True):
        far = float(np.hypot(*away))
        slower = far - fars[-1] > (SLOWER * (fars[-1] - fars[-2]) - ROUGHLY_PX if steps else RESTS_PX / 2)
        straight = not steps or float(away @ steps[-1]) > STRAIGHT * far * fars[-1]
        if score < ALIKE or not slower or not straight or (not steps and far > LAST_STEP_PX):
            break
        steps.append(away)
        fars.append(far)
    return (steps[-1], len(steps)) if len(steps) > 1 and fars[-1] >= FROM_PX else None


def _told_apart(found: Sequence[Stop], frame: float) -> list[Stop]:
    """One stop of every card, in order: a soft stop is told at its end, as what is most alike tells it."""
    kept: list[list[Stop]] = []
    for stop in sorted(found, key=lambda one: one.first):
        same = next((card for card in kept if _is_one(card[-1], stop, frame)), None)
        if same is None:
            kept.append([stop])
        else:
            same.append(stop)
    return [_told(card) for card in kept]


def _is_one(one: Stop, other: Stop, frame: float) -> bool:
    straight = float(one.side @ other.side) > STRAIGHT * float(np.hypot(*one.side) * np.hypot(*other.side))
    return straight and (other.first - one.first) * frame <= ONE_STOP_S


def _told(card: Sequence[Stop]) -> Stop:
    """The end of a soft stop: upright where it lies as the one on top does, else as what is most alike tells it."""
    on_top = [stop for stop in card if not stop.turned and float(np.hypot(*stop.at)) < LIES_PX]
    best = on_top[-1] if on_top else max(card, key=lambda stop: stop.score)
    return max((stop for stop in card if stop.turned == best.turned), key=lambda stop: stop.first)
