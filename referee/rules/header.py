"""The first line of a record: which game, which house rules, who sits where with which deck."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from referee.rules.settings import Settings, SettingsError

_UUID = re.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
#: The games played with one deck, and how many play them.
ONE_DECK_FAMILIES = {"double-solitaire": 2, "pishe-pasha": 2, "canfield": 1, "california-jacks": 2}


class HeaderError(ValueError):
    """A header that cannot be: the message names the field."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A player's seat, and the back design of the deck that the seat plays with in this hand."""

    name: str
    deck: str = ""
    role: str = ""

    def to_json(self) -> dict[str, str]:
        """The seat as the header lists it."""
        line = {"seat": self.name}
        if self.deck:
            line["deck"] = self.deck
        if self.role:
            line["role"] = self.role
        return line


@dataclass(frozen=True, slots=True)
class Header:
    """Everything that holds for a whole hand.

    >>> header = Header.of("nerts", {"north": "blue", "south": "red"})
    >>> header.settings["penalty"]
    2
    """

    game: str
    settings: Settings
    seats: tuple[Seat, ...]
    source: Mapping[str, Any] = field(default_factory=dict)
    dealer: str = ""
    match: Mapping[str, float] = field(default_factory=dict)
    #: A UUID, the same however the hand was corrected; and what it was played in. "" = not said.
    id: str = ""
    session: str | int = ""

    @classmethod
    def of(
        cls,
        game: str,
        decks: Mapping[str, str],
        settings: Mapping[str, Any] | None = None,
        *,
        kind: str = "typed",
        fps: float | None = None,
    ) -> Header:
        """A header from a table of seats and their decks."""
        source: dict[str, Any] = {"kind": kind} if fps is None else {"kind": kind, "fps": fps}
        line = {
            "record": 1,
            "game": game,
            "settings": dict(settings or {}),
            "seats": [{"seat": seat, "deck": deck} for seat, deck in decks.items()],
            "source": source,
        }
        return parse_header(line)

    @property
    def fps(self) -> float | None:
        """Frames a second of the recording, if known."""
        fps = self.source.get("fps")
        return float(fps) if isinstance(fps, int | float) and fps > 0 else None

    @property
    def turns_are_written(self) -> bool:
        """Whether the source writes every card turned up; a typist or a photo does not."""
        return self.source.get("kind", "typed") not in ("typed", "photo")

    @property
    def names(self) -> tuple[str, ...]:
        """The seats' names."""
        return tuple(seat.name for seat in self.seats)

    def to_json(self) -> dict[str, Any]:
        """The header as the first line of a record."""
        line: dict[str, Any] = {
            "record": 1,
            "game": self.game,
            "settings": dict(self.settings.changed),
            "seats": [seat.to_json() for seat in self.seats],
            "source": dict(self.source),
        }
        if self.dealer != self.names[-1]:
            line["dealer"] = self.dealer
        if self.match:
            line["match"] = dict(self.match)
        if self.id:
            line["id"] = self.id
        if self.session != "":
            line["session"] = self.session
        return line


def parse_header(line: Mapping[str, Any]) -> Header:
    """The header of a JSON object; HeaderError names the field that is wrong."""
    if line.get("record") != 1 or isinstance(line.get("record"), bool):
        raise HeaderError("header: field 'record' must be 1 (the first line of a record is its header)")
    game = line.get("game")
    if not isinstance(game, str):
        raise HeaderError("header: field 'game' is missing")
    changed = line.get("settings", {})
    if not isinstance(changed, dict):
        raise HeaderError("header: field 'settings' is no object")
    try:
        settings = Settings.of(game, changed)
    except SettingsError as error:
        raise HeaderError(f"header: {error}") from None
    if settings.preset.name != game:
        name = settings.preset.name
        raise HeaderError(
            f"header: field 'game' calls {name!r} {game[:40]!r}: write {name!r}, as every record does"
        )
    seats = _seats(line.get("seats"))
    _check_decks(settings.preset.family, game, seats)
    names = [seat.name for seat in seats]
    source = line.get("source", {})
    if not isinstance(source, dict):
        raise HeaderError("header: field 'source' is no object")
    if source.get("fps") is not None and not _is_number(source["fps"]):
        raise HeaderError(
            "header: 'fps' of field 'source' is no number (frames a second, as 30; or leave it out)"
        )
    dealer = line.get("dealer", names[-1])
    if dealer not in names:
        raise HeaderError(f"header: field 'dealer' names an unknown seat {dealer!r}")
    totals = _match(line.get("match", {}), names)
    return Header(game, settings, seats, source, dealer, totals, _id(line), _session(line))


