"""A dealing is made up as its truth tells it."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from datasets.dealt.plan import WAYS, draw_counts, draw_habits, plan_dealing, table_for
from datasets.evening.plan import lying_after
from datasets.film.compositor import LOOSE


@pytest.mark.parametrize("way", WAYS)
def test_every_card_that_is_dealt_untidily_stays_painted(way: Any) -> None:
    rng = np.random.default_rng(4)
    decks: Any = [SimpleNamespace(width=63.0, height=88.0)] * 2
    table = table_for(1000.0, 1000.0, decks, "south", left=False)
    plan = plan_dealing(table, "south", draw_habits(rng, way), draw_counts(rng, 2, 40), rng)
    dealt = {lying.place for motion in plan.film.motions for lying in motion.put} - {"stack"}
    assert dealt and all(any(loose in place for loose in LOOSE) for place in dealt)


@pytest.mark.parametrize("seed", range(12))
def test_what_lies_there_in_the_end_is_what_the_events_tell(seed: int) -> None:
    rng = np.random.default_rng(seed)
    decks: Any = [SimpleNamespace(width=63.0, height=88.0)] * int(rng.integers(2, 5))
    dealer = ("south", "north", "east")[seed % 3]
    size = (1000.0, 1000.0)
    table = table_for(*size, decks, dealer, left=seed % 4 == 0)
    counts = draw_counts(rng, len(decks))
    assert 40 <= sum(counts.values()) <= 110
    plan = plan_dealing(table, dealer, draw_habits(rng, WAYS[seed % 3]), counts, rng)
    told: Counter[str] = Counter()
    for event in plan.events:
        for owner in event.owners:
            told[owner] += -1 if event.kind == "taken back" else 1
    lying = lying_after(plan.film)
    assert dict(told) == plan.counts == dict(Counter(each.card.seat for each in lying))
    assert all(each.place != "stack" and not each.pose.face_up for each in lying)
    half = np.array(size) / 2 - 40
    assert all(abs(each.pose.x) < half[0] and abs(each.pose.y) < half[1] for each in lying)
    # one hand does one thing at a time
    assert all(before.end <= after.deed.reached for before, after in pairwise(plan.film.motions))
