"""Training windows: square cut-outs of tables in every arrangement, with what the finder must say of each cell.

A window is drawn at its final size. The targets lie on a grid of `CELL` px: which card is topmost, and for every
card its middle and its two half axes in px.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.arrange import Arranger, Shoe, moved
from datasets.chance import Draws, chance_of, generator_of
from datasets.drawn_hand import draw_hand
from datasets.render import HAND, NOTHING, SHARES, Art, Painting, around, expose
from datasets.renderers import FAST, Ground, Renderer
from datasets.scene import BRIDGE_MM, POKER_MM, PlacedCard, Scene, overhead_camera

CELL = 4
#: Columns of the table of cards: middle x, y; half long axis x, y; half short axis x, y (px); back up; visible cells.
CARD_COLUMNS = 8
MAX_CARDS = 120

#: Share of the windows in which the table has about the colour of a back that lies on it.
CAMOUFLAGED = 0.2
#: Softness, px, of the shadow of a thing that lies about.
ITEM_SHADOW = 2.0

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float64]
MakeSurface = Callable[[np.random.Generator, int, int, float], Pixels]
MakeClutter = Callable[[np.random.Generator], Pixels]


@dataclass(slots=True)
class Window:
    """One training picture with its targets."""

    #: (size, size, 3) BGR.
    image: Pixels
    #: (size / CELL, size / CELL): row in `cards` of the topmost card, -1 surface, -2 hand, -3 do not care.
    cells: NDArray[np.int16]
    #: (n, CARD_COLUMNS) float32.
    cards: NDArray[np.float32]


@dataclass(slots=True)
class Picture:
    """A drawn square with everything that its truth is made from."""

    image: Pixels
    scene: Scene
    painting: Painting


def draw_window(
    rng: np.random.Generator,
    size: int,
    decks: list[Art],
    make_surface: MakeSurface,
    make_clutter: MakeClutter | None = None,
) -> Window:
    """A random window drawn from `decks` (1 to 6 of them), with the finder's targets."""
    picture = draw_square(rng, size, decks, make_surface, make_clutter)
    return Window(picture.image, *_targets(picture.scene, picture.painting.ids))


def draw_square(
    rng: np.random.Generator,
    size: int,
    decks: list[Art],
    make_surface: MakeSurface,
    make_clutter: MakeClutter | None = None,
    card_px: tuple[float, float] = (38.0, 145.0),
    renderer: Renderer = FAST,
) -> Picture:
    """A random square cut-out of a table; a card's short side is `card_px` long (log-uniform)."""
    low, high = card_px
    scale = float(np.exp(rng.uniform(np.log(low), np.log(high)))) / POKER_MM[0]
    view = size / scale
    tilt = float(abs(rng.normal(0, 0.22))) if rng.random() < 0.7 else float(rng.uniform(0, 0.75))
    camera = overhead_camera(
        size,
        size,
        scale,
        roll=float(rng.uniform(0, 2 * np.pi)),
        tilt=min(tilt, 0.8),
        tilt_towards=float(rng.uniform(0, 2 * np.pi)),
        distance=float(rng.uniform(1.0, 4.0)) * max(1.0, 700 / view),
    )
    faces = [sorted(deck.faces) for deck in decks]
    arranger = Arranger(rng, Shoe(rng, faces), POKER_MM if rng.random() < 0.75 else BRIDGE_MM)
    cards = _arrangements(arranger, view, len(decks))
    scene = Scene(size, size, camera, [str(i) for i in range(len(decks))], cards[-MAX_CARDS:])
    surface = chance_of(rng)
    ground = _ground(rng, renderer.ground(scene, scale), decks, make_surface, make_clutter)
    scene = renderer.prepared(rng, scene)
    hands = chance_of(rng)
    extras = _in_the_way(rng, size, scale)
    scene.draws = Draws(surface, hands, chance_of(rng))
    painting = renderer.paint(scene, decks, ground, extras)
    return Picture(
        expose(painting.image, rng, scene.hardness * renderer.trouble, renderer.relit), scene, painting
    )


