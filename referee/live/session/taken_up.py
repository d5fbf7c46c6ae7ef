"""A hand that a crash interrupted is taken up: from its record, and a small file that says where its places lie."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from referee.games.nerts.course import course_of
from referee.record.book import Book
from referee.record.corrections import LineError
from referee.record.reopened import reopened
from referee.rules.cards import UNKNOWN
from referee.rules.events import BadEventError
from referee.rules.hand import Hand
from referee.rules.header import HeaderError
from referee.rules.places import STOCK, Place
from referee.umpire.seats.area import Area, SeatArea
from referee.umpire.seats.begun import unknown_pile
from referee.umpire.seats.deal import Deal
from referee.umpire.sights import FACE_INDEX, Point
from referee.umpire.story import Lift, Lying, Pile

Line = dict[str, Any]

#: Two lines that say the same are of one event if they are no further apart than this (s).
SAME_S = 2.5


class NotTakenUpError(ValueError):
    """A hand that cannot be gone on with; the message says why."""


@dataclass(frozen=True, slots=True)
class Spots:
    """Where a hand's places lie in the picture, and the calls that are not ruled on yet."""

    area: Area
    size: tuple[int, int]
    #: (seat, s) of each call.
    calls: Sequence[tuple[str, float]] = ()
    #: Up to when (s) the picture was seen.
    seen_s: float = 0.0
    #: What is believed to lie where and to be in hand, and the lines that may not stand in the record yet.
    piles: Mapping[Place, Pile] = field(default_factory=dict)
    lifted: Sequence[Lift] = ()
    recent: Sequence[Line] = ()

    def to_json(self) -> Line:
        """For a file."""
        return {
            "size": list(self.size),
            "seen": round(self.seen_s, 3),
            "to_table": self.area.to_table.tolist(),
            "seats": [
                {
                    "seat": seat.seat,
                    "across": list(seat.across),
                    "near": list(seat.near),
                    "spots": [[*place, *spot] for place, spot in seat.spots.items()],
                    "back_like_face": seat.back_like_face,
                    "partner": seat.partner,
                }
                for seat in self.area.seats
            ],
            "unsettled": sorted(self.area.unsettled),
            "strays": [list(at) for at in self.area.strays],
            "foundations": [[*place, *spot] for place, spot in self.area.foundations.items()],
            "calls": [list(call) for call in self.calls],
            "piles": [[*place, list(pile)] for place, pile in self.piles.items()],
            "lifted": [[*held.place, list(held.cards), held.at] for held in self.lifted],
            "recent": list(self.recent),
        }

    @classmethod
    def from_json(cls, data: Any) -> Spots:
        """Of such a file; NotTakenUpError where it says anything else."""
        try:
            seats = [
                SeatArea(
                    str(seat["seat"]),
                    _point(seat["across"]),
                    _point(seat["near"]),
                    {_place(*spot[:3]): _point(spot[3:]) for spot in seat["spots"]},
                    bool(seat["back_like_face"]),
                    str(seat.get("partner", "")),
                )
                for seat in data["seats"]
            ]
            to_table = np.array(data["to_table"], dtype=np.float64).reshape(3, 3)
            strays = [_point(at) for at in data.get("strays", ())]
            area = Area(seats, to_table, unsettled=set(map(str, data.get("unsettled", ()))), strays=strays)
            for spot in data["foundations"]:
                area.foundations[_place(*spot[:3])] = _point(spot[3:])
            width, height = data["size"]
            calls = [(str(seat), float(at)) for seat, at in data["calls"]]
            seen_s = float(data["seen"])
            piles = {_place(*place): _pile(cards) for *place, cards in data["piles"]}
            lifted = [Lift(_place(*place), _pile(cards), float(at)) for *place, cards, at in data["lifted"]]
            recent = [dict(line) for line in data["recent"]]
        except (AttributeError, KeyError, TypeError, ValueError, np.linalg.LinAlgError):
            raise NotTakenUpError("it is not known where its places lie") from None
        return cls(area, (int(width), int(height)), calls, seen_s, piles, lifted, recent)

    def untold(self, told: Sequence[Line]) -> list[Line]:
        """The lines that do not stand in the record: `told` are its events as they stand."""
        return [line for line in self.recent if not any(_same(line, other) for other in told)]


def _place(kind: Any, number: Any, seat: Any) -> Place:
    return Place(str(kind), int(number), str(seat))


def _pile(cards: Any) -> Pile:
    return tuple(
        Lying(str(face), str(deck), bool(up), None if at is None else _point(at), *map(bool, marks))
        for face, deck, up, at, *marks in cards
    )


def _same(line: Line, other: Line) -> bool:
    """Whether two lines tell of one event; a seat does nothing twice so quickly."""
    said = all(
        line.get(name) == other.get(name)
        for name in ("event", "seat", "cards", "from", "to", "place", "card")
    )
    return said and abs(line["at"] - other["at"]) <= SAME_S


def _point(pair: Any) -> Point:
    x, y = pair
    return float(x), float(y)


def book_of(lines: Sequence[Line]) -> Book:
    """The book of a record that was begun; NotTakenUpError where it cannot be gone on with."""
    try:
        book = reopened(lines)
    except (LineError, BadEventError, HeaderError) as error:
        raise NotTakenUpError(str(error)) from None
    dealt = {line.get("seat") for line in book.believed if line["event"] in ("deal", "begun")}
    if dealt < {seat["seat"] for seat in book.header["seats"]}:
        raise NotTakenUpError("its deal was not written to the end")
    return book


def deal_of(spots: Spots) -> Deal:
    """Who sits where; what was dealt stands in the record."""
    return Deal(spots.area, {}, {})


def piles_of(hand: Hand) -> dict[Place, Pile]:
    """What lies where in the end, as far as the record tells."""
    table = hand.table
    owner = {seat.deck: seat.name for seat in hand.header.seats}
    piles: dict[Place, Pile] = {Place(STOCK, 0, seat): () for seat in owner.values()}
    more = course_of(hand).more
    for place, cards in table.piles.items():
        lying = []
        for card in cards:
            face = table.text(card)
            known = face if face in FACE_INDEX else UNKNOWN
            # nobody knows whose the cards are that lay in the centre when the hand was seen first
            lying.append(Lying(known, owner.get(table.decks[card], ""), table.face_up[card]))
        piles[place] = tuple(lying)
    return piles | {
        place: (*unknown_pile(place, len(piles.get(place, ()))), *piles.get(place, ())) for place in more
    }


def is_told(book: Book, call: tuple[str, float]) -> bool:
    """Whether a call (seat, s) stands in the record already."""
    said = (line for line in book.believed if line["event"] == "call" and line["seat"] == call[0])
    return any(line["at"] >= call[1] - 0.01 for line in said)
