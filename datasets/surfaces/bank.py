"""A bank of surfaces drawn beforehand: much faster to lay out than to draw anew."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

import cv2
import numpy as np

from datasets.decks.manifest import AssetError, Split
from datasets.decks.store import FIRST_SEED, cache_folder
from datasets.files import put
from datasets.surfaces.drawn import surface
from datasets.surfaces.noise import Pixels

#: Side of a banked picture, px.
SIDE = 1280


def banked_path(root: Path, split: Split, index: int) -> Path:
    """Where the bank keeps its picture `index` of a split."""
    return root / "surfaces" / f"{split}-{index:04d}.jpg"


def scale_of(split: Split, index: int) -> float:
    """The px/mm that banked picture `index` was drawn for."""
    return float(np.random.default_rng([7, FIRST_SEED[split] + index]).uniform(1.0, 3.2))


def bank_surface(root: Path, split: Split, index: int) -> None:
    """Draw picture `index` of the bank unless it is there."""
    path = banked_path(root, split, index)
    if path.exists():
        return
    rng = np.random.default_rng([11, FIRST_SEED[split] + index])
    picture = surface(rng, SIDE, SIDE, scale_of(split, index), split)
    path.parent.mkdir(parents=True, exist_ok=True)
    done, jpeg = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 92])
    if not done:
        raise AssetError(f"{path}: could not be encoded")
    put(path, jpeg.tobytes())


@cache
def _banked(root: Path, split: Split) -> tuple[tuple[Path, float], ...]:
    paths = sorted((root / "surfaces").glob(f"{split}-*.jpg"))
    return tuple((path, scale_of(split, int(path.stem.rpartition("-")[2]))) for path in paths)


@lru_cache(maxsize=48)
def _read(path: Path) -> Pixels:
    picture = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if picture is None:
        raise AssetError(f"{path}: not a picture; delete it and run scripts.build.assets --surfaces 480")
    return np.asarray(picture, dtype=np.uint8)


def banked_surface(
    rng: np.random.Generator, height: int, width: int, px_per_mm: float, split: Split = "train"
) -> Pixels:
    """A surface out of the bank, turned, mirrored, zoomed and tinted at random: (height, width, 3) BGR.

    Raises AssetError where the bank is empty: `scripts/build/assets.py --surfaces 480` fills it.
    """
    bank = _banked(cache_folder(), split)
    if not bank:
        raise AssetError(f"no {split} surfaces in {cache_folder()}; run scripts.build.assets --surfaces 480")
    path, scale = bank[int(rng.integers(0, len(bank)))]
    zoom = float(np.clip(px_per_mm / scale * rng.uniform(0.7, 1.4), 0.3, 2.0))
    angle = rng.choice([0.0, 90.0, 180.0, 270.0, rng.uniform(0, 360)])
    centre = rng.uniform(0, SIDE, 2)
    cosine, sine = np.cos(np.radians(angle)) / zoom, np.sin(np.radians(angle)) / zoom
    to_bank = np.array([[cosine, -sine, 0], [sine, cosine, 0]])
    to_bank[:, 2] = centre - to_bank[:, :2] @ (width / 2, height / 2)
    source = _read(path)
    if zoom < 0.6:
        source = np.asarray(cv2.resize(source, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
        to_bank /= 2
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    laid = cv2.warpAffine(source, to_bank, (width, height), flags=flags, borderMode=cv2.BORDER_REFLECT)
    gain = rng.uniform(0.75, 1.15) * (1 + rng.normal(0, 0.05, 3))
    tables = np.clip(np.arange(256)[:, None] * gain[None, :], 0, 255).astype(np.uint8)
    return np.asarray(cv2.LUT(laid, tables[None]), dtype=np.uint8)
