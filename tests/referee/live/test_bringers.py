"""Whose arm laid a card that nobody had seen before: said to the stories as soon as hands have left."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from test_reaches import NORTH, SOUTH, TO_PX, watched
from test_trespass import CENTRE, LAID, PILE, POINTS, arm

from referee.live.reaching.bringers import Bringers
from referee.live.reaching.trespass import Trespass
from referee.rules.events import INFERRED, Play
from referee.rules.places import NERTS, Place
from referee.umpire.again.kept import Kept, Watched
from referee.umpire.beam import Beam
from referee.umpire.odds import Odds
from referee.umpire.sights import Sight, View
from referee.umpire.story import Believed, Story
from vision.layout import FACES

SEEN = View(CENTRE, 2.5, 75, 2.3, [Sight(POINTS[CENTRE], True, np.zeros(len(FACES)))], untouched=2.0)


def guess(seat: str, caution: float = INFERRED) -> Believed:
    event = Play(at=2.3, seat=seat, frames=SEEN.frames, cards=("AD",), source="nerts", target="foundation 1")
    return Believed(event, Place(NERTS, 0, seat), CENTRE, caution)


def likeliest(*arms: Any, caution: float = INFERRED, seen: View = SEEN, now: float = 3.6) -> tuple[str, str]:
    """Who laid the ace as the likeliest story goes, if north's comes first; and whose arm a second pass is told of."""
    story = Story({})
    beam = Beam(story, Odds())
    beam.stories = [story.told(guess("north", caution)), story.told(guess("south")).weighed(-1.0)]
    kept = Kept()
    kept.add(Watched(seen), ())
    umpire = SimpleNamespace(
        dealing=SimpleNamespace(partners=False),
        dealt_area=SimpleNamespace(seats=[SOUTH, NORTH], from_table=TO_PX),
        middles=lambda place: [POINTS[place]],
        beam=beam,
        odds=beam.odds,
        kept=kept,
    )
    bringers = Bringers(Trespass(cast(Any, umpire), watched(*arms)))
    bringers.see([seen])
    bringers.tell(2.6)
    assert beam.best.events()[0].seat == "north"
    bringers.tell(now)
    return beam.best.events()[0].seat, kept.looks[-1].view().laid_by


def test_the_arm_that_was_there_alone_laid_it() -> None:
    assert likeliest(arm(SOUTH, CENTRE, LAID)) == ("south", "south")
    assert likeliest(arm(NORTH, CENTRE, LAID)) == ("north", "north")


@pytest.mark.parametrize(
    ("arms", "seen"),
    [
        ([], SEEN),
        # another one was there, too, or had been since the place looked as before
        ([arm(SOUTH, CENTRE, LAID), arm(NORTH, CENTRE, LAID)], SEEN),
        ([arm(SOUTH, CENTRE, LAID), arm(NORTH, CENTRE, (1.5, 1.8))], replace(SEEN, untouched=1.4)),
        # nobody knows since when it may have lain there
        ([arm(SOUTH, CENTRE, LAID)], replace(SEEN, untouched=-np.inf)),
        ([arm(SOUTH, PILE, LAID)], SEEN),
    ],
)
def test_nothing_is_said_where_it_may_have_been_somebody_else(arms: list[Any], seen: View) -> None:
    assert likeliest(*arms, seen=seen) == ("north", "")


def test_a_card_that_was_seen_where_it_came_from_says_whose_it_is() -> None:
    assert likeliest(arm(SOUTH, CENTRE, LAID), caution=1.0)[0] == "north"
