"""Draws photos, has the eye look at them, and keeps their backs as it compares them, for the matcher of whole backs.

As scripts/build/backs.py, but as the eye sees them: where a card was missed or lies in a wrong order, what is taken for
one shows parts of others. Shards are as those of that script.

python -m scripts.build.seen.backs --out cache/backs-seen
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.back_crops import BackCrops
from datasets.decks import AssetError
from datasets.room import ArtRoom
from datasets.stills import Still
from scripts.build.backs import PICTURE_BYTES, of_decks, pictures, save
from scripts.building import ask_for_shards, draw_shards, ended, shards_left
from scripts.matching import match
from scripts.open_eye import OpenEye

Pixels = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Seen:
    """Backs of one picture as they are compared, (n, 160, 112, 3) and (n, 160, 112), and (n,) whose they are, or -1."""

    crops: Pixels
    masks: Pixels
    decks: NDArray[np.intp]

    @classmethod
    def of(cls, eye: OpenEye, still: Still) -> Seen:
        """As the eye finds them; what is no back of the picture is of no deck."""
        cards, crops, masks = eye.back_crops(still.image)
        decks = np.full(len(cards), -1)
        for true, seen in match(still.cards, cards):
            decks[seen] = -1 if still.cards[true].face_up else still.cards[true].deck
        return cls(crops, masks, decks)


def seen_backs(eye: OpenEye, still: Still) -> BackCrops | None:
    """The backs of a photo that the eye finds, as it compares them; None where they are not of two decks and more."""
    seen = Seen.of(eye, still)
    real = seen.decks >= 0
    return of_decks(BackCrops(seen.crops[real], seen.masks[real], seen.decks[real]))


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    ask_for_shards(parser, shards=50, per_shard=16, seed=1)
    options = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    return ended("build.seen.backs", lambda: _build(options), AssetError)


def _build(options: argparse.Namespace) -> str:
    left = shards_left(options, "backs.json", PICTURE_BYTES)
    room, eye = ArtRoom(options.split, backs=options.backs), OpenEye(threads=1)

    def drawn(shard: int) -> Iterator[BackCrops]:
        return pictures(room, options.seed, shard, lambda still, _: seen_backs(eye, still))

    return draw_shards(options, left, drawn, save)


if __name__ == "__main__":
    sys.exit(main())
