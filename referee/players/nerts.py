"""The Nerts family at a simulated table: everybody plays at once, one event after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from referee.players.nerts_breaches import recipes
from referee.players.sim import DECK, NEXT_UP, Recipe, Sim, builds_down, is_red, rank
from referee.rules.events import Bury, Call, Deal, Draw, Event, Play, Recycle, SetAside

#: Work piles by game: how many cards each has (the last face up).
_STAIRS = {"nuts": (1, 2, 3, 4, 5), "team-nuts": (5, 4, 3, 2, 1)}


class NertsSim(Sim):
    """Areas of two sides and the common foundations. Partners share an area under the first one's name."""

    def __init__(self, seats: tuple[str, ...], settings: Mapping[str, Any], rng: Random) -> None:
        super().__init__(seats, settings, rng)
        #: Cards face down at the bottom of a work pile.
        self.down: dict[str, int] = {}
        #: Foundations set aside.
        self.closed: set[str] = set()
        #: Sides that have buried a card in the running round.
        self.buried: set[str] = set()
        #: Passes through the stock in which nobody played a card.
        self.idle = 0
        #: By owner: the work piles, and the places of available Nerts cards.
        self._works: dict[str, list[str]] = {}
        self._nerts: dict[str, list[str]] = {}

    @property
    def owners(self) -> tuple[str, ...]:
        """The seats under whose names the areas are kept."""
        return self.seats[::2] if self.game == "team-nuts" else self.seats

    def owner(self, seat: str) -> str:
        """Whose name a seat's area has."""
        return self.owners[self.seats.index(seat) // 2] if self.game == "team-nuts" else seat

    def role(self, seat: str) -> str:
        """`nuts`, `cards`, or "" for a player who is both."""
        if self.game != "team-nuts":
            return ""
        return "cards" if self.seats.index(seat) % 2 else "nuts"

    def hides(self) -> Mapping[str, int]:
        """Only tops are seen; of the stack of nerts-twelve and the stock not even those."""
        slots = {f"nerts {number}": 1 for number in range(1, 5)}
        return {**slots, "nerts": 0 if self.game == "nerts-twelve" else 1, "work": 1, "stock": 0}

    # -- the deal ------------------------------------------------------------------------------------------

    def deal(self) -> list[Event]:
        """A deck to every side."""
        return [self._deal_side(owner) for owner in self.owners]

    def _deal_side(self, owner: str) -> Deal:
        cards = list(DECK)
        self.rng.shuffle(cards)
        count = int(self.settings["nerts_cards"])
        slots = 4 if self.game == "nerts-twelve" else 0
        piles = {"nerts": [cards.pop() for _ in range(count - slots)]}
        piles |= {f"nerts {number}": [cards.pop()] for number in range(1, slots + 1)}
        for number, size in enumerate(self._sizes(), 1):
            piles[f"work {number}"] = [cards.pop() for _ in range(size)]
            self.down[f"{owner} work {number}"] = size - 1
        piles["stock"] = cards
        self._works[owner] = [f"{owner} {place}" for place in piles if place.startswith("work ")]
        self._nerts[owner] = [f"{owner} nerts {number}" for number in range(1, slots + 1)] or [
            f"{owner} nerts"
        ]
        self.piles |= {f"{owner} {place}": pile for place, pile in piles.items()} | {f"{owner} waste": []}
        return Deal(seat=owner, piles={place: tuple(pile) for place, pile in piles.items()})

    def _sizes(self) -> tuple[int, ...]:
        if self.game == "nerts-twelve":
            return tuple(range(1, int(self.settings["columns"]) + 1))
        return _STAIRS.get(self.game) or (1,) * int(self.settings["work_piles"])

    # -- places --------------------------------------------------------------------------------------------

    def full(self, place: str, seat: str) -> str:
        """The name of a place with its owner."""
        own = f"{self.owner(seat)} {place}"
        return own if own in self.piles else place

    def drawing(self, seat: str) -> tuple[str, str]:
        """From the stock to the waste."""
        return f"{self.owner(seat)} stock", f"{self.owner(seat)} waste"

    def turned(self, seat: str) -> str:
        """The waste."""
        return f"{self.owner(seat)} waste"

    def turn_over(self, seat: str) -> None:
        """The waste becomes the stock."""
        super().turn_over(self.owner(seat))

    def works(self, seat: str) -> list[str]:
        """The own work piles."""
        return self._works[self.owner(seat)]

    def nerts(self, seat: str) -> list[str]:
        """The places whose top is an available Nerts card: the pile, or the slots of nerts-twelve."""
        return self._nerts[self.owner(seat)]

    def left(self, seat: str) -> int:
        """Cards left in the own Nerts pile, slots included."""
        owner = self.owner(seat)
        return sum(len(self.piles[place]) for place in {f"{owner} nerts", *self._nerts[owner]})

    def available(self, seat: str) -> list[str]:
        """Places whose top card a seat may play: by its role, the Nerts pile, the waste; the work piles."""
        role, found = self.role(seat), []
        if role != "cards":
            found += self.nerts(seat)
        if role != "nuts":
            found.append(self.turned(seat))
        return [place for place in (*found, *self.works(seat)) if self.top(place)]

    # -- what fits -----------------------------------------------------------------------------------------

    def foundation_for(self, card: str, waiting: Mapping[str, str] | None = None) -> str:
        """A foundation that a card fits, a new one for an ace, "" if none. `waiting`, if it is known already."""
        if rank(card) != 1:
            return (self.waiting() if waiting is None else waiting).get(card, "")
        if self.settings["foundations_a_suit"] == 1 and any(
            self.pile(place)[0][1] == card[1] and rank(self.top(place)) < 13
            for place in self.places("foundation")
        ):
            return ""
        return self.free("foundation")

    def waiting(self) -> dict[str, str]:
        """By card: the first foundation that it fits next."""
        places = reversed(self.open_foundations())
        return {NEXT_UP[self.top(place)]: place for place in places}

    def open_foundations(self) -> list[str]:
        """The foundations that are neither complete nor set aside."""
        places = [place for place in self.places("foundation") if place not in self.closed]
        return [place for place in places if rank(self.top(place)) < 13]

    def fits(self, card: str, place: str, source: str) -> bool:
        """Whether a card, or a block by its lowest card, may go from a place to a work pile."""
        top = self.top(place)
        if top:
            return builds_down(card, top) and (bool(self.settings["nuts_to_work"]) or " nerts" not in source)
        return self.settings["fill"] == "any" or " nerts" in source

    def slides(self, card: str, place: str) -> bool:
        """Whether a card ranks one above a pile's base and has the other colour."""
        base = self.pile(place)[0]
        return rank(card) == rank(base) + 1 and is_red(card) != is_red(base)

    # -- moves ---------------------------------------------------------------------------------------------

    def to_act(self) -> list[str]:
        """Everybody."""
        return [] if self.over else list(self.seats)

    def moves(self, seat: str) -> list[Event]:
        """A call where it can be made, else plays, a draw, a new stock."""
        if not self.left(seat):
            return [Call(seat=seat, word="Nerts")]
        found = list(self._plays(seat))
        if self.game == "nerts-twelve":
            found += self._replacements(seat)
        if self.role(seat) != "nuts":
            stock, waste = (self.pile(place) for place in self.drawing(seat))
            if stock:
                found.append(self.draw(seat, int(self.settings["draw"])))
            elif waste:
                found.append(Recycle(seat=seat))
        return found

    def own(
        self, seat: str, cards: str | list[str], source: str, target: str, *, under: bool = False
    ) -> Play:
        """A play in the own area, written without the owner."""
        prefix = f"{self.owner(seat)} "
        source, target = source.removeprefix(prefix), target.removeprefix(prefix)
        return self.play(seat, cards, source, target, under=under)

    def _replacements(self, seat: str) -> Iterator[Event]:
        stack = f"{self.owner(seat)} nerts"
        for slot in self.nerts(seat):
            if self.top(stack) and not self.top(slot):
                yield self.own(seat, self.top(stack), stack, slot)

    def _plays(self, seat: str) -> Iterator[Event]:
        works = self.works(seat)
        space = any(not self.top(place) for place in works)
        waiting = self.waiting()
        for source in self.available(seat):
            card = self.top(source)
            foundation = self.foundation_for(card, waiting)
            if foundation:
                yield self.own(seat, card, source, foundation)
            for target in works:
                if target != source and self.fits(card, target, source):
                    yield self.own(seat, card, source, target)
                slid = space and self.settings["slide_under"] and target != source and self.top(target)
                if slid and self.slides(card, target):
                    yield self.own(seat, card, source, target, under=True)
        if self.settings["block_moves"] == "any":
            for source in works:
                yield from self._blocks(seat, source)

    def _blocks(self, seat: str, source: str) -> Iterator[Event]:
        pile, works = self.pile(source), self.works(seat)
        for at in range(self.down[source], len(pile) - 1):
            for target in works:
                if target != source and self.fits(pile[at], target, source):
                    yield self.own(seat, pile[at:], source, target)

    def worth(self, event: Event) -> float:
        """The Nerts pile first, then the foundations, then room for the Nerts pile; the waste last."""
        if isinstance(event, Call):
            return 9.0
        if not isinstance(event, Play):
            return 1.0
        if event.source.startswith("nerts"):
            return 6.0
        if event.target.startswith("foundation"):
            return 5.0
        if event.source == "waste":
            return 2.0
        return 3.0 if self._frees(event) else -1.0

    def _frees(self, event: Play) -> bool:
        """Whether a move between work piles makes a space or turns a card up."""
        source = self.full(event.source, str(event.seat))
        at = len(self.pile(source)) - len(event.cards)
        onto = self.top(self.full(event.target, str(event.seat)))
        return bool(onto) and not event.under and at == self.down.get(source)

    def note(self, event: Event) -> None:
        """Cards turned up, the call, and hands that go nowhere."""
        if isinstance(event, Play):
            self.idle = 0
            target = self.full(event.target, str(event.seat))
            if event.under and self.down.get(target):
                self.down[target] += len(event.cards)
            for place, count in self.down.items():
                self.down[place] = min(count, max(len(self.pile(place)) - 1, 0))
        elif isinstance(event, Recycle):
            self.idle += 1
        elif isinstance(event, SetAside):
            self.closed.add(event.place)
        elif isinstance(event, Bury):
            self._note_bury(self.owner(str(event.seat)))
        elif isinstance(event, Call) and not self.left(str(event.seat)):
            self.over = True
        if self.idle > 8 or (isinstance(event, Draw) and not event.cards):
            self.over = True

    def _note_bury(self, owner: str) -> None:
        self.buried = {owner} if owner in self.buried else {*self.buried, owner}
        if len(self.buried) == len(self.owners):
            self.buried = set()

    def recipes(self) -> Mapping[str, Recipe]:
        """By rule id, as the variant names it."""
        return recipes(self)
