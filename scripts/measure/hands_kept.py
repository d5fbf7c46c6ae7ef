"""Draws whole hands, has the eye look at their photos and at those that follow what the score asks for, and keeps that
beside what is true: what is certified can be measured again without looking (`scripts/measure/eyes/hands.py`).

python -m scripts.measure.hands_kept --out cache/hands-tune --split tune --hands 16
"""

from __future__ import annotations

import argparse
import pickle
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from tqdm import tqdm

from datasets.decks import AssetError, Split
from datasets.files import put
from datasets.photos.finished import HandPhoto
from scripts.build.seen.kept import SeenHand
from scripts.building import claim, ended, positive
from scripts.measure.eyes.hands import drawn_hand, followed
from vision.eye import Eye


def _kept(eye: Eye, split: Split, seed: int, number: int) -> SeenHand:
    """What the eye sees of a hand, and after one request a photo was followed."""
    hand, follower = drawn_hand(split, seed, number)
    layouts = [eye.see(photo.still.image) for photo in hand.photos]
    more = followed(eye, hand, follower, layouts)
    light = replace(hand, photos=[_light(photo) for photo in hand.photos])
    return SeenHand(light, layouts, [(_light(photo), layout) for photo, layout in more])


def _light(photo: HandPhoto) -> HandPhoto:
    """A photo without its picture."""
    still = replace(photo.still, image=np.zeros((1, 1, 3), np.uint8), ids=None)
    return replace(photo, still=still)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--split", choices=("tune", "figures"), default="tune")
    parser.add_argument("--hands", type=positive, default=16)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    return ended(
        "measure.hands_kept",
        lambda: _build(options.out, options.split, options.seed, options.hands),
        AssetError,
    )


def _build(out: Path, split: Split, seed: int, hands: int) -> str:
    claim(out, "hands.json", {"split": split, "seed": seed}, adopt="*.hand")
    eye = Eye(threads=1)
    left = [number for number in range(hands) if not (out / f"{number:05d}.hand").exists()]
    for number in tqdm(left, desc="hands"):
        put(out / f"{number:05d}.hand", pickle.dumps(_kept(eye, split, seed, number)))
    return f"{out}: {hands} hands, {len(left)} of them drawn now"


if __name__ == "__main__":
    sys.exit(main())
