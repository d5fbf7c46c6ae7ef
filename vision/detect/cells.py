"""What the finder's network says of every cell: what lies on top there, and where the whole card is that it shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Side of a cell, px of the picture that is looked at.
CELL = 4
#: Lengths are told in units of so many px.
UNIT = 32.0


@dataclass(slots=True)
class Cells:
    """What the cells of a picture say; arrays side by side, one row a cell that shows a card."""

    #: (n, 2) px: where the cell is.
    at: Floats
    #: (n, 2) px: its vote for the card's middle.
    middle: Floats
    #: (n, 2), (n, 2) px: half axes as (length x cos, length x sin) of twice their angle.
    long: Floats
    short: Floats
    #: (n,) px: how far off the network expects its vote to be.
    spread: Floats
    #: (n,) probability that a back lies here rather than a face.
    back: Floats
    #: (n,) probability that a card lies here.
    card: Floats

    def __len__(self) -> int:
        return len(self.at)

    def take(self, rows: NDArray[np.intp]) -> Cells:
        """Some of the cells."""
        return Cells(*(getattr(self, name)[rows] for name in self.__slots__))


def read_cells(output: NDArray[np.floating]) -> tuple[Cells, Floats]:
    """The cells that show cards, and a map of the chance that they show hands, from the network's (18, h, w)."""
    logits = output[:4].astype(np.float64)
    chances = np.exp(logits - logits.max(axis=0))
    chances /= chances.sum(axis=0)
    card = chances[1] + chances[2]
    rows, columns = np.nonzero(card > 0.5)
    at = np.column_stack([columns, rows]) * CELL + CELL / 2
    picked = output[:, rows, columns].astype(np.float64)
    cells = Cells(
        at=at.astype(np.float64),
        middle=at + picked[4:6].T * UNIT,
        long=doubled_axis(picked[6:8], picked[13:15], picked[10]),
        short=doubled_axis(picked[8:10], picked[15:17], picked[11]),
        spread=np.exp(np.clip(picked[12], -5, 2) + np.clip(picked[11], -4, 4)) * UNIT,
        back=chances[2, rows, columns] / card[rows, columns],
        card=card[rows, columns],
    )
    return cells, np.asarray(chances[3], dtype=np.float64)


def mirrored(output: NDArray[np.float32], across: bool, down: bool) -> NDArray[np.float32]:
    """What the network's (18, h, w) of a picture that is mirrored from left to right (`across`), and from top to bottom
    (`down`), says of the picture."""
    mine = output[:, :: -1 if down else 1, :: -1 if across else 1].copy()
    mine[[*([4] * across), *([5] * down)]] *= -1
    if across != down:
        # angles run the other way: the sines of twice and four times them
        mine[[7, 9, 14, 16]] *= -1
    return mine


def explained(cells: Cells) -> float:
    """Number of cells that show a card and are sure which: tells the right scale to look at from a wrong one."""
    width = 2 * np.hypot(cells.short[:, 0], cells.short[:, 1])
    doubt = cells.spread / np.maximum(0.05 * width, 0.5)
    return float((cells.card / (1 + doubt**2)).sum())


def doubled_axis(twice: Floats, four_times: Floats, log_length: Floats) -> Floats:
    """(n, 2) length x (cos, sin) of twice the angle, px.

    The angle is the sharp one, taken of the two directions that it leaves open towards which `twice` points.
    """
    turn = np.arctan2(four_times[1], four_times[0]) / 2
    turn += np.where(np.cos(turn) * twice[0] + np.sin(turn) * twice[1] < 0, np.pi, 0.0)
    length = np.exp(np.clip(log_length, -4, 4)) * UNIT
    return np.column_stack([length * np.cos(turn), length * np.sin(turn)])
