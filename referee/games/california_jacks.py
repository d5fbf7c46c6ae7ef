"""California Jacks: rules J1 to J5 (`referee/presets/rules.toml`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from referee.games.one_deck import Layout, OneDeckCourse, OneDeckGame, Weighing, course_of
from referee.rules import cards as c
from referee.rules.events import Deal, Draw, End, Event, Play, TakeBack, Turn
from referee.rules.places import Place
from referee.rules.rulings import Domain, Finding, Question
from referee.rules.score import HandScore, Score

if TYPE_CHECKING:
    from referee.rules.hand import Entry, Hand, Move

STOCK, TRICK, CUT = Place("stock"), Place("trick"), Place("cut")
#: What a card counts for "game": ace 4, king 3, queen 2, jack 1, ten 10.
GAME_POINTS = {1: 4, 13: 3, 12: 2, 11: 1, 10: 10}
#: The ranks of trump that bring a point each: ace, 2, jack.
PRIZES = (1, 2, 11)


class Trick(NamedTuple):
    """Two cards on the table: the lead and the answer to it."""

    leader: str
    lead: int
    follower: str
    answer: int


class JacksCourse(OneDeckCourse):
    """The memory of a hand of California Jacks."""

    def __init__(self) -> None:
        super().__init__()
        #: What the cut card can be; 0 = it was not seen.
        self.cut = 0
        #: The card led to the running trick, and who led it ("" = nobody yet).
        self.leader, self.lead = "", -1
        #: The complete tricks.
        self.tricks: tuple[Trick, ...] = ()
        #: Who has drawn since the last trick was complete, and whether drawing is due.
        self.drawn: tuple[str, ...] = ()
        #: Position of a lead made before both had drawn (-1 = none), and whether that was ruled on.
        self.hasty_lead, self.hasty_said = -1, False


def jacks_of(hand: Hand) -> JacksCourse:
    """The course of a hand of California Jacks."""
    course = hand.course
    assert isinstance(course, JacksCourse)
    return course


def suit_of(mask: int) -> int | None:
    """The one suit of all cards of a mask, or None."""
    suits = [suit for suit in range(4) if mask & c.SUIT_MASKS[suit]]
    return suits[0] if len(suits) == 1 else None


class CaliforniaJacks(OneDeckGame):
    """The rules of California Jacks at one table."""

    deal_rule = "J1"
    begins_empty = frozenset({"trick"})

    def deal_layout(self) -> Layout:
        """J1: six cards each, the rest face up between the players."""
        return {STOCK: (40, 40), **dict.fromkeys((Place("hand", 0, seat) for seat in self.seats), (6, 0))}

    def exists(self, kind: str, number: int) -> str | None:
        """Own: `hand`, `won`. Common: `stock`, `trick`, `cut`."""
        if number:
            return None
        return {"hand": "own", "won": "own", "stock": "common", "trick": "common", "cut": "common"}.get(kind)

    def new_course(self) -> JacksCourse:
        """A hand in which nothing has happened."""
        return JacksCourse()

    def counts_as_dealt(self, place: Place) -> bool:
        """The cut card is shown, then put back."""
        return place != CUT

    def _deal(self, hand: Hand, deal: Deal) -> None:
        super()._deal(hand, deal)
        if deal.extra.get("cut") in c.MASKS:
            jacks_of(hand).cut = c.MASKS[deal.extra["cut"]]

    def shown_at_deal(self, hand: Hand, place: Place, cards: Sequence[str]) -> None:
        """The cut card says what is trump."""
        if cards:
            jacks_of(hand).cut = c.MASKS[cards[-1]]

    def judge_deal(self, hand: Hand, deal: Deal) -> list[Finding]:
        """J1: the layout, and one card cut."""
        laid = {self.place(text, deal.seat): pile for text, pile in deal.piles.items()}
        if len(laid.get(CUT, ("",))) != 1:
            return [Finding("J1", "wrong-layout", f"{len(laid[CUT])} cards were cut instead of one.")]
        piles = {text: pile for text, pile in deal.piles.items() if self.place(text, deal.seat) != CUT}
        return super().judge_deal(hand, Deal(seat=deal.seat, piles=piles, up=deal.up))

    # -- who has won a trick -------------------------------------------------------------------------------

    def trump(self, hand: Hand) -> int | None:
        """The trump suit; None if the cut card was not seen."""
        return suit_of(jacks_of(hand).cut)

    @staticmethod
    def _answer_wins(lead: int, answer: int, trump: int | None) -> bool | None:
        """Whether the answer beats the lead, both masks of what the cards can be; None = it depends."""
        if not lead or not answer:
            return None
        outcomes = {
            _beats(one, other, trump)
            for one in c.faces_of(lead)
            for other in c.faces_of(answer)
            if one != other
        }
        return outcomes.pop() if len(outcomes) == 1 else None

    def winner_of(self, hand: Hand, trick: Trick) -> str | None:
        """J3: who has won a trick, None if that cannot be said."""
        domain = hand.table.domain
        wins = self._answer_wins(domain(trick.lead), domain(trick.answer), self.trump(hand))
        return None if wins is None else trick.follower if wins else trick.leader

    def _last_winner(self, hand: Hand) -> str | None:
        tricks = jacks_of(hand).tricks
        return self.winner_of(hand, tricks[-1]) if tricks else None

    def _must_be_winner(self, hand: Hand, trick: Trick, seat: str) -> Question:
        """Asks whether a seat has won a trick."""
        trump, wins, follows = self.trump(hand), self._answer_wins, seat == trick.follower

        def ask(domain: Domain) -> bool | None:
            answer = wins(domain(trick.lead), domain(trick.answer), trump)
            return None if answer is None else answer == follows

        return Question(ask)

    def _demand_winner(self, hand: Hand, seat: str, name: str, why: str, weighing: Weighing) -> None:
        """J3: what only the winner of the last trick may do."""
        trick = jacks_of(hand).tricks[-1]
        if self.trump(hand) is None and self._last_winner(hand) is None:
            return
        question = self._must_be_winner(hand, trick, seat)
        weighing.must_hold("J3", name, question, why, (trick.lead, trick.answer))

    # -- what is ruled on ----------------------------------------------------------------------------------

    def judge(self, hand: Hand, event: Event) -> list[Finding]:
        """The legality function."""
        if isinstance(event, Deal):
            return self.judge_deal(hand, event)
        if isinstance(event, Draw) and not course_of(hand).ended:
            return self._judge_draw(hand, event)
        if isinstance(event, Play):
            return self._judge_play(hand, event)
        return []

    def _judge_play(self, hand: Hand, event: Play) -> list[Finding]:
        move = hand.resolve(event)
        assert move is not None
        weighing = Weighing(hand, event, move)
        if move.source == move.target:
            return []
        if move.source == TRICK and move.target.kind == "won":
            self._check_taking(hand, move, weighing)
        elif course_of(hand).ended:
            return []
        elif move.target == TRICK and move.source == Place("hand", 0, move.seat):
            self._check_card(hand, move, weighing)
        elif move.source == STOCK or move.source.kind == "won":
            why = f"{weighing.name(move.cards[0])} was taken from {move.source}."
            weighing.breaks("J3", "wrong-card", why)
        else:
            why = f"{weighing.name(move.cards[0])}: a card is played from the own hand to the trick."
            weighing.breaks("J2", "wrong-place", why)
        return weighing.found

    def _check_taking(self, hand: Hand, move: Move, weighing: Weighing) -> None:
        """J3: the winner takes the trick when it is complete."""
        course, taker = jacks_of(hand), move.target.seat
        if course.leader or not course.tricks:
            weighing.breaks("J3", "wrong-taker", "The trick is not complete.")
            return
        why = f"{taker} took a trick that the other has won."
        self._demand_winner(hand, taker, "wrong-taker", why, weighing)

    def _check_card(self, hand: Hand, move: Move, weighing: Weighing) -> None:
        course, seat = jacks_of(hand), move.seat
        if len(move.cards) > 1:
            weighing.breaks("J2", "several-cards", f"{len(move.cards)} cards were played at once.")
        if course.leader == seat:
            weighing.breaks("J2", "second-card", f"{seat} played a second card to the trick.")
        elif course.leader:
            self._check_answer(hand, move, weighing)
        elif not course.tricks:
            if seat == self.header.dealer:
                weighing.breaks("J2", "wrong-leader", f"{seat} dealt and led to the first trick.")
        else:
            why = f"{seat} led without having won the trick before."
            self._demand_winner(hand, seat, "wrong-leader", why, weighing)

    # -- following suit (J2, J5) ---------------------------------------------------------------------------

    def _check_answer(self, hand: Hand, move: Move, weighing: Weighing) -> None:
        """J2: the suit led, else trump, else anything; J5: what is in the hand may be shown only later."""
        course, trump, card = jacks_of(hand), self.trump(hand), move.cards[0]
        held = [k for k in hand.table.pile(Place("hand", 0, move.seat)) if k not in move.cards]
        question = self._may_answer(course.lead, card, held, trump)
        suits = suit_of(weighing.domain(course.lead)), suit_of(weighing.domain(card))
        waits_for_hand = question.ask(weighing.domain) is None and None not in suits
        rule = "J5" if waits_for_hand else "J2"
        why = f"{weighing.name(card)}: {move.seat} held a card that had to be played first."
        weighing.must_hold(rule, "revoke", question, why, (card, course.lead))

    @staticmethod
    def _may_answer(lead: int, card: int, held: Sequence[int], trump: int | None) -> Question:
        """Asks whether a card may answer the lead with the other cards held."""

        def ask(domain: Domain) -> bool | None:
            led, played = suit_of(domain(lead)), suit_of(domain(card))
            if led is None or played is None:
                return True if not held else None
            due = 0 if played == led else c.SUIT_MASKS[led]
            if trump is not None and played not in (led, trump):
                due |= c.SUIT_MASKS[trump]
            masks = [domain(other) for other in held]
            if any(mask and not mask & ~due for mask in masks):
                return False
            return None if any(mask & due for mask in masks) else True

        return Question(ask)

    # -- drawing (J3) --------------------------------------------------------------------------------------

    def _judge_draw(self, hand: Hand, event: Draw) -> list[Finding]:
        """J3: after each trick the winner draws the visible card, the loser the next."""
        course, seat, table = jacks_of(hand), str(event.seat), hand.table
        weighing = Weighing(hand, event, None)
        stock = table.pile(STOCK)
        if len(event.cards) != 1:
            weighing.breaks("J3", "wrong-draw", f"{seat} drew {len(event.cards)} cards instead of one.")
        elif stock and not table.domain(stock[-1]) & c.MASKS[event.cards[0]]:
            meant = table.bound.get(self.deck[seat], {}).get(c.single(c.MASKS[event.cards[0]]))
            if meant in stock:
                why = f"{event.cards[0]} was drawn where {table.text(stock[-1])} lay on top."
                weighing.breaks("J3", "wrong-draw", why)
        if course.hasty_lead >= 0 and seat not in course.drawn:
            return weighing.found
        if course.leader or not course.tricks:
            weighing.breaks("J3", "wrong-draw", f"{seat} drew a card before the trick was complete.")
        elif seat in course.drawn:
            weighing.breaks("J3", "wrong-draw", f"{seat} drew a second card after one trick.")
        elif not course.drawn:
            why = f"{seat} drew before the winner of the trick."
            self._demand_winner(hand, seat, "wrong-order", why, weighing)
        return weighing.found

    def follow(self, hand: Hand, entry: Entry) -> list[Finding]:
        """A draw that comes after the next lead: whoever led did not wait (J3)."""
        course, lead = jacks_of(hand), jacks_of(hand).hasty_lead
        if not isinstance(entry.event, Draw) or lead < 0 or course.hasty_said:
            return []
        course.hasty_said, seat = True, hand.log[lead].event.seat
        why = f"{seat} led before both had drawn."
        return [Finding("J3", "led-too-soon", why, about=(lead, entry.position), seat=seat)]

    # -- what moves ----------------------------------------------------------------------------------------

    def apply(self, hand: Hand, entry: Entry) -> None:
        """Carry an event out, and keep the account of tricks."""
        event, course, move = entry.event, jacks_of(hand), entry.move
        if isinstance(event, Turn) and self.place(event.place, event.seat) == CUT:
            course.cut = c.MASKS[event.card]
            return
        if isinstance(event, Turn) and self._show_in_hand(hand, event):
            return
        if isinstance(event, Play) and move is not None and self._is_lead(hand, move):
            self._clear_trick(hand)
            undrawn = course.tricks and len(course.drawn) < 2 and hand.table.pile(STOCK)
            course.hasty_lead, course.hasty_said = entry.position if undrawn else -1, False
        super().apply(hand, entry)
        if isinstance(event, Draw):
            course.drawn = (*course.drawn, str(event.seat))
        elif isinstance(event, Play) and move is not None:
            self._after_play(hand, move)
        elif isinstance(event, TakeBack) and move is not None:
            self._after_take_back(hand, move)
        elif isinstance(event, End):
            course.ended = True

    def _show_in_hand(self, hand: Hand, event: Turn) -> bool:
        """A card of a hand that is shown is any one that it can be, not the last one drawn."""
        place = self.place(event.place, event.seat)
        picked, _ = hand.table.pick(place, (c.MASKS[event.card],), self.deck[str(event.seat)])
        if place.kind != "hand" or not picked or hand.table.place_of[picked[0]] != place:
            return False
        hand.show(picked[0], c.MASKS[event.card])
        return True

    @staticmethod
    def _is_lead(hand: Hand, move: Move) -> bool:
        return move.target == TRICK and move.source.kind == "hand" and not jacks_of(hand).leader

    def _clear_trick(self, hand: Hand) -> None:
        """A trick that nobody was seen to take lies with its winner when the next one begins."""
        winner, there = self._last_winner(hand), tuple(hand.table.pile(TRICK))
        if winner is not None and there:
            hand.table.move(there, Place("won", 0, winner), hand.position)

    def _after_play(self, hand: Hand, move: Move) -> None:
        course = jacks_of(hand)
        if move.target != TRICK or move.source.kind != "hand":
            return
        if not course.leader:
            course.leader, course.lead = move.seat, move.cards[0]
        elif course.leader != move.seat:
            trick = Trick(course.leader, course.lead, move.seat, move.cards[0])
            course.tricks = (*course.tricks, trick)
            course.leader, course.lead, course.drawn, course.hasty_lead = "", -1, (), -1
            self._note_end(hand)

    def _note_end(self, hand: Hand) -> None:
        """The hand is over when all cards are played."""
        hands = [Place("hand", 0, seat) for seat in self.seats]
        known = all(self.is_known(hand, place) for place in (STOCK, *hands))
        if known and not any(hand.table.pile(place) for place in (STOCK, *hands)):
            course_of(hand).ended = True

    def _after_take_back(self, hand: Hand, move: Move) -> None:
        """A card taken back out of the trick has not been played to it."""
        course = jacks_of(hand)
        if move.target == STOCK:
            course.drawn = tuple(seat for seat in course.drawn if seat != move.seat)
        if move.source != TRICK or move.target.kind != "hand":
            return
        last = course.tricks[-1] if course.tricks else None
        if course.leader and course.lead in move.cards:
            course.leader, course.lead = "", -1
        elif not course.leader and last is not None and last.answer in move.cards:
            course.tricks = course.tricks[:-1]
            course.leader, course.lead, course.ended = last.leader, last.lead, False

    # -- what may be done, and what it brings --------------------------------------------------------------

    def candidates(self, hand: Hand, seat: str) -> list[Event]:
        """The draw that is due, or a card of the hand to the trick."""
        course, table = jacks_of(hand), hand.table
        stock = table.pile(STOCK)
        if course.tricks and not course.leader and stock and len(course.drawn) < 2:
            return [Draw(seat=seat, cards=(table.text(stock[-1]),))]
        held = table.pile(Place("hand", 0, seat))
        return [Play(seat=seat, cards=(table.text(card),), source="hand", target="trick") for card in held]

    def _taken(self, hand: Hand) -> dict[str, list[int]]:
        """The cards that each seat has won: whoever took them, else who won the trick."""
        taken: dict[str, list[int]] = {seat: [] for seat in self.seats}
        for trick in jacks_of(hand).tricks:
            for card in (trick.lead, trick.answer):
                place = hand.table.place_of[card]
                taker = place.seat if place.kind == "won" else self.winner_of(hand, trick)
                if taker:
                    taken[taker].append(card)
        return taken

    def _lost(self, hand: Hand, seat: str) -> int:
        """J2: points lost, one for each answer that neither follows suit nor trumps."""
        domain, trump, lost = hand.table.domain, self.trump(hand), 0
        for trick in jacks_of(hand).tricks:
            led, played = suit_of(domain(trick.lead)), suit_of(domain(trick.answer))
            known = led is not None and played is not None and trump is not None
            lost += known and trick.follower == seat and played not in (led, trump)
        return lost

    def score(self, hand: Hand) -> Score:
        """J4 less the points lost by J2."""
        taken, trump = self._taken(hand), self.trump(hand)
        points = {seat: -self._lost(hand, seat) for seat in self.seats}
        game = dict.fromkeys(self.seats, 0)
        for seat, cards in taken.items():
            faces = [face for face in (c.single(hand.table.domain(card)) for card in cards) if face >= 0]
            points[seat] += sum(c.suit(face) == trump and c.rank(face) in PRIZES for face in faces)
            game[seat] = sum(GAME_POINTS.get(c.rank(face), 0) for face in faces)
        one, other = self.seats
        if game[one] != game[other]:
            points[one if game[one] > game[other] else other] += 1
        winner = None
        if course_of(hand).ended and points[one] != points[other]:
            winner = one if points[one] > points[other] else other
        return self.sum_up(hand, {seat: HandScore(points=points[seat]) for seat in self.seats}, winner)


def _beats(lead: int, answer: int, trump: int | None) -> bool | None:
    """Whether an answer beats a lead: the highest trump, else the highest of the suit led, ace high."""
    if c.suit(answer) == c.suit(lead):
        return (c.rank(answer) - 2) % 13 > (c.rank(lead) - 2) % 13
    return None if trump is None else c.suit(answer) == trump
