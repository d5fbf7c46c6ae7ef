"""What breaks a rule and shows in piles: foundations set aside early, Nerts cards that were not turned, misread tops."""

from __future__ import annotations

from math import inf

import pytest
from test_explain import BACK, CENTRE, SOUTH, brief, face, table

from referee.rules.places import FOUNDATION, Place
from referee.umpire.beam import Beam
from referee.umpire.fouls import aside
from referee.umpire.odds import Odds
from referee.umpire.sights import Interval, Sight, View
from referee.umpire.story import Believed, Lift, Lying, Story
from referee.umpire.trust.witness import trust


def view(at: float, place: Place, sights: list[Sight], untouched: float | None = None) -> View:
    """A view of what changed 0.3 s ago; `untouched`: up to when (s) it looked as before instead."""
    since = at - 0.3 if untouched is None else untouched
    return View(place, at, round(at * 30), at, sights, untouched=since, steady=since)


def followed(story: Story, *views: View) -> Beam:
    beam = Beam(story, Odds())
    for one in views:
        beam.push(one)
    return beam


# -- foundations set aside ------------------------------------------------------------------------------------


def gone(
    shows: list[Sight], top: str = "2H", stirred: bool = True
) -> tuple[Believed | None, list[View], Story]:
    """A foundation that shows nothing more of its top: what is told of it, all looks, and the story."""
    lay = [view(1.0, CENTRE, [face(top)])]
    after = [view(2.0 + 0.3 * n, CENTRE, shows, 1.7 if stirred else 2.0 + 0.3 * n) for n in range(3)]
    beam = followed(table(foundation_1=f"AH {top}", nerts="KD", north__nerts="KC"), *lay, *after)
    events = beam.best.events()
    return (events[0] if events else None), [*lay, *after], beam.best


def test_a_foundation_turned_over_early_is_seen() -> None:
    event, looks, story = gone([BACK])
    assert event is not None and (event.event.kind, event.foul, event.misfit) == ("set-aside", "aside", True)
    assert aside.trust(event, looks, story, []) > 0.9


def test_one_whose_open_card_was_taken_for_a_back_before_was_not_turned_over() -> None:
    event, looks, story = gone([BACK])
    assert event is not None
    assert aside.trust(event, [view(0.5, CENTRE, [BACK]), *looks], story, []) < 0.9


@pytest.mark.parametrize(
    ("backs", "sure"),
    [
        ([], False),
        ([(2.2, (300.0, 0.0))], True),
        ([(0.4, (300.0, 0.0))], False),
        ([(7.0, (300.0, 0.0))], False),
    ],
)
def test_one_that_was_carried_off_must_be_seen_to_lie_elsewhere(
    backs: list[tuple[float, tuple[float, float]]], sure: bool
) -> None:
    event, looks, story = gone([])
    assert event is not None and (aside.trust(event, looks, story, backs) > 0.9) == sure


def test_backs_that_may_be_of_another_foundation_accuse_nobody() -> None:
    event, looks, story = gone([])
    story.piles[Place(FOUNDATION, 2)] = (Lying("KD", "south", up=False, there=False),)
    backs = [(2.2, (300.0, 0.0)), (2.4, (400.0, 0.0))]
    assert event is not None and aside.trust(event, looks, story, backs[:1]) < 0.9
    assert aside.trust(event, looks, story, backs) > 0.9


@pytest.mark.parametrize(
    ("backs", "before", "told"),
    [
        ((2.2,), 0, "set-aside"),
        ((), 0, "play 3H waste → foundation 1"),
        ((2.2,), 1, "play 3H waste → foundation 1"),
        ((9.0,), 0, "play 3H waste → foundation 1"),
    ],
)
def test_backs_that_came_to_lie_elsewhere_are_no_card_that_was_laid_and_missed(
    backs: tuple[float, ...], before: int, told: str
) -> None:
    """North's 3H may have been laid there, or have gone back into its stock with the waste. `before`: how many
    foundations were carried off before.
    """
    story = table(foundation_1="AH 2H", nerts="KD", north__nerts="KC", north__waste="4C 3H")
    waste, stock = (Place(kind, 0, "north") for kind in ("waste", "stock"))
    story.piles[stock] = ()
    for number in range(before):
        story.piles[Place(FOUNDATION, 2 + number)] = (Lying("KD", "south", up=False, there=False),)
    turned = [view(1.5, waste, []), view(1.6, stock, [BACK])]
    looks = [view(2.0 + 0.3 * n, CENTRE, [], 1.7 if n == 0 else 2.0 + 0.3 * n) for n in range(6)]
    for look in looks[2:]:
        look.backs = backs
    beam = followed(story, view(1.0, CENTRE, [face("2H")]), *turned, *looks)
    assert told in brief(beam.best.events())


