"""Pishe Pasha at a simulated table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import ClassVar

from referee.players.sim import Breach, Recipe, builds_up, rank
from referee.players.turns import TurnSim
from referee.rules.events import Call, Deal, Draw, Event, Play, Recycle


class PishePashaSim(TurnSim):
    """Two stocks of 26, foundations between them."""

    hidden: ClassVar[Mapping[str, int]] = {"stock": 0}

    def deal(self) -> list[Event]:
        """26 cards each."""
        self.piles = {}
        self.deal_stocks(self.shuffled())
        return [Deal(seat=s, piles={"stock": tuple(self.piles[f"{s} stock"])}) for s in self.seats]

    def foundation_for(self, card: str) -> str:
        """The foundation that a card fits, a new one for an ace, "" if none."""
        if not card:
            return ""
        if rank(card) == 1:
            return self.free("foundation")
        return next((p for p in self.places("foundation") if builds_up(card, self.top(p))), "")

    def fits_opponent(self, card: str, seat: str) -> bool:
        """Whether a card goes on the opponent's discard pile."""
        onto = self.top(f"{self.other(seat)} discard")
        return bool(card and onto) and abs(rank(card) - rank(onto)) == 1

    def moves(self, seat: str) -> list[Event]:
        """What must be played, else what may be."""
        return list(self._moves(seat))

    def _moves(self, seat: str) -> Iterator[Event]:
        held, top = self.held(seat), self.top(f"{seat} discard")
        opponent = f"{self.other(seat)} discard"
        due = self.foundation_for(top)
        if due:
            yield self.play(seat, top, f"{seat} discard", due)
        if self.fits_opponent(top, seat):
            yield self.play(seat, top, f"{seat} discard", opponent)
        if not held:
            yield from [] if due else self.next_card(seat)
        elif self.foundation_for(held):
            yield self.play(seat, held, f"{seat} hand", self.foundation_for(held))
        else:
            if self.fits_opponent(held, seat):
                yield self.play(seat, held, f"{seat} hand", opponent)
            if not due:
                yield self.play(seat, held, f"{seat} hand", f"{seat} discard")

    def worth(self, event: Event) -> float:
        """Rid of cards first."""
        if isinstance(event, Play):
            return 0.0 if event.target == "discard" else 2.0
        return 1.0

    def recipes(self) -> Mapping[str, Recipe]:
        """One or more ways to break each rule that a play can break."""
        return {
            "S1": self._wrong_foundation,
            "S2": self.either(
                lambda seat, rng: self.out_of_turn(seat),
                lambda seat, rng: self.second_draw(seat),
                self._missed_drawn,
                self._missed_top,
                self._wrong_opponent,
                self._buried_discard,
            ),
            "S3": self._no_pile_yet,
            "S4": self._early_recycle,
            "S5": self._false_stop,
        }

    def _wrong_foundation(self, seat: str, rng: Random) -> Breach | None:
        held = self.held(seat)
        if not held or self.foundation_for(held):
            return None
        places = [*self.places("foundation"), self.free("foundation")]
        return self.some([self.play(seat, held, f"{seat} hand", place) for place in places], rng)

    def _missed_drawn(self, seat: str, rng: Random) -> Breach | None:
        held = self.held(seat)
        if not self.foundation_for(held):
            return None
        return Breach([self.play(seat, held, f"{seat} hand", f"{seat} discard")])

    def _missed_top(self, seat: str, rng: Random) -> Breach | None:
        top, stock = self.top(f"{seat} discard"), self.piles[f"{seat} stock"]
        if self.held(seat) or not self.foundation_for(top):
            return None
        if stock:
            return Breach([self.draw(seat)])
        first = self.piles[f"{seat} discard"][0]
        return Breach([Recycle(seat=seat), Draw(seat=seat, cards=(first,))], at=1)

    def _wrong_opponent(self, seat: str, rng: Random) -> Breach | None:
        held = self.held(seat)
        opponent = f"{self.other(seat)} discard"
        if not held or not self.top(opponent) or self.fits_opponent(held, seat) or self.foundation_for(held):
            return None
        return Breach([self.play(seat, held, f"{seat} hand", opponent)])

    def _buried_discard(self, seat: str, rng: Random) -> Breach | None:
        pile, opponent = self.pile(f"{seat} discard"), f"{self.other(seat)} discard"
        fitting = [card for card in pile[:-1] if self.fits_opponent(card, seat)]
        return self.some([self.play(seat, card, f"{seat} discard", opponent) for card in fitting], rng)

    def _early_recycle(self, seat: str, rng: Random) -> Breach | None:
        return None if self.foundation_for(self.top(f"{seat} discard")) else self.early_recycle(seat)

    def _no_pile_yet(self, seat: str, rng: Random) -> Breach | None:
        held, opponent = self.held(seat), f"{self.other(seat)} discard"
        if self.turns or not held or self.foundation_for(held) or self.top(opponent):
            return None
        return Breach([self.play(seat, held, f"{seat} hand", opponent)])

    def _false_stop(self, seat: str, rng: Random) -> Breach | None:
        """A call of Stop with nothing to correct; it may be right once a rule was broken."""
        return None if self.breached else Breach([Call(seat=seat, word="Stop", choice="correct")])
