"""Rows of overlapping cards in what the finder found: read as rows, chosen, and put in place of its own cards.

What people lay out for a photo lies in rows and fans. Where little but backs lies, rows are sought lengthwise, too, and
by outlines; elsewhere a row of faces must bear reading.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from vision.above import upright
from vision.found import Found
from vision.legible import at_least_as, legible
from vision.outlines import with_outlines
from vision.placing import Placer, put_in_place, seen_map
from vision.row_choice import Size, agrees, beyond, chosen
from vision.rows import LEAST_FACES, Row, RowReader, rows_of, with_rows
from vision.stacking import stack_up

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]
Index = NDArray[np.intp]
#: (picture, corners (n, 4, 2), masks, px a place of these) to (n, 52) chances of faces.
Reads = Callable[[Pixels, Floats, NDArray[np.bool_], float], Floats]


class RowFinder:
    """Finds rows; `read` reads faces, `placer` puts the finder's own cards in place to compare with."""

    def __init__(self, rows: RowReader, placer: Placer, read: Reads) -> None:
        self._rows, self._placer, self._read_faces = rows, placer, read

    def with_rows(self, image: Pixels, found: Found) -> Found:
        """What was found, with rows read as rows; single backs, which may hide others, too, where little else lies."""
        if found.of_backs():
            return self._with_rows_of_backs(image, found)
        rows = [row for row in rows_of(found) if len(row) >= LEAST_FACES]
        told = [one for one in self._read(image, found, rows) if agrees(found, *one)]
        return with_rows(found, [one for one in told if self._reads_as_well(image, found, *one)])

    def _with_rows_of_backs(self, image: Pixels, found: Found) -> Found:
        read = partial(self._read, image, found)
        backs = found.back > 0.5
        told = [
            *self._read_on(image, found, rows_of(found)),
            *self._read_on(image, found, rows_of(found.turned()), lengthwise=True),
        ]
        size = Size.of(found, told)
        reads = chosen(found, told, size, [])
        if any(backs[row].mean() > 0.5 for row, _ in reads):
            left = np.setdiff1d(np.flatnonzero(backs), np.concatenate([row for row, _ in reads]))
            for card in left:
                if not any(card in row for row, _ in reads):
                    reads = chosen(found, list(read([np.array([card])])), size, reads)
        found, reads = with_outlines(found, reads, partial(self._rows.read, image))
        return with_rows(found, reads)

    def _read(
        self, image: Pixels, found: Found, rows: Sequence[Index], lengthwise: bool = False
    ) -> Iterator[tuple[Index, Row]]:
        """Those of the rows that can be read."""
        for row in rows:
            read = self._rows.read(image, found, row, lengthwise=lengthwise)
            if read is not None:
                yield row, read

    def _read_on(
        self, image: Pixels, found: Found, rows: Sequence[Index], lengthwise: bool = False
    ) -> Iterator[tuple[Index, Row]]:
        """The same, and the rows that meet them."""
        waiting = list(rows)
        while waiting:
            for cards, row in self._read(image, found, [waiting.pop()], lengthwise):
                others = beyond(found, cards, row)
                yield np.setdiff1d(cards, others), row
                if 0 < len(others) < len(cards):
                    waiting.append(others)

    def _reads_as_well(self, image: Pixels, found: Found, row: Index, read: Row) -> bool:
        """Can as much be read on the cards of a row as on those that the finder sees there, put in place?"""
        seen, step = seen_map(found, image.shape[1], image.shape[0])
        mine = found.only(row)
        put_in_place(mine, self._placer.place(image, found.corners, seen, step, row))
        laid = found.only(np.setdiff1d(np.arange(len(found)), row)).joined([mine])
        by_row = with_rows(found, [(row, read)])
        return at_least_as(self._legible(image, by_row, len(read)), self._legible(image, laid, len(row)))

    def _legible(self, image: Pixels, found: Found, last: int) -> float:
        """How much can be read on so many of the cards, the last ones."""
        stacking = stack_up(found, image.shape[1], image.shape[0])
        masks = np.stack([stacking.shown == card for card in range(len(found) - last, len(found))])
        return legible(self._read_faces(image, upright(found.corners[-last:]), masks, stacking.step))
