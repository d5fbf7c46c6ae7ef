"""California Jacks at a simulated table."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import ClassVar

from referee.players.sim import DECK, Breach, Recipe, Sim, rank
from referee.rules.events import Deal, Draw, Event, Play, TakeBack


def _height(card: str) -> int:
    """A card's rank with the ace high."""
    return 14 if rank(card) == 1 else rank(card)


class CaliforniaJacksSim(Sim):
    """Two hands, a trick and the deck between. The first seat leads."""

    hidden: ClassVar[Mapping[str, int]] = {"hand": 0, "stock": 1}

    def deal(self) -> list[Event]:
        """A card is cut, six cards each, the rest between the players."""
        cards = list(DECK)
        cut = self.rng.choice(cards)
        self.rng.shuffle(cards)
        self.trump, self.leader, self.tricks = cut[1], "", 0
        #: Who is to draw still.
        self.draws: list[str] = []
        self.winner = self.seats[0]
        self.piles = {f"{seat} hand": [cards.pop() for _ in range(6)] for seat in self.seats}
        self.piles |= {f"{seat} won": [] for seat in self.seats} | {"stock": cards, "trick": []}
        hands = [Deal(seat=s, piles={"hand": tuple(self.piles[f"{s} hand"])}) for s in self.seats]
        return [Deal(piles={"stock": tuple(cards), "cut": (cut,)}), *hands]

    def drawing(self, seat: str) -> tuple[str, str]:
        """From the deck between the players."""
        return "stock", f"{seat} hand"

    def other(self, seat: str) -> str:
        """The opponent."""
        return self.seats[1 - self.seats.index(seat)]

    def to_act(self) -> list[str]:
        """Who draws, leads or answers."""
        if self.over:
            return []
        if self.leader:
            return [self.other(self.leader)]
        return self.draws[:1] or [self.winner]

    def moves(self, seat: str) -> list[Event]:
        """The draw that is due, or a card."""
        if not self.leader and self.draws:
            return [self.draw(seat)]
        return [self.play(seat, card, "hand", "trick") for card in self._allowed(seat)]

    def _allowed(self, seat: str) -> list[str]:
        hand = self.pile(f"{seat} hand")
        if not self.leader:
            return hand
        led = self.top("trick")[1]
        follows = [card for card in hand if card[1] == led]
        return follows or [card for card in hand if card[1] == self.trump] or hand

    def worth(self, event: Event) -> float:
        """High cards first, but cheap ones where nothing can be won."""
        if not isinstance(event, Play):
            return 0.0
        card = event.cards[0]
        if not self.leader:
            return float(_height(card))
        wins = self._beats(card, self.top("trick"))
        return 20.0 - _height(card) if wins else 1.0 / _height(card)

    def _beats(self, answer: str, lead: str) -> bool:
        if answer[1] == lead[1]:
            return _height(answer) > _height(lead)
        return answer[1] == self.trump

    def note(self, event: Event) -> None:
        """Who leads, who has won, who draws."""
        seat = str(event.seat)
        if isinstance(event, Draw):
            self.draws.remove(seat)
        elif isinstance(event, Play) and event.target == "trick" and not self.leader:
            self.leader = seat
        elif isinstance(event, Play) and event.target == "trick" and seat != self.leader:
            lead, answer = self.piles["trick"][0], self.piles["trick"][-1]
            self.winner = seat if self._beats(answer, lead) else self.leader
            self.piles[f"{self.winner} won"] += self.piles["trick"]
            self.piles["trick"] = []
            self.leader, self.tricks = "", self.tricks + 1
            self.draws = [self.winner, self.other(self.winner)] if self.piles["stock"] else []
            self.over = not any(self.piles[f"{s} hand"] for s in self.seats)

    # -- breaches ------------------------------------------------------------------------------------------

    def recipes(self) -> Mapping[str, Recipe]:
        """One or more ways to break each rule that a play can break."""
        return {
            "J2": self.either(self._revoke, self._second_card),
            "J3": self.either(self._loser_draws, self._loser_leads),
        }

    def _revoke(self, seat: str, rng: Random) -> Breach | None:
        if not self.leader:
            return None
        hand, allowed = self.pile(f"{seat} hand"), self._allowed(seat)
        wrong = [card for card in hand if card not in allowed]
        return self.some([self.play(seat, card, "hand", "trick") for card in wrong], rng)

    def _second_card(self, seat: str, rng: Random) -> Breach | None:
        leader = self.leader
        if not leader or not self.pile(f"{leader} hand"):
            return None
        card = rng.choice(self.pile(f"{leader} hand"))
        back = TakeBack(seat=leader, cards=(card,), source="trick", target="hand")
        return Breach([self.play(leader, card, "hand", "trick"), back])

    def _loser_draws(self, seat: str, rng: Random) -> Breach | None:
        if self.leader or len(self.draws) < 2:
            return None
        return Breach([self.draw(self.other(self.winner))])

    def _loser_leads(self, seat: str, rng: Random) -> Breach | None:
        loser = self.other(self.winner)
        if self.leader or self.draws or not self.tricks or not self.pile(f"{loser} hand"):
            return None
        return Breach([self.play(loser, rng.choice(self.pile(f"{loser} hand")), "hand", "trick")])
