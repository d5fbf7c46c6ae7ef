"""The interval of what comes in clusters is as wide as the clusters differ."""

from __future__ import annotations

import pytest

from scripts.intervals import clustered, wilson


def test_clusters_that_differ_by_chance_alone_change_nothing() -> None:
    assert clustered([9, 9, 9, 9], [10, 10, 10, 10]) == pytest.approx(wilson(36, 40))
    assert clustered([40], [50]) == pytest.approx(wilson(40, 50))
    assert clustered([10, 10], [10, 10]) == pytest.approx(wilson(20, 20))
    assert clustered([], []) == clustered([0], [0]) == (0.0, 1.0)


def test_faults_that_come_together_tell_less() -> None:
    """Of ten hands one was lost whole: that is one in ten, not twenty in two hundred."""
    low, high = clustered([0] + [20] * 9, [20] * 10)
    alone = wilson(180, 200)
    assert low < alone[0] - 0.1 and high > alone[1]
    # as many faults, each hand with its two
    assert clustered([18] * 10, [20] * 10) == pytest.approx(alone)
    one_in_ten = wilson(9, 10)
    assert low == pytest.approx(one_in_ten[0], abs=0.05)
