"""Pishe Pasha: rules S1 to S6 (`referee/presets/rules.toml`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from referee.games.one_deck import Layout, Weighing, course_of, fits_nowhere
from referee.games.pishe_pasha import stop as pishe_stop
from referee.games.pishe_pasha.course import PisheCourse, pishe_of
from referee.games.turns import NEIGHBOURS, TurnGame, turn_of
from referee.rules import cards as c
from referee.rules.events import Draw, Event, Play, Recycle, TakeBack
from referee.rules.places import Place
from referee.rules.rulings import Finding, Question
from referee.rules.score import HandScore, Score

if TYPE_CHECKING:
    from referee.rules.hand import Entry, Hand, Move


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

    def _lays_down(self, hand: Hand, move: Move) -> bool:
        """Whether a card goes onto the own discard pile because a Stop has (perhaps) ended the turn."""
        course = pishe_of(hand)
        stopped = move.seat == course.stopped or self.other(move.seat) == course.perhaps_stopped
        onto_own = move.target == Place("discard", 0, move.seat)
        return stopped and onto_own and set(move.cards) <= set(course.to_lay)

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
        return pishe_stop.follow(self, hand, entry)

    def finish(self, hand: Hand) -> list[Finding]:
        """Calls that could not be settled."""
        return pishe_stop.finish(hand)

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
            pishe_stop.put_down(hand, self.other(seat))
            course.correcting = -1
        if course.ran not in ("", seat):
            course.number += -1 if course.goes_back else 1
        course.turn, course.perhaps_stopped, course.ran = seat, "", ""

    # -- what moves ----------------------------------------------------------------------------------------

    def apply(self, hand: Hand, entry: Entry) -> None:
        """Carry an event out, and note what was missed by it and in which turn."""
        course, event = pishe_of(hand), entry.event
        self._note(hand, entry)
        stopped = (
            entry.move is not None and bool(course.perhaps_stopped) and self._lays_down(hand, entry.move)
        )
        if stopped:
            caller, course.perhaps_stopped, course.correcting = course.perhaps_stopped, "", -1
            self.take_turn(hand, caller)
        infraction = course.correcting
        if isinstance(event, Play | Draw | TakeBack) and event.seat == course.turn:
            self._end_correction(course, entry)
        super().apply(hand, entry)
        if stopped:
            pishe_stop.put_down(hand, str(event.seat))
        if infraction >= 0 > course.correcting and self._discard_stays(hand, infraction):
            course.turn, course.ran, course.goes_back = "", str(event.seat), False

    def _note(self, hand: Hand, entry: Entry) -> None:
        """Note in which turn an event happens, and which card it leaves that had to go to a foundation."""
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
                    to = target.written_by(seat)
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
