"""Nerts that lie open by themselves below the columns (T1), and what lies with them: their stack, and the stock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from referee.umpire.seats.area import HALF_H, SeatArea
from referee.umpire.seats.dealt_row import IN_ROW_MM, DealNotFoundError, Found, even
from referee.umpire.sights import readable

#: A stack or stock lies so many pitches from the end of the open nerts.
NEXT, BESIDE = (0.5, 1.7), (0.5, 3.5)


@dataclass(frozen=True, slots=True)
class Nerts:
    """A seat's open nerts, the one beside the stack first; the stack, and the stock."""

    slots: Sequence[Found]
    stack: Found
    stock: Found


def nerts_of(columns: Sequence[Found], frame: SeatArea, cards: Sequence[Found], count: int) -> Nerts:
    """What lies below the columns of a seat, these from `work 1` on. Raises `DealNotFoundError`.

    The stack lies at the end where `work 1` does, the stock beyond the other one.
    """
    slots = _open(columns, frame, cards, count) or _with_one_unread(columns, frame, cards, count)
    if slots is None:
        raise DealNotFoundError(
            f"{frame.seat}'s {count} open nerts cannot be seen side by side below the columns: turn them up there before "
            "the first card moves"
        )
    towards_first = frame.local(columns[0].at)[0] - frame.local(columns[-1].at)[0]
    slots.sort(key=lambda card: frame.local(card.at)[0], reverse=towards_first > 0)
    across = [frame.local(card.at)[0] for card in slots]
    level = float(np.median([frame.local(card.at)[1] for card in slots]))
    pitch = (across[-1] - across[0]) / (count - 1)

    def beside(end: float, step: float, within: tuple[float, float]) -> Found | None:
        """The back that lies nearest beyond an end of the open nerts."""
        found = []
        for card in cards:
            if card.face_up and readable(card.log_face):
                continue
            a, near = frame.local(card.at)
            pitches = (a - end) / step
            if abs(near - level) < IN_ROW_MM and within[0] <= pitches <= within[1]:
                found.append((pitches, id(card), card))
        return min(found)[2] if found else None

    stack, stock = beside(across[0], -pitch, NEXT), beside(across[-1], pitch, BESIDE)
    if stack is None or stock is None:
        missing, end = ("stack", "first") if stack is None else ("stock", "last")
        raise DealNotFoundError(
            f"{frame.seat}'s {missing} cannot be seen: it must lie face down beside the open nerts, below the {end} "
            "columns"
        )
    return Nerts(slots, stack, stock)


def _open(
    columns: Sequence[Found], frame: SeatArea, cards: Sequence[Found], count: int
) -> list[Found] | None:
    """The open cards that lie evenly in a line below the columns."""
    axis = 1 if columns[0].sideways else 0
    below = [card for card in _below(columns, frame, cards) if card.face_up]
    found = even(sorted(below, key=lambda card: card.at[axis]), (0,) * count)
    return None if found is None else list(found)


def _with_one_unread(
    columns: Sequence[Found], frame: SeatArea, cards: Sequence[Found], count: int
) -> list[Found] | None:
    """The same where one of them was taken for a back: all but one lie open, and the stack lies beyond their first."""
    backwards = frame.local(columns[0].at)[0] > frame.local(columns[-1].at)[0]
    below = sorted(_below(columns, frame, cards), key=lambda card: frame.local(card.at)[0], reverse=backwards)
    for first in range(1, len(below) - count):
        row = below[first - 1 : first + count + 1]
        is_open = [card.face_up and readable(card.log_face) for card in row]
        if (
            not is_open[0]
            and not is_open[-1]
            and sum(is_open) == count - 1
            and even(row[:-1], (0,) * (count + 1))
        ):
            return row[1:-1]
    return None


def _below(columns: Sequence[Found], frame: SeatArea, cards: Sequence[Found]) -> list[Found]:
    """What lies below the columns, the same way."""
    across = sorted(frame.local(card.at)[0] for card in columns)
    pitch = (across[-1] - across[0]) / (len(columns) - 1)
    deepest = max(frame.local(card.at)[1] for card in columns)
    return [
        card
        for card in cards
        if card.sideways == columns[0].sideways
        and frame.local(card.at)[1] > deepest + HALF_H
        and across[0] - 2 * pitch < frame.local(card.at)[0] < across[-1] + 2 * pitch
    ]
