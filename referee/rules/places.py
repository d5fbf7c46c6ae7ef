"""Places on the table: `work 3`, `south nerts`, `foundation 7`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

#: Kinds of places that players of the Nerts family have; the foundations lie in the centre and belong to all.
NERTS, WORK, STOCK, WASTE, FOUNDATION = "nerts", "work", "stock", "waste", "foundation"

_WRITTEN = re.compile(r"([a-z]+)(?: ([1-9][0-9]{0,5}))?")


class Place(NamedTuple):
    """Where cards lie. `number` is 0 for a place that has none, `seat` is "" for what all share."""

    kind: str
    number: int = 0
    seat: str = ""

    @property
    def own_name(self) -> str:
        """The place as its owner writes it, without the seat."""
        return f"{self.kind} {self.number}" if self.number else self.kind

    def written_by(self, seat: str) -> str:
        """The place as this seat writes it: another's with that one's name before it."""
        return self.own_name if self.seat in ("", seat) else str(self)

    def __str__(self) -> str:
        return f"{self.seat} {self.own_name}" if self.seat else self.own_name


class UnknownPlaceError(ValueError):
    """What was written names no place of this table."""


def unknown_place(text: str) -> str:
    """What is said of text that names no place."""
    return f"unknown place {text!r} (as work 3, foundation 7; another's with the seat first)"


class PlaceReader:
    """Reads written places for one table, and remembers them.

    `exists(kind, number)` says whether a game has such a place: "own", "common" or None. `owner` maps a seat
    to the seat under whose name its area is kept (partners share one).
    """

    def __init__(
        self, seats: Iterable[str], exists: Callable[[str, int], str | None], owner: dict[str, str]
    ) -> None:
        self.seats = tuple(seats)
        self._exists = exists
        self._owner = owner
        self._known: dict[tuple[str, str], Place] = {}

    def __call__(self, text: str, seat: str | None) -> Place:
        """The place that `seat` means by `text`; UnknownPlaceError when there is none."""
        key = (text, seat or "")
        place = self._known.get(key)
        if place is None:
            place = self._known[key] = self._read(text, seat)
        return place

    def _read(self, text: str, seat: str | None) -> Place:
        kind, number, whose = self._parse(text)
        if whose == "common":
            return Place(kind, number)
        if whose == "own":
            if seat is None:
                raise UnknownPlaceError(f"place {text!r} needs a seat")
            return Place(kind, number, self._owner[seat])
        for owner in self.seats:
            kind, number, whose = self._parse(text.removeprefix(owner + " "))
            if text.startswith(owner + " ") and whose == "own":
                return Place(kind, number, self._owner[owner])
        raise UnknownPlaceError(unknown_place(text))

    def _parse(self, text: str) -> tuple[str, int, str | None]:
        """Kind and number of a place without its seat, and whose it is if there is such a place."""
        written = _WRITTEN.fullmatch(text)
        if written is None:
            return "", 0, None
        kind, number = written[1], int(written[2] or 0)
        return kind, number, self._exists(kind, number)
