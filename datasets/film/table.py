"""Where the places of every seat lie on the table, in mm, and how people lay cards on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from datasets.film.poses import Pose
from datasets.play.deeds import other_arm

#: Direction of each side: the turn of a card that lies upright for a player there, degrees.
SIDES = {"south": 0.0, "west": 90.0, "north": 180.0, "east": -90.0}
#: Seats that share a side: the side, and where along it as seen in the picture (-1 left, 1 right).
HALVES = {
    "southwest": ("south", -1),
    "southeast": ("south", 1),
    "northwest": ("north", -1),
    "northeast": ("north", 1),
}
#: mm that somebody at the end of a table takes of its length where two sit along each side.
END = 230.0
GAP = 5.0
#: Between the longest column and what lies below it, mm.
BELOW = 16.0
#: Room between neighbouring foundations, mm.
LOOSE = 16.0


def side_of(seat: str) -> str:
    """The side of the table at which a seat is."""
    return HALVES[seat][0] if seat in HALVES else seat


def turn_of(seat: str) -> float:
    """The turn of a card that lies upright for a seat, degrees."""
    return SIDES[side_of(seat)]


@dataclass(frozen=True, slots=True)
class Style:
    """One player's way to lay cards; lengths in mm."""

    #: Step from one card of a column to the next.
    fan: float = 17.0
    #: Step between the cards of a draw on the waste, outwards and towards the player.
    spread: tuple[float, float] = (2.0, 3.0)
    #: Standard deviations of untidiness.
    off: float = 1.2
    skew: float = 1.6
    left_handed: bool = False
    #: Is the stock held in the other hand, above its place?
    stock_in_hand: bool = False


@dataclass(frozen=True, slots=True)
class Spot:
    """The middle of a place and the turn of the cards there."""

    x: float
    y: float
    angle: float


@dataclass
class Table:
    """The places of a hand: `spots["west work 2"]` is where its first card lies."""

    width: float
    height: float
    card_width: float
    card_height: float
    styles: dict[str, Style]
    spots: dict[str, Spot] = field(default_factory=dict)
    #: Middles of free spots for foundations, the handiest first.
    centre: list[Spot] = field(default_factory=list)
    aside: list[Spot] = field(default_factory=list)
    #: mm between neighbouring foundations that lie straight.
    loose: float = 16.0
    #: mm from the first card's middle to the player's edge.
    depth: dict[str, float] = field(default_factory=dict)
    #: mm that a column may grow.
    room: dict[str, float] = field(default_factory=dict)
    #: Cards that lie face down are so much closer together in a column than open ones.
    down_share: float = 1.0
    #: Seat → mm that it sits to its own right of the middle of its side.
    middle: dict[str, float] = field(default_factory=dict)
    #: Arm → the point of its shoulder, mm, from which it comes.
    shoulders: dict[str, tuple[float, float]] = field(default_factory=dict)

    def on_column(self, seat: str, number: int, index: int, down: int = 0) -> Pose:
        """Where the card `index` of a work pile lies, before untidiness; `down` cards under it lie face down."""
        spot, style = self.spots[f"{seat} work {number}"], self.styles[seat]
        steps = index - down * (1 - self.down_share)
        step = min(style.fan, self.room[seat] / max(steps, 1))
        return self._shifted(spot, 0.0, step * steps)

    def on_waste(self, seat: str, index: int) -> Pose:
        """Where the card `index` (0 to 2) of a draw lies on the waste, before untidiness."""
        style = self.styles[seat]
        across, along = style.spread
        outwards = -across if style.left_handed else across
        return self._shifted(self.spots[f"{seat} waste"], outwards * index, along * index)

    @staticmethod
    def _shifted(spot: Spot, across: float, along: float) -> Pose:
        turn = np.radians(spot.angle)
        x = spot.x + across * np.cos(turn) - along * np.sin(turn)
        y = spot.y + across * np.sin(turn) + along * np.cos(turn)
        return Pose(float(x), float(y), spot.angle)

    @property
    def longest(self) -> int:
        """Cards that fit in the shortest column at a step of at least 13 mm."""
        return min(int(room / 13.0) + 1 for room in self.room.values())


