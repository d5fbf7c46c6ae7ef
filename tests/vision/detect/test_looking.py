"""At which scale the eye looks: a finder that says what it is told stands in for the network."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from voted_cards import cards, grid

from datasets.scene import PlacedCard, overhead_camera
from vision.detect.hands import Skin
from vision.detect.looking import BEST_CARD_PX, FURTHER, LEAST_SPREAD, MOST_OF_PHOTO, Looked, Looker, _taken
from vision.detect.placing import Placed, Placer
from vision.found import Found
from vision.geometry.above import Above
from vision.geometry.plane import apply


class Pretend:
    """What looks and finds do in terms of each other."""

    def find(self, image: np.ndarray, scale: float = 1.0) -> Found:
        raise NotImplementedError

    def find_inside(self, image: np.ndarray, scale: float = 1.0) -> Found:
        return self.find(image, scale)

    def look(self, image: np.ndarray, scale: float = 1.0) -> SimpleNamespace:
        found = self.find(image, scale)
        return SimpleNamespace(found=found, explained=found.explained, pure=found.pure, scale=scale)


def looker(finder: Pretend, spreads: Pretend | None = None, hands: Pretend | None = None) -> Looker:
    """One that looks through finders of these."""
    return Looker(finder, Placer(threads=1), spreads, hands)


class Scaled(Pretend):
    """A finder that sees one card, of `width` px in the picture, and explains less of it the closer it looks."""

    def __init__(self, width: float) -> None:
        self._width, self.scales = width, list[float]()

    def find(self, image: np.ndarray, scale: float = 1.0) -> Found:
        self.scales.append(scale)
        found = cards([(400, 300)], [grid(400, 300, 80, 80)])
        found.short, found.long = found.short * self._width / 100, found.long * self._width / 100
        found.explained = 0.1 / scale
        return found


@pytest.mark.parametrize("width", [40.0, 60.0, 300.0])
def test_cards_are_looked_at_in_the_size_in_which_they_are_seen_best(width: float) -> None:
    """Even if less is explained then: a spread seen from afar explains itself well."""
    finder = Scaled(width)
    found = looker(finder).look(np.zeros((600, 800, 3), np.uint8)).found
    assert found.explained == pytest.approx(0.1 / finder.scales[-1])
    assert 0.74 < finder.scales[-1] * width / BEST_CARD_PX < 1.35


def test_a_table_that_is_watched_is_looked_at_once() -> None:
    finder = Scaled(60.0)
    looker(finder).watch(np.zeros((1080, 1920, 3), np.uint8), np.diag([0.5, 0.5, 1.0]))
    assert finder.scales == [pytest.approx(BEST_CARD_PX / (63 * 2))]


class Chequered(Pretend):
    """A finder that takes the squares of a cloth for small cards when it looks closer, and smaller ones closer still."""

    def __init__(self) -> None:
        self.scales = list[float]()

    def find(self, image: np.ndarray, scale: float = 1.0) -> Found:
        self.scales.append(scale)
        found = cards([(400, 300)], [grid(400, 300, 80, 80)])
        width = {1: 60.0, 2: 30.0}.get(len(self.scales), 30.0)
        found.short, found.long = found.short * width / 100, found.long * width / 100
        found.explained = {1: 0.5, 2: 0.4, 3: 0.3}.get(len(self.scales), 0.2)
        return found


def test_a_third_look_that_explains_less_than_the_second_is_not_taken() -> None:
    finder = Chequered()
    found = looker(finder).look(np.zeros((400, 500, 3), np.uint8)).found
    assert len(finder.scales) == 4 and found.explained == 0.3


class Striped(Pretend):
    """A finder that takes a striped cloth for few huge cards in small looks, and sees the cards in a larger one."""

    def __init__(self) -> None:
        self.scales = list[float]()

    def find(self, image: np.ndarray, scale: float = 1.0) -> Found:
        self.scales.append(scale)
        found = cards([(400, 300)], [grid(400, 300, 80, 80)])
        near = scale > 0.5
        width = 70.0 if near else 700.0
        found.short, found.long = found.short * width / 100, found.long * width / 100
        found.explained, found.pure = (0.05, 0.8) if near else (0.08, 0.1)
        return found


def test_a_glance_that_explains_little_of_what_it_claims_is_followed_by_a_larger_one() -> None:
    finder = Striped()
    found = looker(finder).look(np.zeros((1080, 1920, 3), np.uint8)).found
    assert found.width() == pytest.approx(70.0)
    assert finder.scales[2] == pytest.approx(2 * finder.scales[0])


class Tablecloth(Pretend):
    """A finder that takes a square table on a dark floor for a card when it looks from afar."""

    def __init__(self, on_it: int) -> None:
        self._on_it = on_it

    def find(self, image: np.ndarray, scale: float = 1.0) -> Found:
        if scale > 0.3:
            middles = [(300.0 + 90 * k, 400.0) for k in range(self._on_it)]
            found = cards(middles, [grid(x, y, 40, 60) for x, y in middles])
            found.short, found.long = found.short * 0.6, found.long * 0.6
            found.explained, found.pure = 0.012, 0.3
        else:
            found = cards([(500, 400)], [grid(500, 400, 80, 80)])
            found.short, found.long = found.short * 7, found.long * 7
            found.explained, found.pure = 0.07, 0.25
        return found


@pytest.mark.parametrize(("on_it", "width"), [(5, 60.0), (1, 700.0)])
def test_what_several_cards_lie_on_is_a_table(on_it: int, width: float) -> None:
    """One small thing on a card may be anything."""
    found = looker(Tablecloth(on_it)).look(np.zeros((1080, 1920, 3), np.uint8)).found
    assert found.width() == pytest.approx(width)


def test_streaks_beyond_the_edges_of_the_picture_taken_are_no_cards() -> None:
    found = cards([(60, 150), (200, 150)], [grid(60, 150, 40, 60), grid(200, 150, 40, 60)])
    shifted = Above(np.zeros((300, 300, 3), np.uint8), np.array([[1.0, 0, 100], [0, 1, 0], [0, 0, 1]]), 60.0)
    kept = _taken(found, shifted, (200, 300))
    assert kept.middle.tolist() == [[200.0, 150.0]]


class Doubting:
    """A placer that leaves cards where they are and is sure of those of the upper half of the picture."""

    def place(self, image: np.ndarray, corners: np.ndarray, seen: np.ndarray, step: float) -> Placed:
        real = (corners.mean(axis=1)[:, 1] < image.shape[0] / 2).astype(float)
        return Placed(corners, np.full(corners.shape, 0.02), real)


@pytest.mark.parametrize(
    ("sure", "upper", "told"),
    [
        ([0.95, 0.9, 0.6, 0.6], [1, 1, 1, 1], [0, 1]),
        ([0.95, 0.9, 0.9, 0.9], [1, 0, 1, 0], [0, 2]),
        # too few are left to tell anything
        ([0.95, 0.6, 0.6, 0.6], [1, 1, 1, 1], [0, 1, 2, 3]),
        ([0.95, 0.9, 0.9, 0.9], [1, 0, 0, 0], [0, 1, 2, 3]),
    ],
)
def test_what_may_be_no_card_does_not_tell_how_a_picture_is_slanted(
    sure: list[float], upper: list[int], told: list[int]
) -> None:
    middles = [(150.0 + 200 * k, 150.0 if there else 450.0) for k, there in enumerate(upper)]
    glance = cards(middles, [grid(x, y, 80, 80) for x, y in middles])
    glance.evidence[:, 0] = sure
    steady = Looker(Sided(0), Doubting())._steady(np.zeros((600, 1000, 3), np.uint8), glance)
    assert steady.middle.tolist() == [list(middles[k]) for k in told]


class Slanted(Pretend):
    """A finder that sees `count` cards, all faces or all backs, where a camera that leans a little shows them."""

    def __init__(self, count: int, back: float, tilt: float = 0.05) -> None:
        camera = overhead_camera(
            1600, 1200, 2.0, tilt=tilt, tilt_towards=np.pi / 2, distance=1.2
        ).homography()
        at = [(100.0 * (k % 8) - 350, 70.0 * (k // 8) - 270) for k in range(count)]
        lying = [PlacedCard(0, "AS", True, x, y, 0.5 * k, k) for k, (x, y) in enumerate(at)]
        quads = np.stack([apply(camera, card.corners_mm()) for card in lying])
        self._found = cards([(0.0, 0.0)] * count, [[(0.0, 0.0)] * 40] * count)
        self._found.middle = quads.mean(axis=1)
        self._found.short = (quads[:, [1, 2]].mean(axis=1) - quads[:, [0, 3]].mean(axis=1)) / 2
        self._found.long = (quads[:, [2, 3]].mean(axis=1) - quads[:, [0, 1]].mean(axis=1)) / 2
        self._found.back[:] = back
        self._found.cells_at = self._found.middle[self._found.cells_card]

    def find(self, image: np.ndarray, scale: float = 1.0) -> Found:
        return self._found.only(np.arange(len(self._found)))


@pytest.mark.parametrize(
    ("count", "back", "drawn"),
    [(MOST_OF_PHOTO, 0.0, True), (MOST_OF_PHOTO + 1, 0.0, False), (MOST_OF_PHOTO + 1, 1.0, True)],
)
def test_a_slight_slant_is_made_good_in_photos_not_on_tables_of_many_cards(
    count: int, back: float, drawn: bool
) -> None:
    looked = Looker(Slanted(count, back), Doubting()).look(np.zeros((1200, 1600, 3), np.uint8))
    assert (looked.above is not None) == drawn


class Sided(Pretend):
    """A finder that sees cards of one size, as backs or as faces, and counts how often it is asked."""

    def __init__(self, back: float, count: int = LEAST_SPREAD) -> None:
        self._back, self._count, self.scales = back, count, list[float]()

    def find(self, image: np.ndarray, scale: float = 1.0) -> Found:
        self.scales.append(scale)
        middles = [(60.0 + 90 * k, 300.0) for k in range(self._count)]
        found = cards(middles, [grid(x, y, 80, 80) for x, y in middles])
        found.back[:] = self._back
        return found


@pytest.mark.parametrize(("general", "special", "asked", "kept"), [(1, 1, 1, 1), (0, 1, 0, 0), (1, 0, 1, 0)])
def test_spread_backs_are_looked_at_by_their_own_finder(
    general: int, special: int, asked: int, kept: int
) -> None:
    """Unless it sees none where the other saw some."""
    first, own = Sided(general), Sided(special)
    found = looker(first, own).look(np.zeros((600, 800, 3), np.uint8)).found
    assert len(own.scales) == asked
    assert own.scales == [pytest.approx(BEST_CARD_PX / 100)] * asked
    assert found.back.tolist() == [special if kept else general] * LEAST_SPREAD


class SureOfFew(Doubting):
    """A placer that is sure of few cards here and there, fewer than make a spread."""

    def place(self, image: np.ndarray, corners: np.ndarray, seen: np.ndarray, step: float) -> Placed:
        real = (np.arange(len(corners)) % 4 == 0).astype(float)
        return Placed(corners, np.full(corners.shape, 0.02), real)


def test_backs_seen_at_a_slant_are_a_spread_though_few_surely_lie_where_they_seem_to() -> None:
    first, own = Slanted(MOST_OF_PHOTO, 1.0, 0.4), Sided(1.0)
    looked = Looker(first, SureOfFew(), own).look(np.zeros((1200, 1600, 3), np.uint8))
    assert looked.above is not None and len(own.scales) == 1


class Explaining(Sided):
    """A finder of spread backs that explains so much of them in the picture as it was taken, and as drawn from above."""

    def __init__(self, taken: float, drawn: float, size: tuple[int, ...]) -> None:
        super().__init__(1.0)
        self._taken, self._drawn, self._size = taken, drawn, size

    def find(self, image: np.ndarray, scale: float = 1.0) -> Found:
        found = super().find(image, scale)
        found.of_spread, found.pure = True, self._taken if image.shape == self._size else self._drawn
        return found


@pytest.mark.parametrize(
    ("taken", "drawn", "looks", "above"),
    # what is drawn rightly explains much, and is not doubted; what is seen at a slant may explain little, too
    [(0.9, 0.6, 1, True), (0.9, 0.3, 2, False), (0.32, 0.3, 2, True), (0.1, 0.3, 2, True)],
)
def test_backs_that_a_picture_from_above_explains_far_worse_are_seen_as_they_were_taken(
    taken: float, drawn: float, looks: int, above: bool
) -> None:
    image = np.zeros((1200, 1600, 3), np.uint8)
    own = Explaining(taken, drawn, image.shape)
    looked = Looker(Slanted(MOST_OF_PHOTO, 1.0, 0.4), SureOfFew(), own).look(image)
    assert len(own.scales) == looks
    assert (looked.above is not None) == above
    assert (looked.image is image) == (not above)


def test_few_backs_are_no_spread() -> None:
    first, own = Sided(1, LEAST_SPREAD - 1), Sided(1)
    looker(first, own).look(np.zeros((600, 800, 3), np.uint8))
    assert not own.scales


def test_backs_that_prove_not_to_lie_spread_are_looked_at_by_the_other_finder_again() -> None:
    first, own = Sided(1), Sided(1)
    both = looker(first, own)
    looked = both.look(np.zeros((600, 800, 3), np.uint8))
    looked.found.of_spread = True
    scales = len(first.scales)
    plain = both.look_plainly(looked)
    assert not plain.found.of_spread and plain.image is looked.image
    assert first.scales[scales:] == own.scales
    assert both.look_plainly(plain) is plain and len(first.scales) == scales + 1


class Handed(Sided):
    """A finder that sees a hand: its palm from near by, and its fingers, too, from further off."""

    def find(self, image: np.ndarray, scale: float = 1.0) -> Found:
        found = super().find(image, scale)
        found.hands = self.skin(scale).outlines()
        return found

    def look(self, image: np.ndarray, scale: float = 1.0) -> SimpleNamespace:
        looked = super().look(image, scale)
        looked.skin = self.skin(scale)
        return looked

    def skin(self, scale: float) -> Skin:
        return Skin(self.chances(scale), (800 / 50, 600 / 40))

    def chances(self, scale: float) -> np.ndarray:
        chance = np.full((40, 50), 0.01)
        chance[20:40, 10:20] = 0.95
        chance[5:20, 12:16] = 0.4 if scale > 0.7 else 0.9
        return chance


@pytest.mark.parametrize("back", [0.0, 1.0])
def test_hands_are_seen_once_more_from_further_off_by_the_finder_that_was_shown_hands(back: float) -> None:
    first, own = Handed(back), Sided(back)
    looked = looker(first, own).look(np.zeros((600, 800, 3), np.uint8))
    assert first.scales[-1] == pytest.approx(FURTHER * looked.scale)
    assert bool(own.scales) == bool(back)
    assert looked.hands is not None
    ((whole, _),), ((near, _),) = looked.hands, looked.found.hands
    assert whole[:, 1].min() == pytest.approx(5 * 600 / 40, abs=20)
    # what hides cards is told from near by
    assert near[:, 1].min() == pytest.approx(20 * 600 / 40, abs=20)


def test_who_looks_at_hands_is_asked_only_where_some_seem_to_be() -> None:
    first, own, thorough = Handed(0.0), Sided(0.0), Handed(0.0)
    looked = looker(first, own, thorough).look(np.zeros((600, 800, 3), np.uint8))
    assert thorough.scales == pytest.approx([looked.scale, FURTHER * looked.scale])
    assert FURTHER * looked.scale not in first.scales
    assert looked.hands is not None and len(looked.hands) == 1
    first.chances = lambda scale: np.full((40, 50), 0.01)  # type: ignore[method-assign]
    assert looker(first, own, thorough).look(np.zeros((600, 800, 3), np.uint8)).hands == []
    assert len(thorough.scales) == 2


def test_where_no_hand_seems_to_be_none_is_looked_for() -> None:
    first = Handed(0.0)
    first.chances = lambda scale: np.full((40, 50), 0.01)  # type: ignore[method-assign]
    looked = looker(first, Sided(0.0)).look(np.zeros((600, 800, 3), np.uint8))
    assert FURTHER * looked.scale not in first.scales and looked.hands == []


def test_hands_of_a_table_that_is_going_to_be_watched_are_looked_at_once() -> None:
    first, own, thorough = Handed(0.0), Sided(0.0), Handed(0.0)
    asked = looker(first, own, thorough)
    looked = asked.look(np.zeros((600, 800, 3), np.uint8), hands_again=False)
    assert looked.hands is None and looked.found.hands and not thorough.scales
    again = asked.look(np.zeros((600, 800, 3), np.uint8))
    assert again.hands and thorough.scales and len(again.found) == len(looked.found)


def test_hands_stay_where_backs_prove_not_to_lie_spread() -> None:
    first, own = Handed(1.0), Sided(1.0)
    both = looker(first, own)
    looked = both.look(np.zeros((600, 800, 3), np.uint8))
    looked.found.of_spread = True
    assert both.look_plainly(looked).hands is looked.hands


def test_what_lies_where_something_else_does_is_no_card() -> None:
    middles = [(150.0, 300.0), (500.0, 300.0)]
    found = cards(middles, [grid(x, y, 80, 80) for x, y in middles])
    looked = Looked(np.zeros((600, 800, 3), np.uint8), found)
    assert looked.beside(lambda at: at[:, 0] < 320).found.middle.tolist() == [[500.0, 300.0]]
    assert len(looked.beside(lambda at: at[:, 1] < 0).found) == 2
    # where the picture is drawn from above, places are those of the picture as it was taken
    shifted = Above(looked.image, np.array([[1.0, 0, 400], [0, 1, 0], [0, 0, 1]]), 92.0)
    drawn = Looked(looked.image, found, above=shifted, taken=(800, 600))
    assert drawn.beside(lambda at: at[:, 0] > 0).found.middle.tolist() == [[150.0, 300.0]]


class Fanned(Pretend):
    """A finder that sees two fans: the left one of faces, the right one of backs, or of so many backs."""

    def __init__(self, backs: int = 4) -> None:
        self._backs = backs

    def find(self, image: np.ndarray, scale: float = 1.0) -> Found:
        middles = [(150.0 + 20 * k, 300.0) for k in range(4)] + [
            (500.0 + 20 * k, 300.0) for k in range(self._backs)
        ]
        found = cards(middles, [grid(x - 40, 300, 16, 120) for x, _ in middles])
        found.back = (found.middle[:, 0] > 400).astype(np.float64)
        return found


class Spread(Fanned):
    """One that takes both for backs, and sees one more of these."""

    def find(self, image: np.ndarray, scale: float = 1.0) -> Found:
        found = super().find(image, scale)
        found.back[:] = 1.0
        found.of_spread = True
        return found


def test_backs_that_lie_spread_beside_faces_are_looked_at_by_their_own_finder() -> None:
    both = looker(Fanned(), Spread(5))
    looked = Looked(np.zeros((600, 800, 3), np.uint8), Fanned().find(np.zeros(0)))
    part = both.parted(looked, looked.found.corners[4:])
    assert part is not None
    assert (part.found.middle[:, 0] > 400).all() and len(part.found) == 5 and part.found.of_spread
    # where these prove to be none, what the other finder saw there counts
    plain = both.look_plainly(part)
    assert (plain.found.middle[:, 0] > 400).all() and len(plain.found) == 4 and not plain.found.of_spread


def test_where_the_finder_of_spreads_sees_none_there_is_no_part() -> None:
    looked = Looked(np.zeros((600, 800, 3), np.uint8), Fanned().find(np.zeros(0)))
    corners = looked.found.corners[4:]
    assert looker(Fanned(), Spread(0)).parted(looked, corners) is None
    assert looker(Fanned()).parted(looked, corners) is None
