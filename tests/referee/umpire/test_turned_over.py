"""A waste that is turned over too early (N11), and one that is only missed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from test_explain import BACK, SOUTH, face, read, table
from test_fouls import TOP, told, view

from referee.rules.events import Recycle
from referee.umpire.fouls.cleared import is_cleared
from referee.umpire.sights import Interval, View
from referee.umpire.story import Believed
from referee.umpire.trust.misfits import Misfits
from referee.umpire.trust.remembered import Remembered
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


def carried_off(
    *,
    bare: bool = True,
    gone_s: float = 0.5,
    came: str = "KS",
    came_s: float = 0.3,
    x: float = 5.0,
    plenty: bool = True,
) -> tuple[Believed, Remembered]:
    """South's 9D lies on the waste, which is gone at 3 s; the stock is never seen. A packet comes at 5 s."""
    event = Believed(
        Recycle(at=3.0, seat="south", frames=(90, 90)),
        SOUTH["stock"],
        SOUTH["waste"],
        misfit=True,
        foul="early",
        plenty=plenty,
    )
    seen = Remembered()
    seen.add(view(1.0, SOUTH["waste"], [face("2H")]))
    seen.add(view(2.0, SOUTH["waste"], TOP))
    for n in range(3):
        gone = replace(view(3.0 + 0.2 * n, SOUTH["waste"], []), untouched=3.0 - gone_s, bare=bare)
        gone.left = ("9D", (2.6, 2.7))
        seen.add(gone)
    for n in range(2):
        seen.add(view(5.0 + 0.1 * n, SOUTH["waste"], [face(came, x)], came_s))
    return event, seen


def test_a_waste_is_gone_where_the_bare_table_shows_though_nobody_sees_the_stock() -> None:
    event, seen = carried_off()
    assert is_cleared(event, seen) and Misfits().trust(event, seen, 6.0) == 1.0
    # of what was only said to lie there nobody knows how much was left
    assert Misfits(0.5, hearsay=True).trust(event, seen, 6.0) < 0.9


@pytest.mark.parametrize(
    "otherwise",
    [
        # a packet that was missed lies there
        {"bare": False},
        # three cards were played one after the other
        {"gone_s": 1.5},
        # it was held for a while and put back, then a packet was drawn; or it was moved
        {"came_s": 1.5},
        {"x": 40.0},
        # the round begins anew: the stock had run out
        {"came": "2H"},
        {"plenty": False},
    ],
)
def test_what_else_may_leave_the_bare_table_accuses_nobody(otherwise: dict[str, bool | float | str]) -> None:
    assert not is_cleared(*carried_off(**otherwise))  # type: ignore[arg-type]


def test_of_a_waste_turned_over_early_much_lay_there_and_much_was_left() -> None:
    waste = [view(1.0, SOUTH["waste"], TOP), *(view(3.0 + 0.1 * n, SOUTH["waste"], []) for n in range(3))]
    (much,) = told(table(waste="2C 4C 9D"), *waste)
    (few,) = told(table(waste="4C 9D"), *waste)
    assert (much.foul, much.plenty, few.foul, few.plenty) == ("early", True, "early", False)
