"""A dealing of drawn cards: what lands, what is taken back, two at once, and an arm that comes and goes."""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
import pytest

from vision.dealt.beside import look_beside
from vision.dealt.canvas import Part
from vision.dealt.ending import look_back
from vision.dealt.fit import changed_in
from vision.dealt.landings import Judged
from vision.dealt.sizes import grown
from vision.dealt.visits import changed_between
from vision.dealt.watching import Dealing
from vision.layout import Layout, SeenCard

SIZE = 960, 540
#: px a mm.
SCALE = 1.6
#: Grain of two kinds, to lay over pictures in turn.
NOISE = np.random.default_rng(5).integers(0, 6, (3, SIZE[1], SIZE[0], 3), dtype=np.uint8)
RED, BLUE = (40, 40, 190), (190, 90, 40)


def quad(x: float, y: float, angle: float = 0.0) -> np.ndarray:
    turn = np.radians(angle)
    across, along = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    half = 31.5 * SCALE * across, 44.0 * SCALE * along
    middle = np.array([x, y])
    signs = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    return np.array([middle + a * half[0] + b * half[1] for a, b in signs])


def paint(image: np.ndarray, corners: np.ndarray, colour: tuple[int, int, int]) -> None:
    cv2.fillPoly(image, [np.round(corners).astype(np.int32)], (235, 235, 235))
    middle = corners.mean(axis=0)
    for size, ink in ((0.86, colour), (0.5, (235, 235, 235)), (0.35, colour)):
        cv2.fillPoly(image, [np.round(middle + (corners - middle) * size).astype(np.int32)], ink)


@dataclass
class Film:
    """Draws a table, and tells as an eye would which card lies on top where it is asked."""

    cards: list[tuple[np.ndarray, tuple[int, int, int]]] = field(default_factory=list)
    arm: tuple[int, int] | None = None
    #: A gleam on the card there, and px by which the eye is off.
    gleam: tuple[int, int] | None = None
    off: float = 0.0
    blind: bool = False
    #: It takes cards for such as lie across, with one edge where it is.
    across: bool = False
    #: Of what is lit around the first card.
    light: float = 1.0
    at: float = 0.0
    dealing: Dealing = field(init=False)
    told: list[Judged] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.dealing = Dealing(*SIZE, self)

    def see(
        self, image: np.ndarray, *, to_table: np.ndarray | None = None, to_follow: bool = False
    ) -> Layout:
        assert to_table is not None
        left, top = to_table[0, 2] / to_table[0, 0], to_table[1, 2] / to_table[1, 1]
        layout = Layout(image.shape[1], image.shape[0], SCALE)
        corner = np.array([left, top]) + self.off
        for number, (corners, _) in enumerate([] if self.blind else self.cards):
            own = np.zeros(SIZE[::-1], np.uint8)
            cv2.fillPoly(own, [np.round(corners).astype(np.int32)], 1)
            everything = own.sum()
            for later, _ in self.cards[number + 1 :]:
                cv2.fillPoly(own, [np.round(later).astype(np.int32)], 0)
            shown = float(own.sum() / everything)
            if self.across:
                along = (corners[3] - corners[0]) * (63 / 88), (corners[1] - corners[0]) * (88 / 63)
                corners = corners[0] + np.array([0 * along[0], along[1], along[0] + along[1], along[0]])
            layout.cards.append(SeenCard(corners - corner, "back", corners - corner, shown, 0.95))
        return layout

    def run(self, frames: int) -> None:
        for _ in range(frames):
            image = np.full((SIZE[1], SIZE[0], 3), (70, 110, 60), np.uint8)
            for corners, colour in self.cards:
                paint(image, corners, colour)
            if self.light < 1:
                low, high = (
                    np.round(v).astype(int) for v in (self.cards[0][0].min(0), self.cards[0][0].max(0))
                )
                box = slice(low[1], high[1]), slice(low[0], high[0])
                image[box] = (image[box] * self.light).astype(np.uint8)
            if self.gleam is not None:
                cv2.circle(image, self.gleam, 5, (250, 250, 250), -1)
            if self.arm is not None:
                x, y = self.arm
                cv2.rectangle(image, (x - 40, 0), (x + 40, y), (120, 150, 200), -1)
            self.told += self.dealing.push(
                self.at, cv2.add(image, NOISE[len(self.told) % 2 + int(self.at * 30) % 2])
            )
            self.at += 1 / 30

    def deal(self, *cards: tuple[np.ndarray, tuple[int, int, int]]) -> None:
        """An arm comes from the top of the picture, leaves the cards, and goes."""
        x, y = (int(v) for v in cards[-1][0].mean(axis=0))
        for reach in (y - 200, y - 80, y):
            self.arm = x, reach
            self.run(1)
        self.cards += cards
        for reach in (y, y - 60, y - 160):
            self.arm = x, reach
            self.run(1)
        self.arm = None
        self.run(5)

    def besides(self) -> list[float]:
        """mm² beside every card."""
        dealing = self.dealing
        assert dealing.judge.px_per_mm is not None
        labels = [
            "red" if one.crop[60:100, 40:70, 2].mean() > one.crop[60:100, 40:70, 0].mean() else "blue"
            for one in dealing.landings
        ]
        look_beside(dealing.alone.around, labels, dealing.canvas.scale, dealing.judge.px_per_mm)
        return [landing.beside for landing in dealing.landings]

    @property
    def kinds(self) -> list[str]:
        return [judged.kind for judged in self.told]


