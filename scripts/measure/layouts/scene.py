"""What lies where and where hands are, at any moment of a simulated hand: as films show it, but without a picture.

The camera looks straight down through a lens that bends nothing; lengths in mm as in `datasets.film`, px of its picture.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.film.choreography import Choreography
from datasets.film.hand_mesh import HOLDING, REACHING, ArmLook, draw_arm
from datasets.film.movement import Card, HandAt, Lying
from datasets.film.poses import Pose
from datasets.play.deeds import seat_of
from vision.capture.change import SMALL_WIDTH, TILE
from vision.layout import CARD_HEIGHT_MM, CARD_WIDTH_MM, Floats

Ids = NDArray[np.int32]

#: Of a pile so many cards may show, but for columns.
TOPS = 6
#: px/mm of the arms' outlines.
ARM_SCALE = 0.4
#: A hand that moved less than this since the last frame (mm) looks the same.
RESTS_MM = 0.7


@dataclass(frozen=True, slots=True)
class Shown:
    """A card, lying or carried, and its (4, 2) px; of those that share `pile` later ones lie on earlier ones."""

    card: Card
    pose: Pose
    corners: Floats
    pile: str
    carried: bool = False

    @property
    def look(self) -> int:
        """A number that stands for how it looks: another where another card lies, or the same one elsewhere."""
        pose = self.pose
        said = f"{self.card} {pose.x:.1f} {pose.y:.1f} {pose.angle:.1f} {pose.face_up}"
        return zlib.crc32(said.encode()) & 0x3FFFFFFF


@dataclass
class Scene:
    """`go_to` a moment (s), never back; then ask."""

    film: Choreography
    width: int
    height: int
    px_per_mm: float
    #: Arms that are the mirror of others.
    left: frozenset[str] = frozenset()
    now: float = 0.0
    piles: dict[str, list[Lying]] = field(default_factory=lambda: defaultdict(list))
    #: Outlines of the hands, (n, 2) px each.
    hands: list[Floats] = field(default_factory=list)
    carried: list[Shown] = field(default_factory=list)
    _resting: Ids | None = None
    _shown: list[Shown] | None = None
    _stirs: dict[str, tuple[HandAt, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for lying in self.film.start:
            self.piles[lying.place].append(lying)
        changes = [(m.start, 0, i) for i, m in enumerate(self.film.motions)]
        changes += [(m.end, 1, i) for i, m in enumerate(self.film.motions)]
        self._todo = sorted(changes, reverse=True)
        side = SMALL_WIDTH / self.width / TILE
        self._tile, self._tiles = (
            side,
            (-(-round(self.height * SMALL_WIDTH / self.width) // TILE), -(-SMALL_WIDTH // TILE)),
        )

    def again(self) -> Scene:
        """The same from its beginning."""
        return Scene(self.film, self.width, self.height, self.px_per_mm, self.left)

    @property
    def to_table(self) -> Floats:
        """(3, 3) px -> mm."""
        s = 1 / self.px_per_mm
        return np.array([[s, 0.0, -self.width / 2 * s], [0.0, s, -self.height / 2 * s], [0.0, 0.0, 1.0]])

    def px(self, points: Floats) -> Floats:
        """(n, 2) mm to px."""
        return points * self.px_per_mm + np.array([self.width / 2, self.height / 2])

    def go_to(self, now: float) -> None:
        """Let time pass until `now` (s)."""
        while self._todo and self._todo[-1][0] <= now:
            _, landed, index = self._todo.pop()
            motion = self.film.motions[index]
            if landed:
                for lying in motion.put:
                    pile = self.piles[lying.place]
                    pile.insert(len(pile) - min(lying.above, len(pile)), lying)
            else:
                for lying in motion.taken:
                    self._lift(lying)
            self._resting = self._shown = None
        self.now = now
        self.carried = [
            self._at(card, pose, motion.deed.arm, True)
            for motion in self.film.moving(now)
            for card, pose in motion.poses(now)
        ]
        self._seen_hands = [(hand, self._outline(hand)) for hand in self.film.hands(now)]
        self.hands = [outline for _, outline in self._seen_hands if self._is_in(outline)]

    def _lift(self, lying: Lying) -> None:
        pile = self.piles[lying.place]
        pile.remove(next(one for one in reversed(pile) if one.card == lying.card))

    def _at(self, card: Card, pose: Pose, pile: str, carried: bool = False) -> Shown:
        corners = self.px(pose.corners(CARD_WIDTH_MM, CARD_HEIGHT_MM)[:, :2])
        return Shown(card, pose, corners, pile, carried)

    def lying(self) -> list[Shown]:
        """The cards at rest that may show, those of each pile from the lowest on."""
        if self._shown is None:
            self._shown = [
                self._at(one.card, one.pose, place)
                for place, pile in self.piles.items()
                for one in (pile if " work " in place else pile[-TOPS:])
            ]
        return self._shown

    def _outline(self, hand: HandAt) -> Floats:
        outline, pivot = arm_outline(hand.holding)
        drawn = (outline - pivot) / ARM_SCALE
        if (hand.arm in self.left) != (seat_of(hand.arm) != hand.arm):
            drawn = drawn * np.array([-1.0, 1.0])
        turn = np.radians(hand.points)
        ahead, right = np.array([np.sin(turn), -np.cos(turn)]), np.array([np.cos(turn), np.sin(turn)])
        return self.px(np.array([hand.x, hand.y]) + drawn[:, :1] * right - drawn[:, 1:] * ahead)

    def _is_in(self, outline: Floats) -> bool:
        low, high = outline.min(axis=0), outline.max(axis=0)
        return bool((low < (self.width, self.height)).all() and (high > 0).all())

    def tiles(self) -> Ids:
        """(rows, columns): a number a tile of the small picture (`vision.capture.change`), another one where that would
        look otherwise.
        """
        if self._resting is None:
            self._resting = np.zeros(self._tiles, np.int32)
            for shown in self.lying():
                self._paint(self._resting, shown.corners, shown.look)
        ids = self._resting.copy()
        frame = round(self.now * 1000) & 0xFFFFF
        for number, shown in enumerate(self.carried):
            self._paint(ids, shown.corners, 0x40000000 + frame * 16 + number % 16)
        for number, (hand, outline) in enumerate(self._seen_hands):
            if self._is_in(outline):
                self._paint(ids, outline, 0x60000000 + self._stir(hand) * 16 + number)
        return ids

    def _stir(self, hand: HandAt) -> int:
        """How often this hand has moved so far."""
        before, count = self._stirs.get(hand.arm, (hand, 0))
        if np.hypot(hand.x - before.x, hand.y - before.y) > RESTS_MM or hand.holding != before.holding:
            before, count = hand, count + 1
        self._stirs[hand.arm] = before, count
        return count

    def _paint(self, ids: Ids, outline: Floats, number: int) -> None:
        points = np.round((outline * self._tile - 0.5) * 16).astype(np.int32)
        cv2.fillPoly(ids, [points], number, cv2.LINE_8, 4)


@cache
def arm_outline(holding: bool) -> tuple[Floats, Floats]:
    """A right arm from above, fingers towards the top: its (n, 2) outline and the (2,) point between the fingertips."""
    rng = np.random.default_rng(0)
    sprite, pivot = draw_arm(HOLDING if holding else REACHING, ArmLook(), ARM_SCALE, rng)
    contours, _ = cv2.findContours(
        (sprite[..., 3] > 127).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE
    )
    outline = cv2.approxPolyDP(max(contours, key=cv2.contourArea), 1.0, True)[:, 0]
    return outline.astype(np.float64), np.array(pivot, dtype=np.float64)
