"""Cards of one seat that are in the air at once, as the record tells them and the rules see them (N4), and late plays."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from referee.live import scribe
from referee.live.moments import Moments
from referee.live.reaching.reaches import Reach
from referee.record.book import TIMED, Book
from referee.rules.events import Play
from referee.rules.places import FOUNDATION, WORK, Place
from referee.umpire.sights import Interval
from referee.umpire.story import Believed
from vision.capture.change import PASSES_EVERY, ChangeMap

HEADER = {
    "record": 1,
    "game": "nerts",
    "settings": {},
    "seats": [{"seat": "west", "deck": "a"}, {"seat": "east", "deck": "b"}],
    "source": {"kind": "video", "fps": 30.0},
}


def deal(seat: str, *work: str) -> dict[str, Any]:
    piles = {f"work {n}": [card] for n, card in enumerate(work, 1)}
    return {
        "event": "deal",
        "at": 0.0,
        "seat": seat,
        "piles": {"nerts": [*["??"] * 12, "KD"], **piles, "stock": 35},
    }


def play(
    card: str, source: Place, target: Place, lifted: Interval | None, landed: Interval | None, at: float = 0.0
) -> Believed:
    event = Play(
        at=at if landed is None else sum(landed) / 2,
        seat="west",
        frames=(1, 1),
        cards=(card,),
        source=source.written_by("west"),
        target=target.written_by("west"),
        lifted=lifted,
        landed=landed,
    )
    return Believed(event, source, target)


def work(number: int) -> Place:
    return Place(WORK, number, "west")


#: Whoever lays a card with an arm from so far aside (mm), or with none, does it at the picture's edge.
FAR_MM = 300.0
FIRST = play("8C", work(1), work(3), (5.0, 5.1), (5.6, 5.7))
SECOND = play("6D", work(2), work(4), (5.3, 5.4), (5.8, 5.9))


def dressed(
    asides: dict[str, float | None],
    *events: Believed,
    east: float = 0.0,
    partners: bool = False,
    in_view: bool = True,
    arms: tuple[float, ...] = (),
    beside: bool = False,
    apart_until: float = inf,
) -> list[Believed]:
    """The plays with their hands, by how far to the right of its player (mm) each card's arm came from (None: none came).
    `east`: what is hidden of the whole of another seat's best way to either end of a play; `in_view`: whether the ways
    to far ends are seen, too; `arms`: where (mm along the row) arms cross the lines behind it all the while; `beside`:
    whether the other seat is at the same side of the table; `apart_until`: when (s) arms begin to cross as one.
    """
    change = ChangeMap(640, 360)
    passing = np.zeros((90, 120), dtype=bool)
    for middle in arms:
        passing[:, round(60 + (middle - 45) / 10) : round(60 + (middle + 45) / 10)] = True
    monkey: Any = change
    monkey.passing = lambda moment: passing if moment < apart_until else np.zeros_like(passing)
    to_px = np.array([[1.0, 0.0, 600.0], [0.0, 1.0, 0.0], [0.0, 0.0, 10.0 * change.scale / PASSES_EVERY]])
    area = SimpleNamespace(
        seat="west",
        near=(0.0, 1.0),
        spots={work(1): (0.0, 0.0)},
        row=100.0,
        table=lambda across, near: (across, near),
    )
    other = SimpleNamespace(seat="east", near=(0.0, 1.0 if beside else -1.0))
    umpire: Any = SimpleNamespace(
        dealing=SimpleNamespace(partners=partners),
        owner=lambda seat: seat,
        seats=["west", "east"],
        dealt_area=SimpleNamespace(seats=[area, other], from_table=to_px),
        hands=lambda event: [
            (place, (asides.get(place.own_name, asides[event.cards[0]]), 0.0), event.at)
            for place in (event.source, event.target)
        ],
    )
    moments: Any = Moments(umpire, change)
    moments.trespass = SimpleNamespace(told=lambda event, sure, now, beside: (event, sure))
    moments.reaches = moments.two_hands.reaches = SimpleNamespace(
        # of what one's own arm hides much lies on the way to another seat as well
        change=change,
        is_in_view=lambda point, *_: in_view or abs(point[0] or FAR_MM) < FAR_MM,
        at=lambda point, *_: [
            Reach("west", point[0] or 0.0, 0.0 if point[0] is None else 1.0),
            Reach("east", 0.0, max(0.7, east)),
        ],
        least_hidden=lambda *_: {"west": 1.0, "east": east},
        whose=lambda *_: None,
        note=lambda reach: None,
        side=lambda reach: None,
    )
    shown: list[Any] = [event.event for event in events]
    moments._left = {
        event.source: [(event.cards[0], play.lifted)]
        for event, play in zip(events, shown, strict=True)
        if play.lifted is not None
    }
    return [event for event, _ in moments.dress([(event, 1.0) for event in events], 8.0)]


def rulings(*events: Believed, deals: tuple[str, ...] = ("8C", "6D", "9H", "7S")) -> list[tuple[str, str]]:
    book = Book(HEADER)
    lines = [deal("west", *deals), deal("east", "AS", "2S", "3S", "4S")]
    book.tell([*lines, *(scribe.event_line(event, 1.0) for event in events)])
    return [(line["ruling"], line["verdict"]) for line in book.lines if line.get("event") == "ruling"]


def test_two_cards_in_the_air_by_arms_far_apart_are_two_hands() -> None:
    events = dressed({"8C": 90.0, "6D": -150.0}, FIRST, SECOND)
    hands = [one.event.hand for one in events if isinstance(one.event, Play)]
    assert hands == ["right", "left"]
    assert rulings(*events) == [("two-hands", "illegal")]


@pytest.mark.parametrize(
    ("arms", "found"),
    [
        # two arms that come from nearly the same shoulder, as straight ways tell it
        ((-120.0, 80.0), [("two-hands", "illegal")]),
        # one arm, and one of which a stripe of the sleeve is as bright as the table
        ((80.0,), []),
        ((20.0, 130.0), []),
    ],
)
def test_two_arms_that_are_seen_at_once_are_two_hands(
    arms: tuple[float, ...], found: list[tuple[str, str]]
) -> None:
    assert rulings(*dressed({"8C": 90.0, "6D": 70.0}, FIRST, SECOND, arms=arms)) == found


@pytest.mark.parametrize(
    ("lifted", "apart_until", "beside", "found"),
    [
        ((5.2, 5.25), 5.24, False, [("two-hands", "illegal")]),
        ((5.2, 5.25), 5.15, False, []),
        # a neighbour's arm may be the other one
        ((5.2, 5.25), 5.24, True, []),
        # the card may have been lifted when the first had landed
        ((5.3, 5.4), 5.39, False, []),
    ],
)
def test_two_arms_that_cross_as_both_carry_a_card_lay_apart_before(
    lifted: tuple[float, float], apart_until: float, beside: bool, found: list[tuple[str, str]]
) -> None:
    second = play("6D", work(2), work(4), lifted, (5.8, 5.9))
    arms = (-120.0, 80.0)
    events = dressed(
        {"8C": 90.0, "6D": 70.0}, FIRST, second, arms=arms, beside=beside, apart_until=apart_until
    )
    assert rulings(*events) == found


@pytest.mark.parametrize(("in_view", "found"), [(False, [("two-hands", "illegal")]), (True, [])])
def test_an_end_at_the_edge_of_the_picture_tells_nothing(in_view: bool, found: list[tuple[str, str]]) -> None:
    """The end of a long column: too little of the way to it shows. Else, with no arm there, it was somebody else."""
    ends = {"8C": 90.0, "6D": -150.0, "work 4": None}
    assert rulings(*dressed(ends, FIRST, SECOND, in_view=in_view)) == found


def test_what_crosses_an_end_of_which_too_little_shows_is_no_arm() -> None:
    """A sleeve over the far ways alone, as of a column's end near the edge: it stands between those of the other card."""
    ends = {"8C": 90.0, "6D": -150.0, "work 4": 400.0}
    assert rulings(*dressed(ends, FIRST, SECOND)) == []
    assert rulings(*dressed(ends, FIRST, SECOND, in_view=False)) == [("two-hands", "illegal")]


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        # it was lifted while the other was in the air, so that it landed later still
        (FIRST, play("6D", work(2), work(4), (5.3, 5.4), None, 6.2), [("two-hands", "illegal")]),
        (FIRST, play("6D", work(2), work(4), (5.55, 5.65), None, 6.2), []),
        # the first may have landed long before it was seen to lie there
        (play("8C", work(1), work(3), (5.0, 5.1), None, 5.6), SECOND, []),
    ],
)
def test_a_card_lifted_while_another_is_in_the_air_needs_no_landing(
    first: Believed, second: Believed, found: list[tuple[str, str]]
) -> None:
    assert rulings(*dressed({"8C": 90.0, "6D": -150.0}, first, second)) == found


