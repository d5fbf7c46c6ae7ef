"""Moments that never run backwards: as few as can be are moved, and no further than they must."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.umpire.telling.order import never_back

MOMENTS = st.lists(st.integers(0, 12).map(float), max_size=9)


def most_left(moments: list[float]) -> int:
    """By trying: how many can stay as they are."""
    for count in range(len(moments), 0, -1):
        for some in combinations(moments, count):
            if all(a <= b for a, b in pairwise(some)):
                return count
    return 0


@given(MOMENTS)
def test_the_fewest_are_moved_and_none_runs_back(moments: list[float]) -> None:
    told = never_back(moments)
    assert all(a <= b for a, b in pairwise(told))
    assert sum(a == b for a, b in zip(moments, told, strict=True)) >= most_left(moments)
    assert set(told) <= set(moments)


@pytest.mark.parametrize(
    ("moments", "told"),
    [
        ([5.0, 4.0], [5.0, 5.0]),
        ([6.0, 4.0, 5.0], [4.0, 4.0, 5.0]),
        ([1.0, 3.0, 4.0, 5.0, 6.0, 2.0, 2.0, 7.0], [1.0, 3.0, 4.0, 5.0, 6.0, 6.0, 6.0, 7.0]),
        ([1.0, 9.0, 2.0, 3.0, 4.0], [1.0, 2.0, 2.0, 3.0, 4.0]),
    ],
    ids=[
        "the later of two",
        "one that was seen late",
        "two that were seen too early",
        "one that was seen far too late",
    ],
)
def test_what_is_moved(moments: list[float], told: list[float]) -> None:
    assert never_back(moments) == told
