"""Rows of overlapping cards in what the finder found: read as rows, chosen, and put in place of its own cards.

What people lay out for a photo lies in rows and fans. Where little but backs lies, rows are sought lengthwise, too, and
by outlines; elsewhere a row of faces must bear reading.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from vision.detect.looking import MOST_OF_PHOTO
from vision.detect.placing import Placer, put_in_place, seen_map
from vision.found import Found
from vision.geometry.above import upright
from vision.rows.choice import Size, agrees, beyond, chosen
from vision.rows.legible import at_least_as, legible
from vision.rows.outlines import with_outlines
from vision.rows.reader import LEAST_FACES, Row, RowReader, rows_of, tight, with_rows
from vision.scene.stacking import stack_up

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]
Index = NDArray[np.intp]
#: (picture, corners (n, 4, 2), masks, px a place of these) to (n, 52) chances of faces.
ReadsFaces = Callable[[Pixels, Floats, NDArray[np.bool_], float], Floats]


@dataclass(frozen=True, slots=True)
class _Faces:
    """A row of faces: rows of `Found` that it stands for, what was read there, and these cards put in place."""

    row: Index
    read: Row
    own: Found


class RowFinder:
    """Finds rows; `read` reads faces, `placer` puts the finder's own cards in place to compare with."""

    def __init__(self, rows: RowReader, placer: Placer, read: ReadsFaces) -> None:
        self._rows, self._placer, self._read_faces = rows, placer, read

    def with_rows(self, image: Pixels, found: Found) -> Found:
        """What was found, with rows read as rows; single backs, which may hide others, too, where little else lies."""
        if found.of_backs():
            return self._with_rows_of_backs(image, found)
        faces = self._of_faces(image, found, rows_of(found))
        behind = _behind(found, [card for one in faces for card in one.row])
        # of a table with columns each costs as much time as all else does there, and gains nothing
        if len(found) <= MOST_OF_PHOTO or 2 * sum(map(len, behind)) > len(found):
            faces += self._of_faces(image, found, behind, lengthwise=True)
        return with_rows(found, [(one.row, one.read) for one in faces])

    def _of_faces(
        self, image: Pixels, found: Found, rows: Sequence[Index], *, lengthwise: bool = False
    ) -> list[_Faces]:
        """Those of the rows of faces that are rows, as they are read."""
        told = []
        enough = [row for row in rows if len(row) >= LEAST_FACES]
        for row, read in self._read(image, found, enough, lengthwise):
            # strips of a column show more, of however many cards the finder took them for
            if not (tight(*read.cards()[:2]) if lengthwise else agrees(found, row, read)):
                continue
            own = self._in_place(image, found, row)
            if lengthwise:
                read = read.as_long_as(own)
                if not agrees(found, row, read):
                    continue
            one = _Faces(row, read, own)
            if self._reads_as_well(image, found, one):
                told.append(one)
        return told

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

    def _in_place(self, image: Pixels, found: Found, row: Index) -> Found:
        """The finder's own cards of a row, each put in place by itself."""
        mine = found.only(row)
        seen, step = seen_map(found, image.shape[1], image.shape[0])
        put_in_place(mine, self._placer.place(image, found.corners, seen, step, row))
        return mine

    def _reads_as_well(self, image: Pixels, found: Found, one: _Faces) -> bool:
        """Can as much be read on the cards of a row as on those that the finder sees there, put in place?"""
        laid = found.only(np.setdiff1d(np.arange(len(found)), one.row)).joined([one.own])
        by_row = self._legible(image, with_rows(found, [(one.row, one.read)]), len(one.read))
        return at_least_as(by_row, self._legible(image, laid, len(one.row)))

    def _legible(self, image: Pixels, found: Found, last: int) -> float:
        """How much can be read on so many of the cards, the last ones."""
        stacking = stack_up(found, image.shape[1], image.shape[0])
        masks = np.stack([stacking.shown == card for card in range(len(found) - last, len(found))])
        return legible(self._read_faces(image, upright(found.corners[-last:]), masks, stacking.step))


def _behind(found: Found, taken: Sequence[int]) -> list[Index]:
    """Rows of cards of `found`, none of them `taken`, that lie one behind the other and show little of themselves."""
    return [
        row
        for row in rows_of(found.turned())
        if tight(found.middle[row], found.long[row]) and not np.isin(row, taken).any()
    ]
