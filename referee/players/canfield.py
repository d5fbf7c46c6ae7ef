"""Canfield at a simulated table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import ClassVar

from referee.players.sim import DECK, Breach, Recipe, Sim, builds_down, is_red, rank
from referee.rules.events import Deal, Draw, Event, Play, Recycle

WORKS = [f"work {number}" for number in range(1, 5)]


class CanfieldSim(Sim):
    """One player's layout."""

    hidden: ClassVar[Mapping[str, int]] = {"reserve": 1, "stock": 0}

    def deal(self) -> list[Event]:
        """Thirteen, one, four, and the stock."""
        cards, seat = list(DECK), self.seats[0]
        self.rng.shuffle(cards)
        self.space, self.idle = "", 0
        own = {"reserve": [cards.pop() for _ in range(13)], "foundation 1": [cards.pop()]}
        own |= {place: [cards.pop()] for place in WORKS} | {"stock": cards}
        self.base = rank(own["foundation 1"][0])
        self.piles = {
            place if place == "foundation 1" else f"{seat} {place}": pile for place, pile in own.items()
        }
        self.piles[f"{seat} waste"] = []
        return [Deal(seat=seat, piles={place: tuple(pile) for place, pile in own.items()})]

    def drawing(self, seat: str) -> tuple[str, str]:
        """From the stock to the waste."""
        return f"{seat} stock", f"{seat} waste"

    def turned(self, seat: str) -> str:
        """The waste."""
        return f"{seat} waste"

    def to_act(self) -> list[str]:
        """The one player, until three idle rounds of the stock."""
        return [] if self.over else [self.seats[0]]

    # -- what fits -----------------------------------------------------------------------------------------

    def foundation_for(self, card: str) -> str:
        """The foundation that a card fits, a new one for the base rank, "" if none."""
        for place in self.places("foundation"):
            if self._follows(card, self.top(place)):
                return place
        return self.free("foundation") if rank(card) == self.base else ""

    @staticmethod
    def _follows(card: str, onto: str) -> bool:
        return card[1] == onto[1] and rank(card) == rank(onto) % 13 + 1

    def fits(self, card: str, place: str) -> bool:
        """Whether a card builds on a tableau pile."""
        onto = self.top(place)
        if onto and rank(onto) == 1 and rank(card) == 13:
            return bool(self.settings.get("tableau_wrap", True)) and is_red(card) != is_red(onto)
        return bool(onto) and builds_down(card, onto)

    def moves(self, seat: str) -> list[Event]:
        """The filling of a space, else all there is."""
        reserve = self.top(f"{seat} reserve")
        if self.space and reserve:
            return [self.play(seat, reserve, f"{seat} reserve", self.space)]
        found = list(self._plays(seat))
        if self.piles[f"{seat} stock"]:
            found.append(self.draw(seat, 3))
        elif self.piles[f"{seat} waste"]:
            found.append(Recycle(seat=seat))
        return found

    def _plays(self, seat: str) -> Iterator[Event]:
        works = [f"{seat} {place}" for place in WORKS]
        reserve = f"{seat} reserve"
        for source in (reserve, f"{seat} waste", *works):
            card = self.top(source)
            if not card:
                continue
            if self.foundation_for(card):
                yield self.play(seat, card, source, self.foundation_for(card))
            for target in works:
                empty = not self.top(target)
                late = empty and (not self.top(reserve) or source == reserve)
                if target != source and (late or self.fits(card, target)):
                    yield self.play(seat, card, source, target)
        for source in works:
            for run in self._runs(self.pile(source)):
                for target in works:
                    if target != source and self.fits(run[0], target):
                        yield self.play(seat, run, source, target)

    def _runs(self, pile: list[str]) -> list[list[str]]:
        """The blocks of more than one card that may be moved."""
        moves = self.settings.get("tableau_moves", "whole-pile")
        if moves == "top-card" or len(pile) < 2:
            return []
        return [pile[at:] for at in range(len(pile) - 1)] if moves == "any-run" else [pile[:]]

    def worth(self, event: Event) -> float:
        """Foundations, then the reserve, then the waste; the tableau is left alone."""
        if isinstance(event, Play):
            if event.target.startswith("foundation"):
                return 5.0
            return {"reserve": 4.0, "waste": 3.0}.get(event.source, -1.0)
        return 1.0

    def note(self, event: Event) -> None:
        """A space that fell empty; a game that goes nowhere is given up."""
        seat = self.seats[0]
        if isinstance(event, Play | Draw | Recycle):
            self.space = ""
        if isinstance(event, Play):
            source = self.full(event.source, seat)
            if event.source.startswith("work") and not self.piles[source]:
                self.space = source
            self.idle = 0 if event.source != event.target else self.idle
        elif isinstance(event, Recycle):
            self.idle += 1
        done = sum(len(self.pile(place)) for place in self.places("foundation")) == 52
        self.over = done or self.idle > 2

    # -- breaches ------------------------------------------------------------------------------------------

    def recipes(self) -> Mapping[str, Recipe]:
        """One or more ways to break each rule that a play can break."""
        ways: dict[str, Recipe] = {
            "C1": self.either(self._wrong_base, self._from_within_reserve),
            "C2": self.either(self._wrong_foundation, self._off_foundation),
            "C3": self.either(self._wrong_build, self._covered),
            "C5": self.either(self._wrong_draw, self._early_recycle, self._from_within_waste),
        }
        return {**{rule: self._unless_space(way) for rule, way in ways.items()}, "C4": self._space_left}

    def _unless_space(self, way: Recipe) -> Recipe:
        """A space that waits for the reserve is filled first, so that one breach breaks one rule."""
        seat_reserve = f"{self.seats[0]} reserve"

        def broken(seat: str, rng: Random) -> Breach | None:
            if self.space and self.top(seat_reserve):
                return None
            return way(seat, rng)

        return broken

    def _wrong_base(self, seat: str, rng: Random) -> Breach | None:
        found: list[Event] = []
        for source in (f"{seat} reserve", f"{seat} waste"):
            if self.top(source) and rank(self.top(source)) != self.base:
                found.append(self.play(seat, self.top(source), source, self.free("foundation")))
        return self.some(found, rng)

    def _from_within_reserve(self, seat: str, rng: Random) -> Breach | None:
        pile = self.pile(f"{seat} reserve")
        found: list[Event] = []
        for card in pile[:-1]:
            for place in WORKS:
                if self.fits(card, f"{seat} {place}"):
                    found.append(self.play(seat, card, f"{seat} reserve", place))
        return self.some(found, rng)

    def _wrong_foundation(self, seat: str, rng: Random) -> Breach | None:
        card = self.top(f"{seat} reserve")
        wrong = [p for p in self.places("foundation") if card and not self._follows(card, self.top(p))]
        return self.some([self.play(seat, card, f"{seat} reserve", place) for place in wrong], rng)

    def _off_foundation(self, seat: str, rng: Random) -> Breach | None:
        found: list[Event] = []
        for place in self.places("foundation"):
            for work in WORKS:
                if self.fits(self.top(place), f"{seat} {work}"):
                    found.append(self.play(seat, self.top(place), place, work))
        return self.some(found, rng)

    def _wrong_build(self, seat: str, rng: Random) -> Breach | None:
        card = self.top(f"{seat} waste")
        works = [f"{seat} {place}" for place in WORKS]
        wrong = [place for place in works if card and self.top(place) and not self.fits(card, place)]
        return self.some([self.play(seat, card, f"{seat} waste", place) for place in wrong], rng)

    def _covered(self, seat: str, rng: Random) -> Breach | None:
        works = [f"{seat} {place}" for place in WORKS]
        found: list[Event] = []
        for source in works:
            for card in self.pile(source)[:-1]:
                found += [
                    self.play(seat, card, source, t) for t in works if t != source and self.fits(card, t)
                ]
        return self.some(found, rng)

    def _space_left(self, seat: str, rng: Random) -> Breach | None:
        stock = self.piles[f"{seat} stock"]
        if not self.space or not self.top(f"{seat} reserve") or not stock:
            return None
        waste = self.top(f"{seat} waste")
        late: list[Event] = [self.play(seat, waste, f"{seat} waste", self.space)] if waste else []
        return self.some([self.draw(seat, 3), *late], rng)

    def _wrong_draw(self, seat: str, rng: Random) -> Breach | None:
        stock = self.piles[f"{seat} stock"]
        return Breach([self.draw(seat, rng.choice([1, 2, 4]))]) if len(stock) > 4 else None

    def _early_recycle(self, seat: str, rng: Random) -> Breach | None:
        both = self.piles[f"{seat} stock"] and self.piles[f"{seat} waste"]
        return Breach([Recycle(seat=seat)]) if both else None

    def _from_within_waste(self, seat: str, rng: Random) -> Breach | None:
        pile = self.pile(f"{seat} waste")
        found: list[Event] = []
        for card in pile[:-1]:
            for place in WORKS:
                if self.fits(card, f"{seat} {place}"):
                    found.append(self.play(seat, card, f"{seat} waste", place))
        return self.some(found, rng)
