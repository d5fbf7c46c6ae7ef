"""What the ruleset of one game alone forbids: a second foundation of a suit (F1), a space filled from the waste (U4).

Told where it was seen as it must be, left undecided where it may have been otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from test_explain import BACK, CENTRE, SOUTH, face, table

from referee.rules.events import INFERRED
from referee.rules.places import FOUNDATION, Place
from referee.rules.settings import Settings
from referee.umpire.beam import Beam
from referee.umpire.dealing import Dealing
from referee.umpire.odds import Odds
from referee.umpire.sights import Sight, View
from referee.umpire.story import SECOND, SPACE, Believed, Lift, Lying, Story
from referee.umpire.trust.misfits import Misfits
from referee.umpire.trust.remembered import Remembered

OTHER = Place(FOUNDATION, 2)
#: When what was seen.
Looks = Mapping[Place, Sequence[tuple[float, list[Sight]]]]
#: South lays the ace off its Nerts pile beside a foundation of clubs.
ACE: Looks = {
    CENTRE: ((0.5, [face("2C")]), (2.5, [face("2C")])),
    SOUTH["nerts"]: ((1.0, [face("AC")]), (2.3, [BACK])),
    OTHER: tuple((at, [face("AC", 90.0)]) for at in (2.0, 2.2, 2.4)),
}
#: South fills a space from its waste.
FILL: Looks = {
    SOUTH["work 1"]: ((0.5, []), *((at, [face("TD")]) for at in (2.0, 2.2, 2.4))),
    SOUTH["waste"]: ((1.0, [face("TD")]), (2.3, [face("4S")])),
}


def odds(game: str) -> Odds:
    return Dealing.of(Settings.of(game, {})).weighed(Odds())


def accused(story: Story, looks: Looks, game: str) -> tuple[Believed, float]:
    """The play that was seen last, and how far it is trusted to break a rule."""
    beam, seen = Beam(story, odds(game)), Remembered()
    shown = sorted((at, str(place), place, sights) for place, them in looks.items() for at, sights in them)
    for at, _, place, sights in shown:
        view = View(place, at, round(at * 30), at, sights, untouched=at - 0.3)
        beam.push(view)
        seen.add(view)
    event = beam.best.events()[-1]
    return event, Misfits().trust(event, seen, 4.0)


def second(looks: Looks, game: str = "one-per-suit", under: str = "AC 2C") -> tuple[Believed, float]:
    return accused(table(nerts="AC", north__foundation_1=under, north__nerts="KC"), looks, game)


def filled(looks: Looks, game: str = "nuts", story: Story | None = None) -> tuple[Believed, float]:
    story = story or table(work_2="KC", waste="4S TD", nerts="KD", north__nerts="KC")
    return accused(story, looks, game)


def test_an_ace_begins_a_second_foundation_of_its_suit() -> None:
    event, sure = second(ACE)
    assert (event.cards, event.target, event.foul, event.misfit) == (("AC",), OTHER, SECOND, True)
    assert sure > 0.9


@pytest.mark.parametrize(
    ("game", "under"), [("nerts", "AC 2C"), ("one-per-suit", "AS 2S"), ("one-per-suit", "AC QC KC")]
)
def test_it_may_where_many_are_allowed_and_where_no_other_one_lies_open(game: str, under: str) -> None:
    top = [face(under[-2:])]
    event, _ = second({**ACE, CENTRE: ((0.5, top), (2.5, top))}, game, under)
    assert (event.cards, event.foul, event.misfit) == (("AC",), None, False)


@pytest.mark.parametrize(
    "otherwise",
    [
        # both raced for it; more cards may have come, and the king
        {CENTRE: ((1.5, [face("2C")]), (2.5, [face("2C")]))},
        {CENTRE: ((0.5, [face("JC")]), (2.5, [face("JC")]))},
        # its suit was not made out, or another one showed
        {CENTRE: ((0.5, [face("2C", visible=0.3)]), (2.5, [face("2C", visible=0.3)]))},
        {CENTRE: ((0.5, [face("2C")]), (2.5, [face("2S")]))},
        # the ace was seen once; was not seen to leave; is seen where it was
        {OTHER: ACE[OTHER][:1]},
        {SOUTH["nerts"]: ((1.0, [face("AC")]),)},
        {SOUTH["nerts"]: ((1.0, [face("AC")]), (2.3, [face("AC")]))},
    ],
)
def test_nobody_is_accused_of_it_on_less(otherwise: Looks) -> None:
    event, sure = second({**ACE, **otherwise})
    assert event.target == OTHER and (sure <= INFERRED or event.foul is None)


def test_a_space_is_filled_from_the_waste() -> None:
    event, sure = filled(FILL)
    assert (event.cards, event.target, event.foul, event.misfit) == (("TD",), SOUTH["work 1"], SPACE, True)
    assert sure > 0.9
    allowed, _ = filled(FILL, "nerts")
    assert (allowed.cards, allowed.foul, allowed.misfit) == (("TD",), None, False)


@pytest.mark.parametrize(
    "otherwise",
    [
        # the place was not seen bare, or a card shows beneath since; the waste was not seen to lose it
        {SOUTH["work 1"]: FILL[SOUTH["work 1"]][1:]},
        {
            SOUTH["work 1"]: (
                (0.5, []),
                *((at, [face("JS", visible=0.2), face("TD", 0.0, 18.0)]) for at in (2.0, 2.2, 2.4)),
            )
        },
        {SOUTH["waste"]: ((1.0, [face("TD")]),)},
    ],
)
def test_nobody_is_accused_of_that_on_less(otherwise: Looks) -> None:
    event, sure = filled({**FILL, **otherwise})
    assert event.target == SOUTH["work 1"] and (sure <= INFERRED or event.foul is None)


def test_a_space_is_none_while_what_lay_there_is_in_hand() -> None:
    """It may never have left, and not have been seen."""
    story = table(work_2="KC", waste="4S TD", nerts="KD", north__nerts="KC")
    lift = Lift(SOUTH["work 1"], (Lying("JS", "south"),), 0.4)
    event, _ = filled(FILL, story=Story(story.piles, (lift,)))
    assert event.foul is None
