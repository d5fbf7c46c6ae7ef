"""Inks tell suits where four colours do, change nothing where two do, and no light on the table misleads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.faces.inks import colours, read_jointly
from vision.faces.reader import CROP
from vision.layout import FACES, SeenCard
from vision.naming import Namer

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]

GREEN, BLUE, RED, BLACK = (60, 140, 30), (200, 90, 20), (30, 20, 200), (25, 25, 25)
FOUR = {"S": BLACK, "H": RED, "D": BLUE, "C": GREEN}
TWO = {"S": BLACK, "H": RED, "D": RED, "C": BLACK}


def strip(
    ink: tuple[int, int, int], light: Sequence[float] = (1, 1, 1), rows: int = 40
) -> tuple[Pixels, Pixels]:
    """A crop whose upper `rows` are seen, a tall J in its corner, and the mask of these."""
    crop = np.full((*CROP, 3), 245, np.uint8)
    cv2.putText(crop, "J", (5, 30), cv2.FONT_HERSHEY_SIMPLEX, 1.0, ink, 3, cv2.LINE_AA)
    # what covers the rest
    crop[rows:] = (10, 200, 10)
    crop = np.clip(crop * np.array(light), 0, 255).astype(np.uint8)
    mask = np.zeros(CROP, np.uint8)
    mask[:rows] = 255
    return crop, mask


def inks_of(*strips: tuple[Pixels, Pixels]) -> Floats:
    return colours(np.stack([one[0] for one in strips]), np.stack([one[1] for one in strips]))


def card(x: float, chances: Mapping[str, float], pile: int = 0) -> SeenCard:
    """A face at x that is read so."""
    corners = np.array([[0, 0], [63, 0], [63, 88], [0, 88]]) + np.array((x, 0.0))
    seen = SeenCard(corners, "face", corners, 0.2, 0.9, pile=pile)
    read = np.zeros(len(FACES))
    for face, chance in chances.items():
        read[FACES.index(face)] = chance
    seen.name_face(read)
    return seen


def read(
    inks: Mapping[str, tuple[int, int, int]], sure: Sequence[str], shown: str, chances: Mapping[str, float]
) -> SeenCard:
    """How a card of suit `shown` that is read so is named beside surely read ones of a deck of these inks."""
    cards = [card(70.0 * k, {face: 0.99}, k) for k, face in enumerate(sure)]
    doubted = card(70.0 * len(sure), chances, len(sure))
    strips = [strip(inks[face[1]]) for face in sure] + [strip(inks[shown])]
    read_jointly([*cards, doubted], inks_of(*strips))
    assert [one.face for one in cards] == list(sure)
    return doubted


@pytest.mark.parametrize("light", [(0.55, 0.75, 1.0), (1.0, 0.9, 0.8), (0.3, 0.3, 0.3)])
def test_lamps_change_no_inks(light: Sequence[float]) -> None:
    plain, lit = inks_of(strip(GREEN), strip(GREEN, light))
    assert np.linalg.norm(plain - lit) < 0.08


def test_four_inks_are_apart() -> None:
    inks = inks_of(*[strip(ink) for ink in (GREEN, BLUE, RED, BLACK)])
    apart = np.linalg.norm(inks[:, None] - inks[None], axis=2) + np.eye(4)
    assert apart.min() > 0.25


def test_bare_paper_and_what_is_hardly_seen_tell_no_ink() -> None:
    bare = np.full((*CROP, 3), 240, np.uint8), np.full(CROP, 255, np.uint8)
    assert np.isnan(inks_of(bare, strip(RED, rows=2))).all()


def test_a_cards_ink_is_not_that_of_the_card_on_it() -> None:
    covered = inks_of(strip(RED))[0]
    assert np.linalg.norm(covered - inks_of(strip(RED, rows=160))[0]) < 0.05


@pytest.mark.parametrize(("wrong", "right"), [("JS", "JC"), ("JC", "JD"), ("JD", "JH")])
def test_in_a_deck_of_four_colours_the_ink_tells_the_suit(wrong: str, right: str) -> None:
    named = read(FOUR, ("7S", "4H", "9D", "2C"), right[1], {wrong: 0.6, right: 0.3})
    assert named.face == right
    assert named.face_probabilities is not None
    assert named.face_probabilities.sum() == pytest.approx(0.9)


def test_a_suit_that_was_not_seen_may_have_an_ink_of_its_own() -> None:
    assert read(FOUR, ("7S", "4H", "9H"), "C", {"JS": 0.6, "JC": 0.35}).face == "JC"


@pytest.mark.parametrize("sure", [("7S", "4H", "9D", "2C"), ("7S", "4H", "9S"), ("7S", "4H")])
def test_in_a_deck_of_two_colours_a_reading_stays_as_it_is(sure: Sequence[str]) -> None:
    assert read(TWO, sure, "D", {"JD": 0.6, "JH": 0.39}).face == "JD"
    assert read(TWO, sure, "H", {"JH": 0.6, "JD": 0.39}).face == "JH"


def test_ranks_are_none_of_its_business() -> None:
    named = read(FOUR, ("7S", "4H", "9D", "2C"), "C", {"JC": 0.5, "TC": 0.4})
    assert named.face_probabilities is not None
    assert named.face_probabilities[FACES.index("JC")] == pytest.approx(0.5)


def test_what_is_settled_stays() -> None:
    assert read(FOUR, ("7S", "4H", "9D", "2C"), "C", {"JS": 0.996}).face == "JS"


def test_cards_of_the_same_pile_tell_the_deck() -> None:
    """A column of four colours among cards of a deck of two: its own top says what green is."""
    others = [card(50.0, {"7S": 0.99}, 1), card(100.0, {"9C": 0.99}, 2), card(120.0, {"4C": 0.99}, 3)]
    top, doubted = card(0.0, {"5C": 0.99}, 0), card(0.0, {"6S": 0.55, "6C": 0.4}, 0)
    strips = [strip(BLACK)] * 3 + [strip(GREEN)] * 2
    read_jointly([*others, top, doubted], inks_of(*strips))
    assert doubted.face == "6C"


def test_backs_and_single_cards_are_left_alone() -> None:
    back, face = card(0.0, {}), card(70.0, {"JS": 0.6, "JC": 0.3})
    back.side, back.face_probabilities = "back", None
    read_jointly([back, face], inks_of(strip(BLUE), strip(GREEN)))
    assert face.face == "JS"
    assert back.face is None


def test_the_eyes_namer_reads_the_inks_where_the_cards_lie() -> None:
    """In a picture, beside a back that has no face to read."""
    shown = [strip(FOUR[suit]) for suit in "SHDC"] + [strip(GREEN)]
    rows, columns = CROP
    image = np.hstack([crop for crop, _ in shown])
    masks = np.zeros((len(shown) + 1, *image.shape[:2]), dtype=bool)
    cards = [card(0.0, {face: 0.99}, k) for k, face in enumerate(("7S", "4H", "9D", "2C"))]
    cards += [card(0.0, {"JS": 0.6, "JC": 0.3}, 4), card(0.0, {}, 5)]
    for k, (one, (_, mask)) in enumerate(zip(cards, shown, strict=False)):
        whole = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]])
        one.corners = whole + np.array((k * columns, 0.0))
        masks[k, :, k * columns : (k + 1) * columns] = mask > 0
    cards[-1].side, cards[-1].face_probabilities = "back", None
    Namer(None, 1).read_jointly(image, cards, masks, 1)
    assert [one.face for one in cards] == ["7S", "4H", "9D", "2C", "JC", None]
