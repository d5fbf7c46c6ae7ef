"""A printed back from its motif to the card: which motifs there are, what is written on them, their rims and wear.

Who measures needs motifs that nothing was trained on: but for plain colours and suit signs each belongs to one split.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import cv2
import numpy as np

from datasets.decks.manifest import Split
from datasets.decks.pen import MM, Pen, polar
from datasets.decks.printed import patterns, pictures
from datasets.decks.printed.lettering import stamp, words, written
from datasets.decks.printed.sheet import (
    HEIGHT,
    WIDTH,
    Colour,
    Sheet,
    clouds,
    colour,
    ink_on,
    mask,
    print_on,
    white_paper,
)
from datasets.decks.raster import Pixels
from datasets.decks.store import FIRST_SEED, printed_back_path, write_png
from datasets.glyphs import font_files

Generator = np.random.Generator
Motif = Callable[[Generator], Sheet]

#: By split: motifs and how often each is drawn.
MOTIFS: dict[Split, dict[str, tuple[Motif, float]]] = {
    "train": {
        "one-colour": (patterns.one_colour, 2.5),
        "dots": (patterns.dots, 2),
        "ornaments": (patterns.ornaments, 3),
        "bold-stripes": (patterns.bold_stripes, 1.5),
        "suit-signs": (patterns.suit_signs, 3),
        "marbled": (patterns.marbled, 1),
        "landscape": (pictures.landscape, 1.5),
        "thing": (pictures.thing, 1.5),
        "texture": (lambda rng: pictures.texture(rng, "train"), 1.5),
        "foil": (pictures.foil, 1),
    },
    "tune": {
        "one-colour": (patterns.one_colour, 1),
        "suit-signs": (patterns.suit_signs, 1),
        "checks": (patterns.checks, 2),
        "lights": (pictures.lights, 1.5),
    },
    "figures": {
        "one-colour": (patterns.one_colour, 1),
        "suit-signs": (patterns.suit_signs, 1),
        "chevrons": (patterns.chevrons, 1.5),
        "facets": (patterns.facets, 1.5),
        "skyline": (pictures.skyline, 1.5),
        "texture": (lambda rng: pictures.texture(rng, "figures"), 1.5),
    },
}
#: Shares of backs with lettering, of those that are the same upside down, with a white rim, and that are worn.
LETTERED, TURNED, RIMMED, WORN = 0.45, 0.55, 0.2, 0.5


def printed_back(rng: Generator, split: Split, fonts: Sequence[Path]) -> Pixels:
    """(352, 252, 3) BGR: one back as a printer prints it, without round corners."""
    motifs = MOTIFS[split]
    weights = np.array([weight for _, weight in motifs.values()])
    name = str(rng.choice(list(motifs), p=weights / weights.sum()))
    sheet = motifs[name][0](rng)
    turned = bool(rng.random() < TURNED)
    if turned:
        sheet[HEIGHT // 2 :] = sheet[: HEIGHT // 2][::-1, ::-1]
    if fonts and rng.random() < (0.35 if name == "suit-signs" else LETTERED):
        _letter(rng, sheet, fonts, turned)
    if rng.random() < (0.6 if name == "suit-signs" else RIMMED):
        _rim(rng, sheet)
    if rng.random() < WORN:
        _wear(rng, sheet)
    small = cv2.resize(sheet, (WIDTH // 2, HEIGHT // 2), interpolation=cv2.INTER_AREA)
    return np.asarray(np.clip(small + 0.5, 0, 255), dtype=np.uint8)


def _letter(rng: Generator, sheet: Sheet, fonts: Sequence[Path], turned: bool) -> None:
    """A large word along the card or across it, or a small one, perhaps on a ground of its own; `turned`: mostly there
    twice, so that it reads the same upside down."""
    font, inked = fonts[int(rng.integers(len(fonts)))], mask()
    ground = np.asarray(sheet.reshape(-1, 3).mean(axis=0), np.float32)
    ink = ink_on(rng, ground, 0.1)
    large, along = rng.random() < 0.5, rng.random() < 0.6
    twice = turned and rng.random() < 0.7
    height = round(float(rng.uniform(12, 30) if large else rng.uniform(3, 8)) * MM)
    room = (0.92 if large else float(rng.uniform(0.3, 0.7))) * (HEIGHT if along else WIDTH)
    if twice and along:
        room = min(room, 0.46 * HEIGHT)
    turn = float(rng.choice([-1, 1])) * np.pi / 2 if along else 0.0
    sign = written(words(rng), font, height)
    for across, down in _places(rng, large, twice):
        stamp(inked, sign, across * WIDTH, down * HEIGHT, turn, room)
    if twice:
        inked = np.maximum(inked, inked[::-1, ::-1])
    if rng.random() < (0.2 if large else 0.6):
        reach = max(3, round(float(rng.uniform(0.4, 3)) * MM))
        around = cv2.dilate(inked, cv2.getStructuringElement(cv2.MORPH_RECT, (2 * reach + 1, 2 * reach + 1)))
        print_on(sheet, np.asarray(around, dtype=np.uint8), ink_on(rng, ink, 0.1))
    print_on(sheet, inked, ink)


def _places(rng: Generator, large: bool, twice: bool) -> list[tuple[float, float]]:
    """Where lettering stands, in shares of the card's width and height; `twice`: in its upper half only."""
    if twice:
        return [(0.5, 0.26)]
    kind = rng.random()
    if large or kind < 0.4:
        return [(0.5, 0.5)]
    if kind < 0.7:
        return [(0.5, 0.25), (0.5, 0.75)]
    return [(float(rng.uniform(0.25, 0.75)), float(rng.uniform(0.1, 0.9)))]


