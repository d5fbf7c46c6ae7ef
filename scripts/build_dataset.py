"""Draws N rendered pictures (tables of Nerts, spreads of backs) with their truth; resumable, same seed same pictures.

Writes 00000.jpg ... and truth.jsonl (one line a picture: its cards with corners, face, side, deck, pile, order,
visible share) into a folder.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import cv2
import numpy as np
from tqdm import tqdm

from datasets.decks import AssetError, Split
from datasets.room import ArtRoom
from datasets.stills import Still, draw_spread, draw_table

KINDS = ("tables", "spreads", "centres")


def draw(room: ArtRoom, kind: str, seed: int, number: int) -> Still:
    """Picture `number` of a dataset."""
    rng = np.random.default_rng([seed, KINDS.index(kind), number])
    decks = room.decks(rng, 2, 4)
    if kind == "tables":
        return draw_table(rng, decks, room.surface)
    return draw_spread(rng, decks, room.surface, up=kind == "centres")


def build(out: Path, kind: str, pictures: int, seed: int, split: Split) -> None:
    """Draws what is missing of a dataset."""
    out.mkdir(parents=True, exist_ok=True)
    truth = out / "truth.jsonl"
    done = sum(1 for _ in truth.open()) if truth.exists() else 0
    room = ArtRoom(split)
    with truth.open("a") as lines:
        for number in tqdm(range(done, pictures), desc=kind, initial=done, total=pictures):
            still = draw(room, kind, seed, number)
            name = f"{number:05d}.jpg"
            cv2.imwrite(str(out / name), still.image, [cv2.IMWRITE_JPEG_QUALITY, 92])
            cards = [card.as_json() for card in still.cards]
            row = {"image": name, "px_per_mm": round(still.px_per_mm, 4), "cards": cards}
            lines.write(json.dumps(row) + "\n")
            lines.flush()


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--pictures", type=int, default=100)
    parser.add_argument("--kind", choices=KINDS, default="tables")
    parser.add_argument("--split", choices=["train", "tune", "figures"], default="train")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("out/dataset"))
    options = parser.parse_args()
    try:
        build(options.out, options.kind, options.pictures, options.seed, options.split)
    except (AssetError, OSError) as error:
        print(f"build_dataset: {error}", file=sys.stderr)
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
