"""Turns at a simulated table: one card drawn at a time, discarded to end the turn."""

from __future__ import annotations

from referee.players.sim import DECK, Breach, Sim
from referee.rules.events import Draw, Event, Play, Recycle, TakeBack


class TurnSim(Sim):
    """Two players with a stock, a hand and a discard pile each. The first seat begins."""

    def deal_stocks(self, cards: list[str]) -> None:
        """The cards in two stocks."""
        half = len(cards) // 2
        self.turn, self.drawn, self.turns = self.seats[0], False, 0
        for number, seat in enumerate(self.seats):
            self.piles[f"{seat} stock"] = cards[number * half : (number + 1) * half]
            self.piles[f"{seat} hand"], self.piles[f"{seat} discard"] = [], []

    def shuffled(self) -> list[str]:
        """A shuffled deck."""
        cards = list(DECK)
        self.rng.shuffle(cards)
        return cards

    def other(self, seat: str) -> str:
        """The opponent."""
        return self.seats[1 - self.seats.index(seat)]

    def to_act(self) -> list[str]:
        """Whose turn it is."""
        return [] if self.over else [self.turn]

    def held(self, seat: str) -> str:
        """The drawn card, "" if there is none."""
        return self.top(f"{seat} hand")

    def next_card(self, seat: str) -> list[Event]:
        """The draw that comes next, or the turning over that must come first."""
        if self.piles[f"{seat} stock"]:
            return [self.draw(seat)]
        return [Recycle(seat=seat)] if self.piles[f"{seat} discard"] else []

    def note(self, event: Event) -> None:
        """Whose turn it is after an event, and whether somebody has won."""
        seat = str(event.seat)
        if isinstance(event, Draw) and seat == self.turn:
            self.drawn = True
        if not isinstance(event, Play):
            return
        if not any(self.piles[f"{seat} {kind}"] for kind in ("stock", "hand", "discard")):
            self.over = True
        elif (event.source, event.target, seat) == ("hand", "discard", self.turn):
            self.turn, self.drawn, self.turns = self.other(seat), False, self.turns + 1

    # -- breaches that both games know ---------------------------------------------------------------------

    def out_of_turn(self, seat: str) -> Breach | None:
        """The opponent draws; the card stays in the opponent's hand until its own turn."""
        other = self.other(seat)
        return self._drawn_and_put_back(other) if not self.held(other) else None

    def _drawn_and_put_back(self, seat: str) -> Breach | None:
        if len(self.piles[f"{seat} stock"]) < 2:
            return None
        draw = self.draw(seat)
        return Breach([draw, TakeBack(seat=seat, cards=draw.cards, source="hand", target="stock")])

    def second_draw(self, seat: str) -> Breach | None:
        """A card is drawn with the last one in hand, and put back."""
        return self._drawn_and_put_back(seat) if self.held(seat) else None

    def early_recycle(self, seat: str) -> Breach | None:
        """The discard pile is turned over with stock left."""
        stock, discard = self.piles[f"{seat} stock"], self.piles[f"{seat} discard"]
        return Breach([Recycle(seat=seat)]) if stock and discard and not self.held(seat) else None
