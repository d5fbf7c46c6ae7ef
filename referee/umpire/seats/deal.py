"""Who sits where, and what was dealt: found from the cards before the first one moves.

What is taken for granted (rule N2 and how people lay it): each seat's work piles and Nerts pile lie in a row, face up;
the stock lies face down at the other end of the row than the Nerts pile, or behind that pile. `work 1` is the pile next
to the Nerts pile. Work piles that hide cards are laid out as a staircase towards the player; nerts that lie open by
themselves lie in front of the player, below the columns, with their stack at the end of `work 1`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np

from referee.rules.places import NERTS, STOCK, WASTE, WORK, Place
from referee.umpire.dealing import Dealing
from referee.umpire.seats.area import PAIRS, Area, SeatArea, project
from referee.umpire.seats.dealt_row import (
    Closer,
    DealNotFoundError,
    Found,
    HandBegunError,
    Spot,
    dealt_lines,
    rows_of,
    stocks_of,
)
from referee.umpire.seats.gaps import apart, filled, is_held, lacks_cards
from referee.umpire.seats.misdealt import misdealt
from referee.umpire.seats.slots import Nerts, nerts_of
from referee.umpire.sights import Point, Window, log_faces, readable
from referee.umpire.story import Pile
from vision.layout import FACES, Floats, Layout, SeenCard

#: Cards this close are the same card in two looks, or one pile.
SAME_MM = 25.0
#: A closer look shows so much of the table to every side of a point (mm).
CLOSE_MM = 85.0
#: A hand has begun where so many open cards are so well seen though not even this share of them shows.
BUILT_ON, SURE_CARD, STRIP_SHARE = 2, 0.6, 0.6
#: A hand has begun where so many cards are seen in the centre, or an ace, and some on a waste.
IN_CENTRE = 2
#: Parts of the picture that are narrower than this (px) show nothing.
LEAST_PX = 60

#: Looks again at a part of the picture, (x0, y0, x1, y1) px, with the plane px -> mm; the layout is in px of the whole.
LookAgain = Callable[[Window, Floats], Layout]


class Side(NamedTuple):
    """Where somebody sits: how that is called, and the directions across and near (unit vectors)."""

    name: str
    across: Point
    near: Point
    #: Who sits beside and shares the cards.
    partner: str = ""


SIDES = {
    side.name: side
    for side in (
        Side("south", (1.0, 0.0), (0.0, 1.0)),
        Side("north", (-1.0, 0.0), (0.0, -1.0)),
        Side("west", (0.0, 1.0), (-1.0, 0.0)),
        Side("east", (0.0, -1.0), (1.0, 0.0)),
    )
}


@dataclass(slots=True)
class Deal:
    """The table as dealt: places, and the face-up cards that lie there."""

    area: Area
    #: Seat → place → the face-up card there.
    tops: dict[str, dict[Place, Found]]
    #: Seat → label of its back in the pictures, where the eye gave one.
    backs: dict[str, str]
    #: What the settings say of it.
    dealing: Dealing = field(default_factory=Dealing)
    #: Work pile → the card that lies under its top one though none should (N2).
    extra: Mapping[Place, Found] = field(default_factory=dict)
    #: What lay where when the table was seen first, if that was in the middle of a hand.
    begun: Mapping[Place, Pile] | None = None


def find_deal(
    layouts: Sequence[Layout],
    look_again: LookAgain | None = None,
    dealing: Dealing | None = None,
    *,
    fill: bool = False,
    patient: bool = False,
) -> Deal:
    """The deal from looks at the whole quiet table; of plain Nerts if nothing is said. Raises `DealNotFoundError`.

    `look_again` is asked where a stock should lie and none was seen; with `fill` a row may lack one card, which is looked
    for, too, and is not known if it is not found, and a stock that is not made out may lie under a hand that rests.
    `patient`: a row that lacks cards is waited for, though others are whole.
    """
    dealing = dealing or Dealing()
    planes = [layout for layout in layouts if layout.to_table is not None and layout.cards]
    if not planes:
        raise DealNotFoundError(
            "no card can be seen at the start: begin the recording with the dealt table in view"
        )
    first = max(planes, key=lambda layout: len(layout.cards))
    plane = upright(first)
    cards = _agreed([_found(layout, plane) for layout in planes])
    lines = dealt_lines(cards, dealing.row)
    closer = None if look_again is None else partial(_closer, first, plane, look_again)
    if fill and closer is not None and _is_untouched(lines, cards, planes):
        middle, parts = _middle(lines), [part for line in lines for part in apart(line, dealing.row)]
        under = partial(is_held, planes, plane) if any(look.hands for look in planes) else None
        lines = [filled(part, _side(part, middle).near, cards, dealing.row, closer, under) for part in parts]
    rows = _rows(lines, dealing)
    sides = _sides(rows, _middle(rows), dealing)
    # where Nerts cards lie in slots there are even lines of open cards in no row
    if patient and not dealing.slots and lacks_cards(rows, cards, dealing.row, planes, plane):
        raise DealNotFoundError(f"a row of cards lacks some: {dealing.in_words}")
    # while cards are dealt a hand holds what is laid elsewhere later
    held = partial(is_held, planes if fill else (), plane)
    found = [
        _seat(row, side, placed, dealing)
        for row, side, placed in zip(
            rows, sides, _placed(rows, sides, cards, closer, held, dealing), strict=True
        )
    ]
    tops: dict[str, dict[Place, Found]] = {}
    for area, faces, _ in found:
        if area.seat in tops:
            raise DealNotFoundError(f"two rows of cards seem to belong to {area.seat}")
        tops[area.seat] = faces
    backs = {area.seat: back for area, _, back in found if back}
    whole = Area([area for area, _, _ in found], plane, unsettled=set(tops))
    if dealing.is_plain and _is_under_way(cards, whole):
        raise HandBegunError("the hand had begun before the recording, since cards lie in the centre")
    whole.strays = [card.at for card in cards if card.face_up and whole.place(card.at, face_up=False) is None]
    extra = misdealt(planes, whole, tops) if dealing.is_plain else {}
    for place, card in extra.items():
        area = next(area for area in whole.seats if area.seat == place.seat)
        area.spots[place] = area.local(card.at)
    return Deal(whole, tops, backs, dealing, extra)


def _placed(
    rows: Sequence[list[Found]],
    sides: Sequence[Side],
    cards: Sequence[Found],
    closer: Closer | None,
    held: Callable[[Found], bool],
    dealing: Dealing,
) -> Sequence[Nerts | tuple[Found, Spot] | None]:
    """What lies beside each row: its stock, and where that lies; where nerts lie by themselves, all that is with them."""
    if not dealing.slots:
        return stocks_of(
            [(row, side.near) for row, side in zip(rows, sides, strict=True)], cards, closer, held
        )
    taken = {id(card) for row in rows for card in row}
    others = [card for card in cards if id(card) not in taken]
    return [
        nerts_of(row, SeatArea(side.name, side.across, side.near, {}), others, dealing.slots)
        for row, side in zip(rows, sides, strict=True)
    ]


def _is_untouched(lines: Sequence[list[Found]], cards: Sequence[Found], looks: Sequence[Layout]) -> bool:
    """Whether nothing but rows lies open and nothing on anything: who deals has not laid all yet, and who plays already
    may have emptied a pile.
    """
    in_lines = {id(card) for line in lines for card in line}
    elsewhere = any(card.surely_open and id(card) not in in_lines for card in cards)
    return bool(lines) and not elsewhere and not any(_is_built_on(c) for look in looks for c in look.cards)


def _is_under_way(cards: Sequence[Found], table: Area) -> bool:
    """Whether cards lie in the centre and on a waste: what lies in the centre alone may be print on the cloth."""
    faces = [card for card in cards if card.face_up and readable(card.log_face)]
    centre = [card for card in faces if all(area.fronts(card.at) for area in table.seats)]
    own = [table.place(card.at, face_up=False) for card in faces]
    drawn = any(place is not None and place.kind == WASTE for place in own)
    return drawn and (len(centre) >= IN_CENTRE or any(_is_ace(card) for card in centre))


def _is_ace(card: Found) -> bool:
    """Whether it surely is one: the first card of a hand that lies in the centre."""
    return card.surely_open and FACES[int(card.log_face.argmax())].startswith("A")


def has_begun(layouts: Sequence[Layout]) -> bool:
    """Whether all looks show cards built on others: then it is no deal that is seen, nor one that is under way."""
    return all(sum(map(_is_built_on, layout.cards)) >= BUILT_ON for layout in layouts)


def _is_built_on(card: SeenCard) -> bool:
    return card.side == "face" and card.confidence > SURE_CARD and card.visible_fraction < STRIP_SHARE


def upright(layout: Layout) -> Floats:
    """The layout's plane with its origin in the middle of the picture, y running down the picture."""
    assert layout.to_table is not None
    plane = layout.to_table
    centre = np.array([[layout.width / 2, layout.height / 2], [layout.width / 2, layout.height / 2 + 50.0]])
    (x, y), below = project(plane, centre)
    down = np.arctan2(below[0] - x, below[1] - y)
    cos, sin = float(np.cos(down)), float(np.sin(down))
    turn = np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])
    shift = np.array([[1.0, 0.0, -x], [0.0, 1.0, -y], [0.0, 0.0, 1.0]])
    upright_plane = turn @ shift @ plane
    right = project(upright_plane, np.array([[layout.width / 2 + 50.0, layout.height / 2]]))[0]
    flip = np.diag([1.0 if right[0] > 0 else -1.0, 1.0, 1.0])
    return np.asarray(flip @ upright_plane, dtype=np.float64)


