"""The finder's decoding, fed with what a good network would say of scenes whose truth is known."""

from dataclasses import replace

import numpy as np
import pytest

from datasets.arrange import Arranger, Shoe, moved
from datasets.scene import PlacedCard, Scene, overhead_camera
from vision.detect.cells import CELL, UNIT, Cells, mirrored, read_cells
from vision.detect.finder import Finder
from vision.detect.gathering import MOST_CARDS, _Votes, gather
from vision.found import Found
from vision.scene.stacking import stack_up

SIDE = 640
RANKS = "A23456789TJQK"
DECK = [rank + suit for suit in "SHDC" for rank in RANKS]


def ideal_output(scene: Scene, noise: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """What the network should say, with errors of `noise` card widths, and which card each cell shows."""
    import cv2

    rng = np.random.default_rng(seed)
    ids = np.full((SIDE, SIDE), -1, dtype=np.int32)
    for number, card in enumerate(scene.cards):
        polygon = np.round((scene.project(card.corners_mm()) - 0.5) * 16).astype(np.int32)
        cv2.fillConvexPoly(ids, polygon, number, cv2.LINE_8, 4)
    cells = ids[CELL // 2 :: CELL, CELL // 2 :: CELL]
    output = np.zeros((17, *cells.shape))
    output[0] = np.where(cells < 0, 8, 0)
    for number, card in enumerate(scene.cards):
        rows, columns = np.nonzero(cells == number)
        corners = scene.project(card.corners_mm())
        middle = corners.mean(axis=0)
        long = (corners[2:].mean(axis=0) - corners[:2].mean(axis=0)) / 2
        short = (corners[1:3].mean(axis=0) - corners[[0, 3]].mean(axis=0)) / 2
        width = 2 * np.linalg.norm(short)
        output[2 if not card.face_up else 1, rows, columns] = 8
        output[4, rows, columns] = (middle[0] - columns * CELL - CELL / 2) / UNIT
        output[5, rows, columns] = (middle[1] - rows * CELL - CELL / 2) / UNIT
        output[4:6, rows, columns] += rng.normal(0, noise * width / UNIT, (2, len(rows)))
        for first, sharp, size, axis in ((6, 13, 10, long), (8, 15, 11, short)):
            angle = np.arctan2(axis[1], axis[0]) + rng.normal(0, noise, len(rows))
            output[first, rows, columns], output[first + 1, rows, columns] = (
                np.cos(2 * angle),
                np.sin(2 * angle),
            )
            output[sharp, rows, columns], output[sharp + 1, rows, columns] = (
                np.cos(4 * angle),
                np.sin(4 * angle),
            )
            output[size, rows, columns] = np.log(np.linalg.norm(axis) / UNIT) + rng.normal(
                0, noise, len(rows)
            )
        output[12, rows, columns] = np.log(max(2 * noise, 0.01))
    return output, cells


def scene_of(cards: list[PlacedCard], px_per_mm: float = 1.5) -> Scene:
    return Scene(SIDE, SIDE, overhead_camera(SIDE, SIDE, px_per_mm), ["deck"], cards)


def find(scene: Scene, noise: float = 0.01) -> Found:
    return gather(*read_cells(ideal_output(scene, noise)[0]))


def off(scene: Scene, found: Found) -> np.ndarray:
    """For every true card the distance in px to the nearest found one."""
    truth = np.array([scene.project(card.corners_mm()).mean(axis=0) for card in scene.cards])
    return np.linalg.norm(truth[:, None] - found.middle[None], axis=2).min(axis=1)


@pytest.mark.parametrize("step", [6.5, 9.0, 15.0])
@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_every_strip_of_a_spread_is_a_card_once(step: float, noise: float) -> None:
    arranger = Arranger(np.random.default_rng(2), Shoe(np.random.default_rng(1), [DECK]))
    scene = scene_of(moved(arranger.line(16, step, 0.0, False, sloppy=0.2), 0, 0, 0.4))
    found = find(scene, noise)
    assert len(found) == 16
    assert off(scene, found).max() < 2.5


def test_crossed_cards_are_two() -> None:
    cards = [PlacedCard(0, "AS", True, 0, 0, 0.2, 0), PlacedCard(0, "KH", True, 4, -3, 1.7, 0)]
    assert len(find(scene_of(cards))) == 2


def test_corners_are_where_the_card_is() -> None:
    card = PlacedCard(0, "7D", True, 10, -20, 0.5, 0)
    scene = scene_of([card])
    found = find(scene, 0.0)
    wanted = scene.project(card.corners_mm())
    distance = np.linalg.norm(wanted[:, None] - found.corners[0][None], axis=2).min(axis=1)
    assert distance.max() < 1.0


def test_the_upper_of_two_cards_is_seen_to_lie_on_top() -> None:
    lower = PlacedCard(0, "5C", True, 0, 0, 0.0, 0)
    upper = PlacedCard(0, "6C", True, 6, 9, 0.15, 0)
    for first, second in ((lower, upper), (upper, lower)):
        scene = scene_of([first, second])
        found = find(scene)
        stacking = stack_up(found, SIDE, SIDE)
        top = stacking.painting[-1]
        wanted = scene.project(second.corners_mm()).mean(axis=0)
        assert np.linalg.norm(found.middle[top] - wanted) < 2
        assert len(set(stacking.pile)) == 1
        assert sorted(stacking.order) == [0, 1]


def test_visible_share_of_a_covered_card() -> None:
    lower = PlacedCard(0, "5C", True, 0, 0, 0.0, 0)
    upper = replace(lower, face="6C", y=18.0)
    found = find(scene_of([lower, upper]))
    stacking = stack_up(found, SIDE, SIDE)
    assert stacking.fraction[stacking.painting[0]] == pytest.approx(18 / 88, abs=0.03)
    assert stacking.fraction[stacking.painting[1]] == pytest.approx(1.0, abs=0.03)


def test_cards_apart_are_piles_apart() -> None:
    cards = [PlacedCard(0, "5C", True, -90, 0, 0.0, 0), PlacedCard(0, "6C", True, 90, 0, 0.0, 1)]
    stacking = stack_up(find(scene_of(cards)), SIDE, SIDE)
    assert len(set(stacking.pile)) == 2


@pytest.mark.parametrize(("across", "down"), [(True, False), (False, True), (True, True)])
def test_what_is_said_of_a_mirrored_picture_is_said_of_the_picture(across: bool, down: bool) -> None:
    arranger = Arranger(np.random.default_rng(2), Shoe(np.random.default_rng(1), [DECK]))
    output, _ = ideal_output(
        scene_of(moved(arranger.line(9, 15.0, 0.0, False, sloppy=0.3), 20, 10, 0.4)), 0.0
    )
    plain = gather(*read_cells(output))
    seen = gather(*read_cells(mirrored(output.astype(np.float32), across, down)))
    assert len(seen) == len(plain) == 9
    flip = np.where([across, down], -1.0, 1.0)
    wanted = np.where([across, down], SIDE - plain.corners, plain.corners)
    for corners, long in zip(wanted, plain.long * flip, strict=True):
        same = np.linalg.norm(seen.middle - corners.mean(axis=0), axis=1).argmin()
        apart = np.linalg.norm(seen.corners[same][:, None] - corners[None], axis=2)
        # each corner has one: the card is turned as it should be, not the other way
        assert apart.min(axis=1).max() < 0.05 and sorted(apart.argmin(axis=1)) == [0, 1, 2, 3]
        x, y = seen.long[same]
        assert abs(x * long[1] - y * long[0]) < 1e-2 * float(long @ long)


def test_an_empty_table_has_no_card() -> None:
    output = np.zeros((17, 40, 40))
    output[0] = 8
    found = gather(*read_cells(output))
    assert len(found) == 0
    assert found.corners.shape == (0, 4, 2)
    assert found.width() == 0


def test_a_chequered_cloth_is_not_a_thousand_cards() -> None:
    """Every square of it looks like a small card; the surest are kept and the look ends in good time."""
    squares = np.stack(np.meshgrid(np.arange(60), np.arange(60)), axis=-1).reshape(-1, 2) * 48.0 + 24
    offsets = np.stack(np.meshgrid(np.arange(4), np.arange(4)), axis=-1).reshape(-1, 2) * 4.0 - 6
    at = (squares[:, None] + offsets[None]).reshape(-1, 2)
    count = len(at)
    cells = Cells(
        at=at,
        middle=np.repeat(squares, len(offsets), axis=0),
        long=np.tile((20.0, 0.0), (count, 1)),
        short=np.tile((-14.0, 0.0), (count, 1)),
        spread=np.full(count, 1.0),
        back=np.ones(count),
        card=np.ones(count),
    )
    found = gather(cells, np.zeros((4, 4)))
    assert 0 < len(found) <= MOST_CARDS


def test_votes_near_a_place_are_found_as_by_looking_at_all() -> None:
    rng = np.random.default_rng(3)
    # whole numbers: some votes lie exactly as far off as is asked for
    pairs, one = rng.integers(0, 40, (4, 200, 2)).astype(np.float64), np.ones(200)
    votes = _Votes.of(Cells(*pairs, one, one, one))
    for x, reach in ((20.0, 5.0), (0.0, 3.0), (50.0, 4.0)):
        near = np.abs(votes.signature[:, 0] - x) <= reach
        assert sorted(votes.near(x, reach)) == np.flatnonzero(near).tolist()


class Leaning(Finder):
    """A network that sees how bright each cell is, and thinks every middle further right and down than it is."""

    def _told(self, view: np.ndarray) -> np.ndarray:
        output = np.zeros((18, view.shape[0] // CELL, view.shape[1] // CELL), np.float32)
        output[1] = view[::CELL, ::CELL, 0] / 255.0
        output[4], output[5] = 0.5, 0.25
        return output


def test_who_looks_every_way_leans_to_no_side() -> None:
    rng = np.random.default_rng(4)
    # not in whole grains
    view = np.repeat(np.repeat(rng.integers(0, 256, (13, 21, 3)), CELL, axis=0), CELL, axis=1).astype(
        np.uint8
    )
    once, every = Leaning(), Leaning().looking_every_way()
    told, mean = once._run(view), every._run(view)
    assert told.shape == mean.shape == (18, 13, 21)
    np.testing.assert_allclose(mean[1], told[1], atol=1e-6)
    assert (told[4] == 0.5).all() and (told[5] == 0.25).all()
    np.testing.assert_allclose(mean[4:6], 0, atol=1e-6)
    assert not once.every_way


class Ideal(Finder):
    """A finder whose network says of any picture what an ideal one would say of a scene."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    def _run(self, view: np.ndarray) -> np.ndarray:
        return ideal_output(self._scene, 0.01)[0].astype(np.float32)


def test_of_a_window_only_the_cards_are_told_whose_middle_it_shows() -> None:
    half = SIDE / 2 / 1.5
    rims = [
        PlacedCard(0, "KH", True, -half - 15, 0, 0.0, 0),
        PlacedCard(0, "QH", True, 60, half + 20, 0.1, 0),
        PlacedCard(0, "JH", True, half - 15, -80, 0.2, 0),
    ]
    scene = scene_of([PlacedCard(0, "AS", True, 0, 0, 0.3, 0), *rims])
    window = np.zeros((SIDE, SIDE, 3), np.uint8)
    every, inside = Ideal(scene).find(window), Ideal(scene).find_inside(window)
    assert (len(every), len(inside)) == (4, 2)
    for middle in inside.middle:
        assert np.linalg.norm(every.middle - middle, axis=1).min() < 0.5
