"""Cards that are hidden and come to light: staircases, Nut piles that lie face up, open nerts and their stack."""

from __future__ import annotations

import numpy as np
import pytest

from referee.rules.cards import UNKNOWN
from referee.rules.events import Play, Turn
from referee.rules.places import FOUNDATION, NERTS, STOCK, WORK, Place
from referee.umpire.beam import Beam
from referee.umpire.odds import Odds
from referee.umpire.sights import FACE_INDEX, READING_FLOOR, Sight, View
from referee.umpire.story import Lying, Story

FIRST, SECOND = Place(WORK, 1, "south"), Place(WORK, 2, "south")
NUTS, CENTRE = Place(NERTS, 0, "south"), Place(FOUNDATION, 1)
STEP = 18.0


def face(name: str, y: float = 0.0, visible: float = 1.0) -> Sight:
    p = np.full(52, READING_FLOOR)
    p[FACE_INDEX[name]] = 0.99
    return Sight((0.0, y), True, np.log(p), visible)


def back(y: float = 0.0, visible: float = 1.0) -> Sight:
    return Sight((0.0, y), False, np.full(52, np.log(1 / 52)), visible)


def hidden(count: int) -> tuple[Lying, ...]:
    return tuple(Lying(UNKNOWN, "south", False, (0.0, STEP * n)) for n in range(count))


def up(*names: str, above: int = 0) -> tuple[Lying, ...]:
    return tuple(Lying(name, "south", True, (0.0, STEP * (above + n))) for n, name in enumerate(names))


def beam(**more: tuple[Lying, ...]) -> Beam:
    """South's first work pile is 9H on two hidden cards, the second TS alone; the top of the Nut pile is 5C, face up."""
    piles = {
        FIRST: (*hidden(2), *up("9H", above=2)),
        SECOND: up("TS"),
        NUTS: tuple(Lying(UNKNOWN, "south", True) for _ in range(10)) + up("5C"),
        Place(STOCK, 0, "south"): (Lying(UNKNOWN, "south", False),) * 20,
    }
    named = {"nuts": NUTS, "slot": Place(NERTS, 1, "south"), "centre": CENTRE}
    return Beam(Story(piles | {named[name]: pile for name, pile in more.items()}), Odds())


def look(beam: Beam, place: Place, at: float, *sights: Sight) -> list[str]:
    """What the likeliest story tells once this was seen."""
    beam.push(View(place, at, round(30 * at), at, list(sights)))
    return [str(event).split(maxsplit=1)[1] for event in beam.best.events()]


def test_strips_of_hidden_cards_are_no_news() -> None:
    table = beam()
    assert look(table, FIRST, 1.0, back(0.0, 0.2), back(STEP, 0.2), face("9H", 2 * STEP)) == []
    assert look(table, FIRST, 2.0, face("9H", 2 * STEP)) == []


def test_u3_the_card_under_a_block_that_went_is_turned_up() -> None:
    table = beam()
    told = look(table, SECOND, 1.0, face("TS", 0.0, 0.2), face("9H", STEP))
    assert told == ["south play 9H south work 1 → south work 2"]
    assert look(table, FIRST, 1.5, back(0.0, 0.2), back(STEP)) == told
    assert look(table, FIRST, 2.0, back(0.0, 0.2), face("4D", STEP)) == [*told, "south turn 4D south work 1"]
    assert [card.face for card in table.best.pile(FIRST)] == [UNKNOWN, "4D"]
    assert [card.up for card in table.best.pile(FIRST)] == [False, True]


def test_the_turned_card_is_seen_before_the_one_that_lay_on_it_lands() -> None:
    table = beam()
    look(table, FIRST, 1.0, face("4D", STEP))
    told = look(table, SECOND, 1.5, face("TS", 0.0, 0.2), face("9H", STEP))
    assert sorted(told) == ["south play 9H south work 1 → south work 2", "south turn 4D south work 1"]


def test_a_card_that_was_turned_and_built_on_between_two_looks() -> None:
    table = beam()
    look(table, SECOND, 1.0, face("TS", 0.0, 0.2), face("9H", STEP))
    told = look(table, FIRST, 3.0, face("6D", STEP, 0.2), face("5C", 2 * STEP))
    assert told[1:] == ["south turn 6D south work 1", "south play 5C south nerts → south work 1"]


def test_a_block_takes_no_hidden_card_along() -> None:
    table = beam()
    look(table, SECOND, 1.0, face("TS", 0.0, 0.2), face("9H", STEP))
    assert [len(table.best.pile(place)) for place in (FIRST, SECOND)] == [2, 2]
    assert not table.best.pile(FIRST)[-1].up


def test_u1_of_a_pile_that_lies_face_up_the_next_card_is_not_turned() -> None:
    table = beam(centre=up("4C"))
    look(table, NUTS, 1.0, face("KD"))
    told = look(table, CENTRE, 1.2, face("5C"))
    assert told == ["south play 5C south nerts → foundation 1"]
    assert not any(isinstance(event.event, Turn) for event in table.best.events())
    assert table.best.pile(NUTS)[-1][:3] == ("KD", "south", True)


