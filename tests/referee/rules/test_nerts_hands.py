"""Whole recorded hands of the Nerts family, one for every game and every way a hand ends.

`hands/expected.json` was counted from the piles of the simulated table when the hands were played. `count` below
counts once more from the lines of the file, with lists of cards and nothing of the referee.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from referee.record.check import check_lines

from .tables import PRESETS

FOLDER = Path(__file__).parent / "hands"
EXPECTED: dict[str, dict[str, Any]] = json.loads((FOLDER / "expected.json").read_text())
#: As the rule book's table has them; all others are 2, 0 and 50.
PENALTY = {"nerts-minus-one": 1, "nerts-twelve": 1}
BONUS = {"nerts-twelve": 10, "nna-singles": 10}
TARGET = {"team-nuts": 250, "tournament": 100, "nna-singles": 150}
Line = dict[str, Any]


def read(name: str) -> list[Line]:
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text().splitlines()]


def count(lines: list[Line]) -> dict[str, dict[str, int]]:
    """Points by seat, from moving (deck, card) pairs about as the lines say."""
    header, *events = lines
    deck = {seat["seat"]: seat["deck"] for seat in header["seats"]}
    piles: dict[str, list[tuple[str, str]]] = defaultdict(list)
    caller = ""

    def full(seat: str, place: str) -> str:
        return place if place.startswith("foundation") else f"{deck[seat]} {place}"

    for event in events:
        kind, seat = event["event"], event.get("seat", "")
        if kind == "deal":
            for place, cards in event["piles"].items():
                piles[full(seat, place)] = [(deck[seat], card) for card in cards]
        elif kind == "play":
            source, target = full(seat, event["from"]), full(seat, event["to"])
            block = piles[source][-len(event["cards"]) :]
            assert [card for _, card in block] == event["cards"]
            del piles[source][-len(block) :]
            at = 0 if event.get("under") else len(piles[target])
            piles[target][at:at] = block
        elif kind == "draw":
            for card in event["cards"]:
                assert piles[full(seat, "stock")][-1] == (deck[seat], card)
                piles[full(seat, "waste")].append(piles[full(seat, "stock")].pop())
        elif kind == "recycle":
            piles[full(seat, "stock")][:0] = piles[full(seat, "waste")][::-1]
            piles[full(seat, "waste")].clear()
        elif kind == "bury":
            piles[full(seat, "stock")].insert(0, piles[full(seat, "stock")].pop())
        elif kind == "call":
            caller = deck[seat]
    centre = [card for place, pile in piles.items() if place.startswith("foundation") for card in pile]
    points = {}
    for seat, back in deck.items():
        own = sum(owner == back for owner, _ in centre)
        left = sum(len(pile) for place, pile in piles.items() if place.startswith(f"{back} nerts"))
        bonus = BONUS.get(header["game"], 0) if caller == back else 0
        total = own + bonus - PENALTY.get(header["game"], 2) * left
        points[seat] = {"centre": own, "left": left, "bonus": bonus, "points": total}
    return points


@pytest.mark.parametrize("name", EXPECTED)
def test_hand_replays_to_its_score(name: str) -> None:
    result = check_lines((FOLDER / f"{name}.jsonl").read_bytes().splitlines(keepends=True))
    assert result.errors == []
    calls = [(ruling.ruling, ruling.verdict) for ruling in result.rulings]
    assert calls == ([("call", "legal")] if name.endswith("-called") else [])
    score = result.score
    assert score is not None and score.final
    keys = ("centre", "left", "bonus", "points")
    said = {seat: {key: getattr(entry, key) for key in keys} for seat, entry in score.hand.items()}
    assert said == EXPECTED[name]["hand"] == count(read(name))
    assert {entry.disputed for entry in score.hand.values()} == {0}
    assert score.match == {seat: entry["points"] for seat, entry in EXPECTED[name]["hand"].items()}
    assert score.to_json()["winner"] == EXPECTED[name]["winner"]


def test_every_game_has_a_hand_for_every_way_it_ends() -> None:
    assert set(EXPECTED) == {f"{game}-{why}" for game in PRESETS for why in ("called", "stuck", "stopped")}
    for name in EXPECTED:
        lines = read(name)
        assert name == f"{lines[0]['game']}-{lines[-1]['why']}"
        assert (lines[-2]["event"] == "call") is name.endswith("-called")
        if name.endswith("-stuck") and lines[0]["game"] not in ("nuts", "team-nuts", "nerts-twelve"):
            buried = [line["seat"] for line in lines[1:] if line["event"] == "bury"]
            assert sorted(buried) == ["north", "south"]


@pytest.mark.parametrize("game", PRESETS)
@pytest.mark.parametrize(("more", "wins"), [(0, True), (-1, False)])
def test_whoever_reaches_the_target_wins(game: str, more: int, wins: bool) -> None:
    header, *lines = read(f"{game}-called")
    hand = EXPECTED[f"{game}-called"]["hand"]
    seats = [seat["seat"] for seat in header["seats"] if seat["deck"] == header["seats"][0]["deck"]]
    before = {seat: TARGET.get(game, 50) - hand[seat]["points"] + more for seat in seats}
    score = check_lines(
        [json.dumps(line).encode() + b"\n" for line in (header | {"match": before}, *lines)]
    ).score
    assert score is not None
    assert score.to_json()["winner"] == ((seats if len(seats) > 1 else seats[0]) if wins else None)


@pytest.mark.parametrize("game", PRESETS)
def test_an_equal_highest_total_goes_on(game: str) -> None:
    header, *lines = read(f"{game}-called")
    hand = EXPECTED[f"{game}-called"]["hand"]
    before = {seat: 300 - entry["points"] for seat, entry in hand.items()}
    score = check_lines(
        [json.dumps(line).encode() + b"\n" for line in (header | {"match": before}, *lines)]
    ).score
    assert score is not None
    assert set(score.match.values()) == {300} and score.winner is None and score.final
