"""The path-traced renderer: prepares sheets and light, lays the surface under them, develops what was traced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from datasets.lighting import Lamp, sample_lighting
from datasets.path.atlas import atlas_of
from datasets.path.llvm import check
from datasets.path.mesh import triangles_of
from datasets.path.tracer import Table, Traced, denoised, trace
from datasets.render import Art, Painting, Pixels, lay_over, sample_style
from datasets.renderers import Ground
from datasets.resting import covered_by, lifted
from datasets.scene import PlacedCard, Scene

Floats = NDArray[np.float64]

#: px of a surface picture's longer side at most.
LARGEST_GROUND = 2048
#: Paper gives back less light than a picture of it says, which is white at 255.
PAPER = 0.93


@dataclass(frozen=True)
class PathRenderer:
    """Cards as sheets of 0.3 mm in a lit room; raises RendererError where Mitsuba or its LLVM is missing."""

    #: px of a picture's longer side at most: larger scenes are drawn smaller.
    longest: int = 1280
    #: Rays a px.
    samples: int = 8
    relit: bool = False
    trouble: float = 0.6

    def __post_init__(self) -> None:
        check()

    def ground(self, scene: Scene, px_per_mm: float) -> Ground:
        """All of the table that is in view, at the picture's scale where that is not too much."""
        low, high = _in_view(scene)
        wide, high_mm = (high - low).tolist()
        scale = min(px_per_mm * self._factor(scene), LARGEST_GROUND / max(wide, high_mm))
        return Ground(max(16, round(high_mm * scale)), max(16, round(wide * scale)), scale)

    def prepared(self, rng: np.random.Generator, scene: Scene) -> Scene:
        """The scene with a style, light, bent cards at their heights, and not too large."""
        factor = self._factor(scene)
        reach = max(scene.width, scene.height) / scene.px_per_mm() / 2
        style = sample_style(rng)
        lighting = sample_lighting(rng, reach, lambda lamp: not _in_the_picture(scene, lamp))
        smaller = replace(
            scene,
            width=round(scene.width * factor),
            height=round(scene.height * factor),
            camera=scene.camera.scaled(factor),
            cards=_bent(rng, scene.cards),
            style=style,
            lighting=lighting,
        )
        return self.settled(smaller)

    def settled(self, scene: Scene) -> Scene:
        """Every card on what lies under it."""
        return replace(scene, cards=lifted(scene.cards))

    def paint(
        self, scene: Scene, decks: Sequence[Art], surface: Pixels, extras: Sequence[tuple[int, Pixels]] = ()
    ) -> Painting:
        """Follows light through the scene; takes seconds."""
        if scene.style is None or scene.lighting is None:
            raise ValueError("the scene has no style or light: prepare it first")
        low, high = _in_view(scene)
        tint = tuple(PAPER * share for share in scene.style.tint)
        width_px = max((card.width for card in scene.cards), default=63.0) * scene.px_per_mm()
        atlas, slots = atlas_of(scene.cards, decks, tint, width_px)  # type: ignore[arg-type]
        traced = trace(
            scene.camera,
            (scene.width, scene.height),
            triangles_of(scene.cards, slots) if scene.cards else None,
            atlas,
            Table(surface, (low[0], low[1]), (high[0], high[1])),
            scene.lighting,
            self.samples,
        )
        image, ids = developed(traced), traced.ids
        lay_over(image, ids, extras)
        return Painting(image, ids)

    def _factor(self, scene: Scene) -> float:
        return min(1.0, self.longest / max(scene.width, scene.height))


def developed(traced: Traced) -> Pixels:
    """(H, W, 3) BGR as a camera's automatic writes it: exposed, mostly balanced for the light, with a shoulder."""
    light = np.maximum(denoised(traced), 0)
    grey = light @ np.array([0.2126, 0.7152, 0.0722], dtype=np.float32)
    gain = 0.7 / max(float(np.percentile(grey, 98)), 2.0 * float(grey.mean()), 1e-6)
    cast = light.mean(axis=(0, 1)) / np.maximum(traced.albedo.mean(axis=(0, 1)), 1e-3)
    balance = (cast.mean() / np.maximum(cast, 1e-6)) ** 0.75
    bright = light * gain * balance.astype(np.float32)
    shot = np.where(bright < 0.8, bright, 1 - 0.2 * np.exp(-(bright - 0.8) / 0.2))
    srgb = np.where(shot <= 0.0031308, 12.92 * shot, 1.055 * np.maximum(shot, 1e-8) ** (1 / 2.4) - 0.055)
    return np.ascontiguousarray(np.clip(np.round(255 * srgb), 0, 255).astype(np.uint8)[..., ::-1])


def _bent(rng: np.random.Generator, cards: list[PlacedCard]) -> list[PlacedCard]:
    """Cards of one deck bend alike; what lies on a card presses it flat."""
    decks = max((card.deck for card in cards), default=0) + 1
    habit = np.clip(rng.normal(0, 0.7, decks), -1.1, 1.1)
    own = np.clip(rng.normal(0, 0.25, len(cards)), -0.4, 0.4)
    pressed = 1 / (1 + 0.4 * covered_by(cards))
    return [
        replace(card, curl=round(float((habit[card.deck] + bend) * press), 4))
        for card, bend, press in zip(cards, own, pressed, strict=True)
    ]


def _in_the_picture(scene: Scene, lamp: Lamp) -> bool:
    """May any of a lamp hang between the camera and the table?"""
    x, y, z = lamp.position
    reach = 0.75 * lamp.side
    eye = scene.camera.position()[2]
    if z - reach > eye:
        return False
    if z + reach > eye - 1:
        return True
    ends = (-reach, reach)
    around = np.array([(x + dx, y + dy, z + dz) for dx in ends for dy in ends for dz in ends])
    px = scene.camera.project(around)
    return bool((px.max(axis=0) > 0).all() and (px.min(axis=0) < (scene.width, scene.height)).all())


def _in_view(scene: Scene) -> tuple[Floats, Floats]:
    """Least and greatest x and y of the table in the picture, mm."""
    corners = np.array([[0, 0, 1], [scene.width, 0, 1], [scene.width, scene.height, 1], [0, scene.height, 1]])
    seen = corners @ np.linalg.inv(scene.to_picture).T
    points = seen[:, :2] / seen[:, 2:]
    return points.min(axis=0), points.max(axis=0)
