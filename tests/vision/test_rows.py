"""Rows of backs: the band follows them, edges become the cards that they belong to, the weights count drawn rows."""

from __future__ import annotations

from itertools import pairwise

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from datasets.bands import bands_of, seen_band, visible_edges
from datasets.stills import Still
from datasets.truth import CardTruth
from vision.band import COLUMN_MM, LONG_MM, ROWS, fit_band
from vision.finder import Found
from vision.rows import STEP_MM, Row, RowReader, decode, rows_of, with_rows

Floats = NDArray[np.float64]
PX_MM = 1.7


def card(x: float, y: float, turn: float = 0.0, px_mm: float = PX_MM) -> Floats:
    """(4, 2) px of a card whose middle is at (x, y) mm."""
    w, h = 31.5, 44.0
    c, s = np.cos(turn), np.sin(turn)
    corners = np.array([[-w, -h], [w, -h], [w, h], [-w, h]]) @ np.array([[c, s], [-s, c]])
    return np.asarray((corners + np.array((x, y))) * px_mm)


def line(count: int, step: float = 12.0, sense: int = 1) -> Floats:
    """A row whose later cards lie on top, to the right (or to the left)."""
    turns = 0.03 * np.sin(np.arange(count) * 1.7)
    return np.array([card(60 + (k if sense > 0 else count - k) * step, 80.0, turns[k]) for k in range(count)])


def arc(count: int, radius: float = 300.0, step: float = 13.0) -> Floats:
    """Cards turned about a point far below them, the later ones on top."""
    turns = (np.arange(count) - count / 2) * step / radius
    return np.array([card(180 + radius * np.sin(t), 80 + radius * (1 - np.cos(t)), t) for t in turns])


def votes(quads: Floats, rng: np.random.Generator) -> tuple[Floats, Floats, Floats, Floats]:
    """Cells of the visible strips with votes that are far off along the row."""
    at, middle, long, short = [], [], [], []
    for number, quad in enumerate(quads):
        u = (quad[2] + quad[3] - quad[0] - quad[1]) / 4
        v = (quad[1] + quad[2] - quad[0] - quad[3]) / 4
        for a, b in rng.uniform(-0.95, 0.95, (60, 2)):
            point = quad.mean(axis=0) + a * v + b * u
            if any(
                cv2.pointPolygonTest(q.astype(np.float32), point.tolist(), False) > 0
                for q in quads[number + 1 :]
            ):
                continue
            at.append(point)
            middle.append(quad.mean(axis=0) + rng.normal(0, 0.3) * v + rng.normal(0, 0.01) * u)
            long.append(u * rng.choice((-1, 1)))
            short.append(v)
    return np.array(at), np.array(middle), np.array(long), np.array(short)


def still(quads: Floats, colours: list[tuple[int, int, int]] | None = None) -> Still:
    """A picture of the cards: white margins about a striped ground."""
    size = (np.ceil(quads.max(axis=(0, 1))) + 120).astype(int)
    image = np.full((size[1], size[0], 3), (70, 110, 60), np.uint8)
    for number, quad in enumerate(quads):
        colour = colours[number % len(colours)] if colours else (150, 60, 40)
        middle = quad.mean(axis=0)
        for shrink, ink in ((1.0, (238, 240, 242)), (0.88, colour), (0.8, (225, 225, 220)), (0.76, colour)):
            shape = np.round((middle + (quad - middle) * shrink) * 16).astype(np.int32)
            cv2.fillPoly(image, [shape], ink, cv2.LINE_AA, 4)
        edge = np.round(quad * 16).astype(np.int32)
        cv2.polylines(image, [edge], True, (120, 120, 120), 1, cv2.LINE_AA, 4)
    noise = np.random.default_rng(1).normal(0, 3, image.shape)
    shot = np.clip(cv2.GaussianBlur(image, (0, 0), 0.7) + noise, 0, 255).astype(np.uint8)
    truths = [CardTruth(q.tolist(), "AS", False, 0, 0, k, 1.0, None) for k, q in enumerate(quads)]
    return Still(shot, truths, PX_MM)


