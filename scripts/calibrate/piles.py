"""Fits how likely the number of a left-over pile is exact (referee/photos/left/certain.py) to piles that
scripts/build/seen/piles.py kept.

    python -m scripts.calibrate.piles cache/piles-tune --out referee/photos/left/certain.toml

A tenth of the piles at a time is left out to find the probability from which on a number is sure.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from datasets.files import put
from referee.photos.left.certain import FIGURES
from referee.photos.score import PhotoScore
from referee.photos.scoring import score_photos
from scripts.build.seen.kept import SeenPhoto, kept_piles
from scripts.building import BuildError, ended
from scripts.calibrate.weights import likeliest
from scripts.here import commit

Floats = NDArray[np.float64]

#: So many parts are left out in turn; of the numbers that are sure this share must be exact then, and no bound is lower
#: or higher than these.
PARTS, RIGHT, LOWEST, HIGHEST = 10, 0.99, 0.9, 0.99
#: What is set by hand, and fitted from there.
BEGUN = {
    "hardly cards": 0.8,
    "hardly none": 0.5,
    "wide steps": 0.8,
    "narrow steps": 0.4,
    "unread faces": 0.1,
    "tenths hidden by hands": 0.1,
    "other sides": 0.1,
    "backs": 0.004,
    "cards": 0.001,
    "a pile": 0.003,
}


def counted(pile: SeenPhoto) -> PhotoScore:
    """What the photo of a pile gives."""
    return score_photos([], players=("somebody",), left_piles={"somebody": [pile.layout]})


def figures_and_exact(piles: Sequence[SeenPhoto]) -> tuple[Floats, NDArray[np.bool_]]:
    """(m, n) figures of the piles of which any card was seen, and (m,) whether their number is exact."""
    figures, exact = [], []
    for pile in piles:
        score = counted(pile)
        if score.left_figures:
            ((_, row),) = score.left_figures
            figures.append(row)
            exact.append(score.decks[0].left == len(pile.truth))
    return np.array(figures), np.array(exact, dtype=bool)


def bound_of(figures: Floats, exact: NDArray[np.bool_], begun: Floats) -> tuple[float, int, int]:
    """From which probability on a number is sure; how many are then, left out in turn, and how many of these exact."""
    chance = np.zeros(len(exact))
    for part in range(PARTS):
        mine = np.arange(len(exact)) % PARTS == part
        chance[mine] = np.exp(-(figures[mine] @ likeliest(figures[~mine], exact[~mine], begun)))
    for bound in np.arange(LOWEST, HIGHEST + 1e-9, 0.005):
        sure = exact[chance >= bound]
        if sure.sum() >= RIGHT * len(sure):
            break
    return round(float(bound), 3), len(sure), int(sure.sum())


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("piles", type=Path, nargs="+", help="folders of scripts/build/seen/piles.py")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    return ended("calibrate.piles", lambda: _fit(options.piles, options.out))


def _fit(folders: Sequence[Path], out: Path) -> str:
    piles = [pile for folder in folders for pile in kept_piles(folder)]
    if len(piles) < 2 * PARTS:
        raise BuildError(f"{folders[0]}: {len(piles)} piles are too few to leave a tenth out; draw more")
    figures, exact = figures_and_exact(piles)
    begun = np.array([BEGUN[figure] for figure in FIGURES])
    weights = likeliest(figures, exact, begun)
    bound, sure, right = bound_of(figures, exact, begun)
    told = "".join(f'"{figure}" = {weight:.5f}\n' for figure, weight in zip(FIGURES, weights, strict=True))
    head = HEAD.format(commit=commit(), piles=len(piles), exact=int(exact.sum()), sure=sure, right=right)
    put(out, f"{head}{told}bound = {bound}\n")
    return f"{out}: fitted to {len(piles)} piles"


HEAD = """\
# By how many cards the number of a left-over pile is off, on average, for each of what referee/photos/left/certain.py
# counts; and from which probability on a number is sure. Written by scripts/calibrate/piles.py at {commit}, from {piles}
# drawn piles of the tuning decks, {exact} counted exactly; a tenth left out in turn {sure} are sure, {right} of these so.
"""


if __name__ == "__main__":
    sys.exit(main())
