"""Surfaces from fetched texture pictures, as mirrored tiles."""

from __future__ import annotations

import struct
from functools import cache
from pathlib import Path

import cv2
import numpy as np

from datasets.decks.fetch import member_path
from datasets.decks.manifest import Split, manifest
from datasets.decks.raster import decode
from datasets.decks.store import cache_folder
from datasets.surfaces.noise import Field, Pixels

Generator = np.random.Generator


def read_pattern(raw: bytes) -> Pixels:
    """A GIMP pattern (`.pat`) as BGR."""
    header, _, width, height, depth = struct.unpack(">5I", raw[:20])
    flat = np.frombuffer(raw, np.uint8, width * height * depth, header).reshape(height, width, depth)
    if depth < 3:
        return np.repeat(flat[..., :1], 3, axis=2)
    return np.ascontiguousarray(flat[..., 2::-1])


@cache
def texture_files(use: str, split: Split) -> tuple[Path, ...]:
    """The textures in the cache for a use ("surface" or "print"); validation splits share theirs."""
    wanted = "train" if split == "train" else "figures"
    root = cache_folder() / "members"
    paths = (
        member_path(root, group.archive, name)
        for group in manifest().textures
        if group.use == use and group.split == wanted
        for name in group.members
    )
    return tuple(path for path in paths if path.exists())


@cache
def read_texture(path: Path) -> Pixels:
    """A texture as BGR, at most 700 px."""
    raw = path.read_bytes()
    picture = read_pattern(raw) if path.suffix == ".pat" else decode(raw)[..., :3]
    side = max(picture.shape[:2])
    if side > 700:
        factor = 700 / side
        small = cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
        picture = np.asarray(small, dtype=np.uint8)
    return picture


def photo(rng: Generator, height: int, width: int, scale: float, split: Split = "train") -> Field:
    """A texture laid over the table in mirrored tiles, its hue and light changed; needs the cache."""
    files = texture_files("surface", split)
    texture = read_texture(files[int(rng.integers(0, len(files)))])
    small = max(texture.shape[:2]) < 300
    span = rng.uniform(60, 250) if small else rng.uniform(250, 900)
    factor = span * scale / max(texture.shape[:2])
    size = tuple(max(8, round(side * factor)) for side in texture.shape[1::-1])
    shrinking = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
    tile = cv2.resize(texture, size, interpolation=shrinking)
    right, bottom = max(0, width - size[0]), max(0, height - size[1])
    whole = cv2.copyMakeBorder(tile, 0, bottom, 0, right, cv2.BORDER_REFLECT)
    y = int(rng.integers(0, whole.shape[0] - height + 1))
    x = int(rng.integers(0, whole.shape[1] - width + 1))
    picture = whole[y : y + height, x : x + width].astype(np.float32) / 255
    gain = rng.uniform(0.6, 1.2) * (1 + rng.normal(0, 0.06, 3))
    return np.asarray(picture * gain.astype(np.float32), np.float32)
