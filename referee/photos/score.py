"""What photos of a hand give: the score by decks, what was photographed, and what is in doubt."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from referee.photos.mending import Mended
from vision.backs.deckfile import UNKNOWN
from vision.layout import Floats
from vision.photos.merging import MergedCard

#: What is asked about one card: whether it is one (and counts, or was left out), whether it is of that deck, shows that
#: face, or lies on a foundation; whether it and the one beside it are of one deck. What is no such question has none.
Kind = Literal["card", "left out", "deck", "face", "pile", "design"]
#: Cards less sure than this are asked about. On drawn spreads of the tuning decks 0.7 asks about 7 % of the cards and
#: touches 65 % of the decks whose number is wrong, 0.8 about 18 % and 84 %.
SURE_CARD = 0.75
#: A visible share below this is too thin to be sure that it is a card of its own.
THIN = 0.04
#: Suits as people write them.
_SIGNS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
#: Cards of a deck (N1).
DECK = 52
#: What is known of a deck's count: it is certified, something settles it, or nothing can be said.
State = Literal["sure", "asked", "refused"]
#: What is asked for: an area to be spread anew; a photo from closer, from above, without the flash, or from another side.
Remedy = Literal["spread", "closer", "above", "glare", "again"]


def written(face: str) -> str:
    """A face in a sentence: 10♥ for "TH"."""
    return face[0].replace("T", "10") + _SIGNS[face[1]]


@dataclass(slots=True)
class Doubt:
    """A question that a photo leaves open, with the place that it is about."""

    asks: str
    image: int
    #: (4, 2) px corners of the card in question, or None.
    corners: list[list[float]] | None = None
    #: A question that is answered by yes or no about one card, and which that is.
    kind: Kind | None = None
    about: MergedCard | None = None
    #: What is asked whether it is: a deck's label, or a face.
    supposed: str | None = None
    #: Where that card comes from, as JSON tells it.
    place: dict[str, Any] | None = None
    #: (4, 2) px corners of the card that it is compared with, what its deck is called if it is another's, and the chance
    #: of that; of a "design" only.
    beside: list[list[float]] | None = None
    otherwise: str | None = None
    worth: float = 0.0

    @classmethod
    def at(
        cls, merged: MergedCard, asks: str, kind: Kind | None = None, supposed: str | None = None
    ) -> Doubt:
        """A question about a card, where the photo that shows most of it has it."""
        return cls(asks, merged.photo, merged.card.corners.round(1).tolist(), kind, merged, supposed)

    @classmethod
    def of_card(cls, merged: MergedCard, label: str | None, asks: str = "") -> Doubt:
        """Asks whether a card that counts is one of the deck with this label: a yes says both."""
        deck = None if label == UNKNOWN else label
        return cls.at(merged, asks or f"Is this one {label} card?", "card", deck)

    def tell_place(self, said: Mended) -> None:
        """Says where its card comes from: a photo's card or a mend; neither where no card was seen."""
        if self.about is not None:
            places = (at for at, _ in said.places_of(self.about) if at.image == self.image)
            self.place = next((at.to_json() for at in places), None)
        elif self.kind == "left out":
            self.place = {"image": self.image, "card": None, "mend": None}

    def to_json(self) -> dict[str, Any]:
        """As printed with --json."""
        told: dict[str, Any] = {"asks": self.asks, "image": self.image, "corners": self.corners}
        if self.place is not None:
            told |= {"kind": self.kind, "place": self.place, "supposed": self.supposed}
        if self.beside is not None:
            told |= {"beside": self.beside, "otherwise": self.otherwise}
        return told

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
    #: That the number of its cards is exact, 0 to 1.
    confidence: float
    #: "sure", "asked" (see `PhotoScore.requests` and `doubts`) or "refused".
    state: State = "asked"
    #: The same of the cards left, where photos show them; None where their number was told, or nothing was.
    left_state: State | None = None
    left_confidence: float | None = None

    @property
    def sure(self) -> bool:
        """Are its points sure?"""
        return self.state == "sure" and self.left_state in {None, "sure"}

    def to_json(self) -> dict[str, Any]:
        """As printed with --json."""
        return {
            "back": self.back,
            "seat": self.seat,
            "centre": self.centre,
            "left": self.left,
            "points": self.points,
            "confidence": round(self.confidence, 4),
            "state": self.state,
            "left_confidence": None if self.left_confidence is None else round(self.left_confidence, 4),
            "left_state": self.left_state,
        }


@dataclass(frozen=True, slots=True)
class Request:
    """One thing to do that settles what is in doubt about the counts of a spread."""

    kind: Remedy
    asks: str
    image: int
    #: (n, 2) px around the cards that it is about, or None: the whole photo.
    area: list[list[float]] | None = None
    #: How many cards lie there.
    cards: int = 0

    def to_json(self) -> dict[str, Any]:
        """As printed with --json."""
        return {
            "kind": self.kind,
            "asks": self.asks,
            "image": self.image,
            "area": self.area,
            "cards": self.cards,
        }

    def __str__(self) -> str:
        return self.asks


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
    #: Did the faces settle which of the doubtful backs are cards, so that there are as many then?
    settled: bool = False
    doubts: list[Doubt] = field(default_factory=list)
    #: What settles counts that are not sure, the most useful first.
    requests: list[Request] = field(default_factory=list)
    #: What was photographed, each spread and centre once.
    spreads: list[Together] = field(default_factory=list)
    #: Every back that was counted, with the label of its deck.
    counted: list[tuple[MergedCard, str]] = field(default_factory=list)
    #: Cards that lie face up among the backs: nobody's until somebody says whose.
    face_up: list[MergedCard] = field(default_factory=list)
    #: Every card that counts, numbered, with where it lies (`referee.photos.tags`).
    cards: list[dict[str, Any]] = field(default_factory=list)
    #: What is asked by yes or no, the most open question first (`referee.photos.queue`).
    ask: list[Doubt] = field(default_factory=list)
    #: Designs of which so little is seen that they may be no decks.
    hardly: set[str] = field(default_factory=set)
    #: By label and spread: do several photos show it, and what its count was weighed by (`referee.photos.evidence`).
    figures: dict[str, list[tuple[bool, Floats]]] = field(default_factory=dict)
    #: By seat, what the number of each left-over pile was weighed by (`referee.photos.left.certain`).
    left_figures: list[tuple[str, Floats]] = field(default_factory=list)

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
            "requests": [request.to_json() for request in self.requests],
            "doubts": [doubt.to_json() for doubt in self.doubts],
            "spreads": [spread.to_json() for spread in self.spreads],
            "cards": self.cards,
            "ask": [doubt.to_json() for doubt in self.ask],
        }
