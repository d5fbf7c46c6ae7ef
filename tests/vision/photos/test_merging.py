"""Photos of the same cards taken together: laid on one another, voted on, their designs matched."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.geometry.registration import register
from vision.layout import Layout, SeenCard, SeenHand
from vision.photos.deck_match import common_labels, match_designs
from vision.photos.merging import SAME, compare, merge

Floats = NDArray[np.float64]
SIZE = (1600, 1200)
CARD = np.array([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]])


def camera(turn: float, scale: float, lean: float = 0.0) -> Floats:
    """(3, 3) mm to px: a photo from above, or leaning a little."""
    c, s = scale * np.cos(turn), scale * np.sin(turn)
    return np.array([[c, -s, 800.0], [s, c, 600.0], [lean, lean / 2, 1.0]])


def cards(rng: np.random.Generator, number: int, decks: int = 3) -> list[tuple[float, float, float, int]]:
    """x, y (mm), turn and deck, of cards in untidy rows."""
    return [
        (
            (i % 14) * 11 - 80 + rng.normal(0, 1.5),
            (i // 14) * 110 - 120 + rng.normal(0, 3),
            rng.normal(0, 0.05),
            int(rng.integers(decks)),
        )
        for i in range(number)
    ]


def photo(
    lying: list[tuple[float, float, float, int]],
    to_picture: Floats,
    noise: float = 0.0,
    names: tuple[str, ...] = ("red", "blue", "green"),
    seed: int = 0,
) -> Layout:
    """What an eye sees of these backs that finds its own plane: mm in another turn than the table's."""
    rng = np.random.default_rng(seed)
    seen = []
    for row, (x, y, turn, deck) in enumerate(lying):
        c, s = np.cos(turn), np.sin(turn)
        at = np.array([x, y]) + rng.normal(0, noise, 2) if noise else np.array([x, y])
        corners = through(to_picture, CARD @ np.array([[c, s], [-s, c]]) + at)
        seen.append(SeenCard(corners, "back", corners, 0.3, 0.95, back=names[deck], pile=0, order=row))
    c, s = np.cos(1.1), np.sin(1.1)
    own = np.array([[c, -s, 40.0], [s, c, -7.0], [0, 0, 1.0]])
    return Layout(*SIZE, 2.0, seen, to_table=own @ np.linalg.inv(to_picture))


def through(matrix: Floats, points: Floats) -> Floats:
    mapped = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    return mapped[:, :2] / mapped[:, 2:]


@pytest.fixture
def lying() -> list[tuple[float, float, float, int]]:
    return cards(np.random.default_rng(5), 40)


@pytest.mark.parametrize("turn", [0.0, 0.4, 2.0, 3.1])
def test_every_card_of_one_photo_is_laid_on_itself_in_another(
    lying: list[tuple[float, float, float, int]], turn: float
) -> None:
    one, two = photo(lying, camera(0.1, 2.2)), photo(lying, camera(turn, 1.7, 2e-4), 0.8)
    laid = register(one, two)
    assert laid is not None
    assert laid.pairs.tolist() == [[i, i] for i in range(40)]
    assert laid.apart.max() < 5


def test_photos_of_the_same_cards_are_one_spread_and_those_of_others_are_not(
    lying: list[tuple[float, float, float, int]],
) -> None:
    others = cards(np.random.default_rng(6), 38)
    photos = [
        photo(lying, camera(0.0, 2.0), 0.7),
        photo(others, camera(0.2, 2.0)),
        photo(lying, camera(2.5, 1.8), 0.7, seed=1),
    ]
    spreads = merge(photos, compare(photos))
    assert [spread.photos for spread in spreads] == [(0, 2), (1,)]
    assert [len(spread.cards) for spread in spreads] == [40, 38]


def test_what_one_photo_misses_and_another_invents_is_voted_on(
    lying: list[tuple[float, float, float, int]],
) -> None:
    photos = [photo(lying, camera(turn, 2.0), 0.6, seed=k) for k, turn in enumerate((0.0, 0.3, 2.2))]
    del photos[0].cards[17]
    ghost = photo([(30.0, 260.0, 0.3, 0)], camera(0.3, 2.0)).cards[0]
    photos[1].cards.append(ghost)
    (spread,) = merge(photos, compare(photos))
    sure = [merged for merged in spread.cards if merged.card.confidence >= 0.5]
    assert len(sure) == 40
    (missed,) = [merged for merged in sure if merged.missed]
    assert missed.seen == (1, 2) and missed.missed == (0,)
    (doubted,) = [merged for merged in spread.cards if merged.card.confidence < 0.5]
    assert doubted.seen == (1,)


