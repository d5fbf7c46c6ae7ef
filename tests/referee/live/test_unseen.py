"""What a gap in the picture may hide, and for how long."""

from __future__ import annotations

from typing import Any

import pytest
from test_scribe import BEGUN, DEAL, HEADER
from written import written

from referee.live.scribe import event_line, gap_line, with_call
from referee.live.unseen import Unseen, landed
from referee.record.book import HIDDEN, WITNESSED
from referee.rules.events import Draw, Play, Turn
from referee.rules.places import FOUNDATION, NERTS, WASTE, WORK, Place
from referee.umpire.story import Believed
from vision.capture.gaps import Gap

GAP = Gap(4.0, 6.0, "frozen", 2.0)
PILE, HEAP, COLUMN = Place(NERTS, 0, "north"), Place(WASTE, 0, "north"), Place(WORK, 2, "north")
CENTRE, NEW = Place(FOUNDATION, 1), Place(FOUNDATION, 2)
KNOWN = [PILE, HEAP, COLUMN, CENTRE]


def play(
    at: float, frame: int, source: Place = PILE, target: Place = COLUMN, card: str = "7H", **marks: Any
) -> Believed:
    written = {"source": source.written_by("north"), "target": target.written_by("north")}
    event = Play(at=at, seat="north", frames=(frame, frame), cards=(card,), **written)
    return Believed(event, source, target, **marks)


def turn(at: float, frame: int) -> Believed:
    event = Turn(at=at, seat="north", frames=(frame, frame), place="nerts", card="7H")
    return Believed(event, None, PILE)


DRAWN = Believed(Draw(at=30.0, seat="north", frames=(900, 900), cards=("??",)))


@pytest.fixture
def unseen() -> Unseen:
    """Behind the gap (frames 120 to 180) two places look otherwise; one is seen again in frame 200."""
    unseen = Unseen()
    unseen.add(GAP, [PILE, HEAP], KNOWN)
    unseen.seen([COLUMN, PILE], 200)
    return unseen


@pytest.mark.parametrize(
    ("event", "hidden"),
    [
        (play(3.9, 118), False),
        (play(4.0, 120), False),
        (play(5.0, 181), True),
        (play(6.0, 181), True),
        (play(6.3, 190), True),
        (play(7.0, 195), True),  # from a place not seen since
        (play(7.0, 200), True),  # by the look that first shows it
        (play(7.5, 215), False),
        (play(7.5, 215, target=CENTRE, card="2C"), False),
        (
            play(7.5, 215, target=NEW, card="2C"),
            True,
        ),  # where a hand lay since the gap, and nobody looked before it
        (play(9.5, 275, target=NEW, card="2C"), False),
        (play(30.0, 900, HEAP), True),  # not seen again at all
        (play(30.0, 900, COLUMN, CENTRE), False),  # these looked as before
        (DRAWN, True),
        (turn(7.0, 200), True),
        (turn(9.0, 260), False),
    ],
)
def test_a_gap_hides_what_happened_in_it_and_at_what_was_not_seen_since(
    unseen: Unseen, event: Believed, hidden: bool
) -> None:
    assert (unseen.hides(event) == GAP) is hidden


@pytest.mark.parametrize(("until", "hides"), [(4.2, False), (4.5, True)])
def test_a_camera_that_stands_again_at_once_hid_nothing(until: float, *, hides: bool) -> None:
    unseen = Unseen()
    unseen.add(Gap(4.0, until, "moved", until - 4.0), [PILE], KNOWN)
    assert bool(unseen.hides(play(4.1, 123))) is hides


def test_the_last_gap_counts() -> None:
    unseen, later = Unseen(), Gap(8.0, 9.0, "unreadable", 1.0)
    unseen.add(GAP, [HEAP], KNOWN)
    unseen.add(later, [HEAP], KNOWN)
    assert unseen.hides(play(9.0, 300, HEAP)) == later
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
    event: Believed, gap: Gap, expected: tuple[float, float]
) -> None:
    assert landed(event, gap) == expected


def test_a_misfit_that_a_gap_hides_is_held_against_nobody() -> None:
    event = play(6.0, 181, COLUMN, CENTRE, "9H", misfit=True, under="AS")
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
        event_line(play(6.0, 181, Place(WORK, work, "north"), CENTRE, card), 1.0, GAP)
        for card, work in (("2S", 2), ("3S", 3))
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
