"""Which pictures the eye is measured on: drawn with decks that nothing was trained or tuned on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from datasets.decks import Split
from datasets.sets import PictureSet
from datasets.stills import Still


@dataclass(frozen=True, slots=True)
class Measured:
    """One set of pictures."""

    told: str
    #: Settings of its `PictureSet`.
    settings: Mapping[str, Any]
    #: Share of the asked number of pictures that is drawn.
    share: float = 1.0
    #: What is done to a picture before it is looked at.
    harm: Callable[[np.random.Generator, Still], Still] | None = None

    def pictures(self, split: Split, seed: int, number: int) -> PictureSet:
        """The set as the digital table draws it."""
        return PictureSet.model_validate({"pictures": number, "seed": seed, "split": split, **self.settings})


def stressed(rng: np.random.Generator, still: Still) -> Still:
    """The picture in bad light, blurred and compressed (JPEG 30)."""
    image = still.image.astype(np.float32)
    rows, columns = np.mgrid[0 : image.shape[0], 0 : image.shape[1]]
    turn = float(rng.uniform(0, 2 * np.pi))
    ramp = (columns * np.cos(turn) + rows * np.sin(turn)) / max(image.shape[:2])
    light = np.exp(rng.uniform(-1.1, -0.3) + rng.uniform(0.3, 0.9) * (ramp - ramp.mean()))
    image *= light[..., None] * np.exp(rng.normal(0, 0.12, 3))
    # a lamp in the varnish
    x, y = rng.uniform((0, 0), image.shape[1::-1])
    image += (
        150 * np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / (2 * (0.12 * image.shape[1]) ** 2))[..., None]
    )
    image = cv2.GaussianBlur(image, (0, 0), float(rng.uniform(0.6, 1.3))).astype(np.float32)
    image += rng.normal(0, rng.uniform(3, 9), image.shape)
    done, data = cv2.imencode(".jpg", np.clip(image, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 30])
    assert done
    still.image = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), dtype=np.uint8)
    return still


_TABLE = {"what": "layouts", "game": "nerts", "progress": (0.1, 0.9)}
SETS: dict[str, Measured] = {
    "tables": Measured("tables of Nerts, 1.6 to 2.6 px/mm", {**_TABLE, "px_per_mm": (1.6, 2.6)}),
    "far": Measured("tables of Nerts, 1.1 to 1.6 px/mm", {**_TABLE, "px_per_mm": (1.1, 1.6)}),
    "games": Measured(
        "tables of every game, 1.2 to 2.6 px/mm", {"what": "layouts", "px_per_mm": (1.2, 2.6)}, 0.5
    ),
    "few": Measured("spreads of 12 to 40 backs", {"what": "endings", "cards": (12, 40)}),
    "some": Measured("spreads of 40 to 80 backs", {"what": "endings", "cards": (40, 80)}),
    "many": Measured("spreads of 80 to 110 backs", {"what": "endings", "cards": (80, 110)}),
    "printed": Measured(
        "spreads of 12 to 110 backs as printers print them",
        {"what": "endings", "cards": (12, 110), "backs": "printed"},
    ),
    "leftovers": Measured("left-over Nerts piles", {"what": "leftovers"}),
    "tops": Measured("tops of the foundations by phone", {"what": "tops"}),
    "fans": Measured("hands of faces laid open by phone", {"what": "fans"}),
    "marked": Measured(
        "tables of Nerts with four markers, 1.2 to 2.2 px/mm",
        {**_TABLE, "px_per_mm": (1.2, 2.2), "markers": True},
        0.5,
    ),
    "stress": Measured(
        "tables of Nerts, 1.6 to 2.6 px/mm, in bad light, glare, blur, JPEG 30",
        {**_TABLE, "px_per_mm": (1.6, 2.6)},
        0.5,
        stressed,
    ),
}
