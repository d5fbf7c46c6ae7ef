"""A recording of several hands: one record after the other, as if each had been recorded by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from evening import FPS, SIZE, Evening, truth
from umpire_table import Table

from referee.live.replay import replay
from referee.live.session.suspicions import Suspicions
from scripts.measure.replays import adjudicated, score_replay
from vision.capture.video import Frame

Line = dict[str, Any]


class Film:
    """The evening as a recording; `since`, `until`: a part of it (s)."""

    def __init__(
        self,
        evening: Evening,
        since: float = 0.0,
        until: float = float("inf"),
        seen: list[float] | None = None,
    ) -> None:
        """`seen`: takes the moments of the frames as they are asked for."""
        self.evening, self.since, self.until, self.seen = evening, since, until, seen
        self.width, self.height = SIZE
        self.fps, self.duration_s, self.unreadable_end = float(FPS), evening.seconds - since, None

    def __enter__(self) -> Film:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to close."""

    def __iter__(self) -> Iterator[Frame]:
        for frame in self.evening:
            if self.since <= frame.time_s < self.until:
                if self.seen is not None:
                    self.seen.append(frame.time_s)
                yield frame


def hands_of(lines: Sequence[Line]) -> list[list[Line]]:
    """The records, each from its header on."""
    begins = [number for number, line in enumerate(lines) if "record" in line]
    return [list(lines[a:b]) for a, b in zip(begins, [*begins[1:], len(lines)], strict=True)]


def told(film: Film, **more: Any) -> list[list[Line]]:
    return hands_of(list(replay(film, eye=film.evening, **more)))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def evening() -> Evening:
    return Evening([Table(43, 20.0), Table(1, 8.0)])


@pytest.fixture(scope="module")
def hands(evening: Evening) -> list[list[Line]]:
    return told(Film(evening))


def test_each_hand_has_its_record(evening: Evening, hands: list[list[Line]]) -> None:
    assert len(hands) == 2
    for record, part in zip(hands, evening.parts, strict=True):
        assert [line.get("event") for line in record[:3]] == [None, "deal", "deal"]
        assert record[-1]["event"] == "score" and record[-1]["final"]
        true = truth(part.table, part.start)
        figures = score_replay(adjudicated(record), true)
        assert figures.plays.true >= 4
        assert figures.plays.right == figures.plays.true, figures.faults
        assert figures.plays.invented == 0, figures.faults
        assert not [line for line in record if line.get("verdict") == "illegal"]


def test_a_hand_of_which_the_cards_are_gathered_up_with_some_left_was_stopped(
    hands: list[list[Line]],
) -> None:
    for record in hands:
        assert [line["why"] for line in adjudicated(record) if line.get("event") == "end"] == ["stopped"]


def test_what_may_be_gathering_is_told_when_it_is_known_not_to_be(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Piles are laid on one another first, which looks like plays: they would be told and taken back."""
    since = evening.parts[0].start + 6.0
    until = since + 6.0
    monkeypatch.setattr(Suspicions, "perhaps_since", lambda _: since)
    seen: list[float] = []
    film = Film(evening, until=until, seen=seen)
    lines = [(seen[-1], line) for line in replay(film, eye=evening)]  # type: ignore[arg-type]
    late = [(at, line) for at, line in lines if line.get("event") == "play" and line["at"] > since]
    assert len(late) >= 2 and all(at > until - 0.2 for at, _ in late)


def test_each_begins_with_the_totals_of_the_match_before_it(evening: Evening) -> None:
    asked: list[list[str]] = []

    def totals(seats: Sequence[str]) -> Mapping[str, float]:
        asked.append(sorted(seats))
        return {"north": 5.0 * len(asked), "south": -3.0} if len(asked) > 1 else {}

    first, second = told(Film(evening), totals=totals)
    assert asked == [["north", "south"]] * 2
    assert not first[0].get("match")
    assert second[0]["match"] == {"north": 10.0, "south": -3.0}
    assert second[-1]["match"]["south"] == -3.0 + second[-1]["hand"]["south"]["points"]


def test_a_call_belongs_to_the_hand_of_its_moment(evening: Evening) -> None:
    at = evening.parts[1].start + 7.0
    first, second = told(Film(evening), call=("north", at))
    assert not [line for line in first if line.get("event") == "call"]
    (call,) = [line for line in second if line.get("event") == "call"]
    assert call["seat"] == "north" and call["at"] == pytest.approx(at, abs=0.1)


def test_a_recording_may_begin_in_the_middle_of_the_first_hand(evening: Evening) -> None:
    first, second = told(Film(evening, since=evening.parts[0].start + 12.0))
    assert [line.get("event") for line in first[1:4]] == ["begun"] * 3
    assert [line.get("event") for line in second[1:3]] == ["deal"] * 2


def test_one_that_ends_between_hands_has_no_record_of_the_next(evening: Evening) -> None:
    assert len(told(Film(evening, until=evening.parts[0].empty + 1.0))) == 1
