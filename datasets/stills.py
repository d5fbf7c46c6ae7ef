"""Whole pictures for measuring: Nerts tables, spreads of backs, and the centre's faces, with exact truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from datasets.arrange import Arranger, Shoe, moved
from datasets.chance import Draws, chance_of, generator_of
from datasets.render import Art, expose
from datasets.renderers import FAST, Renderer
from datasets.scene import PlacedCard, Scene, overhead_camera
from datasets.truth import CardTruth, truth_of

Pixels = NDArray[np.uint8]
MakeSurface = Callable[[np.random.Generator, int, int, float], Pixels]

#: Least strip that every back of a spread shows, mm.
LEAST_STRIP_MM = 6.0
#: Radians that a fan spans at most.
WIDEST_FAN = 1.9


@dataclass(frozen=True, slots=True)
class Manner:
    """How people lay out the rows of a spread."""

    #: mm from card to card, the same in all of a row, and how unevenly (share of that).
    steps: tuple[float, float] = (8.0, 15.0)
    uneven: float = 0.12
    #: Share of the rows that are fans, and mm from their cards' middles to the point that they turn about.
    fans: float = 0.25
    radius: tuple[float, float] = (180.0, 400.0)


@dataclass(slots=True)
class Still:
    """One picture and what is true of it."""

    image: Pixels
    cards: list[CardTruth]
    px_per_mm: float
    #: What else is true of it, for its file.
    about: dict[str, Any] = field(default_factory=dict)
    #: What it was drawn from.
    scene: Scene | None = None
    #: (H, W) number of the card that is seen in each px, NOTHING or HAND (`datasets/render.py`); not kept in files.
    ids: NDArray[np.int16] | None = None


def draw_table(
    rng: np.random.Generator,
    decks: list[Art],
    surface: MakeSurface,
    scale: tuple[float, float] = (1.6, 2.6),
    renderer: Renderer = FAST,
) -> Still:
    """A Nerts table from above, 1920 x 1080, in the middle of a hand; one seat a deck (2 to 4)."""
    width, height = 1920, 1080
    px_per_mm = float(rng.uniform(*scale))
    arranger = Arranger(rng, Shoe(rng, [sorted(deck.faces) for deck in decks]))
    reach = (width / px_per_mm / 2, height / px_per_mm / 2)
    cards: list[PlacedCard] = []
    sides = rng.permutation(2) if len(decks) <= 2 else np.arange(4)
    for deck in range(len(decks)):
        side = int(sides[deck % len(sides)]) * (2 if len(decks) <= 2 else 1)
        cards += _seat(arranger, deck, side, reach)
    cards += _foundations(arranger, reach)
    camera = overhead_camera(
        width,
        height,
        px_per_mm,
        roll=float(rng.normal(0, 0.03)),
        tilt=float(abs(rng.normal(0, 0.09))),
        tilt_towards=float(rng.uniform(0, 2 * np.pi)),
        distance=float(rng.uniform(1.0, 3.0)),
    )
    scene = Scene(width, height, camera, [str(i) for i in range(len(decks))], cards)
    scene.cards = [card for card in cards if _inside(scene, card, 20)]
    return _finish(rng, scene, decks, surface, 0.55, renderer)


def _seat(a: Arranger, deck: int, side: int, reach: tuple[float, float]) -> list[PlacedCard]:
    """One player's cards along a side: 0 bottom, 1 left, 2 top, 3 right."""
    rng = a.rng
    edge = reach[1] if side % 2 == 0 else reach[0]
    cards: list[PlacedCard] = []
    x = -2.5 * 76 + rng.normal(0, 8)
    base = edge - float(rng.uniform(85, 130))
    lean = (0.02, 0.05)
    for place in ("nerts", "work", "work", "work", "work", "stock", "waste"):
        if place == "nerts":
            pile = a.stack(int(rng.integers(2, 13)), lean, True, deck)
        elif place == "work":
            pile = a.line(int(rng.integers(1, 7)), float(rng.uniform(14, 22)), np.pi / 2, True, 0.8, deck)
        elif place == "stock":
            pile = a.stack(int(rng.integers(2, 14)), lean, False, deck)
        else:
            pile = a.heap(int(rng.integers(1, 6)), 2.5, 0.05, True, deck)
        if pile:
            # columns grow towards the player, so their first card keeps the line
            drop = (max(c.y for c in pile) - min(c.y for c in pile)) / 2
            cards += moved(pile, x, base + drop - 25 + rng.normal(0, 3), 0.0)
        x += 76 + rng.normal(0, 2)
    turn = side * np.pi / 2
    c, s = np.cos(turn), np.sin(turn)
    result = []
    for card in cards:
        result += moved([card], float(c * card.x - s * card.y), float(s * card.x + c * card.y), turn)
    return result


def _foundations(a: Arranger, reach: tuple[float, float]) -> list[PlacedCard]:
    rng = a.rng
    room = (max(reach[0] - 190, 60), max(reach[1] - 190, 30))
    cards: list[PlacedCard] = []
    taken: list[tuple[float, float]] = []
    for _ in range(60):
        x, y = (float(rng.uniform(-r, r)) for r in room)
        if len(taken) >= 9 or any(np.hypot(x - u, y - v) < 92 for u, v in taken):
            continue
        taken.append((x, y))
        heap = a.heap(
            int(rng.integers(1, 7)), float(rng.uniform(1.5, 5)), float(rng.uniform(0.03, 0.18)), True
        )
        cards += moved(heap, x, y, float(rng.uniform(0, 2 * np.pi)))
    return cards


