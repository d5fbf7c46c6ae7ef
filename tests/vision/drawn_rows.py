"""Rows of backs that the tests draw themselves, and what a finder would say of them."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.stills import Still
from datasets.truth import CardTruth
from vision.found import Found

Floats = NDArray[np.float64]
PX_MM = 1.7


def card(x: float, y: float, turn: float = 0.0, px_mm: float = PX_MM) -> Floats:
    """(4, 2) px of a card whose middle is at (x, y) mm."""
    w, h = 31.5, 44.0
    c, s = np.cos(turn), np.sin(turn)
    corners = np.array([[-w, -h], [w, -h], [w, h], [-w, h]]) @ np.array([[c, s], [-s, c]])
    return np.asarray((corners + np.array((x, y))) * px_mm)


def line(count: int, step: float = 12.0, sense: int = 1) -> Floats:
    """A row whose later cards lie on top, to the right (or to the left)."""
    turns = 0.03 * np.sin(np.arange(count) * 1.7)
    return np.array([card(60 + (k if sense > 0 else count - k) * step, 80.0, turns[k]) for k in range(count)])


def arc(count: int, radius: float = 300.0, step: float = 13.0) -> Floats:
    """Cards turned about a point far below them, the later ones on top."""
    turns = (np.arange(count) - count / 2) * step / radius
    return np.array([card(180 + radius * np.sin(t), 80 + radius * (1 - np.cos(t)), t) for t in turns])


def votes(quads: Floats, rng: np.random.Generator) -> tuple[Floats, Floats, Floats, Floats]:
    """Cells of the visible strips with votes that are far off along the row."""
    at, middle, long, short = [], [], [], []
    for number, quad in enumerate(quads):
        u = (quad[2] + quad[3] - quad[0] - quad[1]) / 4
        v = (quad[1] + quad[2] - quad[0] - quad[3]) / 4
        for a, b in rng.uniform(-0.95, 0.95, (60, 2)):
            point = quad.mean(axis=0) + a * v + b * u
            if any(
                cv2.pointPolygonTest(q.astype(np.float32), point.tolist(), False) > 0
                for q in quads[number + 1 :]
            ):
                continue
            at.append(point)
            middle.append(quad.mean(axis=0) + rng.normal(0, 0.3) * v + rng.normal(0, 0.01) * u)
            long.append(u * rng.choice((-1, 1)))
            short.append(v)
    return np.array(at), np.array(middle), np.array(long), np.array(short)


def still(quads: Floats, colours: list[tuple[int, int, int]] | None = None) -> Still:
    """A picture of the cards: white margins about a striped ground."""
    size = (np.ceil(quads.max(axis=(0, 1))) + 120).astype(int)
    image = np.full((size[1], size[0], 3), (70, 110, 60), np.uint8)
    for number, quad in enumerate(quads):
        colour = colours[number % len(colours)] if colours else (150, 60, 40)
        middle = quad.mean(axis=0)
        for shrink, ink in ((1.0, (238, 240, 242)), (0.88, colour), (0.8, (225, 225, 220)), (0.76, colour)):
            shape = np.round((middle + (quad - middle) * shrink) * 16).astype(np.int32)
            cv2.fillPoly(image, [shape], ink, cv2.LINE_AA, 4)
        edge = np.round(quad * 16).astype(np.int32)
        cv2.polylines(image, [edge], True, (120, 120, 120), 1, cv2.LINE_AA, 4)
    noise = np.random.default_rng(1).normal(0, 3, image.shape)
    shot = np.clip(cv2.GaussianBlur(image, (0, 0), 0.7) + noise, 0, 255).astype(np.uint8)
    truths = [CardTruth(q.tolist(), "AS", False, 0, 0, k, 1.0, None, [], False) for k, q in enumerate(quads)]
    return Still(shot, truths, PX_MM)


def found_of(quads: Floats, rng: np.random.Generator) -> Found:
    """What a finder would say whose votes run together: fewer cards than there are, at wrong places along the row."""
    at, _, _, _ = votes(quads, rng)
    few = quads[:: max(1, len(quads) // 5)]
    middle = few.mean(axis=1)
    nearest = np.argmin(np.linalg.norm(at[:, None] - middle[None], axis=2), axis=1)
    long = (few[:, 2] + few[:, 3] - few[:, 0] - few[:, 1]) / 4
    short = (few[:, 1] + few[:, 2] - few[:, 0] - few[:, 3]) / 4
    count = len(few)
    return Found(
        middle=middle,
        long=long,
        short=short,
        back=np.ones(count),
        confidence=np.ones(count),
        support=np.bincount(nearest, minlength=count).astype(float) + 1,
        evidence=np.tile((0.9, 0.1, 0.1), (count, 1)),
        cells_at=at,
        cells_card=nearest,
        hands=[],
    )
