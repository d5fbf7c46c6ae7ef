"""One part of a table that rests and differs from what lay there: has a card landed, was one taken back, or nothing?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.capture.frames import Image
from vision.dealt.canvas import LEAST_STEP, Canvas, Mask, Part
from vision.eye import Sees
from vision.faces.reader import rectify
from vision.layout import CARD_HEIGHT_MM, CARD_WIDTH_MM, Floats, SeenCard, SeenHand

Pixels = NDArray[np.uint8]

#: A card that landed is seen so surely, and so much of it.
SURE, WHOLE = 0.5, 0.78
#: mm² that change at least where a card lands, even on one of its own deck.
LEAST_NEWS_MM2 = 150.0
#: It covers this share of what changed, or it is not what changed.
COVERS = 0.5
#: A hand is seen so surely, and a card is held where it lies on this share of it.
HAND, HELD = 0.5, 0.06
#: A card that lay there still shows where one of which so much is seen lies so near (mm): the table may look like cards.
SHOWN, SHOWN_MM = 0.5, 20.0
#: mm around a part that are looked at with it.
ROOM_MM = 34.0
#: A place looks as before where this share of its px may differ, and all of them by this share of what changed.
AS_BEFORE, AS_BEFORE_SHARE = 0.03, 0.25
#: And of all that is open of the card no more than this share differs from what lay there.
OPEN_AS_BEFORE = 0.12
#: A card is gone if this share of what was open of it, and is so much at least (mm²), changed where the next does not
#: lie, and no more than this share of that differs from what lay under it; nor than that share of all that changed there.
GONE_SHARE, LEAST_OPEN_MM2, UNDER_SHARE, EDGE_MM, ALL_UNDER_SHARE = 0.6, 60.0, 0.35, 1.5, 0.3
#: mm that the corners of a card which lies as before are off, on average.
SAME_MM = 0.7
#: Such a card is the same if what is finer than so many px of the copy correlates so well with what lay there.
SAME_PRINT, FINE_PX = 0.93, 3.0
#: What is narrower than this (mm) beside a card is its edge, or its shadow.
NARROW_MM = 4.0
#: The first card tells the scale: how much of its rectangle a part fills, and how long that is for its width; or how much
#: its hull does where its print looks like the table, and how much it fills itself then.
SOLID, SHAPE = 0.88, (1.2, 1.62)
HULL, HOLLOW, TRUE_SHAPE = 0.93, 0.6, (1.28, 1.52)
#: One of this size that lies alone is taken as its outline tells, where the eye's corners are so many mm off on average.
SAME_SIZE, OUTLINE_MM = (0.9, 1.1), 6.0


@dataclass(slots=True)
class Second:
    """A second card under the one that is seen."""

    #: The share of what changed beside the upper card that it explains at best, and mm² of that, as if all of it had
    #: changed as much as anything can.
    explains: float
    gain: float = 0.0
    #: Label → the chance that it is of this deck.
    whose: dict[str | None, float] = field(default_factory=dict)


@dataclass(slots=True)
class Landing:
    """A card that came to lie."""

    at: float
    #: (4, 2) px of the picture.
    corners: Floats
    side: Literal["face", "back"]
    face: str | None
    face_confidence: float
    confidence: float
    #: (160, 112, 3) BGR and its mask: the card as it was seen then.
    crop: Pixels
    seen: Pixels
    #: Where on the copy, and what lay there before (height, width, 3).
    x: int
    y: int
    before: Pixels = field(repr=False)
    #: The same place when it lay there.
    after: Pixels = field(repr=False)
    #: mm² that changed beside it, known in the end: another card under it, or a pile that was pushed.
    beside: float = 0.0
    #: A second card under it, if there is so much that one may be there.
    second: Second | None = None
    #: When it was taken back (s), if it was.
    gone: float | None = None
    #: Did it look just as before then?
    surely_gone: bool = True
    #: The share of what changed then that did not look as before it landed.
    unlike: float = 0.0
    #: Looks at this place, while it rested, that explained nothing before this card landed: another may have.
    unclear: int = 0
    #: By how much less it looks like its deck's print than others do, 1 for a usual one; known in the end.
    misfit: float = 1.0
    #: mm² that had changed with it since the last card was explained, and that it does not cover.
    rest: float = 0.0
    #: (height, width, 3) each, to look at: the place before an arm brought it and after; how it looked once gone.
    scene: tuple[Pixels, Pixels] | None = field(default=None, repr=False)
    bare: Pixels | None = field(default=None, repr=False)
    #: (height, width, 3): the whole table then, small, as it was seen last where no arm is.
    table: Pixels | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Judged:
    """What a part turned out to be."""

    kind: Literal["landed", "taken back", "nothing", "unclear"]
    #: (height, width) px of the copy that are explained by it.
    where: Mask | None = None
    landing: Landing | None = None


def scale_of(part: Part, canvas: Canvas) -> float | None:
    """px of the picture a mm, if this part has the shape of one card that lies alone; else None."""
    points = np.argwhere(part.mask)[:, ::-1].astype(np.float32)
    if len(points) < 150:
        return None
    _, sides, _ = cv2.minAreaRect(points)
    short, long = sorted(float(side) + 1.0 for side in sides)
    filled = cv2.morphologyEx(part.mask.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8)).sum()
    whole, shape = short * long, long / max(short, 1.0)
    solid = SHAPE[0] <= shape <= SHAPE[1] and filled >= SOLID * whole
    hull = cv2.contourArea(cv2.convexHull(points)) + long + short
    hollow = TRUE_SHAPE[0] <= shape <= TRUE_SHAPE[1] and hull >= HULL * whole and filled >= HOLLOW * whole
    if short < 12 or not (solid or hollow):
        return None
    return float(np.sqrt(short * long / (CARD_WIDTH_MM * CARD_HEIGHT_MM)) / canvas.scale)


def outline_of(part: Part, canvas: Canvas) -> Floats:
    """(4, 2) px of the picture: the upright card that is all of a part, from a corner on along its shorter side."""
    points = np.argwhere(part.mask)[:, ::-1].astype(np.float32)
    corners = cv2.boxPoints(cv2.minAreaRect(points)).astype(np.float64) + np.array([part.x, part.y])
    if np.linalg.norm(corners[1] - corners[0]) > np.linalg.norm(corners[2] - corners[1]):
        corners = np.roll(corners, -1, axis=0)
    return np.asarray((corners + 0.5) / canvas.scale - 0.5)


class Judge:
    """Says of a part that rests what happened there; knows what landed before."""

    def __init__(self, canvas: Canvas, eye: Sees) -> None:
        self.canvas, self._eye = canvas, eye
        self.landings: list[Landing] = []
        #: px of the picture a mm, once a card has lain alone.
        self.px_per_mm: float | None = None
        self.looks = 0

    def judge(self, image: Image, part: Part) -> Judged:
        """What happened where `part` is, in the frame that the canvas saw last."""
        changed = self.canvas.mask_of(part)
        taken = self._taken_back(changed)
        if taken is not None:
            back, unlike = taken
            self._gone(back)
            back.unlike = unlike
            return Judged("taken back", self._around(changed, back.corners), back)
        scale = self.px_per_mm or scale_of(part, self.canvas)
        if scale is None:
            return Judged("unclear")
        card = self._look(image, part, changed, scale)
        if card is None:
            return Judged("unclear")
        if self.px_per_mm is None:
            self.px_per_mm = scale
        card.corners = self._as_outlined(part, card.corners)
        return self._told_of(card, image, changed)

    def _told_of(self, card: SeenCard, image: Image, changed: Mask) -> Judged:
        where = self._around(changed, card.corners)
        top = self._lying_at(card.corners)
        news = self._everything_at(changed, card.corners)
        if news.sum() < LEAST_NEWS_MM2 * (self._scale * self.canvas.scale) ** 2:
            return Judged("nothing", where)
        as_before = top is not None and _off(top.corners, card.corners) < SAME_MM * self._scale
        if as_before and self._same_print(card.corners):
            return Judged("nothing", where)
        if top is not None and self._uncovered(top, card.corners, changed):
            self._gone(top)
            top.surely_gone = False
            return Judged("taken back", where, top)
        landing = self._landing(card, image, changed)
        landing.rest = self._rest(changed, card.corners)
        self.landings.append(landing)
        return Judged("landed", where, landing)

    def _as_outlined(self, part: Part, corners: Floats) -> Floats:
        """The outline of a card that lies alone, where the eye has it elsewhere: a back without a rim tells it little."""
        alone = scale_of(part, self.canvas)
        if alone is None or not SAME_SIZE[0] < alone / self._scale < SAME_SIZE[1]:
            return corners
        outline = outline_of(part, self.canvas)
        return outline if _off(outline, corners) > OUTLINE_MM * self._scale else corners

    @property
    def _scale(self) -> float:
        assert self.px_per_mm is not None
        return self.px_per_mm

    def _rest(self, changed: Mask, corners: Floats) -> float:
        """mm² of what changed that a card there does not explain, but for narrow edges."""
        px = self._scale * self.canvas.scale
        rest = (changed & ~self.canvas.area_of(corners, EDGE_MM * px)).astype(np.uint8)
        side = max(2, round(NARROW_MM * px))
        return float(cv2.morphologyEx(rest, cv2.MORPH_OPEN, np.ones((side, side), np.uint8)).sum() / px**2)

    def _everything_at(self, changed: Mask, corners: Floats) -> Mask:
        """What changed, with all else that rests and changed where this card lies."""
        resting = np.zeros(changed.shape, dtype=bool)
        for number, part in enumerate(self.canvas.parts, 1):
            if part.rests and not part.reaches:
                resting |= self.canvas.labels == number
        return np.asarray(changed | (resting & self.canvas.area_of(corners, 2.0)))

    def _same_print(self, corners: Floats) -> bool:
        """Does a card look as what lay there, but for light and shadow, which are smooth?"""
        assert self.canvas.seen is not None and self.canvas.lies is not None
        rows, columns = np.nonzero(self.canvas.area_of(corners))
        box = slice(rows.min(), rows.max() + 1), slice(columns.min(), columns.max() + 1)
        one, other = (_fine(picture[box]) for picture in (self.canvas.seen, self.canvas.lies))
        both = float((one * other).sum())
        return both > SAME_PRINT * float(np.sqrt((one * one).sum() * (other * other).sum()))

    def _uncovered(self, top: Landing, corners: Floats, changed: Mask) -> bool:
        """Does the card that lay on top show no more where the one at `corners` does not lie?"""
        px = self._scale * self.canvas.scale
        open_still = self.canvas.area_of(top.corners) & ~self.canvas.area_of(corners, EDGE_MM * px)
        if open_still.sum() < LEAST_OPEN_MM2 * px**2:
            return False
        if float(changed[open_still].mean()) <= GONE_SHARE or not self._as_under(
            top, open_still, UNDER_SHARE
        ):
            return False
        # another card of one deck shows a white rim where the last one's lay bare, too; but not everywhere
        return self._as_under(top, changed & self.canvas.area_of(top.corners), ALL_UNDER_SHARE)

    def _as_under(self, top: Landing, where: Mask, share: float) -> bool:
        """Does what lay under a card show again at these px, but for a share?"""
        assert self.canvas.seen is not None
        height, width = top.before.shape[:2]
        box = slice(top.y, top.y + height), slice(top.x, top.x + width)
        here = where[box]
        off = np.abs(self.canvas.seen[box][here].astype(np.int16) - top.before[here])
        return bool(here.any()) and float((off.max(axis=1) > LEAST_STEP).mean()) < share

    def _taken_back(self, changed: Mask) -> tuple[Landing, float] | None:
        """The last card that landed here, if it looks again as it did before that, and the share that does not."""
        assert self.canvas.seen is not None and self.canvas.lies is not None
        for landing in reversed(self.landings):
            if landing.gone is not None:
                continue
            height, width = landing.before.shape[:2]
            box = slice(landing.y, landing.y + height), slice(landing.x, landing.x + width)
            here = changed[box]
            if here.sum() < 0.9 * changed.sum():
                if here.any():
                    return None
                continue
            now, lay = self.canvas.seen[box][here], self.canvas.lies[box][here]
            news = np.abs(now.astype(np.int16) - lay).mean()
            off = np.abs(now.astype(np.int16) - landing.before[here])
            unlike = float((off.max(axis=1) > LEAST_STEP).mean())
            as_before = off.mean() < AS_BEFORE_SHARE * news and unlike < AS_BEFORE
            return (landing, unlike) if as_before and self._open_as_before(landing) else None
        return None

    def _open_as_before(self, landing: Landing) -> bool:
        """Does all that later cards leave open of one look as before it landed, not just what changed now?"""
        assert self.canvas.seen is not None
        later = np.zeros(self.canvas.labels.shape, dtype=bool)
        for other in self.landings:
            if other.gone is None and other.at > landing.at:
                later |= self.canvas.area_of(other.corners, 1.0)
        height, width = landing.before.shape[:2]
        box = slice(landing.y, landing.y + height), slice(landing.x, landing.x + width)
        here = (self.canvas.area_of(landing.corners) & ~later & ~self.canvas.arms())[box]
        if here.sum() < LEAST_OPEN_MM2 * (self._scale * self.canvas.scale) ** 2:
            return False
        off = np.abs(self.canvas.seen[box][here].astype(np.int16) - landing.before[here])
        return float((off.max(axis=1) > LEAST_STEP).mean()) < OPEN_AS_BEFORE

    def _gone(self, landing: Landing) -> None:
        """A card was taken back."""
        assert self.canvas.seen is not None
        height, width = landing.after.shape[:2]
        landing.gone = self.canvas.now
        landing.bare = self.canvas.seen[landing.y : landing.y + height, landing.x : landing.x + width].copy()

    def shows(self, image: Image, landing: Landing) -> bool:
        """Does the eye see a card or a hand where this card lay?"""
        room = ROOM_MM * self._scale
        low, high = landing.corners.min(axis=0) - room, landing.corners.max(axis=0) + room
        left, top = (max(0, int(v)) for v in low)
        window = np.ascontiguousarray(image[top : int(high[1]), left : int(high[0])])
        layout = self._eye.see(window, to_table=_plane(self._scale, left, top))
        middle = landing.corners.mean(axis=0) - (left, top)
        near = [
            card.visible_fraction > SHOWN and np.linalg.norm(card.centre - middle) < SHOWN_MM * self._scale
            for card in layout.cards
        ]
        return any(near) or any(hand.confidence >= HAND for hand in layout.hands)

    def _look(self, image: Image, part: Part, changed: Mask, scale: float) -> SeenCard | None:
        """The card that changed the part, in px of the picture."""
        self.looks += 1
        room = ROOM_MM * scale
        height, width = part.mask.shape
        left, top = (max(0, int(v / self.canvas.scale - room)) for v in (part.x, part.y))
        right, bottom = (int(v / self.canvas.scale + room) for v in (part.x + width, part.y + height))
        window = np.ascontiguousarray(image[top:bottom, left:right])
        best, most = None, COVERS
        count = max(int(changed.sum()), 1)
        layout = self._eye.see(window, to_table=_plane(scale, left, top))
        for card in layout.cards:
            if card.confidence < SURE or card.visible_fraction < WHOLE or _held(card, layout.hands):
                continue
            card.corners = card.corners + np.array([left, top], dtype=np.float64)
            covers = np.count_nonzero(changed & self.canvas.area_of(card.corners)) / count
            if covers > most:
                best, most = card, covers
        return best

    def _lying_at(self, corners: Floats) -> Landing | None:
        """The card that landed last where this one lies."""
        place = self.canvas.area_of(corners)
        for landing in reversed(self.landings):
            if (
                landing.gone is None
                and (place & self.canvas.area_of(landing.corners)).sum() > 0.5 * place.sum()
            ):
                return landing
        return None

    def _around(self, changed: Mask, corners: Floats) -> Mask:
        near = cv2.dilate(changed.astype(np.uint8), np.ones((9, 9), np.uint8)).astype(bool)
        return np.asarray(near | self.canvas.area_of(corners, 3.0))

    def _landing(self, card: SeenCard, image: Image, changed: Mask) -> Landing:
        assert self.canvas.lies is not None and self.canvas.seen is not None
        where = self._around(changed, card.corners)
        rows, columns = np.nonzero(where)
        x, y, right, bottom = columns.min(), rows.min(), columns.max() + 1, rows.max() + 1
        whole = np.ones((1, *image.shape[:2]), dtype=bool)
        crops, seen = rectify(image, card.corners[None], whole)
        return Landing(
            self.canvas.now,
            card.corners,
            card.side,
            card.face,
            card.face_confidence,
            card.confidence,
            crops[0],
            seen[0],
            int(x),
            int(y),
            self.canvas.lies[y:bottom, x:right].copy(),
            self.canvas.seen[y:bottom, x:right].copy(),
        )


def _plane(scale: float, left: int, top: int) -> Floats:
    """(3, 3) px of a window to mm of the table."""
    return np.array([[1 / scale, 0, left / scale], [0, 1 / scale, top / scale], [0, 0, 1]])


def _fine(picture: Pixels) -> Floats:
    """What is finer than light and shadow in a picture (height, width, 3)."""
    exact = picture.astype(np.float32)
    return np.asarray(exact - cv2.GaussianBlur(exact, (0, 0), FINE_PX), dtype=np.float64)


def _held(card: SeenCard, hands: Sequence[SeenHand]) -> bool:
    """Do fingers lie on a card?"""
    quad = np.asarray(card.corners, dtype=np.float32)
    area = cv2.contourArea(quad)
    for hand in hands:
        hull = cv2.convexHull(np.asarray(hand.corners, np.float32))
        both, _ = cv2.intersectConvexConvex(quad, hull)
        if hand.confidence >= HAND and both > HELD * area:
            return True
    return False


def _off(one: Floats, other: Floats) -> float:
    """px by which the corners of two cards are off, on average; a card is the same upside down."""
    return min(float(np.linalg.norm(one - np.roll(other, turn, axis=0), axis=1).mean()) for turn in (0, 2))
