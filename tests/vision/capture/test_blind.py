"""Whether a picture can be read: dark, covered and moved cameras, and what is none of these."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.capture.blind import Blind
from vision.capture.change import Grey

HEIGHT, WIDTH = 270, 480
RNG = np.random.default_rng(3)


def table(
    cards: int = 14, light: float = 1.0, shift: tuple[float, float] = (0, 0), turn: float = 0.0
) -> Grey:
    """Cards on a cloth, with noise."""
    places = np.random.default_rng(1)
    image = np.full((HEIGHT, WIDTH), 70, np.uint8)
    for _ in range(cards):
        x, y = int(places.integers(20, 440)), int(places.integers(20, 220))
        cv2.rectangle(image, (x, y), (x + 24, y + 34), 230, -1)
        cv2.rectangle(image, (x + 4, y + 4), (x + 9, y + 14), 30, -1)
    warp = cv2.getRotationMatrix2D((WIDTH / 2, HEIGHT / 2), turn, 1.0)
    warp[:, 2] += shift
    image = cv2.warpAffine(image, warp, (WIDTH, HEIGHT), borderMode=cv2.BORDER_REPLICATE)
    noisy = image * light + RNG.normal(0, 1.0, image.shape)
    return np.asarray(np.clip(noisy, 0, 255), dtype=np.uint8)


def watched(blind: Blind, small: Grey | None, since: float, seconds: float) -> list[str | None]:
    """What is said of a picture that stays for a while."""
    times = np.arange(since, since + seconds, 0.1)
    return [blind.push(float(at), table() if small is None else small) for at in times]


@pytest.fixture
def blind() -> Blind:
    """One that has seen the table for some seconds."""
    blind = Blind()
    assert set(watched(blind, None, 0.0, 5.0)) == {None}
    return blind


def test_darkness_begins_and_ends(blind: Blind) -> None:
    assert set(watched(blind, table(light=0.1), 5.0, 1.0)) == {"dark"}
    assert blind.since_s == 5.0
    assert watched(blind, table(), 6.0, 1.0)[-1] is None


@pytest.mark.parametrize("shade", [90, 160, 220])
def test_a_covered_lens(blind: Blind, shade: int) -> None:
    palm = np.clip(shade + RNG.normal(0, 1, (HEIGHT, WIDTH)), 0, 255).astype(np.uint8)
    assert set(watched(blind, palm, 5.0, 4.0)) == {"covered"}
    assert watched(blind, table(), 9.0, 1.0)[-1] is None


@pytest.mark.parametrize("other", [table(0), table(7), table(light=0.6), table(light=1.08)])
def test_cards_gathered_up_and_lamps_switched_are_nothing_of_the_kind(blind: Blind, other: Grey) -> None:
    assert set(watched(blind, other, 5.0, 4.0)) == {None}


def test_an_arm_over_the_table_is_nothing_of_the_kind(blind: Blind) -> None:
    for step in range(40):
        arm = table()
        cv2.rectangle(arm, (step * 10, 0), (step * 10 + 90, 200), 150, -1)
        assert blind.push(5.0 + step / 10, arm) is None
