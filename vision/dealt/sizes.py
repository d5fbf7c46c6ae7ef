"""How large the cards of each deck look where they lie: seen aslant, those that are farther are smaller."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vision.layout import CARD_HEIGHT_MM, CARD_WIDTH_MM, Floats

#: So many cards tell the size of their deck's.
TELL = 3
#: Sizes change over the table where cards lie so far apart (mm), so much a mm at most; off by this share at least.
APART_MM, STEEPEST, LEAST_OFF = 60.0, 1.5e-3, 0.01
#: Rounds in which sizes that are far off, two at once among them, come to weigh less.
ROUNDS = 6


def usual_sizes(
    measured: Sequence[tuple[float, float] | None], labels: Sequence[str | None], places: Floats
) -> list[tuple[float, float]]:
    """mm: width and height that one card has, for each card.

    `measured`: mm, as far as they could be, some of two at once; `labels`: their decks; `places`: (n, 2) mm on the table.
    """
    known = np.array([size or (np.nan, np.nan) for size in measured], dtype=np.float64).reshape(-1, 2)
    usual = np.tile((CARD_WIDTH_MM, CARD_HEIGHT_MM), (len(known), 1)).astype(np.float64)
    told = np.isfinite(known[:, 0])
    if told.any():
        usual[:] = np.median(known[told], axis=0)
    for label in set(labels):
        mine = np.array([its == label for its in labels])
        if (mine & told).sum() >= TELL:
            usual[mine] = np.median(known[mine & told], axis=0)
    factor = _over_the_table(np.log(known[told] / usual[told]).mean(axis=1), places[told], places)
    return [(float(wide), float(high)) for wide, high in usual * factor[:, None]]


def _over_the_table(log_sizes: Floats, places: Floats, everywhere: Floats) -> Floats:
    """By what factor cards are larger at every place, as a plane tells it that is laid through these logarithms."""
    if len(log_sizes) < 2 * TELL or np.ptp(places, axis=0).max() < APART_MM:
        return np.ones(len(everywhere))
    middle = places.mean(axis=0)
    lines = np.column_stack([np.ones(len(places)), places - middle])
    weights = np.ones(len(places))
    # a place has to be told by many cards before it changes their size
    held = np.diag([0.0, APART_MM**2, APART_MM**2])
    for _ in range(ROUNDS):
        plane = np.linalg.solve(
            (lines * weights[:, None]).T @ lines + held, (lines * weights[:, None]).T @ log_sizes
        )
        weights = 1 / np.maximum(np.abs(log_sizes - lines @ plane), LEAST_OFF)
        weights /= weights.max()
    plane[1:] = plane[1:].clip(-STEEPEST, STEEPEST)
    return np.asarray(np.exp(np.column_stack([np.ones(len(everywhere)), everywhere - middle]) @ plane))
