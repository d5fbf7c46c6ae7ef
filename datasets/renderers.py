"""What every renderer does: prepares a scene, says which surface it wants, and paints.

Two are built in: `fast` (flat cards in OpenCV, `render.py`) and `path` (path-traced sheets, `path/`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, Protocol

import numpy as np

from datasets.render import Art, ArtShelf, Painting, Pixels, paint, sample_style
from datasets.scene import Scene

RendererName = Literal["fast", "path"]


class RendererError(Exception):
    """A renderer cannot work here; the message says what it needs."""


class Ground(NamedTuple):
    """The surface picture that a renderer wants."""

    rows: int
    columns: int
    px_per_mm: float


class Renderer(Protocol):
    """Draws scenes; everything else about a picture is the same whoever draws it."""

    @property
    def relit(self) -> bool:
        """Does the camera have to make up light and shadows (`expose`)?"""

    @property
    def trouble(self) -> float:
        """The share of a scene's `hardness` that its pictures still get from the camera."""

    def ground(self, scene: Scene, px_per_mm: float) -> Ground:
        """The size of the surface picture that `paint` takes; `px_per_mm` is the picture's own scale."""

    def prepared(self, rng: np.random.Generator, scene: Scene) -> Scene:
        """The scene with all that this renderer needs of it, drawn at random where it is not said."""

    def settled(self, scene: Scene) -> Scene:
        """The scene with its cards at the heights at which this renderer draws them."""

    def paint(
        self, scene: Scene, decks: Sequence[Art], surface: Pixels, extras: Sequence[tuple[int, Pixels]] = ()
    ) -> Painting:
        """A prepared and settled scene on `surface`; `extras` lie over the cards, as in `render.paint`."""


class FastRenderer:
    """Flat cards, soft shadows: about 0.3 s a picture."""

    relit = True
    trouble = 1.0

    def ground(self, scene: Scene, px_per_mm: float) -> Ground:
        """As large as the picture: the surface as the camera sees it."""
        return Ground(scene.height, scene.width, px_per_mm)

    def prepared(self, rng: np.random.Generator, scene: Scene) -> Scene:
        """The scene with a style."""
        return replace(scene, style=sample_style(rng))

    def settled(self, scene: Scene) -> Scene:
        """All cards flat on the table."""
        return replace(scene, cards=[replace(card, lift=(0.0, 0.0, 0.0, 0.0)) for card in scene.cards])

    def paint(
        self, scene: Scene, decks: Sequence[Art], surface: Pixels, extras: Sequence[tuple[int, Pixels]] = ()
    ) -> Painting:
        """Cards laid on the surface one by one."""
        if scene.style is None:
            raise ValueError("the scene has no style: prepare it first")
        return paint(scene, ArtShelf(decks), surface, scene.style, extras)


FAST = FastRenderer()


def renderer_of(name: RendererName) -> Renderer:
    """A renderer by name; raises RendererError where it cannot work."""
    if name == "fast":
        return FAST
    from datasets.path import PathRenderer

    return PathRenderer()