#: It landed so soon after the other that no one hand went back for it.
UNSEEN = play("6D", work(2), work(4), None, (5.8, 5.9))


@pytest.mark.parametrize(
    ("asides", "second", "arms", "beside", "found"),
    [
        ({"8C": 90.0, "6D": 70.0}, UNSEEN, (-120.0, 80.0), False, [("two-hands", "illegal")]),
        # from nobody knows where it was taken: an arm at its other end tells nothing
        ({"8C": 90.0, "6D": 70.0, "work 2": None}, UNSEEN, (-120.0, 80.0), False, [("two-hands", "illegal")]),
        ({"8C": 90.0, "6D": -150.0}, UNSEEN, (80.0,), False, []),
        ({"8C": 90.0, "6D": 70.0}, UNSEEN, (-120.0, 80.0), True, []),
        # late enough for one hand; or not known so well
        (
            {"8C": 90.0, "6D": 70.0},
            play("6D", work(2), work(4), None, (5.95, 6.0)),
            (-120.0, 80.0),
            False,
            [],
        ),
        ({"8C": 90.0, "6D": 70.0}, play("6D", work(2), work(4), None, (5.6, 5.9)), (-120.0, 80.0), False, []),
    ],
)
def test_two_cards_that_land_shortly_after_one_another_are_two_hands_though_nobody_saw_them_lifted(
    asides: dict[str, float | None],
    second: Believed,
    arms: tuple[float, ...],
    beside: bool,
    found: list[tuple[str, str]],
) -> None:
    assert rulings(*dressed(asides, FIRST, second, arms=arms, beside=beside)) == found


