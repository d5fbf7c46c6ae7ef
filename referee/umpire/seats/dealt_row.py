"""The rows of a deal among all that was seen: five open cards side by side, and the stock beside or behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from referee.umpire.sights import Point, Sight, readable
from vision.layout import CARD_HEIGHT_MM, Floats

#: A card at most this far off a row's line lies in it (mm).
IN_ROW_MM = 45.0
WORK_PILES = 4
#: The open cards of a row: the Nerts pile and the work piles.
ROW_CARDS = 1 + WORK_PILES
#: A stock lies no further than this from where one is expected (mm), and a little gap behind its pile.
AT_SPOT_MM, BEHIND_MM = 45.0, CARD_HEIGHT_MM + 4.0
#: Neighbours in a row lie as far apart as the others, but for this (mm).
UNEVEN_MM = 22.0
#: A card that cannot be read counts as much as one that lies this much off (mm).
UNREAD_MM = 4.0
#: A stock that lies across its row is so much less likely its own.
CROSSWISE = 0.2
#: More cards than this on one line are not gone through.
MOST_IN_LINE = 14


class NotFollowedError(ValueError):
    """A recording of a table that cannot be followed; the message says why, and what would help."""


class DealNotFoundError(NotFollowedError):
    """The picture does not show a dealt table; the message says what is missing."""


class HandBegunError(DealNotFoundError):
    """The picture shows a hand that has begun."""


@dataclass(slots=True, eq=False)
class Found:
    """A card of the deal, agreed on by several looks."""

    at: Point
    angle: float
    face_up: bool
    log_face: Floats
    looks: int = 1
    back: str | None = None
    #: How sure the eye is that it is a card, times what can be seen of it.
    sure: float = 1.0

    @property
    def sideways(self) -> bool:
        """Whether it lies with its long side along the table's width."""
        return 45 <= self.angle < 135

    def sight(self) -> Sight:
        """As a sight of an exposed card."""
        return Sight(self.at, self.face_up, self.log_face, 1.0, self.angle)


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a stock may lie: (x, y) mm; in the row beyond one of its ends, or behind the pile at that end."""

    at: Point
    end: Found
    behind: bool


#: Looks again at a part of the table around a point (mm): what lies there.
Closer = Callable[[Point], Sequence[Found]]


def dealt_lines(cards: Iterable[Found]) -> list[list[Found]]:
    """Open cards that lie the same way on one line, of which enough can be read to be somebody's row."""
    lines = []
    for sideways in (False, True):
        axis = 0 if sideways else 1
        same = [card for card in cards if card.face_up and card.sideways == sideways]
        left = [card for card in same if readable(card.log_face)]
        while True:
            around = [[o for o in left if abs(o.at[axis] - c.at[axis]) < IN_ROW_MM] for c in left]
            line = max(around, key=len, default=[])
            if len(line) < WORK_PILES:
                break
            level = float(np.median([card.at[axis] for card in line]))
            lines.append([card for card in same if abs(card.at[axis] - level) < IN_ROW_MM])
            left = [card for card in left if card not in line]
    return lines


def fives_of(line: Sequence[Found]) -> list[list[Found]]:
    """The rows of a line, or of two players side by side: five cards each that lie evenly, from one end to the other.

    Empty where that cannot be told.
    """
    axis = 1 if line[0].sideways else 0
    ordered = sorted(line, key=lambda card: card.at[axis])
    if len(ordered) > MOST_IN_LINE:
        ordered = [card for card in ordered if readable(card.log_face)][:MOST_IN_LINE]
    pairs = [
        (left, right)
        for split in range(ROW_CARDS, len(ordered) - ROW_CARDS + 1)
        if (left := _even(ordered[:split])) is not None and (right := _even(ordered[split:])) is not None
    ]
    if pairs:
        return list(map(list, min(pairs, key=lambda pair: sum(map(_unevenness, pair)))))
    five = _even(ordered)
    return [] if five is None or _goes_on(five, ordered) else [list(five)]


def _even(ordered: Sequence[Found]) -> tuple[Found, ...] | None:
    """The five that lie most evenly, if they do."""
    five = min(combinations(ordered, ROW_CARDS), key=_unevenness, default=None)
    return five if five is not None and _unevenness(five) <= UNEVEN_MM else None


