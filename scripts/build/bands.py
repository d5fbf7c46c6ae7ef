"""Draws shards of straightened rows for the row reader; goes on where it stopped."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from tqdm import tqdm

from datasets.bands import BandTruth, bands_of
from datasets.decks import AssetError
from datasets.files import whole
from datasets.glimpses import bands_in
from datasets.photos.endings import draw_ending
from datasets.photos.leftovers import draw_leftovers
from datasets.room import ArtRoom
from datasets.stills import Manner, draw_spread
from scripts.building import ask_for_backs, drawn_now, ended, positive, shards_left

#: How often a row is fitted anew with other errors.
TIMES = 3
#: Share of the photos that show what was left over, unless another is asked for.
LEFTOVERS = 0.15
#: The rows of a picture are hardly ever fewer bytes.
LEAST_BYTES = 200_000
#: Ways to lay out rows: narrower, wider, more uneven and more bent than in the spreads that are measured.
MANNERS = (
    Manner((7.0, 14.0)),
    Manner((8.0, 16.0)),
    Manner((9.0, 28.0), uneven=0.4),
    Manner((8.0, 18.0), uneven=0.3, fans=0.8, radius=(60.0, 250.0)),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--split", choices=("train", "tune", "figures"), default="train")
    parser.add_argument("--first", type=int, default=0, help="number of the first shard")
    parser.add_argument("--shards", type=positive, default=40)
    parser.add_argument(
        "--per-shard", type=positive, default=20, help="pictures (of several rows each) a shard"
    )
    parser.add_argument("--faces-up", type=float, default=0.4, help="share of the spreads that lie faces up")
    parser.add_argument("--photos", type=float, default=0.6, help="share of the pictures that phones take")
    parser.add_argument(
        "--leftovers", type=float, default=LEFTOVERS, help="share of these that show left-over cards"
    )
    parser.add_argument("--seed", type=int, default=0)
    ask_for_backs(parser)
    options = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    return ended("build.bands", lambda: _build(options), AssetError)


def _build(options: argparse.Namespace) -> str:
    said = ("split", "per_shard", "faces_up", "photos", "leftovers", "seed", "backs")
    # folders that were begun before one could ask for left-over cards
    usual = {"leftovers": LEFTOVERS}
    out, left = options.out, shards_left(options, "bands.json", LEAST_BYTES, said=said, usual=usual)
    room = ArtRoom(options.split, backs=options.backs)
    for number in tqdm(left, desc="bands", mininterval=10):
        bands: list[BandTruth] = []
        pictures: list[int] = []
        for picture in range(options.per_shard):
            rng = np.random.default_rng([options.seed, number, picture])
            if rng.random() < options.photos:
                fitted = _photo(room, rng, options.leftovers)
            else:
                fitted = _spread(room, rng, options.faces_up)
            bands += fitted
            pictures += [picture] * len(fitted)
        save(out / f"{number:04d}.npz", bands, pictures)
    return drawn_now(options, left)


def _spread(room: ArtRoom, rng: np.random.Generator, faces_up: float) -> list[BandTruth]:
    up = rng.random() < faces_up
    manner = MANNERS[int(rng.integers(len(MANNERS)))]
    decks = room.decks(rng, 1, 4)
    still = draw_spread(rng, decks, room.surface, (14, 80), bool(up), manner)
    return [band for _ in range(TIMES) for band in bands_of(still, rng)]


def _photo(room: ArtRoom, rng: np.random.Generator, leftovers: float) -> list[BandTruth]:
    if rng.random() < leftovers:
        still = draw_leftovers(rng, room.decks(rng, 1, 6), room.surface)
    else:
        still = draw_ending(rng, room.decks(rng, 2, 6), room.surface, (10, int(rng.choice([50, 110]))))
    return [band for _ in range(TIMES) for band in bands_in(still, rng)]


def save(path: Path, bands: list[BandTruth], pictures: list[int]) -> None:
    """One shard: bands side by side, where each begins and ends, edges with the number of their band, and the number
    of the picture that each band is from."""
    ends = np.cumsum([0] + [band.image.shape[1] for band in bands])
    numbered = [np.column_stack([np.full(len(b.edges), n), b.edges]) for n, b in enumerate(bands)]
    with whole(path) as part, part.open("wb") as file:
        np.savez(
            file,
            images=np.concatenate([b.image for b in bands], axis=1),
            ends=ends,
            edges=np.concatenate(numbered),
            pictures=np.array(pictures),
        )


if __name__ == "__main__":
    sys.exit(main())
