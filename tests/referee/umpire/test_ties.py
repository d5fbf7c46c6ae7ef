"""The same card by two seats on one foundation: what is told, whose card lay on top, and what decides it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from test_explain import CENTRE, SOUTH, brief, face, table

from referee.live import scribe
from referee.record.book import Book
from referee.rules.events import Play, TakeBack
from referee.rules.header import Header
from referee.umpire.beam import Beam
from referee.umpire.odds import Odds
from referee.umpire.sights import Came, Interval, Sight, View
from referee.umpire.story import Believed

NORTH_WORK = SOUTH["work 1"]._replace(seat="north")
#: Where the card on top lay, and where the other one shows when it is gone.
TOP, UNDER = face("2H", 3.0, 2.0), face("2H", 0.0, 0.0)


def view(
    at: float,
    place: object,
    sights: list[Sight],
    landed: Interval | None = None,
    shows: Interval | None = None,
) -> View:
    found = View(place, at, round(at * 30), at - 0.1, sights)
    return replace(found, landed=landed, uncovered=shows)


def raced(shows: Interval | None = (9.80, 9.87)) -> Beam:
    """South's 2H and north's have left their work piles; one 2H lies on the foundation since 10.03 s."""
    story = table(work_1="2H", north__work_1="2H", foundation_1="AH")
    beam = Beam(story, Odds())
    beam.push(view(10.3, CENTRE, [TOP], landed=(10.00, 10.07)))
    beam.push(view(10.4, SOUTH["work 1"], []))
    beam.push(view(10.5, NORTH_WORK, []))
    return beam


def plays(events: list[Believed]) -> dict[str, Play]:
    return {e.seat: e.event for e in events if isinstance(e.event, Play)}


@pytest.mark.parametrize("loser", ["south", "north"])
def test_the_card_that_comes_off_shows_which_one_was_first(loser: str) -> None:
    beam = raced()
    beam.push(view(11.6, CENTRE, [UNDER], shows=(9.80, 9.87)))
    beam.push(view(12.0, NORTH_WORK if loser == "north" else SOUTH["work 1"], [face("2H")]))
    events = beam.best.events()
    winner = "north" if loser == "south" else "south"
    found = plays(events)
    assert found[winner].landed == (9.80, 9.87)
    assert found[loser].landed == (10.00, 10.07)
    assert [e.seat for e in events] == [winner, loser, loser]
    assert isinstance(events[-1].event, TakeBack)
    assert [e.over for e in events] == ["", winner, ""]
    assert not any(e.misfit for e in events)


def test_a_card_pushed_under_is_no_evidence_of_layering() -> None:
    # the card underneath was seen to come to rest when the other one had lain for long, or was not seen to
    for shows in ((10.60, 10.67), (9.0, 10.3)):
        again = raced()
        again.push(view(11.6, CENTRE, [UNDER], shows=shows))
        again.push(view(12.0, NORTH_WORK, [face("2H")]))
        assert [e.over for e in again.best.events() if isinstance(e.event, Play)] == ["", ""]


def test_a_card_put_back_before_it_was_laid_is_no_tie() -> None:
    beam = raced()
    beam.push(view(11.6, CENTRE, [TOP]))
    beam.push(view(12.0, NORTH_WORK, [face("2H")]))
    assert brief(beam.best.events()) == ["play 2H work 1 → foundation 1"]


def test_a_card_that_stays_in_the_air_lies_with_the_other_one() -> None:
    beam = raced()
    # both are seen to be gone for good
    for at in (12.0, 13.0):
        beam.push(view(at, NORTH_WORK, []))
        beam.push(view(at, SOUTH["work 1"], []))
    beam.push(view(17.0, CENTRE, [TOP]))
    events = beam.best.events()
    found = plays(events)
    assert set(found) == {"south", "north"}
    assert not beam.best.lifted
    # neither landing was told from the other's: nobody is first
    assert found["south"].landed == found["north"].landed
    assert found["south"].landed is not None and found["south"].landed[1] - found["south"].landed[0] > 0.3


def test_a_card_that_lay_still_all_the_while_was_not_taken_back() -> None:
    """North's 2H lies where it lay; an arm over the foundation makes its card seem to lie elsewhere."""
    story = table(work_1="2H", north__work_1="2H", foundation_1="AH")
    beam = Beam(story, Odds())
    beam.push(view(10.3, CENTRE, [TOP], landed=(10.00, 10.07)))
    beam.push(view(10.5, SOUTH["work 1"], []))
    beam.push(view(11.6, CENTRE, [UNDER], shows=(6.6, 11.0)))
    beam.push(replace(view(12.0, NORTH_WORK, [face("2H")]), rested=9.7))
    assert [(e.seat, e.event.kind) for e in beam.best.events()] == [("south", "play")]


def test_a_card_that_is_not_known_to_have_landed_sooner_is_told_with_the_other_one() -> None:
    beam = raced()
    beam.push(view(11.6, CENTRE, [UNDER], shows=(6.6, 10.3)))
    beam.push(view(12.0, NORTH_WORK, [face("2H")]))
    at = {seat: play.at for seat, play in plays(beam.best.events()).items()}
    assert at["south"] == pytest.approx(at["north"], abs=0.2)


def came(*seats: tuple[str, Interval]) -> tuple[Came, ...]:
    """Cards that were seen to come from these seats' sides."""
    sides = {"south": {"south": 0.95, "north": -0.6}, "north": {"south": -0.7, "north": 0.9}}
    return tuple(Came(landed, sides[seat], on_top=n > 0) for n, (seat, landed) in enumerate(seats))


FIRST, SECOND = (9.80, 9.87), (10.00, 10.07)


