"""How places are written."""

from __future__ import annotations

import pytest

from referee import BadEventError, Deal, Header, Touch, open_hand
from referee.rules.places import Place, UnknownPlaceError

HAND = open_hand(Header.of("nerts", {"north": "blue", "north east": "red", "work": "green"}))


@pytest.mark.parametrize(
    ("text", "seat", "wanted"),
    [
        ("work 3", "north", Place("work", 3, "north")),
        ("work 3", "work", Place("work", 3, "work")),
        ("work work 3", "north", Place("work", 3, "work")),
        ("north east nerts", "north", Place("nerts", 0, "north east")),
        ("north nerts", None, Place("nerts", 0, "north")),
        ("foundation 17", None, Place("foundation", 17)),
    ],
)
def test_a_place(text: str, seat: str | None, wanted: Place) -> None:
    assert HAND.game.place(text, seat) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "",
        "work",
        "work 0",
        "work 03",
        "work  3",
        "Work 3",
        "nerts 1",
        "stock 1",
        "foundation",
        "north foundation 1",
        "west work 1",
        "reserve",
        "work 3 ",
        "work -1",
        "north",
        "foundation 99999999999",
    ],
)
def test_no_place(text: str) -> None:
    with pytest.raises(UnknownPlaceError):
        HAND.game.place(text, "north")


def test_a_further_pile_is_no_place_unless_it_was_dealt() -> None:
    touch = Touch(seat="north", place="work 5")
    with pytest.raises(BadEventError, match="unknown place 'work 5'"):
        HAND.check(touch)
    hand = open_hand(HAND.header)
    hand.push(Deal(seat="north", piles={"work 5": ("??",), "stock": ("??",) * 51}))
    hand.check(touch)
    with pytest.raises(BadEventError, match="unknown place 'work 6'"):
        hand.check(Touch(seat="north", place="work 6"))
    with pytest.raises(BadEventError, match="unknown place 'work 5'"):
        hand.check(Touch(seat="work", place="work 5"))


def test_an_own_place_needs_somebody() -> None:
    with pytest.raises(UnknownPlaceError, match="needs a seat"):
        HAND.game.place("work 3", None)
