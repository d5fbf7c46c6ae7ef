"""Draws photos of spread backs, has the eye look for cards, and keeps what the sifter is told of them with the truth.

A shard NUMBER.npz holds the cases of many pictures one after the other: `cards` (n, 18), `one`, `other` (m,) and `pairs`
(m, 12) as in `vision/scene/sifting.py`, `right` (n,) booleans, and `sizes` (pictures, 2), how many things and pairs
there are in each.

python -m scripts.build.cases --out cache/cases
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.decks import AssetError
from datasets.files import whole
from datasets.room import ArtRoom
from datasets.sets import PictureSet, draw_still
from datasets.stills import Still
from datasets.truth import CardTruth
from scripts.building import ask_for_shards, draw_shards, ended, shards_left
from scripts.matching import best_first
from scripts.open_eye import OpenEye
from vision.geometry.polygons import oriented_iou
from vision.layout import SeenCard

#: What is drawn, of how many cards, and how often.
KINDS: dict[tuple[str, tuple[int, int]], float] = {
    ("endings", (12, 40)): 0.4,
    ("endings", (40, 80)): 0.25,
    ("endings", (80, 110)): 0.15,
    ("leftovers", (12, 110)): 0.2,
}
#: Share of the surfaces with a pattern that looks a little like cards.
FRESH = 0.2
#: A card that shows less than this share of itself is not missed.
HIDDEN = 0.03
#: Bytes of a picture's case on the disk, about.
PICTURE_BYTES = 30_000

#: A case with the truth, by the names of a shard's arrays.
Arrays = dict[str, NDArray[Any]]


def cases_of(path: Path) -> list[Arrays]:
    """The cases of a shard."""
    with np.load(path) as shard:
        arrays = dict(shard)
    things, pairs = (np.cumsum(sizes)[:-1] for sizes in arrays.pop("sizes").T)
    of_pairs = {"one", "other", "pairs"}
    split = {n: np.split(a, pairs if n in of_pairs else things) for n, a in arrays.items()}
    return [dict(zip(split, each, strict=True)) for each in zip(*split.values(), strict=True)]


def keep(path: Path, cases: Sequence[Arrays]) -> None:
    """Writes a shard."""
    arrays: dict[str, Any] = {name: np.concatenate([case[name] for case in cases]) for name in cases[0]}
    with whole(path) as part, part.open("wb") as file:
        np.savez_compressed(file, **arrays)


def true_ones(truth: Sequence[CardTruth], seen: Sequence[SeenCard]) -> NDArray[np.bool_]:
    """(n,) which of what was seen are cards: of several in the place of one, that which lies nearest to it."""
    right = np.zeros(len(seen), dtype=bool)
    shown = [card for card in truth if card.visible_fraction >= HIDDEN]
    if shown and seen:
        iou = np.array([[oriented_iou(np.array(t.corners), s.corners) for s in seen] for t in shown])
        right[[column for _, column in best_first(iou, np.zeros_like(iou))]] = True
    return right


def case_of(eye: OpenEye, still: Still) -> Arrays | None:
    """What the sifter is told of a picture, and the truth; None where no backs seem to lie spread."""
    told = eye.case(still.image)
    if told is None:
        return None
    cards, case = told
    arrays = {name: getattr(case, name) for name in ("cards", "one", "other", "pairs")}
    sizes = np.array([[len(case.cards), len(case.one)]])
    return arrays | {"right": true_ones(still.cards, cards), "sizes": sizes}


def pictures(room: ArtRoom, seed: int, shard: int) -> Iterator[Still]:
    """Pictures without end."""
    number = 0
    while True:
        rng = np.random.default_rng([seed, shard, number])
        number += 1
        what, cards = list(KINDS)[int(rng.choice(len(KINDS), p=list(KINDS.values())))]
        told = {"what": what, "pictures": 1, "seed": 0, "cards": cards}
        yield draw_still(PictureSet.model_validate(told), rng, room)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    ask_for_shards(parser, shards=40, per_shard=20, seed=1)
    options = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    return ended("build.cases", lambda: _build(options), AssetError)


def _build(options: argparse.Namespace) -> str:
    left = shards_left(options, "cases.json", PICTURE_BYTES)
    room, eye = ArtRoom(options.split, FRESH, backs=options.backs), OpenEye(threads=1)

    def drawn(shard: int) -> Iterator[Arrays | None]:
        return (case_of(eye, still) for still in pictures(room, options.seed, shard))

    return draw_shards(options, left, drawn, _keep_some)


def _keep_some(path: Path, looked: Sequence[Arrays | None]) -> None:
    cases = [case for case in looked if case is not None]
    if cases:
        keep(path, cases)


if __name__ == "__main__":
    sys.exit(main())
