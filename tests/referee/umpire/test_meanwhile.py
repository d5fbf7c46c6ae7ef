"""What happened between two looks: cards laid and moved on, missed, or seen where they lay too late to have gone."""

from __future__ import annotations

from itertools import permutations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from test_explain import BACK, CENTRE, SOUTH, STEP, brief, column, face, table
from test_hidden_cards import hidden, up

from referee.rules.places import WASTE, WORK, Place
from referee.umpire.beam import Beam
from referee.umpire.columns import explain_column
from referee.umpire.odds import Odds
from referee.umpire.sights import Sight, View
from referee.umpire.story import Lying, Story
from referee.umpire.views import Viewer

ODDS = Odds()


def view(
    at: float,
    place: Place,
    sights: list[Sight],
    *,
    seen: float,
    untouched: float | None = None,
    **others: float,
) -> View:
    """A view of what was seen last at `seen` and looked so until `untouched` (s); `others`: when others were seen."""
    shown = View(place, at, round(at * 30), at, sights, stirred=True)
    shown.untouched = shown.steady = seen if untouched is None else untouched
    shown.seen = lambda where: seen if where == place else others.get(where.kind, 0.0)
    shown.reached = lambda where, since: 1.0
    return shown


def told(story: Story, *views: View) -> list[str]:
    beam = Beam(story, ODDS)
    for one in views:
        beam.push(one)
    return brief(beam.best.events())


def test_a_card_laid_on_a_pile_that_nobody_saw_and_moved_on_are_two_plays() -> None:
    """The next Nerts card was turned meanwhile, so the first one had been laid."""
    looks = (
        view(1.0, SOUTH["nerts"], [BACK], seen=0.5),
        view(2.0, SOUTH["nerts"], [face("TS")], seen=1.0, untouched=1.8),
        view(2.3, SOUTH["nerts"], [face("TS")], seen=2.0, untouched=2.3),
        view(3.5, CENTRE, [face("2S")], seen=0.5, untouched=3.4),
    )
    events = told(table(nerts="2S", work_1="3H", foundation_1="AS", work_2="9C"), *looks)
    assert events == ["turn TS", "play 2S nerts → work 1", "play 2S work 1 → foundation 1"]


def test_a_pile_that_was_seen_meanwhile_held_no_other_card() -> None:
    looks = (
        view(1.0, SOUTH["nerts"], [BACK], seen=0.5),
        view(2.0, SOUTH["work 1"], [face("3H")], seen=0.5, untouched=2.0),
        view(2.2, CENTRE, [face("2S")], seen=0.5, untouched=2.1, work=2.0),
    )
    events = told(table(nerts="2S", work_1="3H", foundation_1="AS", work_2="9C"), *looks)
    assert events == ["play 2S nerts → foundation 1"]


def test_a_card_rested_in_a_space_that_stirred_though_it_is_empty_again() -> None:
    looks = (
        view(1.0, SOUTH["nerts"], [BACK], seen=0.5),
        view(2.0, SOUTH["nerts"], [face("6C")], seen=1.0, untouched=1.8),
        view(3.1, SOUTH["work 1"], [], seen=0.5, untouched=1.1),
        view(3.7, SOUTH["work 4"], column("8C", "7H"), seen=0.6, untouched=3.2),
    )
    events = told(table(nerts="7H", work_1="", work_4="8C", work_2="2D", work_3="KD"), *looks)
    assert events[-2:] == ["play 7H nerts → work 1", "play 7H work 1 → work 4"]


