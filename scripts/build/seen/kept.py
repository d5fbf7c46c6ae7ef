"""Spreads as the eye saw them in photos, kept beside what is true: read by whatever fits or measures counts."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, fields
from pathlib import Path

from datasets.photos.finished import FinishedHand, HandPhoto
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


@dataclass(frozen=True)
class SeenHand:
    """A whole hand in its photos, of which no pictures are kept, and what the eye saw in them."""

    hand: FinishedHand
    layouts: list[Layout]
    #: The same of photos that were taken once one request for each photo was followed.
    more: list[tuple[HandPhoto, Layout]]


def kept_hands(folder: Path) -> Iterator[SeenHand]:
    """Every whole hand kept in a folder, in order, as `kept_lays`."""
    for path in sorted(folder.glob("*.hand")):
        seen: SeenHand = pickle.loads(path.read_bytes())
        for layout in (*seen.layouts, *(layout for _, layout in seen.more)):
            _complete_layout(layout)
        yield seen


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
    _complete_layout(photo.layout)


def _complete_layout(layout: Layout) -> None:
    _complete(layout)
    for card in layout.cards:
        _complete(card)


def _complete(kept: Layout | SeenCard) -> None:
    """Gives something kept by an earlier version the fields that it lacks, with what they are where nothing is known."""
    for setting in fields(kept):
        if not hasattr(kept, setting.name):
            made = setting.default if setting.default_factory is MISSING else setting.default_factory()
            setattr(kept, setting.name, made)
