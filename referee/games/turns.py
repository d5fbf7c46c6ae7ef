"""What Double Solitaire and Pishe Pasha have in common: turns in which cards are drawn into the hand.

A turn begins when the other one's ends, and ends when the drawn card goes onto the own discard pile. Whoever
has neither stock nor discard pile nor a drawn card left has won.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from referee.games.one_deck import Layout, OneDeckCourse, OneDeckGame, Weighing, course_of
from referee.rules import cards as c
from referee.rules.events import Deal, Draw, End, Event, Play, Recycle, TakeBack
from referee.rules.places import Place
from referee.rules.rulings import Finding

if TYPE_CHECKING:
    from referee.rules.hand import Entry, Hand, Move
    from referee.rules.header import Header

#: What counts as one rank up or down.
NEIGHBOURS = tuple(c.mask_where(lambda k, on=on: abs(c.rank(k) - c.rank(on)) == 1) for on in range(52))  # type: ignore[misc]


class TurnCourse(OneDeckCourse):
    """The memory of a hand in which two players take turns. Positions are those of the log."""

    def __init__(self) -> None:
        super().__init__()
        #: Whose turn it is; "" = cannot be said, the next who draws or plays has it.
        self.turn = ""
        #: How many turns have ended.
        self.number = 0
        #: Whether a card was drawn in this turn.
        self.drawn = False
        #: Position of the event that ended the last turn, -1 = none.
        self.ended_at = -1
        #: Cards for which a missed duty was ruled on in this turn.
        self.flagged: tuple[int, ...] = ()


def turn_of(hand: Hand) -> TurnCourse:
    """The course of a hand with turns."""
    course = hand.course
    assert isinstance(course, TurnCourse)
    return course


class TurnGame(OneDeckGame):
    """Two players, a stock and a discard pile each, and a drawn card in the hand."""

    recycles_from = "discard"
    #: Ids: of the turn and what is done in it; of turning the discard pile over.
    turn_rule = ""
    recycle_rule = ""

    def __init__(self, header: Header) -> None:
        super().__init__(header)
        #: The dealer's opponent begins.
        self.first = self.other(header.dealer)

    def new_course(self) -> TurnCourse:
        """A hand in which nothing has happened: it is the turn of the dealer's opponent."""
        course = TurnCourse()
        course.turn = self.first
        return course

    def stocks(self, count: int) -> Layout:
        """A stock of `count` cards for either seat."""
        return {Place("stock", 0, seat): (count, 0) for seat in self.seats}

    def taken_from(self, hand: Hand, place: Place, masks: Sequence[int]) -> Place:
        """A drawn card whose draw nobody wrote comes from the stock."""
        if place.kind == "hand" and not hand.table.pile(place):
            return Place("stock", 0, place.seat)
        return place

    # -- what is ruled on ----------------------------------------------------------------------------------

    def judge(self, hand: Hand, event: Event) -> list[Finding]:
        """The legality function."""
        if isinstance(event, Deal):
            return self.judge_deal(hand, event)
        if course_of(hand).ended:
            return []
        if isinstance(event, Play):
            return self.judge_play(hand, event)
        if isinstance(event, Draw):
            return self._judge_draw(hand, event)
        if isinstance(event, Recycle):
            return self._judge_recycle(hand, event)
        return []

    @abstractmethod
    def judge_play(self, hand: Hand, event: Play) -> list[Finding]:
        """What a play breaks on the table as it lies."""

    def judge_before_draw(self, hand: Hand, event: Draw, weighing: Weighing) -> None:
        """What had to be done before a draw."""

    def check_turn(self, hand: Hand, seat: str, weighing: Weighing) -> bool:
        """Whether it is a seat's turn; if not, that is noted."""
        turn = turn_of(hand).turn
        if turn in ("", seat):
            return True
        weighing.breaks(self.turn_rule, "out-of-turn", f"It is {turn}'s turn, not {seat}'s.")
        return False

    def _judge_draw(self, hand: Hand, event: Draw) -> list[Finding]:
        seat, table = str(event.seat), hand.table
        weighing = Weighing(hand, event, None)
        in_turn = self.check_turn(hand, seat, weighing)
        if table.pile(Place("hand", 0, seat)):
            why = f"{seat} drew a card with the last one still in hand."
            weighing.breaks(self.turn_rule, "second-draw", why)
        if len(event.cards) != 1:
            why = f"{seat} drew {len(event.cards)} cards instead of one."
            weighing.breaks(self.turn_rule, "wrong-draw", why)
        else:
            self._judge_order(hand, event, weighing)
        if in_turn:
            self.judge_before_draw(hand, event, weighing)
        return weighing.found

    def _judge_order(self, hand: Hand, event: Draw, weighing: Weighing) -> None:
        """The card drawn is the top of the stock, not one known to lie deeper."""
        seat, table = str(event.seat), hand.table
        stock = table.pile(Place("stock", 0, seat)) or table.pile(Place("discard", 0, seat))[::-1]
        mask = c.MASKS[event.cards[0]]
        meant = table.bound.get(self.deck[seat], {}).get(c.single(mask))
        if stock and not table.domain(stock[-1]) & mask and meant in stock:
            why = f"{event.cards[0]} was drawn where {table.text(stock[-1])} lay on top."
            weighing.breaks(self.turn_rule, "wrong-draw", why)

    def _judge_recycle(self, hand: Hand, event: Recycle) -> list[Finding]:
        seat = str(event.seat)
        weighing = Weighing(hand, event, None)
        self.check_turn(hand, seat, weighing)
        stock = Place("stock", 0, seat)
        if self.is_known(hand, stock) and hand.table.pile(stock):
            why = f"{seat} turned the discard pile over with cards left in the stock."
            weighing.breaks(self.recycle_rule, "recycled-early", why)
        return weighing.found

    def check_source(self, hand: Hand, event: Play, move: Move, weighing: Weighing) -> None:
        """Own cards are played from the hand or the top of the discard pile, after a draw from the stock."""
        written = self.place(event.source, event.seat)
        if written.kind == "hand" and written.seat == move.seat and move.source.kind == "stock":
            if self.is_known(hand, move.source):
                weighing.breaks(self.turn_rule, "not-drawn", f"{move.seat} has no drawn card in hand.")
        elif move.source.seat == move.seat and move.source.kind == "stock":
            why = f"{weighing.name(move.cards[0])} was played straight from the stock."
            weighing.breaks(self.turn_rule, "not-drawn", why)
        elif move.source.seat not in ("", move.seat) and move.source.kind != "discard":
            weighing.breaks(
                self.turn_rule, "foreign-card", f"{move.source} is not {move.seat}'s to play from."
            )

    @staticmethod
    def ends_turn(move: Move) -> bool:
        """Whether a play puts a seat's drawn card onto its own discard pile (its draw written or not)."""
        own = move.source.seat == move.seat and move.source.kind in ("hand", "stock")
        return own and move.target == Place("discard", 0, move.seat)

    # -- what moves ----------------------------------------------------------------------------------------

    def apply(self, hand: Hand, entry: Entry) -> None:
        """Carry an event out, and keep the account of turns."""
        event, course = entry.event, turn_of(hand)
        if isinstance(event, Draw | Play) and not course.turn and not course.ended:
            self.take_turn(hand, str(event.seat))
        super().apply(hand, entry)
        if isinstance(event, Draw):
            course.drawn = course.drawn or event.seat == course.turn
        elif isinstance(event, Play) and entry.move is not None:
            self._after_play(hand, entry, entry.move)
        elif isinstance(event, TakeBack) and entry.move is not None:
            self._after_take_back(hand, entry.move)
        elif isinstance(event, End):
            course.ended = True

    def take_turn(self, hand: Hand, seat: str) -> None:
        """A seat takes a turn that nobody could be said to have."""
        turn_of(hand).turn = seat

    def _after_play(self, hand: Hand, entry: Entry, move: Move) -> None:
        course = turn_of(hand)
        if course.ended:
            return
        if not self.has_cards(hand, move.seat):
            course.ended, course.winner = True, move.seat
        elif self.ends_turn(move) and move.seat == course.turn:
            self.pass_turn(hand, entry.position)

    def _after_take_back(self, hand: Hand, move: Move) -> None:
        """A discard taken back before anybody went on makes it that seat's turn again."""
        course = turn_of(hand)
        if course.winner and self.has_cards(hand, course.winner):
            course.ended, course.winner = False, ""
        last = hand.log[course.ended_at] if course.ended_at >= 0 else None
        if last is None or last.move is None or last.move.seat != move.seat or course.turn == move.seat:
            return
        later = [e for e in hand.log[course.ended_at + 1 :] if isinstance(e.event, Draw | Play)]
        if move.cards == last.move.cards and all(_is_undone(hand, e) for e in later):
            if course.turn:
                self.return_turn(hand)
            else:
                self.take_turn(hand, move.seat)

    def has_cards(self, hand: Hand, seat: str) -> bool:
        """Whether a seat has a card left in stock, discard pile or hand, as far as is known."""
        return seat not in hand.dealt or any(
            hand.table.pile(Place(kind, 0, seat)) for kind in ("stock", "discard", "hand")
        )

    def pass_turn(self, hand: Hand, position: int) -> None:
        """The turn ends, by the event at a position of the log."""
        course = turn_of(hand)
        course.turn, course.number = self.other(course.turn), course.number + 1
        course.drawn, course.flagged, course.ended_at = False, (), position

    def return_turn(self, hand: Hand) -> None:
        """The turn that has just ended goes on."""
        course = turn_of(hand)
        course.turn, course.number = self.other(course.turn), course.number - 1
        course.drawn, course.ended_at = True, -1

    # -- what may be done ----------------------------------------------------------------------------------

    def own_moves(self, hand: Hand, seat: str) -> Iterator[tuple[Place, tuple[int, ...]]]:
        """Places and cards that a seat can take: the drawn card, the top of the discard pile."""
        for kind in ("hand", "discard"):
            pile = hand.table.pile(Place(kind, 0, seat))
            if pile:
                yield Place(kind, 0, seat), (pile[-1],)

    def renewals(self, hand: Hand, seat: str) -> list[Event]:
        """The draw or recycle that may come next."""
        table = hand.table
        if table.pile(Place("hand", 0, seat)):
            return []
        stock = table.pile(Place("stock", 0, seat))
        if stock:
            return [Draw(seat=seat, cards=(table.text(stock[-1]),))]
        return [Recycle(seat=seat)] if table.pile(Place("discard", 0, seat)) else []


def _is_undone(hand: Hand, entry: Entry) -> bool:
    """Whether what was drawn or played was taken back since."""
    since = (e for e in hand.log[entry.position + 1 :] if isinstance(e.event, TakeBack))
    cards = entry.move.cards if entry.move is not None else ()
    return any(e.move is not None and e.move.cards == cards for e in since)