def lay_out(
    width: float,
    height: float,
    styles: dict[str, Style],
    *,
    card: tuple[float, float] = (63.0, 88.0),
    order: str = "auto",
    work_piles: int = 4,
    slots: int = 0,
    partners: Mapping[str, str] | None = None,
) -> Table:
    """Places for the given seats on a table of `width` × `height` mm in view.

    `partners`: seat → the seat beside it that plays with the same cards, which lie along all of their side.
    `order`: `row` (Nerts pile, work piles, stock, waste side by side), `stacked` (stock behind the Nerts
    pile), or `auto`: a row where it fits. `slots`: open nerts, which lie below the columns with their stack, the stock
    and the waste. Raises `ValueError` when the table is too small for the cards.
    """
    table = Table(width, height, card[0], card[1], styles)
    for seat in styles:
        partner = next((p for p, owner in (partners or {}).items() if owner == seat), None)
        if slots:
            _lay_solitaire(table, seat, work_piles, slots)
        else:
            _lay_seat(table, seat, order, work_piles, partner)
    _lay_centre(table)
    return table


def _lay_seat(table: Table, seat: str, order: str, work_piles: int, partner: str | None) -> None:
    cw, ch = table.card_width, table.card_height
    sideways = seat in ("east", "west")
    reach, breadth = (table.width, table.height) if sideways else (table.height, table.width)
    table.middle[seat] = 0.0
    if seat in HALVES and partner is None:
        breadth = (breadth - 2 * END) / 2
        table.middle[seat] = HALVES[seat][1] * breadth / 2 * float(np.cos(np.radians(turn_of(seat))))
    if sideways and len(table.styles) > 2:
        breadth -= 2 * (ch + 25)
    breadth -= 12.0
    row = (work_piles + 3) * (cw + GAP) <= breadth
    stacked = not row if order == "auto" else order == "stacked"
    columns = work_piles + (2 if stacked else 3)
    least = 2 * ch + 2 if stacked else ch + 8 * 14.0
    depth = max(least, min((reach - _centre_needed(table, sideways)) / 2, ch + 12 * 18.0))
    if sideways and len(table.styles) > 2:
        depth = least + 20
    if columns * (cw + 0.5) > breadth or reach - 2 * depth < ch + 8:
        raise ValueError(
            f"a table of {table.width:.0f} × {table.height:.0f} mm is too small for {seat}'s cards"
        )
    gap = min(GAP * 2, (breadth - columns * cw) / columns)
    mirror = -1 if table.styles[seat].left_handed else 1
    across = [table.middle[seat] + (i - (columns - 1) / 2) * (cw + gap) * mirror for i in range(columns)]
    front = reach / 2 - depth + ch / 2
    work = [f"work {number}" for number in range(1, work_piles + 1)]
    names = ["nerts", *work, *(["waste"] if stacked else ["stock", "waste"])]
    for name, u in zip(names, across, strict=True):
        table.spots[f"{seat} {name}"] = _facing(seat, u, front)
    if stacked or table.styles[seat].stock_in_hand:
        # the other hand has the Nerts pile's side, where it hides no column
        table.spots[f"{seat} stock"] = _facing(seat, across[0], front + ch + 2)
    table.depth[seat] = depth - ch / 2
    table.room[seat] = depth - ch
    sides = [(seat, 60.0), (other_arm(seat), -230.0)]
    if partner is not None:
        # each in front of an own half: the Nut pile lies at the left end of a right-handed owner's row
        sides = [(seat, -220.0), (partner, 220.0)]
        table.middle[partner] = table.middle[seat] + 220.0 * mirror
    for arm, side in sides:
        shoulder = _facing(
            seat, side * mirror + (table.middle[seat] if partner is None else 0.0), reach / 2 + 330.0
        )
        table.shoulders[arm] = (shoulder.x, shoulder.y)


