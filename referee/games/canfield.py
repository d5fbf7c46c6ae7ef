"""Canfield: rules C1 to C6 (`referee/presets/rules.toml`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from referee.games.one_deck import Layout, OneDeckCourse, OneDeckGame, Weighing, course_of
from referee.rules import cards as c
from referee.rules.events import BadEventError, Deal, Draw, End, Event, Play, Recycle, TakeBack, Turn
from referee.rules.order import order_doubts, put_up
from referee.rules.places import Place, PlaceReader
from referee.rules.rulings import NEVER, Finding
from referee.rules.score import HandScore, Score

if TYPE_CHECKING:
    from referee.rules.hand import Entry, Hand, Move
    from referee.rules.header import Header

BASE = Place("foundation", 1)
WORKS = (1, 2, 3, 4)


def _next(face: int) -> int:
    """The mask of the card that comes on a foundation's top; the ace comes after the king."""
    return 1 << (c.suit(face) * 13 + c.rank(face) % 13)


UP_IN_SUIT_ROUND = tuple(_next(face) for face in range(52))
SAME_RANK = tuple(c.mask_where(lambda k, on=on: c.rank(k) == c.rank(on)) for on in range(52))  # type: ignore[misc]
#: Down in alternating colour, a king on an ace too.
DOWN_ROUND = tuple(
    c.DOWN_ALTERNATING[on]
    | c.mask_where(
        lambda k, on=on: c.rank(on) == 1 and c.rank(k) == 13 and c.is_red(k) != c.is_red(on)  # type: ignore[misc]
    )
    for on in range(52)
)


class CanfieldCourse(OneDeckCourse):
    """The memory of a hand of Canfield."""

    def __init__(self) -> None:
        super().__init__()
        #: Tableau places that fell empty and wait for the reserve's top card.
        self.spaces: tuple[Place, ...] = ()


def canfield_of(hand: Hand) -> CanfieldCourse:
    """The course of a hand of Canfield."""
    course = hand.course
    assert isinstance(course, CanfieldCourse)
    return course


class _OnePlayer(PlaceReader):
    """Reads places where nobody need say whose they are."""

    def __call__(self, text: str, seat: str | None) -> Place:
        return super().__call__(text, seat or self.seats[0])


