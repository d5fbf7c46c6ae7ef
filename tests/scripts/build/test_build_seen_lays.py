"""Lays kept with what was seen of them: after a request what lay in its area, and only that, lies elsewhere."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from datasets.photos import phone as phones
from datasets.photos.lays import draw_lay
from datasets.stills import Still
from referee.photos.requests import inside
from referee.photos.spreads import asked_area
from scripts.build.seen.kept import SeenLay, SeenPhoto, kept_lays
from scripts.build.seen.lays import after_request, middles
from tests.datasets.plain import cloth, plain_decks
from vision.geometry.plane import lay_plane
from vision.layout import Layout, SeenCard


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Phones of fewer px."""
    monkeypatch.setattr(phones, "LONG", 1008)
    monkeypatch.setattr(phones, "SHORT", 756)


def seen(still: Still) -> Layout:
    """As an eye sees it that misses nothing and doubts the fourth card."""
    height, width = still.image.shape[:2]
    layout = Layout(width, height, 0.0)
    for number, at in middles(still).items():
        corners = np.array(still.cards[number].corners)
        card = SeenCard(
            corners, "back", at + np.array([[-2, -2], [2, -2], [2, 2], [-2, 2]]), 0.3, 0.99, back="red"
        )
        card.confidence = 0.6 if number == 3 else 0.99
        layout.cards.append(card)
    lay_plane(layout)
    return layout


def test_what_lay_in_the_area_lies_elsewhere_and_nothing_else_moved() -> None:
    lay, (still,) = draw_lay(np.random.default_rng(5), plain_decks(2), cloth, (16, 18))
    layout = seen(still)
    again = after_request(lay, still, layout)
    area = asked_area(layout)
    assert area is not None and again is not None
    before, after = ({(card.deck, card.face): card.mm for card in one.cards} for one in (still, again))
    assert before.keys() == after.keys()
    moved = {key for key in before if before[key] != after[key]}
    asked = {number for number, at in middles(still).items() if inside(area, at[None])[0]}
    assert moved == {(still.cards[number].deck, still.cards[number].face) for number in asked}
    assert 3 in asked and 1 <= len(asked) <= len(still.cards) / 4


def test_where_no_area_is_asked_for_nothing_is_spread_anew() -> None:
    lay, (still,) = draw_lay(np.random.default_rng(5), plain_decks(2), cloth, (12, 12))
    assert after_request(lay, still, Layout(1000, 800, 0.0)) is None


def test_lays_kept_before_a_field_was_new_are_read_without_it(tmp_path: Path) -> None:
    card = SeenCard(np.zeros((4, 2)), "back", np.zeros((4, 2)), 1.0, 0.9)
    layout = Layout(10, 10, 1.0, [card])
    del card.back_splits, layout.doubted
    photo = SeenPhoto(layout, [])
    (tmp_path / "00000.lay").write_bytes(pickle.dumps(SeenLay("few", photo, photo, None)))
    (lay,) = kept_lays(tmp_path)
    assert lay.first.layout.doubted == [] and lay.first.layout.cards[0].back_splits == ()
