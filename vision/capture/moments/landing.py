"""When a card came to rest or left: an interval of two frames, though hands lie over most of it.

What shows of a card looks the same from the frame in which it comes to rest on, and parts that a hand covers from the
frame in which the hand leaves. The share of it that has looked so ever since therefore rises when the card comes to
rest, stays while the hand holds it, and rises again when the hand leaves. From the first rise on it is gone back frame by
frame: what showed then is laid over the earlier picture by its gradients (Lucas and Kanade, 1981), to hundredths of a px,
since a hand slows down softly; what covers it for a while is passed over, told from the card and the bare place by its
colour, too. Where its grey tells nothing it is looked for by how blue it is: yellow pips have hardly any grey.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.capture.moments.ring import FrameRing
from vision.layout import Floats

Interval = tuple[float, float]
_Part = tuple[Floats, NDArray[np.float32]]
Patches = NDArray[np.float32]
Patch = NDArray[np.float32]
Mask = NDArray[np.bool_]
Flags = NDArray[np.bool_]

#: A card is compared in so many px (width, height).
SIZE = (48, 66)
#: What differs by more than this in how blue it is (of 255, three times enlarged) is of another colour.
TINT = 24.0
#: What differs by more than this (of 255) from what was there before, and is so steep (of 255 a px), tells of the card:
#: plain paper shows no small step. It shows the card while it differs by no more than `SAME`.
NEWS, STEEP, SAME = 20.0, 12.0, 12.0
#: At least so many px must tell, and such a share of them show at rest under a hand.
LEAST_PX, LEAST_SHARE = 60, 0.12
#: From one frame to the next a card that has come to rest gains less than this share of what it gained so far.
FLAT = 0.08
#: A card is at rest while it moves no further (px of `SIZE`) from frame to frame, or no faster (px/s), and seems to lie
#: no further from where it came to lie: the shade of a hand seems to move it. What lay no further than the last was seen
#: to come; such a share of where it shows that looks as before says that it has not come yet.
REST_PX, SPEED_PX_S, SHADE_PX, NEAR_PX, BARE_SHARE = 0.05, 2.4, 0.35, 3.0, 0.15
#: Where such a share of it looks as before it surely has not come, whatever looked like it earlier. What is bare still
#: differs by no more than this (of 255) in the median of these px.
NOT_COME_SHARE, EVEN = 0.7, 3.0
#: What passed over it is told from what moved it: before that it rested for so long (s), so near (px).
STAYS_S, AGAIN_PX = 0.067, 0.2
#: What seems to lie so near (px) for longer than this (s) lay there: the shadow of the hand that leaves moves its print.
SHADOW_PX, LIES_S = 0.45, 0.1
#: What has been covered for longer than this (s) since it surely had not come, or was seen so far (px) off, may have come
#: under the cover: the edge and the shade of an arm that leaves move its print by a little.
HIDDEN_S, FAR_PX = 0.35, 1.0
#: A hand may stop so softly that the last so many s are not seen; a frame's length hides some share of that.
SOFT_S, SOFT_SHARE = 0.02, 0.6
#: A moment (s) is the frame at it.
ABOUT_S = 0.002
#: What differs by more (of 255) was covered then, at first and once laid over; so many px and such a share of them must
#: not be. It is laid over so often, each time without what was covered.
COVERED, UNLIKE, FEW_PX, FREE_SHARE, FITS = 60.0, 15.0, 25, 0.25, 3
#: Laid over, it leaves no more than this of what stands out in it: what is flat fits any print to some grey levels.
LEFT_OVER = 0.5


def landed(ring: FrameRing, corners: Floats, since: float, now: float) -> Interval | None:
    """When (s) the card came to rest that lies at `corners` ((4, 2) px) at `now` and did not at `since`.

    None where nothing tells it from what lay there, or no frame between shows it come. In another light nothing shows
    as it did: before one was switched nothing is looked for.
    """
    grey, blue = _parts(ring, corners, ring.lit_since(since, now), now)
    return _came(*grey, _tint(grey, blue)) or _came(*blue)


def uncovered(ring: FrameRing, corners: Floats, since: float, then: float, now: float) -> Interval | None:
    """When (s) the card came to rest that lies at `corners` at `now`, if something else lay there or on it `then`.

    It came before `then` where frames show that, else between `since` and then. None where it showed `then`.
    """
    grey, blue = _parts(ring, corners, since, now)
    times, patches = grey
    rests = _resting(patches, _tint(grey, blue), at_last=True)
    index = int(np.searchsorted(times, then - ABOUT_S))
    if rests is None or not 0 < index < len(rests.away) or np.hypot(*rests.away[index]) < SHADE_PX:
        return None
    found = _interval(times, rests)
    if found is None or found[1] >= then:
        found = _glimpsed(times, rests, index)
    return (float(times[0]), then) if found is None else found


def lifted(ring: FrameRing, corners: Floats, since: float, now: float) -> Interval | None:
    """When (s) the card left that lay at `corners` ((4, 2) px) at `since` and does not at `now`: its landing, backwards.

    None where nothing tells it from what lies there now, or no frame between shows it leave. It is told a frame wider on
    both sides than a landing: fingers that take hold of a card shade and push it, and it leaves as softly.
    """
    grey, blue = _parts(ring, corners, since, now)
    tint = _tint(grey, blue)
    for (times, patches), by in ((grey, tint), (blue, None)):
        # whoever takes a card shades what lies beneath it
        back = _came(-times[::-1], patches[::-1], None if by is None else by[::-1], even=SAME)
        if back is not None:
            frame = float(np.median(np.diff(times)))
            return -back[1] - frame, -back[0] + frame
    return None


@dataclass(frozen=True, slots=True)
class _Resting:
    """Of every patch up to one in which the card rests: (n, 2) px how far it lay away, and whether it had not come.

    Up to the frame `after` what lay there before has been seen since.
    """

    away: Floats
    bare: Flags
    after: int


def _parts(ring: FrameRing, corners: Floats, since: float, now: float) -> tuple[_Part, _Part]:
    """Its grey, and its blue: times and patches each."""
    return ring.part(corners, SIZE, since, now), ring.part(corners, SIZE, since, now, blue=True)


def _tint(grey: _Part, blue: _Part) -> Patches | None:
    """How blue each patch of `grey` is; None where that was not kept of every frame."""
    return blue[1] if len(blue[0]) == len(grey[0]) else None


def _came(
    times: Floats, patches: Patches, tint: Patches | None = None, even: float = EVEN
) -> Interval | None:
    rests = _resting(patches, tint, even=even)
    return None if rests is None else _interval(times, rests)


def _interval(times: Floats, rests: _Resting) -> Interval | None:
    frame = float(np.median(np.diff(times)))
    first, before = traced(rests.away, rests.bare, frame, rests.after)
    soft = max(0.0, SOFT_S - SOFT_SHARE * frame)
    return None if before is None else (float(times[before]), float(times[first]) + frame + soft)


def _glimpsed(times: Floats, rests: _Resting, until: int) -> Interval | None:
    """When it came to rest that was covered soon after, before the frame `until`: between the last frame in which it had
    not and the last of the few in which it lies where it shows in the end. None where no two such follow one another.
    """
    frame = float(np.median(np.diff(times)))
    rest_px, far = max(REST_PX, SPEED_PX_S * frame), np.hypot(rests.away[:, 0], rests.away[:, 1])
    there = (far < AGAIN_PX) & ~rests.bare
    for first in range(1, until - 1):
        last = first
        while (
            last < until
            and there[last]
            and _apart(rests.away[last], rests.away[max(last - 1, first)]) < rest_px
        ):
            last += 1
        before = [i for i in range(first) if rests.bare[i] or far[i] < NEAR_PX]
        if last - first >= 2 and before:
            return float(times[before[-1]]), float(times[last - 1]) + frame
    return None


def _resting(
    patches: Patches, tint: Patches | None = None, *, at_last: bool = False, even: float = EVEN
) -> _Resting | None:
    """None where nothing tells the last patch from the first. `at_last`: by what shows of it then, be it seldom. `even`:
    how near to what lay there bare px are.

    `tint`: how blue each is. A hand may be as dark as what it covers, but seldom has its colour, too.
    """
    if len(patches) < 4:
        return None
    smooth = np.stack([cv2.GaussianBlur(patch, (0, 0), 0.7) for patch in patches])
    tells = _telling(smooth)
    if int(tells.sum()) < LEAST_PX:
        return None
    same = np.abs(smooth - smooth[-1]) < SAME
    ever_since = np.logical_and.accumulate(same[::-1])[::-1]
    rests = len(patches) - 3 if at_last else first_rest(ever_since[:, tells].mean(axis=1))
    if rests is None:
        return None
    sure = min(rests + 1, len(patches) - 1)
    shown = tells & ever_since[sure]
    if not shown.any():
        return None
    # a hand may be as grey as the table or the card
    as_first, as_last = (_tinted(tint, at, sure + 1) for at in (0, sure))
    away = shifts(smooth[: sure + 1], smooth[sure : sure + 3].mean(axis=0), shown, as_last)
    off = np.abs(smooth[: sure + 1] - smooth[0])[:, shown]
    alike = (off < SAME) & np.broadcast_to(as_first, smooth[: sure + 1].shape)[:, shown]
    as_before = alike.mean(axis=1)
    # a sleeve may be as grey as the table, but not to the grey level
    near = np.array([a.any() and np.median(o[a]) < even for o, a in zip(off, alike, strict=True)])
    not_come = np.nonzero(as_before[:sure] > NOT_COME_SHARE)[0]
    return _Resting(away, (as_before > BARE_SHARE) & near, int(not_come[-1]) + 1 if len(not_come) else 0)


def traced(away: Floats, bare: Flags, frame: float, after: int = 0) -> tuple[int, int | None]:
    """Back from the last frame, in which it rests: the first in which it does, and the last in which it did not yet.

    What covers it meanwhile is passed over where it rests long enough before that; None where there is no such last
    frame. `frame`: s from one to the next. Before the frame `after` it surely had not come.
    """
    stays, rest_px = max(2, round(STAYS_S / frame)), max(REST_PX, SPEED_PX_S * frame)
    far = np.hypot(away[:, 0], away[:, 1])
    first, steps = len(away) - 1, 0
    for index in range(len(away) - 2, after - 1, -1):
        still = not bare[index] and _apart(away[index], away[index + 1]) < rest_px
        steps = steps + 1 if still and far[index] < SHADE_PX else 0
        if steps and (first == index + 1 or (steps >= stays and far[index : index + steps].max() < AGAIN_PX)):
            first = index
    lies = first
    while lies > after and not bare[lies - 1] and far[lies - 1] < SHADOW_PX:
        lies -= 1
    if (first - lies) * frame > LIES_S:
        first = lies
    return first, _before(first, far, bare, frame)


def _before(first: int, far: Floats, bare: Flags, frame: float) -> int | None:
    """The last frame before `first` in which it had not come yet, as far as that was seen."""
    before = [i for i in range(first) if bare[i] or far[i] < NEAR_PX]
    surely = [i for i in before if bare[i] or far[i] >= FAR_PX]
    if surely and (first - surely[-1]) * frame > HIDDEN_S:
        return surely[-1]
    return before[-1] if before else None


def _tinted(tint: Patches | None, at: int, end: int) -> Mask:
    """(end, height, width) or (1, 1, 1): what of each patch has the colour that it has in the patch `at`."""
    return np.ones((1, 1, 1), dtype=bool) if tint is None else np.abs(tint[:end] - tint[at]) < TINT


def _apart(one: Floats, other: Floats) -> float:
    return float(np.hypot(*(one - other))) if np.isfinite(one).all() and np.isfinite(other).all() else np.inf


def _telling(smooth: Patches) -> Mask:
    """The px that tell the last patch from the first, and would show a small step."""
    last = smooth[-1]
    across, down = gradients(last)
    return np.asarray((np.abs(last - smooth[0]) > NEWS) & (np.hypot(across, down) > STEEP))


def gradients(patch: Patch) -> tuple[Patch, Patch]:
    """Per px: to the right, and down."""
    across, down = cv2.Sobel(patch, cv2.CV_32F, 1, 0) / 8, cv2.Sobel(patch, cv2.CV_32F, 0, 1) / 8
    return np.asarray(across, dtype=np.float32), np.asarray(down, dtype=np.float32)


def first_rest(shares: Floats) -> int | None:
    """The first frame from which enough of the card has shown and hardly more shows in the next."""
    for index, (share, following) in enumerate(pairwise(shares)):
        if share >= LEAST_SHARE and following - share <= FLAT * share:
            return index if index else None
    return None


def shifts(patches: Patches, rests: Patch, shown: Mask, tinted: Mask | None = None) -> Floats:
    """(n, 2) px: how far what shows lies from where it rests, in every patch; inf where it is covered or far away.

    `tinted`: what of each patch has the colour that it has at rest; of one for all, all.
    """
    coloured = np.ones((1, *shown.shape), dtype=bool) if tinted is None else tinted
    coloured = np.broadcast_to(coloured, patches.shape)
    across, down = gradients(rests)
    slopes = np.stack([across[shown], down[shown], np.ones(int(shown.sum()), np.float32)], axis=1)
    print_, found = rests[shown], np.full((len(patches), 2), np.inf)
    for index, patch in enumerate(patches):
        step = (patch - rests)[shown]
        own = coloured[index][shown]
        free = (np.abs(step) < COVERED) & own
        for _ in range(FITS):
            if int(free.sum()) < FEW_PX or float(free.mean()) < FREE_SHARE:
                break
            by = _least_squares(slopes[free], -step[free])
            free = (np.abs(step + slopes @ by) < UNLIKE) & own
        else:
            left = (step + slopes @ by)[free]
            if float(left.var()) < LEFT_OVER * float(print_[free].var()):
                found[index] = by[:2]
    return found


def _least_squares(slopes: Patch, steps: Patch) -> Floats:
    """(3,): by its normal equations, which is fast; a little of nothing keeps them from having no answer."""
    square = slopes.T.astype(np.float64) @ slopes + 1e-6 * np.eye(3)
    return np.asarray(np.linalg.solve(square, slopes.T.astype(np.float64) @ steps))
