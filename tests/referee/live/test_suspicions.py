"""When cards are being gathered up: what a play emptied does not count, whatever is believed later."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from believed import place_of

from referee.live.session.suspicions import GATHERED, PERHAPS_GATHERED, Suspicions
from referee.rules.events import Play
from referee.rules.places import Place
from referee.umpire.sights import Sight, View
from referee.umpire.story import Believed, Lying, Story

PLACES = [place_of("north", f"work {n}") for n in range(1, 5)] + [place_of("south", "work 1")]
NERTS, TARGET = place_of("south", "nerts"), place_of("", "foundation 1")


def suspicious(story: Story) -> tuple[Suspicions, Any]:
    umpire: Any = SimpleNamespace(story=story, seats=["north", "south"])
    return Suspicions(umpire), umpire


def seen(suspicions: Suspicions, place: Place, at: float, *, lies: bool) -> None:
    sights = [Sight((0.0, 0.0), True, np.zeros(52))] if lies else []
    suspicions.view(View(place, at, round(at * 30), at, sights))


def play(at: float) -> Believed:
    event = Play(at=at, seat="south", frames=(0, 0), cards=("AS",), source="nerts", target="foundation 1")
    return Believed(event, NERTS, TARGET)


def test_a_pile_that_was_played_empty_is_none_that_was_gathered_whatever_is_believed_later() -> None:
    lying = Story({place: (Lying("AS", "south", True),) for place in [NERTS, *PLACES]})
    suspicions, umpire = suspicious(lying.told(play(10.2)))
    for place in [NERTS, *PLACES]:
        seen(suspicions, place, 5.0, lies=True)
    seen(suspicions, NERTS, 10.0, lies=False)
    assert suspicions.perhaps_since() is None
    umpire.story = lying
    for number, place in enumerate(PLACES):
        seen(suspicions, place, 13.0 + number, lies=False)
        suspicions.perhaps_since()
    assert len(PLACES) == GATHERED
    assert suspicions.gathered_since() == 13.0


def strange(at: float) -> Believed:
    event = Play(at=at, seat="north", frames=(0, 0), cards=("AS",), source="work 1", target="work 2")
    return Believed(event, PLACES[0], PLACES[1], misfit=True)


@pytest.mark.parametrize("empty", [0.0, 1.0])
def test_piles_laid_on_one_another_may_be_gathered_up_once_a_nerts_pile_is_empty(empty: float) -> None:
    suspicions, umpire = suspicious(Story({}).told(strange(20.0)).told(strange(21.0)))
    umpire.likely_empty = lambda seat: empty if seat == "south" else 0.0
    for place in PLACES:
        seen(suspicions, place, 21.5, lies=True)
    assert suspicions.perhaps_since() == (20.0 if empty else None)
    umpire.likely_empty = lambda seat: 0.0  # what is gathered up confuses
    assert suspicions.perhaps_since() == (20.0 if empty else None)
    for number, place in enumerate(PLACES):
        seen(suspicions, place, 24.0 + number, lies=False)
        suspicions.perhaps_since()
    assert suspicions.gathered_since() == 20.0


@pytest.mark.parametrize(
    ("events", "since"),
    [
        ([], 24.0),
        ([strange(20.0), strange(23.0)], 20.0),
        ([strange(17.9), strange(23.0)], 23.0),
        ([strange(20.0), play(21.0), strange(23.0)], 23.0),
        ([strange(20.0), play(21.0)], 24.0),
        ([strange(20.0), strange(25.0)], 20.0),
    ],
)
def test_what_broke_a_rule_when_nobody_played_any_more_was_gathering(
    events: list[Believed], since: float
) -> None:
    """Nobody's Nerts pile is empty: who looks on learns it only once places have fallen empty."""
    suspicions, umpire = suspicious(Story({}).told(*events))
    umpire.likely_empty = lambda seat: 0.0
    for place in PLACES:
        seen(suspicions, place, 21.5, lies=True)
    assert suspicions.perhaps_since() is None
    for number, place in enumerate(PLACES):
        seen(suspicions, place, 24.0 + number, lies=False)
    assert suspicions.gathered_since() == since


def test_a_play_that_breaks_a_rule_holds_up_what_is_told_for_a_while_only() -> None:
    suspicions, umpire = suspicious(Story({}).told(strange(20.0)))
    umpire.likely_empty = lambda seat: 1.0
    seen(suspicions, PLACES[0], 25.9, lies=True)
    assert suspicions.perhaps_since() == 20.0
    seen(suspicions, PLACES[0], 26.1, lies=True)
    assert suspicions.perhaps_since() is None


@pytest.mark.parametrize(
    ("empty", "blind_s", "end"), [(1.0, 4.1, True), (1.0, 3.9, False), (0.0, 60.0, False)]
)
def test_a_camera_that_is_not_found_when_somebody_could_call_sees_the_end_of_the_hand(
    empty: float, blind_s: float, end: bool
) -> None:
    suspicions, umpire = suspicious(Story({}))
    umpire.likely_empty = lambda seat: empty
    seen(suspicions, PLACES[0], 20.0, lies=True)
    assert suspicions.is_end(blind_s) == end


def test_a_camera_that_seems_to_be_moved_while_cards_go_has_not_moved() -> None:
    suspicions, umpire = suspicious(Story({}))
    umpire.likely_empty = lambda seat: 0.0
    for place in PLACES:
        seen(suspicions, place, 20.0, lies=True)
    for number, place in enumerate(PLACES[:PERHAPS_GATHERED]):
        assert not suspicions.is_end(0.0)
        seen(suspicions, place, 21.0 + number, lies=False)
    assert suspicions.is_end(0.0)
