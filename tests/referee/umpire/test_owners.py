"""Of two players who have the same card the one who laid it is told: from where nothing was touched no card came, and
what still lies there was not played.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from believed import believed
from test_explain import CENTRE, SOUTH, face, table

from referee.rules.cards import UNKNOWN
from referee.rules.places import Place
from referee.umpire.beam import Beam
from referee.umpire.odds import Odds
from referee.umpire.one_hand import out_of_time, reached
from referee.umpire.sights import Interval, View
from referee.umpire.story import Lying, Story
from referee.umpire.tied.contested import contested
from referee.umpire.views import Viewer

ODDS = Odds()
NERTS, WASTE, WORK = (SOUTH[name]._replace(seat="north") for name in ("nerts", "waste", "work 1"))
#: South's card lay on its waste for half a second, on what is seen there now; north's next Nerts card is face down.
TOUCHED = {SOUTH["waste"]: ((9.0, 9.9),), NERTS: ((8.0, 9.7), (10.6, inf)), SOUTH["nerts"]: ((-inf, 1.0),)}
SEEN = {SOUTH["waste"]: 10.0, NERTS: 9.8}


def landed(story: Story, touched: dict[Place, tuple[Interval, ...]]) -> View:
    """A 3S is seen on the foundation at 10.5 s; everything was touched of late, `touched`: when."""
    view = View(CENTRE, 10.53, 316, 10.5, [face("3S")], untouched=9.9, landed=(10.47, 10.53))
    view.reached = lambda place, since: 1.0
    view.seen = lambda place: SEEN.get(place, 1.0)
    view.touched = lambda place: touched.get(place, ((-inf, 1.0),))
    view.alike = lambda place: place == SOUTH["waste"]
    return view


def unsure(*, first: bool) -> Story:
    """North's and south's next Nerts card and the waste of south are not known, but for its top; all else is."""
    story = table(waste="4D", work_1="9H", north__work_1="9D", foundation_1="2S")
    waste = (*(Lying(UNKNOWN, "south") for _ in range(2)), Lying("9S", "south", first=first))
    return story.with_pile(SOUTH["waste"], waste)


def who(story: Story, touched: dict[Place, tuple[Interval, ...]]) -> tuple[str, str]:
    beam = Beam(story, ODDS)
    beam.push(landed(story, touched))
    beam.push(
        replace(landed(story, touched), at=10.8, rested=10.53, untouched=10.8, steady=10.8, landed=None)
    )
    event = beam.best.events()[-1]
    return event.seat, str(event.source)


def test_a_card_that_lay_on_the_waste_between_two_looks_is_not_the_other_ones_nerts_card() -> None:
    assert who(unsure(first=False), TOUCHED) == ("south", "south waste")


def test_the_packet_that_was_drawn_is_told_with_it() -> None:
    drawn = believed("draw", 9.1, "south", 273, [UNKNOWN, UNKNOWN, "9S"])
    beam = Beam(unsure(first=False).told(drawn), ODDS)
    beam.push(landed(beam.best, TOUCHED))
    told = next(
        story
        for story in beam.stories
        if story.past and story.past.last.seat == "south" and story.past.last.cards == ("3S",)
    )
    assert [event.cards for event in told.events()] == [(UNKNOWN, "9S", "3S"), ("3S",)]
    assert told.pile(SOUTH["waste"])[-1].face == "9S"


def test_it_is_where_that_one_was_touched_after_it_had_been_seen_to_show_its_back() -> None:
    touched = TOUCHED | {NERTS: ((8.0, 9.7), (10.0, 10.4)), SOUTH["waste"]: ((-inf, 1.0),)}
    assert who(unsure(first=False), touched)[0] == "north"


@pytest.mark.parametrize(
    ("touches", "seen", "comes"),
    [
        # touched, but before it was seen; or after the card had landed elsewhere
        (((8.0, 9.7),), 9.8, False),
        (((8.0, 9.7), (10.6, inf)), 9.8, False),
        (((10.0, 10.2),), 9.8, True),
        (((10.0, inf),), 9.8, True),
        # of when it was seen nothing is known
        (((8.0, 9.7),), inf, True),
    ],
)
def test_a_card_that_lay_there_at_the_last_look_left_after_it(
    touches: tuple[Interval, ...], seen: float, comes: bool
) -> None:
    view = View(CENTRE, 10.53, 316, 10.5, [face("3S")])
    view.reached, view.touched, view.seen = (
        lambda place, since: 1.0,
        lambda place: touches,
        lambda place: seen,
    )
    assert (reached(NERTS, view, ODDS, lay=True) == 0.0) == comes


def test_what_lay_on_top_before_it_was_looked_at_is_missed_by_no_later_look() -> None:
    """The 9S beneath has shown ever since the first look at it, which was later than the 3S had left."""
    beam = Beam(unsure(first=False), ODDS)
    beam.push(landed(beam.best, TOUCHED))
    told = next(story for story in beam.stories if story.past and story.past.last.seat == "south")
    again = View(SOUTH["waste"], 12.0, 360, 9.5, [face("9S")], untouched=12.0, steady=12.0)
    again.seen = lambda place: 10.0
    assert out_of_time(told, again, ODDS) == 0.0
    again.seen = lambda place: 8.0
    assert out_of_time(told, again, ODDS) < 0.0


@pytest.mark.parametrize("again", [True, False])
def test_a_waste_to_which_a_hand_came_again_may_have_lost_a_card(again: bool) -> None:
    story = table(work_1="9H").with_pile(SOUTH["waste"], ())
    look = View(SOUTH["waste"], 4.0, 120, 3.0, [face("9S")], untouched=2.9, stirred=True, revisited=again)
    beam = Beam(story, ODDS)
    beam.push(look)
    assert beam.best.pile(SOUTH["waste"])[-1].first != again


@pytest.mark.parametrize(("moved", "until"), [(0.9, 4.0), (0.1, 3.0)])
def test_a_place_is_touched_for_as_long_as_hands_come_to_it(moved: float, until: float) -> None:
    """A hand came again at 3.5 s, when what shows had lain there since 3.0 s."""
    box = np.array([[0.0, 0.0], [60.0, 0.0], [60.0, 90.0], [0.0, 90.0]])
    area: Any = SimpleNamespace(
        seen=lambda points: points,
        box=lambda place, length, margin: box,
        places=lambda: [SOUTH["nerts"]],
        foundations=[],
        seats=[],
    )
    still: Any = SimpleNamespace(
        rested=lambda region, since: 3.0,
        as_before=lambda region, since: 2.0,
        steady=lambda region, since: 2.0,
        moved_share=lambda region, since: moved if since > 3.0 else 1.0,
        lifted=lambda corners, since: None,
    )
    viewer = Viewer(area)
    layout: Any = SimpleNamespace(cards=[], hands=[], width=100, height=100)
    (view,) = viewer.views(4.0, 120, layout, table(), None, still)
    assert view.revisited == (moved > 0.5)
    assert viewer._touches[SOUTH["nerts"]][-1] == (2.0, until)


def test_one_look_is_asked_for_where_the_card_of_two_may_lie_still() -> None:
    beam = Beam(table(work_1="3S 8D", north__work_1="3S", foundation_1="2S"), ODDS)
    assert not contested(beam).left
    beam = Beam(table(work_1="3S", north__work_1="3S", foundation_1="2S"), ODDS)
    beam.push(View(CENTRE, 10.5, 315, 10.5, [face("3S")]))
    asked = contested(beam).left
    assert set(asked) == {SOUTH["work 1"], WORK}
    beam.push(View(WORK, 10.9, 327, 9.0, [face("3S")]))
    assert beam.best.events()[-1].seat == "south"
    beam.wait(20.0)
    assert not contested(beam).left, "what happened long ago is not asked for"
