"""Bands for the row reader out of photos: what the eye takes for a row there, with the edges that can be seen.

A photo is drawn as from above, a little wrongly, as the eye does; its cards are said to lie about where they do, as by
a finder; and whatever then looks like a row, lengthwise ones, parts of rows and of heaps too, is straightened.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.bands import BandTruth, edges_in, visible_edges
from datasets.scene import Scene
from datasets.stills import Still
from vision.found import Found
from vision.geometry.plane import apply
from vision.geometry.polygons import within
from vision.layout import CARD_HEIGHT_MM, CARD_WIDTH_MM
from vision.rows.reader import band_of, rows_of

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]

#: How wrongly a plane is told: stretch, and how much nearer the table comes across half the picture.
STRETCHED, NEARER = 0.022, 0.03
#: Width of a card in the picture from above at most, and how far (mm) it goes beyond the cards.
MOST_CARD_PX, BEYOND_MM = 240.0, 70.0
#: Cells across a card's width; share of the cards that are overlooked; a card has at least so many cells.
CELLS, OVERLOOKED, LEAST_CELLS = 18, 0.07, 5
#: How often errors are those of a second reading, and how large these are.
AGAIN, SMALLER = 0.5, 0.25
#: How often only a part of a row is taken for one; most single cards of a photo that are.
PARTS, SINGLES = 0.35, 2


def bands_in(still: Still, rng: np.random.Generator) -> list[BandTruth]:
    """Rows and some single cards of a photo with its scene, each straightened."""
    assert still.scene is not None
    image, quads = _from_above(still, still.scene, rng)
    decks = np.array([-1 if card.face_up else card.deck for card in still.cards])
    found = glimpsed(quads, np.array([card.pile for card in still.cards]), decks, rng)
    result = []
    for view, corners in ((found, quads), (found.turned(), quads[:, [1, 2, 3, 0]])):
        seen = visible_edges(corners)
        for group in _groups(view, rng):
            band = band_of(view, group)
            if band is not None:
                edges = edges_in(band, corners, seen, decks)
                result.append(BandTruth(band.sample(image), edges))
    return result


def glimpsed(
    corners: Floats, piles: NDArray[np.intp], decks: NDArray[np.intp], rng: np.random.Generator
) -> Found:
    """The cards at `corners` (n, 4, 2) px, painted in order, as a finder would find them.

    Cards of one of the `piles` (n,) share a part of the error; `decks` (n,): -1 for faces.
    """
    middle = corners.mean(axis=1)
    long = (corners[:, 2] + corners[:, 3] - corners[:, 0] - corners[:, 1]) / 4
    short = (corners[:, 1] + corners[:, 2] - corners[:, 0] - corners[:, 3]) / 4
    width = 2 * float(np.median(np.linalg.norm(short, axis=1)))
    points = np.stack(np.meshgrid(*2 * [np.linspace(-0.94, 0.94, CELLS)]), axis=2).reshape(-1, 2)
    kept: list[int] = []
    cells, of_card = [], []
    for card in range(len(corners)):
        mine = middle[card] + points[:, :1] * short[card] + points[:, 1:] * long[card]
        for other in corners[card + 1 :]:
            mine = mine[~within(mine, other)]
        if len(mine) >= LEAST_CELLS and rng.random() >= OVERLOOKED:
            of_card.append(np.full(len(mine), len(kept)))
            kept.append(card)
            cells.append(mine)
    rows = np.array(kept, dtype=np.intp)
    told = _misjudged(middle[rows], long[rows], short[rows], piles[rows], rng)
    number = len(rows)
    return Found(
        *told,
        back=(decks[rows] >= 0).astype(np.float64),
        confidence=np.ones(number),
        support=np.array([len(mine) for mine in cells], dtype=np.float64),
        evidence=np.ones((number, 3)),
        cells_at=np.concatenate([*cells, np.zeros((0, 2))]),
        cells_card=np.concatenate([*of_card, np.zeros(0)]).astype(np.intp),
        hands=[],
        cell_px=width * CARD_HEIGHT_MM / CARD_WIDTH_MM / CELLS,
    )


def _misjudged(
    middle: Floats, long: Floats, short: Floats, piles: NDArray[np.intp], rng: np.random.Generator
) -> tuple[Floats, Floats, Floats]:
    """Middles and half axes with a finder's errors: large along a row, small across it."""
    number, size = len(middle), SMALLER if rng.random() < AGAIN else 1.0
    common = rng.normal(0, (0.02, 0.06), (int(piles.max(initial=0)) + 1, 2))[piles]
    turn = size * (common[:, 0] + rng.normal(0, 0.03, number))
    stretch = np.exp(size * (common[:, 1] + rng.normal(0, 0.02, number)))[:, None]
    along, over = size * rng.normal(0, 0.1, number), size * rng.normal(0, 0.012, number)
    c, s = np.cos(turn)[:, None], np.sin(turn)[:, None]
    turned = [c * axis + s * np.stack([-axis[:, 1], axis[:, 0]], axis=1) for axis in (long, short)]
    moved = middle + 2 * along[:, None] * short + 2 * over[:, None] * long
    return moved, turned[0] * stretch, turned[1] * np.exp(size * rng.normal(0, 0.04, number))[:, None]


def _groups(found: Found, rng: np.random.Generator) -> list[NDArray[np.intp]]:
    groups = []
    for row in rows_of(found):
        if rng.random() < PARTS:
            order = np.argsort(found.middle[row] @ rng.normal(0, 1, 2))
            first, last = np.sort(rng.integers(0, len(row) + 1, 2))
            row = row[order[first:last]]
        groups.append(row)
    single = rng.permutation(len(found))[: int(rng.integers(0, SINGLES + 1))]
    return [*(row for row in groups if len(row)), *single[:, None]]


def told_plane(still: Still, scene: Scene, rng: np.random.Generator) -> Floats:
    """(3, 3) px -> mm of a photo as the eye has it: a little wrong, about the middle of its cards."""
    plane = np.asarray(np.linalg.inv(scene.to_picture), dtype=np.float64)
    mm = apply(plane, np.array([card.corners for card in still.cards]).reshape(-1, 2))
    reach = float(np.ptp(mm, axis=0).max()) / 2
    wrong: Floats = np.eye(3)
    a, b = rng.normal(0, STRETCHED, 2)
    wrong[:2, :2] += [[a, b], [b, -a]]
    wrong[2, :2] = rng.normal(0, NEARER, 2) / reach
    middle: Floats = np.eye(3)
    middle[:2, 2] = -mm.mean(axis=0)
    return np.asarray(wrong @ middle @ plane, dtype=np.float64)


def _from_above(still: Still, scene: Scene, rng: np.random.Generator) -> tuple[Pixels, Floats]:
    """The picture as the eye draws it from above, and (n, 4, 2) px of the cards in it."""
    corners = np.array([card.corners for card in still.cards])
    plane = told_plane(still, scene, rng)
    seen = apply(plane, corners.reshape(-1, 2))
    low, high = seen.min(axis=0) - BEYOND_MM, seen.max(axis=0) + BEYOND_MM
    scale = min(MOST_CARD_PX / CARD_WIDTH_MM, 1.1 * scene.px_per_mm())
    place: Floats = np.array([[scale, 0, -low[0] * scale], [0, scale, -low[1] * scale], [0, 0, 1]])
    matrix = place @ plane
    width, height = np.ceil((high - low) * scale).astype(int)
    image = cv2.warpPerspective(
        still.image, matrix, (int(width), int(height)), flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(image, dtype=np.uint8), apply(matrix, corners.reshape(-1, 2)).reshape(-1, 4, 2)
