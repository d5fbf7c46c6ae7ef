"""How large the cards of each deck look where they lie: seen aslant, those that are farther are smaller."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.layout import Floats

#: So many cards tell the size of their deck's.
TELL = 3
#: Sizes change over the table where cards lie so far apart (mm), so much a mm at most; off by this share at least.
APART_MM, STEEPEST, LEAST_OFF = 60.0, 1.5e-3, 0.01
#: Rounds in which sizes that are far off, two at once among them, come to weigh less.
ROUNDS = 6


def grown(corners: Sequence[Floats], labels: Sequence[str | None], px_per_mm: float) -> Floats:
    """By what factor cards look larger where each of these lies; (4, 2) px of the picture each, and their decks."""
    places = np.array([quad.mean(axis=0) for quad in corners]).reshape(-1, 2) / px_per_mm
    areas = np.array([cv2.contourArea(quad.astype(np.float32)) for quad in corners])
    logs = np.log(np.maximum(areas, 1.0)) / 2
    usual = np.full(len(logs), np.median(logs))
    for label in set(labels):
        mine = np.array([its == label for its in labels])
        if mine.sum() >= TELL:
            # cards of one deck may all lie where cards look larger
            usual[mine] = np.median(logs[mine])
    return _over_the_table(logs - usual, places, places)


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