def card_pose(card: SeenCard, plane: Floats) -> tuple[Point, float]:
    """Middle (mm) and turn of a card (degrees, 0 to 180; 90: lies sideways) on the table."""
    corners = project(plane, card.corners)
    middle = corners.mean(axis=0)
    along = (corners[3] + corners[2]) / 2 - (corners[0] + corners[1]) / 2
    angle = float(np.degrees(np.arctan2(-along[0], along[1]))) % 180.0
    return (float(middle[0]), float(middle[1])), angle


def _found(layout: Layout, plane: Floats) -> list[Found]:
    found = []
    for card in layout.cards:
        if card.confidence < 0.3 or card.visible_fraction < 0.5:
            continue
        at, angle = card_pose(card, plane)
        sure = card.confidence * card.visible_fraction
        found.append(Found(at, angle, card.side == "face", log_faces(card), 1, card.back, sure))
    faces = [c for c in found if c.face_up]
    return faces + [c for c in found if not c.face_up and all(_apart(c, f) > SAME_MM for f in faces)]


def _apart(a: Found, b: Found) -> float:
    return float(np.hypot(a.at[0] - b.at[0], a.at[1] - b.at[1]))


def _agreed(looks: Sequence[list[Found]]) -> list[Found]:
    """Cards that at least half of the looks show."""
    agreed: list[Found] = []
    for look in looks:
        for card in look:
            same = next((a for a in agreed if a.face_up == card.face_up and _apart(a, card) < SAME_MM), None)
            if same is None:
                agreed.append(card)
            else:
                same.looks += 1
                # the mean of probabilities: one look that is surely wrong makes no card unreadable
                before = same.log_face + np.log(same.looks - 1)
                same.log_face = np.logaddexp(before, card.log_face) - np.log(same.looks)
    return [card for card in agreed if 2 * card.looks >= len(looks)]


