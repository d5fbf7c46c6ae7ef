"""A table that is going to be watched is no photo of spread backs, and what a look at all of it takes is given back."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from drawn_rows import PX_MM, line, still

from vision.detect.finder import Finder, SpreadFinder
from vision.eye import Eye
from vision.found import Found

#: MB that may be left of what a look at a whole table took; kept, it would be more than twice as much.
LEFT_MB = 90.0


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def test_backs_of_a_table_to_be_watched_are_not_asked_of_the_finder_of_spreads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On the stairs of `nuts` it took 15 s a look, and a gigabyte."""
    asked = []
    find = SpreadFinder.find

    def asks(self: SpreadFinder, image: np.ndarray, scale: float = 1.0) -> Found:
        asked.append(scale)
        return find(self, image, scale)

    monkeypatch.setattr(SpreadFinder, "find", asks)
    eye, image = Eye(threads=1), still(line(12)).image
    followed = eye.see(image, to_follow=True)
    assert not asked
    assert len(eye.see(image).cards) >= len(followed.cards) > 3
    assert asked


def test_of_a_watched_table_all_else_is_told_where_no_back_is_named() -> None:
    eye, image = Eye(threads=1), still(line(4, 70.0)).image
    plane = np.diag([1 / PX_MM, 1 / PX_MM, 1.0])
    named = eye.see(image, to_table=plane).cards
    plain = eye.see(image, to_table=plane, names_backs=False).cards
    assert len(named) == len(plain) > 2
    for one, other in zip(named, plain, strict=True):
        assert (one.side, one.face, one.confidence) == (other.side, other.face, other.confidence)
        assert (one.corners == other.corners).all() and (one.visible == other.visible).all()
    assert any(card.back is not None for card in named)
    assert all(card.back is None and card.rim is None for card in plain)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="tells its memory otherwise")
def test_what_a_look_at_a_whole_table_took_is_given_back() -> None:
    finder = Finder(threads=1).giving_back()
    finder.find(np.zeros((64, 64, 3), np.uint8))
    table = np.full((1080, 1920, 3), 90, np.uint8)
    picture = still(line(5, 70.0)).image[:1000]
    table[: picture.shape[0], : picture.shape[1]] = picture
    before = resident_mb()
    assert len(finder.find(table, 1.4 / PX_MM * 1.2).middle) >= 5
    assert resident_mb() - before < LEFT_MB
