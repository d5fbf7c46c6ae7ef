import numpy as np
import pytest
from numpy.typing import NDArray

from datasets.scene import BRIDGE_MM, POKER_MM, PlacedCard, overhead_camera
from vision.eye import upright
from vision.geometry.plane import (
    apply,
    fit_plane,
    given_corners,
    lay_plane,
    nearest_matrix,
    on_table,
    scale_at,
)
from vision.layout import Layout, Plane, SeenCard

Floats = NDArray[np.float64]
WIDTH, HEIGHT = 1600, 1200


def cards(
    rng: np.random.Generator, count: int, size: tuple[float, float] = POKER_MM, turns: float = 6.3
) -> list[PlacedCard]:
    return [
        PlacedCard(
            0,
            "AS",
            True,
            *rng.uniform(-250, 250, 2).tolist(),
            float(rng.uniform(0, turns)),
            i,
            *size,
        )
        for i in range(count)
    ]


def camera(tilt: float, px_per_mm: float = 2.0) -> Floats:
    return overhead_camera(
        WIDTH, HEIGHT, px_per_mm, tilt=tilt, tilt_towards=0.7, roll=0.3, distance=1.2
    ).homography()


def quads_of(some: list[PlacedCard], matrix: Floats, rng: np.random.Generator, noise: float = 0.7) -> Floats:
    quads = np.stack([apply(matrix, card.corners_mm()) for card in some])
    return upright(quads + rng.normal(0, noise, quads.shape))


def bent(points: Floats, bend: float) -> Floats:
    """Where a lens shows points that an ideal one shows here."""
    ideal = (points - (WIDTH / 2, HEIGHT / 2)) / WIDTH
    seen = ideal.copy()
    for _ in range(30):
        seen = ideal / (1 + bend * 4 * (seen**2).sum(axis=1, keepdims=True))
    return seen * WIDTH + (WIDTH / 2, HEIGHT / 2)


def off(plane: Plane, matrix: Floats, bend: float = 0.0) -> Floats:
    """mm by which distances between known points of the table come out wrong."""
    known = np.random.default_rng(8).uniform(-240, 240, (20, 2))
    seen = on_table(plane, bent(apply(matrix, known), bend))
    wanted = np.linalg.norm(known[:, None] - known[None], axis=2)
    return np.abs(wanted - np.linalg.norm(seen[:, None] - seen[None], axis=2))


@pytest.mark.parametrize("size", [POKER_MM, BRIDGE_MM])
@pytest.mark.parametrize("tilt", [0.0, 0.2, 0.5, 0.75])
def test_distances_on_the_table_come_out_in_mm_whatever_the_cards_format(
    tilt: float, size: tuple[float, float]
) -> None:
    rng = np.random.default_rng(3)
    plane = fit_plane(
        quads_of(cards(rng, 30, size), camera(tilt), rng), np.ones(30), WIDTH, HEIGHT, seen=(0.0, 0.0)
    )
    assert plane is not None
    assert plane.card_mm == size
    assert off(plane, camera(tilt)).max() < 2.5
    assert 0.1 < plane.residual_mm < 0.6


def test_cards_that_all_lie_one_way_tell_their_format_too() -> None:
    rng = np.random.default_rng(5)
    for size in (POKER_MM, BRIDGE_MM):
        quads = quads_of(cards(rng, 20, size, turns=0.1), camera(0.2), rng)
        plane = fit_plane(quads, np.ones(20), WIDTH, HEIGHT)
        assert plane is not None
        assert plane.card_mm == size


def test_what_is_no_card_moves_the_plane_little() -> None:
    rng = np.random.default_rng(6)
    quads = quads_of(cards(rng, 24), camera(0.3), rng)
    wrong = quads_of(cards(rng, 6, (90.0, 120.0)), camera(0.3), rng)
    plane = fit_plane(np.concatenate([quads, wrong]), np.ones(30), WIDTH, HEIGHT, seen=(0.0, 0.0))
    assert plane is not None
    assert off(plane, camera(0.3)).max() < 4.0


@pytest.mark.parametrize("bend", [-0.05, 0.0, 0.04])
def test_a_lens_that_bends_lines_is_found(bend: float) -> None:
    rng = np.random.default_rng(9)
    flat = quads_of(cards(rng, 60), camera(0.1), rng, noise=0.4)
    quads = bent(flat.reshape(-1, 2), bend).reshape(flat.shape)
    plane = fit_plane(quads, np.ones(60), WIDTH, HEIGHT, lens=True, seen=(0.0, 0.0))
    assert plane is not None
    assert plane.bend == pytest.approx(bend, abs=0.012)
    assert off(plane, camera(0.1), bend).max() < 3.0
    straight = fit_plane(quads, np.ones(60), WIDTH, HEIGHT, seen=(0.0, 0.0))
    assert straight is not None
    if bend:
        assert off(plane, camera(0.1), bend).max() < 0.7 * off(straight, camera(0.1), bend).max()
    # the homography is as near to it as one can be
    middle = np.array([[WIDTH / 2, HEIGHT / 2], [WIDTH / 2 + 300, HEIGHT / 2 - 200.0]])
    assert np.abs(apply(nearest_matrix(plane), middle) - on_table(plane, middle)).max() < 8.0


def test_given_corners_settle_the_size() -> None:
    rng = np.random.default_rng(11)
    # cards of no usual size
    quads = quads_of(cards(rng, 12, (64.2, 89.7)), camera(0.3), rng)
    rim = apply(camera(0.3), np.array([[-260.0, -240], [260, -240], [260, 240], [-260, 240]]))
    table = given_corners([(float(x), float(y)) for x, y in rim], (520.0, 480.0))
    without = fit_plane(quads, np.ones(12), WIDTH, HEIGHT)
    plane = fit_plane(quads, np.ones(12), WIDTH, HEIGHT, known=table, source="corners")
    assert plane is not None
    assert without is not None
    assert plane.source == "corners"
    assert np.median(off(plane, camera(0.3))) < 1.0 < np.median(off(without, camera(0.3)))
    alone = fit_plane(np.zeros((0, 4, 2)), np.zeros(0), WIDTH, HEIGHT, known=table, source="corners")
    assert alone is not None
    assert alone.card_mm is None
    assert off(alone, camera(0.3)).max() < 1.0


def test_scale_of_a_picture_from_straight_above() -> None:
    rng = np.random.default_rng(4)
    matrix = overhead_camera(1920, 1080, 1.7).homography()
    quads = quads_of(cards(rng, 12), matrix, rng, noise=0.0)
    plane = fit_plane(quads, np.ones(12), 1920, 1080)
    assert plane is not None
    assert scale_at(plane.matrix, 960, 540) == pytest.approx(1.7, rel=0.01)


def test_no_cards_no_plane() -> None:
    assert fit_plane(np.zeros((0, 4, 2)), np.zeros(0), 640, 480) is None
    layout = Layout(640, 480, 1.0)
    lay_plane(layout)
    assert (layout.plane, layout.to_table, layout.px_per_mm) == (None, None, 0.0)


def test_a_layout_gets_its_plane() -> None:
    rng = np.random.default_rng(2)
    quads = quads_of(cards(rng, 9), camera(0.2), rng)
    layout = Layout(WIDTH, HEIGHT, 0.0, [SeenCard(quad, "face", quad, 1.0, 0.9) for quad in quads])
    lay_plane(layout)
    assert layout.plane is not None
    assert layout.plane.bend == 0
    assert layout.to_table is not None
    assert (layout.to_table == layout.plane.matrix).all()
    assert layout.px_per_mm == pytest.approx(2.0, rel=0.02)
