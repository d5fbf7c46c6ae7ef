"""A packet of two where three are drawn (N11): proved when both have been played and what lay beneath shows again."""

from __future__ import annotations

import pytest
from test_explain import SOUTH, column, face, read, table

from referee.games import game_for
from referee.rules.cards import UNKNOWN
from referee.rules.events import INFERRED, Deal, Draw
from referee.rules.hand import Hand
from referee.rules.header import parse_header
from referee.umpire.beam import Beam
from referee.umpire.odds import Odds
from referee.umpire.sights import Sight, View
from referee.umpire.story import Believed
from referee.umpire.trust.witness import trust

WASTE = SOUTH["waste"]
#: South's waste in time: when it was seen, and what lay on top.
PROVED = (
    (0.3, "9C"),
    (1.0, "9C"),
    (2.0, "7H"),
    (2.3, "7H"),
    (3.5, "3C"),
    (3.8, "3C"),
    (5.2, "9C"),
    (5.5, "9C"),
)


def look(at: float, sights: list[Sight], touched_s: float = 0.3) -> View:
    return View(WASTE, at, round(at * 30), at, sights, stirred=True, untouched=at - touched_s)


def watched(*tops: tuple[float, str], then: float = 12.0) -> Beam:
    """South draws onto its waste (9C), plays 7H to a work pile and 3C to another one, and nothing more happens."""
    story = table(work_1="8S", work_2="4D", waste="9C", nerts="KD", north__nerts="KC")
    beam = Beam(story, Odds())
    views = [look(at, [face(top)]) for at, top in tops]
    views += [View(SOUTH["work 1"], 3.4, 102, 3.2, column("8S", "7H"), untouched=2.9)]
    views += [View(SOUTH["work 2"], 5.0, 150, 4.8, column("4D", "3C"), untouched=4.5)]
    for view in sorted(views, key=lambda one: one.at):
        beam.push(view)
    beam.wait(then)
    return beam


def draws(beam: Beam) -> list[Believed]:
    return [event for event in beam.best.events() if isinstance(event.event, Draw)]


def test_two_cards_were_drawn_where_the_third_is_missing() -> None:
    beam = watched(*PROVED)
    (event,) = draws(beam)
    assert (event.cards, event.foul, event.misfit) == ((UNKNOWN, "7H"), "short", True)
    assert len(beam.best.pile(SOUTH["stock"])) == 28 and beam.confidence(event) > 0.9
    # at first somebody may hold the third one
    assert draws(watched(*PROVED, then=5.6))[0].foul is None


@pytest.mark.parametrize(
    "tops",
    [
        (*PROVED[:6], (5.2, "KS"), (5.5, "KS")),
        (*PROVED[:6], (5.2, "KS"), (5.5, "KS"), (6.5, "9C"), (6.8, "9C")),
        PROVED[:6],
    ],
    ids=["a third one lies there", "and was played, too", "one was played"],
)
def test_a_whole_packet_is_none(tops: tuple[tuple[float, str], ...]) -> None:
    assert {event.foul for event in draws(watched(*tops))} == {None}


def _drawn() -> tuple[Believed, list[View]]:
    return draws(watched(*PROVED))[0], [look(at, [face(top)]) for at, top in PROVED]


def test_it_is_sure_when_all_of_it_was_seen() -> None:
    event, views = _drawn()
    assert trust(event, event.under, views) == 1.0


@pytest.mark.parametrize(
    "spoil",
    [
        lambda views: views[:-1],
        lambda views: [*views[:6], *(look(v.at, v.sights, 1.2) for v in views[6:])],
        lambda views: [look(1.7, views[0].sights), *views[2:]],
        lambda views: [*views[:6], *(look(v.at, [read({"9C": 0.95}, (0.0, 0.0))]) for v in views[6:])],
        lambda views: [*views[:4], *views[6:]],
    ],
    ids=["seen once", "touched twice", "no longer on top than in passing", "not read for sure", "one unseen"],
)
def test_it_is_not_where_a_lawful_draw_may_leave_the_same(spoil: object) -> None:
    event, views = _drawn()
    assert callable(spoil)
    assert trust(event, event.under, spoil(views)) == INFERRED


@pytest.mark.parametrize(("frames", "says"), [((60, 61), "3."), ((60, 150), "as showed 3.0 s later")])
def test_the_ruling_says_that_it_was_proved_later(frames: tuple[int, int], says: str) -> None:
    seats = [{"seat": seat, "deck": seat} for seat in ("south", "north")]
    header = {"record": 1, "game": "nerts", "seats": seats, "source": {"kind": "video", "fps": 30}}
    hand = Hand(game_for(parse_header(header)))
    piles = {"nerts": (*[UNKNOWN] * 12, "KD"), **{f"work {n}": (f"{n + 1}S",) for n in range(1, 5)}}
    hand.push(Deal(at=0.0, seat="south", piles={**piles, "stock": (UNKNOWN,) * 35}), 1)
    hand.push(Draw(at=2.0, seat="south", cards=(UNKNOWN, "7H"), frames=frames), 2)
    (ruling,) = hand.rulings
    assert (ruling.rule, ruling.verdict) == ("N11", "illegal") and says in ruling.why