def _lay_solitaire(table: Table, seat: str, columns: int, slots: int) -> None:
    """Columns as in a solitaire; below them, from the player's left, stack, open nerts, stock and waste (T1)."""
    cw, ch = table.card_width, table.card_height
    sideways = seat in ("east", "west")
    reach, breadth = (table.width, table.height) if sideways else (table.height, table.width)
    if len(table.styles) > 2 and sideways:
        breadth -= 2 * (ch + 25)
    piles = max(columns, slots + 3)
    most = (reach - _centre_needed(table, sideways)) / 2
    # what lies face down takes half the room of what does not
    table.down_share = 0.5
    hidden, row = (columns - 1) * 8.0, ch + BELOW
    depth = min(most, ch + hidden + 12 * 17.0 + row)
    if piles * (cw + 0.5) > breadth or depth < ch + hidden + 8 * 13.0 + row:
        raise ValueError(
            f"a table of {table.width:.0f} × {table.height:.0f} mm is too small for {seat}'s cards"
        )
    table.middle[seat] = 0.0
    gap = min(GAP * 2, (breadth - 12.0 - piles * cw) / piles)
    mirror = -1 if table.styles[seat].left_handed else 1
    across = [(i - (piles - 1) / 2) * (cw + gap) * mirror for i in range(piles)]
    front = reach / 2 - depth + ch / 2
    for number in range(1, columns + 1):
        table.spots[f"{seat} work {number}"] = _facing(seat, across[number - 1], front)
    below = ["nerts", *(f"nerts {number}" for number in range(1, slots + 1)), "stock", "waste"]
    for name, u in zip(below, across, strict=False):
        table.spots[f"{seat} {name}"] = _facing(seat, u, reach / 2 - ch / 2 - 2.0)
    table.depth[seat], table.room[seat] = depth - ch / 2, depth - ch - row
    for arm, side in ((seat, 60.0), (other_arm(seat), -230.0)):
        shoulder = _facing(seat, side * mirror, reach / 2 + 330.0)
        table.shoulders[arm] = (shoulder.x, shoulder.y)


def _thinned(columns: int, rows: int, needed: int) -> tuple[int, int]:
    """Fewer columns and rows, as long as `needed` spots remain."""
    while True:
        if columns >= rows and (columns - 1) * rows >= needed:
            columns -= 1
        elif rows > 1 and columns * (rows - 1) >= needed:
            rows -= 1
        elif columns > 1 and (columns - 1) * rows >= needed:
            columns -= 1
        else:
            return columns, rows


def _facing(seat: str, across: float, near: float) -> Spot:
    """The spot `across` mm to the seat's right of the middle of the table and `near` mm towards the seat."""
    turn = np.radians(turn_of(seat))
    x, y = across * np.cos(turn) - near * np.sin(turn), across * np.sin(turn) + near * np.cos(turn)
    return Spot(float(x), float(y), turn_of(seat))


def _centre_needed(table: Table, sideways: bool) -> float:
    """mm between the fronts of two seats that leave room for their foundations and two piles put aside."""
    across, along = table.card_width + LOOSE, table.card_height + LOOSE
    other = table.height if sideways else table.width
    a_line = int((other + LOOSE) // across) if len(table.styles) == 2 else 9
    lines = -(-(4 * len(table.styles) + 2) // a_line)
    return lines * along + 6


def _lay_centre(table: Table) -> None:
    """A loose grid of spots in what the seats leave free; the last two hold what is put aside."""
    sideways = all(seat in ("east", "west") for seat in table.styles)
    cw, ch = table.card_width + LOOSE, table.card_height + LOOSE
    w, h = (ch, cw) if sideways else (cw, ch)
    fronts: dict[str, float] = {}
    for seat in table.styles:
        front = table.depth[seat] + table.card_height / 2
        fronts[side_of(seat)] = max(front, fronts.get(side_of(seat), 0.0))
    wide = table.width - fronts.get("west", 0.0) - fronts.get("east", 0.0)
    high = table.height - fronts.get("north", 0.0) - fronts.get("south", 0.0)
    columns, rows = int((wide + LOOSE - 4) // w), int((high + LOOSE - 4) // h)
    columns, rows = _thinned(columns, rows, 4 * len(table.styles) + 3)
    table.loose = min(wide / columns - w, high / rows - h, 24.0) + LOOSE
    w, h = min(wide / columns, w + 24), min(high / rows, h + 24)
    # where nobody sits at one end, what is free lies off the middle
    x = (fronts.get("west", 0.0) - fronts.get("east", 0.0)) / 2
    y = (fronts.get("north", 0.0) - fronts.get("south", 0.0)) / 2
    spots = [
        Spot(x + (column - (columns - 1) / 2) * w, y + (row - (rows - 1) / 2) * h, 90.0 if sideways else 0.0)
        for column in range(columns)
        for row in range(rows)
    ]
    spots.sort(key=lambda s: (s.x / table.width) ** 2 + (s.y / table.height) ** 2)
    needed = 4 * len(table.styles)
    if len(spots) < needed:
        raise ValueError(
            f"the middle of the table has room for {len(spots)} foundations, {needed} are needed"
        )
    # one more for a foundation that somebody begins with a card that is no ace
    spare = min(2, max(0, len(spots) - needed - 1))
    table.centre, table.aside = spots[: len(spots) - spare], spots[len(spots) - spare :]
