"""Card backs out of nothing: framed, symmetric, mostly one colour on white, as most real backs are."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.decks.fields import FIELDS
from datasets.decks.manifest import Split
from datasets.decks.ornament import rosette, scroll
from datasets.decks.pen import MM, SUPER, Mask, Pen, polar
from datasets.decks.raster import Pixels
from datasets.decks.store import FIRST_SEED, as_card, drawn_back_path, write_png

Generator = np.random.Generator
Colour = NDArray[np.float32]

_WIDTH, _HEIGHT = 252 * SUPER, 352 * SUPER
#: Inks of real backs: reds, blues, greens, violet, brown, turquoise.
_HUES = [0, 355, 215, 225, 130, 150, 275, 30, 190]
_HUE_SHARES = [0.20, 0.14, 0.24, 0.14, 0.07, 0.05, 0.06, 0.06, 0.04]
_LETTERS = list("ABCDEGHKLMNPRSTUVWXZ")


def _new() -> Mask:
    return np.zeros((_HEIGHT, _WIDTH), np.uint8)


def _mirror(rng: Generator, mask: Mask) -> Mask:
    """Make a mask look the same upside down (mostly), often also left to right."""
    kind = rng.random()
    top = mask[: _HEIGHT // 2]
    if kind < 0.62:
        left = top[:, : _WIDTH // 2]
        top = np.hstack([left, left[:, ::-1]])
    if kind < 0.93:
        return np.ascontiguousarray(np.vstack([top, top[::-1, ::-1]]))
    return mask


def _frame_box(inset: float) -> NDArray[np.float64]:
    right, bottom = _WIDTH - 1 - inset, _HEIGHT - 1 - inset
    return np.array([[inset, inset], [right, inset], [right, bottom], [inset, bottom]], np.float64)


def _along(box: NDArray[np.float64], pitch: float) -> NDArray[np.float64]:
    """(n, 3) x, y, direction of points around a box, evenly spaced on every side."""
    places = []
    for start, end in zip(box, np.roll(box, -1, 0), strict=True):
        length = float(np.hypot(*(end - start)))
        count = max(2, round(length / pitch))
        angle = np.arctan2(*(end - start)[::-1])
        steps = start + (end - start) * (np.arange(count) / count)[:, None]
        places.append(np.column_stack([steps, np.full(count, angle)]))
    return np.concatenate(places)


def _band(rng: Generator, mask: Mask, inset: float, breadth: float) -> None:
    """A decorated band between two frame lines."""
    pen = Pen(mask)
    centre = _frame_box(inset + breadth / 2)
    kind = int(rng.integers(0, 6))
    pitch = breadth * rng.uniform(0.7, 2)
    places = _along(centre, pitch)
    width = rng.uniform(1, 2.5)
    for k, (x, y, angle) in enumerate(places):
        if kind == 0:
            pen.dot(x, y, breadth * 0.3, 255, -1 if k % 2 else width)
        elif kind == 1:
            pen.fill(polar(x, y, breadth * 0.45, np.arange(4) * np.pi / 2 + angle))
        elif kind == 2:
            scroll(np.random.default_rng(k % 2), pen, x, y, angle, pitch * 1.2, 0)
        elif kind == 3:
            pen.dot(x, y, breadth * 0.5, 255, width)
        elif kind == 4:
            across = np.array([-np.sin(angle), np.cos(angle)]) * breadth / 2
            pen.line(np.array([[x, y]]) + np.array([-across, across]), width)
        else:
            reach = breadth * np.tile([0.5, 0.2], 4)
            pen.fill(polar(x, y, reach, np.arange(8) * np.pi / 4 + angle))


def _frames(rng: Generator, mask: Mask, inset: float) -> float:
    """Draw frame lines and bands from `inset` inward (px); returns where the field begins."""
    for _ in range(int(rng.choice([0, 1, 1, 2, 3]))):
        thick = rng.uniform(0.25, 1.2) * MM
        Pen(mask).line(_frame_box(inset + thick / 2), thick, True)
        inset += thick + rng.uniform(0.2, 1.2) * MM
    if rng.random() < 0.4:
        breadth = rng.uniform(1.5, 5) * MM
        mask[round(inset) : -round(inset), round(inset) : -round(inset)] = 0
        _band(rng, mask, inset, breadth)
        inset += breadth
        Pen(mask).line(_frame_box(inset), rng.uniform(1, 4), True)
        inset += rng.uniform(0.3, 1) * MM
    return inset


def _clear(mask: Mask, x: float, y: float, radius: float, squash: float, ink: int) -> None:
    pen = Pen(mask)
    pen.fill(polar(x, y, radius, np.linspace(0, 2 * np.pi, 90), squash), 255 - ink)
    pen.line(polar(x, y, radius, np.linspace(0, 2 * np.pi, 90), squash), 3, True, ink)


def _initials(rng: Generator, mask: Mask, x: float, y: float, radius: float, ink: int) -> None:
    text = "".join(rng.choice(_LETTERS, int(rng.integers(1, 3))))
    font = int(rng.choice([cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_TRIPLEX, cv2.FONT_HERSHEY_DUPLEX]))
    size = radius / (16 * len(text))
    (width, height), _ = cv2.getTextSize(text, font, size, 3)
    cv2.putText(mask, text, (int(x - width / 2), int(y + height / 2)), font, size, ink, 4, cv2.LINE_AA)


def _medallions(rng: Generator, mask: Mask) -> None:
    """Central and corner ornaments on cleared ground."""
    x, y = _WIDTH / 2, _HEIGHT / 2
    pen = Pen(mask)
    if rng.random() < 0.6:
        radius, squash = rng.uniform(6, 19) * MM, rng.choice([1, 1, rng.uniform(1.0, 1.6)])
        places = [(x, y)] if rng.random() < 0.6 else [(x, y - 21 * MM), (x, y + 21 * MM)]
        radius = radius if len(places) == 1 else min(radius, 16 * MM)
        ink = 255 if rng.random() < 0.7 else 0
        seed = int(rng.integers(2**31))
        letters = rng.random() < 0.12
        for at_x, at_y in places:
            _clear(mask, at_x, at_y, radius, squash, ink)
            if letters:
                _initials(np.random.default_rng(seed), mask, at_x, at_y, radius, ink)
            else:
                rosette(np.random.default_rng(seed), pen, at_x, at_y, radius * 0.93, squash, ink)
    if rng.random() < 0.45:
        radius = rng.uniform(4, 11) * MM
        inset = rng.uniform(4, 10) * MM
        seed, ink = int(rng.integers(2**31)), 255 if rng.random() < 0.7 else 0
        cleared = rng.random() < 0.6
        for at_x, at_y in _frame_box(inset):
            if cleared:
                _clear(mask, at_x, at_y, radius, 1, ink)
            rosette(np.random.default_rng(seed), pen, at_x, at_y, radius * 0.95, 1, ink)


def design(rng: Generator) -> tuple[Mask, Mask]:
    """A back as two masks: where there is ink, and where the coloured or white margin is not (the field)."""
    mask = _new()
    weights = np.array([weight for _, weight in FIELDS.values()])
    for _ in range(int(rng.choice([1, 1, 1, 2]))):
        name = str(rng.choice(list(FIELDS), p=weights / weights.sum()))
        FIELDS[name][0](rng, mask)
    mask = _mirror(rng, mask)
    if rng.random() < 0.45:
        mask = 255 - mask
    margin = 0.0 if rng.random() < 0.22 else rng.uniform(1.5, 6) * MM
    inset = _frames(rng, frames := _new(), margin)
    box = round(inset)
    if inset > margin:
        field = _new()
        field[box : _HEIGHT - box, box : _WIDTH - box] = mask[box : _HEIGHT - box, box : _WIDTH - box]
        mask = np.maximum(field, frames)
    _medallions(rng, mask)
    inside = _new()
    edge = round(margin)
    radius = round(rng.choice([0, 0, rng.uniform(0, 4)]) * MM)
    cv2.rectangle(inside, (edge + radius, edge), (_WIDTH - 1 - edge - radius, _HEIGHT - 1 - edge), 255, -1)
    cv2.rectangle(inside, (edge, edge + radius), (_WIDTH - 1 - edge, _HEIGHT - 1 - edge - radius), 255, -1)
    for x in (edge + radius, _WIDTH - 1 - edge - radius):
        for y in (edge + radius, _HEIGHT - 1 - edge - radius):
            cv2.circle(inside, (x, y), radius, 255, -1, cv2.LINE_AA)
    return mask, inside


def _hue(hue: float, saturation: float, value: float) -> Colour:
    pixel = np.array([[[hue % 360, saturation, value]]], np.float32)
    return np.asarray(cv2.cvtColor(pixel, cv2.COLOR_HSV2BGR)[0, 0] * 255, np.float32)


def back_colours(rng: Generator) -> list[Colour]:
    """Ink, ground and margin of a back, BGR 0 to 255: mostly one strong ink on white."""
    hue = rng.choice(_HUES, p=_HUE_SHARES) if rng.random() < 0.85 else rng.uniform(0, 360)
    ink = _hue(hue + rng.normal(0, 6), rng.uniform(0.55, 1), rng.uniform(0.25, 0.85))
    if rng.random() < 0.12:
        ink = _hue(0, 0, rng.uniform(0.03, 0.3))
    paper = _hue(rng.uniform(30, 60), rng.uniform(0, 0.06), rng.uniform(0.94, 1))
    kind = rng.random()
    if kind < 0.72:
        ground = paper
    elif kind < 0.86:
        ground = (
            ink * np.float32(rng.uniform(0.3, 0.75))
            if rng.random() < 0.5
            else 255 - (255 - ink) * np.float32(0.4)
        )
    else:
        ground = _hue(rng.uniform(0, 360), rng.uniform(0, 1), rng.uniform(0.3, 1))
    margin = paper if rng.random() < 0.85 else [ink, ground, _hue(0, 0, 0.08)][int(rng.integers(0, 3))]
    return [ink, ground, margin]


def coloured(mask: Mask, inside: Mask, colours: list[Colour]) -> Pixels:
    """Print a design: BGR, a card at 4 px/mm without corners."""
    size = (_WIDTH // SUPER, _HEIGHT // SUPER)
    share = cv2.resize(mask, size, interpolation=cv2.INTER_AREA)[..., None].astype(np.float32) / 255
    field = cv2.resize(inside, size, interpolation=cv2.INTER_AREA)[..., None].astype(np.float32) / 255
    ink, ground, margin = colours
    picture = (ink * share + ground * (1 - share)) * field + margin * (1 - field)
    return np.asarray(np.clip(picture + 0.5, 0, 255), dtype=np.uint8)


def _scene(rng: Generator) -> Pixels:
    """Something like a picture: clouds of a few colours behind a margin, or a soft gradient."""
    height, width = 352, 252
    total = np.zeros((height, width), np.float32)
    for cell in (6, 12, 25, 50):
        grid = rng.standard_normal((cell * height // width + 2, cell), dtype=np.float32)
        total += np.asarray(cv2.resize(grid, (width, height), interpolation=cv2.INTER_CUBIC)) / np.float32(
            cell**0.5
        )
    colours = np.stack([_hue(rng.uniform(0, 360), rng.uniform(0, 1), rng.uniform(0.1, 1)) for _ in range(5)])
    place = (total - total.min()) / max(float(np.ptp(total)), 1e-6) * 3.999
    low = place.astype(int)
    share = (place - low)[..., None]
    if rng.random() < 0.5:
        share = np.round(share)
    picture = colours[low] * (1 - share) + colours[low + 1] * share
    if rng.random() < 0.4:
        picture = picture[::-1, ::-1] if rng.random() < 0.3 else (picture + picture[::-1, ::-1]) / 2
    margin = round(rng.choice([0, rng.uniform(2, 5)]) * 4)
    if margin:
        whole = np.full((height, width, 3), 250, np.float32)
        whole[margin:-margin, margin:-margin] = picture[margin:-margin, margin:-margin]
        picture = whole
    return np.asarray(np.clip(picture, 0, 255), dtype=np.uint8)


def _overprint(rng: Generator, picture: Pixels) -> Pixels:
    """A second ink for a medallion, or an ornament over a picture."""
    overlay = _new()
    _medallions(rng, overlay)
    _frames(rng, overlay, rng.uniform(0, 8) * MM)
    share = cv2.resize(overlay, picture.shape[1::-1], interpolation=cv2.INTER_AREA)[..., None] / np.float32(
        255
    )
    ink = _hue(rng.choice([0, 45, 220, 120]), rng.uniform(0, 1), rng.choice([0.1, 0.7, 1]))
    return np.asarray(picture * (1 - share) + ink * share, dtype=np.uint8)


def _procedural_art(rng: Generator) -> Pixels:
    picture = _scene(rng) if rng.random() < 0.06 else coloured(*design(rng), back_colours(rng))
    return _overprint(rng, picture) if rng.random() < 0.1 else picture


def procedural_back(rng: Generator) -> Pixels:
    """One back: (352, 252, 4) BGRA, most of them the same upside down."""
    return as_card(_procedural_art(rng))


def _twins(rng: Generator) -> tuple[Pixels, Pixels]:
    mask, inside = design(rng)
    first = back_colours(rng)
    other = back_colours(rng)
    while np.abs(other[0] - first[0]).max() < 70:
        other = back_colours(rng)
    two_inks = np.abs(first[1] - first[2]).max() > 1
    second = other if two_inks else [other[0], first[1], first[2]]
    return coloured(mask, inside, first), coloured(mask, inside, second)


def back_pair_twins(rng: Generator) -> tuple[Pixels, Pixels]:
    """Two backs of one design that differ only in their ink, as the usual red and blue decks do."""
    first, second = _twins(rng)
    return as_card(first), as_card(second)


def store_back(root: Path, split: Split, index: int) -> None:
    """Draw back `index` of a split into the cache unless it is there; every third is one of two twins."""
    path = drawn_back_path(root, split, index)
    if path.exists():
        return
    first_seed = FIRST_SEED[split]
    if index % 3 == 2:
        pair = _twins(np.random.default_rng([3, first_seed + index // 6]))
        picture = pair[index // 3 % 2]
    else:
        picture = _procedural_art(np.random.default_rng([2, first_seed + index]))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_png(path, picture)
