"""A waste that is turned over too early (N11), and one that is only missed."""

from __future__ import annotations

import pytest
from test_explain import BACK, SOUTH, face, read, table
from test_fouls import TOP, told, view

from referee.umpire.sights import Interval, View
from referee.umpire.story import Believed
from referee.umpire.trust.witness import trust


def turned_over(stock_as_before_s: float, looks: int, *stirred_s: float) -> float:
    """How far it is trusted that a waste was turned over with stock left, by a stock that looked as before until then,
    and otherwise already at these looks.
    """
    story = table(waste="4C 9D")
    waste = [view(1.0, SOUTH["waste"], TOP), *(view(3.0 + 0.1 * n, SOUTH["waste"], []) for n in range(looks))]
    stock = View(SOUTH["stock"], 3.5, 105, 3.3, [BACK], untouched=stock_as_before_s)
    (event,) = told(story, *waste, stock)
    assert (event.event.kind, event.foul) == ("recycle", "early")
    earlier = [view(at, SOUTH["stock"], [BACK]) for at in stirred_s]
    return trust(event, None, waste, [*earlier, stock])


def test_an_early_recycle_is_trusted_where_the_stock_was_seen_to_lie_there() -> None:
    assert turned_over(2.9, 3) > 0.9
    assert turned_over(0.5, 3) < 0.9
    # a packet that is drawn leaves the stock shortly before the waste changes; its top card may be missed
    assert turned_over(2.5, 3) < 0.9
    assert turned_over(2.9, 3, 2.6) < 0.9
    assert turned_over(2.9, 3, 0.9) > 0.9
    # nobody has laid it there yet
    assert turned_over(3.5, 3) < 0.9


@pytest.mark.parametrize(
    ("waste_s", "stock_s", "left_s", "sure"),
    [
        ((2.4, 3.0), (2.55, 3.4), None, True),
        # to the stock first, as whoever draws does; the arm lies over it on its way back, too
        ((2.7, 3.0), (2.55, 3.4), None, False),
        # over the waste to the stock, and back over it
        ((2.4, 3.0), (2.55, 3.05), (2.4, 2.42), False),
        # its top was taken well before, and an arm lies over the waste until the hand has left
        ((2.3, 3.0), (2.6, 2.95), (2.35, 2.45), True),
        ((2.3, 3.0), (2.6, 2.85), (2.35, 2.45), False),
        ((2.3, 3.0), (2.5, 2.95), (2.3, 2.35), False),
        # or nobody saw that; or when the stock was touched already
        ((2.3, 3.0), (2.6, 2.95), None, False),
        ((2.3, 3.0), (2.6, 2.95), (2.4, 2.55), False),
        # a card may have been played off it before, and a packet drawn
        ((2.1, 3.0), (2.6, 2.95), (2.35, 2.45), False),
    ],
)
def test_a_hand_that_turns_the_waste_over_goes_from_there_to_the_stock(
    waste_s: Interval, stock_s: Interval, left_s: Interval | None, sure: bool
) -> None:
    """It brushes the stock soon after it came to the waste; each was touched from then to then (s), its top left then."""
    story, (since, until) = table(waste="4C 9D"), waste_s
    waste = [view(1.0, SOUTH["waste"], TOP)]
    waste += [View(SOUTH["waste"], 3.2, 96, until, [], untouched=since), view(3.3, SOUTH["waste"], [], 0.0)]
    waste[1].left = None if left_s is None else ("9D", left_s)
    stock = View(SOUTH["stock"], 3.5, 105, stock_s[1], [BACK], untouched=stock_s[0])
    (event,) = told(story, *waste, stock)
    assert (event.event.kind, event.foul) == ("recycle", "early")
    assert (trust(event, None, waste, [stock]) > 0.9) == sure


@pytest.mark.parametrize(("still_s", "sure"), [(3.1, True), (2.45, False)])
def test_backs_laid_on_a_stock_leave_it_looking_as_before(still_s: float, sure: bool) -> None:
    """It lay still up to then (s); whoever brushed it on the way to the waste may have laid nothing there."""
    story, waste = table(waste="4C 9D"), [view(1.0, SOUTH["waste"], TOP)]
    waste += [View(SOUTH["waste"], 3.1, 93, 3.0, [], untouched=2.4), view(3.3, SOUTH["waste"], [], 0.0)]
    first = View(SOUTH["stock"], 3.1, 93, 0.9, [BACK], untouched=0.4, steady=0.4)
    stock = View(SOUTH["stock"], 3.8, 114, 3.6, [BACK], untouched=3.8, steady=still_s)
    (event,) = told(story, *waste, stock)
    assert (event.event.kind, event.foul) == ("recycle", "early")
    assert (trust(event, None, waste, [first, stock]) > 0.9) == sure


def test_a_waste_that_is_missed_was_not_turned_over() -> None:
    """Twice, after the hand that drew had left: its stock lies untouched until the next packet is drawn."""
    story, waste, stock = table(waste="4C 9D"), SOUTH["waste"], SOUTH["stock"]
    seen = [view(1.0, waste, TOP), view(3.0, waste, [], 0.1), view(3.2, waste, [], 0.0)]
    drawn, stirred = view(4.1, waste, [face("KS")]), view(4.2, stock, [BACK], 0.6)
    (event, *_) = told(story, *seen, view(3.3, stock, [BACK], 0.0), stirred, drawn)
    assert (event.event.kind, event.foul) == ("recycle", "early")
    still = view(3.3, stock, [BACK], 0.0)
    assert trust(event, None, [*seen, drawn], [still, stirred]) < 0.9
    assert trust(event, None, seen, [still]) < 0.9
    # a hand lays it there, and draws a packet a second later
    laid = view(3.7, stock, [BACK], 0.3)
    assert trust(event, None, [*seen, view(4.9, waste, [face("KS")])], [still, laid]) > 0.9


def test_a_waste_that_is_missed_once_was_not_turned_over() -> None:
    assert told(table(waste="4C 9D"), view(3.0, SOUTH["waste"], [])) == []


@pytest.mark.parametrize(
    ("chance", "landed", "deeds"),
    [
        (0.999, (0.9, 0.95), ["draw", "recycle"]),
        # read unsurely, or not seen to come to rest: a card that was carried past
        (0.6, (0.9, 0.95), []),
        (0.999, None, []),
    ],
)
def test_a_single_card_that_rested_on_a_waste_was_no_illusion(
    chance: float, landed: tuple[float, float] | None, deeds: list[str]
) -> None:
    """One look at it, and the waste lies empty again: it was drawn, and turned over."""
    waste = SOUTH["waste"]
    drawn = view(1.0, waste, [read({"5C": chance}, (0.0, 0.0))])
    drawn.landed = landed
    empty = [view(3.0, waste, [], 0.6), *(View(waste, at, 99, 3.0, [], untouched=at) for at in (3.2, 3.4))]
    told_ = told(table(waste="", stock="?? " * 9, north__nerts="KC"), drawn, *empty)
    assert [event.event.kind for event in told_] == deeds


def gone(changed: bool, looks: int) -> list[Believed]:
    waste = [view(1.0, SOUTH["waste"], TOP)]
    for number in range(looks):
        empty = view(3.0 + 0.2 * number, SOUTH["waste"], [])
        empty.untouched = empty.rested - 0.5 if changed and not number else empty.at
        waste.append(empty)
    return told(table(waste="4C 9D"), *waste)


def test_a_waste_that_looks_otherwise_than_with_its_cards_was_not_missed() -> None:
    (event,) = gone(True, 2)
    assert (event.event.kind, event.foul) == ("recycle", "early")
    assert gone(False, 2) == []
