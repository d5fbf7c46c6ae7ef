import numpy as np
import pytest

from datasets.scene import PlacedCard, overhead_camera
from vision.eye import upright
from vision.plane import apply, fit_plane, scale_at


def cards(rng: np.random.Generator, count: int) -> list[PlacedCard]:
    return [
        PlacedCard(0, "AS", True, *rng.uniform(-250, 250, 2).tolist(), float(rng.uniform(0, 6.3)), i)
        for i in range(count)
    ]


def project(matrix: np.ndarray, points: np.ndarray) -> np.ndarray:
    return apply(matrix, points)


@pytest.mark.parametrize("tilt", [0.0, 0.2, 0.5])
def test_distances_on_the_table_come_out_in_mm(tilt: float) -> None:
    rng = np.random.default_rng(3)
    camera = overhead_camera(
        1600, 1200, 2.0, tilt=tilt, tilt_towards=0.7, roll=0.3, distance=1.2
    ).homography()
    quads = np.stack([project(camera, card.corners_mm()) for card in cards(rng, 30)])
    quads = upright(quads + rng.normal(0, 0.7, quads.shape))
    to_table = fit_plane(quads, np.ones(len(quads)), 1600, 1200)
    assert to_table is not None
    known = rng.uniform(-220, 220, (20, 2))
    seen = apply(to_table, project(camera, known))
    wanted = np.linalg.norm(known[:, None] - known[None], axis=2)
    got = np.linalg.norm(seen[:, None] - seen[None], axis=2)
    assert np.abs(wanted - got).max() < 4.0


def test_scale_of_a_picture_from_straight_above() -> None:
    rng = np.random.default_rng(4)
    camera = overhead_camera(1920, 1080, 1.7).homography()
    quads = upright(np.stack([project(camera, card.corners_mm()) for card in cards(rng, 12)]))
    to_table = fit_plane(quads, np.ones(12), 1920, 1080)
    assert to_table is not None
    assert scale_at(to_table, 960, 540) == pytest.approx(1.7, rel=0.01)


def test_no_cards_no_plane() -> None:
    assert fit_plane(np.zeros((0, 4, 2)), np.zeros(0), 640, 480) is None
