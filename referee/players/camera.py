"""A simulated hand as a camera sees it: without what nobody at the table shows.

A camera does not see the cards that lie face down, nor those inside a packet that is turned onto the waste. It
does see every card that comes to lie open on a pile: a Nerts, reserve or work card that is turned up (the
record has a `turn` then), a waste card that the play of the one above it lays bare (written into the `draw`
that brought it), the next card of a Nut pile that lies face up (written into the `deal`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from referee.players.sim import TURNED_KINDS
from referee.rules.events import Deal, Draw, Event, Play, TakeBack, Turn

if TYPE_CHECKING:
    from referee.players.play import Moved, Played

#: What a card that nobody saw is written as.
UNSEEN = "??"


def hide(played: Played, *, looks_back: bool = True) -> Played:
    """The same hand as a camera sees it; `planted` and `touched` count the turns written in between.

    Without `looks_back` the record is written as it happens: what was laid bare later is not in earlier lines.
    """
    source = {**played.header.source, "kind": "camera"}
    look = _Look(played, looks_back)
    for number, event in enumerate(played.events, 1):
        look.at(number, event)
    moved = look.numbers
    return replace(
        played,
        header=replace(played.header, source=source),
        events=look.written(),
        planted=[replace(breach, index=moved[breach.index]) for breach in played.planted],
        touched={moved[index] for index in played.touched},
    )


@dataclass(slots=True)
class _Look:
    """The events watched so far, with the cards that were seen of each deal and draw."""

    played: Played
    looks_back: bool
    events: list[Event] = field(default_factory=list)
    #: By index of the hand: the index in what is written.
    numbers: dict[int, int] = field(default_factory=dict)
    #: Cards that lie open in a place.
    open: set[tuple[str, str]] = field(default_factory=set)
    #: By place and card: where in `events` is the deal or draw that brought it there.
    brought: dict[tuple[str, str], int] = field(default_factory=dict)
    #: By position in `events` of a deal or draw: the cards of it that were seen.
    seen: dict[int, set[tuple[str, str]]] = field(default_factory=dict)

    def at(self, number: int, event: Event) -> None:
        """Watch the event with the index `number`."""
        self.events.append(event)
        self.numbers[number] = len(self.events)
        if isinstance(event, Deal):
            self._deal(event)
        elif isinstance(event, Draw):
            self._draw(number, event)
        elif isinstance(event, Play | TakeBack):
            moved = self.played.moves[number]
            self.open -= {(moved.source, card) for card in event.cards}
            self.open |= {(moved.target, card) for card in event.cards}
            self._bared(event, moved)

    def _deal(self, deal: Deal) -> None:
        here, sim = len(self.events) - 1, self.played.sim
        assert sim is not None
        self.seen[here] = set()
        for written, cards in deal.piles.items():
            place = sim.full(written, str(deal.seat))
            shown = cards[len(cards) - self._shown(written, len(cards)) :]
            self.seen[here] |= {(place, card) for card in shown}
            self.brought |= {(place, card): here for card in cards}
        self.open |= self.seen[here]

    def _shown(self, written: str, count: int) -> int:
        hidden = self.played.hidden
        return min(count, hidden.get(written, hidden.get(written.split()[0], count)))

    def _draw(self, number: int, draw: Draw) -> None:
        here, target = len(self.events) - 1, self.played.moves[number].target
        self.brought |= {(target, card): here for card in draw.cards}
        self.seen[here] = {(target, card) for card in draw.cards[-1:]}

    def _bared(self, event: Play | TakeBack, moved: Moved) -> None:
        """What lies on top of the place that a play has left."""
        source, card = moved.source, moved.bared
        place = source.removeprefix(f"{self._owner(source)} ")
        if not card or (source, card) in self.open or not self._shown(place, 1):
            return
        if place.split()[0] in TURNED_KINDS and not self._deals_up(place):
            self.open.add((source, card))
            self.events.append(Turn(at=event.at, seat=event.seat, place=place, card=card))
        elif self.looks_back and (source, card) in self.brought:
            self.seen[self.brought[source, card]].add((source, card))

    def _owner(self, place: str) -> str:
        return next((seat for seat in self.played.header.names if place.startswith(f"{seat} ")), "")

    def _deals_up(self, place: str) -> bool:
        """Whether a pile lies face up as a whole, so that nothing of it is ever turned."""
        return place == "nerts" and self.played.header.settings["nerts_face"] == "up"

    def written(self) -> list[Event]:
        """All events, with the cards of deals and draws that were seen."""
        return [
            self._written(event, self.seen[here]) if here in self.seen else event
            for here, event in enumerate(self.events)
        ]

    def _written(self, event: Event, seen: Collection[tuple[str, str]]) -> Event:
        sim = self.played.sim
        assert sim is not None
        if isinstance(event, Deal):
            seat = str(event.seat)
            piles = {text: _masked(pile, sim.full(text, seat), seen) for text, pile in event.piles.items()}
            return replace(event, piles=piles)
        assert isinstance(event, Draw)
        return replace(event, cards=_masked(event.cards, sim.drawing(str(event.seat))[1], seen))


def _masked(cards: Sequence[str], place: str, seen: Collection[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(card if (place, card) in seen else UNSEEN for card in cards)
