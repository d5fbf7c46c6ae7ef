"""Alphabets for indices: the outlines of A, 2 to 10, J, Q, K from fonts, and strokes of our own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from datasets.decks.fetch import member_path
from datasets.decks.manifest import manifest
from datasets.decks.pen import Pen
from datasets.files import put

Points = NDArray[np.float64]
Generator = np.random.Generator

CHARACTERS = "A0123456789JQK"
ALPHABETS = "alphabets.json"


@dataclass(frozen=True, slots=True)
class Alphabet:
    """Characters as lines: capitals are 1 high, y runs down from the top to the baseline at 1."""

    name: str
    #: Character to its lines, each (n, 2) x, y; outlines where `stroke` is 0.
    lines: dict[str, list[Points]]
    #: Thickness of the lines as a share of the height, 0 for filled outlines.
    stroke: float = 0.0


@dataclass(frozen=True, slots=True)
class Rank:
    """One rank set in an alphabet, in px; its left edge is at x = 0, its top at y = 0."""

    lines: list[Points]
    width: float
    height: float
    stroke: float

    def draw(self, pen: Pen, x: float, y: float) -> None:
        """Draw it with its top left corner at (x, y)."""
        placed = [line + np.array([x, y]) for line in self.lines]
        if self.stroke > 0:
            for line in placed:
                pen.line(line, self.stroke)
        else:
            pen.fill_all(placed)


def set_rank(
    alphabet: Alphabet, rank: str, height: float, narrow: float = 1.0, slant: float = 0.0, bold: float = 0.0
) -> Rank:
    """Set "A" to "K" (T as 10) `height` px high; `narrow` squeezes, `slant` leans, `bold` adds px."""
    text = "10" if rank == "T" else rank
    lines: list[Points] = []
    start = 0.0
    stroke = alphabet.stroke * height
    gap = 0.09 * height + stroke
    for character in text:
        shape = [line * (height * narrow, height) for line in alphabet.lines[character]]
        left = min(float(line[:, 0].min()) for line in shape)
        right = max(float(line[:, 0].max()) for line in shape)
        lines += [line + np.array([start - left, 0]) for line in shape]
        start += right - left + gap * (0.8 if len(text) == 2 else 1)
    if len(text) == 2:
        lines = [line * (0.78, 1) for line in lines]
    lines = [np.stack([line[:, 0] + slant * (height - line[:, 1]), line[:, 1]], 1) for line in lines]
    low = np.min([line.min(axis=0) for line in lines], axis=0) - stroke / 2
    high = np.max([line.max(axis=0) for line in lines], axis=0) + stroke / 2
    lines = [line - low for line in lines]
    return Rank(lines, float(high[0] - low[0]), float(high[1] - low[1]), stroke + bold if stroke else 0.0)


def _arc(x: float, y: float, rx: float, ry: float, start: float, end: float) -> Points:
    angles = np.radians(np.linspace(start, end, 28))
    return np.stack([x + rx * np.cos(angles), y + ry * np.sin(angles)], 1)


def _bend(start: Sequence[float], control: Sequence[float], end: Sequence[float]) -> Points:
    t = np.linspace(0, 1, 20)[:, None]
    return np.asarray(
        (1 - t) ** 2 * np.array(start) + 2 * t * (1 - t) * np.array(control) + t**2 * np.array(end)
    )


def _path(*points: Sequence[float]) -> Points:
    return np.array(points, np.float64)


#: Where strokes end in a serif.
_FEET: dict[str, list[tuple[float, float]]] = {
    "A": [(0, 1), (1, 1)],
    "K": [(0.05, 0), (0.05, 1), (0.95, 0), (1, 1)],
    "J": [(0.8, 0)],
}


def _strokes(flat_three: bool, open_four: bool, foot: bool, serif: float) -> dict[str, list[Points]]:
    six = [_arc(0.5, 0.67, 0.5, 0.33, 0, 360), _bend((0.88, 0.03), (0.0, 0.12), (0.0, 0.67))]
    three_top = (
        _path((0.02, 0), (0.95, 0), (0.45, 0.42)) if flat_three else _arc(0.47, 0.26, 0.42, 0.26, 195, 450)
    )
    four = [_path((0.72, 1), (0.72, 0), (0, 0.7), (1, 0.7))]
    if open_four:
        four = [_path((0.4, 0), (0.0, 0.66), (1, 0.66)), _path((0.72, 0.35), (0.72, 1))]
    lines = {
        "A": [_path((0, 1), (0.5, 0), (1, 1)), _path((0.19, 0.64), (0.81, 0.64))],
        "0": [_arc(0.5, 0.5, 0.5, 0.5, 0, 360)],
        "1": [_path((0.12, 0.22), (0.5, 0), (0.5, 1))],
        "2": [np.concatenate([_arc(0.5, 0.29, 0.47, 0.29, 190, 395), _path((0.0, 1), (1, 1))])],
        "3": [three_top, _arc(0.45, 0.72, 0.5, 0.28, -100, 155)],
        "4": four,
        "5": [
            np.concatenate(
                [_path((0.93, 0), (0.15, 0), (0.08, 0.43)), _arc(0.45, 0.67, 0.52, 0.33, -130, 150)]
            )
        ],
        "6": six,
        "7": [_path((0, 0), (1, 0), (0.35, 1))],
        "8": [_arc(0.5, 0.25, 0.41, 0.25, 0, 360), _arc(0.5, 0.75, 0.5, 0.25, 0, 360)],
        "9": [1 - line for line in six],
        "J": [np.concatenate([_path((0.8, 0)), _arc(0.4, 0.68, 0.4, 0.32, 0, 170)])],
        "Q": [_arc(0.5, 0.5, 0.5, 0.5, 0, 360), _path((0.58, 0.66), (1.0, 1.04))],
        "K": [_path((0.05, 0), (0.05, 1)), _path((0.95, 0), (0.05, 0.62)), _path((0.35, 0.42), (1, 1))],
    }
    if foot:
        lines["1"].append(_path((0.15, 1), (0.85, 1)))
    if serif:
        for character, feet in _FEET.items():
            lines[character] += [_path((x - serif, y), (x + serif, y)) for x, y in feet]
    return lines


def own_alphabet(rng: Generator) -> Alphabet:
    """An alphabet of strokes with random proportions."""
    serif = rng.uniform(0.1, 0.2) if rng.random() < 0.5 else 0.0
    lines = _strokes(rng.random() < 0.2, rng.random() < 0.3, rng.random() < 0.5, serif)
    width = rng.uniform(0.42, 0.75)
    lines = {character: [line * (width, 1) for line in each] for character, each in lines.items()}
    lines["1"] = [line * (0.8, 1) for line in lines["1"]]
    return Alphabet("own", lines, rng.uniform(0.07, 0.2))


def _outlines(path: Path) -> dict[str, list[list[list[float]]]] | None:
    """The outlines of a font's characters, or None where its figures are not as high as its capitals."""
    from fontTools.pens.recordingPen import DecomposingRecordingPen
    from fontTools.ttLib import TTFont

    font = TTFont(path)
    glyphs, names = font.getGlyphSet(), font.getBestCmap()
    drawn: dict[str, list[Points]] = {}
    for character in CHARACTERS:
        pen = DecomposingRecordingPen(glyphs)
        glyphs[names[ord(character)]].draw(pen)
        drawn[character] = _flattened(pen.value)
    top = max(float(line[:, 1].max()) for line in drawn["K"])
    heights = [max(line[:, 1].max() for line in drawn[c]) / top for c in "0123456789"]
    feet = [min(line[:, 1].min() for line in drawn[c]) / top for c in "0123456789"]
    if min(heights) < 0.88 or max(heights) > 1.12 or min(feet) < -0.08:
        return None
    return {
        c: [np.round(np.stack([p[:, 0], top - p[:, 1]], 1) / top, 4).tolist() for p in lines]
        for c, lines in drawn.items()
    }


