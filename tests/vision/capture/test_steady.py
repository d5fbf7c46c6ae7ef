"""A camera that is knocked: noticed at once, and where everything lies is found again while hands go on playing."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.capture.blind import Blind
from vision.capture.change import Grey
from vision.capture.steady import Steady, full_size
from vision.layout import Floats

WIDTH, HEIGHT, FPS = 480, 270, 30.0
CORNERS = np.array([[[20.0, 20.0], [460.0, 20.0], [460.0, 250.0], [20.0, 250.0], [240.0, 135.0]]])


class Film:
    """Cards with print on them on a cloth, under a camera that somebody may knock and an arm that goes to and fro."""

    def __init__(self, seed: int = 1) -> None:
        self.rng = np.random.default_rng(seed)
        # four times as large as the small copy, like a real picture
        self.table = np.full((HEIGHT * 4, WIDTH * 4), 70, np.uint8)
        for _ in range(22):
            x, y = int(self.rng.integers(60, 1740)), int(self.rng.integers(60, 860))
            cv2.rectangle(self.table, (x, y), (x + 100, y + 140), 230, -1)
            for _ in range(6):
                a, b = (int(v) for v in self.rng.integers(8, 70, 2))
                cv2.rectangle(self.table, (x + a, y + b), (x + a + 20, y + b + 28), 40, -1)

    def small(self, at: float, knock: Floats, *, light: float = 1.0, arm: bool = True) -> Grey:
        image = self.table.copy()
        if arm:
            x = int(900 + 700 * np.sin(2.0 * at))
            cv2.rectangle(image, (x, 0), (x + 150, 700), 150, -1)
        image = cv2.warpPerspective(image, knock, (WIDTH * 4, HEIGHT * 4), borderMode=cv2.BORDER_REPLICATE)
        small = cv2.blur(cv2.resize(image, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA), (3, 3))
        noisy = small * light + self.rng.normal(0, 0.6, small.shape)
        return np.asarray(np.clip(noisy, 0, 255), dtype=np.uint8)


def knocked(x: float = 0.0, y: float = 0.0, turn: float = 0.0, tilt: float = 0.0) -> Floats:
    """(3, 3) px of the large picture: by so many px, degrees about its middle, and seen at a slant."""
    turned = np.vstack([cv2.getRotationMatrix2D((WIDTH * 2, HEIGHT * 2), turn, 1.0), [0, 0, 1]])
    turned[:2, 2] += x, y
    slant = np.array([[1, 0, 0], [0, 1, 0], [tilt * 1e-6, tilt * 1e-6, 1]])
    return np.asarray(turned @ slant, dtype=np.float64)


STILL = knocked()


def pushed(steady: Steady, film: Film, knocks: list[Floats], since: float) -> list[Grey | None]:
    return [steady.push(since + i / FPS, film.small(since + i / FPS, by)) for i, by in enumerate(knocks)]


def off(steady: Steady, knock: Floats) -> float:
    """How far (px of the picture) anything is laid from where it was."""
    to_first = full_size(steady.to_first(2.0), 0.25)
    assert to_first is not None
    back = cv2.perspectiveTransform(cv2.perspectiveTransform(CORNERS * 4, knock), to_first)
    return float(np.abs(back - CORNERS * 4).max())


@pytest.mark.parametrize(
    "knock",
    [
        knocked(6, -3),
        knocked(25, 14, 0.8),
        knocked(-20, 5, -1.2, 12.0),
        knocked(-110, 70, 2.0),
        knocked(20, 0, 5.0),
    ],
    ids=["little", "knocked", "tilted", "far", "turned"],
)
def test_a_knocked_camera_is_found_again_within_a_second(knock: Floats) -> None:
    film, steady = Film(), Steady()
    assert all(small is not None for small in pushed(steady, film, [STILL] * 30, 0.0))
    shown = pushed(steady, film, [knock] * 20, 1.0)
    assert shown[0] is None
    assert steady.moving_since is None
    found = next(i for i, small in enumerate(shown) if small is not None)
    assert found / FPS < 0.7
    assert off(steady, knock) < 2.0
    # what was shown before the knock is not laid elsewhere, and after it everything is where it was
    assert np.array_equal(steady.to_first(0.9), np.eye(3))
    here, there = film.small(3.0, STILL, arm=False), shown[-1]
    assert there is not None
    unlike = np.abs(here[40:230, 60:420].astype(int) - there[40:230, 60:420])
    assert float((unlike > 40).mean()) < 0.25


def test_a_knock_while_no_frames_came_is_found_all_the_same() -> None:
    film, steady = Film(), Steady()
    pushed(steady, film, [STILL] * 12, 0.0)
    shown = pushed(steady, film, [knocked(-110, 70, 2.0)] * 12, 1.4)
    assert shown[0] is None
    assert shown[-1] is not None
    assert off(steady, knocked(-110, 70, 2.0)) < 3.0


def test_while_it_shakes_nothing_is_shown_and_then_it_is_where_it_stays() -> None:
    film, steady = Film(), Steady()
    pushed(steady, film, [STILL] * 30, 0.0)
    shaking = [knocked(30 * np.sin(i), 20 * np.cos(1.7 * i)) for i in range(1, 16)]
    shown = pushed(steady, film, [*shaking, *[knocked(12, 9)] * 12], 1.0)
    assert all(small is None for small in shown[2:14])
    assert shown[-1] is not None
    assert steady.to_first(2.0)[:2, 2] * 4 == pytest.approx([-12, -9], abs=1.5)


def test_a_camera_that_is_put_back_stands_as_it_did() -> None:
    film, steady = Film(), Steady()
    pushed(steady, film, [STILL] * 10 + [knocked(40, 0)] * 10 + [STILL] * 12, 0.0)
    assert steady.moving_since is None
    assert np.abs(steady.to_first(1.1)[:2, 2]).max() < 0.3


def test_lamps_and_arms_and_cards_taken_away_do_not_move_the_camera() -> None:
    film, steady = Film(), Steady()
    for i in range(90):
        at = i / FPS
        light = 1.0 if at < 1.0 else 0.6 if at < 2.0 else 1.1
        if i == 75:
            film.table[:, 900:] = 70
        assert steady.push(at, film.small(at, STILL, light=light)) is not None
    assert np.array_equal(steady.to_first(3.0), np.eye(3))


def test_one_that_was_carried_away_is_moved_until_it_is_settled_anew() -> None:
    film, other, blind = Film(), Film(seed=9), Blind()
    for i in range(30):
        assert blind.push(i / FPS, film.small(i / FPS, STILL)) is None
    for i in range(30, 75):
        assert blind.push(i / FPS, other.small(i / FPS, STILL)) == "moved"
    assert blind.since_s == pytest.approx(1.0)
    blind.settled()
    assert blind.push(2.5, other.small(2.5, STILL)) is None


def test_cards_that_hands_move_while_one_row_lies_still_are_no_knock() -> None:
    """What lies along a line cannot tell a tilt about it from cards that are carried beside it."""
    film = Film()
    film.table[:] = 70
    rows = [(300, 40 + 150 * n) for n in range(6)] + [(410, 40 + 150 * n) for n in range(6)]
    for x, y in [*rows, *((1500, 100 + 190 * n) for n in range(5))]:
        cv2.rectangle(film.table, (x, y), (x + 90, y + 130), 230, -1)
        for a, b in film.rng.integers(8, 60, (6, 2)).tolist():
            cv2.rectangle(film.table, (x + a, y + b), (x + a + 20, y + b + 28), 40, -1)
    steady, carried = Steady(), Film()
    stretch = np.array([[1.012, 0.0, -0.012 * 400], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    carried.table = film.table.copy()
    carried.table[:, 1200:] = cv2.warpPerspective(film.table, stretch, (WIDTH * 4, HEIGHT * 4))[:, 1200:]
    for i in range(45):
        shown = film if i < 20 else carried
        assert steady.push(i / FPS, shown.small(i / FPS, STILL, arm=False)) is not None


def test_points_that_stray_in_one_part_say_nothing_of_a_far_corner() -> None:
    """All that hands leave in a dim picture lies at one end of it: a hair's breadth there is none across the table."""
    film, strayed = Film(), Film()
    film.table[:, 700:] = 70
    turn = np.array([[1.0, -0.001, 0.8 + 0.001 * 540], [0.001, 1.0, -0.001 * 350], [0.0, 0.0, 1.0]])
    strayed.table = cv2.warpPerspective(film.table, turn, (WIDTH * 4, HEIGHT * 4), borderValue=70)
    steady = Steady()
    for i in range(45):
        shown = film if i < 20 else strayed
        assert steady.push(i / FPS, shown.small(i / FPS, STILL, arm=False)) is not None