def redraw_square(
    scene: Scene,
    decks: list[Art],
    make_surface: MakeSurface,
    make_clutter: MakeClutter | None = None,
    renderer: Renderer = FAST,
) -> Picture:
    """The picture of a scene that `draw_square` made."""
    scene = renderer.settled(scene)
    chances = [
        generator_of(chance) for chance in (scene.draws.surface, scene.draws.hands, scene.draws.exposure)
    ]
    ground = _ground(
        chances[0], renderer.ground(scene, scene.camera.px_per_mm), decks, make_surface, make_clutter
    )
    extras = _in_the_way(chances[1], scene.width, scene.camera.px_per_mm)
    painting = renderer.paint(scene, decks, ground, extras)
    return Picture(
        expose(painting.image, chances[2], scene.hardness * renderer.trouble, renderer.relit), scene, painting
    )


def _ground(
    rng: np.random.Generator,
    asked: Ground,
    decks: list[Art],
    make_surface: MakeSurface,
    make_clutter: MakeClutter | None,
) -> Pixels:
    """A surface with what lies about on it."""
    surface = make_surface(rng, asked.rows, asked.columns, asked.px_per_mm)
    if rng.random() < CAMOUFLAGED:
        surface = _like_a_back(rng, surface, decks)
    if make_clutter is not None:
        for _ in range(int(rng.integers(0, 5)) if rng.random() < 0.5 else 0):
            surface = strewn(rng, surface, make_clutter(rng), asked.px_per_mm)
    return surface


def _arrangements(arranger: Arranger, view: float, decks: int) -> list[PlacedCard]:
    """Cards for a view of `view` mm: one main idea a picture, sometimes two."""
    rng = arranger.rng
    if rng.random() < 0.07:
        return []
    # strips are hardest to tell apart, so there are more of them
    strips = (_spreads, _spreads, _spreads, _fans, _fans, _columns)
    kinds = (*strips, _scattered, _heaps, _few, _stacks, _mixed, _mixed, _dealt, _dealt, lonely, lonely)
    cards: list[PlacedCard] = []
    for kind in rng.permutation(len(kinds))[: 1 if rng.random() < 0.65 else 2]:
        cards += kinds[int(kind)](arranger, view)
    return cards


def _spot(rng: np.random.Generator, view: float) -> tuple[float, float]:
    x, y = rng.uniform(-0.45 * view, 0.45 * view, 2)
    return float(x), float(y)


def _turned(rng: np.random.Generator) -> float:
    """Any angle, right angles more often."""
    if rng.random() < 0.4:
        return float(rng.integers(0, 4) * np.pi / 2 + rng.normal(0, 0.06))
    return float(rng.uniform(0, 2 * np.pi))


def _up(rng: np.random.Generator, share: float = 0.7) -> bool:
    return bool(rng.random() < share)


def _amount(rng: np.random.Generator, view: float, each_mm2: float, most: int) -> int:
    """As many things of `each_mm2` as about fill the view."""
    return int(np.clip(rng.uniform(0.3, 1.2) * 1.2 * view**2 / each_mm2, 1, most))


def _scattered(a: Arranger, view: float) -> list[PlacedCard]:
    cards: list[PlacedCard] = []
    for _ in range(_amount(a.rng, view, 9000 * a.rng.uniform(0.6, 3), 50)):
        cards += moved(a.heap(1, 0, 0, _up(a.rng)), *_spot(a.rng, view), _turned(a.rng))
    return cards


def _columns(a: Arranger, view: float) -> list[PlacedCard]:
    cards: list[PlacedCard] = []
    base, pitch = _turned(a.rng), a.rng.uniform(66, 85)
    row = a.rng.uniform(-0.3, 0.3) * view
    x = -0.6 * view
    while x < 0.6 * view:
        pile = a.line(int(a.rng.integers(1, 12)), float(a.rng.uniform(11, 26)), np.pi / 2, _up(a.rng, 0.92))
        pile = moved(pile, 0, 0, float(a.rng.normal(0, 0.05)))
        c, s = np.cos(base), np.sin(base)
        drop = row + a.rng.normal(0, 12) + 10 * len(pile)
        cards += moved(pile, float(c * x - s * drop), float(s * x + c * drop), base)
        x += pitch + a.rng.normal(0, 4)
    return cards


