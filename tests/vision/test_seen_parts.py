"""A part of a picture whose plane is known is looked at quickly, and shows what lies there."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_rows import PX_MM, card, line, still

from vision.eye import Eye
from vision.geometry.plane import apply
from vision.layout import Floats

#: From px of the drawn picture to mm: it is seen from above.
TO_TABLE = np.diag([1 / PX_MM, 1 / PX_MM, 1.0])


@pytest.fixture(scope="module")
def eye() -> Eye:
    return Eye(threads=1)


def around(quads: Floats, more: float) -> Floats:
    """(4, 2) px of the box around some cards, so many px larger."""
    (left, top), (right, bottom) = (
        quads.reshape(-1, 2).min(axis=0) - more,
        quads.reshape(-1, 2).max(axis=0) + more,
    )
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]])


def test_all_cards_of_a_part_are_seen_where_they_lie(eye: Eye) -> None:
    quads = line(5, 70.0)
    image = still(quads).image
    layout = eye.see_part(image, TO_TABLE, around(quads, 40.0), spread=True)
    assert (layout.width, layout.height) == (image.shape[1], image.shape[0])
    assert len(layout.cards) == len(quads)
    middles = np.array([one.centre for one in layout.cards])
    apart = np.linalg.norm(middles[:, None] - quads.mean(axis=1)[None], axis=2).min(axis=0)
    assert apart.max() < 4 * PX_MM
    assert layout.to_table is not None
    assert np.allclose(apply(layout.to_table, middles), apply(TO_TABLE, middles), atol=0.5)


@pytest.mark.parametrize("beside", [0.0, 5000.0])
def test_where_nothing_lies_nothing_is_seen(eye: Eye, beside: float) -> None:
    """Also of what is not in view."""
    image = still(np.stack([card(140.0, 120.0)])).image
    height, width = image.shape[:2]
    corner = np.array(
        [[width - 30.0, height - 30.0], [width, height - 30.0], [width, height], [width - 30.0, height]]
    )
    layout = eye.see_part(image, TO_TABLE, corner + beside, spread=True)
    assert layout.cards == []
    assert layout.px_per_mm == pytest.approx(PX_MM, rel=0.05)