class Canfield(OneDeckGame):
    """The rules of Canfield at one table."""

    deal_rule = "C1"
    draws_to = "waste"
    begins_empty = frozenset({"foundation"})

    def __init__(self, header: Header) -> None:
        super().__init__(header)
        self.place = _OnePlayer(self.seats, self.exists, self.owner)

    @property
    def player(self) -> str:
        """The one seat."""
        return self.seats[0]

    def deal_layout(self) -> Layout:
        """C1: reserve of 13, top up; first foundation card; four tableau cards; 34 cards of stock."""
        works = dict.fromkeys((Place("work", number, self.player) for number in WORKS), (1, 1))
        reserve, stock = Place("reserve", 0, self.player), Place("stock", 0, self.player)
        return {reserve: (13, 1), BASE: (1, 1), **works, stock: (34, 0)}

    def exists(self, kind: str, number: int) -> str | None:
        """Own: `reserve`, `work 1` to `work 4` (further ones if dealt), `stock`, `waste`. Common: `foundation n`."""
        if kind == "foundation":
            return "common" if number else None
        if kind == "work":
            return "own" if number else None
        return "own" if kind in ("reserve", "stock", "waste") and not number else None

    def is_regular(self, place: Place) -> bool:
        """Whether the rules have a place; further tableau places are there only if dealt."""
        return place.kind != "work" or place.number in WORKS

    def works(self, hand: Hand) -> list[Place]:
        """The tableau places, empty ones included."""
        return self.piles_of(hand, "work", self.player, WORKS)

    def check_deal(self, hand: Hand, deal: Deal) -> None:
        """One deal of 52 cards; only the first foundation card may have a deal of its own, before the rest."""
        super().check_deal(hand, deal)
        laid = self._laid(deal)
        total = sum(map(len, laid.values())) + self._dealt_before(hand)
        if total != 52 and (set(laid) != {BASE} or total != 1):
            raise BadEventError(f"deal: {total} cards, a deck has 52 (foundation 1 is dealt with the rest)")

    def new_course(self) -> CanfieldCourse:
        """A hand in which nothing has happened."""
        return CanfieldCourse()

    # -- what is ruled on ----------------------------------------------------------------------------------

    def judge(self, hand: Hand, event: Event) -> list[Finding]:
        """The legality function."""
        if isinstance(event, Deal):
            return self.judge_deal(hand, event)
        if course_of(hand).ended:
            return []
        move = hand.resolve(event) if isinstance(event, Play | Draw) else None
        weighing = Weighing(hand, event, move)
        if isinstance(event, Play) and move is not None and move.source != move.target:
            self._check_source(hand, move, weighing)
            self._check_target(hand, move, weighing)
        elif isinstance(event, Draw):
            self._check_draw(hand, event, weighing)
        elif isinstance(event, Recycle):
            self._check_recycle(hand, event, weighing)
        self._check_spaces(hand, event, move, weighing)
        return weighing.found

    def _check_source(self, hand: Hand, move: Move, weighing: Weighing) -> None:
        source, name = move.source, weighing.name(move.cards[0])
        covered = bool(move.left_above) and self.is_known(hand, source)
        if source.kind == "reserve":
            if covered:
                weighing.breaks("C1", "not-the-top", f"{name} is not the top of the reserve.")
            self._one_card("C1", move, weighing)
        elif source.kind == "waste":
            if covered:
                finding = Finding("C5", "not-the-top", f"{name} is not the top of the waste.")
                doubts = order_doubts(hand, source, hand.table.pile(source)[-1])
                weighing.found.append(put_up(finding, hand, doubts))
            elif not move.new and hand.table.is_confused(move.cards[0]):
                why = f"{name}: a card was pulled from under others before, so the top is not known."
                weighing.must_hold("C5", "not-the-top", NEVER, why, move.cards)
            self._one_card("C5", move, weighing)
        elif source.kind == "stock":
            weighing.breaks("C5", "from-the-stock", f"{name}: a card of the stock goes to the waste first.")
        elif source.kind == "foundation":
            weighing.breaks("C2", "off-the-foundation", f"{name} was taken off a foundation.")

    @staticmethod
    def _one_card(rule: str, move: Move, weighing: Weighing) -> None:
        if len(move.cards) > 1:
            weighing.breaks(rule, "several-cards", f"{len(move.cards)} cards were moved at once.")

    def _check_target(self, hand: Hand, move: Move, weighing: Weighing) -> None:
        target, name = move.target, weighing.name(move.cards[0])
        if target.kind == "foundation":
            self._onto_foundation(hand, move, weighing)
        elif target.kind == "work":
            self._onto_work(hand, move, weighing)
        elif target.kind == "reserve":
            weighing.breaks("C1", "onto-reserve", f"{name} was put onto the reserve.")
        else:
            weighing.breaks("C5", "order-changed", f"{name} was put onto the {target.kind}.")

    def _onto_foundation(self, hand: Hand, move: Move, weighing: Weighing) -> None:
        """C1: begun with the first card's rank; C2: up in suit, the ace after the king."""
        table, card = hand.table, move.cards[0]
        pile, base = table.pile(move.target), table.pile(BASE)
        if move.source.kind == "work":
            self._one_card("C2", move, weighing)
            if move.left_above and self.is_known(hand, move.source):
                why = f"{weighing.name(card)} was played from under the cards on top of it."
                weighing.breaks("C2", "covered-card", why)
        if pile:
            why = "a foundation builds up by one in its suit, from king to ace."
            weighing.must_fit("C2", "wrong-foundation-card", card, pile[-1], UP_IN_SUIT_ROUND, why)
        elif base and BASE in course_of(hand).laid:
            why = "every foundation begins with the rank of the first."
            weighing.must_fit("C1", "wrong-base", card, base[0], SAME_RANK, why)

    def _onto_work(self, hand: Hand, move: Move, weighing: Weighing) -> None:
        """C3: down in alternating colour; the top card, the whole pile, or any run, by the setting."""
        pile = hand.table.pile(move.target)
        if move.source.kind == "work" and self.is_known(hand, move.source):
            self._check_block(hand, move, weighing)
        if pile:
            steps = DOWN_ROUND if self.settings["tableau_wrap"] else c.DOWN_ALTERNATING
            why = "the tableau builds down by one in alternating colour."
            weighing.must_fit("C3", "wrong-build", move.cards[0], pile[-1], steps, why)

    def _check_block(self, hand: Hand, move: Move, weighing: Weighing) -> None:
        moves, count = self.settings["tableau_moves"], len(move.cards)
        if move.left_above:
            why = f"{weighing.name(move.cards[0])} was moved without the cards on top of it."
            weighing.breaks("C3", "covered-card", why)
        elif count > 1 and moves == "top-card":
            weighing.breaks("C3", "several-cards", f"{count} cards were moved at once.")
        elif count > 1 and moves == "whole-pile" and count != len(hand.table.pile(move.source)):
            weighing.breaks("C3", "part-of-a-pile", "Only the top card or the whole pile is moved.")

    def _check_draw(self, hand: Hand, event: Draw, weighing: Weighing) -> None:
        """C5: three at a time, fewer at the end, in the order in which they lie."""
        table, source = hand.table, Place("stock", 0, self.player)
        if not self.is_known(hand, source):
            return
        stock = table.pile(source) or table.pile(Place("waste", 0, self.player))[::-1]
        if len(event.cards) != min(3, len(stock)):
            why = f"{event.seat} drew {len(event.cards)} cards instead of {min(3, len(stock))}."
            weighing.breaks("C5", "wrong-draw", why)
            return
        bound = table.bound.get(self.deck[self.player], {})
        for text, card in zip(event.cards, reversed(stock), strict=False):
            mask = c.MASKS[text]
            if not table.domain(card) & mask and bound.get(c.single(mask)) in stock:
                why = f"{text} was drawn where {table.text(card)} lay: the order of the cards was changed."
                doubts = order_doubts(hand, Place("waste", 0, self.player))
                weighing.found.append(put_up(Finding("C5", "order-changed", why), hand, doubts))
                return

    def _check_recycle(self, hand: Hand, event: Recycle, weighing: Weighing) -> None:
        stock = Place("stock", 0, self.player)
        if self.is_known(hand, stock) and hand.table.pile(stock):
            weighing.breaks("C5", "recycled-early", "The waste was turned over with cards left in the stock.")

    # -- spaces (C4) ---------------------------------------------------------------------------------------

    def _check_spaces(self, hand: Hand, event: Event, move: Move | None, weighing: Weighing) -> None:
        """C4: a space is filled from the reserve at once; then from the waste or a tableau top card."""
        if not isinstance(event, Play | Draw | Recycle):
            return
        for space in canfield_of(hand).spaces:
            if not self._fills(move, space):
                why = f"{space} fell empty and was not filled from the reserve at once."
                weighing.breaks("C4", "space-not-filled", why)
        if move is None or not isinstance(event, Play) or not self._is_late_fill(hand, move):
            return
        if len(move.cards) > 1 or move.source.kind not in ("waste", "work", "reserve"):
            why = f"{weighing.name(move.cards[0])}: a space takes the top of the waste or a tableau top card."
            weighing.breaks("C4", "wrong-fill", why)

    @staticmethod
    def _fills(move: Move | None, space: Place) -> bool:
        """Whether a move puts the reserve's top card into a space."""
        return (
            move is not None
            and move.target == space
            and move.source.kind == "reserve"
            and not move.left_above
            and len(move.cards) == 1
        )

    def _is_late_fill(self, hand: Hand, move: Move) -> bool:
        """Whether a play fills a space with the reserve empty."""
        reserve = Place("reserve", 0, self.player)
        empty = move.target.kind == "work" and not hand.table.pile(move.target)
        return empty and self.is_known(hand, reserve) and not hand.table.pile(reserve)

    # -- what moves ----------------------------------------------------------------------------------------

    def apply(self, hand: Hand, entry: Entry) -> None:
        """Carry an event out, and note which places fall empty."""
        event, course, move = entry.event, canfield_of(hand), entry.move
        super().apply(hand, entry)
        table, reserve = hand.table, Place("reserve", 0, self.player)
        if move is not None and move.source == reserve:
            # the next card turns up by itself
            table.turn_up(table.pile(reserve)[-1:])
        if isinstance(event, Play | Draw | Recycle):
            course.spaces = ()
        elif isinstance(event, TakeBack | Turn):
            course.spaces = tuple(place for place in course.spaces if not table.pile(place))
        if isinstance(event, Play | TakeBack) and move is not None and move.source.kind == "work":
            emptied = not table.pile(move.source) and move.source != move.target
            if emptied and isinstance(event, Play) and table.pile(reserve):
                course.spaces = (move.source,)
        self._note_end(hand, event)

    def _note_end(self, hand: Hand, event: Event) -> None:
        """C6: won with all 52 cards on the foundations, unless one is taken back."""
        course = course_of(hand)
        if self._on_foundations(hand) == 52:
            course.ended, course.winner = True, self.player
        elif course.winner:
            course.ended, course.winner = False, ""
        if isinstance(event, End):
            course.ended = True

    @staticmethod
    def _on_foundations(hand: Hand) -> int:
        return sum(len(pile) for place, pile in hand.table.piles.items() if place.kind == "foundation")

    # -- what may be done, and what it brings --------------------------------------------------------------

    def _sources(self, hand: Hand) -> Iterator[tuple[Place, tuple[int, ...]]]:
        singles = Place("reserve", 0, self.player), Place("waste", 0, self.player)
        for place in (*singles, *self.works(hand)):
            pile = hand.table.pile(place)
            for at in range(len(pile) if place.kind == "work" else min(1, len(pile))):
                yield place, tuple(pile[at:] if place.kind == "work" else pile[-1:])

    def candidates(self, hand: Hand, seat: str) -> list[Event]:
        """Plays to foundations and the tableau, a draw, a recycle."""
        table = hand.table
        used = sorted(place for place in table.piles if place.kind == "foundation")
        targets = [*used, Place("foundation", max((p.number for p in used), default=0) + 1)]
        works = self.works(hand)
        found: list[Event] = []
        for source, moved in self._sources(hand):
            cards = tuple(table.text(card) for card in moved)
            for target in [*targets, *works] if len(moved) == 1 else works:
                if target != source:
                    found.append(Play(seat=seat, cards=cards, source=source.own_name, target=target.own_name))
        stock = table.pile(Place("stock", 0, self.player))
        if stock:
            found.append(Draw(seat=seat, cards=tuple(table.text(card) for card in stock[:-4:-1])))
        elif table.pile(Place("waste", 0, self.player)):
            found.append(Recycle(seat=seat))
        return found

    def score(self, hand: Hand) -> Score:
        """One point for each card on the foundations; C6: the game is won with all of them there."""
        cards = [k for place, pile in hand.table.piles.items() if place.kind == "foundation" for k in pile]
        disputed = sum(hand.verdict_on(hand.table.moved_by[card]) is not None for card in cards)
        score = HandScore(centre=len(cards), disputed=disputed, points=len(cards))
        return self.sum_up(hand, {self.player: score}, course_of(hand).winner or None)
