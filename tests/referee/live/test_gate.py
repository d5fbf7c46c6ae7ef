"""When to look where: a place that changed and rests is looked at, one under a hand or seen in vain is left alone."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import cv2
import numpy as np
import pytest
from believed import place_of

from referee.live.gate import FREE_AGAIN_S, FREE_LOOKS, SOUGHT_LOOKS, Gate, Wanted, joined
from vision.capture.change import ChangeMap
from vision.layout import Floats

WIDTH, HEIGHT = 960, 720
FPS = 20.0
WORK = place_of("south", "work 1")
WASTE = place_of("south", "waste")


def box(left: float, top: float, right: float, bottom: float) -> Floats:
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]])


CORES = {WORK: box(100, 500, 180, 620), WASTE: box(700, 500, 780, 620)}
REGIONS = {WORK: box(90, 490, 190, 630), WASTE: box(690, 490, 790, 630)}
CENTRE = box(0, 0, WIDTH, 450)
Shown = Callable[[float, np.ndarray], None]


class Filmed:
    """A gate before a table that is drawn anew for each frame; looks are noted, and taken if somebody takes them."""

    def __init__(self, draw: Shown) -> None:
        self.draw, self.now, self.index = draw, 0.0, 0
        self.gate = Gate(ChangeMap(WIDTH, HEIGHT), WIDTH, HEIGHT)
        self.asked: list[tuple[float, Wanted]] = []

    def until(self, end: float, take: Callable[[float, Wanted], None] | None = None) -> list[float]:
        """The moments at which looks were asked for."""
        first = len(self.asked)
        while self.now < end - 1e-9:
            image = np.full((HEIGHT, WIDTH, 3), 90, np.uint8)
            self.draw(self.now, image)
            self.gate.change.push(self.now, image)
            for wanted in self.gate.wanted(CORES, REGIONS, [CENTRE]):
                self.asked.append((round(self.now, 3), wanted))
                if take is not None:
                    take(self.now, wanted)
            self.index += 1
            self.now = self.index / FPS
        return [at for at, _ in self.asked[first:]]

    def seen(self, _: float, wanted: Wanted) -> None:
        self.gate.seen(wanted, wanted.places, REGIONS, hands=False)

    def hidden(self, _: float, wanted: Wanted) -> None:
        self.gate.seen(wanted, (), REGIONS, hands=True)


def card(at: float, region: Floats = CORES[WORK], moving_s: float = 0.0) -> Shown:
    """A card that comes at a moment and flutters for a while."""

    def draw(now: float, image: np.ndarray) -> None:
        (x0, y0), (x1, y1) = region[0].astype(int), region[2].astype(int)
        if now >= at - 1e-9:
            flutter = round((now - at) * FPS) % 2 * 90 if now < at + moving_s - 1e-9 else 0
            image[y0:y1, x0:x1] = 250 - flutter

    return draw


def nothing(now: float, image: np.ndarray) -> None:
    """An empty table."""


def test_a_table_on_which_nothing_happens_is_not_looked_at() -> None:
    assert Filmed(nothing).until(3.0) == []


def test_a_place_that_changed_is_looked_at_when_it_rests_and_then_left_alone() -> None:
    film = Filmed(card(0.5, moving_s=0.4))
    asked = film.until(3.0, film.seen)
    assert len(asked) == 1 and 0.9 <= asked[0] <= 1.05
    ((_, wanted),) = film.asked
    assert wanted.places == (WORK,) and wanted.tiles == ()
    x0, y0, x1, y1 = wanted.window
    (left, top), (right, bottom) = REGIONS[WORK][0], REGIONS[WORK][2]
    assert x0 < left and y0 < top and x1 > right and y1 > bottom
    assert right - left < x1 - x0 <= right - left + 60 and bottom - top < y1 - y0 <= bottom - top + 60


def test_a_place_under_a_hand_is_tried_again_after_a_second_unless_something_moves_there() -> None:
    film = Filmed(card(0.5))
    first = film.until(0.8, film.hidden)[0]
    asked = film.until(first + 2.5, film.hidden)
    assert 2 <= len(asked) <= 3
    assert all(0.95 <= b - a <= 1.1 for a, b in zip([first, *asked], asked, strict=False))


def test_a_hand_that_leaves_a_place_is_followed_by_a_look_at_once() -> None:
    def draw(now: float, image: np.ndarray) -> None:
        card(0.5)(now, image)
        if 0.5 <= now < 1.0:
            image[500:620, 100:180] = 150

    film = Filmed(draw)
    film.until(0.95, film.hidden)
    asked = film.until(2.0, film.seen)
    assert len(asked) == 1 and asked[0] <= 1.25


def test_what_is_looked_at_in_vain_is_looked_at_less_and_less_often() -> None:
    film = Filmed(nothing)

    def again(_: float, wanted: Wanted) -> None:
        film.seen(_, wanted)
        for place in wanted.places:
            film.gate.told(place, news=False)
            film.gate.again(place)

    film.gate.again(WORK)
    asked = film.until(14.0, again)
    pauses = np.diff(asked)
    assert asked[0] == 0.0
    assert all(b >= a - 0.051 for a, b in pairwise(pauses))
    assert pauses[0] <= 0.3 and pauses[-1] == pytest.approx(3.0, abs=0.11)
    assert 7 <= len(asked) <= 10


def test_news_make_a_place_worth_looking_at_again_soon() -> None:
    film = Filmed(nothing)
    for _ in range(6):
        film.gate.told(WORK, news=False)
    film.gate.told(WORK, news=True)
    film.gate.again(WORK)
    film.until(0.05, film.seen)
    film.gate.again(WORK)
    assert film.until(1.0)[0] <= 0.15


def test_a_place_that_keeps_changing_is_looked_at_with_pauses() -> None:
    def draw(now: float, image: np.ndarray) -> None:
        image[500:620, 100:180] = 100 + 70 * (round(now * FPS) // 4 % 3)

    film = Filmed(draw)
    asked = film.until(3.0, film.seen)
    assert len(asked) >= 5
    assert np.diff(asked).min() >= 0.1 - 1e-6


def printed(face: str, shadow: float = 0.0) -> Shown:
    """A card with its print on the first work pile, in a shadow that is darkest at one side (share of the light)."""

    def draw(now: float, image: np.ndarray) -> None:
        (x0, y0), (x1, y1) = CORES[WORK][0].astype(int), CORES[WORK][2].astype(int)
        image[y0:y1, x0:x1] = 240
        for x, y in {"2": ((40, 30), (40, 90)), "3": ((40, 25), (40, 60), (40, 95))}[face]:
            cv2.circle(image, (x0 + x, y0 + y), 9, (40, 40, 40), -1)
        if shadow:
            light = np.linspace(1.0 - shadow, 1.0, x1 - x0 + 80)[:, None]
            part = image[y0 - 40 : y1 + 40, x0 - 40 : x1 + 40]
            part[:] = (part * light).astype(np.uint8)

    return draw


def turned(at: float, ink: int) -> Shown:
    """A back of one colour on the first work pile, and from a moment on the card's face; neither ends within the core."""

    def draw(now: float, image: np.ndarray) -> None:
        (x0, y0), (x1, y1) = REGIONS[WORK][0].astype(int), REGIONS[WORK][2].astype(int)
        image[y0:y1, x0:x1] = 60 if now < at else 230
        for y in (35, 70, 105) if now >= at else ():
            cv2.circle(image, (x0 + 50, y0 + y), 9, (ink, ink, ink), -1)

    return draw