@pytest.mark.parametrize(("changed", "plays"), [(True, ["play 2H nerts → work 3"]), (False, [])])
def test_a_card_that_is_not_made_out_where_something_came_lies_there(changed: bool, plays: list[str]) -> None:
    seen: dict[str, float] = {"seen": 0.5, "untouched": 1.2 if changed else 1.5}
    looks = [view(1.0, SOUTH["nerts"], [BACK], seen=0.5), view(1.5, SOUTH["work 3"], [], **seen)]
    looks += [view(1.5 + n, SOUTH["work 3"], [], seen=0.5 + n, untouched=1.5 + n) for n in range(1, 4)]
    # what can be put in a space has nowhere else to go
    looks.append(view(6.0, SOUTH["nerts"], [face("AH")], seen=1.0, untouched=2.0))
    events = told(table(nerts="2H", work_1="9H", work_2="KS", work_3="", work_4="QD"), *looks)
    assert [event for event in events if event.startswith("play")] == plays


@pytest.mark.parametrize("steady", [2.0, 1.85])
def test_a_card_that_lay_there_until_another_like_it_landed_is_not_that_one(steady: float) -> None:
    """Both wastes show 2H; south's looks as before until after the first one has landed, perhaps again as before."""
    story = table(waste="9D 2H", north__waste="9C 2H", foundation_1="AH")
    north = Place(WASTE, 0, "north")
    looks = (
        view(2.0, CENTRE, [face("2H")], seen=0.5, untouched=1.9),
        view(2.6, SOUTH["waste"], [face("9D")], seen=1.8, untouched=2.05),
        view(2.8, north, [face("9C")], seen=0.5, untouched=1.5),
    )
    looks[1].steady = steady
    for order in permutations(looks[1:]):
        beam = Beam(story, ODDS)
        for one in (looks[0], *order):
            beam.push(one)
        assert [event.seat for event in beam.best.events()] == ["north"]


def test_a_block_that_goes_on_where_nobody_looked_lies_as_it_likes() -> None:
    """The other column was pushed together; where the rest of it would lie now is a guess and nothing more."""
    names = ("QD", "JC", "TH", "9S", "8H", "7C", "6D", "5C")
    story = table(work_1="KS", work_3="2H")
    pushed = tuple(Lying(name, "south", True, (0.0, 12.0 * n)) for n, name in enumerate(names))
    story = story.with_pile(SOUTH["work 3"], pushed)
    spread = column("KS", *names)
    for n, sight in enumerate(spread):
        sight.at = (0.0, 24.0 * n)
    looks = (
        view(1.0, SOUTH["work 3"], [], seen=0.5),
        view(1.4, SOUTH["work 1"], spread[:5], seen=0.5, untouched=1.1),
        view(1.8, SOUTH["work 1"], spread, seen=1.4, untouched=1.5),
    )
    assert told(story, *looks) == [f"play {' '.join(names)} work 3 → work 1"]


def test_what_strips_are_hangs_on_each_story_alone() -> None:
    """A strip over hidden cards may be one of them: where these lie differs, and so does what is an open card."""
    place, top = Place(WORK, 1, "south"), up("9H", above=2)
    sights = [face("KH", 0.0, 24.0, 0.2), face("9H", 0.0, 2 * STEP, 0.2), face("8S", 0.0, 3 * STEP)]
    stories = [Story({place: (*hidden(under), *top), SOUTH["nerts"]: up("8S")}) for under in (1, 2)]

    def best(order: tuple[Story, ...]) -> dict[int, float]:
        shown = View(place, 1.0, 30, 1.0, sights)
        return {id(one): max(new.weight for new in explain_column(one, shown, ODDS)) for one in order}

    alone = {**best((stories[0],)), **best((stories[1],))}
    assert alone[id(stories[0])] < alone[id(stories[1])]
    assert best((stories[0], stories[1])) == best((stories[1], stories[0])) == alone


