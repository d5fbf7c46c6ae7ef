"""Draws the finder's training windows into shards (numpy files) under the cache folder; resumable, seeded."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from tqdm import tqdm

from datasets.room import ArtRoom
from datasets.windows import CARD_COLUMNS, CELL, MAX_CARDS, draw_window


def build_shard(room: ArtRoom, folder: Path, number: int, seed: int, count: int, size: int) -> None:
    """Draws `count` windows into three arrays; a shard that is there already is left alone."""
    target = folder / f"{number:04d}.cards.npy"
    if target.exists():
        return
    images = np.zeros((count, size, size, 3), dtype=np.uint8)
    cells = np.zeros((count, size // CELL, size // CELL), dtype=np.int16)
    cards = np.full((count, MAX_CARDS, CARD_COLUMNS), np.nan, dtype=np.float32)
    for i in tqdm(range(count), desc=f"shard {number}", leave=False):
        rng = np.random.default_rng([seed, number, i])
        window = draw_window(rng, size, room.decks(rng), room.surface, room.clutter)
        images[i], cells[i] = window.image, window.cells
        cards[i, : len(window.cards)] = window.cards
    np.save(folder / f"{number:04d}.images.npy", images)
    np.save(folder / f"{number:04d}.cells.npy", cells)
    np.save(target, cards)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--shards", type=int, default=24)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--per-shard", type=int, default=500)
    parser.add_argument("--size", type=int, default=320)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--split", default="train")
    parser.add_argument(
        "--fresh", type=float, default=0.0, help="share of surfaces drawn anew, of kinds that look like cards"
    )
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    room = ArtRoom(options.split, options.fresh)
    for number in tqdm(range(options.first, options.first + options.shards), desc="windows"):
        build_shard(room, options.out, number, options.seed, options.per_shard, options.size)


if __name__ == "__main__":
    main()
