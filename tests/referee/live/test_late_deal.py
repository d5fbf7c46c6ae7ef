"""A deal that can only be read late: what was played before is told all the same, if frames can be gone through again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from filmed_table import HEIGHT, WIDTH, FilmedTable
from umpire_table import Table

from referee.live.hands import Hands
from referee.live.terms import Terms
from referee.umpire.odds import Odds
from referee.umpire.umpire import Umpire
from scripts.measure.replays import adjudicated, score_replay
from vision.capture.video import Frame
from vision.layout import Floats, Layout

SECONDS, READ_S = 9.0, 3.6
Line = dict[str, Any]


@dataclass
class LateTable(FilmedTable):
    """Its eye does not make out anybody's stock for a while, the first time that it sees a frame."""

    latest: float = -1.0

    def look(self, frame: Frame, box: tuple[int, int, int, int] | None, to_table: Floats | None) -> Layout:
        layout = super().look(frame, box, to_table)
        first = frame.time_s >= self.latest
        self.latest = max(self.latest, frame.time_s)
        if first and frame.time_s < READ_S:
            layout.cards = [card for card in layout.cards if card.side == "face"]
        return layout


@pytest.mark.parametrize("again", [True, False])
def test_what_was_played_before_the_deal_was_read_is_told(again: bool) -> None:
    table = Table(8, SECONDS, pace=0.7)
    film = LateTable(table, SECONDS)
    hands = Hands(film, lambda: Umpire(Odds()), (WIDTH, HEIGHT), film.fps, Terms(), twice=True)

    def frames_from(since: float) -> Iterator[Frame]:
        return (frame for frame in film.frames() if frame.time_s >= since)

    if again:
        hands.frames_from = frames_from
    lines = [line for frame in film.frames() for line in hands.push(frame)]
    assert max(at for at, box in film.looks if box is None) >= READ_S
    lines += hands.end(None)
    assert [line.get("event", "header") for line in lines[:3]] == ["header", "deal", "deal"] or not again
    told = [line for line in adjudicated(lines) if line.get("at", 0) < SECONDS - 0.5]
    figures = score_replay(told, [line for line in table.record if line["at"] < SECONDS - 0.5])
    early = [line for line in table.record if line["event"] == "play" and line["at"] < READ_S]
    assert early
    assert (figures.plays.right == figures.plays.true) == again, figures
    assert figures.false_illegal == 0
