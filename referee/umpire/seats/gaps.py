"""A row of a deal that lacks one card: the eye did not see it, or took it for a back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from referee.umpire.seats.dealt_row import AT_SPOT_MM, Closer, Found, rows_of, stock_spots
from referee.umpire.sights import Point, readable
from vision.layout import FACES, Floats

#: Cards in a row lie so far apart at most (mm); a gap that is so many times wider than the others lacks a card.
MOST_PITCH_MM, WIDE = 110.0, 1.6
#: What a closer look shows so near (mm) to where a card is missed is that card.
NEAR_MM = 25.0


def filled(
    line: list[Found], near: Point, cards: Sequence[Found], row: Sequence[int], closer: Closer
) -> list[Found]:
    """The line with the one card that it lacks, if there is but one place for it: where the row then has its stock among
    `cards`. It is what a closer look shows there, else a card that cannot be read.

    A line that lacks none stays, and so do those of staircases.
    """
    if max(row) or rows_of(line, row):
        return line
    ways = [way for at in _places(line) if (way := _with(line, at, near, cards, row)) is not None]
    # a card that was taken for a back is none that lies beside the row for nothing
    most = max((turned for turned, _ in ways), default=0)
    best = [missed for turned, missed in ways if turned == most]
    shown = [card for missed in best for card in _shown(missed, closer)]
    if len(shown) == 1 or len(best) == 1:
        return [*line, (shown or best)[0]]
    return line


def _shown(missed: Found, closer: Closer) -> list[Found]:
    """The open card that a closer look shows where one is missed."""
    faces = (card for card in closer(missed.at) if card.face_up and readable(card.log_face))
    return [card for card in faces if _apart(card.at, missed.at) < NEAR_MM][:1]


def _places(line: Sequence[Found]) -> Iterator[Point]:
    """Where (mm) a card may be missing: in a gap as wide as two, else beyond either end."""
    axis = 1 if line[0].sideways else 0
    ordered = sorted(line, key=lambda card: card.at[axis])
    steps = [np.subtract(b.at, a.at) for a, b in pairwise(ordered)]
    pitch = float(np.median([abs(step[axis]) for step in steps])) if steps else 0.0
    if not 0.0 < pitch < MOST_PITCH_MM:
        return
    wide = [n for n, step in enumerate(steps) if WIDE * pitch < abs(step[axis]) < 2 * WIDE * pitch]
    if wide:
        yield from (_point(np.add(ordered[n].at, steps[n] / 2)) for n in wide)
        return
    step = np.median(steps, axis=0)
    yield _point(np.subtract(ordered[0].at, step))
    yield _point(np.add(ordered[-1].at, step))


def _with(
    line: Sequence[Found], at: Point, near: Point, cards: Sequence[Found], row: Sequence[int]
) -> tuple[int, Found] | None:
    """An unread card at a place, if that makes a row which has a stock; and how many backs were seen just there."""
    unread = np.full(len(FACES), -np.log(len(FACES)))
    missed = Found(at, line[0].angle, True, unread)
    rows = rows_of([*line, missed], row)
    whole = next((found for found in rows if any(card is missed for card in found)), None)
    if whole is None:
        return None
    backs = [card for card in cards if not card.face_up]
    there = [card for card in backs if _apart(card.at, at) <= NEAR_MM]
    spots = stock_spots(whole, near)
    has_stock = any(
        _apart(card.at, spot.at) < AT_SPOT_MM for card in backs if card not in there for spot in spots
    )
    return (len(there), missed) if has_stock else None


def _apart(a: Point, b: Point) -> float:
    return float(np.hypot(a[0] - b[0], a[1] - b[1]))


def _point(at: Floats) -> Point:
    return float(at[0]), float(at[1])
