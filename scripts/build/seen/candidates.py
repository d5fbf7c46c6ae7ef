"""Draws pictures, has the eye look for cards, and keeps the cuts of what may be some with whether they are.

As scripts/build/candidates.py does with the finder's windows, but of whole pictures as the eye looks at them: what a
table's pattern is taken for shows only there. Shards are as those of that script.

python -m scripts.build.seen.candidates --out cache/candidates-seen --shards 40
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.decks import AssetError
from datasets.files import whole
from datasets.room import ArtRoom
from datasets.sets import PictureSet, draw_still
from datasets.stills import Still
from scripts.build.candidates import CONFIDENCE, NAMES
from scripts.building import ask_for_shards, draw_shards, ended, shards_left
from scripts.matching import match
from scripts.open_eye import OpenEye
from vision.eye import Bounds

#: What is drawn, and how often.
KINDS = {"layouts": 0.35, "endings": 0.4, "leftovers": 0.15, "tops": 0.1}
#: Share of the tables with a pattern that looks a little like cards.
FRESH = 0.35
#: Bytes of a picture's cuts on the disk, about.
PICTURE_BYTES = 1_000_000


def candidates(eye: OpenEye, still: Still) -> dict[str, NDArray[Any]]:
    """What may be a card in a picture, arrays side by side."""
    cards, cuts = eye.cuts(still.image)
    right = np.zeros(len(cards), dtype=bool)
    right[[seen for _, seen in match(still.cards, cards)]] = True
    back = np.array([card.side == "back" for card in cards], dtype=bool)
    visible = np.array([card.visible_fraction for card in cards], dtype=np.float32)
    return {"cuts": cuts, "right": right, "back": back, "visible": visible}


def pictures(room: ArtRoom, seed: int, shard: int) -> Iterator[Still]:
    """Pictures without end."""
    number = 0
    while True:
        rng = np.random.default_rng([seed, shard, number])
        number += 1
        what = str(rng.choice(list(KINDS), p=list(KINDS.values())))
        told = {"what": what, "pictures": 1, "seed": 0, "px_per_mm": (1.1, 2.6), "cards": (12, 110)}
        yield draw_still(PictureSet.model_validate(told), rng, room)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    ask_for_shards(parser, shards=40, per_shard=25, seed=1)
    parser.add_argument("--models", type=Path, help="folder with the networks, *.onnx")
    options = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    return ended("build.seen.candidates", lambda: _build(options), AssetError)


def _build(options: argparse.Namespace) -> str:
    left = shards_left(options, "candidates.json", PICTURE_BYTES)
    room = ArtRoom(options.split, FRESH, backs=options.backs)
    eye = OpenEye(options.models, Bounds(confidence=CONFIDENCE), threads=1)

    def drawn(shard: int) -> Iterator[dict[str, NDArray[Any]]]:
        return (candidates(eye, still) for still in pictures(room, options.seed, shard))

    return draw_shards(options, left, drawn, _keep)


def _keep(path: Path, parts: Sequence[dict[str, NDArray[Any]]]) -> None:
    arrays: dict[str, Any] = {name: np.concatenate([part[name] for part in parts]) for name in NAMES}
    with whole(path) as part, part.open("wb") as file:
        np.savez_compressed(file, **arrays)


if __name__ == "__main__":
    sys.exit(main())
