"""The manifest of everything that is fetched: package, version, member, SHA-256, family and licence.

It is also the list of what may be opened at all: an archive can hold decks that are reserved for acceptance,
so members are only ever taken by the names that stand here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

Split = Literal["train", "tune", "figures"]
Client = Literal["apt", "npm", "pip"]
#: How the art lies in its members: one sheet of 13 x 5 cards, one sheet with cards scattered over it,
#: a file per card, or a module of React components.
Form = Literal["grid", "scattered", "files", "react"]

MANIFEST = Path(__file__).parent.parent / "manifests" / "assets.json"


class AssetError(Exception):
    """Something about fetched assets went wrong that a person can mend; the message says how."""


@dataclass(frozen=True, slots=True)
class Archive:
    """A package of a registry, pinned."""

    name: str
    client: Client
    package: str
    version: str
    sha256: str
    licence: str

    def __str__(self) -> str:
        return f"{self.client}: {self.package} {self.version}"


@dataclass(frozen=True, slots=True)
class DeckRecord:
    """Where one deck comes from and how to cut it out."""

    name: str
    family: str
    split: Split
    licence: str
    committable: bool
    form: Form
    archive: str
    #: Member path to SHA-256.
    members: Mapping[str, str]
    #: Ranks to leave out: courts with foreign letters.
    omit: str = ""
    #: For `files`: face to member.
    faces: Mapping[str, str] = field(default_factory=dict)
    #: Back name to member; "back" is the one of the deck itself.
    backs: Mapping[str, str] = field(default_factory=dict)
    #: For `scattered`: what lies in each row, from the left.
    rows: tuple[tuple[str, ...], ...] = ()
    #: Faces to take from another deck of the same art.
    instead: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Members:
    """A plain group of members of one archive (fonts, textures)."""

    archive: str
    members: Mapping[str, str]
    #: Textures only: "surface" lies under the cards, "print" is a label on a box or can.
    use: str = ""
    split: Split = "train"


@dataclass(frozen=True, slots=True)
class Manifest:
    """The whole manifest."""

    archives: Mapping[str, Archive]
    decks: Mapping[str, DeckRecord]
    fonts: tuple[Members, ...]
    textures: tuple[Members, ...]


def _deck(name: str, entry: dict[str, Any]) -> DeckRecord:
    rows = tuple(tuple(row) for row in entry.get("rows", ()))
    return DeckRecord(name=name, **{**entry, "rows": rows})


@cache
def manifest(path: Path = MANIFEST) -> Manifest:
    """Read the manifest; raises AssetError where it is not what this code expects."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return Manifest(
            archives={name: Archive(name=name, **entry) for name, entry in data["archives"].items()},
            decks={name: _deck(name, entry) for name, entry in data["decks"].items()},
            fonts=tuple(Members(**entry) for entry in data.get("fonts", ())),
            textures=tuple(Members(**entry) for entry in data.get("textures", ())),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise AssetError(
            f"{path}: not a manifest of assets ({error}); take it from the repository"
        ) from error
