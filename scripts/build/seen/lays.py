"""Draws spreads, has the eye look at photos of them, and keeps what it saw beside what is true.

Of each lay there are two photos from different sides, and where the first asks for an area to be spread anew
(`referee/photos/requests.py`), one more once that was done. What says how sure counts are is fitted to these
(`scripts/calibrate/counts.py`) and measured on them (`scripts/measure/eyes/certified.py`): looking takes seconds a photo,
fitting none.

python -m scripts.build.seen.lays --out cache/lays-tune --split tune --lays 200
"""

from __future__ import annotations

import argparse
import pickle
import sys
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from datasets.decks import AssetError, Split
from datasets.files import put
from datasets.photos.lays import Lay, draw_lay
from datasets.room import Backs
from datasets.sets import PLAYERS, decks_of, room_of
from datasets.stills import Still
from referee.photos.requests import inside
from referee.photos.spreads import asked_area
from scripts.build.seen.kept import SeenLay, SeenPhoto
from scripts.building import claim, ended, positive
from vision.eye import Eye, Sees
from vision.layout import Layout

Floats = NDArray[np.float64]

#: What is laid, in turn: a set of `scripts/build/measured.py`, how many cards, and which backs.
KINDS: tuple[tuple[str, tuple[int, int], Backs], ...] = (
    ("few", (12, 40), "framed"),
    ("some", (40, 80), "framed"),
    ("many", (80, 110), "framed"),
    ("printed", (12, 110), "printed"),
)
#: The number of lays in the seeds of their pictures, beside those of `datasets/sets.py`.
NUMBER = 11


def seen_lay(eye: Sees, split: Split, seed: int, number: int) -> SeenLay:
    """Lay `number` of a seed; raises AssetError where art is missing."""
    kind, cards, backs = KINDS[number % len(KINDS)]
    rng = np.random.default_rng([seed, NUMBER, number])
    room = room_of(split, 0.0, (), False, backs)
    lay, (one, two) = draw_lay(rng, decks_of(room, rng, 2, PLAYERS), room.surface, cards, 2)
    first = SeenPhoto(eye.see(one.image), one.cards)
    again = after_request(lay, one, first.layout)
    return SeenLay(
        kind,
        first,
        SeenPhoto(eye.see(two.image), two.cards),
        None if again is None else SeenPhoto(eye.see(again.image), again.cards),
    )


def after_request(lay: Lay, still: Still, layout: Layout) -> Still | None:
    """A photo once the cards of the area that a first photo asks for were spread anew; None where it asks for none."""
    area = asked_area(layout)
    return None if area is None else spread_area(lay, still, area)


def spread_area(lay: Lay, still: Still, area: Floats) -> Still | None:
    """A photo once the cards that show most of themselves within an (n, 2) px area of a first one were spread anew; None
    where there are none."""
    shown = middles(still)
    taken = [number for number, at in shown.items() if inside(area, at[None])[0]]
    photo = None
    while taken and photo is None:
        photo = lay.spread_anew(taken).photo()
    return photo


def middles(still: Still) -> dict[int, Floats]:
    """(2,) px: the middle of what is seen of each card, by its number."""
    assert still.ids is not None
    rows, columns = np.nonzero(still.ids >= 0)
    cards = still.ids[rows, columns]
    count = np.maximum(np.bincount(cards), 1)
    x, y = (np.bincount(cards, weights=part) / count for part in (columns, rows))
    return {int(card): np.array([x[card], y[card]]) + 0.5 for card in np.unique(cards)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--split", choices=("tune", "figures"), default="tune")
    parser.add_argument("--first", type=int, default=0, help="number of the first lay")
    parser.add_argument("--lays", type=positive, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    return ended("build.seen.lays", lambda: _build(options), AssetError)


def _build(options: argparse.Namespace) -> str:
    claim(options.out, "lays.json", {"split": options.split, "seed": options.seed}, adopt="*.lay")
    eye = Eye(threads=1)
    numbers = range(options.first, options.first + options.lays)
    left = [number for number in numbers if not (options.out / f"{number:05d}.lay").exists()]
    for number in tqdm(left, desc="lays"):
        lay = seen_lay(eye, options.split, options.seed, number)
        put(options.out / f"{number:05d}.lay", pickle.dumps(lay))
    return f"{options.out}: {len(numbers)} lays, {len(left)} of them drawn now"


if __name__ == "__main__":
    sys.exit(main())
