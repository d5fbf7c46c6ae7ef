"""Whole make-believe hands through the umpire: how many plays come out right, and nobody is falsely accused."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any

import pytest
from umpire_table import Eye, Table, umpired
from written import written

from referee.live import scribe
from referee.live.terms import Terms
from referee.umpire.beam import Beam
from referee.umpire.explain import HOPELESS, explain
from referee.umpire.odds import Odds
from referee.umpire.sights import View
from referee.umpire.story import States, Story
from referee.umpire.umpire import Umpire
from scripts.measure.replays import ReplayFigures, score_replay

SEEDS = (0, 1)
SECONDS = 30.0


def record_of(umpire: Umpire) -> list[dict[str, Any]]:
    assert umpire.dealt is not None
    header = scribe.header_line(umpire.dealt, Terms(decks={"north": "blue", "south": "red"}), 30.0)
    events = [scribe.event_line(event, sure) for event, sure in umpire.events()]
    return written([header, *scribe.deal_lines(umpire.dealt), *events])


def refereed(table: Table, eye: Eye) -> tuple[list[dict[str, Any]], ReplayFigures]:
    record = record_of(umpired(table, eye))
    return record, score_replay(record, table.record)


def accused(record: list[dict[str, Any]]) -> list[dict[str, Any]]:
    rulings = [line for line in record if line.get("event") == "ruling" and line["verdict"] == "illegal"]
    return [record[max(ruling["of"])] for ruling in rulings]


def test_a_sharp_eye_leaves_nothing_to_guess() -> None:
    for seed in SEEDS:
        record, figures = refereed(Table(seed, SECONDS), Eye(seed, wrong=0.0, missed=0.0))
        assert figures.plays.share >= 0.98, figures
        assert figures.draws.share >= 0.98, figures
        assert accused(record) == []


@pytest.mark.parametrize(
    ("pace", "wrong", "missed", "least"),
    [(1.0, 0.02, 0.02, 0.93), (0.7, 0.02, 0.02, 0.9), (1.0, 0.05, 0.05, 0.85)],
)
def test_an_eye_that_errs_costs_few_plays_and_accuses_nobody(
    pace: float, wrong: float, missed: float, least: float
) -> None:
    right = true = 0
    for seed in SEEDS:
        record, figures = refereed(Table(seed, SECONDS, pace), Eye(seed, wrong, missed))
        right += figures.plays.right - figures.plays.invented
        true += figures.plays.true
        assert accused(record) == []
    assert right / true >= least


def test_blunders_are_kept_in_the_record_and_most_are_flagged() -> None:
    found = planted = 0
    for seed in SEEDS:
        table = Table(seed, SECONDS, errors=0.1)
        record, figures = refereed(table, Eye(seed))
        assert figures.plays.share >= 0.9, figures
        guilty = [(play["seat"], play["cards"], play["to"]) for play in table.broken]
        flagged = [(play["seat"], play["cards"], play["to"]) for play in accused(record)]
        assert set(map(str, flagged)) <= set(map(str, guilty))
        found, planted = found + len(flagged), planted + len(guilty)
    assert planted >= 8
    assert found >= 0.5 * planted


class Exhaustive(Beam):
    """Holds what it keeps against all that can be told of a view."""

    told_of_all = told = 0

    def push(self, view: View) -> None:
        self.wait(view.at)
        states, every = States(), dict[object, float]()
        for story in self.stories:
            held = set(map(id, story.lifted))
            for new in explain(story, view, self.odds):
                late = [lift for lift in new.lifted if id(lift) not in held]
                weight = new.weight + sum(self.odds.waiting(self.now - lift.at) for lift in late)
                state = states.of(new)
                every[state] = max(weight, every.get(state, -inf))
                Exhaustive.told_of_all += 1
        best = sorted(every.values(), reverse=True)[: self.width]
        Beam.push(self, view)
        kept = [story.weight for story in self.stories]
        assert kept == pytest.approx([weight - best[0] for weight in best if weight >= best[0] + HOPELESS])


def test_no_story_that_would_be_kept_is_left_untold(monkeypatch: pytest.MonkeyPatch) -> None:
    def counted(story: Story, view: View, odds: Odds) -> Iterator[Story]:
        for new in explain(story, view, odds):
            Exhaustive.told += 1
            yield new

    monkeypatch.setattr("referee.umpire.umpire.Beam", Exhaustive)
    monkeypatch.setattr("referee.umpire.beam.explain", counted)
    for seed, pace in zip(SEEDS, (1.0, 0.7), strict=True):
        umpired(Table(seed, SECONDS, pace, errors=0.05), Eye(seed))
    # most of what can be told is too unlikely to be kept: telling it would cost most of the time
    assert Exhaustive.told < 0.6 * Exhaustive.told_of_all
