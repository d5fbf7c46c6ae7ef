"""Boxes about hands and cards for the quick look, held against the geometry that they come from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasets.film.art import plain_deck
from datasets.film.compositor import Compositor, Group
from datasets.film.hands import Arm
from datasets.film.moments import Moment, moments_of
from datasets.film.movement import Card, HandAt
from datasets.film.poses import Pose
from datasets.film.sets import Staging
from datasets.film.setting import draw_setting
from datasets.film.truth import frame_truth
from scripts.train.quick.data import SIDE, data_text, keep, label_path, main, picture_path
from scripts.train.quick.labels import CARD, CLASSES, HAND, LEAST_SIDE, boxes_of, lines_of, read_boxes
from tests.datasets.test_film_truth import CLEAN, flat, lying, picture_of, table

SIZE = (1920, 1080)
points = st.lists(st.tuples(st.floats(-900, 2800), st.floats(-900, 2000)), min_size=3, max_size=9)


def truth(hands: Sequence[Any] = (), cards: Sequence[tuple[Any, float]] = ()) -> dict[str, Any]:
    return {
        "hands": [{"outline": [list(point) for point in outline]} for outline in hands],
        "cards": [
            {"corners": [list(p) for p in corners], "visible": share, "place": place}
            for corners, share in cards
            for place in (None, "waste")
        ],
        "others": [{"outline": [[0, 0], [500, 0], [500, 500]]}],
    }


@given(st.lists(points, max_size=5), st.lists(st.tuples(points, st.floats(0, 1)), max_size=8))
def test_boxes_lie_in_the_picture_and_are_as_many_as_the_things_in_it(
    hands: list[Any], cards: list[tuple[Any, float]]
) -> None:
    boxes = boxes_of(truth(hands, cards), SIZE)
    counted = [sum(box.kind == kind for box in boxes) for kind in (HAND, CARD)]
    assert counted == [
        sum(in_sight(outline) for outline in hands),
        sum(in_sight(corners) for corners, share in cards if share >= 0.25),
    ]
    for box in boxes:
        assert 0 <= box.left < box.right <= SIZE[0]
        assert 0 <= box.top < box.bottom <= SIZE[1]


def in_sight(outline: Sequence[tuple[float, float]]) -> bool:
    """Is a hundredth of the picture's width left of it inside the picture, both ways?"""
    least = LEAST_SIDE * SIZE[0]
    return all(
        min(max(values), side) - max(min(values), 0) >= least
        for values, side in zip(zip(*outline, strict=True), SIZE, strict=True)
    )


@given(points)
def test_a_hands_box_covers_every_point_of_its_outline_that_is_in_the_picture(outline: list[Any]) -> None:
    for box in boxes_of(truth([outline]), SIZE):
        for x, y in outline:
            if 0 <= x <= SIZE[0] and 0 <= y <= SIZE[1]:
                assert box.left <= x <= box.right and box.top <= y <= box.bottom
        sides = zip(zip(*outline, strict=True), (box[1::2], box[2::2]), strict=True)
        assert all(min(values) <= low and high <= max(values) for values, (low, high) in sides)


@given(st.lists(points, max_size=4))
def test_labels_say_what_the_boxes_say(hands: list[Any]) -> None:
    boxes = boxes_of(truth(hands), SIZE)
    read = read_boxes(lines_of(boxes, SIZE), SIZE)
    assert len(read) == len(boxes)
    assert np.allclose(np.array(read), np.array(boxes), atol=0.01)


def vivid_arm(colour: tuple[int, int, int]) -> Arm:
    sprite = np.zeros((300, 120, 4), np.uint8)
    cv2.ellipse(sprite, (60, 150), (40, 120), 12, 0, 360, (*colour, 255), -1)
    return Arm(sprite, sprite, 2.0, (60.0, 30.0), (60.0, 30.0))


