"""Weights of figures by which a count may be off, from counts that are exact or not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

#: How far a weight may be from what was set by hand, standard deviation of its logarithm.
FREE = 0.8


def likeliest(figures: Floats, exact: Flags, begun: Floats, held: Flags | None = None) -> Floats:
    """(n,) weights, the likeliest for (m, n) figures of counts of which (m,) are exact, near those `begun` with; those
    `held` (n,) are these.

    The number that a count is off by is taken for a Poisson variable with the weighted sum of its figures as its mean.
    """

    free = np.ones(len(begun)) if held is None else 1.0 - held

    def weights(freedom: Floats) -> Floats:
        return np.asarray(begun * np.exp(freedom * free), dtype=np.float64)

    def loss(freedom: Floats) -> float:
        off = np.maximum(figures @ weights(freedom), 1e-9)
        unlikely = np.where(exact, off, -np.log(-np.expm1(-off)))
        return float(unlikely.sum() + (freedom**2).sum() / (2 * FREE**2))

    return weights(minimize(loss, np.zeros(len(begun))).x)
