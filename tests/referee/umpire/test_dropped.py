"""A card that falls on its way and is picked up was laid once; one that lies where it was laid is told there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee.rules.events import Draw, Play
from referee.rules.places import FOUNDATION, STOCK, WASTE, WORK, Place
from referee.umpire.story import CENTRE, OFF_STOCK, Believed
from referee.umpire.telling import dropped
from referee.umpire.telling.dropped import Told

CENTRE_4, WASTE_0, WORK_3 = Place(FOUNDATION, 4), Place(WASTE, 0, "west"), Place(WORK, 3, "west")


def play(at: float, card: str, source: Place, target: Place, **more: object) -> Believed:
    event = Play(
        at=at,
        seat="west",
        cards=(card,),
        source=source.written_by("west"),
        target=target.written_by("west"),
        landed=(at - 0.1, at),
        frames=(round(at * 30), round(at * 30)),
    )
    return Believed(event, source, target, **more)  # type: ignore[arg-type]


def told(*events: Believed) -> list[Told]:
    return [(event, event, 0.95) for event in events]


def picked_up(events: list[Told], *, empty: bool = False) -> list[Told]:
    return dropped.picked_up(events, lambda place: empty and place == CENTRE_4)


FELL = play(11.2, "QH", WASTE_0, CENTRE_4, misfit=True)
LAID = play(12.8, "QH", CENTRE_4, WORK_3, misfit=True, under="KS", foul=CENTRE)
DRAW = Believed(Draw(at=12.0, seat="east", cards=("5C",)), None, Place(WASTE, 0, "east"))


def test_a_card_that_fell_is_laid_once_where_it_was_to_go() -> None:
    drawn, (_, laid, sure) = picked_up(told(FELL, DRAW, LAID))
    assert drawn[1] == DRAW
    assert (laid.source, laid.target, laid.at, laid.misfit, laid.foul) == (WASTE_0, WORK_3, 12.8, False, None)
    assert isinstance(laid.event, Play)
    assert (laid.event.source, laid.event.target) == ("waste", "work 3")
    assert laid.event.landed == pytest.approx((12.7, 12.8))
    assert sure == 0.95


def test_whose_it_was_shows_when_it_is_laid() -> None:
    waste = Place(WASTE, 0, "east")
    fell = replace(FELL, event=replace(FELL.event, seat="east"), source=waste)
    drawn = Believed(Draw(at=11.2, seat="east", cards=("??", "??", "??")), None, waste, caution=0.85)
    ((_, laid, sure),) = picked_up(told(drawn, fell, LAID))
    assert (laid.seat, laid.source, laid.target) == ("west", WASTE_0, WORK_3)
    assert isinstance(laid.event, Play) and laid.event.source == "waste"
    assert sure < 0.9


def test_one_like_it_that_is_laid_when_it_is_gone_is_the_same() -> None:
    other = play(12.8, "QH", Place(WASTE, 0, "east"), Place(FOUNDATION, 1), under="JH")
    other = replace(other, event=replace(other.event, seat="east"))
    assert picked_up(told(FELL, other)) == told(FELL, other)
    ((_, laid, sure),) = picked_up(told(FELL, other), empty=True)
    assert (laid.seat, laid.source, laid.target) == ("west", WASTE_0, Place(FOUNDATION, 1))
    assert not laid.misfit
    assert sure < 0.9


def test_where_it_was_to_go_still_has_to_be_right() -> None:
    ((_, laid, _),) = picked_up(told(FELL, replace(LAID, under="KH")))
    assert laid.misfit


@pytest.mark.parametrize(
    "events",
    [
        (FELL, play(16.0, "QH", CENTRE_4, WORK_3)),
        (FELL, play(12.8, "QH", CENTRE_4, WASTE_0)),
        (FELL, play(12.8, "QD", CENTRE_4, WORK_3)),
        (FELL, play(12.0, "JS", WORK_3, CENTRE_4, misfit=True), play(12.8, "QH", CENTRE_4, WORK_3)),
        (play(11.2, "AH", WASTE_0, CENTRE_4), play(12.8, "AH", CENTRE_4, WORK_3)),
    ],
    ids=["lay there", "put back", "another card", "something happened to it", "it belonged there"],
)
def test_anything_else_stays_as_it_was_seen(events: tuple[Believed, ...]) -> None:
    assert picked_up(told(*events)) == told(*events)


def test_where_a_card_came_from_is_known_no_better_than_before_it_went_on() -> None:
    """An ace off the stock, as it seemed for a while, lay on a work pile first."""
    stock, space = Place(STOCK, 0, "west"), Place(WORK, 2, "west")
    lay = play(9.6, "AD", stock, space, misfit=True, foul=OFF_STOCK)
    on = play(11.8, "AD", space, CENTRE_4)
    ((_, laid, sure),) = picked_up([(lay, lay, 0.85), (on, on, 0.97)])
    assert (laid.source, laid.target, laid.foul, sure) == (stock, CENTRE_4, OFF_STOCK, 0.85)
