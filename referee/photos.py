"""Scores from photos: faces of the centre by their top ranks, spread backs by their designs.

A foundation with top rank r holds r cards; a face-down pile among the faces is a complete one turned over, taken
for 13. Backs are counted one by one. Where both are there, they must agree.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from vision.layout import RANKS, Layout, SeenCard

#: Cards less sure than this are asked about.
SURE_CARD = 0.8
SURE_FACE = 0.9
#: A visible share below this is too thin to be sure that it is a card of its own.
THIN = 0.04


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


@dataclass(slots=True)
class PhotoScore:
    """The score of a hand as its photos show it."""

    decks: list[DeckScore] = field(default_factory=list)
    #: Top card ("QS", "??" unread, "back" for a pile turned over) and number of cards of each foundation.
    foundations: list[tuple[str, int]] = field(default_factory=list)
    total_by_faces: int | None = None
    total_by_backs: int | None = None
    doubts: list[Doubt] = field(default_factory=list)

    @property
    def agrees(self) -> bool | None:
        """Do faces and backs give the same number? None when only one of them was photographed."""
        if self.total_by_faces is None or self.total_by_backs is None:
            return None
        return self.total_by_faces == self.total_by_backs

    def to_json(self) -> dict[str, Any]:
        """As printed with --json."""
        return {
            "decks": [deck.to_json() for deck in self.decks],
            "foundations": [{"top": top, "cards": cards} for top, cards in self.foundations],
            "total_by_faces": self.total_by_faces,
            "total_by_backs": self.total_by_backs,
            "agrees": self.agrees,
            "doubts": [doubt.to_json() for doubt in self.doubts],
        }


class UnknownBackError(ValueError):
    """--deck names a back, or --left a seat, that the photos do not show."""


def score_photos(
    layouts: Sequence[Layout],
    *,
    left: Mapping[str, int] | None = None,
    seats: Mapping[str, str] | None = None,
    penalty: int = 2,
    players: Collection[str] = (),
) -> PhotoScore:
    """Counts the photos of one hand.

    `left`: cards left in the Nerts pile by seat. `seats`: seat by back label as this call names them; without it
    the label stands for the seat. `penalty`: points for a card left. `players`: seats that are known to play, so
    that one of them may have cards left and none in the photos. Raises UnknownBackError.
    """
    result = PhotoScore()
    counts: dict[str, int] = {}
    sureness: dict[str, float] = {}
    for number, layout in enumerate(layouts):
        if shows_faces(layout):
            _count_faces(result, layout, number)
        elif layout.cards:
            _count_backs(result, layout, number, counts, sureness)
        else:
            result.doubts.append(Doubt("There is no card in this picture: is it the right one?", number))
    _fill_decks(result, counts, sureness, dict(left or {}), dict(seats or {}), penalty, players)
    if result.agrees is False:
        result.doubts.append(
            Doubt(
                f"The faces give {result.total_by_faces} cards and the backs {result.total_by_backs}: "
                "is a card missing from a photo, or did both cards of a tie stay?",
                0,
            )
        )
    return result


def shows_faces(layout: Layout) -> bool:
    """Is this a photo of the centre's faces (rather than of spread backs)?"""
    tops = _tops(layout)
    faces = sum(card.side == "face" for card in tops)
    seen_faces = sum(card.side == "face" for card in layout.cards)
    return bool(tops) and faces * 2 >= len(tops) and seen_faces * 2 >= len(layout.cards)


def _tops(layout: Layout) -> list[SeenCard]:
    highest: dict[int, SeenCard] = {}
    for card in layout.cards:
        if card.pile not in highest or card.order > highest[card.pile].order:
            highest[card.pile] = card
    return list(highest.values())


def _count_faces(result: PhotoScore, layout: Layout, number: int) -> None:
    total = result.total_by_faces or 0
    for card in _tops(layout):
        corners = card.corners.round(1).tolist()
        if card.side == "back":
            result.foundations.append(("back", 13))
            result.doubts.append(
                Doubt(
                    "A face-down pile among the faces is taken for 13 cards: is it complete?", number, corners
                )
            )
            total += 13
        elif card.face is None:
            result.foundations.append(("??", 0))
            result.doubts.append(Doubt("Which card lies on this foundation?", number, corners))
        else:
            cards = RANKS.index(card.face[0]) + 1
            result.foundations.append((card.face, cards))
            total += cards
            if card.face_confidence < SURE_FACE:
                result.doubts.append(Doubt(f"Is this the {card.face}?", number, corners))
    result.total_by_faces = total


def _count_backs(
    result: PhotoScore, layout: Layout, number: int, counts: dict[str, int], sureness: dict[str, float]
) -> None:
    for card in layout.cards:
        corners = card.corners.round(1).tolist()
        if card.side == "face":
            result.doubts.append(Doubt("A card lies face up among the backs: whose is it?", number, corners))
            continue
        label = card.back or "unknown"
        counts[label] = counts.get(label, 0) + 1
        sureness[label] = sureness.get(label, 1.0) * max(card.confidence, 0.5)
        if card.confidence < SURE_CARD or card.visible_fraction < THIN:
            result.doubts.append(Doubt(f"Is this one {label} card?", number, corners))
    result.total_by_backs = (result.total_by_backs or 0) + sum(c.side == "back" for c in layout.cards)


def _fill_decks(
    result: PhotoScore,
    counts: Mapping[str, int],
    sureness: Mapping[str, float],
    left: dict[str, int],
    seats: dict[str, str],
    penalty: int,
    players: Collection[str],
) -> None:
    unknown = [label for label in seats if label not in counts]
    if unknown and counts:
        known = ", ".join(sorted(counts))
        raise UnknownBackError(f"no back in the photos is called {unknown[0]}: they show {known}")
    for label in sorted(counts, key=lambda name: (-counts[name], name)):
        seat = seats.get(label)
        cards_left = left.pop(seat or label, 0)
        if counts[label] > 52:
            result.doubts.append(Doubt(f"{counts[label]} cards with the {label} back: a deck has 52", 0))
        points = counts[label] - penalty * cards_left
        result.decks.append(DeckScore(label, seat, counts[label], cards_left, points, sureness[label]))
    for seat, cards_left in left.items():
        back = next((label for label, owner in seats.items() if owner == seat), None)
        if back is None and seats and seat not in players:
            raise UnknownBackError(f"--left names {seat}, whose back is not given: add --deck LABEL={seat}")
        result.decks.append(DeckScore(back or "unknown", seat, 0, cards_left, -penalty * cards_left, 1.0))
