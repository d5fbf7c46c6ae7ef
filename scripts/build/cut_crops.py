"""Cuts crops for the reader out of the pictures of a named set, into shards as scripts/build/crops.py writes them.

python -m scripts.build.dataset centres --out out/centres
python -m scripts.build.cut_crops out/centres --out cache/reader-centres
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from tqdm import tqdm

from datasets.reader_crops import Crop
from datasets.reader_cuts import cut_cards
from scripts.build.crops import save
from scripts.build.export import ExportError, picture_of, pictures_of
from scripts.building import claim, ended, positive


def cut(files: Sequence[Path], out: Path, per_shard: int, seed: int) -> int:
    """Writes whole shards, numbered from 0, and what is left over; returns the number of crops."""
    out.mkdir(parents=True, exist_ok=True)
    crops: list[Crop] = []
    count = shard = 0
    for path in tqdm(files, desc="crops"):
        picture = picture_of(path)
        image = cv2.imread(str(path.with_name(picture["image"])), cv2.IMREAD_COLOR)
        if image is None:
            raise ExportError(f"{path.with_name(picture['image'])}: not a picture; build the set again")
        rng = np.random.default_rng([seed, int(path.stem)])
        try:
            crops += cut_cards(rng, np.asarray(image, np.uint8), picture["cards"])
        except KeyError as error:
            raise ExportError(f"{path}: built before it told {error}; build the set again") from None
        while len(crops) >= per_shard or (crops and path == files[-1]):
            # neighbours in a picture look alike: a shard holds whole pictures, the training mixes them
            save(out, shard, crops[:per_shard])
            count, shard = count + len(crops[:per_shard]), shard + 1
            crops = crops[per_shard:]
    return count


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("set", type=Path, help="folder of a built set")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--per-shard", type=positive, default=1500)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    return ended("build.cut_crops", lambda: _cut(options), ExportError)


def _cut(options: argparse.Namespace) -> str:
    files = pictures_of(options.set)
    said = {"of": str(options.set.resolve()), "per_shard": options.per_shard, "seed": options.seed}
    claim(options.out, "cuts.json", said, adopt="*.npy")
    return f"{options.out}: {cut(files, options.out, options.per_shard, options.seed)} crops"


if __name__ == "__main__":
    sys.exit(main())
