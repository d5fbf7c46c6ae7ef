"""How sure counts are is fitted to what lays gave: figures that go with wrong counts weigh more, bounds hold."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from datasets.truth import CardTruth
from referee.photos.evidence import FIGURES
from scripts.build.seen.kept import SeenPhoto
from scripts.calibrate import counts
from scripts.calibrate.counts import Counted, Deck, bounds_of, counted, fitted
from vision.layout import Layout, SeenCard

BEGUN = np.full(len(FIGURES), 0.05)


def deck(off: int, **figures: float) -> Deck:
    row = np.zeros(len(FIGURES))
    for name, value in figures.items():
        row[FIGURES.index(name.replace("_", " "))] = value
    return Deck(row, off, "asked")


def test_what_goes_with_wrong_counts_weighs_more_and_nothing_speaks_for_a_count() -> None:
    decks = [deck(1, hardly_cards=1.0, cards=20)] * 30 + [deck(0, hardly_none=1.0, cards=20)] * 30
    weights = fitted(decks, BEGUN)
    hardly_cards, hardly_none = (weights[FIGURES.index(name)] for name in ("hardly cards", "hardly none"))
    assert hardly_cards > 0.1 > 0.05 > hardly_none > 0
    assert (weights > 0).all()


def test_what_too_few_lays_tell_of_keeps_its_weight() -> None:
    row = FIGURES.index("overlapped without a rim")
    decks = [deck(0, overlapped_without_a_rim=5.0)] * 200 + [deck(1, hardly_cards=1.0)] * 5
    assert fitted(decks, BEGUN)[row] == BEGUN[row]


def test_the_bound_rises_until_what_is_certified_is_right() -> None:
    def lay(off: int, doubt: float) -> list[Counted]:
        return [Counted("few", "one", [deck(off, hardly_cards=doubt)], off == 0)]

    clear = [lay(0, 0.01)] * 60
    told = bounds_of(clear + [lay(1, 1.0)] * 12 + [lay(0, 1.0)] * 8, BEGUN)
    assert told.certified == (60, 60) and counts.LOWEST <= told.bound <= counts.HIGHEST


def test_more_is_asked_of_a_deck_beside_doubtful_ones_that_is_wrong_oftener() -> None:
    def lay(off: int) -> list[Counted]:
        decks = [deck(off, hardly_cards=0.3), deck(1, hardly_none=1.0)]
        return [Counted("few", "one", decks, False)]

    whole = [[Counted("few", "one", [deck(0, hardly_cards=0.3)], True)]] * 40
    told = bounds_of(whole + [lay(0)] * 20 + [lay(1)] * 2, BEGUN)
    assert told.certified == (40, 40)
    assert told.alone > counts.ALONE and told.decks == (0, 0)


def photo(*labels: str, true: tuple[int, ...]) -> SeenPhoto:
    """Cards side by side, called `labels`, which are of the decks `true`; what has none is not seen."""
    truth, cards = [], []
    for number, deck_of in enumerate(true):
        left = 100.0 * number
        corners = [[left, 0.0], [left + 63, 0.0], [left + 63, 88.0], [left, 88.0]]
        truth.append(
            CardTruth(corners, "AS", False, deck_of, number, 0, 1.0, None, [left, 0, 0, 63, 88], False)
        )
        if labels[number]:
            square = np.array(corners)
            cards.append(SeenCard(square, "back", square, 1.0, 0.99, back=labels[number], pile=number))
    return SeenPhoto(Layout(1000, 500, 1.0, cards), truth)


@pytest.mark.parametrize(
    ("labels", "exact", "off"),
    [
        (("red", "red", "blue", "blue"), True, [0, 0]),
        (("red", "red", "blue", ""), False, [1, 0]),
        (("red", "red", "red", "red"), False, [2]),
        (("red", "red", "blue", "red"), False, [1, 1]),
        (("red", "red", "blue", "green"), False, [0, 1, 1]),
    ],
)
def test_a_count_is_exact_if_every_deck_has_its_cards(
    labels: tuple[str, ...], exact: bool, off: list[int]
) -> None:
    told = counted("few", "one", [photo(*labels, true=(0, 0, 1, 1))])
    assert told.exact is exact
    assert sorted(deck.off for deck in told.decks) == sorted(off)


def test_too_few_lays_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert counts.main([str(tmp_path), "--out", str(tmp_path / "certain.toml")]) == 2
    assert "too few" in capsys.readouterr().err
    assert not (tmp_path / "certain.toml").exists()
