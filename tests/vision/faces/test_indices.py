"""Letters of other languages: none of the thirteen is made of them, and a language that is told names them."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.capture.frames import load_image
from vision.faces.indices import (
    FOREIGN,
    LANGUAGES,
    LETTERS,
    IndexReader,
    asked_about,
    corners_of,
    doubt,
    speak,
    together,
)
from vision.faces.reader import CROP
from vision.layout import FACES, SeenCard

CARDS = Path(__file__).parents[1] / "cards"


def card(face: str, sure: float = 0.97, letter: str = "", seen: float = 0.98) -> SeenCard:
    """A face that was read so, and the letter that was read in its index."""
    corners = np.zeros((4, 2))
    made = SeenCard(corners, "face", corners, 1.0, 0.99)
    chances = np.full(len(FACES), (1 - sure) / 104)
    chances[FACES.index(face)] = sure
    made.name_face(chances)
    if letter:
        made.letters = np.full(len(LETTERS) + 1, (1 - seen) / len(LETTERS))
        made.letters[LETTERS.index(letter)] = seen
    return made


@pytest.mark.parametrize("letter", FOREIGN)
@pytest.mark.parametrize(("nearest", "sure"), [("Q", 0.97), ("8", 0.8), ("K", 0.8)])
def test_a_letter_of_another_language_is_none_of_the_thirteen(letter: str, nearest: str, sure: float) -> None:
    one = card(f"{nearest}H", sure, letter)
    doubt([one])
    assert one.face is None and one.partly == "?H"
    assert one.face_probabilities is not None and one.face_probabilities.sum() <= 0.1


def test_a_suit_in_doubt_is_not_told() -> None:
    one = card("QH", letter="D")
    assert one.face_probabilities is not None
    one.face_probabilities[FACES.index("QD")] = one.face_probabilities[FACES.index("QH")]
    doubt([one])
    assert one.partly == "??"


@pytest.mark.parametrize(("face", "letter"), [("QH", "Q"), ("8S", "8"), ("TC", "T"), ("KD", "K")])
def test_a_usual_letter_changes_nothing(face: str, letter: str) -> None:
    one = card(face, letter=letter)
    doubt([one])
    assert one.face == face and one.partly is None and one.face_confidence > 0.9


@pytest.mark.parametrize(("face", "letter"), [("JS", "D"), ("TC", "B"), ("QD", "J")])
def test_what_no_reader_takes_such_a_letter_for_is_hardly_one(face: str, letter: str) -> None:
    one = card(face, 0.99, letter, seen=0.85)
    doubt([one])
    assert one.face == face


def test_what_is_hardly_seen_or_was_not_looked_at_changes_nothing() -> None:
    hardly, plain, back = card("QH", letter="D", seen=0.3), card("QH"), card("QH", letter="D")
    back.side = "back"
    doubt([hardly, plain, back])
    assert {one.face for one in (hardly, plain, back)} == {"QH"}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("doubted", [False, True])
def test_a_language_names_its_courts(language: str, doubted: bool) -> None:
    for rank, letter in zip("KQJ", language, strict=True):
        one = card("8H" if letter in FOREIGN else f"{rank}H", letter=letter)
        if doubted:
            doubt([one])
        speak([one], language)
        assert one.face == f"{rank}H" and one.partly is None and one.face_confidence > 0.8


def test_a_letter_of_yet_another_language_stays_in_doubt() -> None:
    one = card("KH", letter="R")
    doubt([one])
    speak([one], "KDB")
    assert one.face is None and one.partly == "?H"


def test_only_what_may_be_such_a_letter_is_looked_at() -> None:
    cards = [card("QH"), card("3H", 0.99), card("3H", 0.7), card("8C", 0.999)]
    cards[0].side = "back"
    assert asked_about(cards) == [2, 3]


def test_both_corners_are_looked_at_the_same_way_up() -> None:
    rng = np.random.default_rng(1)
    crops = rng.integers(0, 256, (3, *CROP, 3)).astype(np.uint8)
    masks = np.full((3, *CROP), 255, np.uint8)
    turned = np.ascontiguousarray(crops[:, ::-1, ::-1])
    one, other = corners_of(crops, masks).astype(int), corners_of(turned, masks).astype(int)
    # the paper is told by a part of the pixels
    assert np.abs(one - other[:, ::-1]).max() < 16 < np.abs(one - other).max()


def test_a_corner_that_shows_nothing_says_nothing() -> None:
    logits = np.full((1, 2, len(LETTERS) + 1), -4.0)
    logits[0, 0, LETTERS.index("D")] = 6
    logits[0, 1, -1] = 6
    told = together(logits)[0]
    assert told.sum() == pytest.approx(1) and told[LETTERS.index("D")] > 0.9


def test_real_cards_bear_usual_letters_and_painted_ones_do_not() -> None:
    """The shipped network, on real single cards; then with another letter painted over their indices."""
    reader = IndexReader()
    for name in ("QD", "JH", "KC"):
        picture = load_image(CARDS / f"{name}.png")
        crop = np.asarray(cv2.resize(picture, CROP[::-1], interpolation=cv2.INTER_AREA), np.uint8)
        told = reader.read(crop[None], np.full((1, *CROP), 255, np.uint8))[0]
        assert told[[LETTERS.index(letter) for letter in FOREIGN]].sum() < 0.3, name


@pytest.mark.parametrize(("others", "doubted"), [("Q", False), ("D", True), ("3", True)])
def test_what_the_other_courts_bear_tells_what_is_likely(others: str, doubted: bool) -> None:
    """An index that may be a D is one beside others, and none beside the queens of a usual deck."""
    one = card("QH", letter="D", seen=0.6)
    doubt([one, *(card("QS", letter=others) for _ in range(3))])
    assert (one.partly is not None) == doubted
