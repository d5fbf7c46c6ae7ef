"""Things that lie about on tables and are not cards: BGRA cut-outs, 4 px/mm unless told otherwise."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from datasets.surfaces import cloth, hard, photos
from datasets.surfaces.noise import Pixels, fractal, hsv, random_colour, to_pixels
from datasets.surfaces.paper import text_page, word, write

Generator = np.random.Generator
_SUB = 4  # fixed-point bits of OpenCV's sub-pixel coordinates


def _blank(height: float, width: float, colour: np.ndarray | None = None) -> Pixels:
    """An opaque rectangle, BGRA."""
    item = np.full((max(4, round(height)), max(4, round(width)), 4), 255, np.uint8)
    if colour is not None:
        item[..., :3] = np.clip(colour * 255, 0, 255)
    return item


def _size(item: Pixels) -> tuple[int, int]:
    return item.shape[0], item.shape[1]


def _round_off(item: Pixels, radius: float) -> Pixels:
    """Round the corners of an item in place."""
    height, width = item.shape[:2]
    r = round(min(radius, height / 2 - 1, width / 2 - 1))
    if r > 0:
        mask = np.zeros((height, width), np.uint8)
        cv2.rectangle(mask, (r, 0), (width - 1 - r, height - 1), 255, -1)
        cv2.rectangle(mask, (0, r), (width - 1, height - 1 - r), 255, -1)
        for x in (r, width - 1 - r):
            for y in (r, height - 1 - r):
                cv2.circle(mask, (x, y), r, 255, -1, cv2.LINE_AA)
        item[..., 3] = mask
    return item


def _colour(rng: Generator) -> tuple[int, int, int, int]:
    b, g, r = (int(v) for v in random_colour(rng) * 255)
    return b, g, r, 255


def _ink(rng: Generator) -> tuple[int, int, int, int]:
    hue = rng.choice([220, 0, 120, 225])
    b, g, r = (int(v) for v in hsv(hue, rng.uniform(0, 0.9), rng.uniform(0.05, 0.5)) * 255)
    return b, g, r, 255


def _write(rng: Generator, item: Pixels, box: tuple[int, int, int, int], size: float, numbers: float) -> None:
    page = np.ascontiguousarray(item[..., :3])
    write(rng, page, box, size, _ink(rng)[:3], numbers)
    item[..., :3] = page


def pen(rng: Generator, scale: float) -> Pixels:
    """A pen or pencil."""
    length, thick = rng.uniform(110, 190) * scale, rng.uniform(6, 13) * scale
    item = _blank(thick, length, random_colour(rng))
    for _ in range(int(rng.integers(1, 4))):
        start = rng.uniform(0, 0.9) * length
        item[:, int(start) : int(start + rng.uniform(2, 40) * scale), :3] = _colour(rng)[:3]
    across = np.linspace(-1, 1, item.shape[0])[:, None, None]
    item[..., :3] = np.clip(item[..., :3] * (1.1 - 0.6 * across**2 - 0.2 * across), 0, 255)
    tip = int(rng.uniform(5, 20) * scale)
    taper = np.linspace(0.2, 1, tip)[None, :] < np.abs(across[..., 0])
    item[:, :tip, 3][np.broadcast_to(taper, (item.shape[0], tip))] = 0
    return item


def phone(rng: Generator, scale: float) -> Pixels:
    """A phone, dark or with a lit screen."""
    item = _blank(
        rng.uniform(130, 165) * scale, rng.uniform(62, 78) * scale, random_colour(rng) * np.float32(0.4)
    )
    width = item.shape[1]
    edge = int(rng.uniform(1, 5) * scale)
    if rng.random() < 0.6:
        screen = item[edge:-edge, edge:-edge]
        if rng.random() < 0.5:
            screen[..., :3] = to_pixels(
                0.4 + 0.3 * fractal(rng, *_size(screen), 60, 3)[..., None] * random_colour(rng)
            )
            for y in range(4, 20):
                for x in range(4):
                    if rng.random() < 0.5:
                        corner = (int((x + 0.2) * screen.shape[1] / 4), int((y + 0.2) * screen.shape[0] / 24))
                        far = (corner[0] + int(width * 0.14), corner[1] + int(width * 0.14))
                        cv2.rectangle(item, (corner[0] + edge, corner[1] + edge), far, _colour(rng), -1)
        else:
            screen[..., :3] = np.clip(random_colour(rng) * rng.uniform(0.02, 0.3) * 255, 0, 255)
    else:
        x, y = int(width * 0.22), int(width * 0.22)
        for k in range(int(rng.integers(1, 4))):
            cv2.circle(item, (x, y + int(k * 13 * scale)), int(5 * scale), (25, 20, 20, 255), -1, cv2.LINE_AA)
    return _round_off(item, rng.uniform(5, 12) * scale)


def sheet(rng: Generator, scale: float) -> Pixels:
    """A sheet of paper: blank, lined, squared or with text."""
    height, width = (
        np.array([297, 210]) * rng.choice([1, 0.7, 0.5, 0.35]) * rng.uniform(0.85, 1.1, 2)
    ) * scale
    item = _blank(height, width, hsv(rng.uniform(0, 360), rng.uniform(0, 0.12), rng.uniform(0.8, 1)))
    kind = rng.integers(0, 4)
    line = tuple(int(v) for v in hsv(rng.choice([210, 0, 120]), 0.4, rng.uniform(0.5, 0.8)) * 255)
    pitch = rng.uniform(4, 9) * scale
    if kind in (1, 2):
        for y in np.arange(pitch, height, pitch):
            cv2.line(item, (0, int(y)), (int(width), int(y)), (*line, 255), max(1, int(0.3 * scale)))
    if kind == 2:
        for x in np.arange(pitch, width, pitch):
            cv2.line(item, (int(x), 0), (int(x), int(height)), (*line, 255), max(1, int(0.3 * scale)))
    if kind == 3:
        item[..., :3] = text_page(rng, *_size(item), scale)
    elif rng.random() < 0.6:
        margin = int(0.08 * width)
        box = (margin, margin, int(width) - 2 * margin, int(height * rng.uniform(0.2, 0.9)))
        _write(rng, item, box, rng.uniform(3, 7) * scale, 0.3)
    return item


def score_sheet(rng: Generator, scale: float) -> Pixels:
    """A table of names and numbers by hand."""
    columns, rows = int(rng.integers(2, 7)), int(rng.integers(4, 16))
    wide, tall = rng.uniform(14, 28) * scale, rng.uniform(7, 13) * scale
    item = _blank(rows * tall, columns * wide, hsv(45, rng.uniform(0, 0.15), rng.uniform(0.85, 1)))
    ink = _ink(rng)
    for row in range(rows + 1):
        cv2.line(item, (0, int(row * tall)), (item.shape[1], int(row * tall)), ink, max(1, int(0.3 * scale)))
    for column in range(columns + 1):
        cv2.line(
            item, (int(column * wide), 0), (int(column * wide), item.shape[0]), ink, max(1, int(0.3 * scale))
        )
    pencil = _ink(rng)
    for row in range(rows):
        for column in range(columns):
            if rng.random() < 0.8:
                text = word(rng, digits=row > 0)[:5]
                at = (int((column + 0.15) * wide), int((row + 0.8) * tall))
                face = cv2.FONT_HERSHEY_SCRIPT_SIMPLEX if rng.random() < 0.5 else cv2.FONT_HERSHEY_SIMPLEX
                cv2.putText(item, text, at, face, tall / 45, pencil, max(1, int(tall / 18)), cv2.LINE_AA)
    return item


def label(rng: Generator, scale: float) -> Pixels:
    """A bright rectangle with nothing of a card on it: note, tile, coaster, business card, ticket."""
    height, width = rng.uniform(30, 130) * scale, rng.uniform(30, 110) * scale
    bright = rng.random() < 0.7
    colour = (
        hsv(rng.uniform(0, 360), rng.uniform(0, 0.25), rng.uniform(0.8, 1)) if bright else random_colour(rng)
    )
    item = _blank(height, width, colour)
    if rng.random() < 0.4:
        box = (int(width * 0.1), int(height * rng.uniform(0.1, 0.6)), int(width * 0.8), int(height * 0.3))
        _write(rng, item, box, rng.uniform(2.5, 8) * scale, 0.3)
    if rng.random() < 0.3:
        edge = max(1, int(rng.uniform(0.5, 4) * scale))
        inset = int(rng.uniform(0, 6) * scale)
        far = (item.shape[1] - 1 - inset, item.shape[0] - 1 - inset)
        cv2.rectangle(item, (inset, inset), far, _colour(rng), edge)
    if rng.random() < 0.4:
        shade = 1 + 0.08 * fractal(rng, *_size(item), 20 * scale, 3)
        item[..., :3] = np.clip(item[..., :3] * shade[..., None], 0, 255)
    return _round_off(item, rng.uniform(0, 3) * scale) if rng.random() < 0.3 else item


def box(rng: Generator, scale: float) -> Pixels:
    """A book, a box or a packet seen from above, with a printed cover."""
    height, width = rng.uniform(80, 260) * scale, rng.uniform(60, 190) * scale
    item = _blank(height, width, random_colour(rng))
    prints = photos.texture_files("print", "train")
    kind = rng.random()
    if kind < 0.15 and prints:
        texture = photos.read_texture(prints[int(rng.integers(0, len(prints)))])
        item[..., :3] = cv2.resize(texture, item.shape[1::-1], interpolation=cv2.INTER_AREA)
    elif kind < 0.5:
        item[..., :3] = to_pixels(cloth.printed(rng, *_size(item), scale))
    elif kind < 0.65:
        item[..., :3] = to_pixels(hard.marble(rng, *_size(item), scale))
    for _ in range(int(rng.integers(0, 5))):
        x, y = rng.uniform(0, 0.8, 2)
        at = (int(x * width), int(y * height))
        far = (at[0] + int(rng.uniform(0.1, 0.9) * width), at[1] + int(rng.uniform(0.03, 0.4) * height))
        cv2.rectangle(item, at, far, _colour(rng), -1)
    for _ in range(int(rng.integers(0, 4))):
        at = (int(rng.uniform(0.05, 0.5) * width), int(rng.uniform(0.1, 0.95) * height))
        size = rng.uniform(6, 30) * scale / 30
        cv2.putText(
            item,
            word(rng),
            at,
            cv2.FONT_HERSHEY_DUPLEX,
            size,
            _colour(rng),
            max(1, int(size * 3)),
            cv2.LINE_AA,
        )
    return item


def disc(rng: Generator, scale: float) -> Pixels:
    """A coin, a chip, a plate, a cup from above, a round coaster."""
    radius = (
        rng.choice([rng.uniform(8, 16), rng.uniform(18, 24), rng.uniform(35, 60), rng.uniform(60, 135)])
        * scale
    )
    side = int(2 * radius) + 3
    item = np.zeros((side, side, 4), np.uint8)
    centre = (side // 2, side // 2)
    cv2.circle(item, centre, int(radius), _colour(rng), -1, cv2.LINE_AA)
    for share in sorted(rng.uniform(0.2, 0.98, int(rng.integers(1, 6))), reverse=True):
        filled = -1 if rng.random() < 0.6 else max(1, int(rng.uniform(0.3, 3) * scale))
        cv2.circle(item, centre, int(radius * share), _colour(rng), filled, cv2.LINE_AA)
    if rng.random() < 0.4:
        notches = int(rng.integers(4, 24))
        for angle in np.arange(notches) * 2 * np.pi / notches:
            rim = (centre[0] + 0.88 * radius * np.cos(angle), centre[1] + 0.88 * radius * np.sin(angle))
            cv2.circle(item, (int(rim[0]), int(rim[1])), int(0.07 * radius), _colour(rng), -1, cv2.LINE_AA)
    alpha = np.zeros((side, side), np.uint8)
    cv2.circle(alpha, centre, int(radius), 255, -1, cv2.LINE_AA)
    light = 1 + 0.25 * np.linspace(-1, 1, side)[:, None, None] * rng.uniform(-1, 1)
    item[..., :3] = np.clip(item[..., :3] * light, 0, 255)
    item[..., 3] = alpha if rng.random() < 0.85 else alpha // 2
    return item


def cable(rng: Generator, scale: float) -> Pixels:
    """A cable, a string, a rubber band."""
    side = int(rng.uniform(80, 280) * scale)
    item = np.zeros((side, side, 4), np.uint8)
    knots = np.cumsum(rng.normal(0, 0.25, (5, 2)), axis=0)
    t = np.linspace(0, 1, 80)
    powers = np.stack([np.sin((k + 1) * np.pi * t + k) for k in range(5)], 1)
    path = powers @ knots
    path = (path - path.min(0)) / max(float(np.ptp(path)), 1e-6) * (0.9 * side) + 0.05 * side
    points = [(path * 2**_SUB).astype(np.int32)]
    thick = max(1, int(rng.uniform(1, 6) * scale))
    cv2.polylines(item, points, False, _colour(rng), thick, cv2.LINE_AA, _SUB)
    mask = np.zeros((side, side), np.uint8)
    cv2.polylines(mask, points, False, 255, thick, cv2.LINE_AA, _SUB)
    item[..., 3] = mask
    return item


def die(rng: Generator, scale: float) -> Pixels:
    """A die, a domino or a small board with dots."""
    unit = rng.uniform(12, 26) * scale
    cells = 1 if rng.random() < 0.6 else 2
    item = _blank(unit * cells, unit, random_colour(rng))
    dot = _colour(rng)
    spots = {1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8]}
    for cell in range(cells):
        for spot in spots[int(rng.integers(1, 7))]:
            at = (int((0.22 + 0.28 * (spot % 3)) * unit), int((cell + 0.22 + 0.28 * (spot // 3)) * unit))
            cv2.circle(item, at, max(1, int(0.09 * unit)), dot, -1, cv2.LINE_AA)
    return _round_off(item, 0.12 * unit)


Make = Callable[[Generator, float], Pixels]

#: Every kind of thing and how often it is drawn.
THINGS: dict[str, tuple[Make, float]] = {
    "pen": (pen, 2),
    "phone": (phone, 1.5),
    "sheet": (sheet, 1.5),
    "score_sheet": (score_sheet, 1.5),
    "label": (label, 3),
    "box": (box, 2),
    "disc": (disc, 2.5),
    "cable": (cable, 0.8),
    "die": (die, 0.8),
}


def clutter(rng: Generator, px_per_mm: float = 4.0, kind: str | None = None) -> Pixels:
    """A thing that is not a card, seen from above: (H, W, 4) BGRA at `px_per_mm`, any size up to A4."""
    weights = np.array([weight for _, weight in THINGS.values()])
    kind = kind or str(rng.choice(list(THINGS), p=weights / weights.sum()))
    return THINGS[kind][0](rng, px_per_mm)
