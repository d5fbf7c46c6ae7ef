"""A camera that is opened in the middle of a hand: the hand is followed from there, and the next one from its deal."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from evening import FPS, Evening, truth
from umpire_table import Table

from referee.live.session import Keeper, Rules, Session, Told
from referee.live.session.taken_up import piles_of
from referee.record.reopened import reopened
from referee.rules.places import NERTS, STOCK, WORK, Place
from referee.service.kept_match import KeptMatch
from scripts.measure.replays import score_replay

Line = dict[str, Any]
#: So long (s) after the first hand began the camera is opened.
SINCE = 14.0


@dataclass
class Seen:
    evening: Evening
    folder: Path
    keeper: Keeper
    told: list[Told]

    def record(self, hand: int) -> list[Line]:
        return [json.loads(line) for line in self.keeper.record(hand).read_text().splitlines()]

    def said(self, **wanted: Any) -> list[Line]:
        lines = [one.line for one in self.told if one.line.get("event") == "session"]
        return [line for line in lines if wanted.items() <= line.items()]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    folder = tmp_path_factory.mktemp("evening")
    evening = Evening([Table(43, 30.0), Table(1, 4.0)], still_s=6.0)
    told: list[Told] = []
    keeper = Keeper.open(folder, "pretended")
    session = Session(evening, keeper, Rules(), match=KeptMatch(folder / "match.json"), fps=FPS)
    session.observe(told.append)
    for frame in evening:
        if frame.time_s >= evening.parts[0].start + SINCE:
            session.push(frame)
    session.end()
    return Seen(evening, folder, keeper, told)


def test_it_is_followed_from_there(seen: Seen) -> None:
    part, record = seen.evening.parts[0], seen.record(1)
    assert [line.get("event") for line in record[:4]] == [None, "begun", "begun", "begun"]
    since = record[1]["at"]
    assert since < part.start + SINCE + 10.0
    true = [line for line in truth(part.table, part.start) if line.get("at", since) >= since]
    figures = score_replay([line for line in record if line.get("at", since) >= since], true)
    assert figures.plays.true >= 5
    assert figures.plays.right >= figures.plays.true - 1, figures.faults
    assert not [line for line in record if line.get("verdict") == "illegal"]


def test_that_it_had_begun_is_said(seen: Seen) -> None:
    first = seen.said(hand=1)[0]
    assert first["state"] == "playing" and "had begun before it was seen" in first["why"]


def test_how_many_nerts_cards_are_left_is_not_said_of_a_pile_that_nobody_counted(seen: Seen) -> None:
    score = seen.record(1)[-1]
    assert score["unknown"]["left"] and score["unknown"]["centre"] >= 0
    told = seen.said(hand=1, state="score")[0]
    assert "had begun before the recording" in told["why"] or not score["final"]


def test_the_next_hand_is_followed_from_its_deal_and_counts_alone(seen: Seen) -> None:
    record = seen.record(2)
    assert [line.get("event") for line in record[:3]] == [None, "deal", "deal"]
    assert not record[0].get("match")


def test_what_the_record_says_lies_there_is_what_a_correction_goes_on_from(seen: Seen) -> None:
    """Cards that nobody counted are there or not: else the first look at an empty pile would contradict the record."""
    book = reopened(seen.record(1)[:4])
    piles = piles_of(book.hand)
    begun = {line["seat"]: line for line in seen.record(1)[2:4]}
    for seat, line in begun.items():
        nerts = piles[Place(NERTS, 0, seat)]
        assert len(nerts) == 13
        assert [card.face for card in nerts if card.there] == line["piles"].get("nerts", [])
        assert not any(card.there for card in piles[Place(STOCK, 0, seat)][:-1])
        works = [piles.get(Place(WORK, number, seat), ()) for number in range(1, 5)]
        assert [[card.face for card in pile] for pile in works] == [
            line["piles"][f"work {number}"] for number in range(1, 5)
        ]