def test_nobody_used_two_hands_where_another_ones_arm_may_have_done_the_one_play() -> None:
    assert rulings(*dressed({"8C": 90.0, "6D": -150.0}, FIRST, SECOND, east=1.0)) == []


def test_nobody_used_two_hands_where_two_partners_play_with_the_same_cards() -> None:
    """Their arms come from far apart, each for itself; which of them it was is told less surely."""
    assert rulings(*dressed({"8C": 90.0, "6D": -150.0}, FIRST, SECOND, partners=True)) == []


@pytest.mark.parametrize(
    ("asides", "second"),
    [
        # one arm, so that the lifts were seen wrongly
        ({"8C": 90.0, "6D": 70.0}, SECOND),
        # one after the other
        ({"8C": 90.0, "6D": -150.0}, play("6D", work(2), work(4), (5.8, 5.9), (6.3, 6.4))),
        # it was not seen when it was lifted
        ({"8C": 90.0, "6D": -150.0}, play("6D", work(2), work(4), None, (5.8, 5.9))),
    ],
)
def test_one_hand_does_one_thing_after_the_other(asides: dict[str, float | None], second: Believed) -> None:
    assert rulings(*dressed(asides, FIRST, second)) == []


def test_moments_accuse_only_where_frames_show_them() -> None:
    """A late landing that no frame shows is in doubt; what its frames show stands."""
    ace = play("AC", work(1), Place(FOUNDATION, 1), (9.0, 9.1), (9.5, 9.6))
    last = Believed(Play(at=5.0, seat="east", cards=("AS",), source="work 1", target="foundation 2"))
    call = {"event": "call", "at": 7.0, "seat": "east", "word": "Nerts", "witnessed": True}
    seen, wide = ace, replace(ace, event=replace(ace.event, landed=(8.0, 9.6)))
    for event, verdict in ((seen, "illegal"), (wide, "undecided")):
        line = scribe.event_line(event, 1.0)
        assert (TIMED in line) == (verdict == "illegal")
        book = Book(HEADER)
        empty = {
            **deal("east", "AS", "2S", "3S", "4S"),
            "piles": {"nerts": [], "work 1": ["AS"], "stock": 35},
        }
        lines = [deal("west", "AC", "6D", "9H", "7S"), empty, scribe.event_line(last, 1.0), call, line]
        book.tell(lines)
        found = [one["verdict"] for one in book.lines if one.get("rule") == "N16"]
        assert found == [verdict]
