"""Draws photos, has the eye look at them, and keeps their backs as it compares them, for the matcher of whole backs.

As scripts/build_backs.py, but as the eye sees them: where a card was missed or lies in a wrong order, what is taken for
one shows parts of others. Shards are as those of that script.

python -m scripts.build_seen_backs --out cache/backs-seen
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence

import cv2
import numpy as np
from tqdm import tqdm

from datasets.back_crops import BackCrops
from datasets.decks import AssetError
from datasets.room import ArtRoom
from datasets.sets import PictureSet, draw_still
from datasets.stills import Still
from scripts.build_backs import PICTURE_BYTES, save
from scripts.building import ask_for_shards, drawn_now, ended, shards_left
from scripts.calibrate_backs import Seen
from scripts.open_eye import OpenEye


def seen_backs(eye: OpenEye, still: Still) -> BackCrops | None:
    """The backs of a photo that the eye finds, as it compares them; None where they are not of two decks and more."""
    seen = Seen.of(eye, still)
    real = seen.decks >= 0
    if len(np.unique(seen.decks[real])) < 2:
        return None
    return BackCrops(seen.crops[real], seen.masks[real], seen.decks[real])


def pictures(room: ArtRoom, eye: OpenEye, seed: int, shard: int) -> Iterator[BackCrops]:
    """The backs of photos without end."""
    number = 0
    while True:
        rng = np.random.default_rng([seed, shard, number])
        number += 1
        told = {"what": "endings", "pictures": 1, "seed": 0, "cards": (12, 110)}
        backs = seen_backs(eye, draw_still(PictureSet.model_validate(told), rng, room))
        if backs is not None:
            yield backs


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    ask_for_shards(parser, shards=50, per_shard=16, seed=1)
    options = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    return ended("build_seen_backs", lambda: _build(options), AssetError)


def _build(options: argparse.Namespace) -> str:
    out, left = options.out, shards_left(options, "backs.json", PICTURE_BYTES)
    room, eye = ArtRoom(options.split), OpenEye(threads=1)
    for number in tqdm(left, desc="shards"):
        drawn = pictures(room, eye, options.seed, number)
        kept = [next(drawn) for _ in tqdm(range(options.per_shard), desc=f"shard {number}", leave=False)]
        save(out / f"{number:04d}.npz", kept)
    return drawn_now(options, left)


if __name__ == "__main__":
    sys.exit(main())
