"""What is true of every card of a drawn picture, beside what the eye saw of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from scipy.optimize import linear_sum_assignment

from datasets.render import HAND
from datasets.stills import Still
from scripts.matching import match
from scripts.measure.eyes.table import TableRecord, told_table
from vision.layout import Layout

#: mm of a column's card that show, at least and at most, for its strip to count.
STRIP_MM = (14.0, 22.0)
#: What the places of columns are called, and the share of its strip that a card shows that nothing else hides.
COLUMN, WHOLE = " work ", 0.9
#: What shows less of itself may be named or not.
HARDLY = 0.02
#: How much of a hand must be seen (share of the picture), and how well it must be met.
LEAST_HAND, HAND_IOU = 0.002, 0.3


@dataclass(slots=True)
class CardRecord:
    """One true card."""

    picture: int
    deck: str
    #: px a mm where the card lies.
    px_per_mm: float
    face: str
    face_up: bool
    visible: float
    #: Is it the topmost of its pile; is it a strip of a column?
    top: bool
    strip: bool
    #: Was it found (oriented IoU >= 0.5), as which side, read as what, how surely?
    found: bool
    side: str | None = None
    read: str | None = None
    confidence: float = 0.0
    #: Mean distance of its corners from the true ones, widths.
    off: float | None = None
    #: How bright paper is in the picture where it is seen, 0..1; None where nothing of it is.
    light: float | None = None
    #: Does its index show though it lies askew beneath another card, or though more than that card hides its strip?
    askew: bool = False

    @property
    def right(self) -> bool:
        """Is the face read right?"""
        return self.read == self.face


@dataclass(slots=True)
class PictureRecord:
    """One drawn picture."""

    number: int
    px_per_mm: float
    seconds: float
    #: Visible shares of cards that were seen where none is.
    false: list[float] = field(default_factory=list)
    #: Cards of every deck, sorted: true ones, and what was counted.
    counts: list[int] = field(default_factory=list)
    counted: list[int] = field(default_factory=list)
    hands: int = 0
    hands_found: int = 0
    hands_seen: int = 0
    #: Its table, beside what was made of it.
    table: TableRecord | None = None
    about: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Named:
    """How the faces of a picture of one deck are named, wherever they are thought to lie."""

    #: Faces whose index shows, and those of them that are named; faces that are named, and those that are not there.
    indices: int
    found: int
    told: int
    wrong: int


def named_faces(still: Still, layout: Layout) -> Named:
    """A picture of one deck: which faces are named; of those that hardly show none is wrong."""
    named = {card.face for card in layout.cards if card.face is not None}
    indices = {card.face for card in still.cards if card.index_visible}
    there = {card.face for card in still.cards if card.visible_fraction >= HARDLY}
    return Named(len(indices), len(indices & named), len(named), len(named - there))


def told(still: Still, layout: Layout, number: int, seconds: float) -> tuple[PictureRecord, list[CardRecord]]:
    """A picture's truth beside what was seen in it."""
    pairs = dict(match(still.cards, layout.cards))
    tops = {card.pile: row for row, card in enumerate(still.cards)}
    decks = _decks(still)
    cards = []
    for row, card in enumerate(still.cards):
        corners = np.array(card.corners)
        width = float(np.linalg.norm(corners[1] - corners[0]))
        record = CardRecord(
            picture=number,
            deck=decks[card.deck] if decks else "",
            px_per_mm=width / card.mm[3],
            face=card.face,
            face_up=card.face_up,
            visible=card.visible_fraction,
            top=tops[card.pile] == row,
            strip=_is_strip(still, row),
            askew=_is_askew(still, row),
            found=row in pairs,
            light=_light(still, row),
        )
        if row in pairs:
            seen = layout.cards[pairs[row]]
            record.side, record.read, record.confidence = seen.side, seen.face, seen.face_confidence
            apart = [
                np.linalg.norm(np.roll(seen.corners, k, axis=0) - corners, axis=1).mean() for k in (0, 2)
            ]
            record.off = float(min(apart)) / width
        cards.append(record)
    taken = set(pairs.values())
    picture = PictureRecord(
        number=number,
        px_per_mm=still.px_per_mm,
        seconds=seconds,
        false=[card.visible_fraction for row, card in enumerate(layout.cards) if row not in taken],
        counts=sorted(np.unique([c.deck for c in still.cards], return_counts=True)[1].tolist()),
        counted=sorted(
            np.unique([c.back or "" for c in layout.cards if c.side == "back"], return_counts=True)[
                1
            ].tolist()
        ),
        table=told_table(still, layout, pairs),
        about=dict(still.about),
    )
    picture.hands, picture.hands_found, picture.hands_seen = _hands(still, layout)
    return picture, cards


