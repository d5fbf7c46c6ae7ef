"""How well ways of finding cards do on windows: recall and precision at every threshold, settled on other windows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from tqdm import tqdm

from datasets.windows import CELL
from scripts.matching import corners_of
from scripts.measure.rivals.decode import Rectangles
from vision.geometry.polygons import oriented_iou

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]

#: Least visible share of a card that must be found.
VISIBLE = 0.15
#: How well a card must be met.
IOU = 0.5


@dataclass(frozen=True, slots=True)
class View:
    """One window with its true cards."""

    image: Pixels
    #: (n, 4, 2) px; (n,) visible shares, of cards of which anything is seen.
    corners: Floats
    visible: Floats


@dataclass(slots=True)
class Outcome:
    """What came of many windows; arrays side by side."""

    #: (m,) how sure each reported rectangle is; is it a card: 1 yes, 0 no, NaN a sliver that need not be found.
    sure: Floats
    right: Floats
    #: (n,) visible share of every card that should be found; how sure the rectangle is that found it (0: none).
    visible: Floats
    met: Floats

    def at(self, threshold: float, low: float = 0.0, high: float = 1.01) -> tuple[int, int]:
        """Cards found and cards there, of those whose visible share is of [low, high)."""
        some = (self.visible >= low) & (self.visible < high)
        return int(np.count_nonzero(self.met[some] >= max(threshold, 1e-9))), int(np.count_nonzero(some))

    def reported(self, threshold: float) -> tuple[int, int]:
        """Rectangles that are cards, and all."""
        kept = (self.sure >= threshold) & ~np.isnan(self.right)
        return int(self.right[kept].sum()), int(np.count_nonzero(kept))

    def f(self, threshold: float) -> float:
        """Harmonic mean of recall and precision."""
        found, there = self.at(threshold)
        right, said = self.reported(threshold)
        recall, precision = found / max(there, 1), right / max(said, 1)
        return 2 * recall * precision / max(recall + precision, 1e-9)

    def best(self) -> float:
        """The threshold with the best F."""
        return float(max(np.linspace(0.02, 0.98, 97), key=self.f))

    def average_precision(self) -> float:
        """Area under precision over recall, all points."""
        told = ~np.isnan(self.right)
        order = np.argsort(-self.sure[told], kind="stable")
        right = self.right[told][order]
        recall = np.cumsum(right) / max(len(self.visible), 1)
        precision = np.cumsum(right) / np.arange(1, len(right) + 1)
        envelope = np.maximum.accumulate(precision[::-1])[::-1]
        return float(np.sum(np.diff(np.concatenate([[0.0], recall])) * envelope))


def views(folder: Path) -> list[View]:
    """All windows of a folder of shards."""
    found = []
    for path in sorted(folder.glob("*.images.npy")):
        images = np.load(path, mmap_mode="r")
        cells, cards = (
            np.load(path.with_name(path.name.replace("images", kind))) for kind in ("cells", "cards")
        )
        for image, shown, table in zip(images, cells, cards.astype(np.float64), strict=True):
            seen = np.bincount(shown[shown >= 0], minlength=len(table))
            rows = [row for row in np.flatnonzero(seen) if not np.isnan(table[row, 0])]
            area = [4 * np.hypot(*table[r, 2:4]) * np.hypot(*table[r, 4:6]) / CELL**2 for r in rows]
            share = np.array([seen[r] for r in rows]) / np.maximum(area, 1)
            corners = np.array([corners_of(table[r]) for r in rows]).reshape(-1, 4, 2)
            found.append(View(np.array(image), corners, share))
    return found


def outcome(pairs: Iterable[tuple[Rectangles, View]], told: str) -> Outcome:
    """Every card of every window beside what was found there; each rectangle is at most one card."""
    parts = [_of_window(found, view) for found, view in tqdm(pairs, desc=told)]
    return Outcome(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _of_window(found: Rectangles, view: View) -> tuple[Floats, Floats, Floats, Floats]:
    right, met = np.zeros(len(found.sure)), np.zeros(len(view.visible))
    if len(right) and len(met):
        iou = np.array([[oriented_iou(t, f) for f in found.corners] for t in view.corners])
        # the better seen of two cards in one place is the one that must be found, and by the surest rectangle
        worth = np.where(iou >= IOU, 1.0 + 0.5 * iou + view.visible[:, None] + found.sure, 0.0)
        for card, number in zip(*linear_sum_assignment(-worth), strict=True):
            if iou[card, number] >= IOU:
                met[card] = found.sure[number]
                right[number] = 1.0 if view.visible[card] >= VISIBLE else np.nan
    wanted = view.visible >= VISIBLE
    return found.sure, right, view.visible[wanted], met[wanted]