def found_of(quads: Floats, rng: np.random.Generator) -> Found:
    """What a finder would say whose votes run together: fewer cards than there are, at wrong places along the row."""
    at, _, _, _ = votes(quads, rng)
    few = quads[:: max(1, len(quads) // 5)]
    middle = few.mean(axis=1)
    nearest = np.argmin(np.linalg.norm(at[:, None] - middle[None], axis=2), axis=1)
    long = (few[:, 2] + few[:, 3] - few[:, 0] - few[:, 1]) / 4
    short = (few[:, 1] + few[:, 2] - few[:, 0] - few[:, 3]) / 4
    count = len(few)
    return Found(
        middle=middle,
        long=long,
        short=short,
        back=np.ones(count),
        confidence=np.ones(count),
        support=np.bincount(nearest, minlength=count).astype(float) + 1,
        evidence=np.tile((0.9, 0.1, 0.1), (count, 1)),
        cells_at=at,
        cells_card=nearest,
        hands=[],
    )


@pytest.mark.parametrize("quads", [line(9), line(14, 9.0, -1), arc(10)], ids=["line", "leftwards", "arc"])
def test_band_follows_the_row_though_votes_are_off_along_it(quads: Floats) -> None:
    band = fit_band(*votes(quads, np.random.default_rng(3)))
    assert band is not None
    assert band.width_mm == pytest.approx(63, abs=2)
    placed = band.place(quads.mean(axis=1))
    assert np.abs(placed[:, 1]).max() < 3
    ends = [band.place(quads[:, corner])[:, 1] for corner in range(4)]
    assert np.abs(np.abs(np.array(ends)) - LONG_MM / 2).max() < 5
    assert band.sample(np.zeros((400, 700, 3), np.uint8)).shape == (ROWS, len(band), 3)
    back = band.at(placed[:, 0], placed[:, 1])
    assert np.abs(back - quads.mean(axis=1)).max() < 1


def test_no_band_from_a_handful_of_cells() -> None:
    some = np.random.default_rng(0).normal(0, 1, (5, 2))
    assert fit_band(some, some, some, some) is None


def test_no_band_along_a_curve_that_runs_away() -> None:
    rng = np.random.default_rng(1)
    for _ in range(30):
        at = rng.uniform(0, 600, (12, 2))
        long = rng.normal(0, 1, (12, 2)) * rng.choice((0.5, 5.0, 60.0), (12, 1))
        band = fit_band(at, at + rng.normal(0, 300, (12, 2)), long, long[:, ::-1] * (1, -1) * 0.7)
        assert band is None or len(band) * COLUMN_MM < 1500
        if band is not None:
            assert band.sample(np.zeros((600, 600, 3), np.uint8)).shape == (ROWS, len(band), 3)


def test_visible_edges_are_those_that_no_later_card_covers() -> None:
    seen = visible_edges(line(6))
    assert seen[:, 0].all()
    assert seen[:, 1].tolist() == [False] * 5 + [True]
    assert visible_edges(line(6, sense=-1))[:, 1].all()


@pytest.mark.parametrize("quads", [line(8), line(8, sense=-1), arc(9)], ids=["line", "leftwards", "arc"])
def test_edges_give_the_cards_back(quads: Floats) -> None:
    (truth,) = bands_of(still(quads), np.random.default_rng(5))
    side = int(np.bincount(truth.edges[:, 0].astype(int)).argmax())
    edges = truth.edges[truth.edges[:, 0] == side]
    edges = edges[np.argsort(edges[:, 1])]
    assert len(edges) == len(quads)
    # the same band as `bands_of` fitted it
    band = seen_band(quads, np.arange(len(quads)), np.random.default_rng(5))
    assert band is not None
    row = Row(band, side == 0, *edges[:, 1:5].T, np.ones(len(edges)))
    middle, _, _ = row.cards()
    wanted = quads.mean(axis=1)
    wanted = wanted[np.argsort(band.place(wanted)[:, 0])]
    assert np.linalg.norm(middle - wanted, axis=1).max() < 3.5 * PX_MM
    owner = row.owner(middle + np.array((0, 5)))
    top = len(quads) - 1 if row.rightwards else 0
    assert owner[top] == top


def test_decoding_keeps_the_surest_of_near_edges_and_the_side_with_more() -> None:
    band = fit_band(*votes(line(9), np.random.default_rng(3)))
    assert band is not None
    output = np.zeros((10, len(band) // 2))
    output[:2] = -9
    output[1, [20, 22, 40, 60]] = (3, 2, 3, 3)
    output[0, 80] = 4
    row = decode(output, band)
    assert not row.rightwards
    assert row.at == pytest.approx((np.array([20, 40, 60]) + 0.5) * STEP_MM - COLUMN_MM / 2)


def test_cards_side_by_side_are_a_row_and_a_column_or_few_faces_are_none() -> None:
    rng = np.random.default_rng(2)
    row = found_of(line(11), rng)
    assert [len(r) for r in rows_of(row)] == [len(row)]
    column = found_of(np.array([card(60, 60 + 15 * k) for k in range(8)]), rng)
    assert rows_of(column) == []
    faces = row.only(np.arange(3))
    faces.back[:] = 0
    assert rows_of(faces) == []


@pytest.mark.parametrize("count", [4, 9, 15])
@pytest.mark.parametrize("sense", [1, -1])
def test_the_weights_count_rows_that_another_hand_drew(count: int, sense: int) -> None:
    quads = line(count, 12.0, sense)
    shot = still(quads, [(150, 60, 40), (40, 40, 160)])
    found = found_of(quads, np.random.default_rng(4))
    (cards,) = rows_of(found)
    read = RowReader(threads=1).read(shot.image, found, cards)
    assert read is not None
    assert len(read) == count
    # the band itself may run to the left
    assert read.rightwards == (sense * read.band.along[0, 0] > 0)
    done = with_rows(found, [(cards, read)])
    assert len(done) == count
    assert not np.isnan(done.given).any()
    lefts = sorted(float(m[0]) for m in done.middle)
    wanted = sorted(float(q.mean(axis=0)[0]) for q in quads)
    assert np.abs(np.array(lefts) - wanted).max() < 3 * PX_MM
    assert all(b > a for a, b in pairwise(lefts))