def _rows(lines: list[list[Found]], dealing: Dealing) -> list[list[Found]]:
    """The dealt rows among lines of open cards; what is no row may be print on the cloth, if there are rows enough."""
    if len(lines) < 2:
        raise DealNotFoundError(
            "one player's cards are all that can be seen: begin with every player's deal in view"
        )
    sides = [_side(line, _middle(lines)) for line in lines]
    rows = [
        (line, side, rows_of(line, dealing.row, 1 if sum(side.near) > 0 else -1))
        for line, side in zip(lines, sides, strict=True)
    ]
    whole = [row for _, _, found in rows for row in found]
    if len(whole) >= 2:
        return whole
    line, side = next((line, side) for line, side, found in rows if not found)
    seen = sum(readable(card.log_face) for card in line)
    need = len(dealing.row)
    if seen == need and max(dealing.row):
        raise DealNotFoundError(
            f"{side.name}'s {need} open cards lie in no staircase: lay out {dealing.in_words}, each hiding as many "
            "cards as the game says"
        )
    raise DealNotFoundError(f"{side.name} has {seen} open cards in a row, not {need}: {dealing.in_words}")


def _middle(groups: Sequence[Sequence[Found]]) -> Floats:
    """(2,) mm: the middle between groups of cards."""
    return np.asarray(np.mean([np.mean([card.at for card in group], axis=0) for group in groups], axis=0))


def _closer(whole: Layout, plane: Floats, look_again: LookAgain, at: Point) -> list[Found]:
    """What a closer look shows around a point of the table (mm)."""
    box = np.array(at) + CLOSE_MM * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    seen = project(np.asarray(np.linalg.inv(plane)), box)
    (x0, y0), (x1, y1) = np.floor(seen.min(axis=0)).astype(int), np.ceil(seen.max(axis=0)).astype(int)
    window = max(0, int(x0)), max(0, int(y0)), min(whole.width, int(x1)), min(whole.height, int(y1))
    if window[2] - window[0] < LEAST_PX or window[3] - window[1] < LEAST_PX:
        return []
    return _found(look_again(window, plane), plane)


