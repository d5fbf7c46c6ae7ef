"""What the games with one deck have in common: the deal in parts, and plays weighed by what is known.

Common piles have no seat, so the deal may come in parts: one for each seat's piles and
one for those that all share.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from referee.rules import cards as c
from referee.rules.events import BadEventError, Deal, Event
from referee.rules.game import Course, Game
from referee.rules.places import Place
from referee.rules.rulings import Domain, Finding, Need, Question, weigh
from referee.rules.score import HandScore, Score

if TYPE_CHECKING:
    from referee.rules.hand import Hand, Move
    from referee.rules.header import Header

#: How many cards each place is dealt, and how many of them lie face up.
Layout = dict[Place, tuple[int, int]]


class OneDeckCourse(Course):
    """The memory of a hand played with one deck."""

    def __init__(self) -> None:
        self.ended = False
        #: Who has won the hand.
        self.winner = ""
        #: Who was dealt cards so far ("" = the common piles), and every place that was dealt.
        self.parts: tuple[str, ...] = ()
        self.laid: tuple[Place, ...] = ()


class OneDeckGame(Game):
    """A game with one deck between all players."""

    draws_to = "hand"
    #: The id of the rule that says how the cards are dealt.
    deal_rule = ""
    #: Common places that are empty unless dealt.
    begins_empty: frozenset[str] = frozenset()

    def __init__(self, header: Header) -> None:
        super().__init__(header)
        name = next((seat.deck for seat in header.seats if seat.deck), "common")
        self.deck = dict.fromkeys(self.seats, name)
        self.layout = self.deal_layout()

    @abstractmethod
    def deal_layout(self) -> Layout:
        """The layout that the rules ask for."""

    def counts_as_dealt(self, place: Place) -> bool:
        """Whether a card shown there at the deal is one of the 52 laid out."""
        return True

    def is_known(self, hand: Hand, place: Place) -> bool:
        """A seat's place once the seat was dealt; a common one if it was dealt or begins empty."""
        if place.seat or place.kind in self.begins_empty:
            return not place.seat or place.seat in hand.dealt
        return "" in course_of(hand).parts or place in course_of(hand).laid

    def face_up(self, place: Place, count: int) -> int:
        """How many of the cards dealt to a place lie face up."""
        return min(count, self.layout.get(place, (0, count))[1])

    # -- the deal ------------------------------------------------------------------------------------------

    def _laid(self, deal: Deal) -> dict[Place, tuple[str, ...]]:
        places: dict[Place, tuple[str, ...]] = {}
        for written, pile in deal.piles.items():
            place = self.place(written, deal.seat)
            if place in places:
                raise BadEventError(f"deal: {place} is there twice")
            places[place] = pile
        return places

    def check_deal(self, hand: Hand, deal: Deal) -> None:
        """Every part is dealt once, and the parts together are the 52 cards of a deck."""
        course, laid = course_of(hand), self._laid(deal)
        if (deal.seat or "") in course.parts or set(laid) & set(course.laid):
            raise BadEventError("deal: a second deal of the same cards")
        cards = [card for place, pile in laid.items() if self.counts_as_dealt(place) for card in pile]
        self.check_once(cards)
        for card in cards:
            if hand.table.bound.get(self.deck[self.seats[0]], {}).get(c.single(c.MASKS[card])) is not None:
                raise BadEventError(f"deal: card {card} is there twice")
        total = len(cards) + self._dealt_before(hand)
        places, parts = {*course.laid, *laid}, {*course.parts, deal.seat or ""}
        whole = all(place in places or place.seat in parts for place in self.layout)
        if total > 52 or (whole and total < 52):
            raise BadEventError(f"deal: {total} cards, a deck has 52")

    def _dealt_before(self, hand: Hand) -> int:
        return sum(len(hand.table.pile(place)) for place in course_of(hand).laid)

    def _deal(self, hand: Hand, deal: Deal) -> None:
        course, up = course_of(hand), {self.place(text, deal.seat): n for text, n in deal.up.items()}
        deck = self.deck[self.seats[0]]
        for place, cards in self._laid(deal).items():
            course.laid = (*course.laid, place)
            if place.seat:
                hand.dealt.add(place.seat)
            if not self.counts_as_dealt(place):
                self.shown_at_deal(hand, place, cards)
                continue
            shown = up.get(place, self.face_up(place, len(cards)))
            for number, card in enumerate(cards):
                lies_up = number >= len(cards) - shown
                hand.table.new_card(deck, c.MASKS[card], place, hand.position, up=lies_up)
        course.parts = (*course.parts, deal.seat or "")
        if deal.seat:
            hand.dealt.add(deal.seat)

    def shown_at_deal(self, hand: Hand, place: Place, cards: Sequence[str]) -> None:
        """Take note of cards that were shown at the deal and are not laid out."""

    def judge_deal(self, hand: Hand, deal: Deal) -> list[Finding]:
        """Whether as many cards lie in every place, and as many face up, as the rules say."""
        laid = self._laid(deal)
        up = {self.place(text, deal.seat): count for text, count in deal.up.items()}
        part = {p for p in self.layout if p.seat == (deal.seat or "") and p not in course_of(hand).laid}
        for place in dict.fromkeys([*laid, *sorted(part)]):
            count, wanted = len(laid.get(place, ())), self.layout.get(place, (0, 0))[0]
            if count != wanted:
                why = f"{place} was dealt {count} cards instead of {wanted}."
                return [Finding(self.deal_rule, "wrong-layout", why)]
            due = self.face_up(place, count)
            if place.kind != "hand" and up.get(place, due) != due:
                why = f"{place} was dealt with {up[place]} cards face up instead of {due}."
                return [Finding(self.deal_rule, "wrong-layout", why)]
        return []

    # -- scores --------------------------------------------------------------------------------------------

    def sum_up(self, hand: Hand, scores: dict[str, HandScore], winner: str | None) -> Score:
        """The score line of a hand: `winner` is the hand's, there is no target."""
        match = {seat: self.header.match.get(seat, 0) + score.points for seat, score in scores.items()}
        at = hand.log[-1].event.at if hand.log else 0.0
        return Score(scores, match, winner, course_of(hand).ended, at)

    def other(self, seat: str) -> str:
        """The opponent of a seat at a table for two."""
        return self.seats[1 - self.seats.index(seat)]


