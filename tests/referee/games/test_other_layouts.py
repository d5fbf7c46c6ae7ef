"""52 cards laid out otherwise than the rule says are a deal: ruled illegal, and the hand goes on from there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from referee.record.check import CheckResult, check_lines
from referee.rules.settings import game_names

from .test_bad_deals import dealt, places

Line = dict[str, Any]
#: By game: the rules that its deal can break, and numbered places that a deal may have besides the usual ones.
DEALS = {
    "california-jacks": ({"J1"}, []),
    "canfield": ({"C1"}, ["work 5", "foundation 2", "waste"]),
    "double-solitaire": ({"D1"}, ["centre 5", "centre 9", "side 1"]),
    "pishe-pasha": ({"S1"}, ["foundation 1", "discard"]),
    "nuts": ({"U1", "U2"}, ["work 6", "foundation 1", "waste"]),
    "team-nuts": ({"P1", "P2"}, ["work 6", "foundation 1", "waste"]),
    "nerts-twelve": ({"T1"}, ["work 8", "nerts 5", "foundation 1", "waste"]),
}
NERTS: tuple[set[str], list[str]] = {"N2"}, ["work 5", "work 7", "foundation 1", "waste"]


def ruled(lines: list[Line], game: str) -> CheckResult:
    result = check_lines([json.dumps(line).encode() + b"\n" for line in lines])
    assert (result.status, result.errors) == (0, [])
    illegal = {ruling.rule for ruling in result.rulings if ruling.verdict == "illegal"}
    assert illegal and illegal <= DEALS.get(game, NERTS)[0]
    return result


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("game", game_names())
def test_any_pile_may_be_missing(game: str, named: bool) -> None:
    """Its cards lie in another pile; its place is named as empty or not at all."""
    for at, place in places(dealt(game)):
        lines = dealt(game)
        piles = lines[at]["piles"]
        other = next((name for name in reversed(piles) if name not in (place, "cut")), None)
        if other is None:
            continue
        piles[other] += piles[place]
        piles[place] = []
        if not named:
            del piles[place]
        ruled(lines, game)


@pytest.mark.parametrize("game", game_names())
def test_there_may_be_a_pile_more(game: str) -> None:
    for further in DEALS.get(game, NERTS)[1]:
        lines = dealt(game)
        deal = lines[-1]
        deal["piles"][further] = [deal["piles"]["stock"].pop()]
        ruled(lines, game)


@pytest.mark.parametrize("game", game_names())
def test_a_pile_that_nobody_dealt_is_no_place(game: str) -> None:
    for further in DEALS.get(game, NERTS)[1]:
        if further.split()[0] not in ("work", "centre", "nerts"):
            continue
        lines = dealt(game)
        seat = lines[-1]["seat"]
        lines.append(
            {"event": "play", "at": 9, "seat": seat, "cards": ["??"], "from": further, "to": "stock"}
        )
        result = check_lines([json.dumps(line).encode() + b"\n" for line in lines])
        assert result.status == 2
        assert f"unknown place '{further}'" in result.errors[0]


def nerts(*events: Line, up: Line | None = None, **piles: list[str]) -> list[str]:
    """The rulings on a hand of Nerts in which north has these piles, all else unknown."""
    seats = [{"seat": "north", "deck": "blue"}, {"seat": "south", "deck": "red"}]
    header = {"record": 1, "game": "nerts", "seats": seats, "source": {"kind": "camera"}}
    own: Line = {"nerts": 13} | {place.replace("_", " "): cards for place, cards in piles.items()}
    own["stock"] = 52 - 13 - sum(map(len, piles.values()))
    deal = {"event": "deal", "at": 0, "seat": "north", "piles": own} | ({"up": up} if up else {})
    lines = [header, deal, *({"at": 1, "seat": "north", **event} for event in events)]
    result = check_lines([json.dumps(line).encode() + b"\n" for line in lines])
    assert result.errors == []
    return [f"{ruling.rule} {ruling.verdict} {ruling.of}" for ruling in result.rulings]


def move(cards: str, source: str, target: str, **more: object) -> Line:
    return {"event": "play", "cards": cards.split(), "from": source, "to": target, **more}


def test_a_fifth_work_pile_is_played_as_the_others() -> None:
    """Its card lies face up, is built on, moved, and leaves a space that may be filled."""
    usual = {"work_1": ["9C"], "work_2": ["5H"], "work_3": ["KD"], "work_4": ["2C"], "work_5": ["8D"]}
    assert nerts(move("8D", "work 5", "work 1"), move("5H", "work 2", "work 5"), **usual) == [
        "N2 illegal (1,)"
    ]
    assert nerts(move("5H", "work 2", "work 5"), **usual) == ["N2 illegal (1,)", "N5 illegal (2,)"]


def test_a_card_may_be_slid_under_while_the_fifth_pile_is_empty() -> None:
    usual = {"work_1": ["9C"], "work_2": ["5H"], "work_3": ["KD"], "work_4": ["2C"], "work_5": ["8D"]}
    slid = move("6S", "waste", "work 2", under=True)
    drawn = {"event": "draw", "cards": ["4C", "4S", "6S"]}
    assert nerts(drawn, move("8D", "work 5", "work 1"), slid, **usual) == ["N2 illegal (1,)"]
    assert nerts(drawn, slid, **usual) == ["N2 illegal (1,)", "N7 illegal (3,)"]


def test_a_fifth_slot_counts_as_left() -> None:
    lines = dealt("nerts-twelve")
    lines[-1]["piles"]["nerts 5"] = [lines[-1]["piles"]["stock"].pop()]
    score = ruled(lines, "nerts-twelve").score
    assert score is not None
    assert score.hand[lines[-1]["seat"]].left == 13
