"""Two cards of one print laid on one another, on pictures drawn here: when each came, and from where."""

import cv2
import numpy as np
import pytest

from vision.capture.moments.carried import Arrival, arrivals
from vision.capture.moments.ring import FrameRing

WIDTH, HEIGHT = 640, 480
CARD = (96, 132)
AT = np.array([270.0, 170.0])
LOWER, UPPER = np.array([-140.0, 160.0]), np.array([120.0, -170.0])


def print_of(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    card = np.full((CARD[1], CARD[0]), 235, np.uint8)
    for _ in range(9):
        x, y = int(rng.integers(14, CARD[0] - 14)), int(rng.integers(14, CARD[1] - 14))
        cv2.circle(card, (x, y), int(rng.integers(5, 10)), 30, -1)
    return card


def lay(picture: np.ndarray, card: np.ndarray, at: np.ndarray) -> None:
    to, size = np.array([[1, 0, at[0]], [0, 1, at[1]]], np.float64), (WIDTH, HEIGHT)
    mask = cv2.warpAffine(np.full(card.shape, 255, np.uint8), to, size)
    picture[mask > 127] = cv2.warpAffine(card, to, size)[mask > 127]


def glides(t: float, lands: float, side: np.ndarray, to: np.ndarray) -> np.ndarray:
    share = float(np.clip((t - lands + 0.5) / 0.5, 0.0, 1.0))
    return to + side * (1 - share**3 * (10 - 15 * share + 6 * share**2))


def filmed(fps: float, lower: float, upper: float | None, *, turned: bool, other: bool = False) -> FrameRing:
    """A card lands at `lower` (s) from the lower left, one like it at `upper` from the upper right a few px away; the
    lower one is `turned` round, or has an`other` print. The hands that hold them stay at their outer ends.
    """
    ring = FrameRing(WIDTH, HEIGHT)
    first = print_of(3 if other else 2)
    under = first[::-1, ::-1] if turned else first
    for index in range(round(1.8 * fps)):
        t = index / fps
        picture = np.full((HEIGHT, WIDTH), 90, np.uint8)
        lay(picture, print_of(1), AT + np.array([3.0, -4.0]))
        for lands, card, side, away in (
            (lower, under, LOWER, [5.0, 4.0]),
            (upper, print_of(2), UPPER, [0.0, 0.0]),
        ):
            if lands is not None and t >= lands - 0.5:
                x, y = glides(t, lands, side, AT + away)
                lay(picture, card, np.array([x, y]))
                hand = np.array([x + CARD[0] / 2, y + CARD[1] / 2]) + 0.45 * side * (
                    1 + 3 * max(0.0, t - lands - 0.2)
                )
                cv2.circle(picture, (int(hand[0]), int(hand[1])), 34, 140, -1)
        ring.push(t, ring.shrunk(picture))
    return ring


def found(ring: FrameRing, *sides: np.ndarray) -> list[Arrival]:
    w, h = CARD
    return arrivals(ring, AT + np.array([[0.0, 0.0], [w, 0.0], [w, h], [0.0, h]]), 0.05, 1.8, sides)


def towards(one: Arrival, side: np.ndarray) -> float:
    return float(one.side @ side / (np.hypot(*one.side) * np.hypot(*side)))


@pytest.mark.parametrize(("turned", "other"), [(False, False), (True, False), (False, True)])
@pytest.mark.parametrize("fps", [30.0, 60.0])
def test_two_cards_of_a_tie_are_told_with_their_moments_and_sides(
    fps: float, turned: bool, other: bool
) -> None:
    for gap in (0.2, 0.3, 0.4):
        both = found(filmed(fps, 0.87, 0.87 + gap, turned=turned, other=other))
        assert len(both) == 2
        for one, lands, side in zip(both, (0.87, 0.87 + gap), (LOWER, UPPER), strict=True):
            assert towards(one, side) > 0.9
            assert one.landed[0] - 1 / fps <= lands <= one.landed[1] + 1 / fps
        assert both[0].landed[1] <= both[1].landed[0]


@pytest.mark.parametrize("fps", [30.0, 60.0])
@pytest.mark.parametrize("gap", [0.05, 0.1])
def test_of_two_cards_that_come_nearly_at_once_each_arm_is_followed_on_its_own_side(
    fps: float, gap: float
) -> None:
    """Nearer than two frames one alone may be told."""
    told = found(filmed(fps, 0.87, 0.87 + gap, turned=False), LOWER, UPPER)
    assert len(told) == 2 or (len(told) == 1 and gap < 2 / fps)
    for one in told:
        lands, side = min(((0.87, LOWER), (0.87 + gap, UPPER)), key=lambda card: -towards(one, card[1]))
        assert towards(one, side) > 0.9
        assert one.landed[0] - 0.002 <= lands <= one.landed[1] + 0.002


def test_a_hand_that_reaches_beside_the_card_lays_nothing_there() -> None:
    ring = FrameRing(WIDTH, HEIGHT)
    for index in range(54):
        t = index / 30
        picture = np.full((HEIGHT, WIDTH), 90, np.uint8)
        lay(picture, print_of(1), AT)
        for lands, away in ((0.9, [-115.0, 20.0]), (1.3, [0.0, 0.0])):
            if t >= lands - 0.5:
                lay(picture, print_of(2), glides(t, lands, LOWER if away[0] else UPPER, AT + away))
        ring.push(t, ring.shrunk(picture))
    (one,) = found(ring, LOWER, UPPER)
    assert towards(one, UPPER) > 0.9


@pytest.mark.parametrize("fps", [30.0, 60.0])
def test_one_card_is_told_once(fps: float) -> None:
    (one,) = found(filmed(fps, 0.4, 1.1, turned=False, other=False))[-1:]
    assert towards(one, UPPER) > 0.9
    ring = FrameRing(WIDTH, HEIGHT)
    for index in range(round(1.8 * fps)):
        picture = np.full((HEIGHT, WIDTH), 90, np.uint8)
        lay(picture, print_of(1), AT + np.array([3.0, -4.0]))
        if index / fps >= 0.5:
            lay(picture, print_of(2), glides(index / fps, 1.0, UPPER, AT))
        ring.push(index / fps, ring.shrunk(picture))
    assert len(found(ring)) == 1


def test_what_a_hand_uncovers_as_it_leaves_did_not_glide_in() -> None:
    """Two hands lie over all of it from before the card comes until they leave."""
    ring = FrameRing(WIDTH, HEIGHT)
    for index in range(54):
        t = index / 30
        picture = np.full((HEIGHT, WIDTH), 90, np.uint8)
        lay(picture, print_of(2 if t >= 0.8 else 1), AT)
        if t > 0.3:
            for way in (-1.0, 1.0):
                x = AT[0] + 48 + way * (40 + 900 * max(0.0, t - 1.2))
                cv2.ellipse(picture, (int(x), int(AT[1]) + 66), (75, 130), 0, 0, 360, 140 + 10 * way, -1)
        ring.push(t, ring.shrunk(picture))
    assert found(ring) == []
