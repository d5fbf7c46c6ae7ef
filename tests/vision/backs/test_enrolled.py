"""Decks that were shown once: told apart in another light, others unknown, files that cannot be read refused."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from referee.service import enrol_deck
from vision.backs.deckfile import DeckError, EnrolledDeck, read_deck, read_decks, save_deck
from vision.backs.designs import Designs
from vision.backs.enrolled import Enrolled
from vision.backs.enrolment import enrolled
from vision.backs.one_design import Evidence
from vision.backs.whole_backs import WholeBacks
from vision.layout import Layout, SeenCard

RED, BLUE = (40, 30, 170), (170, 60, 30)


def back(
    colour: tuple[int, int, int], pattern: int, light: tuple[float, float, float], seed: int
) -> np.ndarray:
    """A back with a white margin: dots in a lattice, rings, or diagonals, the same upside down."""
    y, x = np.mgrid[0:160, 0:112]
    u, v = x - 55.5, y - 79.5
    waves = (
        np.cos(u * 0.55) * np.cos(v * 0.55),
        np.cos(np.hypot(u, v) * 0.45),
        np.cos((u + v) * 0.4) + 0.4 * np.cos(u * 0.2),
    )
    picture = np.where((waves[pattern] > 0.2)[..., None], np.array(colour), 245.0)
    picture[:9] = picture[-9:] = picture[:, :9] = picture[:, -9:] = 245
    noise = np.random.default_rng(seed).normal(0, 3, picture.shape)
    soft = cv2.GaussianBlur(picture * np.array(light) + noise, (0, 0), 0.7)
    return np.clip(soft, 0, 255).astype(np.uint8)


def strip(left: int, right: int) -> np.ndarray:
    mask = np.zeros((160, 112), np.uint8)
    mask[:, left:right] = 255
    return mask


def deck(name: str, colour: tuple[int, int, int], pattern: int) -> EnrolledDeck:
    return EnrolledDeck(name, back(colour, pattern, (0.9, 0.95, 1.0), 1)[None], strip(0, 112)[None])


def named(decks: list[EnrolledDeck], shown: list[tuple[tuple[int, int, int], int]]) -> list[str]:
    """What groups of five strips of some backs are called in yellow light."""
    crops = np.stack([back(*what, (0.6, 0.75, 0.85), 10 + i) for i, what in enumerate(shown * 5)])
    masks = np.stack([(strip(0, 30), strip(84, 112))[i % 2] for i in range(len(crops))])
    backs = WholeBacks(threads=1)
    evidence = Evidence.of(crops, masks, Designs(threads=1), backs)
    names, sure = Enrolled(decks).name(crops, masks, evidence, backs)
    assert all(0 <= one <= 1 for one in sure)
    return names[: len(shown)]


def test_twins_in_two_colours_get_the_name_of_their_own_deck() -> None:
    decks = [deck("red", RED, 0), deck("blue", BLUE, 0)]
    assert named(decks, [(RED, 0), (BLUE, 0)]) == ["red", "blue"]


def test_designs_that_are_not_enrolled_are_unknown() -> None:
    assert named([deck("red", RED, 0)], [(RED, 0), (BLUE, 2)]) == ["red", "unknown"]
    assert named([deck("red", RED, 0)], [(BLUE, 1), (BLUE, 2)]) == ["unknown", "unknown 2"]


def test_the_twin_of_an_enrolled_deck_is_unknown() -> None:
    assert named([deck("red", RED, 0)], [(BLUE, 0)]) == ["unknown"]


def test_a_deck_is_kept_as_it_was_shown(tmp_path: Path) -> None:
    shown = deck("red lions", RED, 1)
    path = save_deck(shown, tmp_path / "decks")
    (kept,) = read_decks(tmp_path / "decks")
    assert path.name == "red lions.npz" and kept.name == "red lions"
    assert np.array_equal(kept.backs, shown.backs) and np.array_equal(kept.backs_seen, shown.backs_seen)


@pytest.mark.parametrize("name", ["", " ", "a/b", "unknown", "unknown 2", ".hidden", "a=b"])
def test_names_that_cannot_be_told_from_other_things_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(DeckError, match="name"):
        save_deck(EnrolledDeck(name, deck("a", RED, 0).backs, strip(0, 112)[None]), tmp_path)


def test_files_that_are_no_decks_are_named(tmp_path: Path) -> None:
    with pytest.raises(DeckError, match="enrol one first"):
        read_decks(tmp_path)
    whole = save_deck(deck("whole", RED, 0), tmp_path).read_bytes()
    for name, content in (("text", b"no deck"), ("half", whole[: len(whole) // 2]), ("empty", b"")):
        (tmp_path / f"{name}.npz").write_bytes(content)
        with pytest.raises(DeckError, match=rf"{name}\.npz is no deck"):
            read_deck(tmp_path / f"{name}.npz")
    middle = len(whole) // 2
    (tmp_path / "scratched.npz").write_bytes(whole[:middle] + bytes(400) + whole[middle + 400 :])
    with pytest.raises(DeckError, match=r"scratched\.npz is no deck"):
        read_deck(tmp_path / "scratched.npz")
    np.savez(tmp_path / "later.npz", version=np.array(2))
    with pytest.raises(DeckError, match="version 2"):
        read_deck(tmp_path / "later.npz")
    np.savez(tmp_path / "other.npz", version=np.array(1), backs=np.zeros((1, 2, 2, 3), np.uint8))
    with pytest.raises(DeckError, match=r"other\.npz is no deck"):
        read_deck(tmp_path / "other.npz")


def test_a_deck_that_may_not_be_read_is_not_said_to_be_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save_deck(deck("whole", RED, 0), tmp_path)

    def refused(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refused)
    with pytest.raises(DeckError, match=r"whole\.npz cannot be read \(Permission denied\)"):
        read_deck(path)


def photo(backs: list[tuple[tuple[int, int, int], int]]) -> tuple[np.ndarray, Layout]:
    """Backs side by side on a green table, and where they lie."""
    image = np.full((240, 150 * len(backs), 3), (60, 110, 60), np.uint8)
    cards = []
    for number, what in enumerate(backs):
        left, top = 150 * number + 20, 40
        image[top : top + 160, left : left + 112] = back(*what, (0.9, 0.9, 0.9), number)
        quad = np.array([[left, top], [left + 112, top], [left + 112, top + 160], [left, top + 160]], float)
        cards.append(SeenCard(quad, "back", quad, 1.0, 0.95))
    return image, Layout(image.shape[1], image.shape[0], 1.8, cards)


def test_a_deck_is_made_of_the_backs_in_its_photo() -> None:
    shown = enrolled("red", [photo([(RED, 0)] * 3)])
    assert len(shown.backs) == 3
    inside = shown.backs_seen[0][5:-5, 5:-5]
    assert (inside == 255).all()


def test_photos_of_two_decks_or_of_none_are_refused() -> None:
    with pytest.raises(DeckError, match="more than one design"):
        enrolled("red", [photo([(RED, 0), (BLUE, 0), (BLUE, 2)])])
    with pytest.raises(DeckError, match="no back"):
        enrolled("red", [(photo([(RED, 0)])[0], Layout(150, 240, 1.8))])


def seen_backs(*backs: tuple[str, float, float]) -> Layout:
    """What the eye sees: labels, confidences and the share of each card in view."""
    spread = Layout(600, 400, 1.8)
    for number, (label, sure, shows) in enumerate(backs):
        quad = np.array([[0, 0], [112, 0], [112, 160], [0, 160]], float) + np.array([15.0 * number, 0])
        spread.cards.append(SeenCard(quad, "back", quad, shows, sure, back=label))
    return spread


TWO_DECKS = {
    "as many of each": [("red", 0.9, 0.2)] * 2 + [("blue", 0.9, 0.2)] * 2,
    "two strips of another": [("red", 0.9, 1.0)] * 6 + [("blue", 0.8, 0.1)] * 2,
    "another one on top": [("red", 0.9, 0.2)] * 6 + [("blue", 0.9, 1.0)],
    "one card of each": [("red", 0.9, 1.0), ("blue", 0.9, 0.3)],
}


@pytest.mark.parametrize("backs", TWO_DECKS.values(), ids=TWO_DECKS.keys())
def test_a_photo_of_two_decks_is_said_to_show_two(backs: list[tuple[str, float, float]]) -> None:
    with pytest.raises(
        DeckError, match=r"^2 decks are seen in one photo of mine \(.*red.*\): photograph this"
    ):
        enrolled("mine", [photo([(RED, 0)] * 3)], [seen_backs(*backs)])


@pytest.mark.parametrize("stray", [("blue", 0.9, 0.1), ("blue", 0.6, 1.0)])
def test_a_strip_taken_for_another_deck_keeps_no_deck_from_being_enrolled(
    stray: tuple[str, float, float],
) -> None:
    seen = [seen_backs(*[("red", 0.9, 0.3)] * 5, stray)]
    assert len(enrolled("mine", [photo([(RED, 0)] * 3)], seen).backs) == 3


def test_the_command_shows_the_eye_every_photo_of_a_deck(tmp_path: Path) -> None:
    """Twins: two decks that differ in colour alone, one card of each, through the whole eye."""
    image, _ = photo([(RED, 0), (BLUE, 2)])
    with pytest.raises(DeckError, match="2 decks are seen in one photo of mine"):
        enrol_deck("mine", [image])