def test_two_cards_of_such_a_pile_played_between_two_looks() -> None:
    table = beam(centre=up("4C"))
    look(table, NUTS, 2.0, face("KD"))
    look(table, CENTRE, 2.2, face("6C"))
    told = look(table, CENTRE, 2.4, face("6C"))
    assert told == ["south play 5C south nerts → foundation 1", "south play 6C south nerts → foundation 1"]
    assert len(table.best.pile(NUTS)) == 9


def twelve(stack: int) -> Beam:
    return beam(
        nuts=tuple(Lying(UNKNOWN, "south", False) for _ in range(stack)), slot=up("8D"), centre=up("7D")
    )


def test_t2_a_played_nert_is_replaced_from_the_stack() -> None:
    table, slot = twelve(8), Place(NERTS, 1, "south")
    played = look(table, CENTRE, 1.0, face("8D"))
    assert played == ["south play 8D south nerts 1 → foundation 1"]
    assert look(table, slot, 1.2) == played
    assert look(table, NUTS, 1.2, back()) == played
    told = look(table, slot, 2.0, face("QC"))
    assert told == [*played, "south play QC south nerts → south nerts 1"]
    assert len(table.best.pile(NUTS)) == 7
    replaced = table.best.events()[-1]
    assert isinstance(replaced.event, Play) and not replaced.misfit and replaced.caution == 1.0
    assert not any(isinstance(event.event, Turn) for event in table.best.events())


@pytest.mark.parametrize("stack", [0, 3])
def test_an_open_nert_stays_empty_when_the_stack_is_used_up(stack: int) -> None:
    table, slot = twelve(stack), Place(NERTS, 1, "south")
    look(table, CENTRE, 1.0, face("8D"))
    look(table, slot, 1.2)
    assert table.best.pile(slot) == () and len(table.best.pile(NUTS)) == stack
    assert look(table, NUTS, 1.5, *([back()] if stack else []))[1:] == []


def test_a_block_of_which_only_the_first_cards_are_seen_at_first_came_as_a_whole() -> None:
    """It reaches beyond the part of the picture that was looked at."""
    block, third = ["TD", "9S", "8H", "7C", "6D", "5S"], Place(WORK, 3, "south")
    table = beam()
    table.stories[0].piles |= {SECOND: up(*block), third: up("JS")}
    assert look(table, SECOND, 1.0) == []
    strips = [face(name, STEP * n, 0.2) for n, name in enumerate(["JS", *block])]
    look(table, third, 1.2, *strips[:4])
    strips[-1] = face("5S", 6 * STEP)
    told = look(table, third, 1.4, *strips)
    assert told == ["south play TD 9S 8H 7C 6D 5S south work 2 → south work 3"]


def test_a_card_laid_on_a_column_that_moved_on_before_anybody_looked() -> None:
    """A hand that holds a card moves no others: the card had been laid down first."""
    table, third = beam(), Place(WORK, 3, "south")
    table.stories[0].piles |= {FIRST: up("6D"), third: up("7S")}
    look(table, NUTS, 1.0, face("KD"))
    told = look(table, third, 2.4, face("7S", 0.0, 0.2), face("6D", STEP, 0.2), face("5C", 2 * STEP))
    assert told == [
        "south play 5C south nerts → south work 1",
        "south play 6D 5C south work 1 → south work 3",
    ]
    assert [round(event.at, 1) for event in table.best.events()] == [1.5, 2.4]


def test_a_card_taken_after_the_column_moved_was_laid_on_it_there() -> None:
    table, third = beam(), Place(WORK, 3, "south")
    table.stories[0].piles |= {FIRST: up("6D"), third: up("7S")}
    look(table, FIRST, 1.0)
    look(table, NUTS, 1.8, face("KD"))
    told = look(table, third, 2.4, face("7S", 0.0, 0.2), face("6D", STEP, 0.2), face("5C", 2 * STEP))
    assert told == [
        "south play 6D south work 1 → south work 3",
        "south play 5C south nerts → south work 3",
    ]


def test_a_nert_that_was_replaced_and_played_on_between_two_looks() -> None:
    table, slot = twelve(8), Place(NERTS, 1, "south")
    played = look(table, CENTRE, 1.0, face("8D"))
    look(table, slot, 1.2)
    told = look(table, Place(FOUNDATION, 2), 3.0, face("AH"))
    assert told == [
        *played,
        "south play AH south nerts → south nerts 1",
        "south play AH south nerts 1 → foundation 2",
    ]
    assert len(table.best.pile(NUTS)) == 7 and table.best.pile(slot) == ()


def test_a_card_in_hand_is_not_laid_back_where_it_came_from() -> None:
    table = beam()
    table.stories[0].piles |= {FIRST: up("TD", "9S"), NUTS: ()}
    look(table, FIRST, 1.0, face("TD"))
    told = look(table, SECOND, 3.0, face("TS", 0.0, 0.2), face("9D", STEP))
    assert not [line for line in told if "work 1 → south work 1" in line]
