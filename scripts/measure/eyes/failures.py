"""What went wrong in a picture, counted and drawn; of a set, the pictures in which the most did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.stills import Still
from scripts.matching import match
from scripts.measure.eyes.records import CardRecord
from vision.layout import Layout

Pixels = NDArray[np.uint8]

#: A card of which less is seen than this share is no fault, missed or seen too much.
SHOWN = 0.1
#: BGR of what is drawn.
MISSED, MISREAD, NONE = (0, 0, 255), (0, 220, 255), (255, 80, 0)


@dataclass(frozen=True, slots=True)
class Faults:
    """Rows of the true cards that were missed, and of the tops read wrong; of the seen ones, those that are none."""

    missed: list[int]
    misread: list[int]
    none: list[int]

    @classmethod
    def of(cls, still: Still, layout: Layout, cards: Sequence[CardRecord]) -> Faults:
        """Those of a picture; `cards`: what `scripts/measure/eyes/records.py` says of its true cards."""
        shown = [(row, card) for row, card in enumerate(cards) if card.visible >= SHOWN]
        met = {seen for _, seen in match(still.cards, layout.cards)}
        return cls(
            [row for row, card in shown if not card.found],
            [row for row, card in shown if card.found and card.top and card.face_up and not card.right],
            [
                row
                for row, card in enumerate(layout.cards)
                if row not in met and card.visible_fraction >= SHOWN
            ],
        )

    def __len__(self) -> int:
        return len(self.missed) + len(self.misread) + len(self.none)

    def drawn(self, still: Still, layout: Layout) -> Pixels:
        """The picture with what was missed red, what was read wrong yellow, what is none blue."""
        image = still.image.copy()
        thick = max(2, image.shape[1] // 500)
        outlines = [(still.cards[row].corners, MISSED) for row in self.missed]
        outlines += [(still.cards[row].corners, MISREAD) for row in self.misread]
        outlines += [(layout.cards[row].corners.tolist(), NONE) for row in self.none]
        for corners, colour in outlines:
            outline = np.round(np.array(corners)).astype(np.int32)
            cv2.polylines(image, [outline], True, colour, thick, cv2.LINE_AA)
        return image


@dataclass(slots=True)
class Worst:
    """The pictures of a set in which the most went wrong, so many at most."""

    most: int
    kept: list[tuple[int, Pixels]] = field(default_factory=list)

    def add(self, still: Still, layout: Layout, cards: Sequence[CardRecord]) -> None:
        """Looks at one more."""
        faults = Faults.of(still, layout, cards)
        if not len(faults) or (len(self.kept) == self.most and len(faults) <= self.kept[-1][0]):
            return
        self.kept.append((len(faults), faults.drawn(still, layout)))
        self.kept.sort(key=lambda one: -one[0])
        del self.kept[self.most :]

    def pictures(self) -> list[Pixels]:
        """The worst first."""
        return [picture for _, picture in self.kept]