def draw_spread(
    rng: np.random.Generator,
    decks: list[Art],
    surface: MakeSurface,
    count: tuple[int, int] = (12, 60),
    up: bool = False,
    manner: Manner | None = None,
    renderer: Renderer = FAST,
) -> Still:
    """The centre's cards spread backs up, as a phone sees them; every card shows a strip of at least 6 mm."""
    sloppy = 1.0
    while True:
        still = _try_spread(rng, decks, surface, count, up, manner or Manner(), sloppy, renderer)
        if still is not None:
            return still
        sloppy *= 0.7


def _try_spread(
    rng: np.random.Generator,
    decks: list[Art],
    surface: MakeSurface,
    count: tuple[int, int],
    up: bool,
    manner: Manner,
    sloppy: float,
    renderer: Renderer,
) -> Still | None:
    """A spread laid with so much carelessness (1 = any, 0 = none), or None if a card shows too little."""
    arranger = Arranger(rng, Shoe(rng, [_some(rng, sorted(deck.faces)) for deck in decks]))
    wanted = int(rng.integers(count[0], count[1] + 1))
    cards = laid_rows(arranger, wanted, up, manner, sloppy)
    points = np.concatenate([card.corners_mm() for card in cards])
    low, high = points.min(axis=0), points.max(axis=0)
    width, height = (2016, 1512) if rng.random() < 0.7 else (1512, 2016)
    tilt = float(abs(rng.normal(0, 0.2)))
    roll = float(rng.normal(0, 0.15))
    span = (high - low) * 1.12 + 40
    scale = min(width / span[0], height / span[1], 4.5)
    towards = float(rng.uniform(0, 2 * np.pi))
    while True:
        camera = overhead_camera(
            width,
            height,
            scale,
            look_at=(float((low + high)[0] / 2), float((low + high)[1] / 2)),
            roll=roll,
            tilt=min(tilt, 0.7),
            tilt_towards=towards,
            distance=1.3,
        )
        scene = Scene(width, height, camera, [str(i) for i in range(len(decks))], cards)
        if all(_inside(scene, card, 0) for card in cards):
            break
        scale *= 0.95
    still = _finish(rng, scene, decks, surface, 0.6, renderer)
    tidy = min(card.visible_fraction for card in still.cards) >= 0.95 * LEAST_STRIP_MM / cards[0].height
    return still if tidy else None


def _some(rng: np.random.Generator, faces: list[str]) -> list[str]:
    """An incomplete deck: what a player had brought to the centre."""
    return [str(face) for face in rng.permutation(faces)[: int(rng.integers(4, len(faces) + 1))]]


def laid_rows(a: Arranger, wanted: int, up: bool, manner: Manner, sloppy: float) -> list[PlacedCard]:
    """Rows, arcs or loose lines of cards, one below the other."""
    rng = a.rng
    cards: list[PlacedCard] = []
    y = 0.0
    per_row = int(rng.integers(8, 22))
    mixed = rng.random() < 0.6
    row_deck = 0
    while len(cards) < wanted and a.shoe.cards_left:
        n = min(per_row, wanted - len(cards))
        step = float(rng.uniform(manner.steps[0] + 2.0 * (1 - sloppy), manner.steps[1]))
        deck = None if mixed else row_deck % a.shoe.decks
        if rng.random() < manner.fans * sloppy:
            radius = float(rng.uniform(*manner.radius))
            row = a.fan(min(n, int(WIDEST_FAN * radius / step)), step / radius, radius, up, deck)
        else:
            along = 0.0 if rng.random() < 0.7 else np.pi
            careless = float(rng.uniform(0.3, 0.8)) * sloppy
            row = a.line(n, step, along, up, careless, deck, manner.uneven)
        row_deck += 1
        if not row:
            continue
        cards += moved(row, float(rng.normal(0, 15)), y, float(rng.normal(0, 0.03)) * sloppy)
        y += 88 + abs(float(rng.normal(14, 10))) + (20 if len(row) > 12 else 0) + 15 * (1 - sloppy)
    return cards


def _inside(scene: Scene, card: PlacedCard, margin: float) -> bool:
    corners = scene.corners(card)
    return bool(
        (corners > -margin).all()
        and (corners[:, 0] < scene.width + margin).all()
        and (corners[:, 1] < scene.height + margin).all()
    )


def _finish(
    rng: np.random.Generator,
    scene: Scene,
    decks: list[Art],
    surface: MakeSurface,
    hardness: float,
    renderer: Renderer = FAST,
) -> Still:
    before = chance_of(rng)
    ground = surface(rng, *renderer.ground(scene, scene.px_per_mm()))
    scene = renderer.prepared(rng, scene)
    scene.hardness, scene.draws = hardness, Draws(before, "", chance_of(rng))
    return _shoot(rng, scene, decks, ground, renderer)


def redraw_still(scene: Scene, decks: list[Art], surface: MakeSurface, renderer: Renderer = FAST) -> Still:
    """The still of a scene that `draw_table` or `draw_spread` made."""
    scene = renderer.settled(scene)
    ground = surface(generator_of(scene.draws.surface), *renderer.ground(scene, scene.px_per_mm()))
    return _shoot(generator_of(scene.draws.exposure), scene, decks, ground, renderer)


def _shoot(
    rng: np.random.Generator, scene: Scene, decks: list[Art], ground: Pixels, renderer: Renderer
) -> Still:
    painting = renderer.paint(scene, decks, ground)
    image = expose(painting.image, rng, scene.hardness * renderer.trouble, renderer.relit)
    return Still(image, truth_of(scene, painting), scene.px_per_mm(), scene=scene, ids=painting.ids)
