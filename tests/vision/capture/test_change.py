"""The change map: what moves, what rests, what is new, in drawn frames."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.capture.change import ChangeMap, clusters, spread_out

WIDTH, HEIGHT = 960, 540
RNG = np.random.default_rng(5)
TABLE = cv2.GaussianBlur(RNG.integers(60, 140, (HEIGHT, WIDTH, 3), dtype=np.uint8), (0, 0), 2.0)


def box(x: float, y: float, w: float = 120, h: float = 160) -> np.ndarray:
    return np.array([[x, y], [x + w, y], [x + w, y + h], [x, y + h]], dtype=np.float64)


def table(*cards: tuple[int, int, int], light: int = 0, noise: float = 1.0) -> np.ndarray:
    """Cards as (x, y, seed of what is printed on them)."""
    image = TABLE.astype(np.int16) + light
    for x, y, seed in cards:
        image[y : y + 160, x : x + 120] = 235 + light
        rng = np.random.default_rng(seed)
        for _ in range(8):
            px, py = int(rng.integers(0, 90)), int(rng.integers(0, 130))
            image[y + py : y + py + 30, x + px : x + px + 30] = 40 + light
    image += np.round(RNG.normal(0, noise, image.shape)).astype(np.int16)
    return np.clip(image, 0, 255).astype(np.uint8)


@pytest.fixture
def change() -> ChangeMap:
    seen = ChangeMap(WIDTH, HEIGHT)
    for i in range(5):
        seen.push(i / 30, table((100, 100, 1)))
    seen.accept_tiles(np.ones_like(seen.changed))
    return seen


def test_noise_alone_neither_moves_nor_changes(change: ChangeMap) -> None:
    for i in range(5, 15):
        change.push(i / 30, table((100, 100, 1), noise=2.0))
    everything = box(0, 0, WIDTH, HEIGHT)
    assert change.last_moved(everything) == -np.inf
    assert not change.differs(everything)


def test_a_lamp_that_dims_everything_is_no_movement(change: ChangeMap) -> None:
    change.push(5 / 30, table((100, 100, 1), light=-18))
    assert change.last_moved(box(400, 100)) == -np.inf


def test_a_new_card_moves_and_changes_its_own_region_only(change: ChangeMap) -> None:
    change.push(1.0, table((100, 100, 1), (500, 200, 2)))
    change.push(1.1, table((100, 100, 1), (500, 200, 2)))
    assert change.last_moved(box(500, 200)) == 1.0
    assert change.differs(box(500, 200))
    assert not change.differs(box(100, 100))
    assert change.last_moved(box(100, 100)) == -np.inf
    assert change.moving(box(500, 200), within_s=0.2) > 0.6
    assert change.moving(box(500, 200), within_s=0.05) == 0.0


def test_an_accepted_region_has_not_changed_until_it_changes_again(change: ChangeMap) -> None:
    change.push(1.0, table((100, 100, 2)))
    assert change.differs(box(100, 100))
    change.accept(box(90, 90, 140, 180))
    change.push(1.1, table((100, 100, 2)))
    assert not change.differs(box(100, 100))
    change.push(1.2, table((100, 100, 3)))
    assert change.differs(box(100, 100))


def test_rested_is_when_the_card_landed_though_a_hand_hid_it_afterwards(change: ChangeMap) -> None:
    at = 0.2
    while at < 2.0:
        image = table((100, 100, 1), *([(500, 200, 2)] if at >= 0.9 else []))
        if 1.0 <= at < 1.6:
            image[150:400, 450:700] = (90, 120, 200)
        change.push(at, image)
        at += 1 / 30
    assert change.rested(box(500, 200), since=0.1) == pytest.approx(0.9, abs=0.04)
    assert change.last_moved(box(500, 200)) == pytest.approx(1.6, abs=0.05)


def test_rested_cannot_tell_of_a_region_that_looks_as_before(change: ChangeMap) -> None:
    change.push(1.0, table((100, 100, 1)))
    assert change.rested(box(100, 100)) is None


def test_rested_goes_back_no_further_than_since(change: ChangeMap) -> None:
    for at in (1.0, 1.2, 1.4, 1.6):
        change.push(at, table((100, 100, 1 if at == 1.2 else 7)))
    assert change.rested(box(100, 100), since=0.5) == 1.0
    assert change.rested(box(100, 100), since=1.2) == 1.4


def test_a_region_looked_as_before_until_the_hand_came_and_once_it_had_left_again(change: ChangeMap) -> None:
    """Something passes over a card twice and stays at last."""
    shown = {0.5: True, 0.6: False, 0.9: True, 1.0: False, 1.1: False}
    for at, as_it_was in shown.items():
        change.push(at, table((100, 100, 1) if as_it_was else (100, 100, 2)))
    assert change.as_before(box(100, 100), 0.1) == 0.9
    assert change.as_before(box(100, 100), 0.95) < 1.0
    assert change.as_before(box(500, 200), 0.1) == 1.1
    assert change.steady(box(100, 100), 0.1) == 0.5 and change.steady(box(100, 100), -1.0) == -1.0
    assert change.steady(box(100, 100), 0.5) == 0.5
    assert change.steady(box(500, 200), 0.5) == 1.1


@pytest.mark.parametrize(("by", "steady_s"), [(20, 0.8), (70, 0.5)])
def test_what_covers_a_flat_back_and_is_as_flat_is_no_light(by: int, steady_s: float) -> None:
    """A shadow is, and a place looks the same under it: a sleeve differs by more."""
    change, back = ChangeMap(WIDTH, HEIGHT), table()
    back[80:300, 80:260] = 90
    for at in (0.4, 0.5, 0.6, 0.7, 0.8):
        shown = back.copy()
        shown[80:300, 80:260] += np.uint8(by if at > 0.5 else 0)
        change.push(at, shown)
    assert change.steady(box(100, 100), 0.4) == steady_s


def test_a_place_shows_what_it_showed_before_a_card_came_by_any_light(change: ChangeMap) -> None:
    for i in range(10):
        change.push(i / 10, table())
    bare = change.patch_of(box(500, 300), 0.5)
    assert bare is not None and change.patch_of(box(500, 300), -1.0) is None
    change.push(1.0, table((500, 300, 200)))
    assert not change.shows(box(500, 300), bare)
    change.push(1.1, table(light=25))
    assert change.shows(box(500, 300), bare)


def test_clusters_are_the_connected_parts_largest_first() -> None:
    tiles = np.zeros((10, 12), dtype=bool)
    tiles[1:3, 1:3] = True
    tiles[5:9, 6:11] = True
    parts = clusters(tiles)
    assert [int(part.sum()) for part in parts] == [20, 4]
    assert int(spread_out(parts[1]).sum()) == 16