def test_with_its_king_or_perhaps_with_it_nobody_is_accused() -> None:
    complete, *_ = gone([BACK], "KH")
    assert complete is not None and not complete.misfit
    nearly, looks, story = gone([BACK], "QH")
    assert nearly is not None and aside.trust(nearly, looks, story, []) < 0.9


def test_a_card_in_hand_may_lie_there_and_look_like_a_back() -> None:
    event, looks, story = gone([BACK])
    assert event is not None
    story.lifted = (Lift(SOUTH["waste"], (Lying("3H", "south"),), 1.6),)
    assert aside.trust(event, looks, story, []) < 0.9


def test_a_foundation_that_nobody_touched_was_not_set_aside() -> None:
    event, *_ = gone([], stirred=False)
    assert event is None


# -- Nerts cards that were not turned -------------------------------------------------------------------------


def played(*touched: Interval, landed: float = 3.0) -> Believed:
    """After the Nerts card before was laid at 2.0 s the next one comes to a foundation; its pile was touched so."""
    story = table(nerts="2S", foundation_1="AH", work_1="3D", north__nerts="KC")
    laid = view(2.0, SOUTH["work 1"], [face("3D", visible=0.2), face("2S", 0, 18)])
    came = view(landed, CENTRE, [face("2H")])
    came.touched = lambda place: touched if place == SOUTH["nerts"] else ()
    backs = [view(2.2, SOUTH["nerts"], [BACK]), view(2.4, SOUTH["nerts"], [BACK], 2.4)]
    again = view(landed + 0.2, CENTRE, [face("2H")], landed + 0.2)
    beam = followed(story, laid, *backs, came, again)
    event = beam.best.events()[-1]
    assert brief([event]) == ["play 2H nerts → foundation 1"]
    sure = trust(event, event.under, [came, again], backs)
    return event if event.foul is None or sure > 0.9 else pytest.fail("it was seen well")


def test_a_card_from_a_pile_touched_once_and_shortly_was_not_turned() -> None:
    assert played((1.4, 1.9), (2.4, inf)).foul == "unturned"
    assert played((1.4, 1.9), (2.4, 2.8)).foul == "unturned"
    # it was carried for long, but the hand was at its pile for no longer than it takes to lift it
    assert played((1.4, 1.9), (2.03, 2.6), landed=3.1).foul == "unturned"


@pytest.mark.parametrize(
    "touched",
    [
        # there was time to turn it
        [(1.4, 1.9), (2.05, 2.5), (2.6, inf)],
        [(1.4, 1.9), (2.05, inf)],
        [(1.4, 1.9), (2.05, 2.8)],
        [(1.4, 1.9), (2.05, 2.3), (2.5, 2.8)],
        # it may have been turned when the pile was looked at, and taken for a back
        [(1.4, 2.4), (2.6, inf)],
        # nobody has looked since the card before was taken
        [(1.4, inf)],
        [],
    ],
)
def test_a_card_that_may_have_been_turned_was(touched: list[Interval]) -> None:
    assert played(*touched).foul is None


# -- foundations on which a card was misread ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("again", "untouched", "sure"), [(2.0, 2.0, True), (2.0, 1.7, False), (1.25, 1.1, True)]
)
def test_a_gap_is_no_infraction_where_the_foundation_has_looked_otherwise_meanwhile(
    again: float, untouched: float, sure: bool
) -> None:
    """A 3H that is read as the 2H on which it lies makes a lawful 4H look wrong; a hand that leaves does not."""
    looks = [view(1.0, CENTRE, [face("2H")]), view(again, CENTRE, [face("2H")], untouched)]
    came = [view(4.0, CENTRE, [face("4H")], 3.6), view(4.3, CENTRE, [face("4H")], 4.3)]
    story = table(foundation_1="AH 2H", waste="4H", nerts="KD", north__nerts="KC")
    (event,) = followed(story, *looks, *came).best.events()
    assert event.misfit and (trust(event, event.under, [*looks, *came]) > 0.9) == sure


@pytest.mark.parametrize(("lay_before", "sure"), [([], True), ([BACK], False)], ids=["bare", "a back"])
def test_who_begins_a_foundation_is_accused_only_if_nothing_was_seen_to_lie_there(
    lay_before: list[Sight], sure: bool
) -> None:
    """An ace that is taken for a back lies there all the while."""
    before = [view(1.0 + n, CENTRE, lay_before, 1.0 + n) for n in range(2)]
    after = [view(3.0, CENTRE, [face("2H")]), view(3.4, CENTRE, [face("2H")], 3.4)]
    beam = followed(table(nerts="2H", work_1="3D", north__nerts="KC"), *before, *after)
    event = beam.best.events()[-1]
    assert brief([event]) == ["play 2H nerts → foundation 1"] and event.misfit and event.under is None
    looks = [*before, *after]
    assert (trust(event, event.under, looks, []) > 0.9) == sure
