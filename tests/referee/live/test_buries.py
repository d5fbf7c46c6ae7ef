"""A stock's top card that is put to the bottom (N14) is asked about: two backs side by side, and nothing on the waste."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from umpire_table import Eye, Table, umpired

from referee.live.reaching.buries import Buries
from referee.rules.events import INFERRED, Bury, Draw, Recycle
from referee.rules.places import STOCK, WASTE, WORK, Place
from referee.umpire.sights import outline
from referee.umpire.story import Believed, Lying
from vision.layout import Layout, SeenCard

MOVING = SimpleNamespace(now=5.0, moving=lambda region, within_s: 0.5)
FPS = 30


def buries(change: Any = MOVING) -> Buries:
    umpire = umpired(Table(0, 2.0), Eye(0, wrong=0.0, missed=0.0))
    return Buries(umpire, change)


def seat_of(asked: Buries) -> str:
    return asked.umpire.dealt_area.seats[0].seat


def glance(asked: Buries, aside_mm: float, at: float, side: Any = "back", shows: float = 1.0) -> None:
    """Seen of a stock: a back where it lies, and a card that lies so far beside it."""
    area = asked.umpire.dealt_area
    seat = area.seats[0]
    across, near = seat.spots[Place(STOCK, 0, seat.seat)]
    cards, sides = [], ("back", side)
    for away, which in zip((0.0, aside_mm), sides, strict=True):
        corners = area.seen(outline(seat.table(across + away, near), 0.0))
        card = SeenCard(np.asarray(corners), which, np.asarray(corners), 1.0, 0.95)
        card.visible_fraction = shows if away else 1.0
        cards.append(card)
    asked.see(seat.seat, at, round(at * FPS), Layout(1800, 1600, 2.0, cards, [], area.to_table))


def told(asked: Buries, now: float, *drawn: float) -> list[tuple[float, float]]:
    """When a bury is told, and how sure, with draws at these moments (s)."""
    seat = seat_of(asked)
    draws = [(Believed(Draw(at=at, seat=seat, cards=("??", "??", "2C"))), 1.0) for at in drawn]
    events = asked.told(draws, now)
    assert [e.at for e, _ in events] == sorted(e.at for e, _ in events)
    return [(event.at, sure) for event, sure in events if isinstance(event.event, Bury)]


@pytest.mark.parametrize("aside_mm", [-40.0, 40.0])
def test_it_is_asked_about_when_nothing_came_to_the_waste(aside_mm: float) -> None:
    asked = buries()
    for at in (5.0, 5.1):
        glance(asked, aside_mm, at)
    assert told(asked, 5.8) == []
    assert told(asked, 7.0, 1.0, 6.5) == [(5.1, INFERRED)]


def test_a_draw_is_none() -> None:
    asked = buries()
    glance(asked, 40.0, 5.0)
    assert told(asked, 9.0, 5.4) == [] and told(asked, 9.0, 4.8) == []
    # it takes its time where a packet is picked up badly
    assert told(asked, 9.0, 5.7) == []


@pytest.mark.parametrize(("turned_at", "asks"), [(4.5, False), (3.8, True)])
def test_nor_is_a_waste_that_was_just_turned_over(turned_at: float, asks: bool) -> None:
    asked = buries()
    glance(asked, 40.0, 5.0)
    turned = Believed(Recycle(at=turned_at, seat=seat_of(asked)))
    assert any(isinstance(one.event, Bury) for one, _ in asked.told([(turned, 1.0)], 9.0)) == asks


@pytest.mark.parametrize(("aside_mm", "side"), [(5.0, "back"), (40.0, "face"), (200.0, "back")])
def test_nor_is_a_pile_squared_up_or_any_other_card(aside_mm: float, side: str) -> None:
    asked = buries()
    glance(asked, aside_mm, 5.0, side)
    assert told(asked, 9.0) == []


def test_nor_is_a_stock_that_fingers_part_in_two() -> None:
    asked = buries()
    glance(asked, 20.0, 5.0, shows=0.62)
    assert told(asked, 9.0) == []


def test_nor_is_another_piles_card_that_is_taken_for_a_back() -> None:
    asked = buries()
    area = asked.umpire.dealt_area.seats[0]
    stock = Place(STOCK, 0, area.seat)
    works = [spot for place, spot in area.spots.items() if place.kind == WORK]
    across, near = min(works, key=lambda spot: abs(spot[0] - area.spots[stock][0]))
    way = float(np.sign(across - area.spots[stock][0]))
    # so near to the next column that its card lies where one that is drawn aside might
    area.spots[stock] = (across - 60.0 * way, near)
    for away_mm in (60.0, 30.0):
        asked._apart.clear()
        glance(asked, away_mm * way, 5.0, shows=0.8)
        assert bool(told(asked, 9.0)) == (away_mm == 30.0)


@pytest.mark.parametrize(("moves", "waste", "wanted"), [(0.5, 0, True), (0.0, 0, False), (0.5, 1, False)])
def test_only_what_is_touched_beside_an_empty_waste_is_glanced_at(
    moves: float, waste: int, wanted: bool
) -> None:
    asked = buries(SimpleNamespace(now=5.0, moving=lambda region, within_s: moves))
    seat = seat_of(asked)
    asked.umpire.beam.lay(Place(WASTE, 0, seat), (Lying("2C", seat),) * waste)
    asked.umpire.beam.lay(Place(STOCK, 0, seat), (Lying("??", seat, False),) * 30)
    assert (seat in dict(asked.wanted())) == wanted
    # and not again in the same moment
    assert seat not in dict(asked.wanted())
