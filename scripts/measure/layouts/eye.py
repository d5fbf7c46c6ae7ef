"""An eye that is told the truth and errs as `Faults` say. The same seed, card and look: the same fault."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

import cv2
import numpy as np

from referee.umpire.sights import Window
from scripts.measure.layouts.faults import Faults
from scripts.measure.layouts.scene import Scene, Shown
from vision.capture.video import Frame
from vision.layout import (
    CARD_HEIGHT_MM,
    CARD_WIDTH_MM,
    FACES,
    RANKS,
    SUITS,
    Floats,
    Layout,
    SeenCard,
    SeenHand,
)

#: What shows is counted on a grid of so many px a mm, and is nothing below this share of a card.
GRID, LEAST_SHARE = 0.5, 0.02
CARD_CELLS = CARD_WIDTH_MM * CARD_HEIGHT_MM * GRID * GRID
RED = "HD"
#: Where the probabilities of `Faults.sure` stand, %.
RIGHT_AT, WRONG_AT = (1, 5, 10, 25, 50), (5, 25, 50, 75, 95)


@dataclass(slots=True)
class FaultyEye:
    """Looks at a scene; `backs`: seat → how its deck's back is called."""

    scene: Scene
    faults: Faults
    seed: int
    backs: Mapping[str, str]
    #: Until when (s) it is busy with the looks so far, and how many these were.
    busy_until: float = 0.0
    looks: int = 0
    #: How often it erred, by fault.
    erred: dict[str, int] = field(default_factory=dict)

    @property
    def is_busy(self) -> bool:
        """Whether a look still goes on."""
        return self.busy_until > self.scene.now

    def look(self, frame: Frame, box: Window | None, to_table: Floats | None) -> Layout:
        """What it makes of the scene as it is now, or of a box of it; in px of the whole picture."""
        scene = self.scene
        self.looks += 1
        rng = Random(f"{self.seed} {frame.index} {box}")
        took = self.faults.look_s * np.exp(self.faults.look_spread * rng.gauss(0, 1))
        self.busy_until = max(self.busy_until, scene.now) + float(took)
        box = box or (0, 0, scene.width, scene.height)
        cards, hands = self._in(box)
        seen = [
            card for one, share, order in cards if (card := self._card(one, share, order, frame)) is not None
        ]
        shown = [SeenHand(hand, 0.99) for hand, share in hands if not self._hand_is_missed(rng, share)]
        return Layout(scene.width, scene.height, scene.px_per_mm, seen, shown, scene.to_table)

    def _in(self, box: Window) -> tuple[list[tuple[Shown, float, int]], list[tuple[Floats, float]]]:
        """The cards whose middle a box holds, with the share that shows and the cards of the pile beneath; and the hands
        with the share of the box that each takes.
        """
        scene = self.scene
        scale = GRID / scene.px_per_mm
        low, high = np.array(box[:2]), np.array(box[2:])
        shape = np.ceil((high - low)[::-1] * scale).astype(int)
        ids = np.zeros(shape, np.int32)
        near = [one for one in [*scene.lying(), *scene.carried] if _touches(one.corners, low, high)]
        for number, one in enumerate(near, 1):
            _paint(ids, (one.corners - low) * scale, number)
        hands = []
        for outline in scene.hands:
            mask = np.zeros(shape, np.int32)
            _paint(mask, (outline - low) * scale, 1)
            if mask.any():
                ids[mask > 0] = 0
                hands.append((outline, float(mask.mean())))
        counts = np.bincount(ids.ravel(), minlength=len(near) + 1)
        found, below = [], dict[str, int]()
        for number, one in enumerate(near, 1):
            order = below[one.pile] = below.get(one.pile, -1) + 1
            share = min(1.0, float(counts[number]) / CARD_CELLS)
            middle = one.corners.mean(axis=0)
            if share >= LEAST_SHARE and (middle >= low).all() and (middle < high).all():
                found.append((one, share, order))
        return found, hands

    def _hand_is_missed(self, rng: Random, share: float) -> bool:
        rate = self.faults.hand_missed[bisect_right(self.faults.hand_shares, share)]
        return self._errs("hand", rng, rate)

    def _errs(self, fault: str, rng: Random, rate: float) -> bool:
        if rng.random() >= rate:
            return False
        self.erred[fault] = self.erred.get(fault, 0) + 1
        return True

    def _card(self, one: Shown, share: float, order: int, frame: Frame) -> SeenCard | None:
        faults, bin_ = self.faults, bisect_right(self.faults.shares, share)
        still = f"{self.seed} {one.look} {bin_}"
        fresh = Random(f"{still} {frame.index}")
        rng = Random(still) if fresh.random() < faults.steady else fresh
        if self._errs("missed", rng, faults.missed[bin_]):
            return None
        if one.carried and self._errs("carried", fresh, faults.in_air):
            return None
        corners = self._corners(one, rng, faults.off_mm[bin_])
        is_back = not one.pose.face_up or self._errs("turned", rng, faults.turned[bin_])
        card = SeenCard(corners, "back" if is_back else "face", corners, share, 0.95, order=order)
        if is_back:
            card.back = self.backs[one.card.seat]
        else:
            card.name_face(self._read(one.card.face, bin_, rng))
        return card

    def _corners(self, one: Shown, rng: Random, off_mm: float) -> Floats:
        """Where it is seen, (4, 2) px."""
        dx, dy, turn = (rng.gauss(0, 1) for _ in range(3))
        middle = one.corners.mean(axis=0)
        angle = np.radians(turn * self.faults.turn_deg)
        cos, sin = float(np.cos(angle)), float(np.sin(angle))
        by = np.array([dx, dy]) * off_mm * self.scene.px_per_mm
        return np.asarray((one.corners - middle) @ np.array([[cos, sin], [-sin, cos]]) + middle + by)

    def _read(self, face: str, bin_: int, rng: Random) -> Floats:
        """(52,) chances of its face."""
        chances = np.zeros(len(FACES))
        sure = self.faults.sure
        if self._errs("misread", rng, self.faults.misread[bin_]):
            other = self._confused(face, bin_, rng)
            level = 100 * rng.random()
            chances[FACES.index(other)] = top = _quantile(level, WRONG_AT, sure.get("wrong", (1.0,) * 5))
            left = _quantile(100 - level, WRONG_AT, sure.get("truth", (0.0,) * 5))
            chances[FACES.index(face)] = min(left, 0.98 * (1 - top))
        elif self._errs("unread", rng, self.faults.unread[bin_]):
            chances[FACES.index(face)], chances[FACES.index(self._confused(face, bin_, rng))] = 0.25, 0.15
        else:
            at = sure.get("right" if bin_ < 4 else "whole", (1.0,) * 5)
            top = _quantile(50 * rng.random() if rng.random() < 0.5 else 50.0, RIGHT_AT, at)
            chances[FACES.index(face)] = top
            chances[FACES.index(self._confused(face, bin_, rng))] = 0.5 * (1 - top)
        return chances

    def _confused(self, face: str, bin_: int, rng: Random) -> str:
        """Another face that this one may be taken for."""
        kind = "sliver" if bin_ == 0 else "strip" if bin_ < 4 else "whole"
        ways = self.faults.confusions.get(kind) or {"any": 1.0}
        (way,) = rng.choices(list(ways), weights=list(ways.values()))
        rank, suit = face[0], face[1]
        if way == "rank":
            return rank + next(s for s in SUITS if s != suit and (s in RED) == (suit in RED))
        if way == "suit":
            at = RANKS.index(rank)
            return rng.choice([RANKS[n] for n in (at - 1, at + 1) if 0 <= n < len(RANKS)]) + suit
        return rng.choice([other for other in FACES if other != face])


def _touches(corners: Floats, low: Floats, high: Floats) -> bool:
    return bool((corners.max(axis=0) > low).all() and (corners.min(axis=0) < high).all())


def _paint(ids: np.ndarray, outline: Floats, number: int) -> None:
    cv2.fillPoly(ids, [np.round((outline - 0.5) * 16).astype(np.int32)], number, cv2.LINE_8, 4)


def _quantile(level: float, levels: tuple[int, ...], values: tuple[float, ...]) -> float:
    return float(np.interp(level, levels, values))
