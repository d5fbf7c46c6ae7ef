"""Draws shards of the backs of photos for the matcher of whole backs; goes on where it stopped."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np

from datasets.back_crops import BackCrops, back_crops
from datasets.decks import AssetError
from datasets.files import whole
from datasets.room import ArtRoom
from datasets.sets import PictureSet, draw_still
from datasets.stills import Still
from scripts.building import ask_for_shards, draw_shards, ended, shards_left
from vision.faces.reader import CROP

#: Bytes of a picture's backs on the disk, about.
PICTURE_BYTES = 40 * CROP[0] * CROP[1] * 3


def of_decks(backs: BackCrops | None) -> BackCrops | None:
    """The backs of a photo where they are of two decks and more: those of one tell nothing."""
    return backs if backs is not None and len(np.unique(backs.decks)) > 1 else None


def pictures(
    room: ArtRoom, seed: int, shard: int, look: Callable[[Still, np.random.Generator], BackCrops | None]
) -> Iterator[BackCrops]:
    """The backs of photos without end, as who looks at them gives them."""
    number = 0
    while True:
        rng = np.random.default_rng([seed, shard, number])
        number += 1
        told = {"what": "endings", "pictures": 1, "seed": 0, "cards": (12, 110)}
        backs = look(draw_still(PictureSet.model_validate(told), rng, room), rng)
        if backs is not None:
            yield backs


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    parser = argparse.ArgumentParser(description=__doc__)
    ask_for_shards(parser, shards=40, per_shard=16, seed=0)
    options = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    return ended("build.backs", lambda: _build(options), AssetError)


def _build(options: argparse.Namespace) -> str:
    left = shards_left(options, "backs.json", PICTURE_BYTES)
    room = ArtRoom(options.split, backs=options.backs)
    return draw_shards(options, left, lambda shard: pictures(room, options.seed, shard, _cut), save)


def _cut(still: Still, rng: np.random.Generator) -> BackCrops | None:
    return of_decks(back_crops(still, rng))


def save(path: Path, kept: Sequence[BackCrops]) -> None:
    """One shard: all crops, masks and decks in a row, and where each picture ends."""
    with whole(path) as part, part.open("wb") as file:
        np.savez_compressed(
            file,
            crops=np.concatenate([one.crops for one in kept]),
            masks=np.concatenate([one.masks for one in kept]),
            decks=np.concatenate([one.decks for one in kept]),
            ends=np.cumsum([0, *(len(one.decks) for one in kept)]),
        )


if __name__ == "__main__":
    sys.exit(main())
