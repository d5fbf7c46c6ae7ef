"""What tells right ways from wrong ones is found again, and heaps are judged by a fit without them."""

from __future__ import annotations

import numpy as np
import pytest

from scripts.calibrate.turned import Ways, fitted, left_out

#: By how much a way suits better, log odds of the card as it was found, what is amiss.
TRUE = np.array([1.5, -0.5, -12.0])


def drawn(rng: np.random.Generator, count: int) -> Ways:
    """Two ways of so many cards of ten heaps, right or not as `TRUE` says."""
    told = np.column_stack([rng.normal(0, 2, count), rng.normal(2, 2, count), rng.uniform(0, 0.4, count)])
    right = rng.random(count) < 1 / (1 + np.exp(-told @ TRUE))
    card = np.column_stack([np.arange(count) % 10, np.arange(count) // 20])
    return Ways(told, right, ~right, card)


def test_weights_come_out_as_they_were_put_in() -> None:
    ways = drawn(np.random.default_rng(5), 20_000)
    weights = fitted(ways.told, ways.right)
    assert weights[:3] == pytest.approx(TRUE, rel=0.1)
    assert weights[3] == pytest.approx(0, abs=0.15)


def test_a_heap_is_judged_by_what_the_others_say() -> None:
    ways = drawn(np.random.default_rng(6), 2_000)
    right, wrong = left_out(ways)
    assert right > 3 * wrong > 0
    # a heap in which everything is the other way round is turned wrongly, whatever it says itself
    odd = ways.card[:, 0] == 3
    turned = np.where(odd, ~ways.right, ways.right)
    other_right, other_wrong = left_out(Ways(ways.told, turned, ~turned, ways.card))
    assert other_right < right and other_wrong > wrong
