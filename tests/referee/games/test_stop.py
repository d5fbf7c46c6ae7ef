"""Stop in Pishe Pasha (S5): whatever was wrong, and however it is put right, nothing else is accused.

A player breaks a rule, the opponent calls Stop and chooses, the wrong is put right in one of the ways in which
people do that and write it down, and the hand goes on by the rules.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from referee.players.pishe_pasha import PishePashaSim
from referee.players.play import header_for
from referee.record.check import check_lines
from referee.record.lines import write_record
from referee.rules.events import Call, Event, Play, Recycle, TakeBack

HEADER = header_for("pishe-pasha")
Way = Callable[["Table"], None]


class Table:
    """A hand as it is played and written."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.sim = PishePashaSim(HEADER.names, HEADER.settings, self.rng)
        self.events: list[Event] = self.sim.deal()
        self.wrong: list[int] = []
        self.calls: list[int] = []
        self.offender = ""
        self.mistake: Event | None = None

    def write(self, event: Event) -> int:
        """It happens and is written; its index."""
        self.sim.do(event)
        self.events.append(event)
        return len(self.events)

    def moves(self, cards: str, source: str, target: str) -> Play:
        return Play(seat=self.offender, cards=(cards,), source=source, target=target)

    def back(self, card: str, source: str, target: str) -> None:
        self.write(TakeBack(seat=self.offender, cards=(card,), source=source, target=target))

    def pass_on(self) -> None:
        """The offender's turn is over, if it is not yet."""
        if self.sim.turn == self.offender:
            self.sim.turn, self.sim.drawn = self.sim.other(self.offender), False
            self.sim.turns += 1

    def give_back(self) -> None:
        """It is the offender's turn again."""
        if self.sim.turn != self.offender:
            self.sim.turn, self.sim.turns = self.offender, self.sim.turns - 1

    @property
    def card(self) -> str:
        assert isinstance(self.mistake, Play)
        return self.mistake.cards[0]

    @property
    def lies(self) -> str:
        assert isinstance(self.mistake, Play)
        return self.mistake.target

    def put_down(self) -> None:
        """What the offender holds goes onto the discard pile without a line."""
        own = f"{self.offender} "
        self.sim.piles[own + "discard"] += self.sim.piles[own + "hand"]
        self.sim.piles[own + "hand"] = []
        self.pass_on()


# -- a card put where it does not belong ------------------------------------------------------------------


def take_back_and_discard(table: Table) -> None:
    table.back(table.card, table.lies, "hand")
    table.write(table.moves(table.card, "hand", "discard"))
    table.pass_on()


def straight_onto_the_discard(table: Table) -> None:
    table.write(table.moves(table.card, table.lies, "discard"))
    table.pass_on()


def leave_it(table: Table) -> None:
    table.pass_on()


def take_back_and_go_on(table: Table) -> None:
    table.back(table.card, table.lies, "hand")


# -- a drawn card that had to go to a foundation and was discarded ------------------------------------------


def play_it_after_all(table: Table) -> None:
    table.give_back()
    table.back(table.card, "discard", "hand")
    table.write(table.moves(table.card, "hand", table.sim.foundation_for(table.card)))


def play_it_from_the_discard(table: Table) -> None:
    table.give_back()
    table.write(table.moves(table.card, "discard", table.sim.foundation_for(table.card)))


# -- a draw before the discard's top had gone to a foundation -----------------------------------------------


def holds(table: Table) -> str:
    return table.sim.held(table.offender)


def discard_what_is_held(table: Table) -> None:
    table.write(table.moves(holds(table), "hand", "discard"))
    table.pass_on()


def held_goes_down_unwritten(table: Table) -> None:
    table.put_down()


def undraw_and_end(table: Table) -> None:
    table.back(holds(table), "hand", "stock")
    table.pass_on()


def play_the_top(table: Table) -> None:
    top = table.sim.top(f"{table.offender} discard")
    table.write(table.moves(top, "discard", table.sim.foundation_for(top)))


def undraw_and_play_the_top(table: Table) -> None:
    table.back(holds(table), "hand", "stock")
    play_the_top(table)


MISTAKES: dict[str, tuple[str, dict[str, list[Way]]]] = {
    "wrong foundation": (
        "_wrong_foundation",
        {
            "end-turn": [take_back_and_discard, straight_onto_the_discard, leave_it],
            "correct": [take_back_and_go_on],
        },
    ),
    "wrong pile": (
        "_wrong_opponent",
        {
            "end-turn": [take_back_and_discard, straight_onto_the_discard, leave_it],
            "correct": [take_back_and_go_on],
        },
    ),
    "missed with the drawn card": (
        "_missed_drawn",
        {"end-turn": [leave_it], "correct": [play_it_after_all, play_it_from_the_discard]},
    ),
    "missed before a draw": (
        "_missed_top",
        {
            "end-turn": [discard_what_is_held, held_goes_down_unwritten, undraw_and_end],
            "correct": [play_the_top, undraw_and_play_the_top],
        },
    ),
}
#: Every choice as it is called, and not written at all.
CASES = [
    pytest.param(recipe, said, way, id=f"{mistake}, {choice}{'' if said else ' unsaid'}: {way.__name__}")
    for mistake, (recipe, choices) in MISTAKES.items()
    for choice, ways in choices.items()
    for way in ways
    for said in (choice, None)
]


def play_on(table: Table, recipe: str, choice: str | None, way: Way, *, stops: int = 3) -> None:
    """A hand with some mistakes, each called and put right."""
    sim = table.sim
    while not sim.over and len(table.events) < 160:
        seat = sim.turn
        breach = getattr(sim, recipe)(seat, table.rng) if len(table.calls) < stops else None
        plain = breach is not None and not any(isinstance(event, Recycle) for event in breach.events)
        if plain and sim.piles[f"{seat} stock"] and table.rng.random() < 0.5:
            table.offender, table.mistake = seat, breach.events[0]
            table.wrong.append(table.write(breach.events[0]))
            call = Call(seat=sim.other(seat), word="Stop", choice=choice)
            table.calls.append(table.write(call))
            way(table)
            continue
        moves = sim.moves(seat)
        if not moves:
            break
        table.write(table.rng.choice(moves))


@pytest.mark.parametrize(("recipe", "choice", "way"), CASES)
def test_only_the_mistake_is_accused_and_the_call_is_right(recipe: str, choice: str | None, way: Way) -> None:
    called = 0
    for seed in range(12):
        table = Table(seed)
        play_on(table, recipe, choice, way)
        result = check_lines(write_record(HEADER, table.events).splitlines(keepends=True))
        assert result.errors == []
        said = [(r.verdict, max(r.of) if r.rule == "S5" else r.of[0]) for r in result.rulings]
        wanted = [("illegal", at) for at in table.wrong] + [("legal", at) for at in table.calls]
        assert sorted(set(said)) == sorted(wanted), (seed, [str(r) for r in result.rulings])
        called += len(table.calls)
    assert called > 5