def laid(at: float, region: Floats) -> Shown:
    """A card, and from a moment on another of its rank, whose suit prints alike but paler."""

    def draw(now: float, image: np.ndarray) -> None:
        (x0, y0), (x1, y1) = region[0].astype(int), region[2].astype(int)
        image[y0:y1, x0:x1] = 240
        for y in (25, 60, 95):
            cv2.circle(image, (x0 + 40, y0 + y), 9, (40, 40, 40) if now < at else (130, 130, 130), -1)

    return draw


def by_turns(*drawn: Shown, every: float) -> Shown:
    def draw(now: float, image: np.ndarray) -> None:
        drawn[int((now + 1e-9) / every) % len(drawn)](now, image)

    return draw


def remembering(film: Filmed) -> Callable[[float, Wanted], None]:
    """Sees the same at every look."""

    def take(now: float, wanted: Wanted) -> None:
        film.seen(now, wanted)
        for place in wanted.places:
            film.gate.told(place, news=len(film.asked) == 1)
            film.gate.remember(place, CORES[place])

    return take


def test_a_shadow_that_comes_and_goes_over_a_card_that_was_seen_is_not_looked_at() -> None:
    film = Filmed(by_turns(printed("2"), printed("2", 0.4), every=1.0))
    film.draw = lambda now, image, drawn=film.draw: drawn(now, image) if now > 0.2 else None
    film.until(8.0, remembering(film))
    assert [wanted.places for _, wanted in film.asked if wanted.places] == [(WORK,)]