def test_an_ace_that_is_not_made_out_where_something_came_begins_a_foundation() -> None:
    """It is seen late that something lies there: the card was not in the air for as long as was thought."""
    looks = [view(1.0, SOUTH["nerts"], [BACK], seen=0.5), view(3.8, CENTRE, [], seen=0.5, untouched=1.2)]
    looks[1].rested = 1.5
    looks.insert(1, view(1.4, SOUTH["nerts"], [BACK], seen=1.0, untouched=1.4))
    looks += [view(5.8 + n, CENTRE, [], seen=3.8 + n, untouched=5.8 + n) for n in range(2)]
    table_ = table(nerts="AC", work_1="9H", work_2="KS", work_3="5D", work_4="QD")
    assert told(table_, *looks) == ["play AC nerts → foundation 1"]
    assert told(table(nerts="2C", work_1="9H", work_2="KS", work_3="5D", work_4="QD"), *looks) == []


class Stir:
    """What is known of movement: since when each end of a column looks as it does now."""

    def __init__(self, **rested: float) -> None:
        self._rested = rested

    def rested(self, region: Any, since: float) -> float | None:
        return self._rested.get("low" if region[:, 1].mean() < STEP else "top")

    def last_moved(self, region: Any) -> float:
        return 1.0


@pytest.mark.parametrize(
    ("stir", "rested"), [({"low": 3.0, "top": 8.0}, 8.0), ({"top": 8.0}, 8.0), ({"low": 3.0}, 3.0), ({}, 1.0)]
)
def test_a_card_came_to_rest_when_it_did_and_not_when_its_column_stirred(
    stir: dict[str, float], rested: float
) -> None:
    viewer = Viewer(SimpleNamespace(seen=lambda part: part))  # type: ignore[arg-type]
    shown = View(SOUTH["work 1"], 9.0, 270, 9.0, column("8H", "7S", "6H", "5S"))
    still: Any = Stir(**stir)
    assert viewer._rested(shown, np.zeros((4, 2)), 0.5, still) == rested


@pytest.mark.parametrize(("later", "rested"), [((9.1, 9.2), 9.15), (None, 9.4)])
def test_no_card_landed_before_its_place_looked_as_it_had_done(
    later: tuple[float, float] | None, rested: float
) -> None:
    """What passed over the place at 8.0 s looked like the card; it came after 8.9 s."""
    still: Any = SimpleNamespace(
        landed=lambda corners, since: (8.0, 8.07) if since < 8.0 else later if since < 9.1 else None
    )
    viewer = Viewer(SimpleNamespace(seen=lambda part: part))  # type: ignore[arg-type]
    shown = View(SOUTH["work 1"], 9.6, 288, 9.4, column("6H"))
    shown.untouched = 8.9
    viewer._see_land(shown, 7.0, still, table(work_1="7S"))
    assert shown.landed == later
    assert shown.rested == pytest.approx(rested)


@pytest.mark.parametrize("free", [True, False])
def test_a_card_under_a_hand_uncovers_none(free: bool) -> None:
    """Under a hand the same card seems to lie elsewhere: it is not taken for another one that another card covered."""
    still: Any = SimpleNamespace(uncovered=lambda corners, since, then: (since, then))
    viewer = Viewer(SimpleNamespace(seen=lambda part: part))  # type: ignore[arg-type]
    shown = View(CENTRE, 9.6, 288, 9.4, [face("AH", 3.0, 2.0)])
    viewer._see_land(shown, 7.0, still, table(foundation_1="AH"), free=free)
    assert (shown.uncovered is not None) == free


@pytest.mark.parametrize(("untouched", "begun"), [(3.2, 3.0), (9.0, 7.1), (-np.inf, 7.1)])
def test_a_landing_is_looked_for_from_before_a_hand_lay_over_the_place(
    untouched: float, begun: float
) -> None:
    """Begun under the hand, what it uncovers would be a card that comes."""
    asked: list[float] = []
    still: Any = SimpleNamespace(landed=lambda corners, since: asked.append(since))
    viewer = Viewer(SimpleNamespace(seen=lambda part: part))  # type: ignore[arg-type]
    shown = View(SOUTH["work 1"], 9.6, 288, 9.4, column("7S", "6H"))
    shown.untouched = untouched
    viewer._see_land(shown, 3.0, still, table(work_1="7S"))
    assert asked == pytest.approx([begun])