def _heaps(a: Arranger, view: float) -> list[PlacedCard]:
    cards: list[PlacedCard] = []
    for _ in range(_amount(a.rng, view, 14000, 14)):
        wild = a.rng.random() < 0.2
        spread = a.rng.uniform(8, 40) if wild else a.rng.uniform(1, 7)
        turn = a.rng.uniform(0.3, 3) if wild else a.rng.uniform(0.02, 0.25)
        heap = a.heap(int(a.rng.integers(1, 12)), float(spread), float(turn), _up(a.rng, 0.85))
        cards += moved(heap, *_spot(a.rng, view), _turned(a.rng))
    return cards


def _spreads(a: Arranger, view: float) -> list[PlacedCard]:
    cards: list[PlacedCard] = []
    base = _turned(a.rng)
    up = _up(a.rng, 0.3)
    one_deck_a_row = a.rng.random() < 0.4
    along = 0.0 if a.rng.random() < 0.7 else np.pi / 2
    if a.rng.random() < 0.5:
        along += np.pi
    step = float(a.rng.uniform(5.5, 18))
    offset = -0.55 * view
    gap = (POKER_MM[1] if abs(np.sin(along)) < 0.5 else POKER_MM[0]) + a.rng.uniform(-30, 25)
    while offset < 0.6 * view and a.shoe.cards_left:
        n = int(np.clip(view / step * a.rng.uniform(0.3, 1.3), 2, 36))
        deck = int(a.rng.integers(0, 6)) if one_deck_a_row else None
        row = a.line(n, step * a.rng.uniform(0.8, 1.25), along, up, float(a.rng.uniform(0.3, 1.8)), deck)
        shift = a.rng.normal(0, 20)
        c, s = np.cos(base), np.sin(base)
        dx, dy = (shift, offset) if abs(np.sin(along)) < 0.5 else (offset, shift)
        cards += moved(row, float(c * dx - s * dy), float(s * dx + c * dy), base + a.rng.normal(0, 0.05))
        offset += max(gap, 25)
    return cards


def _fans(a: Arranger, view: float) -> list[PlacedCard]:
    cards: list[PlacedCard] = []
    for _ in range(_amount(a.rng, view, 26000, 6)):
        radius = float(a.rng.uniform(60, 260))
        step = float(a.rng.uniform(7, 24)) / (radius + 40)
        fan = a.fan(int(a.rng.integers(3, 15)), step, radius, _up(a.rng, 0.75))
        cards += moved(fan, *_spot(a.rng, view), _turned(a.rng))
    return cards


def _few(a: Arranger, view: float) -> list[PlacedCard]:
    if a.rng.random() < 0.5:
        columns, rows = (int(v) for v in a.rng.integers(1, 4, 2))
        grid = a.grid(columns, rows, float(a.rng.uniform(1, 25)), _up(a.rng, 0.85))
        return moved(grid, *_spot(a.rng, view * 0.5), _turned(a.rng))
    cards: list[PlacedCard] = []
    for _ in range(int(a.rng.integers(1, 4))):
        cards += moved(a.heap(1, 0, 0, _up(a.rng, 0.85)), *_spot(a.rng, view * 0.8), _turned(a.rng))
    return cards


def _stacks(a: Arranger, view: float) -> list[PlacedCard]:
    cards: list[PlacedCard] = []
    direction = a.rng.uniform(0, 2 * np.pi)
    lean = a.rng.uniform(0, 0.25)
    for _ in range(_amount(a.rng, view, 16000, 10)):
        n = int(a.rng.integers(3, 22))
        stack = a.stack(
            n, (float(lean * np.cos(direction)), float(lean * np.sin(direction))), _up(a.rng, 0.4)
        )
        spot, turn = _spot(a.rng, view), _turned(a.rng)
        # the lean is the camera's, so it must not turn with the pile
        c, s = np.cos(-turn), np.sin(-turn)
        cards += moved(stack, *spot, turn) if lean * n < 1 else _leaning(stack, spot, turn, (c, s))
    return cards


