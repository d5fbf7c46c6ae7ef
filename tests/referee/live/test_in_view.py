"""Tables that are hard to follow: said early, in a line that names thing and remedy; what can be is followed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from evening import FPS, SIZE, Evening
from umpire_table import PX_PER_MM, Eye, Table, layout_of

from referee.live.beginning import DEAL_LOOKS
from referee.live.hands import EARLY_S, WAIT_S, Hands
from referee.live.in_view import amiss, warnings
from referee.live.terms import Terms
from referee.rules.settings import Settings
from referee.umpire.odds import Odds
from referee.umpire.seats.deal import Deal
from referee.umpire.seats.dealt_row import NotFollowedError
from referee.umpire.umpire import Umpire
from vision.capture.video import Frame
from vision.layout import Layout

#: px: a picture that shows all of the make-believe table with room about it.
WIDE, HIGH = 1800, 1600


def layouts(
    *, scale: float = PX_PER_MM, second_back: str = "red", size: tuple[int, int] = (WIDE, HIGH)
) -> Layout:
    """The dealt table, so many px/mm; what lies beyond the picture's edge is not seen."""
    dealt = [change for change in Table(1, 10.0).changes if change.at == 0.0]
    layout = layout_of(Eye(0, wrong=0.0, missed=0.0, shift_mm=0.0), dealt)
    for card in layout.cards:
        if card.side == "back" and card.centre[1] > HIGH / 2:
            card.back = second_back
        card.corners = card.corners * scale / PX_PER_MM
        card.visible = card.visible * scale / PX_PER_MM
    cards = [card for card in layout.cards if (card.corners >= 0).all() and (card.corners <= size).all()]
    return Layout(*size, scale, cards, [], np.diag([1 / scale, 1 / scale, 1.0]))


def dealt(layout: Layout) -> Deal:
    return Umpire(Odds()).deal([layout] * 3)


def test_a_table_that_is_seen_well_needs_no_word() -> None:
    assert list(warnings(dealt(layouts()), WIDE, HIGH)) == []


def test_small_cards_are_told_with_their_scale_and_followed() -> None:
    (said,) = warnings(dealt(layouts(scale=0.9)), WIDE, HIGH)
    assert said.startswith("cards are seen at 0.90 px/mm")
    assert "lower" in said


def test_a_deck_twice_is_told_with_both_players() -> None:
    (said,) = warnings(dealt(layouts(second_back="blue")), WIDE, HIGH)
    assert said.startswith(("north and south", "south and north"))
    assert "one design" in said


def test_rows_from_which_columns_leave_the_picture_are_told() -> None:
    size = WIDE, 1270
    (said,) = warnings(dealt(layouts(size=size)), *size)
    assert said.startswith("south's columns leave the picture's edge")


def test_ten_frames_a_second_are_told() -> None:
    (said,) = warnings(dealt(layouts()), WIDE, HIGH, 10.0)
    assert said.startswith("it has 10 frames a second")


@pytest.mark.parametrize(
    ("layout", "names"),
    [
        (layouts(scale=0.8), "0.80 px/mm"),
        (layouts(size=(1390, HIGH)), "picture's edge"),
        (layouts(), ""),
        (Layout(WIDE, HIGH, 0.0, [], [], None), ""),
    ],
    ids=["small", "cut", "neither", "nothing"],
)
def test_why_no_deal_is_read_says_what_may_be_amiss_with_the_picture(layout: Layout, names: str) -> None:
    said = amiss([layout])
    assert names in said
    assert bool(said) == bool(names)


class Nothing:
    """Eyes that see no card, and count how often they look."""

    looks = 0

    def look(self, *_: Any) -> Layout:
        self.looks += 1
        return Layout(*SIZE, 0.0, [], [], None)


def watched(frames: Iterator[Frame], eyes: Any, lines: list[Any] | None = None) -> tuple[list[str], Hands]:
    rules, said = Settings.of("nerts", {}), list[str]()
    hands = Hands(eyes, lambda: Umpire.of(rules), SIZE, float(FPS), Terms("nerts", {}), said.append)
    for frame in frames:
        told = list(hands.push(frame))
        if lines is not None:
            lines += told
    return said, hands


