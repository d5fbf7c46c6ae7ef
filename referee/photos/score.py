"""What photos of a hand give: the score by decks, what was photographed, and what is in doubt."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from vision.photos.merging import MergedCard


@dataclass(slots=True)
class Doubt:
    """A question that a photo leaves open, with the place that it is about."""

    asks: str
    image: int
    #: (4, 2) px corners of the card in question, or None.
    corners: list[list[float]] | None = None

    def to_json(self) -> dict[str, Any]:
        """As printed with --json."""
        return {"asks": self.asks, "image": self.image, "corners": self.corners}

    def __str__(self) -> str:
        return self.asks


@dataclass(slots=True)
class DeckScore:
    """What one back design brings."""

    back: str
    seat: str | None
    centre: int
    left: int
    points: int
    confidence: float

    def to_json(self) -> dict[str, Any]:
        """As printed with --json."""
        return {
            "back": self.back,
            "seat": self.seat,
            "centre": self.centre,
            "left": self.left,
            "points": self.points,
            "confidence": round(self.confidence, 4),
        }


@dataclass(frozen=True, slots=True)
class Together:
    """Photos that show the same cards."""

    images: tuple[int, ...]
    #: "face", "back", or "left" for somebody's left-over pile.
    shows: str
    cards: int

    def to_json(self) -> dict[str, Any]:
        """As printed with --json."""
        return {"images": list(self.images), "shows": self.shows, "cards": self.cards}


@dataclass(slots=True)
class PhotoScore:
    """The score of a hand as its photos show it."""

    decks: list[DeckScore] = field(default_factory=list)
    #: Top card ("QS", "??" unread, "back" for a pile turned over) and number of cards of each foundation.
    foundations: list[tuple[str, int]] = field(default_factory=list)
    #: Which of these (their numbers) may be none at all: what is in view does not look like one.
    maybe_none: set[int] = field(default_factory=set)
    #: Which of these are asked about for any reason: what they are, or how many cards.
    asked_about: set[int] = field(default_factory=set)
    total_by_faces: int | None = None
    total_by_backs: int | None = None
    doubts: list[Doubt] = field(default_factory=list)
    #: What was photographed, each spread and centre once.
    spreads: list[Together] = field(default_factory=list)
    #: Every back that was counted, with the label of its deck.
    counted: list[tuple[MergedCard, str]] = field(default_factory=list)
    #: Cards that lie face up among the backs: nobody's until somebody says whose.
    face_up: int = 0

    @property
    def agrees(self) -> bool | None:
        """Do faces and backs give the same number? None when only one of them was photographed, and when some of the
        faces may be no foundations.
        """
        if self.total_by_faces is None or self.total_by_backs is None or self.maybe_none:
            return None
        return self.total_by_faces == self.total_by_backs

    def to_json(self) -> dict[str, Any]:
        """As printed with --json."""
        return {
            "decks": [deck.to_json() for deck in self.decks],
            "foundations": [
                {"top": top, "cards": cards, "sure": number not in self.maybe_none | self.asked_about}
                for number, (top, cards) in enumerate(self.foundations)
            ],
            "total_by_faces": self.total_by_faces,
            "total_by_backs": self.total_by_backs,
            "agrees": self.agrees,
            "doubts": [doubt.to_json() for doubt in self.doubts],
            "spreads": [spread.to_json() for spread in self.spreads],
        }


def asked_at(merged: MergedCard) -> tuple[int, list[list[float]]]:
    """Where a question about a card points to: its photo, and its corners there."""
    return merged.photo, merged.card.corners.round(1).tolist()
