"""Measures the eye on rendered tables and spreads of decks and backs that nothing was trained on."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from datasets.decks import Split
from datasets.room import ArtRoom
from datasets.stills import Still, draw_spread, draw_table
from datasets.truth import CardTruth
from vision.eye import Eye
from vision.layout import Layout, SeenCard

Floats = NDArray[np.float64]
LEAST_VISIBLE = 0.25


@dataclass(slots=True)
class TableFigures:
    """Finder and tops of piles on tables."""

    pictures: int = 0
    cards: int = 0
    found: int = 0
    false: int = 0
    #: Found where nothing is, but said to show less than `LEAST_VISIBLE`.
    false_slivers: int = 0
    side_right: int = 0
    tops: int = 0
    tops_right: int = 0
    tables_all_right: int = 0

    def line(self) -> str:
        """One line for a person."""
        return (
            f"tables: {self.pictures} rendered, {self.cards} cards visible >= 25 %: recall "
            f"{self.found / max(self.cards, 1):.3f}, precision {self.found / max(self.found + self.false, 1):.3f}, "
            f"{self.false_slivers} false ones said to show less; "
            f"face or back right {self.side_right / max(self.found, 1):.3f}; {self.tops} tops of piles read right "
            f"{self.tops_right / max(self.tops, 1):.3f}; tables with every top right "
            f"{self.tables_all_right / max(self.pictures, 1):.3f}"
        )


@dataclass(slots=True)
class SpreadFigures:
    """Counts per deck on spreads of backs."""

    pictures: int = 0
    cards: int = 0
    found: int = 0
    false: int = 0
    #: Found where nothing is, but said to show less than `LEAST_VISIBLE`.
    false_slivers: int = 0
    exact: int = 0
    total_exact: int = 0

    def line(self) -> str:
        """One line for a person."""
        return (
            f"spreads: {self.pictures} rendered, {self.cards} backs: recall {self.found / max(self.cards, 1):.3f}, "
            f"precision {self.found / max(self.found + self.false, 1):.3f}; every deck's count exact "
            f"{self.exact / max(self.pictures, 1):.3f}; number of cards exact "
            f"{self.total_exact / max(self.pictures, 1):.3f}"
        )


def oriented_iou(a: Floats, b: Floats) -> float:
    """IoU of two convex quadrilaterals (4, 2)."""
    first, second = a.astype(np.float32), b.astype(np.float32)
    if (first.max(axis=0) < second.min(axis=0)).any() or (second.max(axis=0) < first.min(axis=0)).any():
        return 0.0
    common, _ = cv2.intersectConvexConvex(first, second)
    union = cv2.contourArea(first) + cv2.contourArea(second) - common
    return float(common / union) if union > 0 else 0.0


def match(truth: list[CardTruth], seen: list[SeenCard], least: float = 0.5) -> list[tuple[int, int]]:
    """Pairs (truth, seen) of whole cards with oriented IoU >= `least`, each used once, the best ones first.

    Not the most pairs: in a column every card also meets its neighbour, and one that is missed would shift all others.
    """
    if not truth or not seen:
        return []
    iou = np.array([[oriented_iou(np.array(t.corners), s.corners) for s in seen] for t in truth])
    # in a squared pile all rectangles are alike: what shows of them tells the top card from those below
    shows = np.abs(
        np.array([t.visible_fraction for t in truth])[:, None] - np.array([s.visible_fraction for s in seen])
    )
    pairs: list[tuple[int, int]] = []
    free = (np.ones(len(truth), dtype=bool), np.ones(len(seen), dtype=bool))
    for row, column in zip(*np.unravel_index(np.argsort(shows - iou, axis=None), iou.shape), strict=True):
        if iou[row, column] >= least and free[0][row] and free[1][column]:
            free[0][row] = free[1][column] = False
            pairs.append((int(row), int(column)))
    return sorted(pairs)


def add_table(figures: TableFigures, still: Still, layout: Layout) -> list[str]:
    """Adds one table; returns what went wrong with the tops."""
    pairs = dict(match(still.cards, layout.cards))
    figures.pictures += 1
    taken = set(pairs.values())
    for number, seen in enumerate(layout.cards):
        if number not in taken:
            figures.false += seen.visible_fraction >= LEAST_VISIBLE
            figures.false_slivers += seen.visible_fraction < LEAST_VISIBLE
    tops: dict[int, int] = {}
    for number, card in enumerate(still.cards):
        tops[card.pile] = number
        if card.visible_fraction >= LEAST_VISIBLE:
            figures.cards += 1
            if number in pairs:
                figures.found += 1
                figures.side_right += (layout.cards[pairs[number]].side == "face") == card.face_up
    wrong = []
    for number in tops.values():
        card = still.cards[number]
        if not card.face_up or card.visible_fraction < LEAST_VISIBLE:
            continue
        figures.tops += 1
        read = layout.cards[pairs[number]].face if number in pairs else None
        figures.tops_right += read == card.face
        if read != card.face:
            wrong.append(f"{card.face} read as {read}" if number in pairs else f"{card.face} missed")
    figures.tables_all_right += not wrong
    return wrong


def add_spread(figures: SpreadFigures, still: Still, layout: Layout) -> str | None:
    """Adds one spread; returns what went wrong."""
    pairs = match(still.cards, layout.cards)
    figures.pictures += 1
    figures.cards += len(still.cards)
    figures.found += len(pairs)
    figures.false += len(layout.cards) - len(pairs)
    wanted = sorted(Counter(card.deck for card in still.cards).values())
    got = sorted(Counter(card.back for card in layout.cards if card.side == "back").values())
    figures.exact += wanted == got
    figures.total_exact += sum(wanted) == sum(got)
    return None if wanted == got else f"counts {got}, truth {wanted}"


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--spreads", type=int, default=20)
    parser.add_argument("--split", default="tune", choices=["tune", "figures"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--models", type=Path, default=None)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    split: Split = options.split
    room, eye = ArtRoom(split), Eye(options.models)
    tables, spreads = TableFigures(), SpreadFigures()
    for i in tqdm(range(options.tables), desc="tables"):
        rng = np.random.default_rng([options.seed, 1, i])
        still = draw_table(rng, room.decks(rng, 2, 4), room.surface)
        wrong = add_table(tables, still, eye.see(still.image))
        if wrong and not options.json:
            tqdm.write(f"table {i}: {', '.join(wrong)}")
    for i in tqdm(range(options.spreads), desc="spreads"):
        rng = np.random.default_rng([options.seed, 2, i])
        still = draw_spread(rng, room.decks(rng, 2, 4), room.surface)
        failure = add_spread(spreads, still, eye.see(still.image))
        if failure and not options.json:
            tqdm.write(f"spread {i}: {failure}")
    if options.json:
        print(json.dumps({"split": split, "tables": asdict(tables), "spreads": asdict(spreads)}))
        return
    print(tables.line())
    print(spreads.line())


if __name__ == "__main__":
    main()
