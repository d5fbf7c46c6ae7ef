"""Two cards laid together (N4), and two that one hand laid one after the other."""

from __future__ import annotations

from math import inf

import pytest
from test_explain import CENTRE, SOUTH, STEP, face, table
from test_fouls import ODDS, TOP, told, view

from referee.rules.events import INFERRED, Play
from referee.rules.places import WASTE, Place
from referee.umpire.beam import Beam
from referee.umpire.sights import View
from referee.umpire.story import SEVERAL, Believed
from referee.umpire.trust.witness import trust


def test_one_hand_does_not_lay_two_cards_at_once() -> None:
    """North has just laid a card when the second one lands: it is south's."""
    story = table(north__nerts="QC", north__work_1="KD", foundation_1="AH", waste="2H", north__waste="2H")
    queen = [face("KD", 0, 0, 0.2), face("QC", 0, STEP)]
    north = SOUTH["work 1"]._replace(seat="north")
    events = told(story, view(1.0, north, queen), view(1.2, CENTRE, [face("2H")]))
    assert [(event.seat, event.cards) for event in events] == [("north", ("QC",)), ("south", ("2H",))]


def laid(untouched_s: float) -> float:
    """How far it is trusted that the 3H was laid on the AH, the foundation having looked as before so long ago (s)."""
    event = Believed(
        Play(at=5.0, seat="south", frames=(150, 150), cards=("3H",), source="waste", target="foundation 1"),
        Place(WASTE, 0, "south"),
        CENTRE,
        misfit=True,
        under="AH",
    )
    before = view(3.0, CENTRE, [face("AH")])
    return trust(
        event, "AH", [before, *(view(5.1 + 0.1 * n, CENTRE, [face("3H")], untouched_s) for n in range(2))]
    )


def test_between_two_cards_of_a_suit_another_may_have_come_unless_there_was_no_time() -> None:
    assert laid(1.0) > 0.9
    assert laid(3.0) < 0.9


@pytest.mark.parametrize(("touched_s", "plays"), [(0.5, ["AC 2C"]), (2.0, ["AC", "2C"])])
def test_two_cards_laid_in_one_way_were_laid_together(touched_s: float, plays: list[str]) -> None:
    story = table(waste="9D 2C AC", north__nerts="KC")
    seen = [view(1.0 + 0.1 * n, CENTRE, [face("2C")], touched_s) for n in range(3)]
    events = told(story, *seen)
    assert [" ".join(event.cards) for event in events] == plays
    assert [event.foul for event in events] == (["several"] if len(plays) == 1 else [None, None])
    if len(plays) == 1:
        assert trust(events[0], None, seen) > 0.9 > trust(events[0], None, seen[:1])


@pytest.mark.parametrize("touched_s", [0.3, inf])
@pytest.mark.parametrize("second", ["2C", "??"])
def test_two_cards_lifted_off_the_waste_in_one_way_are_laid_together(second: str, touched_s: float) -> None:
    """The waste is looked at while both are in hand, of which one may not have been seen; of a free spot nobody knows for
    how long it was touched.
    """
    events = told(
        table(waste=f"9D {second} AC", north__nerts="KC"),
        view(1.0, SOUTH["waste"], TOP, 0.3),
        *(view(1.5 + 0.1 * n, CENTRE, [face("2C")], touched_s) for n in range(3)),
    )
    (event,) = events
    assert event.cards == ("AC", "2C") and (event.foul, event.misfit) == ("several", True)


@pytest.mark.parametrize(
    ("earlier", "touched_s", "sure"), [("9D", 0.3, True), ("4H", 0.3, False), ("9D", 1.5, False)]
)
def test_nobody_is_accused_of_two_at_once_unless_the_waste_shows_it(
    earlier: str, touched_s: float, sure: bool
) -> None:
    """AC, then 2C on a free spot: the waste shows after one short touch what had lain beneath both, or something else."""
    event = Believed(
        Play(at=2.0, seat="south", cards=("AC", "2C"), source="waste", target="foundation 1"),
        Place(WASTE, 0, "south"),
        CENTRE,
        misfit=True,
        lifted=1.5,
        foul=SEVERAL,
    )
    laid = [view(2.1 + 0.1 * n, CENTRE, [face("2C")], inf) for n in range(3)]
    wastes = [
        view(0.5, event.source or CENTRE, [face(earlier)]),
        view(1.0, event.source or CENTRE, [face("AC")]),
        view(1.6, event.source or CENTRE, [face("9D")], touched_s),
    ]
    assert (trust(event, None, laid, wastes) > 0.9) == sure


def test_a_card_that_fills_a_gap_and_was_seen_nowhere_was_not_laid_with_the_next() -> None:
    """3D from the waste on AD: that 2D lay beneath it there, and came with it, is said by nothing."""
    laid = [view(1.5 + 0.1 * n, CENTRE, [face("3D")], 0.3) for n in range(3)]
    for one in laid:
        one.reached = lambda place, since: float(place == SOUTH["waste"])
    taken = view(1.0, SOUTH["waste"], [face("4H")], 0.3)
    taken.stirred = False
    beam = Beam(table(waste="9D ?? 3D", foundation_1="AD", north__nerts="KC"), ODDS)
    for one in (taken, *laid):
        beam.push(one)
    (event,) = beam.best.events()
    assert event.cards == ("3D",) and event.misfit and event.foul is None
    assert beam.confidence(event) > 0.95


@pytest.mark.parametrize("lower_seen", [False, True])
def test_a_lower_card_that_was_seen_to_lie_there_did_not_come_with_the_other(lower_seen: bool) -> None:
    waste, centre = SOUTH["waste"], CENTRE
    play = Play(at=13.0, seat="south", cards=("4H", "5H"), source=waste.own_name, target=centre.own_name)
    both = Believed(play, waste, centre, 1.0, True, "3H", None, SEVERAL)
    lay = face("4H" if lower_seen else "3H")
    views = [View(centre, at, round(at * 30), at, [sight]) for at, sight in ((11.5, lay), (13.3, face("5H")))]
    views.append(View(centre, 13.6, 408, 13.1, [face("5H")]))
    assert (trust(both, "3H", views) > INFERRED) == (not lower_seen)
