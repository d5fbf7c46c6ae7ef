"""Who sits where, and what was dealt: found from the cards before the first one moves.

What is taken for granted (rule N2 and how people lay it): each seat's four work piles and Nerts pile lie in a
row, face up; the stock lies face down at the other end of the row than the Nerts pile, or behind that pile.
`work 1` is the pile next to the Nerts pile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from referee.umpire.area import Area, SeatArea, project
from referee.umpire.sights import Point, Sight, log_faces, readable
from referee.umpire.story import NERTS, STOCK, WASTE
from vision.layout import Floats, Layout, SeenCard

#: Two rows that face each other lie at least this far apart (mm).
LEAST_APART_MM = 130.0
#: Cards this close are the same card in two looks, or one pile.
SAME_MM = 25.0
#: A back at most this far out of the row lies in it.
IN_ROW_MM = 45.0
NERTS_CARDS, WORK_PILES, DECK_CARDS = 13, 4, 52


class DealNotFoundError(ValueError):
    """The picture does not show a dealt table; the message says what is missing."""


@dataclass(slots=True)
class Found:
    """A card of the deal, agreed on by several looks."""

    at: Point
    angle: float
    face_up: bool
    log_face: Floats
    looks: int = 1
    back: str | None = None

    def sight(self) -> Sight:
        """As a sight of an exposed card."""
        return Sight(self.at, self.face_up, self.log_face, 1.0, self.angle)


@dataclass(slots=True)
class Deal:
    """The table as dealt: places, and the face-up cards that lie there."""

    area: Area
    #: Seat → place → the face-up card there.
    tops: dict[str, dict[str, Found]]
    #: Seat → label of its back in the pictures, where the eye gave one.
    backs: dict[str, str]


def find_deal(layouts: Sequence[Layout]) -> Deal:
    """The deal from looks at the whole quiet table. Raises `DealNotFoundError`."""
    planes = [layout for layout in layouts if layout.to_table is not None and layout.cards]
    if not planes:
        raise DealNotFoundError(
            "no card can be seen at the start: begin the recording with the dealt table in view"
        )
    first = max(planes, key=lambda layout: len(layout.cards))
    plane = upright(first)
    cards = _agreed([_found(layout, plane) for layout in planes])
    groups = _by_seat(cards)
    if len(groups) < 2:
        raise DealNotFoundError(
            "one player's cards are all that can be seen: begin with every player's deal in view"
        )
    middle = np.mean([np.mean([c.at for c in group], axis=0) for group in groups], axis=0)
    seats, tops, backs = [], {}, {}
    for group in groups:
        area, faces, back = _seat(group, middle)
        if area.seat in tops:
            raise DealNotFoundError(f"two rows of cards seem to belong to {area.seat}")
        seats.append(area)
        tops[area.seat] = faces
        if back:
            backs[area.seat] = back
    return Deal(Area(seats, plane), tops, backs)


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
        found.append(Found(at, angle, card.side == "face", log_faces(card), 1, card.back))
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
                same.log_face = (same.log_face * (same.looks - 1) + card.log_face) / same.looks
    return [card for card in agreed if 2 * card.looks >= len(looks)]


def _by_seat(cards: list[Found]) -> list[list[Found]]:
    """Cards that lie the same way and together: upright ones in north and south, others in east and west."""
    groups = []
    for sideways in (False, True):
        same = [c for c in cards if (45 <= c.angle < 135) == sideways]
        if len(same) < WORK_PILES:
            continue
        axis = 0 if sideways else 1
        same.sort(key=lambda c: c.at[axis])
        gaps = [b.at[axis] - a.at[axis] for a, b in pairwise(same)]
        cut = int(np.argmax(gaps)) + 1
        parts = [same[:cut], same[cut:]] if gaps[cut - 1] >= LEAST_APART_MM else [same]
        groups += [part for part in parts if len(part) >= WORK_PILES]
    return groups


def _seat(group: list[Found], middle: Floats) -> tuple[SeatArea, dict[str, Found], str | None]:
    name, across, near = _side(group, middle)
    frame = SeatArea(name, across, near, {})
    faces = [c for c in group if c.face_up]
    row = float(np.median([frame.local(c.at)[1] for c in faces]))
    faces = [c for c in faces if abs(frame.local(c.at)[1] - row) < IN_ROW_MM]
    stocks = [c for c in group if not c.face_up]
    like_face = None if stocks else _back_like_a_face(faces)
    if like_face is not None:
        faces, stocks = [c for c in faces if c is not like_face], [like_face]
    if len(faces) != 1 + WORK_PILES:
        raise DealNotFoundError(
            f"{name} has {len(faces)} open cards in a row, not {1 + WORK_PILES}: "
            "the Nerts pile's top and four work piles"
        )
    if not stocks:
        raise DealNotFoundError(
            f"{name}'s stock cannot be seen: it must lie face down beside the row or behind it"
        )
    stock = max(stocks, key=lambda c: c.looks)
    faces.sort(key=lambda c: abs(frame.local(c.at)[0] - frame.local(stock.at)[0]))
    behind = abs(frame.local(stock.at)[1] - row) > IN_ROW_MM
    nerts = faces[0] if behind else faces[-1]
    work = sorted((c for c in faces if c is not nerts), key=lambda c: _apart(c, nerts))
    named = {NERTS: nerts, **{f"work {i + 1}": card for i, card in enumerate(work)}}
    spots = {place: frame.local(card.at) for place, card in named.items()}
    spots[STOCK] = frame.local(stock.at)
    step = (spots["work 4"][0] - spots["work 1"][0]) / 3
    last = spots["work 4"] if behind else spots[STOCK]
    spots[WASTE] = (last[0] + step, row)
    return SeatArea(name, across, near, spots, stock is like_face), named, stock.back


def _back_like_a_face(faces: list[Found]) -> Found | None:
    """The stock, where its back was taken for a face: the one card too many, and the only one that cannot be read."""
    unread = [card for card in faces if not readable(card.log_face)]
    return unread[0] if len(faces) == 2 + WORK_PILES and len(unread) == 1 else None


def _side(group: list[Found], middle: Floats) -> tuple[str, Point, Point]:
    """The side of the table where these cards lie, with its directions across and near (unit vectors)."""
    away = np.mean([c.at for c in group], axis=0) - middle
    sideways = 45 <= group[0].angle < 135
    if sideways:
        return ("east", (0.0, -1.0), (1.0, 0.0)) if away[0] > 0 else ("west", (0.0, 1.0), (-1.0, 0.0))
    return ("south", (1.0, 0.0), (0.0, 1.0)) if away[1] > 0 else ("north", (-1.0, 0.0), (0.0, -1.0))