@pytest.fixture
def film() -> Film:
    film = Film()
    film.run(4)
    return film


def test_every_card_of_a_pile_is_one_landing(film: Film) -> None:
    for number in range(7):
        film.deal((quad(480 + 3 * (number % 3), 300 - 4 * (number % 2), number % 4), RED))
    assert film.kinds == ["landed"] * 7
    assert film.dealing.judge.px_per_mm == pytest.approx(SCALE, rel=0.03)
    assert max(film.besides()) < 20
    assert not film.dealing.unseen()


def test_an_arm_that_comes_and_goes_is_no_card(film: Film) -> None:
    film.deal((quad(300, 300), RED))
    for _ in range(3):
        film.arm = 300, 330
        film.run(6)
        film.arm = None
        film.run(6)
    assert film.kinds == ["landed"]


def test_a_gleam_on_a_card_is_no_other_card(film: Film) -> None:
    film.deal((quad(300, 300), RED))
    film.gleam, film.off = (290, 280), 4.0
    film.run(8)
    assert film.kinds == ["landed"] and film.dealing.judge.looks > 1


def test_a_card_that_lies_nearly_as_the_one_below_is_seen_to_land(film: Film) -> None:
    film.deal((quad(300, 300), RED))
    film.deal((quad(302, 301.5), RED))
    # the eye is off by as much as the cards are
    film.off = -1.5
    film.deal((quad(304, 303), RED))
    assert film.kinds == ["landed"] * 3


def test_a_card_that_the_eye_did_not_see_before_the_next_one_leaves_a_doubt(film: Film) -> None:
    film.deal((quad(300, 300), RED))
    film.blind = True
    film.deal((quad(304, 303, 3), BLUE))
    film.run(20)
    film.blind = False
    film.deal((quad(298, 297, -2), RED))
    assert [landing.unclear >= 3 for landing in film.dealing.lying] == [False, True]


def test_nothing_is_judged_while_more_of_it_moves_nor_twice(
    film: Film, monkeypatch: pytest.MonkeyPatch
) -> None:
    film.deal((quad(480, 300), RED))
    dealing, looks = film.dealing, []
    inner, outer = np.ones((20, 30), bool), np.ones((140, 100), bool)

    def judge(_: np.ndarray, part: Part) -> Judged:
        looks.append((part.x, part.y))
        return Judged("nothing", dealing.canvas.area_of(quad(480, 300)))

    def parts(*, rests: bool) -> list[Part]:
        return [
            Part(430, 230, outer, reaches=False, rests=rests),
            Part(470, 290, inner, reaches=False, rests=True),
        ]

    monkeypatch.setattr(dealing.canvas, "push", lambda at, image: None)
    monkeypatch.setattr(dealing.judge, "judge", judge)
    blank = np.zeros((SIZE[1], SIZE[0], 3), np.uint8)
    dealing.canvas.parts = parts(rests=False)
    dealing.push(film.at, blank)
    assert not looks
    dealing.canvas.parts = parts(rests=True)
    dealing.push(film.at + 0.1, blank)
    assert looks == [(430, 230)]


