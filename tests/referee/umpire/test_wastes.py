"""A waste may lie elsewhere than where a row of this kind has it: it is where its first card is seen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from evening import FPS, Evening, truth
from umpire_table import Change, Eye, Table, layout_of, umpired

from referee.live.session import Keeper, Rules, Session
from referee.rules.places import WASTE, Place
from referee.umpire.seats.deal import find_deal
from scripts.measure.replays import score_replay


class StockInHand(Table):
    """The stock lies behind the Nerts pile, under the player's other hand, and its place in the row stays free."""

    def home(self, seat: str, name: str) -> tuple[float, float]:
        if name == "stock":
            return self.spot(seat, -260, 105)
        return super().home(seat, name) if name != "waste" else self.spot(seat, 265, 0)


class OtherEnd(StockInHand):
    """And the waste grows beyond the Nerts pile."""

    def home(self, seat: str, name: str) -> tuple[float, float]:
        return super().home(seat, name) if name != "waste" else self.spot(seat, -350, 0)


@pytest.mark.parametrize("kind", [Table, StockInHand, OtherEnd])
@pytest.mark.parametrize("seed", [1, 2])
def test_draws_are_seen_wherever_the_waste_grows(kind: type[Table], seed: int) -> None:
    table = kind(seed, 25.0)
    umpire = umpired(table, Eye(seed, wrong=0.0, missed=0.0))
    told = [event for event, _ in umpire.events()]
    drawn = [str(line["seat"]) for line in table.record if line["event"] == "draw"]
    assert sorted(event.seat for event in told if event.event.kind == "draw") == sorted(drawn)
    assert umpire.dealt is not None
    for area in umpire.dealt.area.seats:
        seen, true = area.table(*area.spots[Place(WASTE, 0, area.seat)]), table.home(area.seat, "waste")
        middle = (450.0, 400.0)
        assert abs(seen[0] + middle[0] - true[0]) < 60 and abs(seen[1] + middle[1] - true[1]) < 60


def test_what_lay_there_before_the_first_card_moved_is_no_waste() -> None:
    """A joker that was put aside, a note of the score."""
    table = StockInHand(1, 0.0)
    deal = [change for change in table.changes if change.at == 0.0]
    aside = Change(0.0, ("", "aside"), [("KD", *table.spot("south", 265, 0))])
    layouts = [layout_of(Eye(0, wrong=0.0, missed=0.0), [*deal, aside]) for _ in range(3)]
    area = find_deal(layouts).area
    south = next(one for one in area.seats if one.seat == "south")
    across, near = south.spots[Place("work", 4, "south")]
    beside = south.table(across + 170, near)
    assert area.found_waste(beside, 0.0) is None
    area.strays = ()
    assert area.found_waste(beside, 90.0) is None, "it lies across the row"
    assert area.found_waste(beside, 4.0) == Place(WASTE, 0, "south")
    area.unsettled.clear()
    assert area.found_waste(beside, 4.0) is None, "a card has been seen where the waste lies"


@pytest.mark.parametrize("kind", [StockInHand, OtherEnd])
def test_live_looks_where_a_waste_may_turn_out_to_lie(kind: type[Table], tmp_path: Path) -> None:
    evening = Evening([kind(43, 30.0)])
    session = Session(evening, Keeper.open(tmp_path, "pretended"), Rules(), fps=FPS)
    for frame in evening:
        session.push(frame)
    session.end()
    (path,) = tmp_path.glob("session-*/hand-1.jsonl")
    record: list[dict[str, Any]] = [json.loads(line) for line in path.read_text().splitlines()]
    figures = score_replay(record, truth(evening.parts[0].table, evening.parts[0].start))
    assert figures.plays.share >= 0.95 and figures.draws.share >= 0.75, figures
    assert figures.false_illegal == 0
