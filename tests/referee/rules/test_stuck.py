"""Stuck or not (N14), on positions written by hand."""

from __future__ import annotations

from referee import Header
from referee.games.nerts.stuck import all_stuck, is_stuck
from referee.games.position import hand_at

HEADER = Header.of("nerts", {"north": "blue", "south": "red"})
#: South cannot move: four red cards of one colour and rank pattern, no stock.
SOUTH = """
south nerts: KD
south work 1: KH
south work 2: QH
south work 3: QD
south work 4: JH
"""
NORTH = """
north nerts: KS
north work 1: KC
north work 2: QS
north work 3: QC
north work 4: JS
"""


def said(position: str, seat: str = "north") -> str:
    return is_stuck(hand_at(HEADER, position + SOUTH), seat).verdict


def test_no_play_and_no_stock() -> None:
    assert said(NORTH) == "stuck"
    assert str(all_stuck(hand_at(HEADER, NORTH + SOUTH))) == "stuck"


def test_a_play_on_the_table() -> None:
    assert said(NORTH.replace("JS", "JD")) == "free"
    assert all_stuck(hand_at(HEADER, NORTH.replace("JS", "JD") + SOUTH)).verdict == "free"


def test_the_third_card_of_the_stock_will_show() -> None:
    free = is_stuck(hand_at(HEADER, NORTH + "north stock: -2C -JH -3C -4C" + SOUTH), "north")
    assert (free.verdict, free.draws) == ("free", 1)
    assert free.play is not None
    assert free.play.cards == ("JH",)
    assert said(NORTH + "north stock: -2C -JH -3C -4C -5C") == "stuck"


def test_a_card_that_shows_only_after_the_waste_is_turned_over() -> None:
    # drawn as 4C 3C 2C: the jack of the waste lies under two others now, and is the third of the next pass
    free = is_stuck(hand_at(HEADER, NORTH + "north waste: 9S 8S JH 7S" + SOUTH), "north")
    assert free.verdict == "free"
    assert free.draws == 2


def test_a_card_that_never_shows() -> None:
    assert said(NORTH + "north waste: 9S JH 8S 7S") == "stuck"


def test_an_unknown_card_leaves_it_open() -> None:
    assert said(NORTH + "north stock: -?? -?? -??") == "undecided"


def test_an_unknown_card_that_never_shows_does_not_matter() -> None:
    seen = "north waste: " + " ".join(f"{rank}{suit}" for rank in "23456789T" for suit in "SHDC")
    assert said(NORTH + seen) == "stuck"
    assert said(NORTH + seen.replace("2S", "-??")) == "stuck"
    assert said(NORTH + seen.replace("2D", "-??")) == "undecided"


def test_moving_a_whole_pile_to_a_space_is_no_play() -> None:
    no_fourth = NORTH.replace("north work 4: JS\n", "").replace("north nerts: KS\n", "")
    assert said(no_fourth) == "stuck"
    assert said(no_fourth + "north nerts: KS\n") == "free"


def test_a_side_that_was_never_dealt() -> None:
    assert is_stuck(hand_at(HEADER, SOUTH), "north").verdict == "undecided"
