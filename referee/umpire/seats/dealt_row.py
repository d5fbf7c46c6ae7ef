"""The rows of a deal among all that was seen: open cards side by side, and the stock beside or behind them.

Where work piles hide cards (a staircase), the open ones lie on a slant: each as many steps nearer the player as there
are cards under it. `row`: how many these are, from the Nerts pile on (`Dealing.row`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from referee.umpire.sights import Point, Sight, readable, surely_read
from vision.layout import CARD_HEIGHT_MM, FACES, Floats

#: A card at most this far off a row's line lies in it (mm).
IN_ROW_MM = 45.0
#: Cards that lie face down on one another are so far (mm) apart in a column.
STEPS_MM, USUAL_STEP_MM = (5.0, 34.0), 22.0
#: A stock lies no further than this from where one is expected (mm), and a little gap behind its pile.
AT_SPOT_MM, BEHIND_MM = 45.0, CARD_HEIGHT_MM + 4.0
#: Neighbours in a row lie as far apart as the others, but for this (mm).
UNEVEN_MM = 22.0
#: A card that cannot be read, or not surely, counts as much as one that lies this much off (mm).
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
    #: Where the first card of its pile lies, if others lie under it.
    base: Point | None = None

    @property
    def first(self) -> Point:
        """Where the first card of its pile lies."""
        return self.base or self.at

    @property
    def surely_open(self) -> bool:
        """Whether it is no back: its face is read as no back is."""
        return self.face_up and surely_read(self.log_face)

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


def dealt_lines(cards: Iterable[Found], row: Sequence[int]) -> list[list[Found]]:
    """Open cards that lie the same way on one line, of which enough can be read to be somebody's row."""
    lines = []
    reach = IN_ROW_MM + max(row) * USUAL_STEP_MM / 2
    for sideways in (False, True):
        axis = 0 if sideways else 1
        same = [card for card in cards if card.face_up and card.sideways == sideways]
        left = [card for card in same if readable(card.log_face)]
        while True:
            around = [[o for o in left if abs(o.at[axis] - c.at[axis]) < reach] for c in left]
            line = max(around, key=len, default=[])
            if len(line) < len(row) - 1:
                break
            level = float(np.median([card.at[axis] for card in line]))
            lines.append([card for card in same if abs(card.at[axis] - level) < reach])
            left = [card for card in left if card not in line]
    return lines


def rows_of(line: Sequence[Found], row: Sequence[int], near: int = 1) -> list[list[Found]]:
    """The rows of a line, or of two players side by side: cards that lie evenly, from one end to the other, those of a
    staircase from the Nerts pile on. Empty where that cannot be told. `near`: 1 where the table's x or y grows towards
    the player, else -1.
    """
    axis = 1 if line[0].sideways else 0
    ordered = sorted(line, key=lambda card: card.at[axis])
    if len(ordered) > MOST_IN_LINE:
        ordered = [card for card in ordered if readable(card.log_face)][:MOST_IN_LINE]
    pairs = [
        (left, right)
        for split in range(len(row), len(ordered) - len(row) + 1)
        if (left := even(ordered[:split], row, near)) is not None
        and (right := even(ordered[split:], row, near)) is not None
    ]
    if pairs:
        best = min(pairs, key=lambda pair: sum(_unevenness(cards, row, near) for cards in pair))
        return [_grounded(cards, row) for cards in best]
    one = even(ordered, row, near)
    if one is None:
        return []
    grounded = _grounded(one, row)
    return [] if _goes_on(grounded, ordered) else [grounded]


def even(ordered: Sequence[Found], row: Sequence[int], near: int = 1) -> tuple[Found, ...] | None:
    """As many as make a row, those that lie most evenly, if they do."""
    chosen: Iterable[tuple[Found, ...]] = combinations(ordered, len(row))
    if max(row):
        # a staircase begins at either end
        chosen = (way for cards in chosen for way in (cards, cards[::-1]))
    found = min(chosen, key=lambda cards: _unevenness(cards, row, near), default=None)
    return found if found is not None and _unevenness(found, row, near) <= UNEVEN_MM else None


