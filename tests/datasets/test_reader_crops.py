"""Crops drawn one card at a time: truth against what the picture shows. No fetched art is needed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from datasets import printing, reader_crops
from datasets.covers import HEIGHT, KINDS, WIDTH, cover_card, placed
from datasets.decks import Deck, DeckInfo
from datasets.development import overexposed
from datasets.glyphs import SIGN_PX, suit_sign
from datasets.printing import ART, IndexStyle, PrintedDeck, bent, out_of_shape, pip_places, rounded
from datasets.reader_crops import FINEST, OUTLINE, REJECT, CropMaker, View, sample_view
from vision.faces.reader import CROP
from vision.layout import FACES


class PlainDeck:
    """Every face is a bare card of one colour."""

    def __init__(self, colour: tuple[int, int, int]) -> None:
        self.title, self.names = "plain", list(FACES)
        card = np.zeros((*ART, 4), np.uint8)
        card[..., :3] = colour
        card[..., 3] = rounded(0.05)
        self._card = card

    def face(self, name: str) -> np.ndarray:
        return self._card

    def misleads(self, name: str) -> bool:
        return name[0] in "JQK"


class PlainPress:
    """One deck for targets and covers alike."""

    def __init__(self, colour: tuple[int, int, int]) -> None:
        self.decks = [PlainDeck(colour)]

    def renew(self, rng: np.random.Generator) -> None:
        return


def maker(colour: tuple[int, int, int] = (230, 230, 230)) -> CropMaker:
    ground = np.zeros((512, 512, 3), np.uint8)
    ground[..., 1] = 120
    return CropMaker(PlainPress(colour), [], [ground])


@pytest.mark.parametrize(
    ("count", "sides", "middle"),
    [(2, 0, 2), (3, 0, 3), (5, 4, 1), (7, 6, 1), (8, 6, 2), (9, 8, 1), (10, 8, 2)],
)
def test_a_number_card_has_as_many_pips_as_it_says(count: int, sides: int, middle: int) -> None:
    places = pip_places(count)
    assert len(places) == len(set(places)) == count
    assert sum(side != 0 for side, _ in places) == sides
    assert sum(side == 0 for side, _ in places) == middle


def test_only_the_seven_is_not_the_same_upside_down() -> None:
    lopsided = []
    for count in range(2, 11):
        places = {(round(side), round(row, 6)) for side, row in pip_places(count)}
        if {(-side, round(1 - row, 6)) for side, row in places} != places:
            lopsided.append(count)
    assert lopsided == [7]


def test_suits_have_their_shapes() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        widths = {suit: (suit_sign(suit, rng) > 127).sum(axis=1) for suit in "SHDC"}
        assert {len(w) for w in widths.values()} == {SIGN_PX}
        widest = {suit: int(np.argmax(w)) / SIGN_PX for suit, w in widths.items()}
        assert widest["H"] < 0.35 < widest["S"] < 0.85
        assert widest["D"] == pytest.approx(0.5, abs=0.05)
        assert widest["C"] > 0.45
        # a spade and a club stand on a stem, a heart and a diamond on a point
        assert min(widths["S"][-4:].min(), widths["C"][-4:].min()) > max(widths["H"][-2], widths["D"][-2])


def test_a_card_is_placed_by_its_middle() -> None:
    matrix = placed(10.0, 20.0, 37.0)
    middle = matrix @ (WIDTH / 2, HEIGHT / 2, 1)
    assert middle[:2] == pytest.approx((10.0, 20.0))
    corner = matrix @ (0, 0, 1)
    assert np.hypot(*(corner[:2] - (10, 20))) == pytest.approx(np.hypot(WIDTH, HEIGHT) / 2)


def test_a_fanned_column_shows_a_strip_of_10_to_26_mm() -> None:
    for seed in range(50):
        rng = np.random.default_rng(seed)
        cover = cover_card(rng, "strip")
        corners = cover.above[0] @ np.array([[0, 0, 1], [WIDTH, 0, 1], [WIDTH, HEIGHT, 1], [0, HEIGHT, 1]]).T
        assert corners[1].min() > 4 and np.sort(corners[1])[1] < 34


def test_views_keep_to_the_asked_scale() -> None:
    for seed in range(30):
        view = sample_view(np.random.default_rng(seed), (1.5, 2.0))
        assert 1.5 <= view.scale <= 2.0 <= FINEST
        corners = view.project(OUTLINE)
        assert corners.min() > 0 and (corners.max(axis=0) < (view.width, view.height)).all()
        diagonal = np.linalg.norm(corners[2] - corners[0]) / np.hypot(WIDTH, HEIGHT)
        assert 0.5 * view.scale < diagonal < 1.15 * view.scale


def test_same_seed_same_crop() -> None:
    a, b = (maker().crop(np.random.default_rng(5)) for _ in range(2))
    assert a.label == b.label and np.array_equal(a.image, b.image) and np.array_equal(a.mask, b.mask)


def test_whole_uncovered_cards_are_light_on_green_within_their_mask() -> None:
    crops = [maker().crop(np.random.default_rng(seed), "whole", (2.0, 2.5)) for seed in range(40)]
    faces = [crop for crop in crops if crop.label != REJECT and crop.fraction > 0.97]
    assert len(faces) > 25
    for crop in faces:
        assert crop.image.shape == (*CROP, 3) and set(np.unique(crop.mask)) <= {0, 255}
        assert (crop.mask > 0).mean() > 0.85
        blue, green, _ = crop.image[20:-20, 15:-15].reshape(-1, 3).mean(axis=0)
        # the ground is pure green, the card is not
        assert blue > 0.4 * green


def test_the_mask_follows_what_covers_the_card() -> None:
    shares = []
    for seed in range(60):
        crop = maker().crop(np.random.default_rng(seed), "strip", (2.0, 2.5))
        if crop.label != REJECT:
            shares.append(((crop.mask > 0).mean(), crop.fraction))
    close = [abs(mask - fraction) < 0.12 for mask, fraction in shares]
    # one in twenty masks misses the covers on purpose
    assert len(close) > 40 and np.mean(close) > 0.85


def test_every_kind_of_cover_can_be_drawn_and_most_faces_can_be_read() -> None:
    for kind in KINDS:
        labels = [maker().crop(np.random.default_rng(seed), kind).label for seed in range(25)]
        assert np.mean([label != REJECT for label in labels]) > 0.5
        assert all(0 <= label <= REJECT for label in labels)


def test_a_view_projects_by_its_matrix() -> None:
    view = View(np.diag([2.0, 3.0, 1.0]), 10, 10, 2.0)
    assert view.project(np.array([[1.0, 2.0]])) == pytest.approx(np.array([[2.0, 6.0]]))


def style(lean: float, bend: tuple[int, float]) -> IndexStyle:
    plain = {
        "height": 0.2,
        "stretch": 1.0,
        "weight": 0,
        "across": 0.08,
        "down": 0.05,
        "suit": 0.1,
        "gap": 0.02,
    }
    return IndexStyle(font=Path("none"), four=False, lean=lean, bend=bend, **plain)


def test_a_decks_ranks_are_bent_alike_and_stay_what_they_are() -> None:
    """Their ink stays about as much, all of it is on the picture, and another deck bends them otherwise."""
    sign = np.zeros((SIGN_PX, 60), np.uint8)
    sign[:, 20:38] = 255
    one, again, other = (bent(sign, style(0.0, (seed, 0.035)), "7") for seed in (3, 3, 4))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)
    assert bent(sign, style(0.0, (3, 0.0)), "7") is sign
    for shown in (one, bent(sign, style(0.2, (3, 0.0)), "7")):
        assert float(shown.sum()) == pytest.approx(float(sign.sum()), rel=0.12)
        assert not shown[:, [0, -1]].any()


def test_a_leaning_rank_leans_to_the_right_at_its_top_where_told() -> None:
    sign = np.zeros((SIGN_PX, 60), np.uint8)
    sign[:, 20:38] = 255
    columns = np.arange(bent(sign, style(0.2, (3, 0.0)), "7").shape[1])
    leaning = bent(sign, style(0.2, (3, 0.0)), "7").astype(float)
    top, foot = (
        np.average(columns, weights=leaning[rows].sum(axis=0)) for rows in (slice(8, 20), slice(-20, -8))
    )
    assert top - foot == pytest.approx(0.2 * (SIGN_PX - 24), rel=0.1)


def test_too_much_light_makes_nothing_darker_and_paper_white() -> None:
    rng = np.random.default_rng(1)
    card = np.full((160, 112, 3), 215, np.uint8)
    card[40:80, 30:60] = (25, 25, 25)
    for _ in range(20):
        shown = overexposed(rng, card).astype(int)
        assert (shown >= card.astype(int) - 1).all()
        assert shown[0, 0].min() >= 240
        assert shown[60, 45].max() < shown[0, 0].min() - 60


def test_a_court_with_anothers_picture_is_shown_by_its_index_or_not_at_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def courts() -> list[bool]:
        crops = [maker().crop(np.random.default_rng(seed)) for seed in range(80)]
        return [crop.name[0] in "JQK" for crop in crops if crop.name in FACES]

    assert sum(courts()) > 5
    monkeypatch.setattr(reader_crops, "INDEX_SEEN", 2.0)
    assert not any(courts())


def grey_courts() -> Deck:
    """Faces of one grey a rank, a little lighter from suit to suit."""
    faces = {}
    for name in FACES:
        level = {"J": 60, "Q": 110, "K": 160}.get(name[0], 220) + 8 * "SHDC".index(name[1])
        faces[name] = np.full((*ART, 4), (level, level, level, 255), np.uint8)
    return Deck(DeckInfo("greys", "Z", "train", "none", False), faces, None)


def middles(strange: float, seed: int, monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """How light the middle of every court is."""
    monkeypatch.setattr(printing, "STRANGE", strange)
    deck = PrintedDeck(np.random.default_rng(seed), [grey_courts()], [Path("none")])
    assert deck.misleads("KS") == (strange > 0 and deck.title.startswith("set:"))
    assert not deck.misleads("9S")
    return {
        name: float(deck.face(name)[110:130, 74:94, :3].mean())
        for name in FACES
        if name[0] in "JQK" and deck.title.startswith("set:")
    }


def test_strange_courts_show_the_picture_of_another_rank_of_their_suit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(printing, "rank_sign", lambda rank, font: np.full((40, 30), 255, np.uint8))
    looked_at = 0
    for seed in range(12):
        usual, strange = (middles(share, seed, monkeypatch) for share in (0.0, 1.0))
        for name, light in strange.items():
            looked_at += 1
            pictured = [other for other in usual if usual[other] == pytest.approx(light, abs=1.0)]
            assert len(pictured) == 1
            assert pictured[0][0] != name[0] and pictured[0][1] == name[1]
    assert looked_at > 30


def test_print_out_of_shape_is_moved_by_little_and_stays_as_dark() -> None:
    image = np.full((*CROP, 3), 240, np.uint8)
    image[:, 30:34] = 20
    image[60:64] = 20
    shown = [out_of_shape(np.random.default_rng(seed), image) for seed in range(20)]
    far = []
    for bowed in shown:
        assert bowed.shape == image.shape and not np.array_equal(bowed, image)
        assert float(255 - bowed.mean()) == pytest.approx(float(255 - image.mean()), rel=0.2)
        weights = 255.0 - bowed[80:, 20:45, 0]
        far.append(np.abs((weights * np.arange(25)).sum(1) / weights.sum(1) - 11.5).max())
    assert np.median(far) > 0.3 and max(far) < 10
    assert np.array_equal(out_of_shape(np.random.default_rng(0), image), shown[0])
