"""Fits what tells backs of one design (vision/backs/one_design.py), prints the numbers to enter.

    python -m scripts.calibrate.backs --pictures 12 --seed 8820 8861 --keep runs/backs-pairs

Drawn photos of the end of a hand with backs of `tune`, as the eye finds them. Every part of the pictures is grouped with
weights that were fitted to the others, which shows how well distances group (`APART` of vision/backs/similarity.py);
what is to be entered is fitted to all: `WEIGHTS`, and `WELL_SEEN_WEIGHTS` beside those that are kept, so that they are
fitted again where others are entered. `--keep` keeps what was seen, so that other networks can be compared on it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from datasets.decks import AssetError
from datasets.files import whole
from datasets.sets import draw
from scripts.build.measured import SETS
from scripts.build.seen.backs import Seen
from scripts.building import BuildError, ended, positive
from scripts.calibrate.finder import fit
from scripts.open_eye import OpenEye
from vision.backs.designs import Designs
from vision.backs.one_design import KEPT, Evidence, Weights
from vision.backs.similarity import APART, group
from vision.backs.whole_backs import WholeBacks

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]
Numbers = NDArray[np.intp]
Flags = NDArray[np.bool_]

#: Sets of scripts/measure/eyes that are drawn, each of `--pictures` pictures.
KINDS = ("few", "some", "many")
#: Distances that are tried beside the one that is kept.
DISTANCES = (0.64, 0.67, APART, 0.73, 0.76, 0.8)
#: Pull of the weights to nought; parts of the pictures that are left out in turn.
HOLD, PARTS = 1e-3, 6


@dataclass(frozen=True, slots=True)
class Compared:
    """What is known of every pair of one picture's backs, and (n,) whose they are, -1 of what is none."""

    evidence: Evidence
    decks: Numbers

    @classmethod
    def of(cls, seen: Seen, designs: Designs, backs: WholeBacks) -> Compared:
        """By all measures."""
        return cls(Evidence.of(seen.crops, seen.masks, designs, backs), seen.decks)

    def pairs(self) -> tuple[Floats, Flags]:
        """(m, 14) features of every pair of true backs, and whether the two are of one deck."""
        return self._of_pairs(self.evidence.features(), np.ones((len(self.decks),) * 2, dtype=bool))

    def well_seen(self, weights: Floats, constant: float) -> tuple[Floats, Flags]:
        """(m, 4) what tells of every pair that is seen well, given what all pairs weigh, and whether it is one deck."""
        odds = self.evidence.features() @ weights + constant
        return self._of_pairs(self.evidence.well_seen(odds), self.evidence.both_well_seen())

    def _of_pairs(self, told: Floats, pairs: Flags) -> tuple[Floats, Flags]:
        one, two = np.triu_indices(len(self.decks), 1)
        real = (self.decks[one] >= 0) & (self.decks[two] >= 0) & pairs[one, two]
        one, two = one[real], two[real]
        return told[one, two], self.decks[one] == self.decks[two]

    def grouped(self, weights: Weights, apart: float) -> Numbers:
        """(n,) design of each back."""
        return group(self.evidence.odds(weights), self.evidence.counts(), apart)


