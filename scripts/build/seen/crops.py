"""Draws pictures, has the eye find the cards, and keeps the crops that its reader is given, with the true faces.

So the reader learns from rectangles and masks that are off in the way in which the finder's are. Shards are as those of
scripts/build/crops.py.

python -m scripts.build.seen.crops --out cache/crops-seen --shards 20
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np
from tqdm import tqdm

from datasets.decks import AssetError
from datasets.reader_crops import PICTURE_SEEN, REJECT, Crop
from datasets.room import ArtRoom
from datasets.sets import PictureSet, draw_still
from datasets.stills import Still
from scripts.build.crops import CROP_BYTES, save
from scripts.building import ask_for_shards, drawn_now, ended, shards_left
from scripts.matching import match
from scripts.open_eye import OpenEye
from vision.layout import FACES

#: What is drawn, and how often.
KINDS = {"layouts": 0.6, "centres": 0.15, "leftovers": 0.15, "tops": 0.1}
#: Share of the backs and of what is no card that is kept.
REJECTS = 0.15


def seen_crops(eye: OpenEye, still: Still, rng: np.random.Generator) -> Iterator[Crop]:
    """The crops that the reader is given of a picture, with what they truly show."""
    cards, crops, masks = eye.crops(still.image)
    pairs = {seen: true for true, seen in match(still.cards, cards)}
    for number, (card, crop, mask) in enumerate(zip(cards, crops, masks, strict=True)):
        label, name, share = REJECT, "nothing", card.visible_fraction
        if number in pairs:
            true = still.cards[pairs[number]]
            share, name = true.visible_fraction, true.face if true.face_up else "back"
            if true.face_up and (true.index_visible or share >= PICTURE_SEEN):
                label = FACES.index(true.face)
        if label == REJECT and rng.random() > REJECTS:
            continue
        yield Crop(crop, mask, label, name, "seen", "", share, still.px_per_mm)


def crops_of(room: ArtRoom, eye: OpenEye, seed: int, shard: int) -> Iterator[Crop]:
    """Crops without end."""
    number = 0
    while True:
        rng = np.random.default_rng([seed, shard, number])
        number += 1
        what = str(rng.choice(list(KINDS), p=list(KINDS.values())))
        told = {"what": what, "pictures": 1, "seed": 0, "px_per_mm": (1.1, 2.6), "cards": (12, 50)}
        still = draw_still(PictureSet.model_validate(told), rng, room)
        yield from seen_crops(eye, still, rng)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    ask_for_shards(parser, shards=20, per_shard=1500, seed=1)
    parser.add_argument("--models", type=Path, help="folder with the networks, *.onnx")
    options = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    return ended("build.seen.crops", lambda: _build(options), AssetError)


def _build(options: argparse.Namespace) -> str:
    out, left = options.out, shards_left(options, "seen.json", CROP_BYTES, ending=".labels.npy")
    room, eye = ArtRoom(options.split, backs=options.backs), OpenEye(options.models, threads=1)
    for number in tqdm(left, desc="shards"):
        crops: list[Crop] = []
        drawn = crops_of(room, eye, options.seed, number)
        for _ in tqdm(range(options.per_shard), desc=f"shard {number}", leave=False):
            crops.append(next(drawn))
        save(out, number, crops)
    return drawn_now(options, left)


if __name__ == "__main__":
    sys.exit(main())
