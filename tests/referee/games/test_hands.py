"""Whole recorded hands, one for every way a turn-taking game ends: each replays to its exact score.

The points in `hands/expected.json` were counted from the cards of the simulated table, not by the referee.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from referee.record.check import check_lines

FOLDER = Path(__file__).parent / "hands"
EXPECTED: dict[str, dict[str, Any]] = json.loads((FOLDER / "expected.json").read_text())


@pytest.mark.parametrize("name", EXPECTED)
def test_hand_replays_to_its_score(name: str) -> None:
    result = check_lines((FOLDER / f"{name}.jsonl").read_bytes().splitlines(keepends=True))
    assert (result.errors, result.rulings) == ([], [])
    score = result.score
    assert score is not None
    points = {seat: entry.points for seat, entry in score.hand.items()}
    said = {"points": points, "winner": score.winner, "final": score.final}
    assert said == EXPECTED[name]
    assert score.match == points


def test_totals_before_the_hand_are_added() -> None:
    header, *lines = (FOLDER / "pishe-pasha-won.jsonl").read_bytes().splitlines(keepends=True)
    before = json.dumps({**json.loads(header), "match": {"north": 5, "south": 30}}).encode() + b"\n"
    score = check_lines([before, *lines]).score
    assert score is not None
    assert score.match == {"north": 31, "south": 30} and score.winner == "north"


@pytest.mark.parametrize(
    ("seats", "game"),
    [(1, "double-solitaire"), (3, "pishe-pasha"), (2, "canfield"), (3, "california-jacks")],
)
def test_a_table_of_the_wrong_size_is_refused(seats: int, game: str) -> None:
    line = {"record": 1, "game": game, "seats": [{"seat": f"seat{n}"} for n in range(seats)]}
    result = check_lines([json.dumps(line).encode() + b"\n"])
    assert result.status == 2 and "line 1" in result.errors[0] and "seats" in result.errors[0]


@pytest.mark.parametrize(
    ("game", "place"),
    [
        ("double-solitaire", "centre 5"),
        ("double-solitaire", "work 1"),
        ("pishe-pasha", "waste"),
        ("pishe-pasha", "foundation"),
        ("canfield", "work 5"),
        ("california-jacks", "north trick"),
    ],
)
def test_a_place_that_the_game_does_not_have_is_bad_input(game: str, place: str) -> None:
    seats = [{"seat": "north"}, {"seat": "south"}][: 1 if game == "canfield" else 2]
    header = {"record": 1, "game": game, "seats": seats}
    play = {"event": "play", "at": 1, "seat": "north", "cards": ["7H"], "from": "stock", "to": place}
    result = check_lines([json.dumps(line).encode() + b"\n" for line in (header, play)])
    assert result.status == 2
    assert result.errors[0].startswith("line 2: ") and place in result.errors[0]