@pytest.mark.parametrize("moved", [False, True])
def test_hands_that_gather_up_what_few_cards_lie_there_are_no_knock(moved: bool) -> None:
    """Two cards lie still on a plain table; most of what stands out is what hands carry, each its own way at once."""
    film, rng = Film(), np.random.default_rng(3)
    film.table[:] = 70
    still = [(700, 300), (900, 620)]
    carried = [(200, 200), (330, 240), (1400, 200), (1300, 330), (250, 700), (1450, 720), (1350, 600)]

    def pictured(offsets: list[tuple[int, int]], shift: int) -> Grey:
        shown = Film(7)
        shown.table[:] = 70
        for (x, y), (dx, dy) in zip([*still, *carried], [(shift, shift)] * 2 + offsets, strict=True):
            cv2.rectangle(shown.table, (x + dx, y + dy), (x + dx + 90, y + dy + 130), 230, -1)
            for a, b in np.random.default_rng(x).integers(8, 60, (6, 2)).tolist():
                at = x + dx + a, y + dy + b
                cv2.rectangle(shown.table, at, (at[0] + 20, at[1] + 28), 40, -1)
        return shown.small(0.0, STILL, arm=False)

    steady, nowhere = Steady(), [(0, 0)] * len(carried)
    for i in range(20):
        assert steady.push(i / FPS, pictured(nowhere, 0)) is not None
    ways = [(int(x), int(y)) for x, y in rng.choice([-90, -60, 60, 90], (len(carried), 2))]
    last = steady.push(20 / FPS, pictured(ways, 50 if moved else 0))
    assert (last is None) == moved
