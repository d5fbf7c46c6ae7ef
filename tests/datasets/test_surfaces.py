"""Tables and clutter: the right size, the same again by seed, and never one plain colour by mistake."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from datasets.decks import AssetError
from datasets.surfaces import KINDS, THINGS, banked_surface, clutter, surface
from datasets.surfaces.bank import bank_surface
from datasets.surfaces.photos import read_pattern


@pytest.mark.parametrize("kind", KINDS)
def test_a_surface_is_made_again_by_its_seed(kind: str) -> None:
    first, again, other = (surface(np.random.default_rng(s), 150, 220, 1.8, kind=kind) for s in (4, 4, 5))
    assert first.shape == (150, 220, 3)
    assert first.dtype == np.uint8
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_surfaces_vary_in_light_and_colour() -> None:
    means = np.array([surface(np.random.default_rng(k), 60, 60, 1.5).mean(axis=(0, 1)) for k in range(40)])
    assert means.mean(axis=1).min() < 70
    assert means.mean(axis=1).max() > 180
    assert np.ptp(means, axis=1).max() > 60


def test_patterns_grow_with_the_scale() -> None:
    """Tiles of so many mm cover more px at more px/mm: fewer edges in the same number of px."""

    def edges(scale: float) -> float:
        pictures = [surface(np.random.default_rng(k), 200, 200, scale, kind="newsprint") for k in range(4)]
        return float(np.mean([np.abs(np.diff(p.astype(int), axis=0)).mean() for p in pictures]))

    assert edges(1.2) > 1.5 * edges(6.0)


@pytest.mark.parametrize("kind", THINGS)
def test_clutter_is_cut_out(kind: str) -> None:
    for seed in range(4):
        item = clutter(np.random.default_rng(seed), 2.0, kind)
        assert item.ndim == 3
        assert item.shape[2] == 4
        assert max(item.shape[:2]) <= 350 * 2
        assert item[..., 3].max() > 100
        assert np.array_equal(item, clutter(np.random.default_rng(seed), 2.0, kind))


def test_the_bank_is_laid_out_at_any_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("datasets.surfaces.bank.SIDE", 200)
    monkeypatch.setenv("NERTS_CACHE", str(tmp_path))
    rng = np.random.default_rng(0)
    with pytest.raises(AssetError, match="no train surfaces"):
        banked_surface(rng, 90, 120, 1.5)
    for split in ("tune", "figures"):
        bank_surface(tmp_path, split, 0)  # type: ignore[arg-type]
    first, again = (banked_surface(np.random.default_rng(1), 90, 120, 1.5, "tune") for _ in range(2))
    assert first.shape == (90, 120, 3)
    assert np.array_equal(first, again)
    stored = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "surfaces").iterdir()}
    bank_surface(tmp_path, "tune", 0)
    assert {path.name: path.stat().st_mtime_ns for path in (tmp_path / "surfaces").iterdir()} == stored


@pytest.mark.parametrize("depth", [1, 3, 4])
def test_patterns_are_read_in_colour(depth: int) -> None:
    pixels = np.arange(2 * 3 * depth, dtype=np.uint8).reshape(2, 3, depth)
    name = b"some\0"
    header = struct.pack(">5I", 24 + len(name), 1, 3, 2, depth) + b"GPAT" + name
    picture = read_pattern(header + pixels.tobytes())
    assert picture.shape == (2, 3, 3)
    assert np.array_equal(picture[..., 2], pixels[..., 0])
