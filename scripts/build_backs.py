"""Draws shards of the backs of photos for the matcher of whole backs; goes on where it stopped."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np
from tqdm import tqdm

from datasets.back_crops import BackCrops, back_crops
from datasets.decks import AssetError
from datasets.files import whole
from datasets.room import ArtRoom
from datasets.sets import PictureSet, draw_still
from scripts.building import ask_for_shards, drawn_now, ended, shards_left
from vision.reader import CROP

#: Bytes of a picture's backs on the disk, about.
PICTURE_BYTES = 40 * CROP[0] * CROP[1] * 3


def pictures(room: ArtRoom, seed: int, shard: int) -> Iterator[BackCrops]:
    """The backs of photos without end."""
    number = 0
    while True:
        rng = np.random.default_rng([seed, shard, number])
        number += 1
        told = {"what": "endings", "pictures": 1, "seed": 0, "cards": (12, 110)}
        backs = back_crops(draw_still(PictureSet.model_validate(told), rng, room), rng)
        if backs is not None and len(np.unique(backs.decks)) > 1:
            yield backs


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    parser = argparse.ArgumentParser(description=__doc__)
    ask_for_shards(parser, shards=40, per_shard=16, seed=0)
    options = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    return ended("build_backs", lambda: _build(options), AssetError)


def _build(options: argparse.Namespace) -> str:
    out, left = options.out, shards_left(options, "backs.json", PICTURE_BYTES)
    room = ArtRoom(options.split)
    for number in tqdm(left, desc="shards"):
        drawn = pictures(room, options.seed, number)
        kept = [next(drawn) for _ in tqdm(range(options.per_shard), desc=f"shard {number}", leave=False)]
        save(out / f"{number:04d}.npz", kept)
    return drawn_now(options, left)


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