def _unevenness(five: Sequence[Found]) -> float:
    """How far (mm) cards are from lying evenly in a row; cards that cannot be read may be no faces at all."""
    axis = 1 if five[0].sideways else 0
    gaps = [b.at[axis] - a.at[axis] for a, b in pairwise(five)]
    off = float(np.std([card.at[1 - axis] for card in five]))
    unread = sum(not readable(card.log_face) for card in five)
    return float(np.std(gaps)) + off + UNREAD_MM * unread


def _goes_on(five: Sequence[Found], line: Sequence[Found]) -> bool:
    """Whether the row goes on with another open card that can be read: then nobody knows where it begins."""
    gap = _pitch(five)
    for spot in (spot for spot in stock_spots(five) if not spot.behind):
        for card in line:
            if card not in five and readable(card.log_face) and _apart(card.at, spot.at) < 0.4 * gap:
                return True
    return False


def _pitch(five: Sequence[Found]) -> float:
    return _apart(five[0].at, five[-1].at) / (len(five) - 1)


def stock_spots(five: Sequence[Found], near: Point = (0.0, 0.0)) -> list[Spot]:
    """Where the stock of a row may lie; `near`: unit vector from the middle of the table to the player."""
    first, last = np.array(five[0].at), np.array(five[-1].at)
    step = (last - first) / (len(five) - 1)
    back = BEHIND_MM * np.array(near)
    return [
        Spot(_point(at), end, behind)
        for end, beside, at_end in ((five[0], first - step, first), (five[-1], last + step, last))
        for at, behind in ((beside, False), (at_end + back, True))
    ]


def stocks_of(
    rows: Sequence[tuple[Sequence[Found], Point]], cards: Sequence[Found], closer: Closer | None
) -> list[tuple[Found, Spot] | None]:
    """The stock of each row and where it lies, no card twice: what lies at a spot of two rows belongs to that which it
    fits best.

    A back, else what is no face that can be read, else what a closer look shows there. `rows`: five cards each, and the
    unit vector from the middle of the table to their player.
    """
    spots = [stock_spots(five, near) for five, near in rows]
    in_rows = {id(card) for five, _ in rows for card in five}
    others = [card for card in cards if id(card) not in in_rows]
    backs = [card for card in others if not card.face_up]
    unread = [card for card in others if card.face_up and not readable(card.log_face)]
    found: list[tuple[Found, Spot] | None] = [None] * len(rows)
    for kind in (backs, unread):
        _assign(found, spots, kind)
    for row, known in enumerate(found):
        if known is None and closer is not None:
            seen = [card for spot in spots[row] for card in closer(spot.at)]
            doubtful = [card for card in seen if not card.face_up or not readable(card.log_face)]
            taken = [placed[0] for placed in found if placed is not None]
            found[row] = _best(spots[row], [card for card in doubtful if not _is_among(card, taken)])
    return found


def _assign(
    found: list[tuple[Found, Spot] | None], spots: Sequence[Sequence[Spot]], cards: Sequence[Found]
) -> None:
    """The surest card of all first; a row that has its stock needs no other."""
    left = list(cards)
    while True:
        best = {
            row: placed
            for row, known in enumerate(found)
            if known is None and (placed := _best(spots[row], left)) is not None
        }
        if not best:
            return
        row = max(best, key=lambda row: _fit(*best[row]))
        found[row] = best[row]
        left.remove(best[row][0])


def _is_among(card: Found, cards: Sequence[Found]) -> bool:
    return any(_apart(card.at, other.at) < AT_SPOT_MM / 2 for other in cards)


def _best(spots: Sequence[Spot], cards: Sequence[Found]) -> tuple[Found, Spot] | None:
    """The surest card that lies at a spot."""
    pairs = [(card, spot) for spot in spots for card in cards if _apart(card.at, spot.at) < AT_SPOT_MM]
    return max(pairs, key=lambda pair: _fit(*pair), default=None)


def _fit(card: Found, spot: Spot) -> float:
    near = float(np.exp(-0.5 * (_apart(card.at, spot.at) / (0.5 * AT_SPOT_MM)) ** 2))
    return card.looks * card.sure * near * (1.0 if card.sideways == spot.end.sideways else CROSSWISE)


def _apart(a: Point, b: Point) -> float:
    return float(np.hypot(a[0] - b[0], a[1] - b[1]))


def _point(at: Floats) -> Point:
    return float(at[0]), float(at[1])
