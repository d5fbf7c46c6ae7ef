"""What the measure of ties says of told records that are right, wrong, or say nothing."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from datasets.film.movement import Card, Lying
from datasets.film.poses import Pose
from referee.rules.places import Place
from scripts.measure.staged.__main__ import as_table
from scripts.measure.staged.entered import carried_off
from scripts.measure.staged.ties import Staged, held_against

HEADER = {
    "record": 1,
    "game": "nerts",
    "settings": {},
    "seats": [{"seat": "south", "deck": "a"}, {"seat": "north", "deck": "b"}],
    "source": {"kind": "camera", "fps": 30.0},
}


def play(at: float, seat: str, **more: Any) -> dict[str, Any]:
    return {
        "event": "play",
        "at": at,
        "seat": seat,
        "cards": ["2H"],
        "from": "work 1",
        "to": "foundation 1",
        **more,
    }


TRUTH = [{"event": "deal", "at": 0.0}, play(10.0, "south"), play(10.2, "north")]


def verdict(seat: str | None) -> dict[str, Any]:
    what = {"verdict": "first", "seat": seat} if seat else {"verdict": "both-stay", "seat": None}
    return {"event": "ruling", "at": 10.2, "ruling": "tie", "rule": "N13", "of": [1, 2], "why": "", **what}


@pytest.mark.parametrize(("seat", "right"), [("south", True), ("north", False), (None, None)])
def test_a_winner_is_right_or_wrong_and_none_is_neither(seat: str | None, right: bool | None) -> None:
    plays = [play(10.0, "south", landed=[9.97, 10.03]), play(10.2, "north", landed=[10.3, 10.4], over=1)]
    found = held_against(Staged(1, 4), TRUTH, [HEADER, *plays, verdict(seat)], 5.0)
    assert (found.plays, found.right, found.layered) == (2, right, True)
    assert (found.landings, found.inside, found.widths) == (2, 1, (1.8, 3.0))
    assert not found.taken_back


def test_what_was_withdrawn_or_put_in_later_counts_as_it_stands() -> None:
    record = [
        HEADER,
        play(10.0, "north"),
        verdict("north"),
        {"event": "correct", "at": 10.4, "of": 1, "insert": [play(9.9, "south")], "by": "umpire"},
        {"event": "correct", "at": 10.4, "of": 2, "drop": True, "by": "umpire"},
        {
            "event": "take-back",
            "at": 11.0,
            "seat": "north",
            "cards": ["2H"],
            "from": "foundation 1",
            "to": "work 1",
        },
    ]
    found = held_against(Staged(1, 4), TRUTH, record, 5.0)
    assert (found.plays, found.said, found.right, found.taken_back) == (2, "", None, True)


def test_nobody_is_first_of_two_at_once() -> None:
    at_once = [TRUTH[0], play(10.0, "south"), play(10.0, "north")]
    found = held_against(Staged(1, 0), at_once, [HEADER, play(10.0, "south"), verdict("south")], 5.0)
    assert found.right is False
    assert "1; 1" in "".join(str(cell) for column in as_table([found]).columns for cell in column.cells)


@pytest.mark.parametrize(("seat", "right"), [("south", True), ("north", False)])
def test_of_two_at_once_whose_card_lies_underneath_was_first(seat: str, right: bool) -> None:
    at_once = [TRUTH[0], play(10.0, "north", over=2), play(10.0, "south")]
    found = held_against(Staged(1, 0), at_once, [HEADER, play(10.0, "south"), verdict(seat)], 5.0)
    assert found.right is right


def test_every_kind_of_tie_is_staged() -> None:
    kinds = {(Staged(1, n).fps, Staged(1, n).tie.back, Staged(1, n).tie.under) for n in range(56)}
    assert len(kinds) == 8


class Filmed:
    """Foundation 1 lies there from 1 s on, until it is carried off at 3 s."""

    piles: dict[str, list[Lying]]

    def go_to(self, now: float) -> None:
        lies = [Lying(Card("south", "AH"), Pose(30.0, -2.0, 0.0), "foundation 1", 0)]
        self.piles = {"foundation 1": lies if 1.0 <= now < 3.0 else []}


@pytest.mark.parametrize("since", [2.5, 4.0])
def test_a_clip_knows_where_a_foundation_lay_that_was_carried_off_before(since: float) -> None:
    aside = {"event": "set-aside", "at": 3.0, "seat": "south", "place": "foundation 1"}
    clip: Any = SimpleNamespace(truth=[*TRUTH[:1], play(1.0, "south"), aside], since=since)
    scene: Any = Filmed()
    gone = {place: pile[0].at for place, pile in carried_off(clip, scene)}
    assert gone == ({Place("foundation", 1): (30.0, -2.0)} if since > 3.0 else {})
