"""A row of a deal that lacks a card: the eye did not see it, took it for a back, or a hand lies over it or holds it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import dist

import cv2
import numpy as np

from referee.umpire.seats.area import project
from referee.umpire.seats.dealt_row import AT_SPOT_MM, Closer, Found, dealt_lines, rows_of, stock_spots
from referee.umpire.sights import Point, outline, readable
from vision.layout import FACES, Floats, Layout

#: Cards in a row lie so far apart at most (mm); a gap that is so many times wider than the others lacks a card.
MOST_PITCH_MM, WIDE = 110.0, 1.6
#: What a closer look shows so near (mm) to where a card is missed is that card.
NEAR_MM = 25.0
#: A hand rests on a card if it lies over more than this share of where one is expected.
HELD_SHARE = 0.05
#: A row that lacks cards shows at least so many, as evenly as this (mm) in steps of one or two.
LEAST_LEFT, EVEN_MM = 3, 22.0


def filled(
    line: list[Found],
    near: Point,
    cards: Sequence[Found],
    row: Sequence[int],
    closer: Closer,
    held: Callable[[Found], bool] | None = None,
) -> list[Found]:
    """The line with the one card that it lacks, if there is but one place for it: where the row then has its stock among
    `cards`. It is what a closer look shows there, else a card that cannot be read.

    Where hands are about, `held` is asked whether one rests there: only such a place lacks a card then. A line that lacks
    none stays, and so do those of staircases but for one card.
    """
    is_staircase = max(row) > 0
    if rows_of(line, row, _towards(near)) or (is_staircase and len(line) != len(row) - 1):
        return line
    places = [_on_slant(line, at, row) if is_staircase else at for at in _places(line)]
    ways = [way for at in places if (way := _with(line, at, near, cards, row)) is not None]
    ways = [way for way in ways if held is None or held(way[1])]
    # a card that was taken for a back is none that lies beside the row for nothing
    most = max((turned for turned, _ in ways), default=0)
    best = [missed for turned, missed in ways if turned == most]
    shown = [card for missed in best for card in _shown(missed, closer)]
    if len(shown) == 1 or len(best) == 1:
        return [*line, (shown or best)[0]]
    return line


def apart(line: list[Found], row: Sequence[int]) -> list[list[Found]]:
    """A line of two players side by side of which one row is whole, and what is left of the other; else the line."""
    rows = [] if max(row) else rows_of(line, row)
    left = [card for card in line if not any(card is own for cards in rows for own in cards)]
    if not rows or sum(readable(card.log_face) for card in left) < len(row) - 1:
        return [line]
    return [*rows, left]


def lacks_cards(
    rows: Sequence[Sequence[Found]],
    cards: Sequence[Found],
    row: Sequence[int],
    looks: Sequence[Layout],
    plane: Floats,
) -> bool:
    """Whether cards that lie in no row are one that lacks some: evenly laid, with a stock or a hand about."""
    taken = {id(card) for own in rows for card in own}
    left = [card for card in cards if card.face_up and id(card) not in taken]
    backs = [card.at for card in cards if not card.surely_open and id(card) not in taken]
    to_px = np.asarray(np.linalg.inv(plane))
    for line in dealt_lines(left, row[: LEAST_LEFT + 1]):
        if not _is_even(line):
            continue
        ends = list(_ends(line))
        if any(dist(at, card.at) < MOST_PITCH_MM for at in backs for card in [*line, *ends] if card.at != at):
            return True
        span = np.concatenate([outline(card.at, card.angle) for card in [*line, *ends]])
        if any(lies_over(project(to_px, span), look) for look in looks):
            return True
    return False


def _ends(line: Sequence[Found]) -> Iterator[Found]:
    """One card more at either end of a line."""
    axis = 1 if line[0].sideways else 0
    ordered = sorted(line, key=lambda card: card.at[axis])
    step = np.median([np.subtract(b.at, a.at) for a, b in pairwise(ordered)], axis=0)
    yield replace(ordered[0], at=_point(np.subtract(ordered[0].at, step)))
    yield replace(ordered[-1], at=_point(np.add(ordered[-1].at, step)))


def _is_even(line: Sequence[Found]) -> bool:
    """Whether cards lie on one line in steps of one or two."""
    axis = 1 if line[0].sideways else 0
    along = sorted(card.at[axis] for card in line if readable(card.log_face))
    gaps = np.diff(along)
    pitch = float(gaps.min()) if len(gaps) else 0.0
    steps = np.round(gaps / pitch) if pitch > 0 else gaps
    return (
        0 < pitch < MOST_PITCH_MM and bool(np.all(np.abs(gaps - steps * pitch) < EVEN_MM)) and max(steps) <= 2
    )


def is_held(looks: Sequence[Layout], plane: Floats, card: Found) -> bool:
    """Whether a hand rests on a part of where a card lies, in every look."""
    area = project(np.asarray(np.linalg.inv(plane)), outline(card.at, card.angle))
    return bool(looks) and all(lies_over(area, look, HELD_SHARE) for look in looks)


def lies_over(corners: Floats, look: Layout, share: float = 0.0) -> bool:
    """Whether a hand of a look lies over more than this share of what (n, 2) px enclose."""
    area = cv2.convexHull(corners.astype(np.float32))
    least = share * float(cv2.contourArea(area))
    hands = (cv2.convexHull(hand.corners.astype(np.float32)) for hand in look.hands)
    return any(cv2.intersectConvexConvex(area, hand)[0] > least for hand in hands)


def _shown(missed: Found, closer: Closer) -> list[Found]:
    """The open card that a closer look shows where one is missed."""
    faces = (card for card in closer(missed.at) if card.face_up and readable(card.log_face))
    return [card for card in faces if dist(card.at, missed.at) < NEAR_MM][:1]


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


def _on_slant(line: Sequence[Found], at: Point, row: Sequence[int]) -> Point:
    """Where (mm) the card of a staircase lies that is missed in its line beside `at`: as its other cards say, from the
    end at which they say that it begins.
    """
    axis = 1 if line[0].sideways else 0
    ordered = sorted(line, key=lambda card: card.at[axis])
    missed = sum(card.at[axis] < at[axis] for card in ordered)
    levels = np.array([card.at[1 - axis] for card in ordered])
    ways = []
    for under in (row, row[::-1]):
        shown = np.array([[1.0, depth] for number, depth in enumerate(under) if number != missed])
        fit = np.linalg.lstsq(shown, levels, rcond=None)[0]
        ways.append((float(np.abs(shown @ fit - levels).sum()), float(fit @ [1.0, under[missed]])))
    _, level = min(ways)
    return (level, at[1]) if axis else (at[0], level)


def _towards(near: Point) -> int:
    """Whether the table's x or y grows towards the player (1) or not (-1)."""
    return 1 if sum(near) > 0 else -1


def _with(
    line: Sequence[Found], at: Point, near: Point, cards: Sequence[Found], row: Sequence[int]
) -> tuple[int, Found] | None:
    """An unread card at a place, if that makes a row which has a stock; and how many backs were seen just there."""
    unread = np.full(len(FACES), -np.log(len(FACES)))
    missed = Found(at, line[0].angle, True, unread)
    rows = rows_of([*line, missed], row, _towards(near))
    whole = next((found for found in rows if any(card is missed for card in found)), None)
    if whole is None:
        return None
    backs = [card for card in cards if not card.face_up]
    there = [card for card in backs if dist(card.at, at) <= NEAR_MM]
    spots = stock_spots(whole, near)
    has_stock = any(
        dist(card.at, spot.at) < AT_SPOT_MM for card in backs if card not in there for spot in spots
    )
    return (len(there), missed) if has_stock else None


def _point(at: Floats) -> Point:
    return float(at[0]), float(at[1])