def test_another_card_under_the_same_shadow_is_looked_at() -> None:
    film = Filmed(by_turns(printed("2", 0.4), printed("3", 0.4), every=4.0))
    film.draw = lambda now, image, drawn=film.draw: drawn(now, image) if now > 0.2 else None
    film.until(8.0, remembering(film))
    asked = [at for at, wanted in film.asked if wanted.places]
    assert len(asked) == 2 and 4.0 <= asked[1] <= 4.3


@pytest.mark.parametrize("ink", [40, 190])
def test_a_card_that_is_turned_is_looked_at_though_its_back_shows_no_print(ink: int) -> None:
    film = Filmed(turned(4.0, ink))
    film.draw = lambda now, image, drawn=film.draw: drawn(now, image) if now > 0.2 else None
    film.until(7.0, remembering(film))
    asked = [at for at, wanted in film.asked if wanted.places]
    assert len(asked) == 2 and asked[0] < 1.0 and 4.0 <= asked[1] <= 4.3


def test_another_suit_of_a_rank_is_looked_at_where_one_card_comes_to_lie_on_the_other() -> None:
    """Before the next packet comes: a second after the last one, with a hand over both for most of it."""
    film = Filmed(laid(4.0, CORES[WASTE]))
    film.draw = lambda now, image, drawn=film.draw: drawn(now, image) if now > 0.2 else None
    film.until(7.0, remembering(film))
    asked = [at for at, wanted in film.asked if wanted.places]
    assert len(asked) == 2 and asked[0] < 1.0 and 4.15 <= asked[1] <= 4.4


def test_a_place_about_which_a_hand_moves_is_left_alone_until_it_rests_but_not_for_long() -> None:
    def moving(until: float) -> Shown:
        def draw(now: float, image: np.ndarray) -> None:
            card(0.5)(now, image)
            if 0.5 <= now < until:
                x = 150 + 12 * (round(now * FPS) % 2)
                image[600:660, x : x + 60] = 150

        return draw

    film = Filmed(moving(0.8))
    assert 0.8 <= film.until(3.0, film.seen)[0] <= 0.95
    film = Filmed(moving(9.0))
    assert 0.85 <= film.until(3.0, film.seen)[0] <= 1.05


def test_a_change_in_the_free_centre_is_looked_at_where_it_is_and_once_more() -> None:
    """Where the first look missed a card it would lie there unseen for ever."""
    film = Filmed(card(0.5, box(400, 200, 463, 288)))
    asked = film.until(3.0, film.seen)
    assert len(asked) == FREE_LOOKS == 2 and 0.5 <= asked[0] <= 0.7
    assert FREE_AGAIN_S <= asked[1] - asked[0] <= FREE_AGAIN_S + 0.1
    (_, wanted), (_, again) = film.asked
    assert again.window == wanted.window
    assert wanted.places == () and len(wanted.tiles) == 1
    x0, y0, x1, y1 = wanted.window
    assert x0 < 400 and y0 < 200 and x1 > 463 and y1 > 288
    assert (x1 - x0) * (y1 - y0) < 200 * 240


def test_a_card_that_is_sought_is_looked_for_where_something_came_ever_more_rarely() -> None:
    film = Filmed(card(0.5, box(400, 200, 463, 288)))
    film.gate.seeks = True
    asked = film.until(15.0, film.seen)
    pauses = np.diff(asked)
    assert len(asked) == SOUGHT_LOOKS
    assert (np.diff(pauses[1:]) > 0.0).all() and pauses[-1] > 2.0


def test_another_card_on_the_same_free_spot_is_looked_at_soon() -> None:
    spot = box(400, 200, 463, 288)

    def draw(now: float, image: np.ndarray) -> None:
        card(0.5, spot)(now, image)
        if now >= 1.0 - 1e-9:
            image[200:288, 400:463] = 170

    asked = Filmed(draw)
    moments = asked.until(2.5, asked.seen)
    assert 3 <= len(moments) <= 4 and any(1.0 <= at <= 1.2 for at in moments)


