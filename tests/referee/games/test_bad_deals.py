"""A deal of 51 or 53 cards, or with a card twice, is bad input in every game, wherever the mistake lies."""

from __future__ import annotations

import json
from typing import Any

import pytest

from referee.players import play_hand
from referee.record.check import check_lines
from referee.rules.settings import game_names

Line = dict[str, Any]


def dealt(game: str) -> list[Line]:
    """The header and the deals of a hand."""
    played = play_hand(game, "random", 4, longest=1)
    deals = [event.to_json() for event in played.events if event.kind == "deal"]
    return [played.header.to_json(), *deals]


def refused(lines: list[Line]) -> str:
    result = check_lines([json.dumps(line).encode() + b"\n" for line in lines])
    assert result.status == 2 and result.score is None and len(result.errors) == 1
    return result.errors[0]


def places(lines: list[Line]) -> list[tuple[int, str]]:
    """Every pile that was dealt: line and place. The cut card is shown and put back."""
    return [(at, place) for at, line in enumerate(lines) for place in line.get("piles", {}) if place != "cut"]


@pytest.mark.parametrize("game", game_names())
def test_the_deals_as_they_were_are_accepted(game: str) -> None:
    result = check_lines([json.dumps(line).encode() + b"\n" for line in dealt(game)])
    assert (result.status, result.rulings) == (0, [])


@pytest.mark.parametrize("game", game_names())
def test_a_card_too_few_or_too_many_in_any_pile(game: str) -> None:
    for at, place in places(dealt(game)):
        for change, total in (("drop", "51"), ("add", "53")):
            lines = dealt(game)
            pile = lines[at]["piles"][place]
            lines[at]["piles"][place] = pile[:-1] if change == "drop" else [*pile, "??"]
            error = refused(lines)
            assert f"{total} cards" in error and error.startswith("line "), (at, place, change)


@pytest.mark.parametrize("game", game_names())
def test_a_card_twice(game: str) -> None:
    lines = dealt(game)
    (first, place), (last, other) = places(lines)[0], places(lines)[-1]
    if "deck" in lines[0]["seats"][0] or game == "canfield":
        first, place = last, next(name for at, name in places(lines) if at == last)
    card = lines[first]["piles"][place][-1]
    lines[last]["piles"][other][0] = card
    assert f"{card} is there twice" in refused(lines)


@pytest.mark.parametrize("game", game_names())
def test_a_second_deal(game: str) -> None:
    lines = dealt(game)
    assert "deal" in refused([*lines, lines[-1]])