def course_of(hand: Hand) -> OneDeckCourse:
    """The course of a hand played with one deck."""
    course = hand.course
    assert isinstance(course, OneDeckCourse)
    return course


class Weighing:
    """One event on its way through the rules of a game: what it breaks, as far as the cards are known."""

    def __init__(self, hand: Hand, event: Event, move: Move | None) -> None:
        self.hand, self.table, self.event, self.move = hand, hand.table, event, move
        self.found: list[Finding] = []

    def domain(self, card: int) -> int:
        """What a card can be, with what this event itself shows."""
        move = self.move
        if move is not None and card in move.cards:
            mask = move.masks[move.cards.index(card)]
            if c.single(mask) >= 0 or card >= len(self.table.faces):
                return mask
            return (self.table.domain(card) & mask) or mask
        return self.table.domain(card)

    def name(self, card: int) -> str:
        """A card in words."""
        return c.name(self.domain(card))

    def breaks(self, rule: str, name: str, why: str, *, subject: int | None = None) -> None:
        """The event breaks a rule."""
        self.found.append(Finding(rule, name, why, subject=subject))

    def must_fit(
        self, rule: str, name: str, card: int, onto: int | None, allowed: tuple[int, ...] | int, why: str
    ) -> None:
        """The event breaks a rule unless `card` is one of `allowed` (by the face of `onto`, if given)."""
        there = "" if onto is None else f" does not go with {self.name(onto)}"
        said = f"{self.name(card)}{there}: {why}"
        need = Need(card, onto, allowed)
        onto_domain = 0 if onto is None else self.domain(onto)
        answer = weigh(need, self.domain(card), onto_domain, one_deck=True)
        if answer is not True:
            self._note(rule, name, said, need if answer is None else None, (card, onto))

    def must_hold(
        self,
        rule: str,
        name: str,
        question: Question,
        why: str,
        cards: Sequence[int],
        *,
        by_card: bool = False,
    ) -> None:
        """The event breaks a rule unless the answer is yes. `by_card`: one ruling for `cards[0]` alone."""
        answer = question.ask(self.domain)
        if answer is not True:
            subject = cards[0] if by_card else None
            self._note(rule, name, why, question if answer is None else None, tuple(cards), subject)

    def _note(
        self,
        rule: str,
        name: str,
        why: str,
        need: Need | Question | None,
        cards: Sequence[int | None],
        subject: int | None = None,
    ) -> None:
        rests_on = tuple(k for k in cards if k is not None and k < len(self.table.faces))
        self.found.append(Finding(rule, name, why, need, rests_on=rests_on, subject=subject))


def fits_nowhere(card: int, tops: Sequence[int], steps: tuple[int, ...], begins: int) -> Question:
    """Asks whether a card fits no pile: neither one of `begins` nor a step from one of the `tops`."""

    def ask(domain: Domain) -> bool | None:
        mask, fits, unclear = domain(card), begins, False
        for top in tops:
            face = c.single(domain(top))
            if face >= 0:
                fits |= steps[face]
            elif weigh(Need(card, top, steps), mask, domain(top), one_deck=True) is not False:
                unclear = True
        if not mask & ~fits:
            return False
        return None if mask & fits or unclear else True

    return Question(ask)