def test_a_photo_speaks_only_against_what_it_could_show(lying: list[tuple[float, float, float, int]]) -> None:
    photos = [photo(lying, camera(turn, 2.0)) for turn in (0.0, 0.3)]
    gone = photos[1].cards.pop(20)
    low, high = gone.corners.min(axis=0) - 20, gone.corners.max(axis=0) + 20
    corners = np.array([low, [high[0], low[1]], high, [low[0], high[1]]])
    (before,) = merge(photos, compare(photos))
    photos[1].hands.append(SeenHand(corners, 0.9))
    (after,) = merge(photos, compare(photos))
    told = [[m for m in spread.cards if m.seen == (0,)] for spread in (before, after)]
    assert [len(some) for some in told] == [1, 1]
    assert (told[0][0].missed, told[1][0].missed) == ((1,), ())
    assert told[1][0].card.confidence > told[0][0].card.confidence


def test_designs_are_those_of_most_photos_whatever_their_labels(
    lying: list[tuple[float, float, float, int]],
) -> None:
    names = ("red", "blue", "green"), ("green", "red", "blue"), ("blue", "blue 2", "red")
    photos = [photo(lying, camera(0.2 * k, 2.0), 0.4, names[k], k) for k in range(3)]
    photos[0].cards[3].back = "green" if photos[0].cards[3].back != "green" else "red"
    (spread,) = merge(photos, compare(photos))
    decks = Counter(deck for *_, deck in lying)
    assert sorted(Counter(m.card.back for m in spread.cards).values()) == sorted(decks.values())
    assert [m.back_disputed for m in spread.cards].count(True) == 1


def test_a_photo_that_hardly_knows_a_design_is_overruled_by_one_that_does(
    lying: list[tuple[float, float, float, int]],
) -> None:
    sure, unsure = photo(lying, camera(0.0, 2.5)), photo(lying, camera(0.7, 2.5))
    for seen in (sure, unsure):
        for card in seen.cards:
            card.back_margin = 6.0
            card.confidence += 0.04 * (seen is unsure)  # so that it leads
    mistaken = [k for k, card in enumerate(unsure.cards) if card.back == "red"][:3]
    for k in mistaken:
        unsure.cards[k].back, unsure.cards[k].back_margin = "blue", 0.3
    (spread,) = merge([sure, unsure], compare([sure, unsure]))
    assert Counter(merged.card.back for merged in spread.cards) == Counter(c.back for c in sure.cards)
    assert sum(merged.back_disputed for merged in spread.cards) == len(mistaken)


def test_two_decks_that_one_photo_took_for_one_are_two_if_it_doubted_that(
    lying: list[tuple[float, float, float, int]],
) -> None:
    for alike, decks in ((1.2, 3), (6.0, 2)):
        joined, parted = photo(lying, camera(0.0, 2.5)), photo(lying, camera(0.7, 2.5))
        for card, (*_, deck) in zip(joined.cards, lying, strict=True):
            card.back_margin, card.back_splits = 6.0, ((alike, int(deck == 1)),)
            card.back = "red" if deck < 2 else card.back
            card.confidence += 0.04
        for card in parted.cards:
            card.back_margin = 6.0
        (spread,) = merge([joined, parted], compare([joined, parted]))
        assert len({merged.card.back for merged in spread.cards}) == decks


def test_two_cards_of_two_photos_are_no_evidence() -> None:
    few = cards(np.random.default_rng(1), 2)
    photos = [photo(few, camera(0.0, 2.0)), photo(few, camera(0.5, 2.0))]
    assert all(two.fit < SAME for two in compare(photos).values())


