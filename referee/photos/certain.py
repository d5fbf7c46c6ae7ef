"""How likely a deck's count is exact, and whether that is enough to be sure of it.

A logistic model of the figures of `referee/photos/evidence.py`, of decks seen in one photo and in several. Its numbers
stand in `certain.toml`, with what they were fitted to; `scripts/calibrate/counts.py` fits them.
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


@dataclass(frozen=True, slots=True)
class Model:
    """Weights of the figures, their constant, and the probability from which on a count is sure."""

    weights: Floats
    constant: float
    bound: float

    def exact(self, figures: Floats) -> float:
        """That a count of these (n,) figures is exact."""
        return float(1 / (1 + np.exp(-(self.constant + figures @ self.weights))))


@cache
def models() -> tuple[Model, Model]:
    """Of decks of one photo, and of several."""
    told = tomllib.loads(files("referee.photos").joinpath("certain.toml").read_text("utf-8"))
    return _model(told["one"]), _model(told["several"])


def _model(told: dict[str, float]) -> Model:
    weights = np.array([float(told[name]) for name in FIGURES])
    return Model(weights, float(told["constant"]), float(told["bound"]))