def _leaning(
    stack: list[PlacedCard], spot: tuple[float, float], turn: float, back: tuple[float, float]
) -> list[PlacedCard]:
    c, s = back
    middle = np.mean([(card.x, card.y) for card in stack], axis=0)
    untwisted = []
    for card in stack:
        dx, dy = card.x - middle[0], card.y - middle[1]
        untwisted += moved([card], float(c * dx - s * dy), float(s * dx + c * dy), 0.0)
    return moved(untwisted, *spot, turn)


def _mixed(a: Arranger, view: float) -> list[PlacedCard]:
    """Something of everything, as in the middle of a hand of Nerts."""
    cards: list[PlacedCard] = []
    base = _turned(a.rng)
    for _ in range(_amount(a.rng, view, 12000, 22)):
        turn = base + a.rng.normal(0, 0.1) + np.pi * int(a.rng.integers(0, 2))
        if a.rng.random() < 0.2:
            turn = _turned(a.rng)
        kind = a.rng.random()
        if kind < 0.3:
            pile = a.line(int(a.rng.integers(1, 9)), float(a.rng.uniform(13, 23)), np.pi / 2, True)
        elif kind < 0.65:
            pile = a.heap(int(a.rng.integers(1, 8)), float(a.rng.uniform(1, 6)), 0.15, True)
        elif kind < 0.8:
            pile = a.stack(int(a.rng.integers(3, 14)), (0.05, 0.08), _up(a.rng, 0.5))
        elif kind < 0.9:
            pile = a.line(int(a.rng.integers(2, 4)), float(a.rng.uniform(2, 14)), 0.0, True)
        else:
            pile = a.heap(1, 0, 0, _up(a.rng))
        cards += moved(pile, *_spot(a.rng, view), float(turn))
    return cards


def _dealt(a: Arranger, view: float) -> list[PlacedCard]:
    """Rows of single cards and piles side by side as after the deal, the stock among them or alone."""
    cards: list[PlacedCard] = []
    base, pitch = _turned(a.rng), a.rng.uniform(66, 90)
    line = -0.6 * view + a.rng.uniform(0, 90)
    while line < 0.6 * view:
        x = -0.6 * view
        while x < 0.6 * view:
            pile = a.stack(int(a.rng.integers(1, 12)), (0.04, 0.06), _up(a.rng, 0.55))
            c, s = np.cos(base), np.sin(base)
            at = x, line + a.rng.normal(0, 5)
            if a.rng.random() < 0.8:
                turn = base + a.rng.normal(0, 0.04)
                cards += moved(pile, float(c * at[0] - s * at[1]), float(s * at[0] + c * at[1]), float(turn))
            x += pitch + a.rng.normal(0, 3)
        line += 91 + a.rng.uniform(0, 160)
    return cards


def lonely(a: Arranger, view: float) -> list[PlacedCard]:
    """One row or fan, mostly of backs, and nothing else: much of the table is bare."""
    n, up = int(a.rng.integers(2, 20)), _up(a.rng, 0.25)
    step = float(a.rng.uniform(7, 17))
    if a.rng.random() < 0.3:
        radius = float(a.rng.uniform(150, 400))
        row = a.fan(n, step / radius, radius, up)
    else:
        row = a.line(n, step, np.pi * int(a.rng.integers(0, 2)), up, float(a.rng.uniform(0.3, 1.0)))
    return moved(row, *_spot(a.rng, 1.3 * view), _turned(a.rng)) if row else []