def _light(still: Still, row: int) -> float | None:
    """The brightest there is where a card is seen, a tenth of it left out: its paper, or its neighbours'."""
    card = still.cards[row]
    if card.visible_box is None:
        return None
    left, top, wide, high = (round(value) for value in card.visible_box)
    part = still.image[max(top, 0) : top + max(high, 1), max(left, 0) : left + max(wide, 1)]
    if not part.size:
        return None
    mask = np.zeros(part.shape[:2], np.uint8)
    outline = np.array(card.corners) - (max(left, 0), max(top, 0))
    cv2.fillConvexPoly(mask, np.round(outline).astype(np.int32), 1)
    inside = part.max(axis=2)[mask > 0]
    return float(np.percentile(inside, 90)) / 255 if len(inside) else None


def _step(still: Still, row: int) -> tuple[float, float] | None:
    """mm, along and across a face whose index shows, to the next card of its pile; None for others, and on top."""
    card = still.cards[row]
    above = [c for c in still.cards[row + 1 :] if c.pile == card.pile]
    if not card.face_up or not card.index_visible or not above:
        return None
    x, y = above[0].mm[0] - card.mm[0], above[0].mm[1] - card.mm[1]
    turn = np.radians(card.mm[2])
    return float(abs(y * np.cos(turn) - x * np.sin(turn))), float(abs(x * np.cos(turn) + y * np.sin(turn)))


def _is_strip(still: Still, row: int) -> bool:
    """A face of a column of which a strip along its upper end shows: no hand and no other card hides it."""
    card, step = still.cards[row], _step(still, row)
    if step is None or card.place is None or COLUMN not in card.place:
        return False
    along, across = step
    whole = card.visible_fraction >= WHOLE * along / card.mm[4]
    return STRIP_MM[0] <= along <= STRIP_MM[1] and across < STRIP_MM[0] / 2 and whole


def _is_askew(still: Still, row: int) -> bool:
    """A face whose index shows beneath another 14 to 22 mm off, of a heap, or with more than that hiding it."""
    step = _step(still, row)
    return step is not None and STRIP_MM[0] <= np.hypot(*step) <= STRIP_MM[1] and not _is_strip(still, row)


def _decks(still: Still) -> list[str]:
    """The deck behind every number of a picture's decks, as the art calls it; drawn ones are one family."""
    names = [] if still.scene is None else [name.split(" ")[0] for name in still.scene.decks]
    return ["drawn" if name.startswith("drawn/") else name for name in names]


def _hands(still: Still, layout: Layout) -> tuple[int, int, int]:
    """True hands, those found, and hands seen."""
    if still.ids is None:
        return 0, 0, 0
    scale = 0.25
    mask = (still.ids == HAND).astype(np.uint8)
    small = cv2.resize(mask, None, fx=scale, fy=scale, interpolation=cv2.INTER_NEAREST)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(small)
    true = [labels == k for k in range(1, count) if stats[k, cv2.CC_STAT_AREA] >= LEAST_HAND * small.size]
    seen = []
    for hand in layout.hands:
        drawn = np.zeros(small.shape, np.uint8)
        cv2.fillPoly(drawn, [np.round(hand.corners * scale).astype(np.int32)], 1)
        if drawn.sum() >= LEAST_HAND * small.size:
            seen.append(drawn > 0)
    if not true or not seen:
        return len(true), 0, len(seen)
    iou = np.array([[(t & s).sum() / max((t | s).sum(), 1) for s in seen] for t in true])
    rows, columns = linear_sum_assignment(-iou)
    return len(true), int((iou[rows, columns] >= HAND_IOU).sum()), len(seen)
