"""Decks that were shown once, kept as files: `NAME.npz`, one a deck, in a folder of the user's.

Version 1 holds these arrays (n views of its back; crops are what `vision.faces.reader.rectify` cuts, 160 rows and 112
columns of BGR at about 1.8 px/mm; masks are 255 where the card itself is seen), others are passed over:

| array | shape | holds |
| --- | --- | --- |
| `version` | () | 1 |
| `backs`, `backs_seen` | (n, 160, 112, 3), (n, 160, 112) | crops of its back, their masks |

A deck's name is that of its file.
"""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from math import prod
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray

from vision.faces.reader import CROP
from vision.wholefile import write_whole

Pixels = NDArray[np.uint8]

VERSION = 1
SUFFIX = ".npz"
#: Arrays in the archive are called by their names and this.
_ARRAY = ".npy"
#: The file of a deck, and any of its arrays, is smaller, bytes: that would be hundreds of views.
LARGEST = 20_000_000
#: What `vision/backs/enrolled.py` calls a design that is none of the enrolled ones: no name for a deck.
UNKNOWN = "unknown"


class DeckError(ValueError):
    """A deck cannot be enrolled, kept or read; the message names it and the remedy."""


@dataclass(frozen=True, slots=True)
class EnrolledDeck:
    """One deck as it was shown."""

    name: str
    #: (n, 160, 112, 3) and (n, 160, 112); n >= 1.
    backs: Pixels
    backs_seen: Pixels

    def __str__(self) -> str:
        return f"{self.name}: {len(self.backs)} views of its back"


def check_name(name: str) -> str:
    """The name, if a deck can be called so; raises DeckError."""
    if not name.strip() or name != name.strip() or any(c in name for c in "/\\=\0") or name.startswith("."):
        raise DeckError(f"{name!r} is no name for a deck: take letters, digits and spaces, like 'red lions'")
    if name.split()[0] == UNKNOWN:
        raise DeckError(f"{name!r} is what decks are called that are not enrolled: choose another name")
    return name


def save_deck(deck: EnrolledDeck, folder: Path) -> Path:
    """Writes the deck into the folder, which is made; an older one of its name is replaced. Raises DeckError."""
    path = folder / f"{check_name(deck.name)}{SUFFIX}"
    held = BytesIO()
    np.savez_compressed(held, version=np.array(VERSION), backs=deck.backs, backs_seen=deck.backs_seen)
    try:
        write_whole(path, held.getvalue())
    except OSError as error:
        raise DeckError(f"{path} cannot be written ({error.strerror}): choose another folder") from None
    return path


def read_decks(folder: Path) -> list[EnrolledDeck]:
    """All decks of a folder, by name; raises DeckError where there are none, or one cannot be read."""
    try:
        if not folder.is_dir():
            raise DeckError(
                f"{folder} is no folder of decks: enrol one first (nerts-referee enrol NAME PHOTO)"
            )
        paths = sorted(path for path in folder.iterdir() if path.suffix == SUFFIX and path.name[0] != ".")
    except OSError as error:
        raise _unreadable(folder, error) from error
    if not paths:
        raise DeckError(f"{folder} holds no deck: enrol one first (nerts-referee enrol NAME PHOTO)")
    return [read_deck(path) for path in paths]


def read_deck(path: Path) -> EnrolledDeck:
    """One deck; raises DeckError."""
    name = check_name(path.stem)
    try:
        if not path.is_file() or path.stat().st_size > LARGEST:
            raise _no_deck(path)
        data = path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from error
    try:
        with ZipFile(BytesIO(data)) as held:
            version = int(_array(held, "version"))
            if version != VERSION:
                raise DeckError(
                    f"{path} is of version {version}, this program reads {VERSION}: enrol it again"
                )
            deck = EnrolledDeck(name, _array(held, "backs"), _array(held, "backs_seen"))
    except DeckError:
        raise
    except Exception as error:  # what damaged, locked and foreign archives raise has no common class
        raise _no_deck(path) from error
    if not _is_whole(deck):
        raise _no_deck(path)
    return deck


def _array(held: ZipFile, key: str) -> NDArray[Any]:
    """An array of an archive. Whatever they say of their sizes, no more is unpacked than there can be."""
    with held.open(f"{key}{_ARRAY}") as member:
        data = member.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise ValueError(f"{key} is larger than any deck")
    file = BytesIO(data)
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError(f"{key} is written in another way")
    shape, _, kind = np.lib.format.read_array_header_1_0(file)
    if prod(shape) * kind.itemsize != len(data) - file.tell():
        raise ValueError(f"{key} is not as large as it says")
    file.seek(0)
    return np.lib.format.read_array(file, allow_pickle=False)


def _unreadable(path: Path, error: OSError) -> DeckError:
    return DeckError(f"{path} cannot be read ({error.strerror}): check its name and permissions")


def _no_deck(path: Path) -> DeckError:
    return DeckError(f"{path} is no deck: enrol it again, or take it out of the folder")


def _is_whole(deck: EnrolledDeck) -> bool:
    count = len(deck.backs)
    return (
        count > 0
        and deck.backs.dtype == deck.backs_seen.dtype == np.uint8
        and deck.backs.shape == (count, *CROP, 3)
        and deck.backs_seen.shape == (count, *CROP)
    )
