"""How likely a deck's count is exact, and whether that is enough to be sure of it.

The figures of `referee/photos/evidence.py` are numbers of cards by which a count may be off. How many it is off by is
taken for a Poisson variable with the weighted sum of these as its mean, so that no doubt ever speaks for a count, which
is exact if that is 0. The weights, of decks seen in one photo and in several, stand in `certain.toml` with what they were
fitted to; `scripts/calibrate/counts.py` fits them.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from referee.photos.evidence import FIGURES

Floats = NDArray[np.float64]

#: By how much fewer cards a count is off by where something else tells how many there are: the faces' total, or as many
#: players as there are designs. Set by hand, with care: that would need hands whose truth is known.
WITNESS = 0.6


@dataclass(frozen=True, slots=True)
class Model:
    """Weights of the figures, none below 0, and the probability from which on a count is sure."""

    weights: Floats
    bound: float

    def exact(self, figures: Floats, witnesses: int = 0) -> float:
        """That a count of these (n,) figures is exact; `witnesses`: how many other things agree with it."""
        return float(np.exp(-(figures @ self.weights) * WITNESS**witnesses))


@cache
def models() -> tuple[Model, Model]:
    """Of decks of one photo, and of several."""
    told = tomllib.loads(files("referee.photos").joinpath("certain.toml").read_text("utf-8"))
    return _model(told["one"]), _model(told["several"])


def _model(told: dict[str, float]) -> Model:
    return Model(np.array([float(told[name]) for name in FIGURES]), float(told["bound"]))
