"""What may lie on what: the rules' own word, as the umpire asks it, against N5 and N9 written out."""

from __future__ import annotations

import pytest

from referee.games.nerts.builds import builds
from referee.rules.cards import FACES, RANKS

RED = {"H", "D"}


@pytest.mark.parametrize("onto", FACES)
def test_n5_down_by_one_in_alternating_colour(onto: str) -> None:
    for card in FACES:
        one_lower = RANKS.index(card[0]) == RANKS.index(onto[0]) - 1
        assert builds("work", onto, card) == (one_lower and (card[1] in RED) != (onto[1] in RED))


@pytest.mark.parametrize("onto", FACES)
def test_n9_up_by_one_in_suit(onto: str) -> None:
    for card in FACES:
        one_higher = RANKS.index(card[0]) == RANKS.index(onto[0]) + 1
        assert builds("foundation", onto, card) == (one_higher and card[1] == onto[1])


@pytest.mark.parametrize(
    ("kind", "onto", "card", "may"),
    [
        ("work", None, "5H", True),
        ("foundation", None, "AC", True),
        ("foundation", None, "2C", False),
        ("foundation", "??", "5H", True),
        ("foundation", "??", "AH", False),
        ("work", "??", "KH", False),
        ("work", "?S", "5H", True),
        ("work", "7?", "6H", True),
        ("work", "7?", "5H", False),
        ("foundation", "5H", "??", True),
        ("foundation", "KH", "??", False),
        ("nerts", None, "AH", False),
        ("waste", "5H", "4S", False),
    ],
)
def test_spaces_and_unknown_cards(kind: str, onto: str | None, card: str, may: bool) -> None:
    assert builds(kind, onto, card) is may
