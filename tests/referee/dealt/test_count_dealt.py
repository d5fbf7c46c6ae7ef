"""Counts of what landed: by owner, sure or asked, beside what shows in the end and what a record has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.dealt.chance import chance_of_two
from referee.dealt.count import BOUND, Count, count_dealt
from referee.dealt.questions import answer
from referee.dealt.sheet import sheet
from vision.dealt.ending import Ending
from vision.dealt.landings import Landing, Second
from vision.dealt.visits import Change
from vision.layout import SeenCard


def landing(
    at: float,
    *,
    beside: float = 0.0,
    second: Second | None = None,
    unclear: int = 0,
    gone: float | None = None,
    confidence: float = 0.95,
    misfit: float = 1.0,
    unlike: float = 0.0,
    rest: float = 0.0,
) -> Landing:
    corners = np.array([[0, 0], [63, 0], [63, 88], [0, 88]], dtype=np.float64) + at
    patch = np.zeros((4, 4, 3), np.uint8)
    crop, seen = np.zeros((160, 112, 3), np.uint8), np.full((160, 112), 255, np.uint8)
    return Landing(
        at,
        corners,
        "back",
        None,
        0.0,
        confidence,
        crop,
        seen,
        0,
        0,
        patch,
        patch,
        beside,
        second,
        gone,
        unclear=unclear,
        misfit=misfit,
        unlike=unlike,
        rest=rest,
    )


def card(label: str, margin: float | None = 6.0, unity: float = 5.0) -> SeenCard:
    corners = np.zeros((4, 2))
    return SeenCard(
        corners, "back", corners, 1.0, 0.95, back=label, back_margin=margin, back_splits=((unity, 0),)
    )


def counted(labels: list[str], **more: object) -> Count:
    landings = [landing(float(at)) for at in range(len(labels))]
    return count_dealt(
        landings, [card(label) for label in labels], Ending(seen=landings[-2:]), seats={}, **more
    )  # type: ignore[arg-type]


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.booleans()), min_size=1, max_size=60))
def test_every_card_that_lies_there_counts_once_for_its_owner(cards: list[tuple[str, bool]]) -> None:
    landings = [landing(float(at), gone=at + 0.5 if back else None) for at, (_, back) in enumerate(cards)]
    count = count_dealt(landings, [card(label) for label, _ in cards], Ending(), seats={})
    for label in "abcd":
        lies = sum(name == label and not back for name, back in cards)
        assert (count.decks[label].centre if label in count.decks else 0) == lies
    assert count.total == len(count.cards) == sum(not back for _, back in cards)


def test_a_clean_dealing_is_sure() -> None:
    count = counted(["red"] * 30 + ["blue"] * 20)
    told = count.to_json()
    assert {deck["back"]: (deck["centre"], deck["state"]) for deck in told["decks"]} == {
        "red": (30, "sure"),
        "blue": (20, "sure"),
    }
    assert told["agrees"] and not told["doubts"] and told["total_by_backs"] == 50


@pytest.mark.parametrize(
    ("amiss", "asks"),
    [
        ({"beside": 80.0}, "two cards"),
        ({"confidence": 0.5, "misfit": 2.0}, "a card"),
        ({"unclear": 1, "rest": 500.0}, "just before"),
    ],
)
def test_what_is_amiss_with_a_card_is_asked_about_and_its_deck_alone_is_not_sure(
    amiss: dict[str, Any], asks: str
) -> None:
    landings = [landing(float(at)) for at in range(20)]
    landings[3] = landing(3.0, **amiss)
    for one in landings[10:]:
        one.corners += 200
    cards = [card("red" if at < 10 else "blue") for at in range(20)]
    count = count_dealt(landings, cards, Ending(), seats={})
    assert count.decks["red"].exact < BOUND <= count.decks["blue"].exact
    assert [asks in doubt.asks for doubt in count.doubts] == [True]


@pytest.mark.parametrize(("late", "asked"), [(0.0, False), (0.9, True)])
def test_looks_in_vain_are_asked_about_where_there_was_time_for_another_card(
    late: float, asked: bool
) -> None:
    landings = [landing(at + late * (at >= 5), unclear=5 * (at == 5)) for at in range(20)]
    count = count_dealt(landings, [card("red")] * 20, Ending(), seats={})
    assert (["just before" in doubt.asks for doubt in count.doubts] == [True]) == asked
    assert count.decks["red"].sure != asked


@pytest.mark.parametrize(
    ("gone", "late", "paused"), [(None, 0.0, False), (None, 0.9, True), (6.6, 0.9, False), (6.6, 2.5, True)]
)
def test_a_pause_as_long_as_another_card_leaves_every_deck_open_until_it_is_answered(
    gone: float | None, late: float, paused: bool
) -> None:
    landings = [landing(at + late * (at > 6), gone=gone if at == 6 else None) for at in range(20)]
    for one in landings:
        one.table = np.zeros((4, 4, 3), np.uint8)
    cards = [card("red" if at % 2 else "blue") for at in range(20)]
    count = count_dealt(landings, cards, Ending(), seats={})
    assert [doubt.kind for doubt in count.doubts] == ["pause"] * paused
    assert all(deck.sure != paused for deck in count.decks.values())
    if paused:
        patch, place = np.zeros((4, 4, 3), np.uint8), landings[6].corners
        unseen = [Change(6.7, 6.9, 7.1, place, 0, 0, np.ones((4, 4), bool), patch, patch)]
        count = count_dealt(landings, cards, Ending(), seats={}, unseen=unseen)
        assert len(count.doubts) == 2
        # both are about the same card
        for doubt in list(count.doubts):
            answer(count, doubt, yes=True, whose="blue")
        assert all(deck.sure for deck in count.decks.values()) and count.total == 21 - (gone is not None)


def test_the_lower_one_of_two_on_a_mixed_pile_may_be_of_any_deck() -> None:
    landings = [landing(float(at), beside=80.0 * (at == 3)) for at in range(20)]
    cards = [card("red" if at % 2 else "blue") for at in range(20)]
    count = count_dealt(landings, cards, Ending(), seats={})
    assert max(deck.exact for deck in count.decks.values()) < BOUND and len(count.doubts) == 1


def test_the_lower_one_of_two_is_counted_for_the_deck_that_it_shows() -> None:
    seen = Second(0.8, 300.0, {"blue": 0.995, "red": 0.005})
    landings = [
        landing(float(at), beside=400.0 * (at == 3), second=seen if at == 3 else None) for at in range(20)
    ]
    cards = [card("red" if at % 2 else "blue") for at in range(20)]
    count = count_dealt(landings, cards, Ending(), seats={})
    assert [(deck.centre, deck.sure) for deck in count.decks.values()] == [(11, True), (10, True)]
    assert count.total == 21 and [label for _, label in count.under] == ["blue"]
    (doubt,) = count.doubts
    answer(count, doubt, yes=False)
    assert [deck.centre for deck in count.decks.values()] == [10, 10]


def test_a_lower_one_of_which_only_white_shows_leaves_the_decks_open_that_it_may_be_of() -> None:
    seen = Second(0.8, 150.0, {"blue": 0.49, "red": 0.51, "green": 0.0})
    landings = [
        landing(float(at), beside=200.0 * (at == 3), second=seen if at == 3 else None) for at in range(21)
    ]
    cards = [card(("red", "blue", "green")[at % 3]) for at in range(21)]
    count = count_dealt(landings, cards, Ending(), seats={})
    assert {label for label, deck in count.decks.items() if deck.sure} == {"green"}
    answer(count, count.doubts[0], yes=True, whose="blue")
    assert {label: deck.centre for label, deck in count.decks.items()} == {"red": 7, "blue": 8, "green": 7}
    assert all(deck.sure for deck in count.decks.values())


def test_the_more_changes_beside_a_card_the_likelier_are_two() -> None:
    chances = [chance_of_two(landing(1.0, beside=mm2)) for mm2 in (0.0, 5.0, 20.0, 100.0, 400.0)]
    assert chances == sorted(chances) and chances[0] < 0.002


def test_a_card_hardly_seen_that_looks_like_its_deck_is_one() -> None:
    landings = [landing(float(at), confidence=0.5 if at == 3 else 0.95) for at in range(20)]
    count = count_dealt(landings, [card("red")] * 20, Ending(), seats={})
    assert count.decks["red"].sure and not count.doubts


def test_a_card_taken_back_from_one_of_its_own_deck_is_asked_about_unless_all_looks_as_before() -> None:
    landings = [landing(0.0), landing(1.0), landing(2.0, gone=2.5, unlike=0.02), landing(3.0)]
    labels = ["red", "red", "red", "blue"]
    count = count_dealt(landings, [card(label) for label in labels], Ending(), seats={})
    assert ["taken away at 2.5" in doubt.asks for doubt in count.doubts] == [True]
    landings[2].unlike = 0.005
    assert not count_dealt(landings, [card(label) for label in labels], Ending(), seats={}).doubts
    landings[2].unlike, labels[1] = 0.02, "blue"
    assert not count_dealt(landings, [card(label) for label in labels], Ending(), seats={}).doubts


def test_a_card_that_an_arm_brought_and_nobody_saw_leaves_every_deck_open() -> None:
    landings = [landing(float(at)) for at in range(20)]
    place = landings[0].corners
    patch, changed = np.zeros((4, 4, 3), np.uint8), np.ones((4, 4), bool)
    unseen = Change(3.0, 3.4, 3.8, place, 0, 0, changed, patch, patch)
    cards = [card("red" if at < 10 else "blue") for at in range(20)]
    count = count_dealt(landings, cards, Ending(), seats={}, unseen=[unseen])
    assert all(deck.exact < BOUND for deck in count.decks.values())
    assert [doubt.at for doubt in count.doubts] == [3.4]


def test_a_card_that_does_not_show_in_the_end_is_asked_about() -> None:
    landings = [landing(float(at)) for at in range(5)]
    ending = Ending(seen=landings[:4], missing=landings[4:])
    count = count_dealt(landings, [card("red")] * 5, ending, seats={})
    assert not count.agrees and count.decks["red"].exact < BOUND


def test_a_stack_that_was_held_counts_nothing() -> None:
    landings = [landing(float(at)) for at in range(5)]
    count = count_dealt(landings, [card("red")] * 5, Ending(held=landings[:2]), seats={})
    assert count.total == 3


def test_the_record_of_the_hand_has_to_tell_the_same() -> None:
    labels = ["red"] * 12 + ["blue"] * 9
    assert counted(labels, recorded={"red": 12, "blue": 9}).as_recorded
    unlike = counted(labels, recorded={"red": 12, "blue": 10})
    assert not unlike.agrees and unlike.decks["blue"].exact < BOUND <= unlike.decks["red"].exact
    assert "10 of blue's cards" in unlike.doubts[-1].asks


def test_a_design_that_falls_in_two_is_asked_about() -> None:
    landings = [landing(float(at)) for at in range(10)]
    cards = [card("red", unity=0.2)] * 10
    # all of them look like one print
    assert count_dealt(landings, cards, Ending(), seats={}).decks["red"].sure
    landings[4].misfit = 2.0
    count = count_dealt(landings, cards, Ending(), seats={})
    assert count.decks["red"].exact < BOUND and "of one deck" in count.doubts[0].asks


def test_two_landings_in_a_fifth_of_a_second_are_asked_about_and_one_of_them_is_taken_out() -> None:
    landings = [landing(float(at)) for at in range(20)]
    landings[8].at = 7.13
    count = count_dealt(landings, [card("red")] * 20, Ending(), seats={})
    (doubt,) = count.doubts
    assert "land at 7.1" in doubt.asks and not count.decks["red"].sure
    answer(count, doubt, yes=False)
    assert count.decks["red"].centre == 19 and count.decks["red"].sure
    # one that is told late was due: none is too many
    landings[7].at, landings[8].at = 7.9, 8.0
    assert not count_dealt(landings, [card("red")] * 20, Ending(), seats={}).doubts


def test_a_deck_that_is_seen_badly_is_never_sure() -> None:
    landings = [landing(float(at), confidence=0.6 if at % 3 == 0 else 0.9) for at in range(20)]
    count = count_dealt(landings, [card("red")] * 20, Ending(), seats={})
    assert not count.decks["red"].sure and "seen badly" in count.doubts[0].asks


def test_a_deck_that_was_dealt_onto_a_pile_of_its_own_is_one() -> None:
    landings = [landing(float(at)) for at in range(20)]
    for one in landings[10:]:
        one.corners += 200
    landings[2].misfit = landings[12].misfit = 2.0
    cards = [card("red" if at < 10 else "blue", unity=0.2) for at in range(20)]
    assert not count_dealt(landings, cards, Ending(), seats={}).doubts
    cards[4].back, cards[14].back = "blue", "red"
    asked = count_dealt(landings, cards, Ending(), seats={}).doubts
    assert ["of one deck" in doubt.asks for doubt in asked] == [True, True]


def test_two_decks_of_one_back_are_noticed() -> None:
    assert counted(["red"] * 60).decks["red"].exact < BOUND


def test_the_sheet_shows_every_card_that_counts() -> None:
    count = counted(["red"] * 13 + ["blue"] * 12)
    picture = sheet(count)
    tile = picture.shape[0] / 3
    assert tile == int(tile), "25 cards in rows of 12"


def test_a_design_of_which_every_card_seemed_to_be_taken_back_leaves_the_others_open() -> None:
    landings = [landing(float(at), gone=at + 0.5 if at % 2 else None) for at in range(20)]
    cards = [card("black" if at % 2 else "red") for at in range(20)]
    count = count_dealt(landings, cards, Ending(), seats={})
    assert count.decks["red"].centre == 10 and not count.decks["red"].sure
    (doubt,) = count.doubts
    assert "10 cards of black" in doubt.asks


@pytest.mark.parametrize(("third", "open_ones"), [(None, set()), ("green", {"red", "pink"}), ("pink", set())])
def test_two_designs_on_one_pile_beside_others_may_be_one_deck(
    third: str | None, open_ones: set[str]
) -> None:
    """Sorted by back: whoever lays two designs onto one pile takes them for one deck; on a mixed pile all may lie."""
    landings = [landing(at / 4) for at in range(24)]
    labels = ["red", "red", "red", "pink"] * 6
    if third is not None:
        for one in landings[1::2]:
            one.corners += 300
        labels = ["red", third] * 12 if third == "pink" else ["red", third, "pink", third] * 6
    count = count_dealt(landings, [card(label) for label in labels], Ending(), seats={})
    assert {label for label, deck in count.decks.items() if not deck.sure} == open_ones
    assert any("red" in doubt.asks and "pink" in doubt.asks for doubt in count.doubts) == bool(open_ones)


@pytest.mark.parametrize(("blues", "state"), [("north", "sure"), (None, "asked")])
def test_a_player_of_whom_no_card_is_dealt_has_what_is_left(blues: str | None, state: str) -> None:
    """Where somebody's deck is not known, that may be theirs."""
    seats = {"red": "south"} | ({"blue": blues} if blues else {})
    landings = [landing(float(at)) for at in range(20)]
    ending = Ending(seen=landings[-2:])
    count = count_dealt(landings, [card("blue")] * 20, ending, seats=seats, left={"south": 4})
    (red,) = [deck for deck in count.to_json()["decks"] if deck["seat"] == "south"]
    assert (red["centre"], red["left"], red["points"], red["state"]) == (0, 4, -8, state)
    assert any("Whose is blue?" in doubt.asks for doubt in count.doubts) == (state == "asked")