def _flattened(commands: list[tuple[str, Any]]) -> list[Points]:
    """A font outline with its curves as short lines."""
    contours: list[Points] = []
    current: list[NDArray[np.float64]] = []
    t = np.linspace(0, 1, 9)[1:, None]
    for name, raw in commands:
        points = [np.array(p, np.float64) for p in raw if p is not None]
        if name == "moveTo":
            current = [points[0][None]]
        elif name == "lineTo":
            current.append(points[0][None])
        elif name == "curveTo":
            a, (b, c, d) = current[-1][-1], points
            current.append((1 - t) ** 3 * a + 3 * t * (1 - t) ** 2 * b + 3 * t**2 * (1 - t) * c + t**3 * d)
        elif name == "qCurveTo":
            start = points[-1] if not current else current[-1][-1]
            if raw[-1] is None:  # a contour of off-curve points only
                start = (points[-1] + points[0]) / 2
                current = [start[None]]
                points = [*points, start]
            for k, control in enumerate(points[:-1]):
                end = points[-1] if k == len(points) - 2 else (control + points[k + 1]) / 2
                current.append((1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end)
                start = end
        elif current:
            contours.append(np.concatenate(current))
            current = []
    return contours


def build_alphabets(root: Path) -> None:
    """Take the characters out of the fetched fonts into one file of the cache."""
    found = {}
    for group in manifest().fonts:
        for name in group.members:
            outlines = _outlines(member_path(root / "members", group.archive, name))
            if outlines is not None:
                found[Path(name).stem] = outlines
    put(root / ALPHABETS, json.dumps(found))


@cache
def font_alphabets(root: Path) -> tuple[Alphabet, ...]:
    """The alphabets in the cache; none before scripts/build/assets.py has run."""
    path = root / ALPHABETS
    if not path.exists():
        return ()
    data = json.loads(path.read_text(encoding="utf-8"))
    return tuple(
        Alphabet(name, {c: [np.array(line, np.float64) for line in lines] for c, lines in shapes.items()})
        for name, shapes in sorted(data.items())
    )
