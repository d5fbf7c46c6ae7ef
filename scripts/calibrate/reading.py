"""Fits which side a card shows (vision/faces/sides.py) and how sure a reading is (vision/faces/certainty.py).

    python -m scripts.calibrate.reading --pictures 24

On pictures drawn with the tuning decks, of the kinds that scripts/measure/eyes measures on others. Every second picture
shows how good the fit on the rest is.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from datasets.sets import draw
from scripts.build.measured import SETS
from scripts.building import positive
from scripts.calibrate.finder import fit
from scripts.matching import match
from vision.eye import Eye
from vision.faces import certainty, sides

Floats = NDArray[np.float64]

#: Sets of scripts/measure/eyes that are drawn, each of `--pictures` pictures.
KINDS = ("tables", "far", "games", "leftovers", "tops", "few")
#: A card that shows less than this teaches nothing about its side.
SHOWN = 0.06
#: What is said surely.
SURE = 0.99


@dataclass(slots=True)
class Examples:
    """Features and truth side by side, with the picture that each is of."""

    features: Floats
    true: NDArray[np.bool_]
    picture: NDArray[np.intp]

    def fitted(self) -> tuple[Floats, float, Floats, NDArray[np.bool_]]:
        """Weights and constant from every second picture; chances and truth of the others."""
        some = self.picture % 2 == 0
        weights, constant = fit(self.features[some], self.true[some])
        chance = 1 / (1 + np.exp(-(self.features[~some] @ weights + constant)))
        return weights, constant, chance, self.true[~some]


Rows = list[tuple[Floats, bool, int]]


def examples(eye: Eye, pictures: int, seed: int) -> Iterator[tuple[Rows, Rows]]:
    """Of every picture: what is known of a card's side, and of a reading."""
    wanted = [SETS[kind].pictures("tune", seed, pictures) for kind in KINDS]
    for number in tqdm(range(pictures * len(wanted)), desc="pictures"):
        still = draw(wanted[number % len(wanted)], number // len(wanted))
        seen_as = eye.candidates(still.image)
        layout, signs = seen_as.layout, seen_as.signs
        shown = np.array([card.visible_fraction for card in layout.cards])
        known, side_rows, read_rows = sides.features(signs.back, signs.chances, shown), Rows(), Rows()
        for true, seen in match(still.cards, layout.cards):
            if still.cards[true].visible_fraction >= SHOWN:
                side_rows.append((known[seen], not still.cards[true].face_up, number))
        layout = eye.see(still.image)
        for true, seen in match(still.cards, layout.cards):
            card, face = layout.cards[seen], still.cards[true]
            if card.face is not None and face.face_up:
                read_rows.append((certainty.features([card])[0], card.face == face.face, number))
        yield side_rows, read_rows


def arrays(rows: Rows) -> Examples:
    """Lists side by side."""
    features, true, picture = zip(*rows, strict=True)
    return Examples(np.stack(features), np.array(true), np.array(picture))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pictures", type=positive, default=24, help="of every kind")
    parser.add_argument("--seed", type=int, default=801)
    parser.add_argument("--models", type=Path, help="folder with the networks, *.onnx")
    options = parser.parse_args()
    told = list(examples(Eye(options.models), options.pictures, options.seed))
    side, read = (arrays([row for part in told for row in part[k]]) for k in (0, 1))
    for name, some in (("vision/faces/sides.py", side), ("vision/faces/certainty.py", read)):
        weights, constant, chance, true = some.fitted()
        print(f"{name}: WEIGHTS = np.array({np.round(weights, 3).tolist()})\nCONSTANT = {constant:.3f}")
        print(f"  others, {len(true)}: {((chance > 0.5) == true).mean():.4f} told right")
        sure = chance >= SURE
        print(f"  {sure.mean():.3f} at least {SURE} sure, of these {(~true[sure]).sum()} wrong")


if __name__ == "__main__":
    main()
