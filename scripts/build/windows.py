"""Draws the finder's training windows into shards (numpy files) under the cache folder; resumable, seeded."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count as count_from
from itertools import islice
from pathlib import Path

import numpy as np
from tqdm import tqdm

from datasets.decks import AssetError
from datasets.files import put_array
from datasets.room import ArtRoom
from datasets.window_above import draw_spread_windows, draw_windows_from_above
from datasets.window_cuts import KINDS, draw_cuts
from datasets.windows import CARD_COLUMNS, CELL, MAX_CARDS, Window, draw_window
from scripts.building import BuildError, ask_for_backs, claim, ended, positive, room_for

#: What folders hold that were built before this was said of them.
UNSAID = {"cuts": 0, "spread": False, "kind": None, "above": False, "backs": "framed"}


@dataclass(frozen=True, slots=True)
class Cuts:
    """What windows are cut out of: `each` out of every picture at most; 0: every one is drawn on its own."""

    each: int = 0
    #: Only spread backs, from above; or only one kind of picture, or all `above`, as the eye looks at photos.
    spread: bool = False
    kind: str | None = None
    above: bool = False

    def draw(self, rng: np.random.Generator, room: ArtRoom, size: int) -> Iterator[Window]:
        """The windows of one picture."""
        if self.spread:
            return draw_spread_windows(rng, room, size, self.each)
        if self.above:
            return draw_windows_from_above(rng, room, size, self.each, self.kind)
        return draw_cuts(rng, room, size, self.each, self.kind)


def build_shard(
    room: ArtRoom, folder: Path, number: int, seed: int, count: int, size: int, cuts: Cuts
) -> None:
    """Draws `count` windows into three arrays; a shard that is there already is left alone."""
    target = folder / f"{number:04d}.cards.npy"
    if target.exists():
        return
    images = np.zeros((count, size, size, 3), dtype=np.uint8)
    cells = np.zeros((count, size // CELL, size // CELL), dtype=np.int16)
    cards = np.full((count, MAX_CARDS, CARD_COLUMNS), np.nan, dtype=np.float32)
    cut = windows_cut(room, number, seed, size, cuts)
    drawn = cut if cuts.each else drawn_windows(room, number, seed, size)
    for i, window in enumerate(tqdm(islice(drawn, count), desc=f"shard {number}", leave=False, total=count)):
        images[i], cells[i] = window.image, window.cells
        cards[i, : len(window.cards)] = window.cards
    put_array(folder / f"{number:04d}.images.npy", images)
    put_array(folder / f"{number:04d}.cells.npy", cells)
    put_array(target, cards)


def drawn_windows(room: ArtRoom, number: int, seed: int, size: int) -> Iterator[Window]:
    """Windows without end, each drawn on its own."""
    for i in count_from(0):
        rng = np.random.default_rng([seed, number, i])
        yield draw_window(rng, size, room.decks(rng), room.surface, room.clutter)


def windows_cut(room: ArtRoom, number: int, seed: int, size: int, cuts: Cuts) -> Iterator[Window]:
    """Windows without end, cut out of pictures."""
    for i in count_from(0):
        yield from cuts.draw(np.random.default_rng([seed, number, i]), room, size)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--shards", type=positive, default=24)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--per-shard", type=positive, default=500)
    parser.add_argument("--size", type=positive, default=320)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--split", choices=("train", "tune", "figures"), default="train")
    parser.add_argument(
        "--fresh", type=float, default=0.0, help="share of surfaces drawn anew, of kinds that look like cards"
    )
    parser.add_argument(
        "--cuts",
        type=int,
        default=0,
        help="cut so many windows out of each picture of a table or a hand's end",
    )
    parser.add_argument(
        "--spread", action="store_true", help="cut them out of photos of spread backs, drawn from above"
    )
    parser.add_argument("--kind", choices=sorted(KINDS), help="cut them out of this kind of picture only")
    parser.add_argument(
        "--above", action="store_true", help="draw them from above, as the eye looks at photos"
    )
    ask_for_backs(parser)
    options = parser.parse_args(arguments)
    return ended("build.windows", lambda: _build(options), AssetError)


def _build(options: argparse.Namespace) -> str:
    out, numbers = options.out, range(options.first, options.first + options.shards)
    if options.size % CELL:
        raise BuildError(f"--size {options.size}: give a multiple of {CELL}")
    left = [number for number in numbers if not (out / f"{number:04d}.cards.npy").exists()]
    if options.spread and not options.cuts:
        raise BuildError("--spread: say how many windows are cut out of each photo (--cuts 8)")
    if options.kind and (options.spread or not options.cuts):
        raise BuildError(
            "--kind: say how many windows are cut out of each picture (--cuts 8), and no --spread"
        )
    room_for(out, len(left) * options.per_shard * options.size**2 * (3 + 2 / CELL**2))
    room = ArtRoom(options.split, options.fresh, backs=options.backs)
    said = {
        name: getattr(options, name)
        for name in (
            "per_shard",
            "size",
            "seed",
            "split",
            "fresh",
            "cuts",
            "spread",
            "kind",
            "above",
            "backs",
        )
    }
    claim(out, "windows.json", said, adopt="*.npy", usual=UNSAID)
    cuts = Cuts(options.cuts, options.spread, options.kind, options.above)
    for number in tqdm(numbers, desc="windows"):
        build_shard(room, out, number, options.seed, options.per_shard, options.size, cuts)
    return f"{out}: {len(numbers)} shards, {len(left)} of them drawn now"


if __name__ == "__main__":
    sys.exit(main())