def backs(colour: tuple[float, float, float], light: tuple[float, float, float], seed: int) -> list[SeenCard]:
    """Three backs of a checked design in this colour (BGR, 0 to 1) under this light."""
    import cv2

    rows, columns = np.mgrid[0:22, 0:16]
    white = (rows // 3 + columns // 3) % 2 == 0
    bgr = np.where(white[..., None], 0.9, np.array(colour)) * np.array(light)
    lab = cv2.cvtColor(bgr.astype(np.float32), cv2.COLOR_BGR2LAB)
    found = []
    for k in range(3):
        shown = lab + np.random.default_rng(seed + k).normal(0, 1.0, lab.shape)
        shown[:, : 4 * k] = 0
        vector = shown.astype(np.float64).ravel()
        corners = CARD + 100
        card = SeenCard(corners, "back", corners, 0.5, 0.9, back_embedding=vector / np.linalg.norm(vector))
        found.append(card)
    return found


RED, BLUE, GREEN = (0.15, 0.15, 0.7), (0.6, 0.2, 0.15), (0.2, 0.55, 0.2)
LAMP = (0.7, 0.9, 1.0)


def test_designs_are_found_again_in_another_light_whatever_they_are_called() -> None:
    one = {"a": backs(RED, (1, 1, 1), 1), "b": backs(BLUE, (1, 1, 1), 2), "c": backs(GREEN, (1, 1, 1), 3)}
    two = {"b": backs(RED, LAMP, 4), "a": backs(GREEN, LAMP, 5)}
    assert match_designs(two, one).same == {"b": "a", "a": "c"}


def test_labels_of_a_second_photo_are_made_those_of_the_first_and_new_designs_get_new_ones() -> None:
    first = {"red": backs(RED, (1, 1, 1), 1)}
    second = {"blue": backs(RED, LAMP, 2), "red": backs(BLUE, LAMP, 3)}
    labels, _ = common_labels([first, second])
    assert labels == [{"red": "red"}, {"blue": "red", "red": "red 2"}]


def test_without_a_description_labels_of_one_name_are_one() -> None:
    bare = photo(cards(np.random.default_rng(2), 4, 1), camera(0, 2.0)).cards
    labels, _ = common_labels([{"red": bare}, {"red": bare, "blue": bare}])
    assert labels[1] == {"red": "red", "blue": "blue"}


def named(cards: list[SeenCard]) -> list[SeenCard]:
    """The same backs as an eye has them that knows enrolled decks."""
    for card in cards:
        card.back_confidence = 0.9
    return cards


def test_names_of_enrolled_decks_are_those_decks_in_every_light() -> None:
    first = {"deck 1": named(backs(RED, (1, 1, 1), 1)), "deck 2": named(backs(BLUE, (1, 1, 1), 2))}
    second = {"deck 2": named(backs(RED, LAMP, 3)), "deck 1": named(backs(GREEN, LAMP, 4))}
    labels, doubts = common_labels([first, second])
    assert labels[1] == {"deck 2": "deck 2", "deck 1": "deck 1"} and not doubts


def test_an_unknown_deck_is_none_of_those_that_the_photo_shows_by_name() -> None:
    first = {"lions": named(backs(RED, (1, 1, 1), 1))}
    second = {"lions": named(backs(BLUE, LAMP, 2)), "unknown": named(backs(RED, LAMP, 3))}
    labels, _ = common_labels([first, second])
    assert labels[1] == {"lions": "lions", "unknown": "unknown"}


def test_a_photo_that_is_added_changes_no_label(lying: list[tuple[float, float, float, int]]) -> None:
    names = ("blue 2", "blue", "green"), ("blue", "blue 2", "purple")
    first = photo(lying[:32], camera(0.0, 2.0), 0.4, names[0], 0)
    second = photo(lying, camera(0.2, 2.0), 0.4, names[1], 1)
    (spread,) = merge([first, second], compare([first, second]))
    told = {(lying[m.card.order][3], m.card.back) for m in spread.cards if m.seen == (0, 1)}
    assert told == {(0, "blue 2"), (1, "blue"), (2, "green")}


def test_groups_of_one_enrolled_name_are_one_deck(lying: list[tuple[float, float, float, int]]) -> None:
    # one photo shows two decks by name, the other takes the second for the first
    one = photo(lying, camera(0.0, 2.0), 0.4, ("lions", "lions", "tigers"), 0)
    two = photo(lying, camera(0.2, 2.0), 0.4, ("lions", "tigers", "tigers"), 1)
    for each in (one, two):
        named(each.cards)
    (spread,) = merge([one, two], compare([one, two]))
    assert {m.card.back for m in spread.cards} == {"lions", "tigers"}


def test_what_most_photos_call_unknown_is_no_enrolled_deck(
    lying: list[tuple[float, float, float, int]],
) -> None:
    names = ("lions", "lions", "tigers"), ("lions", "unknown", "tigers"), ("lions", "unknown", "tigers")
    photos = [photo(lying, camera(0.2 * k, 2.0), 0.4, names[k], k) for k in range(3)]
    for each in photos:
        named(each.cards)
    (spread,) = merge(photos, compare(photos))
    told = {(lying[m.card.order][3], m.card.back) for m in spread.cards}
    assert told == {(0, "lions"), (1, "unknown"), (2, "tigers")}


def test_a_larger_deck_in_a_photo_that_is_added_takes_no_label(
    lying: list[tuple[float, float, float, int]],
) -> None:
    few = [card for card in lying if card[3] == 0][:8]
    many = [card for card in lying if card[3] == 1]
    both = few + many
    first, second = (
        photo(few, camera(0.0, 2.0), 0.4),
        photo(both, camera(0.2, 2.0), 0.4, ("green", "red", "")),
    )
    stray = photo(both, camera(0.0, 2.0)).cards[8]
    stray.back = "red"
    first.cards.append(stray)
    (spread,) = merge([first, second], compare([first, second]), 0.0)
    told = {(both[m.card.order][3], m.card.back) for m in spread.cards}
    assert told == {(0, "red"), (1, "red 2")}
    # nor does a photo take back the number that an earlier one gave
    third = photo(both, camera(0.4, 2.0), 0.4, ("red", "blue", ""))
    (spread,) = merge([first, second, third], compare([first, second, third]), 0.0)
    assert {(both[m.card.order][3], m.card.back) for m in spread.cards} == told


@pytest.mark.parametrize(
    ("called", "is_called"),
    [
        (("lions", "unknown"), "lions"),
        (("unknown", "lions"), "lions"),
        (("lions", "unknown", "unknown 2"), "unknown"),
        (("unknown 2", "lions", "unknown"), "unknown 2"),
    ],
)
def test_numbers_of_unknown_decks_are_one_voice(
    called: tuple[str, ...], is_called: str, lying: list[tuple[float, float, float, int]]
) -> None:
    photos = [
        photo(lying, camera(0.2 * k, 2.0), 0.4, ("tigers", name, "bears"), k) for k, name in enumerate(called)
    ]
    for each in photos:
        named(each.cards)
    (spread,) = merge(photos, compare(photos))
    told = {(lying[m.card.order][3], m.card.back) for m in spread.cards}
    assert told == {(0, "tigers"), (1, is_called), (2, "bears")}


def ends_elsewhere(seen: Layout, number: int) -> None:
    """A photo in which a card shows a strip, and the eye takes the strip for the other end of the card."""
    card = seen.cards[number]
    top_left, top_right, _, bottom_left = card.corners
    down = (bottom_left - top_left) * 0.15
    card.visible = np.array([top_left, top_right, top_right + down, top_left + down])
    card.corners = card.corners - (bottom_left - top_left) * 0.85


def test_a_strip_of_which_photos_see_different_ends_is_one_card(
    lying: list[tuple[float, float, float, int]],
) -> None:
    one, two = photo(lying, camera(0.1, 2.2)), photo(lying, camera(3.1, 1.7, 2e-4))
    whole = one.cards[3].corners
    one.cards[3].visible = whole[[0, 1, 1, 0]] + np.array([[0.0], [0.0], [0.15], [0.15]]) * (
        whole[3] - whole[0]
    )
    ends_elsewhere(two, 3)
    (spread,) = merge([one, two], compare([one, two]))
    assert len(spread.cards) == 40 and not [card for card in spread.cards if card.missed]
    # the card as each photo has it stands in the order of the photos
    first, second = ({id(card) for card in seen.cards} for seen in (one, two))
    assert all(id(card.of[0]) in first and id(card.of[1]) in second for card in spread.cards)
    # of another design it is another card
    other = next(name for name in ("red", "blue", "green") if name != two.cards[3].back)
    two.cards[3].back = other
    (spread,) = merge([one, two], compare([one, two]))
    assert len(spread.cards) == 41
