"""Draws left-over Nerts piles, a photo each, has the eye look at them, and keeps what it saw beside what is true.

What says how sure their counts are is fitted to these (`scripts/calibrate/piles.py`).

python -m scripts.build.seen.piles --out cache/piles-tune --split tune --piles 200
"""

from __future__ import annotations

import argparse
import pickle
import sys
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from tqdm import tqdm

from datasets.decks import AssetError, Split
from datasets.files import put
from datasets.own_room import OwnRoom
from datasets.photos.finished import SameTable
from datasets.photos.leftovers import MOST, Piles
from datasets.photos.photograph import photograph, still_of
from datasets.room import ArtRoom
from datasets.scene import BRIDGE_MM, POKER_MM
from datasets.sets import decks_of, room_of
from scripts.build.seen.kept import SeenPhoto
from scripts.building import claim, ended, positive
from vision.eye import Eye, Sees

#: The number of piles in the seeds of their pictures, beside those of `datasets/sets.py`.
NUMBER = 81
#: Share of the cards that are of poker size, and of the players who fan what they have left faces up.
POKER, UP = 0.75, 0.7


def seen_pile(eye: Sees, room: ArtRoom | OwnRoom, seed: int, number: int) -> SeenPhoto:
    """Pile `number` of a seed, fanned as somebody does who shows what is left; raises AssetError where art is missing."""
    rng = np.random.default_rng([seed, NUMBER, number])
    decks = decks_of(room, rng, 2, 4, whole=True)
    size = POKER_MM if rng.random() < POKER else BRIDGE_MM
    left = int(rng.integers(1, MOST + 1))
    faces = rng.permutation(np.array(sorted(decks[0].faces)))[:left]
    way = "faces" if rng.random() < UP else "backs"
    laid = Piles(rng, size).pile([(0, str(face)) for face in faces], way)
    table = SameTable(room.surface, int(rng.integers(2**31)))
    still = still_of(photograph(rng, laid, decks, table))
    return SeenPhoto(eye.see(still.image), still.cards)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--split", choices=("tune", "figures"), default="tune")
    parser.add_argument("--piles", type=positive, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    return ended(
        "build.seen.piles",
        lambda: _build(options.out, options.split, options.seed, options.piles),
        AssetError,
    )


def _build(out: Path, split: Split, seed: int, piles: int) -> str:
    claim(out, "piles.json", {"split": split, "seed": seed}, adopt="*.pile")
    eye, room = Eye(threads=1), room_of(split, 0.0, ())
    left = [number for number in range(piles) if not (out / f"{number:05d}.pile").exists()]
    for number in tqdm(left, desc="piles"):
        put(out / f"{number:05d}.pile", pickle.dumps(seen_pile(eye, room, seed, number)))
    return f"{out}: {piles} piles, {len(left)} of them drawn now"


if __name__ == "__main__":
    sys.exit(main())
