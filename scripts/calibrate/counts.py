"""Fits how likely a deck's count is exact (referee/photos/certain.py) to lays that scripts/build/seen/lays.py kept.

    python -m scripts.calibrate.counts cache/lays-tune --out referee/photos/certain.toml

Lays are left out in turn to find the probability from which on a count is sure.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from datasets.files import put
from referee.photos.certain import Model, models
from referee.photos.evidence import FIGURES
from referee.photos.score import PhotoScore
from referee.photos.scoring import score_photos
from scripts.build.seen.kept import SeenLay, SeenPhoto, kept_lays
from scripts.building import BuildError, ended
from scripts.calibrate.weights import likeliest
from scripts.here import commit
from scripts.matching import match

Floats = NDArray[np.float64]

#: What is not fitted: of cards without a rim too few are sure but for that.
HELD = ("overlapped without a rim",)
#: Of the counts all of whose decks are sure this share must be exact, in lays that were left out, and of decks that are
#: sure beside others that are not; no bound is lower than these, nor higher.
RIGHT, LOWEST, ALONE, HIGHEST = 0.985, 0.92, 0.96, 0.99
#: What is set by hand, and fitted from there: of decks in one photo, and in several.
BEGUN = {
    "hardly cards": (0.8, 0.8),
    "hardly cards, seen once": (0.54, 0.54),
    "hardly none": (0.5, 0.3),
    "of two designs": (0.5, 0.3),
    "others of two designs": (0.5, 0.3),
    "a design that may be two": (0.5, 0.4),
    "photos disagree": (0.3, 0.15),
    "photos disagree on the design": (0.3, 0.15),
    "slivers": (0.01, 0.005),
    "wide strips": (0.12, 0.06),
    "overlapped without a rim": (0.03, 0.03),
    "cards": (0.0004, 0.0003),
    "cards seen aslant": (0.01, 0.005),
    "cards seen small": (0.02, 0.01),
    "cards that one photo shows": (0.001, 0.003),
    "a deck": (0.004, 0.003),
}


@dataclass(frozen=True, slots=True)
class Deck:
    """A deck of a score: what its count was weighed by, by how many cards it is off, and its state."""

    figures: Floats
    off: int
    state: str


@dataclass(frozen=True, slots=True)
class Counted:
    """What some photos of one lay gave."""

    kind: str
    #: "one", "two" (from different sides), "followed" (a first, and one after what it asks for was done), "three" (all).
    photos: str
    decks: list[Deck]
    #: Is every deck's count exact?
    exact: bool

    @property
    def certified(self) -> bool:
        """Is every deck's count sure?"""
        return bool(self.decks) and all(deck.state == "sure" for deck in self.decks)


def counted(kind: str, photos: str, seen: Sequence[SeenPhoto]) -> Counted:
    """The score of some photos beside the truth."""
    score = score_photos([photo.layout for photo in seen])
    true = Counter(card.deck for card in seen[0].truth)
    decks, told = decks_of(score, seen), []
    for deck in score.decks:
        of = decks.get(deck.back)
        off = deck.centre if of is None else abs(deck.centre - true[of])
        figures = np.sum([row for _, row in score.figures[deck.back]], axis=0)
        told.append(Deck(figures, off, deck.state))
    exact = set(decks.values()) == set(true) and not any(deck.off for deck in told)
    return Counted(kind, photos, told, exact)


def decks_of(score: PhotoScore, seen: Sequence[SeenPhoto]) -> dict[str, int]:
    """Which deck each label is: the assignment that most cards agree with."""
    true: dict[int, int] = {}
    for photo in seen:
        for one, other in match(photo.truth, photo.layout.cards):
            true[id(photo.layout.cards[other])] = photo.truth[one].deck
    votes = Counter(
        (label, true[id(card)]) for merged, label in score.counted for card in merged.of if id(card) in true
    )
    labels = sorted({label for _, label in score.counted})
    every = sorted({deck for _, deck in votes})
    table = np.array([[votes[label, deck] for deck in every] for label in labels]).reshape(
        len(labels), len(every)
    )
    rows, columns = linear_sum_assignment(-table)
    return {
        labels[row]: every[column] for row, column in zip(rows, columns, strict=True) if table[row, column]
    }


def ways(lay: SeenLay) -> Iterator[Counted]:
    """What the photos of a lay give: each of two alone, both, and the first, or both, with the one that followed its
    request."""
    yield counted(lay.kind, "one", [lay.first])
    yield counted(lay.kind, "one", [lay.second])
    yield counted(lay.kind, "two", [lay.first, lay.second])
    if lay.followed is not None:
        yield counted(lay.kind, "followed", [lay.first, lay.followed])
        yield counted(lay.kind, "three", [lay.first, lay.second, lay.followed])


