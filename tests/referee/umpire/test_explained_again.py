"""Looks that were kept, and the hand explained again by all of them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from umpire_table import Eye, Table, umpired

from referee.rules.places import FOUNDATION, WASTE, WORK, Place
from referee.umpire.again.account import Account
from referee.umpire.again.joined import joined
from referee.umpire.again.kept import Kept, Look, Watched
from referee.umpire.again.passes import explained_again
from referee.umpire.sights import Sight, View
from referee.umpire.umpire import Umpire
from vision.layout import FACES, Floats

#: The other suit of a colour.
OTHER = {"S": "C", "C": "S", "H": "D", "D": "H"}
WASTE_OF_NORTH = Place(WASTE, 0, "north")


@cache
def followed() -> Umpire:
    return umpired(Table(0, 12.0), Eye(0))


@cache
def sharp() -> Umpire:
    return umpired(Table(0, 12.0), Eye(0, wrong=0.0, missed=0.0))


def told(umpire: Umpire) -> list[str]:
    return list(map(str, umpire.story.events()))


def reading(face: str, sure: float) -> Floats:
    chances = np.full(52, (1 - sure) / 51)
    chances[FACES.index(face)] = sure
    return np.asarray(np.log(chances))


def look(place: Place, at: float, *cards: tuple[str, float], untouched: float = -1.0, y: float = 0.0) -> Look:
    """Cards (face, how surely read) 20 mm apart."""
    sights = [Sight((0.0, y + 20.0 * n), True, reading(*card)) for n, card in enumerate(cards)]
    view = View(place, at, round(at * 30), at, sights, untouched=untouched)
    return Look.of(view)


def read_as(view: View) -> list[str]:
    return [sight.likely(1e-9, 1)[0] for sight in view.sights]


def misread(number: int) -> Umpire:
    """The same hand with the top card of one look read as another, twice and for sure, then six times rightly."""
    umpire = sharp().anew(24)
    for place, look in enumerate(sharp().kept):
        views = [look.view()]
        if place == number:
            wrong = look.faces.copy()
            right = FACES[int(wrong[-1].argmax())]
            wrong[-1] = reading(right[0] + OTHER[right[1]], 0.98)
            views = [look.view(wrong if n < 2 else None) for n in range(8)]
        for n, view in enumerate(views):
            view.at += 0.001 * n
            view.untouched = view.at if n else view.untouched
            watched = Watched(view)
            umpire.explain(view)
            umpire.kept.add(watched, umpire.story.piles)
    return umpire


# -- what is kept --------------------------------------------------------------------------------------------


def test_kept_looks_tell_the_same_hand_as_what_was_seen() -> None:
    umpire = followed()
    again = umpire.anew(umpire.width)
    for one in umpire.kept:
        again.explain(one.view())
    assert len(told(umpire)) > 10
    assert told(again) == told(umpire)
    assert again.beam.total == pytest.approx(umpire.beam.total, abs=0.05)


def test_what_moved_before_a_card_came_is_kept_where_it_was_asked() -> None:
    place, other = WASTE_OF_NORTH, Place(WORK, 1, "north")
    view = View(place, 2.0, 60, 1.9, [Sight((0, 0), True, reading("9S", 0.9))])
    view.reached = lambda where, _since: 0.7 if where == other else None
    view.alike, view.seen = lambda where: where == place, lambda where: 1.5
    kept = Kept()
    watched = Watched(view)
    assert (view.reached(other, 0.0), view.alike(place)) == (0.7, True)
    kept.add(watched, [place, other])
    unasked = View(place, 3.0, 90, 3.0, view.sights)
    kept.add(Watched(unasked), [place, other])
    assert [one.view().reached(other, 0.0) for one in kept] == [0.7, None]
    assert [one.view().alike(place) for one in kept] == [True, False]
    assert not kept.looks[0].view().alike(other)
    assert kept.looks[0].view().seen(other) == 1.5
    assert [one.stale for one in kept] == [False, True]


def test_what_says_little_goes_first_and_no_more_is_kept_than_was_agreed() -> None:
    kept = Kept(most=50)
    for number in range(400):
        face = "9S" if number < 390 else FACES[number - 390]
        view = View(WASTE_OF_NORTH, float(number), number, number, [Sight((0, 0), True, reading(face, 0.9))])
        kept.add(Watched(view), [])
        assert len(kept) <= 50
    assert kept.whole
    assert sum(not one.stale for one in kept) == 11
    for number in range(100):
        view = View(WASTE_OF_NORTH, 400.0 + number, number, 0.0, [])
        view.sights = [Sight((0, 0), True, reading(FACES[number % 52], 0.9))]
        kept.add(Watched(view), [])
    assert len(kept) <= 50
    assert not kept.whole


# -- a card that nobody touches ------------------------------------------------------------------------------


def test_an_untouched_card_is_what_most_looks_read() -> None:
    looks = [
        look(WASTE_OF_NORTH, 1.0, ("9S", 0.9)),
        look(WASTE_OF_NORTH, 2.0, ("9C", 0.95), untouched=2.0),
        look(WASTE_OF_NORTH, 3.0, ("9C", 0.95), untouched=3.0),
    ]
    assert [read_as(view) for view in joined(looks)] == [["9C"]] * 3


def test_a_card_that_came_since_keeps_its_own_reading() -> None:
    looks = [
        look(WASTE_OF_NORTH, 1.0, ("9S", 0.9)),
        look(WASTE_OF_NORTH, 2.0, ("9C", 0.95), untouched=1.5),
        look(WASTE_OF_NORTH, 3.0, ("9C", 0.95), untouched=3.0),
    ]
    assert [read_as(view) for view in joined(looks)] == [["9S"], ["9C"], ["9C"]]


def test_what_lies_under_others_is_what_it_was_though_the_column_was_touched() -> None:
    column = Place(WORK, 2, "south")
    looks = [
        look(column, 1.0, ("9S", 0.99)),
        look(column, 2.0, ("9C", 0.6), ("8H", 0.99), untouched=1.5),
        look(column, 3.0, ("9S", 0.99), untouched=2.5, y=6.0),
    ]
    # the last one lies elsewhere: it may be any card
    assert [read_as(view)[0] for view in joined(looks)] == ["9S", "9S", "9S"]
    assert list(joined(looks))[2].sights[0].reads("9C") < list(joined(looks))[1].sights[0].reads("9C")


# -- explained again -----------------------------------------------------------------------------------------


def test_a_hand_that_was_followed_well_stands() -> None:
    assert explained_again(followed()) is None


@pytest.mark.parametrize("number", [19, 29, 34])
def test_what_later_looks_make_likelier_takes_the_place_of_what_was_told(number: int) -> None:
    umpire = misread(number)
    assert told(umpire) != told(sharp())
    found = explained_again(umpire)
    assert found is not None
    assert told(found.umpire) == told(sharp())
    assert found.gain > 5


def test_what_was_seen_behind_a_moment_is_left_out() -> None:
    umpire = misread(34)
    found = explained_again(umpire, 9.5)
    assert found is not None
    assert max(event.at for event in found.umpire.story.events()) <= 9.5
    assert explained_again(umpire, 9.0) is None


def test_stories_bound_to_an_account_tell_nothing_else() -> None:
    umpire = followed()
    events = umpire.story.events()
    without = next(e for e in events if e.target is not None and e.target.kind == FOUNDATION)
    bound = umpire.anew(24)
    bound.beam.admits = Account([e for e in events if e is not without]).admits
    for view in joined(umpire.kept):
        bound.explain(view)
    assert str(without) not in told(bound)
    assert bound.beam.total < umpire.beam.total - 2.0


def test_an_account_takes_a_draw_for_the_same_once_its_card_is_read() -> None:
    draw = next(e for e in followed().story.events() if e.event.kind == "draw" and e.cards[-1] != "??")
    unread = replace(draw, event=replace(draw.event, cards=("??",) * len(draw.cards)))  # type: ignore[call-arg]
    account = Account([draw])
    assert account.tells(unread)
    assert account.tells(draw.moved_to(draw.at + 1.0))
    assert not account.tells(draw.moved_to(draw.at + 5.0))
    assert not account.tells(replace(draw, event=replace(draw.event, seat="east")))
