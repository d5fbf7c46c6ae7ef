"""What was seen of a picture, patched with a look at the part in which something changed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import cv2
import numpy as np
from hand_held import PLACES, ColourEye, seen_from, table

from vision.geometry.plane import apply
from vision.photos.following import Followed, Follower
from vision.photos.patching import carried, changed_area, patched

SPREAD = [("red" if k % 2 else "blue", at) for k, at in enumerate(PLACES[:10])]
APART = [*SPREAD[:3], ("red", (PLACES[3][0] + 12, PLACES[3][1] + 20)), *SPREAD[4:9], ("green", PLACES[11])]


def followed_to(cards: list[tuple[str, tuple[int, int]]], step: float) -> tuple[Followed, np.ndarray]:
    seen = seen_from(table(cards), step)
    followed = Follower(table(SPREAD)).follow(seen)
    assert followed is not None
    return followed, seen


def test_only_what_changed_is_looked_at_and_the_rest_is_kept() -> None:
    first = ColourEye().see(table(SPREAD))
    followed, seen = followed_to(APART, 3.0)
    area = changed_area(followed, first)
    inside = lambda at: cv2.pointPolygonTest(area.astype(np.float32), tuple(map(float, at)), False) >= 0  # noqa: E731
    truth = ColourEye().see(seen)
    there = [card for card in truth.cards if inside(card.centre)]
    assert {"red", "green"} <= {card.back for card in there}
    told = patched(first, followed, replace(truth, cards=there))
    assert Counter(card.back for card in told.cards) == Counter(colour for colour, _ in APART)
    spots = np.array([card.centre for card in told.cards])
    for card in truth.cards:
        assert np.linalg.norm(spots - card.centre, axis=1).min() < 4.0


def test_a_card_that_both_looks_show_counts_once_and_one_that_lay_still_is_not_lost() -> None:
    """A part sees all of its neighbours, too, and may miss one."""
    first = ColourEye().see(table(SPREAD))
    followed, seen = followed_to(APART, 2.0)
    all_of_it = ColourEye().see(seen)
    for missing in range(3):
        part = replace(all_of_it, cards=all_of_it.cards[:missing] + all_of_it.cards[missing + 1 :])
        whole = len(patched(first, followed, all_of_it).cards)
        assert whole == len(APART)
        assert whole - 1 <= len(patched(first, followed, part).cards) <= whole


def test_labels_of_a_part_become_those_of_the_whole() -> None:
    """A part is named by itself: its only blue is "blue", whatever it was before."""
    rng = np.random.default_rng(3)
    designs = {name: rng.uniform(0.2, 1.0, 22 * 16 * 3) for name in ("blue", "blue 2")}
    first = ColourEye().see(table([("blue", at) for at in PLACES[:6]]))
    for card in first.cards:
        card.back = "blue" if card.centre[0] < 250 else "blue 2"
        card.back_embedding = designs[card.back]
    moved = [*PLACES[:5], PLACES[8]]
    seen = table([("blue", at) for at in moved])
    followed = Follower(table([("blue", at) for at in PLACES[:6]])).follow(seen)
    assert followed is not None
    part = ColourEye().see(seen)
    part.cards = [card for card in part.cards if abs(card.centre[1] - (PLACES[8][1] + 35)) < 20]
    part.cards[0].back_embedding = designs["blue 2"]
    told = patched(first, followed, part)
    assert Counter(card.back for card in told.cards) == {"blue": 2, "blue 2": 4} or Counter(
        card.back for card in told.cards
    ) == Counter(card.back for card in first.cards)


def test_a_layout_is_carried_with_its_plane() -> None:
    first = ColourEye().see(table(SPREAD))
    onto = np.array([[0.9, 0.1, 20], [-0.1, 0.9, 10], [1e-5, 0, 1]])
    there = carried(first, onto)
    assert first.to_table is not None
    assert there.to_table is not None
    for one, other in zip(first.cards, there.cards, strict=True):
        assert np.allclose(apply(there.to_table, other.corners), apply(first.to_table, one.corners))