def test_a_shadow_on_a_card_is_no_other_card(film: Film) -> None:
    film.deal((quad(300, 300), RED))
    film.light = 0.8
    film.run(8)
    assert film.kinds == ["landed"]


def test_a_card_taken_back_is_not_counted_and_may_land_again(film: Film) -> None:
    film.deal((quad(300, 300), RED))
    film.deal((quad(304, 297, 3), BLUE))
    film.cards.pop()
    film.arm = 300, 300
    film.run(3)
    film.arm = None
    film.run(6)
    assert film.kinds == ["landed", "landed", "taken back"]
    assert len(film.dealing.lying) == 1
    film.deal((quad(302, 303, -2), BLUE))
    assert len(film.dealing.lying) == 2


def test_the_first_card_taken_back_leaves_an_empty_table(film: Film) -> None:
    film.deal((quad(300, 300), RED))
    film.cards.clear()
    film.run(6)
    assert not film.dealing.lying


@pytest.mark.parametrize("apart", [(-8.0, 9.0, 4.0), (-6.0, 0.0, 0.0), (0.0, -6.0, 0.5)])
def test_two_at_once_are_told_by_the_edge_of_the_lower_one(
    film: Film, apart: tuple[float, float, float]
) -> None:
    colours, rng = (RED, BLUE), np.random.default_rng(3)
    for number in range(6):
        # the eye has every card a few mm off where it lies
        film.off = float(rng.uniform(-3, 3))
        film.deal((quad(480 + 6 * (number % 3), 300 - 5 * (number % 2), number % 3), colours[number % 2]))
    dx, dy, turn = apart
    film.deal((quad(477 + dx, 293 + dy, turn), BLUE), (quad(477, 293), RED))
    assert film.kinds == ["landed"] * 7
    *ones, two = film.besides()
    assert two > 40 > 8 > max(ones)
    second = film.dealing.landings[-1].second
    assert second is not None and second.explains > 0.5
    assert all(one.second is None or one.second.gain < 8 for one in film.dealing.landings[:-1])


def test_where_a_card_lies_is_told_by_its_print(film: Film) -> None:
    places = [quad(480 + 6 * (number % 3), 300 - 5 * (number % 2), number % 3) for number in range(6)]
    for number, place in enumerate(places):
        film.off = (3.0, -3.0, 2.0)[number % 3]
        film.deal((place, RED))
    film.besides()
    for place, landing in zip(places, film.dealing.landings, strict=True):
        assert np.linalg.norm(landing.corners.mean(axis=0) - place.mean(axis=0)) < 1.0