def seen_pictures(eye: OpenEye, pictures: int, seed: int, folder: Path | None) -> Iterator[Seen]:
    """Of every picture, the kinds in turn; those kept in `folder` are not drawn again."""
    wanted = [SETS[kind].pictures("tune", seed, pictures) for kind in KINDS]
    for number in tqdm(range(pictures * len(wanted)), desc="pictures"):
        path = None if folder is None else folder / f"{seed}-{number:04d}.npz"
        if path is not None and path.exists():
            kept = np.load(path)
            yield Seen(kept["crops"], kept["masks"], kept["decks"])
            continue
        seen = Seen.of(eye, draw(wanted[number % len(wanted)], number // len(wanted)))
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            with whole(path) as part, part.open("wb") as file:
                np.savez_compressed(file, crops=seen.crops, masks=seen.masks, decks=seen.decks)
        yield seen


def fitted(pictures: Sequence[Compared]) -> Weights:
    """What the features count; pictures weigh alike, and in each its pairs of one deck and of two; those that are seen
    well, by the root of how many there are."""
    features, same, trust = list[Floats](), list[Flags](), list[Floats]()
    for picture in pictures:
        x, one = picture.pairs()
        features.append(x)
        same.append(one)
        trust.append(np.where(one, 0.5 / max(one.sum(), 1), 0.5 / max((~one).sum(), 1)))
    every = fit(np.concatenate(features), np.concatenate(same), np.concatenate(trust), HOLD)
    return *every, *well_seen(pictures, *every)


def well_seen(pictures: Sequence[Compared], weights: Floats, constant: float) -> tuple[Floats, float]:
    """What counts of pairs that are seen well, given what all pairs weigh; raises BuildError where there are none."""
    told = [picture.well_seen(weights, constant) for picture in pictures]
    if not any(len(one) for _, one in told):
        raise BuildError("no two backs of these pictures are seen well; take more with --pictures")
    trust = np.concatenate([np.full(len(one), max(len(one), 1) ** -0.5) for _, one in told])
    return fit(np.concatenate([x for x, _ in told]), np.concatenate([one for _, one in told]), trust, HOLD)


@dataclass(frozen=True, slots=True)
class Grouping:
    """How well pictures are grouped."""

    #: Pictures whose every group is right, of how many; groups more than decks, all together.
    exact: int
    pictures: int
    more: int
    #: Shares of pairs of one deck and of two that are told right, and B-cubed F (Bagga and Baldwin, 1998).
    same: float
    other: float
    b_cubed: float

    def __str__(self) -> str:
        return (
            f"exact {self.exact} of {self.pictures}, one deck {self.same:.3f}, two {self.other:.3f}, "
            f"B-cubed F {self.b_cubed:.3f}, groups too many {self.more}"
        )


def judged(decks: Sequence[Numbers], designs: Sequence[Numbers]) -> Grouping:
    """Of (n,) true decks and (n,) designs of each picture; cards that are none (-1) do not count."""
    exact = more = 0
    same, other, shares = list[Flags](), list[Flags](), list[Floats]()
    for true, told in ((d[d >= 0], t[d >= 0]) for d, t in zip(decks, designs, strict=True)):
        one, alike = true[:, None] == true, told[:, None] == told
        pairs = ~np.eye(len(true), dtype=bool)
        exact += bool((one == alike).all())
        more += len(np.unique(told)) - len(np.unique(true))
        same.append(alike[one & pairs])
        other.append(~alike[~one])
        common = (one & alike).sum(axis=1)
        shares.append(np.stack([common / alike.sum(axis=1), common / one.sum(axis=1)]))
    precision, recall = np.concatenate(shares, axis=1).mean(axis=1)
    f = 2 * precision * recall / (precision + recall)
    one_deck, two = (float(np.concatenate(part).mean()) for part in (same, other))
    return Grouping(exact, len(decks), more, one_deck, two, float(f))


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--pictures", type=positive, default=15, help="of every kind")
    parser.add_argument("--seed", type=int, nargs="+", default=[8820, 8861], help="one a set of pictures")
    parser.add_argument("--models", type=Path, help="folder with the networks, *.onnx")
    parser.add_argument("--keep", type=Path, help="folder for what was seen")
    options = parser.parse_args(arguments)
    remedy = "with --keep the same command goes on from there"
    return ended("calibrate.backs", lambda: "\n".join(_calibrated(options)), AssetError, remedy=remedy)


def _calibrated(options: argparse.Namespace) -> Iterator[str]:
    """Lines: what is to be entered, then how well it groups."""
    nets = Designs(_of(options.models, "designs")), WholeBacks(_of(options.models, "backs"))
    eye = OpenEye(options.models)
    every = [
        Compared.of(seen, *nets)
        for seed in options.seed
        for seen in seen_pictures(eye, options.pictures, seed, options.keep)
        if len(seen.decks)
    ]
    for name, (weights, constant) in (("", fitted(every)[:2]), ("WELL_SEEN_", well_seen(every, *KEPT[:2]))):
        yield f"{name}WEIGHTS = np.array({np.round(weights, 3).tolist()})"
        yield f"{name}CONSTANT = {constant:.3f}"
    parts = [[one for number, one in enumerate(every) if number % PARTS != part] for part in range(PARTS)]
    others = [fitted(part) for part in parts]
    kept: list[Weights] = [(*KEPT[:2], *well_seen(part, *KEPT[:2])) for part in parts]
    ways = [
        ("as kept", [KEPT] * PARTS),
        ("well seen fitted to the others", kept),
        ("fitted to the others", others),
    ]
    for name, told in ways:
        for apart in DISTANCES:
            groups = [picture.grouped(told[number % PARTS], apart) for number, picture in enumerate(every)]
            yield f"{name}, {apart}: {judged([picture.decks for picture in every], groups)}"


def _of(models: Path | None, name: str) -> Path | None:
    return None if models is None else models / f"{name}.onnx"


if __name__ == "__main__":
    sys.exit(main())
