"""Printed markers that lie on a table beside the cards (`vision/geometry/markers.py` looks for them)."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.photos.phone import Table
from datasets.scene import Scene
from vision.geometry.markers import IDS, SIDE_MM, draw_marker

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float64]

#: mm of white paper around a marker, least and most, and of the table that stays free around the paper.
PAPER, FREE = (6.0, 10.0), 3.0
#: Px of a marker's picture, and how white paper is.
ART_PX, WHITE = 240, 238
#: Spots that are tried in each quarter of the picture.
TRIES = 300


def lay_markers(
    rng: np.random.Generator, scene: Scene, table: Table, ground: Pixels
) -> list[list[list[float]]]:
    """Draws the markers on `ground` ((H, W, 3), the table as the camera sees it), in place, where no card lies.

    One in each quarter of the picture, as far out as there is room; one for which there is none is left out. Gives the
    corners of those that lie there, px.
    """
    taken = [scene.project(card.corners_mm()) for card in scene.cards]
    middle = np.array([scene.width / 2, scene.height / 2])
    laid = []
    quarters = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    for number, way in zip(IDS, quarters, strict=True):
        paper = SIDE_MM / 2 + float(rng.uniform(*PAPER))
        spots = [_spot(rng, scene, way, paper) for _ in range(TRIES)]
        free = [spot for spot in spots if _is_free(spot, scene, table, taken, paper)]
        if not free:
            continue
        away = [float(np.hypot(*(scene.project(spot).mean(axis=0) - middle))) for spot in free]
        best = free[int(np.argmax(away))]
        _print(ground, scene, best, number, paper)
        taken.append(scene.project(best))
        printed = best.mean(axis=0) + (best - best.mean(axis=0)) * (SIDE_MM / 2 / paper)
        laid.append(np.round(scene.project(printed), 2).tolist())
    return laid


def _spot(rng: np.random.Generator, scene: Scene, way: tuple[int, int], paper: float) -> Floats:
    """(4, 2) mm: corners of a paper of half this side somewhere in a quarter of the picture."""
    middle = np.array([scene.width / 2, scene.height / 2])
    at = middle * (1 + np.array(way) * rng.uniform(0.25, 1.0, 2))
    mm = np.linalg.inv(scene.to_picture) @ (*at, 1.0)
    turn = float(rng.uniform(0, 2 * np.pi)) if rng.random() < 0.3 else float(rng.normal(0, 0.1))
    c, s = np.cos(turn), np.sin(turn)
    square = paper * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    return np.asarray(square @ np.array([[c, s], [-s, c]]) + mm[:2] / mm[2])


def _is_free(spot: Floats, scene: Scene, table: Table, taken: list[Floats], paper: float) -> bool:
    """Is a spot in the picture, on the table and under no card?"""
    seen = scene.project(spot)
    if (seen < 1).any() or (seen > (scene.width - 1, scene.height - 1)).any():
        return False
    low, high = spot.min(axis=0), spot.max(axis=0)
    if (low < (table.left, table.top)).any() or (high > (table.right, table.bottom)).any():
        return False
    wide = scene.project(spot.mean(axis=0) + (spot - spot.mean(axis=0)) * (1 + FREE / paper))
    return not any(
        cv2.intersectConvexConvex(wide.astype(np.float32), other.astype(np.float32))[0] > 0 for other in taken
    )


def _print(ground: Pixels, scene: Scene, paper_mm: Floats, number: int, paper: float) -> None:
    rim = round(ART_PX * (paper / SIDE_MM - 0.5))
    art = np.clip(draw_marker(number, ART_PX), 25, WHITE).astype(np.uint8)
    art = np.pad(art, rim, constant_values=WHITE)
    side = float(len(art))
    # a px is where its middle is
    source = np.array([[0, 0], [side, 0], [side, side], [0, side]], dtype=np.float32) - 0.5
    target = (scene.project(paper_mm) - 0.5).astype(np.float32)
    seen_px = float(np.linalg.norm(target[1] - target[0]))
    if seen_px < side:
        shrink = seen_px / side
        small = cv2.resize(art, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
        art = np.asarray(small, dtype=np.uint8)
        source = (source + 0.5) * len(art) / side - 0.5
    matrix = cv2.getPerspectiveTransform(source.astype(np.float32), target)
    size = (ground.shape[1], ground.shape[0])
    printed = cv2.warpPerspective(art, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    cover = cv2.warpPerspective(np.full_like(art, 255), matrix, size, flags=cv2.INTER_LINEAR)
    share = (cover.astype(np.float32) / 255)[..., None]
    ground[:] = (ground * (1 - share) + printed[..., None] * share).astype(np.uint8)