def _like_a_back(rng: np.random.Generator, surface: Pixels, decks: list[Art]) -> Pixels:
    """The surface with its mean colour drawn towards that of a back."""
    back = decks[int(rng.integers(len(decks)))].back
    if back is None:
        return surface
    here, there = (np.array(cv2.sumElems(art)[:3]) / art[..., 0].size for art in (surface, back))
    shift = rng.uniform(0.5, 1.0) * (there - here) + rng.normal(0, 12, 3)
    tables = np.clip(np.arange(256)[:, None] + shift, 0, 255).astype(np.uint8)
    return np.asarray(cv2.LUT(surface, tables[None]), dtype=np.uint8)


def strewn(rng: np.random.Generator, surface: Pixels, item: Pixels, scale: float) -> Pixels:
    """Lays a thing of no interest on the surface; it is taken to be drawn at 4 px/mm."""
    rows, columns = surface.shape[:2]
    zoom = scale / 4 * float(np.exp(rng.normal(0, 0.4)))
    matrix = cv2.getRotationMatrix2D((item.shape[1] / 2, item.shape[0] / 2), float(rng.uniform(0, 360)), zoom)
    spot = rng.uniform((0, 0), (columns, rows))
    matrix[:, 2] += spot - (item.shape[1] / 2, item.shape[0] / 2)
    warped: Pixels = np.asarray(
        cv2.warpAffine(item, matrix, (columns, rows), flags=cv2.INTER_AREA), dtype=np.uint8
    )
    strength = float(rng.uniform(0.1, 0.5))
    box = around(warped[..., 3], ITEM_SHADOW)
    if box is None:
        return surface
    *inks, opaque = cv2.split(warped[box])
    alpha = np.asarray(cv2.LUT(opaque, SHARES), dtype=np.float32)
    shade = 1 - cv2.GaussianBlur(alpha, (0, 0), ITEM_SHADOW) * strength
    laid = [
        under * shade * (1 - alpha) + ink * alpha
        for under, ink in zip(cv2.split(surface[box]), inks, strict=True)
    ]
    result = surface.copy()
    result[box] = np.clip(cv2.merge(laid), 0, 255)
    return result


def _in_the_way(rng: np.random.Generator, size: int, scale: float) -> list[tuple[int, Pixels]]:
    extras: list[tuple[int, Pixels]] = []
    if rng.random() < 0.18:
        for _ in range(int(rng.integers(1, 3))):
            at = rng.uniform(0.05 * size, 0.95 * size, 2)
            palm = 85 * scale * float(rng.uniform(0.8, 1.2))
            hand = draw_hand(rng, size, size, (float(at[0]), float(at[1])), float(rng.uniform(0, 6.3)), palm)
            extras.append((HAND, hand))
    return extras


def _targets(scene: Scene, ids: NDArray[np.int16]) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    half = CELL // 2
    cells = ids[half::CELL, half::CELL].copy()
    cells[cells == HAND] = -2
    cells[cells == NOTHING] = -1
    table = np.zeros((len(scene.cards), CARD_COLUMNS), dtype=np.float32)
    counts: NDArray[np.intp] = np.bincount(ids[ids >= 0].ravel(), minlength=len(scene.cards))
    for index, card in enumerate(scene.cards):
        shown = float(counts[index]) / CELL**2
        table[index], enough = card_row(scene.corners(card), scene.middle(card), not card.face_up, shown)
        if not enough:
            cells[cells == index] = -3
    return cells, table


def card_row(corners: Floats, middle: Floats, back: bool, shown: float) -> tuple[Floats, bool]:
    """(CARD_COLUMNS,) of a card of which `shown` cells are seen, and whether that is enough to say anything of it."""
    tops, rights = corners[[0, 1]].mean(axis=0), corners[[1, 2]].mean(axis=0)
    bottoms, lefts = corners[[2, 3]].mean(axis=0), corners[[3, 0]].mean(axis=0)
    short = float(np.linalg.norm(rights - lefts))
    row = np.concatenate([middle, (bottoms - tops) / 2, (rights - lefts) / 2, [back, shown]])
    # a sliver says nothing of its card: less than about 1.5 mm of a long side
    return row, shown * CELL**2 >= 0.025 * 1.4 * short**2
