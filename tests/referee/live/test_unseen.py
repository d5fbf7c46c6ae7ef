"""What a gap in the picture may hide, and for how long."""

from __future__ import annotations

import pytest
from test_scribe import BEGUN, DEAL, HEADER
from written import written

from referee.live.scribe import event_line, gap_line, with_call
from referee.live.unseen import Unseen, landed
from referee.record.book import HIDDEN, WITNESSED
from referee.umpire.sights import Place
from referee.umpire.story import Event
from vision.capture.gaps import Gap

GAP = Gap(4.0, 6.0, "frozen", 2.0)
NERTS, WASTE, WORK = Place("north", "nerts"), Place("north", "waste"), Place("north", "work 2")
FOUNDATION = Place("", "foundation 1")


def play(at: float, frame: int, source: Place = NERTS, target: Place = WORK) -> Event:
    return Event("play", at, "north", frame, ("7H",), source, target)


@pytest.fixture
def unseen() -> Unseen:
    """Behind the gap (frames 120 to 180) two places look otherwise; one is seen again in frame 200."""
    unseen = Unseen()
    unseen.add(GAP, [NERTS, WASTE])
    unseen.seen([WORK, NERTS], 200)
    return unseen


@pytest.mark.parametrize(
    ("event", "hidden"),
    [
        (play(3.9, 118), False),
        (play(5.0, 181), True),
        (play(6.0, 181), True),
        (play(6.3, 190), True),
        (play(7.0, 195), True),  # from a place not seen since
        (play(7.0, 200), True),  # by the look that first shows it
        (play(7.5, 215), False),
        (play(30.0, 900, WASTE), True),  # not seen again at all
        (play(30.0, 900, WORK, FOUNDATION), False),  # these looked as before
        (Event("draw", 30.0, "north", 900, ("??",)), True),
        (Event("turn", 7.0, "north", 200, ("7H",), None, NERTS), True),
        (Event("turn", 9.0, "north", 260, ("7H",), None, NERTS), False),
    ],
)
def test_a_gap_hides_what_happened_in_it_and_at_what_was_not_seen_since(
    unseen: Unseen, event: Event, hidden: bool
) -> None:
    assert (unseen.hides(event) == GAP) is hidden


def test_the_last_gap_counts() -> None:
    unseen, later = Unseen(), Gap(8.0, 9.0, "unreadable", 1.0)
    unseen.add(GAP, [WASTE])
    unseen.add(later, [WASTE])
    assert unseen.hides(play(9.0, 300, WASTE)) == later
    assert unseen.gaps == [GAP, later]


@pytest.mark.parametrize(
    ("event", "gap", "expected"),
    [
        (play(6.0, 181), GAP, (4.0, 6.0)),
        (play(5.0, 181), GAP, (4.0, 6.0)),
        (play(7.0, 200), GAP, (4.0, 7.0)),
        (play(5.0, 10), Gap(0.0, 30.0, "few-frames", 0.5), (4.5, 5.0)),
        (play(0.2, 1), Gap(0.0, 30.0, "few-frames", 0.5), (0.0, 0.2)),
    ],
)
def test_a_card_may_have_landed_whenever_nobody_looked(
    event: Event, gap: Gap, expected: tuple[float, float]
) -> None:
    assert landed(event, gap) == expected


def test_a_misfit_that_a_gap_hides_is_held_against_nobody() -> None:
    event = Event(
        "play", 6.0, "north", 181, ("9H",), Place("north", "work 2"), FOUNDATION, misfit=True, under="AS"
    )
    plain, hidden = event_line(event, 1.0), event_line(event, 1.0, GAP)
    assert WITNESSED in plain
    assert hidden["landed"] == [4.0, 6.0]
    begun = {**BEGUN, "at": 2.0}
    seen, unsure = (written([HEADER, DEAL, begun, line]) for line in (plain, hidden))
    assert "illegal" in [line.get("verdict") for line in seen]
    assert [line["verdict"] for line in unsure if line.get("event") == "ruling"] == ["undecided"]
    (doubt,) = [line for line in unsure if line.get("event") == "doubt"]
    assert unsure[doubt["of"]]["cards"] == ["9H"]
    assert not any(HIDDEN in line or WITNESSED in line for line in unsure)


def test_one_question_a_gap() -> None:
    events = [
        event_line(Event("play", 6.0, "north", 181, (card,), Place("north", work), FOUNDATION), 1.0, GAP)
        for card, work in (("2S", "work 2"), ("3S", "work 3"))
    ]
    lines = written([HEADER, DEAL, {**BEGUN, "at": 2.0}, *events])
    (doubt,) = [line for line in lines if line.get("event") == "doubt"]
    assert lines[doubt["of"]]["cards"] == ["2S"]
    assert doubt["asks"] == "The picture was frozen from 4.0 to 6.0 s: what was played meanwhile?"


def test_a_gap_is_written_as_the_record_has_it() -> None:
    assert gap_line(GAP) == {"event": "gap", "at": 4.0, "from": 4.0, "to": 6.0, "why": "frozen"}


def test_a_right_call_ends_the_hand_and_a_false_one_does_not() -> None:
    plays = [{**BEGUN, "at": at} for at in (1.0, 2.4, 5.0)]
    right = with_call(plays, "north", 2.0, 1.0, right=True)
    assert [line["event"] for line in right] == ["play", "play", "call", "play", "end"]
    false = with_call(plays, "north", 2.0, 1.0, right=False)
    assert [(line["event"], line["at"]) for line in false] == [
        ("play", 1.0),
        ("call", 2.0),
        ("play", 2.4),
        ("play", 5.0),
    ]
    assert WITNESSED in false[1]