def _seat(
    row: list[Found], side: Side, placed: Nerts | tuple[Found, Spot] | None, dealing: Dealing
) -> tuple[SeatArea, dict[Place, Found], str | None]:
    name, across, near, partner = side
    frame = SeatArea(name, across, near, {})
    if isinstance(placed, Nerts):
        return _with_slots(frame, row, placed)
    if placed is None:
        raise DealNotFoundError(
            f"{name}'s stock cannot be seen: it must lie face down beside the row or behind it"
        )
    stock, spot = placed
    level = float(np.median([frame.local(c.first)[1] for c in row]))
    if max(dealing.row):
        nerts, *work = row
    else:
        # behind the Nerts pile, or beyond the work pile that is furthest from it
        nerts = spot.end if spot.behind else max(row, key=lambda c: _apart(c, spot.end))
        work = sorted((c for c in row if c is not nerts), key=lambda c: _apart(c, nerts))
    tops = {Place(NERTS, 0, name): nerts}
    tops |= {Place(WORK, number, name): card for number, card in enumerate(work, 1)}
    spots = {place: frame.local(card.first) for place, card in tops.items()}
    (first, _), last = spots[Place(WORK, 1, name)], spots[Place(WORK, len(work), name)]
    step = (last[0] - first) / (len(work) - 1)
    if spot.end is nerts and not spot.behind:
        step = -step
    beside = spots[Place(STOCK, 0, name)] = frame.local(stock.at)
    spots[Place(WASTE, 0, name)] = ((last if spot.behind else beside)[0] + step, level)
    return SeatArea(name, across, near, spots, stock.face_up, partner), tops, stock.back


def _with_slots(
    frame: SeatArea, columns: Sequence[Found], nerts: Nerts
) -> tuple[SeatArea, dict[Place, Found], str | None]:
    """The places of a seat whose nerts lie open by themselves."""
    name, stock = frame.seat, nerts.stock
    tops = {Place(WORK, number, name): card for number, card in enumerate(columns, 1)}
    tops |= {Place(NERTS, number, name): card for number, card in enumerate(nerts.slots, 1)}
    spots = {place: frame.local(card.first) for place, card in tops.items()}
    spots[Place(NERTS, 0, name)] = frame.local(nerts.stack.at)
    spots[Place(STOCK, 0, name)] = across, near = frame.local(stock.at)
    first, last = spots[Place(NERTS, 1, name)], spots[Place(NERTS, len(nerts.slots), name)]
    spots[Place(WASTE, 0, name)] = across + (last[0] - first[0]) / (len(nerts.slots) - 1), near
    back = stock.back or nerts.stack.back
    return SeatArea(name, frame.across, frame.near, spots, stock.face_up), tops, back


def _side(group: Sequence[Found], middle: Floats) -> Side:
    """The side of the table where these cards lie."""
    away = np.mean([c.at for c in group], axis=0) - middle
    if group[0].sideways:
        return SIDES["east" if away[0] > 0 else "west"]
    return SIDES["south" if away[1] > 0 else "north"]


def _sides(rows: Sequence[Sequence[Found]], middle: Floats, dealing: Dealing) -> list[Side]:
    """Where each row's player sits; of two at one side, from the left or from the upper end."""
    sides = [_side(row, middle) for row in rows]
    if dealing.partners:
        return [_shared(row, side) for row, side in zip(rows, sides, strict=True)]
    for name, pair in PAIRS.items():
        axis = 1 if name in ("west", "east") else 0
        here = [number for number, side in enumerate(sides) if side.name == name]
        here.sort(key=lambda number: float(np.mean([card.at[axis] for card in rows[number]])))
        ends = [[card.at[axis] for card in rows[number]] for number in here]
        if len(here) == len(pair) and max(ends[0]) < min(ends[1]):
            for number, own in zip(here, pair, strict=True):
                sides[number] = sides[number]._replace(name=own)
    return sides


def _shared(row: Sequence[Found], side: Side) -> Side:
    """A row of two partners is named after the one who sits at its Nut pile."""
    axis, pair = (1 if side.name in ("west", "east") else 0), PAIRS[side.name]
    nuts, other = pair if row[0].at[axis] < row[-1].at[axis] else pair[::-1]
    return side._replace(name=nuts, partner=other)