@pytest.mark.parametrize("winner", ["south", "north"])
def test_of_cards_that_both_stay_the_one_that_was_seen_to_come_first_lies_underneath(winner: str) -> None:
    loser = "north" if winner == "south" else "south"
    beam = raced()
    beam.push(replace(view(11.0, CENTRE, [TOP]), came=came((winner, FIRST), (loser, SECOND))))
    events = beam.best.events()
    assert [(e.seat, e.over) for e in events] == [(winner, ""), (loser, winner)]
    found = plays(events)
    assert (found[winner].landed, found[loser].landed) == (FIRST, SECOND)
    assert [card.deck for card in beam.best.pile(CENTRE)[-2:]] == [winner, loser]
    # whoever was too late takes back after all
    beam.push(view(11.6, CENTRE, [UNDER], shows=FIRST))
    beam.push(view(12.0, NORTH_WORK if loser == "north" else SOUTH["work 1"], [face("2H")]))
    assert [(e.seat, e.event.kind, e.over) for e in beam.best.events()] == [
        (winner, "play", ""),
        (loser, "play", winner),
        (loser, "take-back", ""),
    ]


@pytest.mark.parametrize(
    "seen",
    [
        came(("south", FIRST), ("south", SECOND)),
        came(("south", SECOND), ("north", FIRST)),
        came(("south", FIRST)),
        (Came(FIRST, {"south": 0.95, "north": 0.8}), Came(SECOND, {"south": 0.85, "north": 0.9})),
        (Came(FIRST, {"south": 1.0, "north": 0.97}), Came(SECOND, {"south": 0.8, "north": 1.0})),
    ],
)
def test_nobody_is_first_where_it_was_not_seen_whose_card_came_when(seen: tuple[Came, ...]) -> None:
    beam = raced()
    for at in (12.0, 13.0):
        beam.push(view(at, NORTH_WORK, []))
        beam.push(view(at, SOUTH["work 1"], []))
    beam.push(replace(view(17.0, CENTRE, [TOP]), came=seen))
    events = beam.best.events()
    assert {e.seat for e in events} == {"south", "north"}
    assert [e.over for e in events] == ["", ""]
    assert len({e.event.landed for e in events if isinstance(e.event, Play)}) == 1


def test_arms_from_one_side_are_told_apart_where_each_came_straight_from_its_own_cards() -> None:
    beam = raced()
    seen = Came(FIRST, {"south": 1.0, "north": 0.81}), Came(SECOND, {"south": 0.94, "north": 1.0})
    beam.push(replace(view(11.0, CENTRE, [TOP]), came=seen))
    found = plays(beam.best.events())
    assert (found["south"].landed, found["north"].landed) == (FIRST, SECOND)


def test_a_foundation_that_was_pushed_is_no_tie() -> None:
    story = table(foundation_1="AH 2H")
    beam = Beam(story, Odds())
    beam.push(view(11.6, CENTRE, [face("2H", 9.0, -7.0)]))
    assert beam.best.events() == []


def ruled(events: list[Believed], *, ends: bool = True) -> list[dict[str, object]]:
    """What the rules say of these events, told by the book line for line; `ends`: and nothing comes after them."""
    header = Header.of("nerts", {"south": "a", "north": "b"}, {}, kind="camera", fps=30.0).to_json()
    book = Book(header)
    rest = {"nerts": ["??"] * 13, "work 3": ["??"], "work 4": ["??"], "stock": 35}
    works = {"south": ("2H", "AH"), "north": ("2H", "9S")}
    dealt = [
        {"event": "deal", "at": 0.0, "seat": seat, "piles": {**rest, "work 1": [one], "work 2": [two]}}
        for seat, (one, two) in works.items()
    ]
    ace = Play(at=5.0, seat="south", cards=("AH",), source="work 2", target="foundation 1").to_json()
    over = [{"event": "end", "at": 20.0, "why": "finished"}] if ends else []
    believed = [*dealt, ace, *(scribe.event_line(event, 1.0) for event in events), *over]
    book.tell(believed)
    # the second telling knows the line of the card underneath, a third one has nothing to add
    book.tell(believed)
    count = len(book.lines)
    assert book.tell(believed) == []
    assert len(book.lines) == count
    return [json.loads(json.dumps(line)) for line in book.lines]


def test_the_book_says_on_which_play_a_card_lies_and_the_rules_decide_by_it() -> None:
    beam = raced()
    # the landings alone are too near one another for 30 frames a second
    beam.push(view(11.6, CENTRE, [UNDER], shows=(9.99, 10.05)))
    beam.push(view(12.0, NORTH_WORK, [face("2H")]))
    lines = ruled(beam.best.events())
    first = next(n for n, line in enumerate(lines) if line.get("cards") == ["2H"] and line["seat"] == "south")
    assert any(line.get("with", {}).get("over") == first for line in lines)
    ties = [line for line in lines if line.get("ruling") == "tie"]
    assert ties[-1]["verdict"] == "first"
    assert ties[-1]["seat"] == "south"
    assert not any(line.get("verdict") == "illegal" for line in lines)


def test_a_tie_is_ruled_as_soon_as_the_card_is_taken_back() -> None:
    beam = raced()
    beam.push(view(11.6, CENTRE, [UNDER], shows=(9.80, 9.87)))
    beam.push(view(12.0, NORTH_WORK, [face("2H")]))
    events = beam.best.events()
    assert not [line for line in ruled(events[:-1], ends=False) if line.get("ruling") == "tie"]
    (tie,) = [line for line in ruled(events, ends=False) if line.get("ruling") == "tie"]
    assert (tie["verdict"], tie["seat"]) == ("first", "south")
    # no second ruling comes when the hand ends
    assert len([line for line in ruled(events) if line.get("ruling") == "tie"]) == 1
