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

#: What is left of doubts where something else tells how many there are: of those about designs where as many as that
#: play; of those about cards where the faces give as many as are seen without them, or as many once they settled which
#: doubtful ones are cards. More than one error may still cancel out (docs/lab/photos.md, "Totals as witnesses").
WITNESSED, AGREED, SETTLED = 0.3, 0.2, 0.4
#: With so much less doubt all decks are sure together only if this is the probability that all are exact: a card of one
#: deck that is taken for another's leaves the total as it is.
TOGETHER = 0.9
ABOUT_CARDS = (
    *("hardly cards", "hardly cards, seen once", "hardly none", "photos disagree", "slivers", "wide strips"),
    *("overlapped without a rim", "cards", "cards seen aslant", "cards seen small"),
)
ABOUT_DESIGNS = ("a design that may be two", "a deck")


@dataclass(frozen=True, slots=True)
class Model:
    """Weights of the figures, none below 0, and the probabilities from which on counts are sure.

    What is amiss with one deck is seldom amiss with that one alone: a card that is another deck's is missing there. So
    less is asked of each deck where all are as sure.
    """

    weights: Floats
    #: Of a deck, where every deck reaches it.
    bound: float
    #: Of a deck beside others that do not.
    alone: float

    def exact(self, figures: Floats, *, cards: float = 1.0, designs: bool = False) -> float:
        """That a count of these (n,) figures is exact; what the faces leave of doubts about `cards`, and whether as many
        people play as there are `designs`."""
        left = np.ones(len(FIGURES))
        for share, about in ((cards, ABOUT_CARDS), (WITNESSED if designs else 1.0, ABOUT_DESIGNS)):
            left[[FIGURES.index(name) for name in about]] = share
        return float(np.exp(-(figures * left @ self.weights)))


@cache
def models() -> tuple[Model, Model]:
    """Of decks of one photo, and of several."""
    told = tomllib.loads(files("referee.photos").joinpath("certain.toml").read_text("utf-8"))
    return _model(told["one"]), _model(told["several"])


def _model(told: dict[str, float]) -> Model:
    return Model(
        np.array([float(told[name]) for name in FIGURES]), float(told["bound"]), float(told["alone"])
    )