def _id(line: Mapping[str, Any]) -> str:
    value = line.get("id")
    if value is None:
        return ""
    if not isinstance(value, str) or not _UUID.fullmatch(value):
        raise HeaderError(
            "header: field 'id' is no UUID (as 123e4567-e89b-42d3-a456-426614174000; or leave it out)"
        )
    return value.lower()


def _session(line: Mapping[str, Any]) -> str | int:
    value = line.get("session")
    if value is None:
        return ""
    if not isinstance(value, str | int) or isinstance(value, bool) or value == "":
        raise HeaderError("header: field 'session' is no text (its name; or leave it out)")
    return value


def _seats(value: Any) -> tuple[Seat, ...]:
    if not isinstance(value, list) or not value:
        raise HeaderError("header: field 'seats' must list the seats")
    seats = []
    for entry in value:
        if not isinstance(entry, dict) or not isinstance(entry.get("seat"), str) or not entry["seat"]:
            raise HeaderError("header: every one of 'seats' needs a 'seat' name")
        deck, role = entry.get("deck", ""), entry.get("role", "")
        if not isinstance(deck, str) or not isinstance(role, str):
            raise HeaderError(f"header: 'deck' and 'role' of seat {entry['seat']!r} must be text")
        seats.append(Seat(entry["seat"], deck, role))
    for name, times in Counter(seat.name for seat in seats).items():
        if times > 1:
            raise HeaderError(f"header: seat {name!r} is listed twice")
    return tuple(seats)


def _check_decks(family: str, game: str, seats: tuple[Seat, ...]) -> None:
    if family in ONE_DECK_FAMILIES:
        if len(seats) != ONE_DECK_FAMILIES[family]:
            raise HeaderError(
                f"header: 'seats' lists {len(seats)}, {game} is played by {ONE_DECK_FAMILIES[family]}"
            )
        return
    decks: dict[str, list[Seat]] = {}
    for seat in seats:
        if not seat.deck:
            raise HeaderError(f"header: seat {seat.name!r} needs a 'deck' (the design of its cards' backs)")
        decks.setdefault(seat.deck, []).append(seat)
    for deck, users in decks.items():
        if game == "team-nuts":
            if len(users) != 2 or {user.role for user in users} != {"nuts", "cards"}:
                raise HeaderError(
                    f"header: deck {deck!r} needs two partners, one with role 'nuts', one with role 'cards'"
                )
        elif len(users) > 1:
            both = " and ".join(repr(user.name) for user in users)
            raise HeaderError(
                f"header: seats {both} have one deck {deck!r}: no score could tell them apart (N1)"
            )


def _match(value: Any, names: list[str]) -> dict[str, float]:
    if not isinstance(value, dict):
        raise HeaderError("header: field 'match' is no table of totals")
    for seat, total in value.items():
        if seat not in names:
            raise HeaderError(f"header: field 'match' names an unknown seat {seat!r}")
        if not _is_number(total):
            raise HeaderError(f"header: field 'match' has no number of points for seat {seat!r}")
    return dict(value)


def _is_number(value: Any) -> bool:
    """Whether it is a number of a size that can be meant."""
    return isinstance(value, int | float) and not isinstance(value, bool) and -1e9 < value < 1e9