def test_a_hand_in_the_free_centre_is_waited_for() -> None:
    film = Filmed(card(0.5, box(400, 200, 463, 288)))
    first = film.until(0.8, film.hidden)[0]
    asked = film.until(first + 2.5, film.hidden)
    assert 1 <= len(asked) <= 3
    assert all(b - a >= 0.95 for a, b in zip([first, *asked], asked, strict=False))


def test_what_is_no_card_by_its_size_is_not_looked_at_in_the_centre() -> None:
    assert Filmed(card(0.5, box(402, 202, 408, 208))).until(2.0) == []


def test_windows_stay_in_the_picture() -> None:
    regions = {WORK: box(-40, 600, 60, HEIGHT + 40), WASTE: box(WIDTH - 50, -60, WIDTH + 30, 60)}
    gate = Gate(ChangeMap(WIDTH, HEIGHT), WIDTH, HEIGHT)
    gate.change.push(0.0, np.zeros((HEIGHT, WIDTH, 3), np.uint8))
    for place in regions:
        gate.again(place)
    for wanted in gate.wanted(regions, regions, [CENTRE]):
        x0, y0, x1, y1 = wanted.window
        assert 0 <= x0 < x1 <= WIDTH and 0 <= y0 < y1 <= HEIGHT


def test_windows_are_joined_only_where_that_saves_looking() -> None:
    near = [Wanted((0, 0, 100, 100), (WORK,)), Wanted((90, 0, 190, 100), (WASTE,))]
    (one,) = joined(near, 0)
    assert one.window == (0, 0, 190, 100) and one.places == (WORK, WASTE)
    far = [Wanted((0, 0, 100, 100), (WORK,)), Wanted((150, 0, 250, 100), (WASTE,))]
    assert joined(far, 4_999) == far
    (both,) = joined(far, 5_000)
    assert both.window == (0, 0, 250, 100)
    chain = [Wanted((100 * k, 0, 100 * k + 110, 100), (place_of("south", f"work {k}"),)) for k in range(1, 5)]
    (whole,) = joined(chain, 0)
    assert whole.window == (100, 0, 510, 100) and len(whole.places) == 4


def test_a_shadow_on_the_free_table_and_the_edge_of_a_pushed_pile_are_not_looked_at() -> None:
    rng = np.random.default_rng(1)
    grain = cv2.GaussianBlur(rng.integers(0, 60, (HEIGHT, WIDTH, 3)).astype(np.uint8), (0, 0), 4)

    def shadow(now: float, image: np.ndarray) -> None:
        image += grain
        if now >= 0.5:
            dark = np.ones((HEIGHT, WIDTH), np.float32)
            cv2.rectangle(dark, (300, 150), (420, 300), 0.7, -1)
            image[:] = image * cv2.GaussianBlur(dark, (0, 0), 25)[..., None]

    assert Filmed(shadow).until(2.0) == []
    assert Filmed(card(0.5, box(400, 200, 412, 288))).until(2.0) == []


def test_an_arm_is_waited_for_until_it_has_gone() -> None:
    def reaches(now: float, image: np.ndarray) -> None:
        if now >= 0.4:
            # over the column, and it never quite rests
            image[520 + int(now * 20) % 3 : HEIGHT, 90:190] = 200
        if now >= 1.6:
            image[:] = 90
            image[520:600, 110:170] = 240

    film = Filmed(reaches)
    asked = film.until(3.0, film.seen)
    assert asked and min(asked) >= 1.6
    assert film.asked[0][1].places == (WORK,)


@pytest.mark.parametrize("at_once", [False, True])
def test_where_a_tied_card_may_come_back_no_arm_is_waited_for_that_seems_to_rest(at_once: bool) -> None:
    def lies(now: float, image: np.ndarray) -> None:
        if now >= 0.4:
            image[500:HEIGHT, 90:190] = 200

    film = Filmed(lies)
    film.until(0.3)
    film.gate.again(WORK, at_once=at_once)
    asked = film.until(3.0, film.hidden)
    assert (next(at for at in asked if at >= 0.4) < 0.8) == at_once


def test_a_place_that_was_seen_hidden_is_left_alone_for_longer() -> None:
    def hovers(now: float, image: np.ndarray) -> None:
        if now >= 0.4:
            image[505:610, 705 + int(now * 40) % 7 : 775] = 200

    film = Filmed(hovers)
    asked = film.until(8.0, film.hidden)
    steps = [b - a for a, b in pairwise(asked)]
    assert len(asked) >= 3 and steps == sorted(steps) and steps[-1] > 1.8 * steps[0]
