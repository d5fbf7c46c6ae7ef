"""From the truth about a picture of a film to boxes about hands and cards in the air, and to lines that ultralytics
reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

#: What is looked for; a class's number is its place here. Cards that lie are the eye's: only what is carried counts.
CLASSES = ("hand", "carried card")
HAND, CARD = range(len(CLASSES))
#: Visible share from which a carried card counts: the hand that carries it hides much.
LEAST_VISIBLE = 0.25
#: Share of the picture's longer side that both sides of a box must have: less, at its rim, is nothing to be known by.
LEAST_SIDE = 0.01


class Box(NamedTuple):
    """An upright box in a picture, px."""

    kind: int
    left: float
    top: float
    right: float
    bottom: float


def boxes_of(truth: dict[str, Any], size: tuple[int, int], least: float = LEAST_VISIBLE) -> list[Box]:
    """Boxes about the hands and the cards in the air that `datasets.film.truth` tells of, in a picture of `size` (width,
    height) px.

    Hands that are seen at all; carried cards of which the share `least` is visible, about all of the card. What lies
    outside is cut at the picture's rim. What is then smaller than `LEAST_SIDE` is left out.
    """
    outlines = [(HAND, hand["outline"]) for hand in truth["hands"]]
    carried = (card for card in truth["cards"] if card["place"] is None and card["visible"] >= least)
    outlines += [(CARD, card["corners"]) for card in carried]
    smallest = LEAST_SIDE * max(size)
    boxes = [_around(kind, outline, size) for kind, outline in outlines]
    return [box for box in boxes if min(box.right - box.left, box.bottom - box.top) >= smallest]


def _around(kind: int, outline: Sequence[Sequence[float]], size: tuple[int, int]) -> Box:
    points = np.clip(np.array(outline, dtype=np.float64), 0, size)
    return Box(kind, *points.min(axis=0).tolist(), *points.max(axis=0).tolist())


def lines_of(boxes: Iterable[Box], size: tuple[int, int]) -> str:
    """A line a box: class, middle x, y, width and height, as shares of the picture."""
    width, height = size
    return "".join(
        f"{box.kind} {(box.left + box.right) / 2 / width:.6f} {(box.top + box.bottom) / 2 / height:.6f} "
        f"{(box.right - box.left) / width:.6f} {(box.bottom - box.top) / height:.6f}\n"
        for box in boxes
    )


def read_boxes(text: str, size: tuple[int, int]) -> list[Box]:
    """The boxes of a label file in a picture of `size` (width, height) px; raises ValueError where a line is none."""
    width, height = size
    boxes = []
    for line in text.splitlines():
        kind, x, y, w, h = line.split()
        middle, half = (float(x) * width, float(y) * height), (float(w) * width / 2, float(h) * height / 2)
        boxes.append(
            Box(int(kind), middle[0] - half[0], middle[1] - half[1], middle[0] + half[0], middle[1] + half[1])
        )
    return boxes
