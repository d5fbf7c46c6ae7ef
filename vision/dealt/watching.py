"""A dealing watched from frame to frame: when to look, and what is left unexplained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.capture.frames import Image
from vision.dealt.alone import Alone
from vision.dealt.canvas import Canvas, Mask, Part
from vision.dealt.landings import Judge, Judged, Landing
from vision.dealt.visits import Change, Visits, unseen
from vision.eye import Sees

#: What changed less than this (mm², or px of the copy before the scale is known) is no card.
LEAST_MM2, LEAST_PX = 12.0, 150
#: What could not be explained is looked at again after so long (s), then after twice as long, and so on.
AGAIN_S, AGAIN_MOST_S = 0.1, 1.6
#: mm around what was looked at in vain, in which it is the same.
SAME_SPOT = 30.0
#: mm around a part in which everything has to rest before it is judged: a card changes several parts of a pile.
STIRS_MM = 20.0


@dataclass(slots=True)
class _InVain:
    """A spot that a look did not explain."""

    x: float
    y: float
    next_s: float
    pause_s: float
    looked_s: float
    looks: int = 1


class Dealing:
    """Push every frame; ask for the landings."""

    def __init__(self, width: int, height: int, eye: Sees) -> None:
        self.canvas = Canvas(width, height)
        self.judge = Judge(self.canvas, eye)
        self.alone, self.visits = Alone(self.canvas), Visits(self.canvas)
        self._in_vain: list[_InVain] = []
        #: Frames in which nearly everything moved.
        self.shaken = 0

    @property
    def landings(self) -> list[Landing]:
        """All that landed, in order, those taken back among them."""
        return self.judge.landings

    @property
    def lying(self) -> list[Landing]:
        """What landed and was not taken back."""
        return [landing for landing in self.landings if landing.gone is None]

    def push(self, at: float, image: Image) -> list[Judged]:
        """Takes the frame shown at `at` (s): what happened."""
        canvas = self.canvas
        canvas.push(at, image)
        if canvas.shaken:
            self.shaken += 1
            return []
        told = []
        explained = np.zeros(canvas.labels.shape, dtype=bool)
        for part in canvas.parts:
            if part.reaches or not part.rests or part.area < self._least() or not self._due(part):
                continue
            if self._still_moves_at(part) or _mostly(explained, part):
                continue
            judged = self.judge.judge(image, part)
            if judged.kind == "unclear":
                self._put_off(part)
                continue
            assert judged.where is not None
            canvas.accept(judged.where)
            explained |= judged.where
            spot = self._spot(part)
            if spot is not None:
                self._in_vain.remove(spot)
                if judged.kind == "landed" and judged.landing is not None:
                    judged.landing.unclear = spot.looks
            if judged.kind != "nothing":
                told.append(judged)
        arms, scale = canvas.arms(), self.judge.px_per_mm
        self.alone.push(image, self.landings, arms, scale)
        self.visits.push(self.landings, arms, self.alone.clear, scale)
        return told

    def unseen(self, held: Sequence[Landing] = ()) -> list[Change]:
        """Places that an arm changed though nothing was seen to land there, nor to be taken back; ask in the end.

        `held`: what only was held where the stack is.
        """
        return unseen(self.visits.end(self.judge.px_per_mm), self.landings, self.canvas, held)

    def unexplained(self) -> list[Part]:
        """What differs in the end, rests, and is as large as a tenth of a card at least."""
        scale = self.judge.px_per_mm
        if scale is None:
            return []
        least = 0.1 * 63 * 88 * (scale * self.canvas.scale) ** 2
        return [part for part in self.canvas.parts if part.rests and not part.reaches and part.area > least]

    def _still_moves_at(self, part: Part) -> bool:
        """Does anything else than an arm still move around a part? Then more of it is to come to rest."""
        room = STIRS_MM * (self.judge.px_per_mm or 2.0) * self.canvas.scale
        least = self._least()
        return any(
            not other.reaches and not other.rests and other.area >= least and _boxes_apart(part, other) < room
            for other in self.canvas.parts
        )

    def _least(self) -> float:
        scale = self.judge.px_per_mm
        return LEAST_PX if scale is None else LEAST_MM2 * (scale * self.canvas.scale) ** 2

    def _due(self, part: Part) -> bool:
        spot = self._spot(part)
        if spot is None or self.canvas.now >= spot.next_s:
            return True
        # something else may lie there by now
        waited = self.canvas.now - spot.looked_s
        return waited >= AGAIN_S and self.canvas.moved_since(part, spot.looked_s)

    def _spot(self, part: Part) -> _InVain | None:
        x, y = part.x + part.mask.shape[1] / 2, part.y + part.mask.shape[0] / 2
        far = SAME_SPOT * (self.judge.px_per_mm or 2.0) * self.canvas.scale
        now = self.canvas.now
        self._in_vain = [one for one in self._in_vain if now < one.next_s + AGAIN_MOST_S]
        return next((one for one in self._in_vain if abs(one.x - x) < far and abs(one.y - y) < far), None)

    def _put_off(self, part: Part) -> None:
        now, spot = self.canvas.now, self._spot(part)
        if spot is None:
            x, y = part.x + part.mask.shape[1] / 2, part.y + part.mask.shape[0] / 2
            self._in_vain.append(_InVain(x, y, now + AGAIN_S, AGAIN_S, now))
        else:
            spot.looks += 1
            spot.looked_s = now
            spot.pause_s = min(2 * spot.pause_s, AGAIN_MOST_S)
            spot.next_s = now + spot.pause_s


def _mostly(explained: Mask, part: Part) -> bool:
    """Was most of a part explained with another one of the same moment?"""
    height, width = part.mask.shape
    here = explained[part.y : part.y + height, part.x : part.x + width]
    return int(np.count_nonzero(here & part.mask)) > part.area // 2


def _boxes_apart(one: Part, other: Part) -> int:
    """px of the copy between the boxes of two parts, along the side where they are farther apart."""
    wide = max(one.x - other.x - other.mask.shape[1], other.x - one.x - one.mask.shape[1], 0)
    high = max(one.y - other.y - other.mask.shape[0], other.y - one.y - one.mask.shape[0], 0)
    return int(max(wide, high))
