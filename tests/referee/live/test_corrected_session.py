"""A person corrects a hand while it is played: it stands, and play goes on from there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from evening import FPS, Evening
from umpire_table import Table

from referee.errors import BadInputError
from referee.live.session import Keeper, Rules, Session, Told
from referee.record.check import check_lines
from referee.record.said import Drop, RefusedError, Undo

Line = dict[str, Any]


def test_a_correction_stands_and_the_hand_goes_on(tmp_path: Path) -> None:
    evening = Evening([Table(1, 14.0)], still_s=3.0)
    keeper, told = Keeper.open(tmp_path, "pretended"), list[Told]()
    session = Session(evening, keeper, Rules(), fps=FPS)
    session.observe(told.append)
    with pytest.raises(BadInputError, match="no hand is being played"):
        session.correct(Drop(3), "anna")
    of = undone = 0
    for frame in evening:
        session.push(frame)
        plays = [one.index for one in told if one.line.get("event") == "play" and one.index is not None]
        if not of and len(plays) >= 3:
            of = plays[1]
            corrected = session.correct(Drop(of), "anna")
            assert told[-1].line == corrected.line or corrected.line in [one.line for one in told]
            with pytest.raises(RefusedError):
                session.correct(Drop(0), "anna")
        if of and not undone and len(plays) >= 6:
            undone = 1
            session.correct(Undo(None), "ben")
    session.end()
    record = [json.loads(line) for line in keeper.record(1).read_text().splitlines()]
    assert [one.line for one in told if one.index is not None] == record
    assert [one.index for one in told if one.index is not None] == list(range(len(record)))
    mine = [line for line in record if line.get("by") in ("anna", "ben")]
    assert [line["by"] for line in mine] == ["anna", "ben"]
    result = check_lines(json.dumps(line) + "\n" for line in record)
    assert result.status == 0
    assert result.record is not None
    standing = [one.event.to_json() for one in result.record.events if one.event.kind == "play"]
    # undone in the end: it stands again, and what was played later is told once
    true = [
        (line["seat"], line["cards"]) for line in evening.parts[0].table.record if line["event"] == "play"
    ]
    seen = [(line["seat"], list(line["cards"])) for line in standing]
    assert undone
    assert len(seen) == len({str(play) for play in seen})
    assert sum(play in true for play in seen) >= 0.8 * len(true)
