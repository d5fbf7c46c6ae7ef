"""A camera held by hand over coloured cards on a speckled table, and an eye that sees the colours."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any

import cv2
import numpy as np

from vision.capture.frames import Image
from vision.layout import Floats, Layout, SeenCard

WIDTH, HEIGHT = 640, 360
#: px a mm, and a card's width and height in px.
SCALE = 0.8
CARD = (50, 70)
COLOURS = {"red": (40, 40, 220), "blue": (220, 60, 40), "green": (40, 200, 40)}
#: Where cards are laid, their left top corner, px.
PLACES = [(90 + 75 * (k % 6), 70 + 110 * (k // 6)) for k in range(12)]


def table(cards: Sequence[tuple[str, tuple[int, int]]], hand_at: tuple[int, int] | None = None) -> Image:
    """The table from above with these cards, (colour, left top corner px), and a hand, if one lies on it."""
    rng = np.random.default_rng(5)
    speckled = rng.integers(60, 150, (HEIGHT // 4, WIDTH // 4), np.uint8)
    grey = cv2.resize(speckled, (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC)
    picture = np.repeat(grey[..., None], 3, axis=2)
    for colour, (x, y) in cards:
        picture[y - 3 : y + CARD[1] + 3, x - 3 : x + CARD[0] + 3] = 235
        picture[y : y + CARD[1], x : x + CARD[0]] = COLOURS[colour]
        cv2.circle(picture, (x + CARD[0] // 2, y + CARD[1] // 2), 9, (250, 250, 250), 2)
    if hand_at is not None:
        cv2.ellipse(picture, hand_at, (60, 35), 20, 0, 360, (150, 180, 220), -1)
    return picture


def seen_from(picture: Image, step: float, blur: int = 0) -> Image:
    """The table as a camera sees it that a hand moved by so many steps."""
    turn = cv2.getRotationMatrix2D((WIDTH / 2, HEIGHT / 2), 0.8 * step, 1 + 0.004 * step)
    way = np.vstack([turn, [0, 0, 1]]) @ np.array([[1, 0, 2 * step], [0, 1, step], [2e-5 * step, 0, 1]])
    seen = cv2.warpPerspective(picture, way, (WIDTH, HEIGHT), borderMode=cv2.BORDER_REFLECT)
    if blur:
        seen = cv2.blur(seen, (blur, blur))
    return np.asarray(seen, dtype=np.uint8)


@dataclass
class ColourEye:
    """Sees a card of a colour where there is a spot of it; `more`: as many cards more, in the look of that number."""

    more: dict[int, list[tuple[str, tuple[int, int]]]] = field(default_factory=dict)
    looks: int = 0
    parts: int = 0

    def see_part(self, image: Image, to_table: Floats, area: Floats, *, spread: bool) -> Layout:
        """The cards of which the middle lies in that part."""
        self.parts += 1
        layout = ColourEye().see(image)
        around = area.astype(np.float32)
        inside = [
            cv2.pointPolygonTest(around, tuple(map(float, card.centre)), False) >= 0 for card in layout.cards
        ]
        cards = [card for card, there in zip(layout.cards, inside, strict=True) if there]
        return replace(layout, cards=cards, to_table=to_table)

    def see(self, image: Image, **_: Any) -> Layout:
        """The cards, with the scale that they have from above."""
        self.looks += 1
        cards = [
            _card(colour, cv2.boundingRect(part))
            for colour, (low, high) in _RANGES.items()
            for part in cv2.findContours(
                cv2.inRange(cv2.cvtColor(image, cv2.COLOR_BGR2HSV), low, high),
                cv2.RETR_EXTERNAL,
                cv2.CHAIN_APPROX_SIMPLE,
            )[0]
            if cv2.contourArea(part) > CARD[0] * CARD[1] / 2
        ]
        cards += [_card(colour, (x, y, *CARD)) for colour, (x, y) in self.more.get(self.looks, [])]
        to_table = np.diag([1 / SCALE, 1 / SCALE, 1.0])
        return Layout(image.shape[1], image.shape[0], SCALE, cards, to_table=to_table)


_RANGES = {
    "red": (np.array([0, 140, 120]), np.array([8, 255, 255])),
    "blue": (np.array([108, 140, 120]), np.array([128, 255, 255])),
    "green": (np.array([50, 140, 100]), np.array([70, 255, 255])),
}


def _card(colour: str, box: Sequence[int]) -> SeenCard:
    x, y, width, height = box
    corners = np.array([[x, y], [x + width, y], [x + width, y + height], [x, y + height]], dtype=np.float64)
    return SeenCard(corners, "back", corners, 1.0, 0.99, back=colour, pile=1000 * y + x)


class Later:
    """Does what is submitted when the test says so, as a worker would in its own time."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Future[Any], Any, tuple[Any, ...]]] = []

    def submit(self, work: Any, *given: Any) -> Future[Any]:
        """The answer that is to come."""
        answer: Future[Any] = Future()
        self.waiting.append((answer, work, given))
        return answer

    def work(self) -> None:
        """Does what waits."""
        while self.waiting:
            answer, work, given = self.waiting.pop(0)
            if answer.set_running_or_notify_cancel():
                answer.set_result(work(*given))
