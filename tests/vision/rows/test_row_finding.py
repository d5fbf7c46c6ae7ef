"""Faces that lie one behind the other in narrow strips are read as a row, by their short edges."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from drawn_rows import card
from numpy.typing import NDArray
from voted_cards import cards, grid

from vision.eye import Eye
from vision.found import Found
from vision.rows.finding import RowFinder
from vision.rows.reader import Row, tight

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float64]

ART = Path(__file__).parents[1] / "cards"
NAMES = ["AS", "7H", "4C", "QD", "TS", "2H", "KC", "8D", "5S", "JH", "9C", "3D"]
PX_MM = 4.0


def column(count: int, step: float) -> Floats:
    """(count, 4, 2) px: cards that lie on their long sides, each `step` mm behind the next, not quite straight."""
    rng = np.random.default_rng(count)
    quads = [card(0, 0, 0.1 - np.pi / 2 + rng.normal(0, 0.01), PX_MM) for _ in range(count)]
    along = np.array([np.cos(0.1), np.sin(0.1)])
    aside = rng.normal(0, 0.6, count)
    return np.array(
        [
            quad + (along * k * step + (80, 75 + off)) * PX_MM
            for k, (quad, off) in enumerate(zip(quads, aside, strict=True))
        ]
    )


def photo(quads: Floats) -> Pixels:
    """The cards on grey felt, each with its shadow on those beneath."""
    rng = np.random.default_rng(len(quads))
    width, height = 1080, 960
    shot = np.full((height, width, 3), (96.0, 104.0, 112.0)) + rng.normal(0, 6, (height, width, 3))
    for quad, name in zip(quads, NAMES, strict=False):
        art = cv2.imread(str(ART / f"{name}.png"))
        assert art is not None
        rows, columns = art.shape[:2]
        flat = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], dtype=np.float32)
        onto = cv2.getPerspectiveTransform(flat, quad.astype(np.float32))
        drawn = cv2.warpPerspective(art, onto, (width, height), flags=cv2.INTER_AREA).astype(float)
        whole = np.ones((rows, columns), np.float32)
        covers = cv2.warpPerspective(whole, onto, (width, height), flags=cv2.INTER_AREA)[..., None]
        shade = cv2.GaussianBlur(np.roll(covers[..., 0], 3, axis=1).astype(float), (0, 0), 3)
        shot *= 1 - 0.35 * shade[..., None]
        shot = drawn * covers + shot * (1 - covers)
    return np.asarray(cv2.GaussianBlur(shot, (0, 0), 0.7).clip(0, 255), dtype=np.uint8)


@pytest.mark.parametrize("count", [8, 10, 12])
def test_left_over_cards_fanned_lengthwise_are_counted(count: int) -> None:
    layout = Eye(threads=1).see(photo(column(count, 8.0)))
    assert [seen.side for seen in layout.cards] == ["face"] * count


@pytest.mark.parametrize(("step", "narrow"), [(8.0, True), (12.0, True), (15.0, False), (22.0, False)])
def test_strips_of_a_column_are_no_narrow_ones(step: float, narrow: bool) -> None:
    quads = column(9, step)
    long = (quads[:, 2] + quads[:, 3] - quads[:, 0] - quads[:, 1]) / 4
    assert tight(quads.mean(axis=1), long) is narrow


class Asked:
    """A row reader that reads nothing and remembers of how many cards it was asked lengthwise."""

    def __init__(self) -> None:
        self.lengthwise: list[int] = []

    def read(
        self, image: Pixels, found: Found, row: NDArray[np.intp], *, lengthwise: bool = False
    ) -> Row | None:
        if lengthwise:
            self.lengthwise.append(len(row))
        return None


def behind(count: int, step: float, singles: int) -> Found:
    """Faces of 100 x 140 px one behind the other downwards, and single cards beside these."""
    middles = [(100.0, 100.0 + step * k) for k in range(count)]
    seen = [grid(100, y - 70 + step / 2, 100, step, 4.0) for _, y in middles[:-1]]
    alone = [(400.0 + 150 * k, 200.0) for k in range(singles)]
    return cards(
        middles + alone, [*seen, grid(*middles[-1], 100, 140), *(grid(*at, 100, 140) for at in alone)]
    )


@pytest.mark.parametrize(
    ("count", "step", "singles", "asked"),
    [
        (9, 12.0, 5, [9]),
        (9, 26.0, 5, []),  # a column
        (9, 12.0, 40, []),  # on a table
        (30, 12.0, 20, [30]),  # most of what lies there
        (3, 12.0, 5, []),
    ],
)
def test_narrow_strips_are_read_lengthwise_where_little_else_lies(
    count: int, step: float, singles: int, asked: list[int]
) -> None:
    reader = Asked()
    found = behind(count, step, singles)
    told = RowFinder(reader, None, None).with_rows(np.zeros((9, 9, 3), np.uint8), found)  # type: ignore[arg-type]
    assert reader.lengthwise == asked
    assert len(told) == len(found)