@pytest.mark.parametrize(("x", "y", "points_at"), [(0, 0, 0), (60, -20, 75), (-90, 55, 200), (50, 20, 130)])
def test_a_hands_box_lies_about_the_hand_that_is_drawn(x: float, y: float, points_at: float) -> None:
    """Measured in the picture: the hand alone is magenta."""
    compositor = table(flat("a", (240, 240, 240)), arm=vivid_arm((200, 0, 200)))
    compositor.put([lying("AS", Pose(0, 0, 20))])
    group = Group(HandAt("west", x, y, points_at, 2.0, False), [], np.zeros(2), 2.0)
    picture = picture_of(compositor, [group])
    size = (picture.shape[1], picture.shape[0])
    (box,) = [b for b in boxes_of(frame_truth(compositor, [group], 0, 0.0), size) if b.kind == HAND]
    blue, green, red = (picture[..., channel].astype(int) for channel in range(3))
    rows, columns = np.nonzero((blue - green > 60) & (red - green > 60))
    drawn = (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
    assert np.abs(np.array(box[1:]) - drawn).max() <= 5


def test_a_carried_cards_box_lies_about_all_of_it_and_one_that_lies_has_none() -> None:
    compositor = table(flat("a", (250, 250, 250)), arm=vivid_arm((200, 0, 200)))
    compositor.put([lying("2S", Pose(50, 10, 0)), lying("3S", Pose(52, 10, 0))])
    away = HandAt("west", 900, 900, 0, 2.0, True)
    group = Group(away, [(Card("west", "AS"), Pose(-55, 0, 30))], np.zeros(2), 0.0)
    picture = picture_of(compositor, [group])
    size = (picture.shape[1], picture.shape[0])
    (box,) = boxes_of(frame_truth(compositor, [group], 0, 0.0), size)
    assert box.kind == CARD
    rows, columns = np.nonzero(picture.min(axis=2)[:, : size[0] // 2] > 130)
    drawn = (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
    assert np.abs(np.array(box[1:]) - drawn).max() <= 5


@pytest.fixture(scope="module")
def moments() -> list[Moment]:
    return two_moments()


def two_moments() -> list[Moment]:
    decks = [plain_deck("blue", (150, 60, 30)), plain_deck("red", (40, 40, 170))]
    return list(moments_of(draw_setting(4), decks, np.random.default_rng(4), 2, Staging()))


def test_pictures_of_a_hand_that_is_played(moments: list[Moment]) -> None:
    assert [moment.image.shape for moment in moments] == [(1080, 1920, 3)] * 2
    assert moments[0].truth["at"] < moments[1].truth["at"]
    for moment in moments:
        kinds = [box.kind for box in boxes_of(moment.truth, SIZE)]
        # a hand carries what it holds, and nobody's hand is full of cards
        assert kinds.count(CARD) <= 4 * len(moment.truth["hands"]) < len(moment.truth["cards"])


def test_the_same_numbers_make_the_same_pictures(moments: list[Moment]) -> None:
    for one, other in zip(moments, two_moments(), strict=True):
        assert one.truth == other.truth
        assert np.array_equal(one.image, other.image)


def test_what_is_changed_at_once_lies_as_if_it_had_been_changed_bit_by_bit() -> None:
    slow, fast = (table(flat("a", (240, 240, 240)), look=CLEAN) for _ in range(2))

    def change(compositor: Compositor) -> None:
        compositor.put([lying("AS", Pose(-60, 0, 10)), lying("2S", Pose(-50, 5, 0))])
        compositor.lift([Card("west", "AS")])
        compositor.put([lying("AS", Pose(60, 20, 45)), lying("3S", Pose(55, 0, 80))])

    change(slow)
    with fast.at_once():
        change(fast)
        assert not np.array_equal(slow.canvas, fast.canvas)
    assert np.array_equal(slow.canvas, fast.canvas)


def test_a_film_is_kept_as_ultralytics_reads_it(tmp_path: Path, moments: list[Moment]) -> None:
    for kind in ("images", "labels"):
        (tmp_path / kind / "train").mkdir(parents=True)
    keep(tmp_path, "train", 7, moments)
    pictures = sorted((tmp_path / "images" / "train").iterdir())
    assert pictures == [picture_path(tmp_path, "train", 7, which) for which in range(2)]
    for picture, moment in zip(pictures, moments, strict=True):
        image = cv2.imread(str(picture))
        assert image is not None and image.shape[:2] == (SIDE * 9 // 16, SIDE)
        lines = label_path(picture).read_text().splitlines()
        assert len(lines) == len(boxes_of(moment.truth, SIZE))
        for line in lines:
            kind, *shares = line.split()
            assert int(kind) in range(len(CLASSES))
            assert all(0 <= float(share) <= 1 for share in shares)
    assert label_path(pictures[0]) == tmp_path / "labels" / "train" / "00007-00.txt"


def test_data_yaml_names_folders_and_classes(tmp_path: Path) -> None:
    assert data_text(tmp_path).splitlines() == [
        f"path: {tmp_path.resolve()}",
        "train: images/train",
        "val: images/tune",
        "names:",
        "  0: hand",
        "  1: carried card",
    ]


def test_a_folder_of_something_else_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.txt").write_text("kept")
    assert main(["--out", str(tmp_path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "holds other files" in line
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
