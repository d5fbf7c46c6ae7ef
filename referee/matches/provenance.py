"""Where a hand of a match comes from: by it a hand is known again, and never counted twice. No files.

A record is known by the id of its header, and by its lines: what is appended to it later (corrections, rulings, a
score) leaves it the same hand. Photos are known by their bytes, in whatever order.
"""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from hashlib import sha256
from typing import Any, Protocol
from uuid import UUID

from referee.record.strictjson import JsonError, load_json

#: Kinds of lines that may be added to a record and leave it the record of the same hand.
_ABOUT_THE_HAND = frozenset({"correct", "ruling", "score", "doubt", "gap", "state"})
#: Fields of a header that say nothing about the hand itself.
_ABOUT_THE_RECORD = frozenset({"id", "session", "match"})
#: Letters of a digest that are kept.
_DIGEST = 16


class Likeness(Enum):
    """What a hand is to one that is written down already."""

    OTHER = "another hand"
    SAME = "the very same record or photos"
    ANEW = "the same hand, told anew: its record was corrected"
    EARLIER = "the same record before something was added to it"
    PARTLY = "some of its photos are the same, and not all"


class Source(Protocol):
    """Where a hand comes from."""

    @property
    def name(self) -> str:
        """What people call it."""

    @property
    def about(self) -> dict[str, Any]:
        """What a match file keeps of it."""

    def likeness(self, kept: Mapping[str, Any]) -> Likeness:
        """What the hand is to one of which a match file holds this."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A hand that someone typed: equal ones are two hands."""

    name: str = "the hand"

    @property
    def about(self) -> dict[str, Any]:
        """That it was typed."""
        return {"from": "typed"}

    def likeness(self, kept: Mapping[str, Any]) -> Likeness:
        """Another hand than any."""
        return Likeness.OTHER


@dataclass(frozen=True, slots=True)
class Photographed:
    """A hand in photos."""

    #: A digest of each photo's bytes.
    photos: frozenset[str]
    name: str = "the hand in these photos"

    @classmethod
    def of(cls, photos: Iterable[bytes]) -> Photographed:
        """Of the photos' bytes."""
        return cls(frozenset(map(digest, photos)))

    @classmethod
    def known_by(cls, hashes: Iterable[str]) -> Photographed:
        """Of the SHA-256 of each photo's bytes, in hex."""
        return cls(frozenset(each[:_DIGEST] for each in hashes))

    @property
    def about(self) -> dict[str, Any]:
        """The photos' digests, in no order of theirs."""
        return {"from": "photos", "photos": sorted(self.photos)}

    def likeness(self, kept: Mapping[str, Any]) -> Likeness:
        """By the photos that are in both."""
        theirs = kept.get("photos")
        known = {photo for photo in theirs if isinstance(photo, str)} if isinstance(theirs, list) else set()
        if self.photos == known:
            return Likeness.SAME
        return Likeness.PARTLY if self.photos & known else Likeness.OTHER


@dataclass(frozen=True, slots=True)
class Recorded:
    """A hand in a record that can be read."""

    name: str
    record: bytes
    #: Its name, digests of the whole and of the hand alone, and the header's id if it has one.
    about: dict[str, Any]

    @classmethod
    def of(cls, name: str, record: bytes) -> Recorded:
        """Of a record's bytes; `name`: what people call it."""
        lines = _lines(record)
        header = {key: value for key, value in lines[0].items() if key not in _ABOUT_THE_RECORD}
        hand = [header, *(line for line in lines[1:] if line.get("event") not in _ABOUT_THE_HAND)]
        about: dict[str, Any] = {"from": "record", "record": name, "digest": digest(record)}
        about |= {"lines": len(lines), "hand_digest": digest(json.dumps(hand, sort_keys=True).encode())}
        identity = _identity(lines[0].get("id"))
        return cls(name, record, about | ({"id": identity} if identity else {}))

    def likeness(self, kept: Mapping[str, Any]) -> Likeness:
        """By the whole record, by the hand's lines, by the header's id."""
        mine = self.about
        if kept.get("digest") == mine["digest"]:
            return Likeness.SAME
        if kept.get("hand_digest") == mine["hand_digest"]:
            lines = kept.get("lines")
            return Likeness.EARLIER if isinstance(lines, int) and lines > mine["lines"] else Likeness.ANEW
        known = "id" in mine and kept.get("id") == mine["id"]
        return Likeness.ANEW if known or self._grew_from(kept.get("digest")) else Likeness.OTHER

    def _grew_from(self, whole: object) -> bool:
        """Was this the digest of the record when it had fewer lines? Older match files tell nothing else."""
        so_far = sha256()
        for line in self.record.splitlines(keepends=True):
            ended = so_far.copy()
            so_far.update(line)
            ended.update(line.rstrip(b"\r\n"))
            if whole in (so_far.hexdigest()[:_DIGEST], ended.hexdigest()[:_DIGEST]):
                return True
        return False


def ask_about(source: Source, kept: Mapping[str, Any], hand: int) -> str:
    """The question about photos of which only some belong to a hand that is written down."""
    photos: Collection[str] = source.about.get("photos", ())
    shared = len(set(photos) & set(kept.get("photos", ())))
    return (
        f"{shared} of the {len(photos)} photos {'is' if shared == 1 else 'are'} of hand {hand} already: add "
        f"--edit {hand} to put this hand in its place, or --again to count it as a hand more"
    )


def digest(data: bytes) -> str:
    """What bytes are known by."""
    return sha256(data).hexdigest()[:_DIGEST]


def _identity(value: object) -> str | None:
    """The id of a header in one way of writing; None for what is no UUID, or stands for none."""
    if not isinstance(value, str):
        return None
    try:
        identity = UUID(value)
    except ValueError:
        return None
    return str(identity) if identity.int else None


def _lines(record: bytes) -> list[dict[str, Any]]:
    """The lines of a record as JSON, without a last one that was cut off."""
    lines = []
    for line in record.removeprefix(BOM_UTF8).splitlines():
        try:
            lines.append(load_json(line))
        except JsonError:
            break
    return lines
