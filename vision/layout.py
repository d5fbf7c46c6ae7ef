"""What the eye reports: every card and hand of one picture, in pixels and on the table plane.

`Layout` is the only thing that `vision` hands to `referee`. It knows no rules: it says what lies where,
how sure it is, and which cards lie on which.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Side = Literal["face", "back"]
#: What told the table's plane.
PlaneSource = Literal["cards", "markers", "corners"]

RANKS = "A23456789TJQK"
SUITS = "SHDC"
#: The 52 faces in the order of every probability vector of this package: all spades, hearts, diamonds, clubs.
FACES: tuple[str, ...] = tuple(rank + suit for suit in SUITS for rank in RANKS)
#: A card that may be named: less than this is "cannot be read".
LEAST_FACE = 0.4

CARD_WIDTH_MM = 63.0
CARD_HEIGHT_MM = 88.0


@dataclass(slots=True)
class SeenCard:
    """One card in one picture."""

    #: (4, 2) px: top left, top right, bottom right, bottom left of the whole card, hidden parts completed.
    #: A card is the same upside down: "top" is the end that lies further up in the picture.
    corners: Floats
    side: Side
    #: (n, 2) px, the part that can be seen.
    visible: Floats
    #: Share of the card that can be seen, 0 to 1.
    visible_fraction: float
    #: That there is a card here at all, 0 to 1.
    confidence: float
    #: Most likely face, as "QS", or None for a back and for a face that cannot be read.
    face: str | None = None
    face_confidence: float = 0.0
    #: (52,) calibrated probabilities in the order of `FACES`; what is missing to 1 is "cannot be read".
    face_probabilities: Floats | None = None
    #: Label shared by the backs of one design in this picture, or None. Where decks are enrolled: the deck's name, or
    #: "unknown", "unknown 2" of a design that is none of them.
    back: str | None = None
    #: That this is so, 0 to 1; None where no decks are enrolled.
    back_confidence: float | None = None
    #: Unit vector that describes the back design, for matching between pictures, or None.
    back_embedding: Floats | None = None
    #: By how much likelier (log odds a pair, on average) it is of its own design than of the next one of this picture;
    #: None where there is no other.
    back_margin: float | None = None
    #: How its design falls into its two least alike parts, the part it lies in into its own, and so on: by how much (log
    #: odds a pair) the two are one, and in which of them it lies; () of the only one of a design.
    back_splits: tuple[tuple[float, int], ...] = ()
    #: How clearly a rim shows along its edges (`vision/backs/rims.py`), Lab units; around 0: it has none. None of a face,
    #: and where too little of an edge is seen.
    rim: float | None = None
    #: Cards that overlap form a pile; `order` 0 is the lowest of its pile.
    pile: int = -1
    order: int = 0
    #: (18,) chances of what stands in its index (`vision.faces.indices`), or None where that was not looked at.
    letters: Floats | None = None
    #: What can be said of a face whose index is none of the thirteen: "?H", or "??" where its suit is in doubt, too.
    partly: str | None = None
    #: Somebody who sees the table said so: nothing that a picture shows overrules it.
    told: bool = False

    @property
    def centre(self) -> Floats:
        """(2,) px, the middle of the whole card."""
        return np.asarray(self.corners.mean(axis=0), dtype=np.float64)

    def name_face(self, chances: Floats) -> None:
        """Takes (52,) chances of its face for what it shows."""
        best = int(np.argmax(chances))
        self.face_probabilities, self.face_confidence = chances, float(chances[best])
        self.face = FACES[best] if chances[best] >= LEAST_FACE else None


@dataclass(slots=True)
class SeenHand:
    """One hand (with what is seen of its arm) in one picture."""

    #: (n, 2) px outline.
    corners: Floats
    confidence: float


@dataclass(slots=True)
class Doubted:
    """What may be a card of a spread and is none that is reported, nor lies where one is."""

    #: (4, 2) px, as of a `SeenCard`.
    corners: Floats
    #: That it is a card, 0 to 1, before it was read and weighed beside the others.
    chance: float


@dataclass(slots=True)
class Plane:
    """The table's plane as a picture shows it; `vision/geometry/plane.py` maps points with it."""

    #: (3, 3) homography from px, straight lines being straight, to mm (arbitrary origin).
    matrix: Floats
    #: How far the lens draws the ends of the picture's longer side inwards, as a share of half of it; 0: it bends no
    #: lines.
    bend: float
    #: Width and height of the picture, px.
    size: tuple[int, int]
    source: PlaneSource
    #: Width and height of the cards that tell the plane, mm, or None where none does.
    card_mm: tuple[float, float] | None
    #: Median distance of the corners that tell the plane from where they should be, mm.
    residual_mm: float = 0.0


@dataclass(slots=True)
class Layout:
    """Everything seen in one picture."""

    width: int
    height: int
    #: Scale of the table plane at the middle of the picture, px a mm; 0 when no card was seen.
    px_per_mm: float
    cards: list[SeenCard] = field(default_factory=list)
    hands: list[SeenHand] = field(default_factory=list)
    #: (3, 3) homography from px to mm on the table plane (arbitrary origin), or None when no card was seen.
    to_table: Floats | None = None
    #: The same plane with the lens, how it was told and how well, or None when it was not; `to_table` is as near to
    #: it as a homography can be.
    plane: Plane | None = None
    #: What else may be a card, of spread backs only: how much a count leaves open, and where.
    doubted: list[Doubted] = field(default_factory=list)
    #: (n, 2) px each: where light burns out what is seen of spread backs.
    glare: list[Floats] = field(default_factory=list)
