"""What a game tells the hand: its places, its deal, its one legality function, its score.

A game family is one subclass of `Game` in one file, registered by the family name that its presets give. The
hand keeps the log and the table and does the moving; the game only says what exists, what is broken and what
counts. What needs memory beyond the table lives in a `Course` (ties, rounds, turns), copied with the hand.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from referee.rules.cards import MASKS, single
from referee.rules.events import (
    BadEventError,
    Begun,
    Bury,
    Deal,
    Draw,
    Event,
    Play,
    Recycle,
    TakeBack,
    Turn,
)
from referee.rules.places import Place, PlaceReader
from referee.rules.rulings import Finding

if TYPE_CHECKING:
    from referee.rules.hand import Entry, Hand, Move
    from referee.rules.header import Header
    from referee.rules.score import Score


class Course:
    """What a game remembers of a hand besides the table. Subclasses copy what they add."""

    #: Whether the hand has ended.
    ended: bool = False

    def copy(self) -> Course:
        """An independent copy."""
        twin = type(self)()
        for name, value in vars(self).items():
            setattr(twin, name, value.copy() if hasattr(value, "copy") else value)
        return twin


class Game(ABC):
    """The rules of one game family with the settings of one table."""

    #: Where drawn cards go, and what a recycle turns over.
    draws_to = "waste"
    recycles_from = "waste"

    def __init__(self, header: Header) -> None:
        self.header = header
        self.settings = header.settings
        self.seats = header.names
        #: By seat: the deck it plays with.
        self.deck = {seat.name: seat.deck or "deck" for seat in header.seats}
        self.role = {seat.name: seat.role for seat in header.seats}
        #: By seat: the seat under whose name its area is kept; partners share an area.
        self.owner = self._owners()
        self.place = PlaceReader(self.seats, self.exists, self.owner)

    def _owners(self) -> dict[str, str]:
        return {seat: seat for seat in self.seats}

    # -- what exists ---------------------------------------------------------------------------------------

    @abstractmethod
    def exists(self, kind: str, number: int) -> str | None:
        """Whether there can be such a place: "own" (each seat has one), "common", or None."""

    def is_regular(self, place: Place) -> bool:
        """Whether the rules have a place; a further pile of a kind is there only if it was dealt."""
        return True

    def is_there(self, hand: Hand, place: Place) -> bool:
        """Whether a place is on the table: the rules have it, or somebody dealt it."""
        return self.is_regular(place) or place in hand.table.piles

    def piles_of(self, hand: Hand, kind: str, owner: str, regular: Iterable[int]) -> list[Place]:
        """An owner's numbered places of a kind: the `regular` ones, then those that were dealt besides."""
        usual = [Place(kind, number, owner) for number in regular]
        more = [p for p in hand.table.piles if (p.kind, p.seat) == (kind, owner) and not self.is_regular(p)]
        return usual + sorted(more)

    @abstractmethod
    def new_course(self) -> Course:
        """The course of a hand that has not begun."""

    @abstractmethod
    def check_deal(self, hand: Hand, deal: Deal) -> None:
        """BadEventError for a deal that cannot be: of no seat, a second one, not 52 cards."""

    def check_begun(self, hand: Hand, begun: Begun) -> None:
        """BadEventError for a hand that cannot have begun so; most games are told from the deal on."""
        raise BadEventError("begun: only a hand of the Nerts family can be told from its middle on")

    @abstractmethod
    def face_up(self, place: Place, count: int) -> int:
        """How many of the `count` cards dealt to a place lie face up, from the top."""

    def is_known(self, hand: Hand, place: Place) -> bool:
        """Whether all the cards of a place are on the table."""
        return place.seat in hand.dealt

    def most_cards(self, hand: Hand, deck: str) -> int:
        """How many cards of a deck may come to the table."""
        return 52

    def was_turned_over(self, hand: Hand, stock: Place, count: int, cards: Sequence[int | None]) -> bool:
        """Whether the waste must have been turned over before a draw of so many cards, some of which are known."""
        return len(hand.table.pile(stock)) < count and hand.is_known(stock)

    def taken_from(self, hand: Hand, place: Place, masks: Sequence[int]) -> Place:
        """Where cards (seen to be `masks`) are taken from that are said to come from `place`."""
        return place

    # -- what is ruled on ----------------------------------------------------------------------------------

    @abstractmethod
    def judge(self, hand: Hand, event: Event) -> list[Finding]:
        """The legality function: every rule that the event would break on the table as it lies.

        Changes nothing. An empty list is a legal event; a finding with a `need` waits for a card to be shown.
        """

    def follow(self, hand: Hand, entry: Entry) -> list[Finding]:
        """What several events together break or decide; called when `entry` has just been carried out."""
        return []

    def finish(self, hand: Hand) -> list[Finding]:
        """What only the record's end decides."""
        return []

    @abstractmethod
    def candidates(self, hand: Hand, seat: str) -> list[Event]:
        """Plays, draws and so on that `seat` might make; `Hand.legal_plays` asks `judge` about each."""

    @abstractmethod
    def score(self, hand: Hand) -> Score:
        """The score as the hand stands; `hand` has been closed."""

    # -- what moves ----------------------------------------------------------------------------------------

    def apply(self, hand: Hand, entry: Entry) -> None:
        """Carry an event out on the table, legal or not."""
        event = entry.event
        if isinstance(event, Deal):
            self._deal(hand, event)
        elif isinstance(event, Begun):
            self.lay_begun(hand, event)
        elif isinstance(event, Play | TakeBack):
            self._move(hand, entry)
        elif isinstance(event, Draw):
            self._draw(hand, entry, event)
        elif isinstance(event, Turn):
            self._turn(hand, event)
        elif isinstance(event, Recycle):
            self._recycle(hand, self.owner[str(event.seat)])
        elif isinstance(event, Bury):
            self._bury(hand, event)

    def _deal(self, hand: Hand, deal: Deal) -> None:
        deck = self.deck[deal.seat] if deal.seat else "deck"
        for written, cards in deal.piles.items():
            place = self.place(written, deal.seat)
            up = deal.up.get(written, self.face_up(place, len(cards)))
            for number, card in enumerate(cards):
                hand.table.new_card(deck, self.mask(card), place, hand.position, up=number >= len(cards) - up)
        hand.dealt.add(self.owner[deal.seat] if deal.seat else "")

    def lay_begun(self, hand: Hand, begun: Begun) -> None:
        """Lay the cards as they lay when the record began; for games that let a hand begin so."""
        raise NotImplementedError

    def _move(self, hand: Hand, entry: Entry) -> None:
        move = entry.move
        assert move is not None
        hand.take(move)
        at = 0 if move.under else None
        if isinstance(entry.event, TakeBack) and move.target.kind == "stock":
            self._undraw(hand, move)
            return
        if isinstance(entry.event, TakeBack):
            at = hand.came_from(move)
        elif move.bottom and move.target.kind == "stock":
            at = 0
        hand.table.move(move.cards, move.target, hand.position, at)
        hand.table.turn_up(move.cards)

    def _undraw(self, hand: Hand, move: Move) -> None:
        """Cards put back on the stock lie there as before they were drawn: the first one drawn on top."""
        drawn = (e.move.cards for e in reversed(hand.log) if isinstance(e.event, Draw) and e.move is not None)
        order = next((cards for cards in drawn if set(cards) == set(move.cards)), move.cards)
        hand.table.move(order[::-1], move.target, hand.position)
        hand.table.turn_up(order, up=bool(self.face_up(move.target, 1)))

    def _draw(self, hand: Hand, entry: Entry, event: Draw) -> None:
        move = entry.move
        assert move is not None
        if self.was_turned_over(hand, move.source, len(move.cards), move.cards):
            self._recycle(hand, move.source.seat)
        hand.take(move)
        for card in move.cards:
            hand.table.move([card], move.target, hand.position)
        hand.table.turn_up(move.cards)

    def _turn(self, hand: Hand, event: Turn) -> None:
        place = self.place(event.place, event.seat)
        pile = hand.table.pile(place)
        if pile:
            hand.table.turn_up(pile[-1:])
            hand.show(pile[-1], self.mask(event.card))
        elif not hand.is_known(place):
            deck = self.deck[place.seat or str(event.seat)]
            if hand.table.decks.count(deck) >= self.most_cards(hand, deck):
                return
            card = hand.table.new_card(deck, self.mask("??"), place, hand.position, up=True)
            hand.show(card, self.mask(event.card))

    def _recycle(self, hand: Hand, owner: str) -> None:
        table, stock = hand.table, Place("stock", 0, owner)
        turned = table.pile(Place(self.recycles_from, 0, owner))[::-1]
        # What is left of the stock stays on top of the waste that goes under it.
        table.move(turned, stock, hand.position, 0)
        table.turn_up(turned, up=False)

    def _bury(self, hand: Hand, event: Bury) -> None:
        stock = self.place("stock", event.seat)
        pile = hand.table.pile(self.place(event.source or "stock", event.seat))
        cards = pile[:1] if event.source else pile[-1:]
        if cards:
            hand.show(cards[0], self.mask(event.card))
            hand.table.move(cards, stock, hand.position, 0)
            hand.table.turn_up(cards, up=False)

    # -- small help ----------------------------------------------------------------------------------------

    @staticmethod
    def mask(card: str) -> int:
        """What a written card can be."""
        return MASKS[card]

    def check_pack(self, cards: list[str]) -> None:
        """BadEventError unless these are the 52 cards of a deck, each at most once."""
        if len(cards) != 52:
            raise BadEventError(f"deal: {len(cards)} cards, a deck has 52 (write ?? for each one not known)")
        self.check_once(cards)

    def check_once(self, cards: list[str]) -> None:
        """BadEventError when a known card is there twice."""
        known = [card for card in cards if single(self.mask(card)) >= 0]
        for card in known:
            if known.count(card) > 1:
                raise BadEventError(f"deal: card {card} is there twice")