def test_a_film_of_nothing_is_told_early_and_given_up() -> None:
    cloth = np.full((SIZE[1], SIZE[0], 3), 90, np.uint8)

    said, _ = watched((Frame(n, n / 5, cloth) for n in range(60)), Nothing())
    assert len(said) == 1
    assert said[0].startswith("no deal can be read so far (no card can be seen")
    with pytest.raises(NotFollowedError, match="no card can be seen"):
        watched((Frame(n, n / 5, cloth) for n in range(round(WAIT_S * 5) + 20)), Nothing())


def dark(number: int) -> np.ndarray:
    return np.random.default_rng(number).integers(0, 12, (SIZE[1], SIZE[0], 3), dtype=np.uint8)


def restless(number: int) -> np.ndarray:
    return np.random.default_rng(number).integers(0, 255, (SIZE[1], SIZE[0], 3), dtype=np.uint8)


@pytest.mark.parametrize(
    ("image", "says"),
    [
        (dark, "too dark to see anything: leave a light on"),
        (restless, "never stands still: clamp the camera"),
    ],
)
def test_a_film_in_which_nothing_can_be_seen_says_so_early_and_is_given_up(
    image: Callable[[int], np.ndarray], says: str
) -> None:
    def film(seconds: float) -> Iterator[Frame]:
        return (Frame(n, n / 5, image(n)) for n in range(round(seconds * 5)))

    eyes = Nothing()
    said, hands = watched(film(EARLY_S + 1.0), eyes)
    assert len(said) == 1
    assert says in said[0]
    with pytest.raises(NotFollowedError, match=says):
        list(hands.end(None))
    assert eyes.looks < DEAL_LOOKS
    with pytest.raises(NotFollowedError, match=says):
        watched(film(WAIT_S + 1.0), eyes)


def test_a_film_that_is_too_short_says_what_to_do() -> None:
    _, hands = watched(iter([Frame(0, 0.0, Evening([Table(9, 5.0)]).image(80))]), Nothing())
    with pytest.raises(
        NotFollowedError, match="too short to see a dealt table in it: begin with the deal in view"
    ):
        list(hands.end(None))


def test_a_camera_that_is_clamped_when_it_records_already_is_followed_from_then_on() -> None:
    evening = Evening([Table(3, 14.0)])
    room = Evening([Table(9, 5.0)]).image(round(evening.parts[0].start * FPS) + 5)[::-1, :]
    stands = evening.parts[0].start - 0.9

    class Eyes:
        def look(self, frame: Frame, *given: Any) -> Layout:
            carried = frame.time_s < stands
            return Layout(*SIZE, 0.0, [], [], None) if carried else evening.look(frame, *given)

    def frames() -> Iterator[Frame]:
        for frame in evening:
            if frame.time_s >= stands:
                yield frame
            elif frame.time_s >= stands - 3.0:
                shifted = np.roll(room, 9 * frame.index, axis=(0, 1))
                yield Frame(frame.index, frame.time_s, np.ascontiguousarray(shifted))

    lines: list[Any] = []
    said, hands = watched(frames(), Eyes(), lines)
    lines += hands.end(None)
    assert not any("no deal" in text or "camera was moved" in text for text in said)
    assert sum(line.get("event") == "deal" for line in lines) == 2
    assert sum(line.get("event") == "play" for line in lines) > 3
    assert not any(line.get("verdict") == "illegal" for line in lines)


def test_a_camera_that_is_carried_away_is_told() -> None:
    evening = Evening([Table(3, 14.0)])
    start = evening.parts[0].start
    other = np.ascontiguousarray(Evening([Table(9, 5.0)]).image(round(start * FPS) + 5)[::-1, :])

    def frames() -> Iterator[Frame]:
        for frame in evening:
            if start - 0.3 <= frame.time_s < start + 9.0:
                away = frame.time_s >= start + 3.0
                yield Frame(frame.index, frame.time_s, other) if away else frame

    said, hands = watched(frames(), evening)
    moved = [text for text in said if text.startswith("the camera was moved")]
    assert len(moved) == 1
    lines = list(hands.end(None))
    assert any(line.get("event") == "gap" and line["why"] == "moved" for line in lines)
    assert not any(line.get("verdict") == "illegal" for line in lines)
