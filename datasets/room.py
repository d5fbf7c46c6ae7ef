"""The art of one split at hand: picks decks with their backs, surfaces and clutter for a picture."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast, get_args

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.decks import (
    FACES,
    AssetError,
    Fit,
    Split,
    list_backs,
    list_decks,
    list_drawn_decks,
    load_back,
    load_deck,
)
from datasets.decks.store import DRAWN, cache_folder
from datasets.render import Art
from datasets.surfaces import banked_surface, clutter, surface

Pixels = NDArray[np.uint8]

#: What decks wear: framed backs, as most are, backs as printers print them, or both, half of each.
Backs = Literal["framed", "printed", "both"]

#: The family of drawn decks.
DRAWN_FAMILY = "P"
#: Kinds of surfaces with edges and patches like those of cards, and how often each is drawn anew.
CARDLIKE = {"newsprint": 4, "tartan": 4, "printed": 3, "plain_cloth": 2, "tiles": 2, "photo": 2, "carpet": 1}


@dataclass(frozen=True, slots=True)
class DressedDeck:
    """Faces of one deck with a back that may be another's."""

    #: As `dressed` reads it.
    name: str
    faces: Mapping[str, Pixels]
    back: Pixels | None


def names_of(decks: Sequence[Art]) -> list[str]:
    """The decks as a scene names them; those that are not from a room have numbers."""
    return [deck.name if isinstance(deck, DressedDeck) else str(i) for i, deck in enumerate(decks)]


def dressed(name: str) -> DressedDeck:
    """A deck by its name, as "bellot pad, own letele stretch, 37" (whose back that is, or "design drawn/train-00012
    stretch", and its turn of hue); raises AssetError."""
    try:
        (faces, fit), (kind, source, back_fit), turn = (part.split(" ") for part in name.split(", "))
        art = load_deck(source, _fit(back_fit)).back if kind == "own" else load_back(source, _fit(back_fit))
        hue = int(turn[0])
        deck = load_deck(faces, _fit(fit))
    except ValueError:
        raise AssetError(
            f"{name!r} names no deck of a scene, as 'bellot pad, own letele stretch, 0' does"
        ) from None
    return DressedDeck(name, deck.faces, art if art is None or not hue else _other_colour(art, hue))


def _fit(text: str) -> Fit:
    if text not in get_args(Fit):
        raise ValueError(text)
    return cast(Fit, text)