def _rim(rng: Generator, sheet: Sheet) -> None:
    """White paper around the print, perhaps with a line or two in it."""
    edge = round(float(rng.uniform(1.2, 5)) * MM)
    paper = white_paper(rng)
    radius = round(float(rng.choice([0, rng.uniform(1, 4)])) * MM)
    inside = mask()
    cv2.rectangle(
        inside,
        (edge + radius, edge + radius),
        (WIDTH - 1 - edge - radius, HEIGHT - 1 - edge - radius),
        255,
        -1,
    )
    if radius:
        size = (2 * radius + 1, 2 * radius + 1)
        inside = np.asarray(cv2.dilate(inside, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, size)), np.uint8)
    print_on(sheet, np.asarray(255 - inside, dtype=np.uint8), paper)
    ink = ink_on(rng, paper, 0.0)
    for away in (0.5, 1.1)[: int(rng.integers(0, 3))]:
        if away * MM + 2 < edge:
            _ring(sheet, edge - away * MM, radius + away * MM, ink)


def _ring(sheet: Sheet, inset: float, radius: float, ink: Colour) -> None:
    """A thin line with round corners, so many px inside the card's edge."""
    drawn, right, bottom = mask(), WIDTH - 1 - inset, HEIGHT - 1 - inset
    quarter = np.linspace(0, np.pi / 2, 12)
    middles = [(right, bottom), (inset, bottom), (inset, inset), (right, inset)]
    ways = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    corners = [
        polar(x + a * radius, y + b * radius, radius, quarter + k * np.pi / 2)
        for k, ((x, y), (a, b)) in enumerate(zip(middles, ways, strict=True))
    ]
    Pen(drawn).line(np.concatenate(corners), 3, True)
    print_on(sheet, drawn, ink)


def _wear(rng: Generator, sheet: Sheet) -> None:
    """Edges rubbed so that the paper shows: a broken white line along them, corners most."""
    ys, xs = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
    right, bottom = np.float32(WIDTH - 1), np.float32(HEIGHT - 1)
    inward = np.minimum(np.minimum(xs, right - xs), np.minimum(ys, bottom - ys)) / np.float32(MM)
    corner = np.hypot(np.minimum(xs, right - xs), np.minimum(ys, bottom - ys)) / np.float32(MM)
    reach = float(rng.uniform(0.15, 0.9)) * (0.3 + clouds(rng, 0.6 * MM)) + 1.2 * np.clip(
        1 - corner / 7, 0, 1
    )
    share = np.clip((reach - inward) * 3, 0, 1)[..., None] * np.float32(rng.uniform(0.4, 1))
    paper: Colour = colour(40, 0.05, float(rng.uniform(0.75, 1)))
    sheet += (paper - sheet) * share.astype(np.float32)


def store_printed_back(root: Path, split: Split, index: int) -> None:
    """Draw printed back `index` of a split into the cache unless it is there; its fonts must be there."""
    path = printed_back_path(root, split, index)
    if path.exists():
        return
    picture = printed_back(np.random.default_rng([5, FIRST_SEED[split] + index]), split, font_files())
    path.parent.mkdir(parents=True, exist_ok=True)
    write_png(path, picture)
