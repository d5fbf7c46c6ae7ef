"""What can be read on a card overrules what the finder took its side for; rows show one side."""

from __future__ import annotations

import numpy as np
import pytest

from vision.faces.sides import odds_of_back


def odds(back: float, readable: float, best: float, fraction: float) -> float:
    """Of one card, whose best face takes `best` of what is readable."""
    chances = np.zeros((1, 52))
    chances[0, 7], chances[0, 8:] = best, (readable - best) / 44
    return float(odds_of_back(np.array([back]), chances, np.array([fraction]))[0])


@pytest.mark.parametrize("fraction", [0.15, 0.25, 1.0])
def test_a_court_that_looks_like_a_back_shows_its_face_once_it_is_read(fraction: float) -> None:
    assert odds(0.8, 0.99, 0.8, fraction) < 0


@pytest.mark.parametrize("fraction", [0.1, 0.3, 1.0])
def test_a_back_on_which_nothing_can_be_read_is_one(fraction: float) -> None:
    assert odds(0.6, 0.04, 0.01, fraction) > 0


def test_a_strip_of_a_back_is_not_a_face_because_the_reader_guesses() -> None:
    assert odds(0.97, 0.5, 0.15, 0.12) > 0


def test_the_more_can_be_read_the_less_it_is_a_back() -> None:
    read = [odds(0.5, readable, 0.9 * readable, 0.3) for readable in np.linspace(0.02, 0.98, 9)]
    assert (np.diff(read) < 0).all()
