"""Tables of every game in the middle of a hand, seen by a camera from above; every pile has its place's name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from datasets.film.table import side_of
from datasets.photos.habits import Habit, lay_place, sample_habit
from datasets.photos.marked import lay_markers
from datasets.photos.midgame import GAMES, GameName, Position, is_one_deck, kind_of, players_of, stopped
from datasets.photos.phone import MakeSurface, Phone, Table, lay_ground
from datasets.photos.photographer import hands_at_play
from datasets.photos.seating import (
    COMMON_ROWS,
    OWN_ROWS,
    PARTNERS,
    SEATS,
    SPOT,
    Area,
    Plan,
    Row,
    on_side,
    plan,
    roomed,
)
from datasets.render import Art, ArtShelf, expose, paint, sample_style
from datasets.scene import BRIDGE_MM, POKER_MM, PlacedCard, Scene
from datasets.stills import Still
from datasets.truth import truth_of

WIDTH, HEIGHT = 1920, 1080
#: Steepest camera, radians.
STEEPEST = np.radians(15.0)
#: mm of the picture that stay free around the cards, and share that a tilted camera needs.
MARGIN, SLACK = 14.0, 0.93
#: mm from the room that the cards take to the table's edge, least and most, and the smallest table.
EDGE = (8.0, 500.0)
LEAST_TABLE = (720.0, 500.0)
#: A spot for a foundation that may lie any way, mm.
WILD_SPOT = (118.0, 118.0)
#: Share of the pictures with hands, and of the tables larger than the camera sees.
HANDS, HARDNESS = 0.35, 0.5

MakeDecks = Callable[[int], list[Art]]


def draw_layout(
    rng: np.random.Generator,
    make_decks: MakeDecks,
    surface: MakeSurface,
    game: GameName | None = None,
    progress: tuple[float, float] = (0.1, 0.9),
    scale: tuple[float, float] = (1.2, 2.6),
    markers: bool = False,
) -> Still:
    """A table of `game` (any, where none is named), 1920 x 1080; `markers`: four printed markers lie where there is room.

    `make_decks` gives so many whole decks; `progress`: least and most share of the game that has been played (0 is
    the deal); `scale`: least and most px a mm.
    """
    chosen = game or GAMES[int(rng.integers(len(GAMES)))]
    played = float(rng.uniform(*progress))
    layout = lay_table(rng, chosen, played, scale)
    camera, phone = camera_over(rng, layout, scale)
    decks = make_decks(layout.position.decks)
    ground = lay_ground(rng, camera, surface, layout.table)
    laid = lay_markers(rng.spawn(1)[0], camera, layout.table, ground) if markers else None
    hands = hands_at_play(rng, camera, int(rng.integers(1, 3))) if rng.random() < HANDS else []
    style = sample_style(rng)
    camera.style, camera.hardness = style, HARDNESS
    painting = paint(camera, ArtShelf(decks), ground, style, hands)
    truth = truth_of(camera, painting)
    for card in truth:
        card.place = layout.names[card.pile]
    about: dict[str, Any] = {
        "game": chosen,
        "seats": list(layout.position.seats),
        "progress": round(played, 3),
        "tilt": round(float(np.degrees(phone.tilt)), 1),
    }
    if laid is not None:
        about["markers"] = laid
    image = expose(painting.image, rng, HARDNESS)
    return Still(image, truth, camera.px_per_mm(), about, camera, painting.ids)


@dataclass(slots=True)
class Layout:
    """Laid cards with the names of their places (a card's pile is a number in `names`), and the largest scale."""

    position: Position
    cards: list[PlacedCard]
    names: list[str]
    table: Table
    most: float


def lay_table(
    rng: np.random.Generator, game: GameName, played: float, scale: tuple[float, float] = (1.2, 2.6)
) -> Layout:
    """A game after a share `played` of it (0 to 1), with as many players as have room at `scale` px a mm."""
    while True:
        layout = _try_layout(rng, game, played, scale)
        if layout is not None:
            return layout


def _try_layout(
    rng: np.random.Generator, game: GameName, played: float, scale: tuple[float, float]
) -> Layout | None:
    """A laid table, or None where these players have no room on one."""
    seats = _seats(rng, game)
    position = stopped(game, seats, played, int(rng.integers(2**31)))
    layer = _Layer(rng, position, POKER_MM if rng.random() < 0.75 else BRIDGE_MM)
    for _ in range(6):
        layout = layer.lay(scale)
        if layout is not None:
            return layout
    return None


def _seats(rng: np.random.Generator, game: GameName) -> tuple[str, ...]:
    if game == "team-nuts":
        return PARTNERS
    number = int(rng.choice(players_of(game)))
    ways = SEATS[number]
    return ways[int(rng.integers(len(ways)))]


@dataclass(slots=True)
class _Layer:
    """Lays a position on a table."""

    rng: np.random.Generator
    position: Position
    size: tuple[float, float]
    names: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.names = list(self.position.places)

    def lay(self, scale: tuple[float, float]) -> Layout | None:
        """The whole table, or None if it is too large for the picture."""
        rng, game = self.rng, self.position.game
        owners = tuple(dict.fromkeys(self.position.owners.values()))
        own = {owner: self._block(OWN_ROWS[game], owner, sample_habit(rng, self.size)) for owner in owners}
        areas = [Area(owner, *_extent(cards)) for owner, cards in own.items()]
        sideways = all(side_of(owner) in ("west", "east") for owner in owners)
        common = self._common(sideways)
        spots = self._foundations()
        wild = rng.random() < 0.15
        spot = WILD_SPOT if wild else SPOT[::-1] if sideways else SPOT
        found = plan(areas, len(spots) + int(rng.integers(0, 3)) * bool(spots), _extent(common), spot)
        most = SLACK * min(WIDTH / (found.width + 2 * MARGIN), HEIGHT / (found.height + 2 * MARGIN))
        if most < scale[0]:
            return None
        most = float(rng.uniform(scale[0], min(most, scale[1])))
        found = self._widened(found, areas, most)
        cards = [
            card
            for area in areas
            for card in _put(own[area.owner], *on_side(area, areas, found.width, found.height))
        ]
        middle = (found.middle[0] + found.middle[2]) / 2, (found.middle[1] + found.middle[3]) / 2
        cards += _put(common, *middle, 0.0)
        cards += self._foundation_cards(spots, found, spot, wild, sideways)
        edge = np.exp(rng.uniform(np.log(EDGE[0]), np.log(EDGE[1]), 4))
        w, h = max(found.width, LEAST_TABLE[0]) / 2, max(found.height, LEAST_TABLE[1]) / 2
        table = Table(*(float(v) for v in (-w - edge[0], -h - edge[1], w + edge[2], h + edge[3])))
        return Layout(self.position, cards, self.names, table, most)

    def _widened(self, found: Plan, areas: Sequence[Area], scale: float) -> Plan:
        """A table as large as the camera sees, or smaller."""
        share = float(self.rng.uniform(0, 1))
        seen = SLACK * WIDTH / scale - 2 * MARGIN, SLACK * HEIGHT / scale - 2 * MARGIN
        width = found.width + share * max(0.0, seen[0] - found.width)
        height = found.height + share * max(0.0, seen[1] - found.height)
        return roomed(found, areas, width, height)

    def _cards(self, name: str, habit: Habit) -> list[PlacedCard]:
        pile = self.position.places[name]
        laid = lay_place(self.rng, kind_of(name), pile, habit, self.position.drawn.get(name, 0))
        return [replace(card, pile=self.names.index(name)) for card in laid]

    def _block(self, ways: list[list[Row]], owner: str, habit: Habit) -> list[PlacedCard]:
        """Rows of places, upright for a player below; the empty ones leave room."""
        rng, cards = self.rng, list[PlacedCard]()
        rows = ways[int(rng.integers(len(ways)))]
        pitch = self.size[0] + habit.gap
        broadest = max(len(row) for row in rows)
        y = 0.0
        for row in rows:
            shift = float(rng.choice([0, 0.5, 1])) * (broadest - len(row))
            bottom = y + self.size[1] / 2
            for i, place in enumerate(row[::-1] if habit.mirrored else row):
                name = place if place in self.position.places else f"{owner} {place}"
                if name not in self.position.places:
                    continue
                off = float(rng.normal(0, 1.5)), float(rng.normal(0, 3))
                pile = _shifted(self._cards(name, habit), (i + shift) * pitch + off[0], y + off[1])
                cards += pile
                bottom = max(bottom, *(float(card.corners_mm()[:, 1].max()) for card in pile))
            y = bottom + habit.gap + float(rng.uniform(0, 12)) + self.size[1] / 2
        return _centred(cards)

    def _common(self, sideways: bool) -> list[PlacedCard]:
        ways = COMMON_ROWS.get(self.position.game)
        if ways is None:
            return []
        turn = np.pi / 2 * sideways + np.pi * int(self.rng.random() < 0.5)
        habit = replace(sample_habit(self.rng, self.size), gap=float(self.rng.uniform(8, 25)))
        return _put(self._block(ways, "", habit), 0.0, 0.0, float(turn))

    def _foundations(self) -> list[str]:
        """The foundations that lie loosely in the middle, in the order in which they were begun."""
        if is_one_deck(self.position.game):
            return []
        names = [name for name in self.names if name.startswith("foundation")]
        return sorted(names, key=lambda name: int(name.split()[1]))

    def _foundation_cards(
        self, names: list[str], found: Plan, spot: tuple[float, float], wild: bool, sideways: bool
    ) -> list[PlacedCard]:
        rng, cards = self.rng, list[PlacedCard]()
        if not names:
            return cards
        left, top, right, bottom = found.middle
        columns, rows = found.grid
        pitch = (min((right - left) / columns, 1.4 * spot[0]), min((bottom - top) / rows, 1.4 * spot[1]))
        cells = [(i - (columns - 1) / 2, j - (rows - 1) / 2) for i in range(columns) for j in range(rows)]
        # the handiest first, more or less
        cells.sort(
            key=lambda cell: float(np.hypot(cell[0] * pitch[0], cell[1] * pitch[1]) + rng.normal(0, 40))
        )
        habit = sample_habit(rng, self.size)
        turned = float(rng.uniform(0.02, 0.22))
        free = ((pitch[0] - spot[0]) / 2 + 4, (pitch[1] - spot[1]) / 2 + 4)
        for name, (i, j) in zip(names, cells, strict=False):
            x, y = (left + right) / 2 + i * pitch[0], (top + bottom) / 2 + j * pitch[1]
            turn = rng.uniform(0, np.pi) if wild else np.pi / 2 * sideways + rng.normal(0, turned)
            off = rng.uniform(-1, 1, 2) * free
            pile = self._cards(name, habit)
            cards += _put(pile, float(x + off[0]), float(y + off[1]), float(turn))
        return cards


def _shifted(cards: Sequence[PlacedCard], x: float, y: float) -> list[PlacedCard]:
    return [replace(card, x=card.x + x, y=card.y + y) for card in cards]


def _put(cards: Sequence[PlacedCard], x: float, y: float, turn: float) -> list[PlacedCard]:
    """The same cards turned about the origin, which is then put at (x, y)."""
    c, s = np.cos(turn), np.sin(turn)
    return [
        replace(
            card,
            x=float(x + c * card.x - s * card.y),
            y=float(y + s * card.x + c * card.y),
            angle=card.angle + turn,
        )
        for card in cards
    ]


def _centred(cards: Sequence[PlacedCard]) -> list[PlacedCard]:
    """The same cards with the middle of their upright rectangle at the origin."""
    if not cards:
        return []
    points = np.concatenate([card.corners_mm() for card in cards])
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    return _shifted(cards, -float(middle[0]), -float(middle[1]))


def _extent(cards: Sequence[PlacedCard]) -> tuple[float, float]:
    """Width and height of the upright rectangle about cards, mm."""
    if not cards:
        return 0.0, 0.0
    points = np.concatenate([card.corners_mm() for card in cards])
    width, height = points.max(axis=0) - points.min(axis=0)
    return float(width), float(height)


def camera_over(rng: np.random.Generator, layout: Layout, scale: tuple[float, float]) -> tuple[Scene, Phone]:
    """A scene from above and how its camera is held: all the cards are in the picture, at this scale."""
    phone = Phone(
        WIDTH,
        HEIGHT,
        tilt=float(STEEPEST * rng.beta(1.2, 1.8)),
        towards=float(rng.uniform(0, 2 * np.pi)),
        roll=float(rng.normal(0, 0.025)),
        focal=float(rng.uniform(0.7, 1.6)),
        free=2 * MARGIN * layout.most / WIDTH,
        most=layout.most,
    )
    decks = [str(i) for i in range(layout.position.decks)]
    while True:
        scene = phone.aim(layout.cards, decks)
        if scene.px_per_mm() >= scale[0]:
            return scene, phone
        phone = replace(phone, tilt=phone.tilt * 0.6, roll=phone.roll * 0.6)
