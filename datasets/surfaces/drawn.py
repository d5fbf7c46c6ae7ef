"""Surfaces drawn from nothing, or from fetched textures."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from datasets.decks.manifest import Split
from datasets.surfaces import cloth, hard, paper, photos, wood
from datasets.surfaces.noise import Field, Pixels, to_pixels

Make = Callable[[np.random.Generator, int, int, float], Field]

#: Every procedural kind and how often it is drawn.
KINDS: dict[str, tuple[Make, float]] = {
    "wood": (wood.wood, 5),
    "parquet": (wood.parquet, 1),
    "felt": (cloth.felt, 3),
    "plain_cloth": (cloth.plain_cloth, 2.5),
    "tartan": (cloth.tartan, 2),
    "printed": (cloth.printed, 2.5),
    "leather": (cloth.leather, 1),
    "carpet": (cloth.carpet, 2),
    "plain": (hard.plain, 2),
    "marble": (hard.marble, 1),
    "granite": (hard.granite, 1),
    "tiles": (hard.tiles, 2),
    "brushed": (hard.brushed, 0.7),
    "glass": (hard.glass, 1),
    "newsprint": (paper.newsprint, 1.2),
}
#: Share of fetched textures where the cache has them.
_PHOTOS = 0.22


def _make(rng: np.random.Generator, height: int, width: int, scale: float, split: Split, kind: str) -> Field:
    if kind == "photo":
        return photos.photo(rng, height, width, scale, split)
    return KINDS[kind][0](rng, height, width, scale)


def _choose(rng: np.random.Generator, split: Split) -> str:
    if rng.random() < _PHOTOS and photos.texture_files("surface", split):
        return "photo"
    weights = np.array([weight for _, weight in KINDS.values()])
    return str(rng.choice(list(KINDS), p=weights / weights.sum()))


def surface(
    rng: np.random.Generator,
    height: int,
    width: int,
    px_per_mm: float,
    split: Split = "train",
    kind: str | None = None,
) -> Pixels:
    """A table from straight above, without light: (height, width, 3) BGR.

    `kind` is one of `KINDS` or "photo" (fetched textures, a third of which only validation splits see), by
    default drawn at random. Patterns run in any direction.
    """
    kind = kind or _choose(rng, split)
    turn = rng.choice([0, 90, rng.uniform(0, 180)], p=[0.35, 0.25, 0.4])
    if turn == 0:
        return to_pixels(_make(rng, height, width, px_per_mm, split, kind))
    if turn == 90:
        return to_pixels(
            np.ascontiguousarray(_make(rng, width, height, px_per_mm, split, kind).swapaxes(0, 1))
        )
    side = int(np.ceil(np.hypot(height, width)))
    square = to_pixels(_make(rng, side, side, px_per_mm, split, kind))
    matrix = np.asarray(cv2.getRotationMatrix2D((side / 2, side / 2), turn, 1), np.float64)
    matrix[:, 2] += np.array([width - side, height - side]) / 2
    turned = cv2.warpAffine(square, matrix, (width, height), borderMode=cv2.BORDER_REFLECT)
    return np.asarray(turned, dtype=np.uint8)
