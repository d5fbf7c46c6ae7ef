"""Pishe Pasha: rules S1 to S6 (`referee/presets/rules.toml`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from referee import cards as c
from referee.events import Call, Draw, Event, Play, Recycle, TakeBack
from referee.games.one_deck import Layout, Weighing, course_of, fits_nowhere
from referee.games.turns import NEIGHBOURS, TurnCourse, TurnGame, turn_of
from referee.places import Place
from referee.rulings import Finding, Question
from referee.score import HandScore, Score

if TYPE_CHECKING:
    from referee.hand import Entry, Hand, Move


class PisheCourse(TurnCourse):
    """The memory of a hand of Pishe Pasha. Positions are those of the log."""

    def __init__(self) -> None:
        super().__init__()
        #: By position of a play, draw or recycle: the number of the turn that ran.
        self.turns: dict[int, int] = {}
        #: By position: the card that had to go to a foundation first, or instead.
        self.missed: dict[int, int] = {}
        #: A card that had to go to a foundation when the discard pile was turned over, with the question.
        self.turned_over: tuple[int, Question] | None = None
        #: Positions of calls of Stop that are not settled yet, and of infractions that ended a turn early.
        self.open_stops: tuple[int, ...] = ()
        self.closed: tuple[int, ...] = ()
        #: What a call of Stop that was right has asked to correct: position of the infraction, -1 = nothing.
        self.correcting: int = -1
        #: Who ends the turn of an opponent by a Stop that cannot be settled.
        self.perhaps_stopped: str = ""
        #: Whose turn a Stop has ended, and the cards that this seat lays on its discard pile for it.
        self.stopped: str = ""
        self.to_lay: tuple[int, ...] = ()
        #: Who may have ended the turn already by the discard that a correction has left in its place.
        self.perhaps_over: str = ""


def pishe_of(hand: Hand) -> PisheCourse:
    """The course of a hand of Pishe Pasha."""
    course = hand.course
    assert isinstance(course, PisheCourse)
    return course


class PishePasha(TurnGame):
    """The rules of Pishe Pasha at one table."""

    deal_rule = "S1"
    turn_rule = "S2"
    recycle_rule = "S4"
    begins_empty = frozenset({"foundation"})

    def deal_layout(self) -> Layout:
        """S1: 26 cards each."""
        return self.stocks(26)

    def exists(self, kind: str, number: int) -> str | None:
        """Own: `stock`, `hand`, `discard`. Common: `foundation n`."""
        if kind == "foundation":
            return "common" if number else None
        return "own" if kind in ("stock", "hand", "discard") and not number else None

    def new_course(self) -> PisheCourse:
        """A hand in which nothing has happened."""
        course = PisheCourse()
        course.turn = self.first
        return course

    # -- plays (S1, S2, S3) --------------------------------------------------------------------------------

    def judge_play(self, hand: Hand, event: Play) -> list[Finding]:
        """What a play breaks on the table as it lies."""
        move = hand.resolve(event)
        assert move is not None
        weighing = Weighing(hand, event, move)
        if move.source == move.target or self._lays_down(hand, move):
            return []
        corrects = self._corrects(hand, move)
        in_turn = self.check_turn(hand, move.seat, weighing)
        if not corrects:
            self.check_source(hand, event, move, weighing)
            self._check_availability(hand, move, weighing)
        self._check_target(hand, move, weighing)
        if in_turn and not corrects:
            self._check_duty(hand, move, weighing)
        return weighing.found

    def _check_availability(self, hand: Hand, move: Move, weighing: Weighing) -> None:
        name, source = weighing.name(move.cards[0]), move.source
        if source.kind == "foundation" or (source.kind == "discard" and source.seat != move.seat):
            weighing.breaks("S2", "wrong-card", f"{name} was taken from {source}.")
        elif move.left_above and source.kind == "discard" and self.is_known(hand, source):
            weighing.breaks("S2", "wrong-card", f"{name} is not the top of {source}.")
        elif len(move.cards) > 1:
            weighing.breaks("S2", "several-cards", f"{len(move.cards)} cards were moved at once.")

    def _check_target(self, hand: Hand, move: Move, weighing: Weighing) -> None:
        target, card = move.target, move.cards[0]
        pile = hand.table.pile(target)
        if target.kind == "foundation" and pile:
            why = "a foundation builds up by one in its suit."
            weighing.must_fit("S1", "wrong-foundation-card", card, pile[-1], c.UP_IN_SUIT, why)
        elif target.kind == "foundation":
            weighing.must_fit("S1", "no-ace", card, None, c.ACES, "a foundation begins with an ace.")
        elif target == Place("discard", 0, self.other(move.seat)):
            self._onto_opponent(hand, move, weighing)
        elif target != Place("discard", 0, move.seat):
            weighing.breaks("S2", "wrong-place", f"{weighing.name(card)} was put onto {target}.")

    def _onto_opponent(self, hand: Hand, move: Move, weighing: Weighing) -> None:
        pile = hand.table.pile(move.target)
        if pile:
            why = "the opponent's discard pile takes the next rank up or down."
            weighing.must_fit("S2", "wrong-rank", move.cards[0], pile[-1], NEIGHBOURS, why)
        elif self.is_known(hand, move.target):
            rule = "S2" if turn_of(hand).number else "S3"
            weighing.breaks(rule, "no-discard-pile", f"{move.target} is empty: nothing may be played there.")

    # -- mandatory plays (S2) ------------------------------------------------------------------------------

    def _must_go(self, hand: Hand, card: int) -> Question:
        """Asks whether a card fits no foundation."""
        table = hand.table
        piles = [table.pile(place) for place in table.piles if place.kind == "foundation"]
        return fits_nowhere(card, [pile[-1] for pile in piles if pile], c.UP_IN_SUIT, c.ACES)

    def _demand(self, hand: Hand, card: int, question: Question, weighing: Weighing) -> None:
        why = f"{weighing.name(card)} fits a foundation and had to go there."
        weighing.must_hold("S2", "missed-foundation-play", question, why, (card,))

    def _check_duty(self, hand: Hand, move: Move, weighing: Weighing) -> None:
        """The drawn card goes to a foundation if it fits; before a turn ends, so does the discard's top."""
        if self.ends_turn(move) and pishe_of(hand).perhaps_stopped == self.other(move.seat):
            return
        if move.target.kind != "foundation" and move.source.kind == "hand":
            self._demand(hand, move.cards[0], self._must_go(hand, move.cards[0]), weighing)
        pile = hand.table.pile(Place("discard", 0, move.seat))
        if self.ends_turn(move) and pile:
            self._demand(hand, pile[-1], self._must_go(hand, pile[-1]), weighing)

    def judge_before_draw(self, hand: Hand, event: Draw, weighing: Weighing) -> None:
        """Before a draw the own discard's top goes to a foundation if it fits."""
        turned_over = pishe_of(hand).turned_over
        pile = hand.table.pile(Place("discard", 0, str(event.seat)))
        if pile:
            self._demand(hand, pile[-1], self._must_go(hand, pile[-1]), weighing)
        elif turned_over is not None:
            self._demand(hand, *turned_over, weighing)

    def _missed_card(self, hand: Hand, entry: Entry) -> int | None:
        """The card that an event leaves though it had, or may have had, to go to a foundation."""
        event, move = entry.event, entry.move
        if event.seat != turn_of(hand).turn or not isinstance(event, Draw | Play):
            return None
        weighing = Weighing(hand, event, move)
        if isinstance(event, Draw):
            self.judge_before_draw(hand, event, weighing)
            pile = hand.table.pile(Place("discard", 0, str(event.seat)))
            turned_over = pishe_of(hand).turned_over
            card = pile[-1] if pile else turned_over[0] if turned_over else None
            return card if weighing.found else None
        assert move is not None
        self._check_duty(hand, move, weighing)
        rests_on = [
            finding.rests_on for finding in weighing.found if finding.name == "missed-foundation-play"
        ]
        return rests_on[0][0] if rests_on and rests_on[0] else None

    # -- Stop (S5) -----------------------------------------------------------------------------------------

    def _corrects(self, hand: Hand, move: Move) -> bool:
        """Whether a play is the missed one that a call of Stop has asked for."""
        course = pishe_of(hand)
        missed = course.missed.get(course.correcting)
        return missed is not None and move.cards == (missed,) and move.target.kind == "foundation"

    @staticmethod
    def _lays_down(hand: Hand, move: Move) -> bool:
        """Whether a card goes onto the own discard pile because a Stop has ended the turn."""
        course = pishe_of(hand)
        own = move.seat == course.stopped and move.target == Place("discard", 0, move.seat)
        return own and set(move.cards) <= set(course.to_lay)

    def taken_from(self, hand: Hand, place: Place, masks: Sequence[int]) -> Place:
        """What a Stop has put from the hand onto the discard pile may still be spoken of as held."""
        course, table = pishe_of(hand), hand.table
        if place.kind == "hand" and place.seat == course.stopped and not table.pile(place):
            discard = Place("discard", 0, place.seat)
            if any(k in course.to_lay and table.domain(k) & masks[0] for k in table.pile(discard)):
                return discard
        return super().taken_from(hand, place, masks)

    def follow(self, hand: Hand, entry: Entry) -> list[Finding]:
        """Calls of Stop, as soon as they can be settled."""
        course, event = pishe_of(hand), entry.event
        if isinstance(event, Call) and event.word.strip().lower().startswith("stop"):
            course.open_stops = (*course.open_stops, entry.position)
        found: list[Finding] = []
        for position in course.open_stops:
            verdict, infraction = self._settle(hand, position)
            if verdict == "undecided":
                if position == entry.position:
                    self._leave_open(hand, hand.log[position].event)
                continue
            course.open_stops = tuple(p for p in course.open_stops if p != position)
            found.append(self._stop(hand, position, infraction))
            if position == entry.position and infraction >= 0:
                self._carry_out(hand, hand.log[position].event, infraction)
        return found

    def finish(self, hand: Hand) -> list[Finding]:
        """Calls that could not be settled."""
        return [self._open_stop(hand, position) for position in pishe_of(hand).open_stops]

    def _settle(self, hand: Hand, call: int) -> tuple[str, int]:
        """The verdict on a call of Stop, and the infraction that it is about (-1 = none)."""
        named = self._named(hand, call)
        suspects = [p for p in self._suspects(hand, call) if hand.verdict_on(p) == "illegal"]
        if suspects:
            return "legal", named if named in suspects else suspects[-1]
        open_ones = [p for p in self._suspects(hand, call) if hand.verdict_on(p) == "undecided"]
        return ("undecided", open_ones[-1]) if open_ones else ("illegal", -1)

    @staticmethod
    def _named(hand: Hand, call: int) -> int:
        event = hand.log[call].event
        assert isinstance(event, Call)
        return next((e.position for e in hand.log[:call] if e.index == event.of), -1)

    def _suspects(self, hand: Hand, call: int) -> list[int]:
        """Events of the opponent in the turn that ran at a call or had just ended, that were not repaired.

        Only those after which the caller neither drew nor played.
        """
        course, caller = pishe_of(hand), hand.log[call].event.seat
        number = course.turns[call]
        found: list[int] = []
        for entry in reversed(hand.log[:call]):
            if entry.event.seat == caller and isinstance(entry.event, Draw | Play):
                break
            if entry.event.seat == caller or entry.position not in course.turns:
                continue
            if (
                not isinstance(entry.event, Draw | Play | Recycle)
                or course.turns[entry.position] < number - 1
            ):
                continue
            if entry.position not in course.closed and not self._is_repaired(hand, entry, call):
                found.append(entry.position)
        return found[::-1]

    def _is_repaired(self, hand: Hand, entry: Entry, call: int) -> bool:
        """Whether an infraction's card was taken back, or the missed card was played, before a call."""
        missed = pishe_of(hand).missed.get(entry.position, -1)
        for later in hand.log[entry.position + 1 : call]:
            move = later.move
            if move is None:
                continue
            if (
                isinstance(later.event, TakeBack)
                and entry.move is not None
                and move.cards == entry.move.cards
            ):
                return True
            to_foundation = isinstance(later.event, Play) and move.target.kind == "foundation"
            if to_foundation and missed in move.cards and hand.verdict_on(later.position) is None:
                return True
        return False

    def _stop(self, hand: Hand, call: int, infraction: int) -> Finding:
        caller = hand.log[call].event.seat
        if infraction < 0:
            why = f"{caller} called Stop, but there is nothing to correct."
            return Finding("S5", "wrong-stop", why, about=(call,))
        why = f"{caller} called Stop rightly: {_said(hand, infraction)}."
        return Finding("S5", "stop", why, verdict="legal", about=(infraction, call), seat=caller)

    def _open_stop(self, hand: Hand, call: int) -> Finding:
        _, infraction = self._settle(hand, call)
        caller = hand.log[call].event.seat
        why = f"{caller} called Stop; whether {_said(hand, infraction)} was right cannot be said."
        return Finding("S5", "stop", why, verdict="undecided", about=(infraction, call), seat=caller)

    def _carry_out(self, hand: Hand, call: Event, infraction: int) -> None:
        """What the caller chose: the opponent's turn goes on for a correction, or is over."""
        course, caller = pishe_of(hand), str(call.seat)
        assert isinstance(call, Call)
        opponent = self.other(caller)
        if call.choice == "correct":
            course.correcting = infraction
            if course.turn == caller and course.turns[infraction] < course.number:
                self.return_turn(hand)
            if course.winner == opponent:
                course.ended, course.winner = False, ""
        elif call.choice == "end-turn":
            course.closed = (*course.closed, infraction)
            move = hand.log[infraction].move
            course.to_lay = move.cards if move is not None else ()
            self._put_down(hand, opponent)
            if course.turn == opponent:
                self.pass_turn(hand, hand.position)

    def _leave_open(self, hand: Hand, call: Event) -> None:
        """After a Stop that cannot be settled it cannot be said whose turn it is."""
        assert isinstance(call, Call)
        course = pishe_of(hand)
        if call.choice in ("correct", "end-turn"):
            course.turn = ""
            course.perhaps_stopped = str(call.seat) if call.choice == "end-turn" else ""
            suspects = [hand.log[p].move for p in self._suspects(hand, hand.position)]
            course.to_lay = tuple(card for move in suspects if move is not None for card in move.cards)

    @staticmethod
    def _put_down(hand: Hand, seat: str) -> None:
        """A Stop has ended a seat's turn: what it holds goes onto its discard pile."""
        course, held = pishe_of(hand), tuple(hand.table.pile(Place("hand", 0, seat)))
        course.stopped, course.to_lay = seat, (*course.to_lay, *held)
        hand.table.move(held, Place("discard", 0, seat), hand.position)

    def pass_turn(self, hand: Hand, position: int) -> None:
        """The turn ends; whoever was stopped before has laid down what there was."""
        super().pass_turn(hand, position)
        course = pishe_of(hand)
        if course.stopped == course.turn:
            course.stopped, course.to_lay = "", ()

    def take_turn(self, hand: Hand, seat: str) -> None:
        """Who goes on after a Stop that cannot be settled, or a correction, shows what became of the turn."""
        course = pishe_of(hand)
        if course.perhaps_stopped == seat:
            self._put_down(hand, self.other(seat))
        if seat in (course.perhaps_stopped, self.other(course.perhaps_over or seat)):
            course.number += 1
        course.turn, course.perhaps_stopped, course.perhaps_over = seat, "", ""

    # -- what moves ----------------------------------------------------------------------------------------

    def apply(self, hand: Hand, entry: Entry) -> None:
        """Carry an event out, and note what was missed by it and in which turn."""
        course, event = pishe_of(hand), entry.event
        course.turns[entry.position] = course.number
        missed = self._missed_card(hand, entry)
        if missed is not None:
            course.missed[entry.position] = missed
        if isinstance(event, Recycle):
            pile = hand.table.pile(Place("discard", 0, str(event.seat)))
            course.turned_over = (pile[-1], self._must_go(hand, pile[-1])) if pile else None
        elif isinstance(event, Draw):
            course.turned_over = None
        infraction = course.correcting
        if isinstance(event, Play | Draw | TakeBack) and event.seat == course.turn:
            self._end_correction(course, entry)
        super().apply(hand, entry)
        if infraction >= 0 > course.correcting and self._discard_stays(hand, infraction):
            course.turn, course.perhaps_over = "", str(event.seat)

    @staticmethod
    def _end_correction(course: PisheCourse, entry: Entry) -> None:
        """A correction is over when the missed card is played, or the next card is drawn."""
        missed = course.missed.get(course.correcting)
        played = isinstance(entry.event, Play) and entry.move is not None and missed in entry.move.cards
        if isinstance(entry.event, Draw) or played:
            course.correcting = -1

    def _discard_stays(self, hand: Hand, infraction: int) -> bool:
        """Whether a correction that was just made has left the discard lying that ended the turn."""
        move, made = hand.log[infraction].move, hand.log[hand.position].event
        if move is None or not isinstance(made, Play) or not self.ends_turn(move):
            return False
        return all(hand.table.place_of[card] == move.target for card in move.cards)

    # -- what may be done, and what it brings --------------------------------------------------------------

    def candidates(self, hand: Hand, seat: str) -> list[Event]:
        """Plays of the drawn card and the discard's top, a draw, a recycle."""
        table = hand.table
        used = [place for place in table.piles if place.kind == "foundation"]
        unused = max((place.number for place in used), default=0) + 1
        targets = [*used, Place("foundation", unused), *(Place("discard", 0, name) for name in self.seats)]
        found: list[Event] = []
        for source, (card,) in self.own_moves(hand, seat):
            for target in targets:
                if target != source:
                    to = target.own_name if target.seat in ("", seat) else str(target)
                    found.append(
                        Play(seat=seat, cards=(table.text(card),), source=source.own_name, target=to)
                    )
        return found + self.renewals(hand, seat)

    def score(self, hand: Hand) -> Score:
        """S6: the winner scores one for each card in the opponent's stock and discard pile."""
        winner = course_of(hand).winner
        scores = dict.fromkeys(self.seats, HandScore())
        if winner:
            loser = self.other(winner)
            left = sum(len(hand.table.pile(Place(kind, 0, loser))) for kind in ("stock", "discard"))
            scores[winner] = HandScore(points=left)
        return self.sum_up(hand, scores, winner or None)


def _said(hand: Hand, position: int) -> str:
    """An event as it is spoken of."""
    event = hand.log[position].event
    return str(event) if isinstance(event, Draw | Play) else f"{event.seat}'s {event.kind}"