def _unevenness(cards: Sequence[Found], row: Sequence[int], near: int) -> float:
    """How far (mm) cards are from lying evenly in a row; cards that are not surely read may be no faces at all."""
    if max(row) and not STEPS_MM[0] <= near * _step(cards, row) <= STEPS_MM[1]:
        return np.inf
    axis = 1 if cards[0].sideways else 0
    gaps = [b.at[axis] - a.at[axis] for a, b in pairwise(cards)]
    levels = np.array([card.at[1 - axis] for card in cards]) - _step(cards, row) * np.array(row)
    unread = sum(not card.surely_open for card in cards)
    return float(np.std(gaps)) + float(np.std(levels)) + UNREAD_MM * unread


def _step(cards: Sequence[Found], row: Sequence[int]) -> float:
    """How far apart (mm) the cards of a column lie, towards where x or y grows."""
    if not max(row):
        return 0.0
    axis = 0 if cards[0].sideways else 1
    under = np.array(row) - np.mean(row)
    return float(under @ np.array([card.at[axis] for card in cards]) / (under @ under))


def _grounded(cards: Sequence[Found], row: Sequence[int]) -> list[Found]:
    """The cards of a row, with the places of the first cards of their piles."""
    step = _step(cards, row)
    for card, under in zip(cards, row, strict=True):
        x, y = card.at
        card.base = ((x - step * under, y) if card.sideways else (x, y - step * under)) if under else None
    return list(cards)


def _goes_on(row: Sequence[Found], line: Sequence[Found]) -> bool:
    """Whether the row goes on with another card that is surely open: then nobody knows where it begins."""
    gap = _pitch(row)
    for spot in (spot for spot in stock_spots(row) if not spot.behind):
        for card in line:
            if card not in row and card.surely_open and _apart(card.at, spot.at) < 0.4 * gap:
                return True
    return False


def _pitch(row: Sequence[Found]) -> float:
    return _apart(row[0].first, row[-1].first) / (len(row) - 1)


def stock_spots(row: Sequence[Found], near: Point = (0.0, 0.0)) -> list[Spot]:
    """Where the stock of a row may lie; `near`: unit vector from the middle of the table to the player."""
    first, last = np.array(row[0].first), np.array(row[-1].first)
    step = (last - first) / (len(row) - 1)
    back = BEHIND_MM * np.array(near)
    return [
        Spot(_point(at), end, behind)
        for end, beside, at_end in ((row[0], first - step, first), (row[-1], last + step, last))
        for at, behind in ((beside, False), (at_end + back, True))
    ]


def stocks_of(
    rows: Sequence[tuple[Sequence[Found], Point]],
    cards: Sequence[Found],
    closer: Closer | None,
    held: Callable[[Found], bool] = lambda _: False,
) -> list[tuple[Found, Spot] | None]:
    """The stock of each row and where it lies, no card twice: what lies at a spot of two rows belongs to that which it
    fits best.

    A back, else what is no face that can be read, else one that is not surely read, else what a closer look shows there,
    else what a hand holds there: whether one rests on a card is asked of `held`. `rows`: its open cards, and the unit
    vector from the middle of the table to their player.
    """
    spots = [stock_spots(row, near) for row, near in rows]
    in_rows = {id(card) for row, _ in rows for card in row}
    others = [card for card in cards if id(card) not in in_rows]
    backs = [card for card in others if not card.face_up]
    unread = [card for card in others if card.face_up and not readable(card.log_face)]
    unsure = [card for card in others if readable(card.log_face) and not card.surely_open and card.face_up]
    found: list[tuple[Found, Spot] | None] = [None] * len(rows)
    for kind in (backs, unread, unsure):
        _assign(found, spots, kind)
    for row, known in enumerate(found):
        if known is None and closer is not None:
            seen = [card for spot in spots[row] for card in closer(spot.at)]
            doubtful = [card for card in seen if not card.surely_open]
            taken = [placed[0] for placed in found if placed is not None]
            found[row] = _best(spots[row], [card for card in doubtful if not _is_among(card, taken)])
        if found[row] is None:
            hidden = [(unseen(spot.at, spot.end.angle), spot) for spot in spots[row]]
            under = [placed for placed in hidden if held(placed[0])]
            found[row] = under[0] if len(under) == 1 else None
    return found


def unseen(at: Point, angle: float, *, face_up: bool = False) -> Found:
    """A card of which nothing was made out."""
    return Found(at, angle, face_up, np.full(len(FACES), -np.log(len(FACES))), looks=0, sure=0.0)


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
