"""Wood: boards, planks, parquet."""

from __future__ import annotations

import numpy as np

from datasets.surfaces.noise import Colour, Field, fractal, hsv, mixed, smooth, white

Generator = np.random.Generator


def _species(rng: Generator) -> tuple[Colour, Colour]:
    """Early and late wood of one species, BGR."""
    kind = rng.integers(0, 6)
    hue, saturation, value = [
        (32.0, 0.40, 0.85),  # maple, birch
        (28.0, 0.52, 0.66),  # oak
        (20.0, 0.58, 0.42),  # walnut
        (14.0, 0.66, 0.48),  # cherry, mahogany
        (30.0, 0.18, 0.58),  # weathered, grey wash
        (34.0, 0.10, 0.88),  # white wash
    ][kind]
    hue += rng.normal(0, 5)
    saturation *= rng.uniform(0.7, 1.25)
    value *= rng.uniform(0.6, 1.12)
    late = rng.uniform(0.55, 0.9)
    return hsv(hue, saturation, value), hsv(hue - 4, saturation * 1.1, value * late)


def _grain(rng: Generator, height: int, width: int, scale: float) -> Field:
    """Grain that runs along x, 0 to 1; `scale` is px/mm."""
    wander = fractal(rng, height, width, 60 * scale, 3, stretch=rng.uniform(4, 9))
    across = np.arange(height, dtype=np.float32)[:, None] / np.float32(scale)
    rings = np.sin(
        across * np.float32(2 * np.pi / rng.uniform(4, 22)) + wander * np.float32(rng.uniform(1, 6))
    )
    sharp = np.float32(rng.uniform(0.6, 2.5))
    fibres = smooth(rng, height, width, max(1.0, 0.5 * scale), 30 * scale)
    pores = smooth(rng, height, width, 1, max(2.0, 6 * scale))
    share = 0.5 + 0.5 * np.tanh(rings * sharp)
    weights = rng.uniform((0.2, 0.05, 0.0), (0.6, 0.2, 0.15))
    return np.asarray(0.3 + weights[0] * (share - 0.5) + weights[1] * fibres + weights[2] * pores, np.float32)


def _planks(rng: Generator, height: int, width: int, scale: float) -> tuple[Field, Field]:
    """(light of each plank, darkness of the joints) for planks along x."""
    breadth = rng.uniform(60, 200) * scale
    length = rng.uniform(400, 1500) * scale
    row = (np.arange(height) + rng.uniform(0, breadth)) / breadth
    index = row.astype(int)
    starts = rng.uniform(0, length, index[-1] + 1)
    along = (np.arange(width)[None, :] + starts[index][:, None]) / length
    column = along.astype(int)
    tones = rng.normal(0, rng.uniform(0.02, 0.13), (index[-1] + 1, column.max() + 1))
    light = tones[index[:, None], column].astype(np.float32)
    joint = rng.uniform(0.4, 2.0) * scale
    edge = np.minimum(row % 1, 1 - row % 1)[:, None] * breadth
    end = np.minimum(along % 1, 1 - along % 1) * length
    dark = np.clip(1.2 - np.minimum(edge, end) / max(joint, 0.5), 0, 1).astype(np.float32)
    return light, dark * np.float32(rng.uniform(0.1, 0.8))


def wood(rng: Generator, height: int, width: int, scale: float) -> Field:
    """A wooden table or floor: BGR 0 to 1, `scale` px/mm."""
    early, late = _species(rng)
    picture = mixed(early, late, _grain(rng, height, width, scale))
    picture *= (1 + np.float32(0.07) * fractal(rng, height, width, 150 * scale, 2, stretch=3))[..., None]
    if rng.random() < 0.55:
        light, dark = _planks(rng, height, width, scale)
        picture *= ((1 + light) * (1 - dark))[..., None]
    picture *= (1 + np.float32(rng.uniform(0, 0.025)) * white(rng, height, width))[..., None]
    return picture


def parquet(rng: Generator, height: int, width: int, scale: float) -> Field:
    """Blocks of short planks whose direction alternates."""
    early, late = _species(rng)
    block = rng.uniform(60, 300) * scale
    along, across = _grain(rng, height, width, scale), _grain(rng, width, height, scale).T
    ys, xs = np.mgrid[0:height, 0:width].astype(np.float32) / np.float32(block)
    turned = (ys.astype(int) + xs.astype(int)) % 2 == 1
    strips = int(rng.integers(1, 7))
    strip = np.where(turned, xs % 1, ys % 1) * strips
    end = np.where(turned, ys % 1, xs % 1)
    names = (ys.astype(int) * 131 + xs.astype(int) * 37 + strip.astype(int) * 17) % 251
    tones = rng.normal(0, rng.uniform(0.03, 0.15), 251).astype(np.float32)[names]
    edge = np.minimum(np.minimum(strip % 1, 1 - strip % 1) / strips, np.minimum(end, 1 - end)) * block
    dark = np.clip(1.2 - edge / max(0.7 * scale, 0.6), 0, 1) * rng.uniform(0.2, 0.7)
    picture = mixed(early, late, np.where(turned, across, along))
    return np.asarray(picture * ((1 + tones) * (1 - dark))[..., None], np.float32)
