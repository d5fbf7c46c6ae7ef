"""Spreads as the eye saw them in photos, kept beside what is true: read by whatever fits or measures counts."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, fields
from pathlib import Path

from datasets.truth import CardTruth
from vision.layout import Layout, SeenCard


@dataclass(frozen=True)
class SeenPhoto:
    """A photo as the eye saw it, and what is true of its cards."""

    layout: Layout
    truth: list[CardTruth]


@dataclass(frozen=True)
class SeenLay:
    """One spread in its photos: two as it was laid, and one with an area spread anew, where the first asks for that."""

    kind: str
    first: SeenPhoto
    second: SeenPhoto
    followed: SeenPhoto | None


def kept_lays(folder: Path) -> Iterator[SeenLay]:
    """Everything kept in a folder, in order; what is told of cards since then is not told of these."""
    for path in sorted(folder.glob("*.lay")):
        lay: SeenLay = pickle.loads(path.read_bytes())
        for photo in (lay.first, lay.second, lay.followed):
            if photo is not None:
                _complete_photo(photo)
        yield lay


def kept_piles(folder: Path) -> Iterator[SeenPhoto]:
    """Every left-over pile kept in a folder, in order, as `kept_lays`."""
    for path in sorted(folder.glob("*.pile")):
        pile: SeenPhoto = pickle.loads(path.read_bytes())
        _complete_photo(pile)
        yield pile


def _complete_photo(photo: SeenPhoto) -> None:
    _complete(photo.layout)
    for card in photo.layout.cards:
        _complete(card)


def _complete(kept: Layout | SeenCard) -> None:
    """Gives something kept by an earlier version the fields that it lacks, with what they are where nothing is known."""
    for setting in fields(kept):
        if not hasattr(kept, setting.name):
            made = setting.default if setting.default_factory is MISSING else setting.default_factory()
            setattr(kept, setting.name, made)
