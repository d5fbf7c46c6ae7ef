"""Draws shards of crops for the reader; goes on where it stopped, forgets the oldest beyond `--keep`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import cv2
import numpy as np
from tqdm import tqdm

from datasets.decks import AssetError, DeckInfo, list_backs, list_decks, list_drawn_decks, load_back
from datasets.decks.store import cache_folder
from datasets.files import put_array
from datasets.indices import IndexPress
from datasets.printing import KnownPress, Press
from datasets.reader_crops import Crop, CropMaker
from datasets.surfaces import banked_surface
from scripts.building import BuildError, claim, ended, positive, room_for

#: A new deck is printed after so many crops.
RENEW = 300
#: Surfaces laid out for one shard, their side in px, and backs at hand.
SURFACES, SIDE, BACKS = 16, 512, 24
#: A crop with its mask on the disk.
CROP_BYTES = 70_000


def save(folder: Path, number: int, crops: list[Crop]) -> None:
    """One shard; the labels last, so that a shard with labels is whole."""
    arrays = {
        "images": np.stack([crop.image for crop in crops]),
        "masks": np.stack([crop.mask for crop in crops]),
        "kind": np.array([crop.kind for crop in crops]),
        "deck": np.array([crop.deck for crop in crops]),
        "name": np.array([crop.name for crop in crops]),
        "fraction": np.array([crop.fraction for crop in crops], dtype=np.float32),
        "scale": np.array([crop.scale for crop in crops], dtype=np.float32),
        "labels": np.array([crop.label for crop in crops], dtype=np.int16),
    }
    for field, array in arrays.items():
        put_array(folder / f"{number:04d}.{field}.npy", array)


def forget(folder: Path, numbers: Iterable[int]) -> None:
    """Deletes shards, their labels first."""
    for number in numbers:
        for path in sorted(folder.glob(f"{number:04d}.*.npy"), key=lambda p: "labels" not in p.name):
            path.unlink()


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--split", choices=("train", "tune", "figures"), default="train", help="but train: decks as they are"
    )
    parser.add_argument("--first", type=int, default=0, help="number of the first shard")
    parser.add_argument("--shards", type=positive, default=40)
    parser.add_argument("--per-shard", type=positive, default=4000)
    parser.add_argument("--keep", type=positive, default=60, help="shards kept on disk (72 kB a crop)")
    parser.add_argument("--decks", type=positive, default=24, help="decks at hand at a time")
    parser.add_argument("--drawn", type=int, default=8, help="drawn decks among the known ones")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--families", nargs="+", help="real decks of these only, and no drawn ones, which borrow from all"
    )
    parser.add_argument(
        "--as-they-are", action="store_true", help="decks of split train not printed anew either"
    )
    parser.add_argument(
        "--letters", type=float, default=0.0, help="share of decks whose courts have other languages' letters"
    )
    options = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    return ended("build.crops", lambda: _build(options), AssetError)


def _build(options: argparse.Namespace) -> str:
    out, split, numbers = options.out, options.split, range(options.first, options.first + options.shards)
    infos, anew = _decks(options), split == "train" and not options.as_they_are
    there = {int(path.name.partition(".")[0]) for path in out.glob("*.labels.npy")}
    # what is older was forgotten, not left out
    oldest = max(there, default=options.first) + 1 - options.keep
    left = [number for number in numbers if number not in there and number >= oldest]
    room_for(out, min(len(left), options.keep) * options.per_shard * CROP_BYTES)
    names = list_backs(split)
    if not names:
        raise AssetError(f"no {split} backs in {cache_folder()}; run scripts.build.assets --backs 400")
    press: Press | KnownPress | IndexPress | None = None
    asked = ("split", "per_shard", "decks", "drawn", "seed", "families", "as_they_are", "letters")
    said = {name: getattr(options, name) for name in asked}
    claim(
        out, "crops.json", said, adopt="*.npy", usual={"families": None, "as_they_are": False, "letters": 0.0}
    )
    for number in left:
        rng = np.random.default_rng([options.seed, number])
        press = press or _press(rng, infos, options, anew)
        surfaces = [banked_surface(rng, SIDE, SIDE, float(rng.uniform(1, 3)), split) for _ in range(SURFACES)]
        backs = [load_back(names[int(i)], "stretch") for i in rng.permutation(len(names))[:BACKS]]
        maker = CropMaker(press, backs, surfaces)
        crops = []
        for k in tqdm(range(options.per_shard), desc=f"shard {number}", mininterval=10):
            if k % RENEW == RENEW - 1:
                maker.renew(rng)
            crops.append(maker.crop(rng))
        save(out, number, crops)
        forget(out, range(options.first, number + 1 - options.keep))
    return f"{out}: {len(numbers)} shards, {len(left)} of them drawn now"


def _press(
    rng: np.random.Generator, infos: list[DeckInfo], options: argparse.Namespace, anew: bool
) -> Press | KnownPress | IndexPress:
    """What prints the decks: with letters of other languages, anew, or as they are."""
    if options.letters:
        return IndexPress(rng, infos, options.split, options.letters, options.decks)
    return Press(rng, infos, options.decks) if anew else KnownPress(infos)


def _decks(options: argparse.Namespace) -> list[DeckInfo]:
    """The decks to cut crops of; raises BuildError where a family has none in the split."""
    known = list_decks(split=options.split)
    if options.families is None:
        return known + list_drawn_decks(options.split)[: options.drawn]
    there = sorted({info.family for info in known})
    for family in options.families:
        if family not in there:
            raise BuildError(f"--families {family}: split {options.split} has {', '.join(there)}")
    return [info for info in known if info.family in options.families]


if __name__ == "__main__":
    sys.exit(main())
