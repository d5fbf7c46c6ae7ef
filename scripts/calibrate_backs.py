"""Fits what the two networks that match backs count together (vision/whole_backs.py), prints the numbers to enter.

    python -m scripts.calibrate_backs --pictures 15 --keep runs/backs-seen

Drawn photos of the end of a hand with backs of `tune`, as the eye finds them. Weights are fitted on every second picture;
the others, and all together, show how well distances group (`APART_TOLD` of vision/backs.py). `--keep` keeps what was
seen, so that other networks can be compared on it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from datasets.files import whole
from datasets.sets import draw
from datasets.stills import Still
from scripts.building import positive
from scripts.calibrate_finder import fit
from scripts.eyes.sets import SETS
from scripts.matching import match
from vision.backs import APART_TOLD, group, patches
from vision.designs import Designs
from vision.eye import Eye
from vision.whole_backs import ALONE, BOTH, MOST, WholeBacks, together

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]
Numbers = NDArray[np.intp]
Flags = NDArray[np.bool_]
Weights = tuple[Sequence[float], Sequence[float]]

#: Sets of scripts/eyes that are drawn, each of `--pictures` pictures.
KINDS = ("few", "some", "many")
#: Distances that are tried beside the one that is kept.
DISTANCES = (0.6, 0.64, 0.67, APART_TOLD, 0.73, 0.76)


@dataclass(frozen=True, slots=True)
class Seen:
    """Backs of one picture as they are compared, (n, 160, 112, 3) and (n, 160, 112), and (n,) whose they are, or -1."""

    crops: Pixels
    masks: Pixels
    decks: Numbers

    @classmethod
    def of(cls, eye: Eye, still: Still) -> Seen:
        """As the eye finds them; what is no back of the picture is of no deck."""
        cards, crops, masks = eye.back_crops(still.image)
        decks = np.full(len(cards), -1)
        for true, seen in match(still.cards, cards):
            decks[seen] = -1 if still.cards[true].face_up else still.cards[true].deck
        return cls(crops, masks, decks)


@dataclass(frozen=True, slots=True)
class Compared:
    """What the networks say of every pair of one picture, (n, n) log odds each."""

    seen: Seen
    strips: Floats
    alone: Floats

    @classmethod
    def of(cls, seen: Seen, designs: Designs, backs: WholeBacks) -> Compared:
        """By both networks."""
        odds = designs.odds(seen.crops, seen.masks), backs.odds(seen.crops, seen.masks)
        return cls(seen, *(np.clip(each, -MOST, MOST) for each in odds))

    def pairs(self) -> tuple[Floats, Floats, Flags]:
        """What is said of every pair of true backs, strips and whole ones, and whether the two are of one deck."""
        one, two = np.triu_indices(len(self.seen.decks), 1)
        real = (self.seen.decks[one] >= 0) & (self.seen.decks[two] >= 0)
        one, two = one[real], two[real]
        return self.strips[one, two], self.alone[one, two], self.seen.decks[one] == self.seen.decks[two]

    def grouped(self, weights: Weights | None, apart: float) -> Numbers:
        """(n,) design of each back; by strips alone without weights."""
        odds = self.strips if weights is None else together(self.strips, self.alone, *weights)
        return group(patches(self.seen.crops, self.seen.masks), odds, apart)


def seen_pictures(eye: Eye, pictures: int, seed: int, folder: Path | None) -> Iterator[Seen]:
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
    """What the networks count together, and the whole backs' alone; pairs of one deck and of two weigh alike."""
    strips, alone, same = (np.concatenate(part) for part in zip(*(p.pairs() for p in pictures), strict=True))
    told = ~np.isnan(strips)
    both = _fit(np.column_stack([strips, alone])[told], same[told])
    return both, _fit(alone[~told, None], same[~told])


def _fit(x: Floats, same: Flags) -> list[float]:
    trust = np.where(same, 0.5 / max(same.sum(), 1), 0.5 / max((~same).sum(), 1))
    weights, constant = fit(x, same, trust)
    return [round(float(value), 3) for value in (*weights, constant)]


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


def main() -> None:
    """Command line."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--pictures", type=positive, default=15, help="of every kind")
    parser.add_argument("--seed", type=int, default=8820)
    parser.add_argument("--models", type=Path, help="folder with the networks, *.onnx")
    parser.add_argument("--keep", type=Path, help="folder for what was seen")
    options = parser.parse_args()
    nets = Designs(_of(options.models, "designs")), WholeBacks(_of(options.models, "backs"))
    every = [
        Compared.of(seen, *nets)
        for seen in seen_pictures(Eye(options.models), options.pictures, options.seed, options.keep)
        if len(seen.decks)
    ]
    weights = fitted(every[::2])
    print(f"fitted on every second of {len(every)} pictures: BOTH, ALONE = {weights[0]}, {weights[1]}")
    for name, some in (("the others", every[1::2]), ("all", every)):
        decks = [picture.seen.decks for picture in some]
        for told, by in (("strips", None), ("as kept", (BOTH, ALONE)), ("fitted", weights)):
            for apart in DISTANCES:
                grouping = judged(decks, [picture.grouped(by, apart) for picture in some])
                print(f"{name}, {told}, {apart}: {grouping}")


def _of(models: Path | None, name: str) -> Path | None:
    return None if models is None else models / f"{name}.onnx"


if __name__ == "__main__":
    main()
