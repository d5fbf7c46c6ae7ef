import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from datasets.photos.layouts import draw_layout
from datasets.scene import Scene, overhead_camera
from tests.datasets.plain import cloth, plain_decks
from vision.geometry.markers import IDS, SHEET_SCALE, SIDE_MM, draw_marker, find_markers, lie_on, marker_sheet
from vision.geometry.plane import fit_plane, on_table

Pixels = NDArray[np.uint8]
NO_CARDS = np.zeros((0, 4, 2)), np.zeros(0)


def scene(tilt: float) -> Scene:
    camera = overhead_camera(1920, 1080, 1.5, tilt=tilt, tilt_towards=1.0, distance=1.1)
    return Scene(1920, 1080, camera, [])


def photo(seen: Scene, numbers: tuple[int, ...] = IDS, side_mm: float = SIDE_MM) -> Pixels:
    """A table with markers in its corners, a little blurred."""
    image = np.full((seen.height, seen.width, 3), (70, 110, 80), np.uint8)
    places = ((-400.0, -220.0, 0.1), (400.0, -200.0, 2.0), (390.0, 210.0, 3.3), (-410.0, 200.0, 5.0))
    for number, (x, y, turn) in zip(numbers, places, strict=False):
        art = cv2.copyMakeBorder(draw_marker(number, 240), 40, 40, 40, 40, cv2.BORDER_CONSTANT, value=240)
        half = side_mm / 2 * 320 / 240
        c, s = np.cos(turn), np.sin(turn)
        square = half * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
        there = seen.project(square @ np.array([[c, s], [-s, c]]) + (x, y))
        ends = np.array([[0, 0], [320, 0], [320, 320], [0, 320]], np.float32)
        matrix = cv2.getPerspectiveTransform(ends - 0.5, (there - 0.5).astype(np.float32))
        size = (seen.width, seen.height)
        small = cv2.warpPerspective(cv2.GaussianBlur(art, (0, 0), 1.5), matrix, size)
        image[cv2.warpPerspective(np.full_like(art, 255), matrix, size) > 127] = 0
        image += (small * (cv2.warpPerspective(np.full_like(art, 255), matrix, size) > 127))[..., None]
    return np.asarray(cv2.GaussianBlur(image, (0, 0), 0.8), dtype=np.uint8)


@pytest.mark.parametrize("tilt", [0.05, 0.4])
def test_four_markers_tell_the_plane(tilt: float) -> None:
    seen = scene(tilt)
    markers = find_markers(photo(seen))
    assert markers is not None
    plane = fit_plane(*NO_CARDS, 1920, 1080, known=markers, source="markers", lens=True)
    assert plane is not None
    known = np.random.default_rng(1).uniform((-400, -200), (400, 200), (20, 2))
    there = on_table(plane, seen.project(known))
    wanted = np.linalg.norm(known[:, None] - known[None], axis=2)
    assert np.abs(np.linalg.norm(there[:, None] - there[None], axis=2) - wanted).max() < 1.0
    assert plane.residual_mm < 0.2


def test_markers_of_another_size() -> None:
    seen = scene(0.2)
    picture = photo(seen, side_mm=45.0)
    right, wrong = (find_markers(picture, side) for side in (45.0, 60.0))
    assert right is not None
    assert wrong is not None
    planes = [fit_plane(*NO_CARDS, 1920, 1080, known=k, source="markers") for k in (right, wrong)]
    ends = seen.project(np.array([[-300.0, 0.0], [300.0, 0.0]]))
    lengths = [float(np.hypot(*np.diff(on_table(plane, ends), axis=0)[0])) for plane in planes if plane]
    assert lengths == [pytest.approx(600, abs=1.5), pytest.approx(800, abs=3)]


@pytest.mark.parametrize("numbers", [(0, 1, 2), (0, 1, 2, 7), (0, 1, 2, 2), ()])
def test_fewer_than_the_four_are_none(numbers: tuple[int, ...]) -> None:
    assert find_markers(photo(scene(0.1), numbers)) is None


def test_a_printed_sheet_can_be_seen() -> None:
    sheet = marker_sheet(50.0)
    assert sheet.shape == (297 * SHEET_SCALE, 210 * SHEET_SCALE)
    markers = find_markers(cv2.cvtColor(sheet, cv2.COLOR_GRAY2BGR))
    assert markers is not None
    sides = np.linalg.norm(markers.corners - np.roll(markers.corners, 1, axis=1), axis=2)
    assert np.abs(sides / SHEET_SCALE - 50.0).max() < 0.2
    with pytest.raises(ValueError, match="choose 5 to"):
        marker_sheet(90.0)


def test_markers_lie_on_a_drawn_table_where_it_says_and_change_no_card() -> None:
    number = 0
    for seed in range(4):
        bare, marked = (
            draw_layout(np.random.default_rng(seed), plain_decks, cloth, "nerts", (0.1, 0.3), markers=marks)
            for marks in (False, True)
        )
        assert "markers" not in bare.about
        laid = np.array(marked.about["markers"]).reshape(-1, 4, 2)
        assert [card.as_json() for card in bare.cards] == [card.as_json() for card in marked.cards]
        assert bare.ids is not None
        for quad in laid:
            mask = cv2.fillConvexPoly(np.zeros(bare.ids.shape, np.uint8), quad.astype(np.int32), 1)
            assert (bare.ids[mask > 0] < 0).all()
        found = find_markers(marked.image)
        if found is not None:
            assert np.abs(found.corners - laid).max() < 1.0
            number += 1
    assert number


def test_a_marker_and_its_paper_are_no_place_for_cards() -> None:
    markers = find_markers(photo(scene(0.1)))
    assert markers is not None
    quad = markers.corners[1]
    middle, corner = quad.mean(axis=0), quad[0]
    points = np.array([middle, corner, middle + 1.3 * (corner - middle), middle + 1.8 * (corner - middle)])
    assert lie_on(markers, points).tolist() == [True, True, True, False]


@pytest.mark.parametrize("size", [(1, 3000), (3000, 1), (1, 1)])
def test_a_picture_too_narrow_for_a_marker_shows_none(size: tuple[int, int]) -> None:
    assert find_markers(np.zeros((*size, 3), np.uint8)) is None
