"""The shelf: the decks in the cache, by name, read when they are needed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

import cv2
import numpy as np

from datasets.decks.build import DONE
from datasets.decks.manifest import AssetError, DeckRecord, Split, manifest
from datasets.decks.raster import CARD_PX, Pixels
from datasets.files import put

PX_PER_MM = 4.0
POKER_MM = (63.0, 88.0)
BRIDGE_MM = (57.0, 88.0)
CORNER_MM = 3.5
#: Faces of a whole deck.
FACES = 52

#: How art of another ratio comes onto a card: stretched over a poker card, laid on a poker card with paper at
#: both sides, or on a bridge card.
Fit = Literal["stretch", "pad", "bridge"]


#: Seeds of drawn things: far apart, so that what validation shows was never in training.
FIRST_SEED: dict[Split, int] = {"train": 0, "tune": 500_000, "figures": 1_000_000}
#: Stands for the deck in the names of drawn backs, and of backs as printers print them (`datasets/decks/printed`).
DRAWN, PRINTED = "drawn", "printed"


@dataclass(frozen=True, slots=True)
class DeckInfo:
    """What is known of a deck before it is opened."""

    name: str
    family: str
    split: Split
    licence: str
    committable: bool

    def __str__(self) -> str:
        return f"{self.name} (family {self.family}, {self.split}, {self.licence})"


class Faces(Mapping[str, Pixels]):
    """The faces of a deck by name ("QS"): each (H, W, 4) BGRA, read and fitted when first asked for."""

    def __init__(self, files: Mapping[str, Path], fit: Fit) -> None:
        self._files = files
        self._fit: Fit = fit
        self._read: dict[str, Pixels] = {}

    def __getitem__(self, face: str) -> Pixels:
        if face not in self._read:
            self._read[face] = read_card(self._files[face], self._fit)
        return self._read[face]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


@dataclass(frozen=True, slots=True)
class Deck:
    """One deck: its faces, its back, its size."""

    info: DeckInfo
    faces: Mapping[str, Pixels]
    #: BGRA, or None where the art has none.
    back: Pixels | None
    #: Width and height in mm.
    size_mm: tuple[float, float] = POKER_MM

    @property
    def name(self) -> str:
        """The deck's name."""
        return self.info.name

    def __str__(self) -> str:
        back = "a back" if self.back is not None else "no back"
        return "{}: {} faces, {}, {:g} x {:g} mm".format(self.info, len(self.faces), back, *self.size_mm)


def cache_folder(path: Path | None = None) -> Path:
    """Where fetched and built things lie: `path`, else $NERTS_CACHE, else `cache/` in the checkout."""
    if path is not None:
        return path
    return Path(os.environ.get("NERTS_CACHE") or Path(__file__).parents[2] / "cache")