def test_a_card_that_the_eye_sees_turned_by_a_quarter_is_laid_as_its_print_lies(film: Film) -> None:
    for number in range(6):
        film.deal((quad(300 + 220 * (number % 3), 300 - 5 * (number // 3), number % 3), RED))
    landing = film.dealing.landings[1]
    lies = landing.corners.copy()
    middle = lies.mean(axis=0)
    landing.corners = middle + (lies - middle) @ np.array([[0.0, 1.0], [-1.0, 0.0]])
    assert film.besides()[1] < 8
    off = [np.abs(landing.corners - np.roll(lies, turn, axis=0)).max() for turn in (0, 2)]
    assert min(off) < 1.5 * SCALE


def test_grain_in_another_light_is_no_card_that_nobody_saw() -> None:
    rng = np.random.default_rng(2)
    place = np.full((160, 140, 3), (70, 110, 160), np.uint8)
    grain = np.where(rng.random((160, 140, 1)) < 0.04, 40, 0)
    lighter = np.clip(place * 1.15 + grain, 0, 255).astype(np.uint8)
    assert changed_in(place, lighter).sum() > 300 and not changed_between(place, lighter).any()
    lighter[40:50, 30:110] = 230
    assert changed_between(place, lighter).sum() == pytest.approx(800, abs=80)


def test_cards_look_larger_where_they_are_nearer() -> None:
    rng = np.random.default_rng(4)
    places = [(x, y) for y in (0.0, 110.0, 220.0) for x in np.arange(0.0, 400.0, 25.0)]
    corners = [
        (quad(0, 0) * (1 + 0.0004 * y) + np.array([x, y]) * SCALE) + rng.normal(0, 2.0, (4, 2))
        for x, y in places
    ]
    factor = grown(corners, ["one", "other"] * (len(places) // 2), SCALE)
    ratio = factor[-16:].mean() / factor[:16].mean()
    assert ratio == pytest.approx(1.088, abs=0.015) and factor.mean() == pytest.approx(1.0, abs=0.02)


def test_a_card_that_nobody_saw_land_is_told_by_the_arm_that_brought_it(film: Film) -> None:
    film.deal((quad(480, 300), RED))
    film.deal((quad(486, 303, 2), BLUE))
    film.blind = True
    film.deal((quad(478, 297, 1), RED))
    film.blind = False
    film.deal((quad(484, 301, -2), BLUE))
    film.run(3)
    (unseen,) = film.dealing.unseen()
    assert film.kinds == ["landed"] * 3
    second, last = film.dealing.landings[1:]
    assert second.at < unseen.at < unseen.until < last.at


def test_a_card_that_is_taken_back_before_it_was_judged_leaves_no_doubt(film: Film) -> None:
    film.deal((quad(480, 300), RED))
    film.deal((quad(486, 303, 2), BLUE))
    film.blind = True
    film.deal((quad(478, 297, 1), RED))
    for frames in (6, 3):
        film.arm = 480, 300
        film.run(2)
        del film.cards[2:]
        film.arm, film.blind = None, False
        film.run(frames)
    assert film.dealing.visits.changes and not film.dealing.unseen() and film.kinds == ["landed"] * 2


def test_a_card_alone_lies_as_its_outline_tells_where_the_eye_has_it_across(film: Film) -> None:
    film.across = True
    film.deal((quad(300, 300, 4), RED))
    (landing,) = film.dealing.landings
    off = [np.abs(landing.corners - np.roll(quad(300, 300, 4), turn, axis=0)).max() for turn in (0, 2)]
    assert min(off) < 2 * SCALE


def test_what_changed_before_a_card_landed_beside_it_is_told(film: Film) -> None:
    film.deal((quad(200, 300), RED))
    film.blind = True
    film.deal((quad(480, 300), RED))
    film.blind = False
    film.deal((quad(510, 300), BLUE))
    assert film.kinds == ["landed"] * 2
    assert film.dealing.landings[0].rest < 50 < 1000 < film.dealing.landings[1].rest
    assert film.besides()[1] < 50


def test_rows_of_cards_all_show_in_the_end(film: Film) -> None:
    for number in range(6):
        film.deal((quad(200 + 30 * number, 300, number % 3 - 1), RED if number % 2 else BLUE))
    ending = look_back(film.dealing)
    assert (len(ending.seen), ending.missing, ending.strange, ending.held) == (6, [], [], [])


def test_an_arm_over_the_cards_in_the_end_is_told(film: Film) -> None:
    film.deal((quad(200, 300), RED))
    film.arm = 200, 300
    film.run(2)
    assert look_back(film.dealing).reaching
    told = look_back(film.dealing, np.zeros((SIZE[1], SIZE[0], 3), np.uint8))
    assert told.reaching and not told.held
    # the eye sees nothing any more where it lay
    film.cards.clear()
    told = look_back(film.dealing, np.zeros((SIZE[1], SIZE[0], 3), np.uint8))
    assert told.held and not told.reaching


def test_a_card_that_lies_open_and_no_longer_looks_as_it_did_is_missing(film: Film) -> None:
    film.deal((quad(300, 300), BLUE))
    film.deal((quad(340, 300), RED))
    first = film.dealing.landings[0]
    first.after[:] = 255 - first.after
    ending = look_back(film.dealing)
    assert (ending.missing, ending.held) == ([first], [])


def test_a_stack_that_is_held_is_given_up_when_it_is_gone(film: Film) -> None:
    film.deal((quad(150, 200), BLUE))
    film.deal((quad(700, 300), RED))
    film.dealing.landings[0].after[:] = 255 - film.dealing.landings[0].after
    ending = look_back(film.dealing)
    assert ending.held == [film.dealing.landings[0]]
    assert ending.seen == [film.dealing.landings[1]]


def test_a_picture_that_shakes_is_noticed() -> None:
    film = Film()
    rng = np.random.default_rng(1)
    table = cv2.resize(
        rng.integers(0, 255, (54, 96, 3), dtype=np.uint8), SIZE, interpolation=cv2.INTER_NEAREST
    )
    for number in range(8):
        film.dealing.push(number / 30, np.roll(table, 23 * number, axis=1))
    assert film.dealing.shaken >= 6
