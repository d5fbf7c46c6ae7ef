"""A photograph of laid cards: phone, ground, hands, shadow and glare, then lens and sensor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from datasets.photos.phone import MakeSurface, hold_phone, lay_ground, table_around
from datasets.photos.photographer import cast_by_photographer, glare_of_lamp, hands_at_rim
from datasets.render import Art, ArtShelf, Pixels, expose, paint, sample_style
from datasets.scene import PlacedCard
from datasets.stills import Still
from datasets.truth import truth_of
from datasets.windows import Picture

#: Shares of the photographs with the photographer's shadow, a lamp's glare, and somebody's hands.
SHADOWS, GLARES, HANDS = 0.4, 0.35, 0.35
HARDNESS = 0.5


@dataclass(slots=True)
class Photograph(Picture):
    """A picture and by how many degrees the phone was tilted from straight down."""

    tilt: float


def photograph(
    rng: np.random.Generator, cards: Sequence[PlacedCard], decks: list[Art], surface: MakeSurface
) -> Photograph:
    """These cards on a table as a phone takes them; no hand hides the strip that a card shows."""
    phone = hold_phone(rng, cards)
    scene = phone.aim(cards, [str(i) for i in range(len(decks))])
    ground = lay_ground(rng, scene, surface, table_around(rng, cards))
    hands = hands_at_rim(rng, scene, int(rng.integers(1, 4))) if rng.random() < HANDS else []
    style = sample_style(rng)
    scene.style, scene.hardness = style, HARDNESS
    painting = paint(scene, ArtShelf(decks), ground, style, hands)
    image: Pixels = painting.image
    if rng.random() < GLARES:
        glare = glare_of_lamp(rng, scene, painting.ids)
        image = np.asarray(np.minimum(image + glare[..., None], 255), dtype=np.uint8)
    if rng.random() < SHADOWS:
        image = cast_by_photographer(rng, scene).fall(image)
    return Photograph(expose(image, rng, HARDNESS), scene, painting, float(np.degrees(phone.tilt)))


def still_of(picture: Photograph) -> Still:
    """A picture with the truth of its cards."""
    truth = truth_of(picture.scene, picture.painting)
    about = {"tilt": round(picture.tilt, 1)}
    return Still(picture.image, truth, picture.scene.px_per_mm(), about, picture.scene, picture.painting.ids)