@cache
def rounded(width: int, height: int) -> Pixels:
    """(height, width) alpha of a card with its round corners."""
    scale = 4
    radius = round(CORNER_MM * PX_PER_MM * scale * height / CARD_PX)
    mask = np.zeros((height * scale, width * scale), np.uint8)
    bottom, right = mask.shape[0] - 1, mask.shape[1] - 1
    cv2.rectangle(mask, (radius, 0), (right - radius, bottom), 255, -1)
    cv2.rectangle(mask, (0, radius), (right, bottom - radius), 255, -1)
    for x in (radius, right - radius):
        for y in (radius, bottom - radius):
            cv2.circle(mask, (x, y), radius, 255, -1)
    return np.asarray(cv2.resize(mask, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def card_size_mm(fit: Fit) -> tuple[float, float]:
    """Width and height of the card that `fit` makes, in mm."""
    return BRIDGE_MM if fit == "bridge" else POKER_MM


def as_card(art: Pixels, fit: Fit = "stretch") -> Pixels:
    """Lay BGR art (its own ratio, no corners) on a card at 4 px/mm: BGRA with round corners."""
    width, height = (round(side * PX_PER_MM) for side in card_size_mm(fit))
    inner = round(art.shape[1] * height / art.shape[0])
    if fit == "pad" and inner < width:
        art = cv2.resize(art, (inner, height), interpolation=cv2.INTER_AREA)  # type: ignore[assignment]
        left = (width - inner) // 2
        paper = [int(v) for v in np.median(np.concatenate([art[:, 0], art[:, -1]]), axis=0)]
        art = cv2.copyMakeBorder(art, 0, 0, left, width - inner - left, cv2.BORDER_CONSTANT, value=paper)  # type: ignore[assignment]
    if art.shape[:2] != (height, width):
        art = cv2.resize(art, (width, height), interpolation=cv2.INTER_AREA)  # type: ignore[assignment]
    card = np.asarray(cv2.merge([*cv2.split(art), rounded(width, height)]), dtype=np.uint8)
    card.setflags(write=False)
    return card


def read_card(path: Path, fit: Fit = "stretch") -> Pixels:
    """Read a stored card picture and lay it on a card; raises AssetError."""
    art = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if art is None:
        raise AssetError(f"{path}: not a card picture; delete its folder and run scripts.build.assets again")
    return as_card(np.asarray(art, dtype=np.uint8), fit)


def info_of(record: DeckRecord) -> DeckInfo:
    """The public part of a manifest entry."""
    return DeckInfo(record.name, record.family, record.split, record.licence, record.committable)


def list_decks(split: Split | None = None, family: str | None = None) -> list[DeckInfo]:
    """The real decks of the manifest, whether they are built or not, by name."""
    infos = (info_of(record) for record in manifest().decks.values())
    return [i for i in infos if split in (None, i.split) and family in (None, i.family)]


def whole_committable() -> list[str]:
    """Names of the decks with all `FACES` whose art may be kept in the project; raises AssetError where none is built."""
    decks = [info.name for info in list_decks(split="train") if info.committable]
    whole = [name for name in decks if len(load_deck(name).faces) == FACES]
    if not whole:
        raise AssetError("no deck in the cache may be kept in the project; run scripts.build.assets")
    return whole


def _deck_folder(name: str) -> Path:
    decks = manifest().decks
    if name not in decks:
        raise AssetError(f"no deck is called {name!r}; there are {', '.join(sorted(decks))}")
    folder = cache_folder() / "decks" / name
    if not (folder / DONE).exists():
        raise AssetError(f"deck {name} is not in {cache_folder()}; run scripts.build.assets")
    return folder


def drawn_deck_folder(root: Path, split: Split, index: int) -> Path:
    """Where the cache keeps a deck that was drawn."""
    return root / DRAWN / f"{split}-{index:04d}"


def list_drawn_decks(split: Split | None = None) -> list[DeckInfo]:
    """The drawn decks in the cache ("drawn/train-0012", family P); `load_deck` takes their names."""
    folders = sorted((cache_folder() / DRAWN).glob(f"{split or '*'}-*/{DONE}"))
    return [_drawn_info(path.parent.name) for path in folders]


def _drawn_info(stem: str) -> DeckInfo:
    split = next(name for name in FIRST_SEED if stem.startswith(f"{name}-"))
    return DeckInfo(f"{DRAWN}/{stem}", "P", split, "GPL-3.0-or-later", False)


def _load_drawn(stem: str, fit: Fit) -> Deck:
    folder = cache_folder() / DRAWN / stem
    if not (folder / DONE).exists():
        raise AssetError(
            f"deck drawn/{stem} is not in {cache_folder()}; run scripts.build.assets --decks 150"
        )
    files = {path.stem: path for path in sorted(folder.glob("*.png")) if _is_face(path.stem)}
    back = read_card(folder / "back.png", fit)
    return Deck(_drawn_info(stem), Faces(files, fit), back, card_size_mm(fit))


def _is_face(name: str) -> bool:
    return len(name) == 2 and name[0] in "A23456789TJQK" and name[1] in "SHDC"


@lru_cache(maxsize=48)
def load_deck(name: str, fit: Fit = "stretch") -> Deck:
    """A deck of the cache by name; its faces are read when first used. Raises AssetError.

    `fit` says how art of bridge ratio comes onto its card; see `Fit`.
    """
    kind, _, stem = name.partition("/")
    if kind == DRAWN and stem:
        return _load_drawn(stem, fit)
    folder = _deck_folder(name)
    record = manifest().decks[name]
    files = {path.stem: path for path in sorted(folder.glob("*.png")) if _is_face(path.stem)}
    files |= {face: _deck_folder(other) / f"{face}.png" for face, other in record.instead.items()}
    back = folder / "back.png"
    drawn = read_card(back, "bridge" if fit == "bridge" else "stretch") if back.exists() else None
    return Deck(info_of(record), Faces(files, fit), drawn, card_size_mm(fit))


def drawn_back_path(root: Path, split: Split, index: int) -> Path:
    """Where the cache keeps a back that was drawn."""
    return root / "backs" / f"{split}-{index:04d}.png"


def printed_back_path(root: Path, split: Split, index: int) -> Path:
    """Where the cache keeps a back as printers print them (`datasets/decks/printed`)."""
    return root / PRINTED / f"{split}-{index:04d}.png"


def write_png(path: Path, picture: Pixels) -> None:
    """Write a picture so that a stopped run leaves no half of one."""
    done, png = cv2.imencode(".png", picture)
    if not done:
        raise AssetError(f"{path}: could not be encoded")
    put(path, png.tobytes())


def _art_backs(split: Split | None) -> list[str]:
    return [
        f"{info.name}/{path.stem}"
        for info in list_decks(split)
        for path in sorted((cache_folder() / "decks" / info.name).glob("*.png"))
        if not _is_face(path.stem)
    ]


def _drawn_backs(split: Split | None) -> list[str]:
    return [f"{DRAWN}/{path.stem}" for path in sorted((cache_folder() / "backs").glob(f"{split or ''}*.png"))]


def list_backs(
    split: Split | None = None, source: Literal["art", "drawn", "printed"] | None = None
) -> list[str]:
    """Names of the backs in the cache: "deck/back" for those of real decks, "drawn/..." for drawn ones, both if no
    source is named; "printed/..." for those as printers print them."""
    if source == PRINTED:
        return [
            f"{PRINTED}/{path.stem}"
            for path in sorted((cache_folder() / PRINTED).glob(f"{split or ''}*.png"))
        ]
    return [
        *(_art_backs(split) if source in (None, "art") else []),
        *(_drawn_backs(split) if source in (None, "drawn") else []),
    ]


@lru_cache(maxsize=256)
def load_back(name: str, fit: Fit = "stretch") -> Pixels:
    """A back by a name of `list_backs`: BGRA."""
    deck, _, back = name.partition("/")
    folders = {DRAWN: cache_folder() / "backs", PRINTED: cache_folder() / PRINTED}
    folder = folders[deck] if deck in folders else _deck_folder(deck)
    return read_card(folder / f"{back}.png", "bridge" if fit == "bridge" else "stretch")