def fitted(decks: Sequence[Deck], begun: Floats) -> Floats:
    """(n,) weights of the figures: the likeliest for these decks, near those that were set by hand."""
    figures = np.array([deck.figures for deck in decks]).reshape(-1, len(begun))
    exact = np.array([deck.off == 0 for deck in decks], dtype=bool)
    return likeliest(figures, exact, begun, np.array([name in HELD for name in FIGURES]))


@dataclass(frozen=True, slots=True)
class Bounds:
    """From which probability on counts are sure, as `Model` has them; of lays left out in turn: counts that are certified
    then and how many of these are exact, and the same of decks that are sure beside others that are not."""

    bound: float
    certified: tuple[int, int]
    alone: float
    decks: tuple[int, int]


def bounds_of(lays: Sequence[list[Counted]], begun: Floats) -> Bounds:
    """The lowest bounds that are right often enough in lays left out in turn."""
    counts: list[tuple[float, bool]] = []
    judged: list[tuple[float, bool, float]] = []
    for left_out, mine in enumerate(lays):
        others = [deck for n, lay in enumerate(lays) if n != left_out for way in lay for deck in way.decks]
        model = Model(fitted(others, begun), 1.0, 1.0)
        for way in mine:
            chances = [model.exact(deck.figures) for deck in way.decks]
            if chances:
                counts.append((min(chances), way.exact))
            judged += [
                (chance, deck.off == 0, min(chances)) for chance, deck in zip(chances, way.decks, strict=True)
            ]
    bound, certified = _lowest(counts, LOWEST)
    beside = [(chance, exact) for chance, exact, least in judged if least < bound]
    return Bounds(bound, certified, *_lowest(beside, ALONE))


def _lowest(judged: Sequence[tuple[float, bool]], least: float) -> tuple[float, tuple[int, int]]:
    """The lowest bound from which on enough are exact; how many reach it, and how many of these are."""
    for bound in np.arange(least, HIGHEST + 1e-9, 0.005):
        sure = [exact for chance, exact in judged if chance >= bound]
        if sum(sure) >= RIGHT * len(sure):
            break
    return round(float(bound), 3), (len(sure), sum(sure))


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("lays", type=Path, nargs="+", help="folders of scripts/build/seen/lays.py")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    return ended("calibrate.counts", lambda: _fit(options.lays, options.out))


def _fit(folders: Sequence[Path], out: Path) -> str:
    lays = [list(ways(lay)) for folder in folders for lay in kept_lays(folder)]
    if len(lays) < 2:
        raise BuildError(f"{folders[0]}: {len(lays)} lays are too few to leave one out; draw more")
    said = []
    parts = {"one": ("one",), "several": ("two", "followed")}
    for number, (name, kinds) in enumerate(parts.items()):
        begun = np.array([BEGUN[figure][number] for figure in FIGURES])
        some = [[way for way in lay if way.photos in kinds] for lay in lays]
        weights = fitted([deck for lay in some for way in lay for deck in way.decks], begun)
        bounds = bounds_of(some, begun)
        ways_of, exact = sum(map(len, some)), sum(way.exact for lay in some for way in lay)
        said.append(
            f"[{name}]\n# {ways_of} counts of {len(lays)} lays, {exact} exact; left out in turn "
            f"{bounds.certified[0]} certified, {bounds.certified[1]} of these exact; of {bounds.decks[0]} decks sure "
            f"beside others {bounds.decks[1]}.\n"
            + "".join(f'"{figure}" = {weight:.5f}\n' for figure, weight in zip(FIGURES, weights, strict=True))
            + f"bound = {bounds.bound}\nalone = {bounds.alone}\n"
        )
    put(out, HEAD.format(commit=commit()) + "\n" + "\n".join(said))
    models.cache_clear()
    return f"{out}: fitted to {len(lays)} lays"


HEAD = """\
# By how many cards a deck's count is off, on average, for each of what referee/photos/evidence.py counts; and from which
# probability on counts are sure: where every deck reaches it, and beside decks that do not. Of decks seen in one photo,
# and in several. Written by scripts/calibrate/counts.py at {commit}, from drawn lays of the tuning decks; never shown to
# it: decks of `figures`.
"""


if __name__ == "__main__":
    sys.exit(main())
