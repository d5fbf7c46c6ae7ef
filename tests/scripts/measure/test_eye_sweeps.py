"""Figures on sweeps: what is certified by all frames and by the sharpest, and what is exact."""

from __future__ import annotations

import numpy as np

from datasets.truth import CardTruth
from referee.photos.scoring import score_photos
from scripts.measure.eyes.sweeps import SweepRecord, Sweeps, exact
from vision.layout import Layout, SeenCard


def test_shares_are_of_films() -> None:
    records = [
        SweepRecord((True, True), (True, True), 4),
        SweepRecord((False, False), (True, True), 3),
        SweepRecord((False, True), (True, False), 4),
        SweepRecord((False, False), (False, False), 2),
    ]
    told = [str(measured).split()[0] for _, _, measured in Sweeps(records).rows()]
    assert told == ["0.750", "0.250", "0.500", "0.500", "0.750"]


def test_counts_are_exact_whatever_decks_are_called() -> None:
    corners = np.array([[0, 0], [63, 0], [63, 88], [0, 88]], dtype=float)
    places = [corners + np.array([90.0 * n, 0.0]) for n in range(5)]
    backs = ["red", "red", "blue", "blue", "blue"]
    cards = [SeenCard(at, "back", at, 1.0, 0.99, back=b) for at, b in zip(places, backs, strict=True)]
    score = score_photos([Layout(900, 100, 1.0, cards)])

    def truth(*decks: int) -> list[CardTruth]:
        return [
            CardTruth([], f"{n}", False, deck, 0, n, 1.0, None, [], False) for n, deck in enumerate(decks)
        ]

    assert exact(score, truth(1, 1, 1, 0, 0))
    assert not exact(score, truth(1, 1, 1, 1, 0))
    assert not exact(score, truth(1, 1, 1, 0, 2))
