"""Draws shards of straightened rows for the row reader; goes on where it stopped."""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np
from tqdm import tqdm

from datasets.bands import BandTruth, bands_of
from datasets.room import ArtRoom
from datasets.stills import Manner, draw_spread

#: How often a row is fitted anew with other errors.
TIMES = 3
#: Ways to lay out rows: narrower, wider, more uneven and more bent than in the spreads that are measured.
MANNERS = (
    Manner((7.0, 14.0)),
    Manner((8.0, 16.0)),
    Manner((9.0, 28.0), uneven=0.4),
    Manner((8.0, 18.0), uneven=0.3, fans=0.8, radius=(60.0, 250.0)),
)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--split", choices=("train", "tune", "figures"), default="train")
    parser.add_argument("--first", type=int, default=0, help="number of the first shard")
    parser.add_argument("--shards", type=int, default=40)
    parser.add_argument("--per-shard", type=int, default=20, help="pictures (of several rows each) a shard")
    parser.add_argument("--faces-up", type=float, default=0.4, help="share of the spreads that lie faces up")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    options.out.mkdir(parents=True, exist_ok=True)
    room = ArtRoom(options.split)
    numbers = range(options.first, options.first + options.shards)
    for number in tqdm(numbers, desc="bands", mininterval=10):
        path = options.out / f"{number:04d}.npz"
        if path.exists():
            continue
        bands: list[BandTruth] = []
        pictures: list[int] = []
        for picture in range(options.per_shard):
            rng = np.random.default_rng([options.seed, number, picture])
            up = rng.random() < options.faces_up
            manner = MANNERS[int(rng.integers(len(MANNERS)))]
            decks = room.decks(rng, 1, 4)
            still = draw_spread(rng, decks, room.surface, (14, 80), bool(up), manner)
            fitted = [band for _ in range(TIMES) for band in bands_of(still, rng)]
            bands += fitted
            pictures += [picture] * len(fitted)
        save(path, bands, pictures)


def save(path: Path, bands: list[BandTruth], pictures: list[int]) -> None:
    """One shard: bands side by side, where each begins and ends, edges with the number of their band, and the number
    of the picture that each band is from."""
    ends = np.cumsum([0] + [band.image.shape[1] for band in bands])
    numbered = [np.column_stack([np.full(len(b.edges), n), b.edges]) for n, b in enumerate(bands)]
    part = path.with_suffix(".part.npz")
    np.savez(
        part,
        images=np.concatenate([b.image for b in bands], axis=1),
        ends=ends,
        edges=np.concatenate(numbered),
        pictures=np.array(pictures),
    )
    part.replace(path)


if __name__ == "__main__":
    main()
