"""Double Solitaire at a simulated table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import ClassVar

from referee.players.sim import Breach, Recipe, builds_down, builds_up, is_red, rank
from referee.players.turns import TurnSim
from referee.rules.events import Deal, Event, Play

CENTRES = [f"centre {number}" for number in range(1, 5)]


class DoubleSolitaireSim(TurnSim):
    """Four centre piles, side stacks, and what two players do with them."""

    hidden: ClassVar[Mapping[str, int]] = {"stock": 0}

    def deal(self) -> list[Event]:
        """Four centre cards, 24 cards each."""
        cards = self.shuffled()
        self.piles = {place: [cards.pop()] for place in CENTRES}
        self.deal_stocks(cards)
        self.flagged: set[str] = set()
        common = {place: tuple(self.piles[place]) for place in CENTRES}
        stocks = [Deal(seat=s, piles={"stock": tuple(self.piles[f"{s} stock"])}) for s in self.seats]
        return [Deal(piles=common), *stocks]

    # -- what fits -----------------------------------------------------------------------------------------

    def side_for(self, card: str) -> str:
        """The side stack that a card fits, or the place where its ace begins one; "" if none."""
        sides = self.places("side")
        for place in sides:
            if builds_up(card, self.top(place)):
                return place
        begun = {self.pile(place)[0][1] for place in sides}
        if rank(card) == 1 and len(sides) < 4 and card[1] not in begun:
            return next(place for place in ("side 1", "side 2", "side 3", "side 4") if not self.top(place))
        return ""

    def fits_opponent(self, card: str, seat: str) -> bool:
        """Whether a card goes on the opponent's discard pile."""
        onto = self.top(f"{self.other(seat)} discard")
        return bool(onto) and abs(rank(card) - rank(onto)) == 1 and is_red(card) != is_red(onto)

    def moves(self, seat: str) -> list[Event]:
        """Plays of the turn, a draw, the discard."""
        found: list[Event] = [] if self.held(seat) else self.next_card(seat)
        if self.drawn:
            found += self._plays(seat)
        return found

    def _plays(self, seat: str) -> Iterator[Event]:
        for place in (f"{seat} hand", f"{seat} discard", *CENTRES, *self.places("side")):
            if self.top(place):
                yield from self._plays_of(seat, self.top(place), place)
        for source in CENTRES if self.settings.get("merge_moves", "stack") == "stack" else []:
            pile = self.pile(source)
            for target in CENTRES:
                if len(pile) > 1 and target != source and self._fits(pile[0], target):
                    yield self.play(seat, list(pile), source, target)

    def _fits(self, card: str, centre: str) -> bool:
        return bool(self.top(centre)) and builds_down(card, self.top(centre))

    def _plays_of(self, seat: str, card: str, source: str) -> Iterator[Event]:
        side = self.side_for(card)
        if side and side != source:
            yield self.play(seat, card, source, side)
        if source == f"{seat} hand" and side:
            return
        part = source in CENTRES and len(self.pile(source)) > 1
        for target in CENTRES:
            whole = not part or self.settings.get("merge_moves", "stack") == "card"
            if target != source and (not self.top(target) or (whole and self._fits(card, target))):
                yield self.play(seat, card, source, target)
        if self.fits_opponent(card, seat):
            yield self.play(seat, card, source, f"{self.other(seat)} discard")
        left = [centre for centre in CENTRES if self.top(centre) and self.side_for(self.top(centre))]
        if source == f"{seat} hand" and not left:
            yield self.play(seat, card, source, f"{seat} discard")

    def worth(self, event: Event) -> float:
        """Side stacks first, then whatever rids one of a card, the discard last."""
        if not isinstance(event, Play):
            return 2.0
        if event.target.startswith("side"):
            return 5.0
        if event.target == "discard":
            return 1.0
        return 4.0 if event.source in ("hand", "discard") else -1.0

    # -- breaches ------------------------------------------------------------------------------------------

    def recipes(self) -> Mapping[str, Recipe]:
        """One or more ways to break each rule that a play can break."""
        return {
            "D2": self.either(
                lambda seat, rng: self.out_of_turn(seat),
                lambda seat, rng: self.second_draw(seat),
                self._before_draw,
            ),
            "D3": self.either(self._wrong_build, self._part_of_pile),
            "D4": self.either(self._missed_drawn, self._missed_top, self._wrong_side),
            "D5": self._buried_discard,
            "D6": self._wrong_opponent,
            "D7": self.either(lambda seat, rng: self.early_recycle(seat), self._centre_discarded),
        }

    def _before_draw(self, seat: str, rng: Random) -> Breach | None:
        card = self.top(f"{seat} discard")
        if self.drawn or not card:
            return None
        empty = [c for c in CENTRES if not self.top(c)] + [c for c in CENTRES if self._fits(card, c)]
        return self.some([self.play(seat, card, f"{seat} discard", place) for place in empty], rng)

    def _wrong_build(self, seat: str, rng: Random) -> Breach | None:
        card = self.held(seat)
        if not card or self.side_for(card):
            return None
        wrong = [place for place in CENTRES if self.top(place) and not builds_down(card, self.top(place))]
        return self.some([self.play(seat, card, f"{seat} hand", place) for place in wrong], rng)

    def _part_of_pile(self, seat: str, rng: Random) -> Breach | None:
        if not self.drawn or self.settings.get("merge_moves", "stack") == "card":
            return None
        pairs = [(one, other) for one in CENTRES for other in CENTRES if one != other]
        found: list[Event] = []
        for one, other in pairs:
            if len(self.pile(one)) > 1 and self._fits(self.top(one), other):
                found.append(self.play(seat, self.top(one), one, other))
        return self.some(found, rng)

    def _missed_drawn(self, seat: str, rng: Random) -> Breach | None:
        card = self.held(seat)
        if not card or not self.side_for(card):
            return None
        return Breach([self.play(seat, card, f"{seat} hand", f"{seat} discard")])

    def _missed_top(self, seat: str, rng: Random) -> Breach | None:
        card = self.held(seat)
        if not card or not any(self.top(c) and self.side_for(self.top(c)) for c in CENTRES):
            return None
        return Breach([self.play(seat, card, f"{seat} hand", f"{seat} discard")])

    def _wrong_side(self, seat: str, rng: Random) -> Breach | None:
        card = self.held(seat)
        wrong = [place for place in self.places("side") if card and not builds_up(card, self.top(place))]
        return self.some([self.play(seat, card, f"{seat} hand", place) for place in wrong], rng)

    def _buried_discard(self, seat: str, rng: Random) -> Breach | None:
        if not self.drawn:
            return None
        pile = self.pile(f"{seat} discard")
        found: list[Event] = []
        for card in pile[:-1]:
            fits = [c for c in CENTRES if not self.top(c) or self._fits(card, c)]
            found += [self.play(seat, card, f"{seat} discard", place) for place in fits]
        return self.some(found, rng)

    def _wrong_opponent(self, seat: str, rng: Random) -> Breach | None:
        card = self.held(seat)
        if not card or self.side_for(card) or self.fits_opponent(card, seat):
            return None
        return Breach([self.play(seat, card, f"{seat} hand", f"{self.other(seat)} discard")])

    def _centre_discarded(self, seat: str, rng: Random) -> Breach | None:
        if not self.drawn:
            return None
        found = [self.play(seat, self.top(c), c, f"{seat} discard") for c in CENTRES if self.top(c)]
        return self.some(list(found), rng)