class ArtRoom:
    """Decks, surfaces and clutter of one split; needs the cache that scripts/build/assets.py fills.

    `fresh`: share of the surfaces that are not from the bank but drawn anew, of kinds that look like cards.
    `backs`: which backs the decks wear.
    `families`: those that decks and their backs are taken from, all of the split's if none is named; "P" are the drawn
    ones. Raises AssetError for a family that the split has no deck of.
    """

    def __init__(
        self, split: Split, fresh: float = 0.0, families: Collection[str] = (), backs: Backs = "framed"
    ) -> None:
        self._split: Split = split
        self._fresh = fresh
        printed = list_decks(split=split)
        known = {info.family for info in printed} | {DRAWN_FAMILY}
        unknown = sorted(set(families) - known)
        if unknown:
            raise AssetError(
                f"split {split} has no decks of family {unknown[0]!r}; it has {', '.join(sorted(known))}"
            )
        wanted = set(families) or known
        self._names = [info.name for info in printed if info.family in wanted]
        # drawn decks share their generator between splits, so figures rest on printed ones alone
        draws = split == "train" and DRAWN_FAMILY in wanted
        self._drawn = [info.name for info in list_drawn_decks(split)] if draws else []
        self._names = self._names or self._drawn
        if not self._names:
            raise AssetError(
                f"split {split} has no drawn decks in the cache; run scripts.build.assets --decks 150"
            )
        # drawn backs belong to no family: without them few families have enough designs for a table
        own = {*self._names, DRAWN}
        self._backs = [name for name in list_backs(split) if name.partition("/")[0] in own]
        if not self._backs:
            raise AssetError(
                f"split {split} has no backs in {cache_folder()}; run scripts.build.assets --backs 400"
            )
        self._wear: Backs = backs
        self._printed = [] if backs == "framed" else list_backs(split, "printed")
        if backs != "framed" and not self._printed:
            raise AssetError(
                f"split {split} has no printed backs in {cache_folder()}; run scripts.build.assets --printed 300"
            )

    def decks(
        self, rng: np.random.Generator, least: int = 1, most: int = 4, whole: bool = False
    ) -> list[Art]:
        """`least` to `most` decks, no two with one back design (but now and then twins in two colours).

        `whole`: only those with all 52 faces.
        """
        count = int(rng.integers(least, most + 1))
        fits: list[Fit] = ["stretch", "pad"]
        backs = [str(name) for name in rng.permutation(np.array(self._backs_of(rng)))]
        chosen: list[DressedDeck] = []
        for name in backs:
            if len(chosen) == count:
                break
            fit = fits[int(rng.random() < 0.4)]
            names = self._drawn if self._drawn and rng.random() < 0.5 else self._names
            deck = load_deck(str(rng.choice(names)), fit)
            if whole and len(deck.faces) < FACES:
                continue
            own = deck.back if rng.random() < 0.2 and self._wear != "printed" else None
            if own is not None and not _among(own, chosen):
                back, said = own, f"own {deck.name} {fit}"
            else:
                back, said = load_back(name, fit), f"design {name} {fit}"
            if _among(back, chosen):
                continue
            chosen.append(DressedDeck(f"{deck.name} {fit}, {said}, 0", deck.faces, back))
        if len(chosen) > 1 and rng.random() < 0.15:
            first, second = chosen[0], chosen[1]
            if first.back is not None:
                hue = int(rng.integers(35, 146))
                name = f"{second.name.split(', ')[0]}, {first.name.split(', ')[1]}, {hue}"
                chosen[1] = DressedDeck(name, second.faces, _other_colour(first.back, hue))
        return list(chosen)

    def _backs_of(self, rng: np.random.Generator) -> list[str]:
        """The backs that one picture's decks are dressed in."""
        if self._wear == "framed":
            return self._backs
        if self._wear == "printed":
            return self._printed
        # as many of both, however many there are
        framed = [str(name) for name in rng.choice(np.array(self._backs), len(self._printed))]
        return [*self._printed, *dict.fromkeys(framed)]

    def surface(self, rng: np.random.Generator, height: int, width: int, px_per_mm: float) -> Pixels:
        """(height, width, 3) BGR of a table."""
        ground = self._ground(rng, height, width, px_per_mm)
        if rng.random() < 0.15:
            other = self._ground(rng, height, width, px_per_mm)
            cv2.copyTo(other, _half_plane(rng, height, width).view(np.uint8), ground)
        return ground

    def _ground(self, rng: np.random.Generator, height: int, width: int, px_per_mm: float) -> Pixels:
        if not self._fresh or rng.random() >= self._fresh:
            return banked_surface(rng, height, width, px_per_mm, self._split)
        weights = np.array(list(CARDLIKE.values()), dtype=np.float64)
        kind = str(rng.choice(list(CARDLIKE), p=weights / weights.sum()))
        # the bank's pictures come nearer and go further away; so do these
        return surface(rng, height, width, px_per_mm * float(rng.uniform(0.6, 1.5)), self._split, kind)

    def clutter(self, rng: np.random.Generator) -> Pixels:
        """(H, W, 4) BGRA of a thing that is no card, at 4 px/mm."""
        return clutter(rng)


def _among(back: Pixels, decks: Sequence[Art]) -> bool:
    """Is one of the decks dressed in this very back? Colourings of one deck often share theirs."""
    return any(deck.back is not None and alike(back, deck.back) for deck in decks)


def alike(one: Pixels, two: Pixels) -> bool:
    """Could two backs be taken for one?"""
    small = [cv2.resize(art[..., :3], (24, 34), interpolation=cv2.INTER_AREA) for art in (one, two)]
    return float(np.abs(small[0].astype(np.int16) - small[1]).mean()) < 4.0


def _other_colour(back: Pixels, turn: int) -> Pixels:
    """The same design in another hue (`turn` of 180)."""
    hsv = cv2.cvtColor(back[..., :3], cv2.COLOR_BGR2HSV)
    hsv[..., 0] = (hsv[..., 0].astype(np.int16) + turn) % 180
    recoloured = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)
    return np.asarray(cv2.merge([*cv2.split(recoloured), back[..., 3].copy()]), dtype=np.uint8)


def _half_plane(rng: np.random.Generator, height: int, width: int) -> NDArray[np.bool_]:
    angle = float(rng.uniform(0, 2 * np.pi))
    through = rng.uniform((0.1 * width, 0.1 * height), (0.9 * width, 0.9 * height))
    x = (np.arange(width) - through[0]) * np.cos(angle)
    y = (np.arange(height) - through[1]) * np.sin(angle)
    return np.asarray(x + y[:, None] > 0)
