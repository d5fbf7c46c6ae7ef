"""Double Solitaire, simplified: rules D1 to D8 (`referee/presets/rules.toml`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from referee.games.one_deck import Layout, Weighing, course_of, fits_nowhere
from referee.games.turns import NEIGHBOURS, TurnGame, turn_of
from referee.rules import cards as c
from referee.rules.events import Event, Play
from referee.rules.places import Place
from referee.rules.rulings import Finding
from referee.rules.score import HandScore, Score

if TYPE_CHECKING:
    from referee.rules.hand import Entry, Hand, Move

CENTRES = range(1, 5)
#: One rank up or down in the other colour, by the card that lies there.
NEIGHBOURS_ALTERNATING = tuple(
    NEIGHBOURS[on] & c.mask_where(lambda k, on=on: c.is_red(k) != c.is_red(on))  # type: ignore[misc]
    for on in range(52)
)


class DoubleSolitaire(TurnGame):
    """The rules of Double Solitaire at one table."""

    deal_rule = "D1"
    turn_rule = "D2"
    recycle_rule = "D7"
    begins_empty = frozenset({"side"})

    def deal_layout(self) -> Layout:
        """D1: four centre piles of one card, 24 cards for either player."""
        return {**{Place("centre", number): (1, 1) for number in CENTRES}, **self.stocks(24)}

    def exists(self, kind: str, number: int) -> str | None:
        """Own: `stock`, `hand`, `discard`. Common: `centre 1` to `centre 4` (further ones if dealt), `side n`."""
        if kind in ("stock", "hand", "discard"):
            return None if number else "own"
        return "common" if kind in ("centre", "side") and number else None

    def is_regular(self, place: Place) -> bool:
        """Whether the rules have a place; further centre piles are there only if dealt."""
        return place.kind != "centre" or place.number in CENTRES

    def centres(self, hand: Hand) -> list[Place]:
        """The centre piles, empty ones included."""
        return self.piles_of(hand, "centre", "", CENTRES)

    # -- what is ruled on ----------------------------------------------------------------------------------

    def judge_play(self, hand: Hand, event: Play) -> list[Finding]:
        """What a play breaks on the table as it lies."""
        move = hand.resolve(event)
        assert move is not None
        weighing = Weighing(hand, event, move)
        if move.source == move.target:
            return []
        in_turn = self.check_turn(hand, move.seat, weighing)
        if in_turn and not turn_of(hand).drawn:
            weighing.breaks(
                "D2", "before-the-draw", f"{move.seat} played before drawing a card in this turn."
            )
        self.check_source(hand, event, move, weighing)
        self._check_availability(hand, move, weighing)
        self._check_target(hand, move, weighing)
        if in_turn:
            self._check_duty(hand, move, weighing)
        return weighing.found

    def _check_availability(self, hand: Hand, move: Move, weighing: Weighing) -> None:
        """D5 and D4: of the own discard pile and of a side stack only the top is available."""
        name, source = weighing.name(move.cards[0]), move.source
        if source.kind == "discard" and source.seat != move.seat:
            weighing.breaks("D5", "foreign-card", f"{name} was taken from {source}.")
        elif source.kind == "discard" and move.left_above and self.is_known(hand, source):
            weighing.breaks("D5", "not-the-top", f"{name} is not the top of {source}.")
        elif source.kind == "side" and move.left_above:
            weighing.breaks("D4", "not-the-top", f"{name} is not the top of {source}.")

    def _check_target(self, hand: Hand, move: Move, weighing: Weighing) -> None:
        target = move.target
        if target.kind == "centre":
            self._onto_centre(hand, move, weighing)
        elif target.kind == "side":
            self._onto_side(hand, move, weighing)
        elif target == Place("discard", 0, self.other(move.seat)):
            self._onto_opponent(hand, move, weighing)
        elif target != Place("discard", 0, move.seat):
            weighing.breaks("D2", "wrong-place", f"{weighing.name(move.cards[0])} was put onto {target}.")
        elif move.source.kind not in ("hand", "stock") or len(move.cards) > 1:
            why = f"{weighing.name(move.cards[0])}: only the drawn card goes on the own discard pile."
            weighing.breaks("D7", "wrong-discard", why)

    def _onto_centre(self, hand: Hand, move: Move, weighing: Weighing) -> None:
        """D3: a card that fits, a whole pile that fits, any available card in an empty place."""
        pile, name = hand.table.pile(move.target), weighing.name(move.cards[0])
        merges = move.source.kind == "centre" and bool(pile)
        if merges and self.settings["merge_moves"] == "stack":
            if self.is_known(hand, move.source) and len(move.cards) != len(hand.table.pile(move.source)):
                why = f"{name}: a centre pile is moved onto another one whole."
                weighing.breaks("D3", "part-of-a-pile", why)
        elif len(move.cards) > 1:
            weighing.breaks("D3", "several-cards", f"{len(move.cards)} cards were moved at once.")
        elif self._is_covered(hand, move):
            weighing.breaks("D3", "covered-card", f"{name} was moved from under the cards on top of it.")
        if pile:
            why = "a centre pile builds down by one in alternating colour."
            weighing.must_fit("D3", "wrong-build", move.cards[0], pile[-1], c.DOWN_ALTERNATING, why)

    def _onto_side(self, hand: Hand, move: Move, weighing: Weighing) -> None:
        """D4: ace up to king in suit, one stack a suit, at most four."""
        table, card = hand.table, move.cards[0]
        pile = table.pile(move.target)
        if len(move.cards) > 1:
            weighing.breaks("D4", "several-cards", f"{len(move.cards)} cards were moved at once.")
        elif self._is_covered(hand, move):
            weighing.breaks("D4", "covered-card", f"{weighing.name(card)} was not exposed.")
        if pile:
            why = "a side stack builds up by one in its suit."
            weighing.must_fit("D4", "wrong-side-card", card, pile[-1], c.UP_IN_SUIT, why)
            return
        stacks = self.side_stacks(hand)
        if len(stacks) >= 4:
            weighing.breaks("D4", "fifth-side-stack", "There are four side stacks already.")
            return
        why = "a side stack begins with the ace of a suit that has none."
        weighing.must_fit("D4", "wrong-side-card", card, None, self._free_aces(hand, stacks), why)

    def _onto_opponent(self, hand: Hand, move: Move, weighing: Weighing) -> None:
        """D6: one rank up or down in the other colour."""
        pile = hand.table.pile(move.target)
        if len(move.cards) > 1:
            weighing.breaks("D6", "several-cards", f"{len(move.cards)} cards were moved at once.")
        elif self._is_covered(hand, move):
            weighing.breaks("D6", "covered-card", f"{weighing.name(move.cards[0])} was not exposed.")
        if pile:
            why = "the opponent's discard pile takes the next rank up or down in the other colour."
            weighing.must_fit("D6", "wrong-rank", move.cards[0], pile[-1], NEIGHBOURS_ALTERNATING, why)
        elif self.is_known(hand, move.target):
            weighing.breaks("D6", "no-discard-pile", f"{move.target} is empty: nothing may be played there.")

    def _is_covered(self, hand: Hand, move: Move) -> bool:
        return move.source.kind == "centre" and bool(move.left_above) and self.is_known(hand, move.source)

    # -- the duty to play to a side stack (D4) -------------------------------------------------------------

    @staticmethod
    def side_stacks(hand: Hand) -> list[list[int]]:
        """The side stacks begun, bottom to top."""
        return [pile for place, pile in hand.table.piles.items() if pile and place.kind == "side"]

    @staticmethod
    def _free_aces(hand: Hand, stacks: Sequence[list[int]]) -> int:
        """The aces of suits that have no side stack."""
        begun = 0
        for stack in stacks:
            face = c.single(hand.table.domain(stack[0]))
            begun |= c.SUIT_MASKS[c.suit(face)] if face >= 0 else 0
        return c.ACES & ~begun

    def _duties(self, hand: Hand, move: Move) -> list[int]:
        """The cards that a play may leave where they should have gone to a side stack."""
        if move.target.kind == "side" or move.source.kind != "hand":
            return []
        exposed = list(move.cards[:1])
        if self.ends_turn(move):
            tops = [hand.table.pile(place)[-1] for place in self.centres(hand) if hand.table.pile(place)]
            exposed += [card for card in tops if card not in exposed]
        return [card for card in exposed if card not in turn_of(hand).flagged]

    def _check_duty(self, hand: Hand, move: Move, weighing: Weighing) -> None:
        stacks = self.side_stacks(hand)
        aces = self._free_aces(hand, stacks) if len(stacks) < 4 else 0
        tops = [stack[-1] for stack in stacks]
        for card in self._duties(hand, move):
            question = fits_nowhere(card, tops, c.UP_IN_SUIT, aces)
            why = f"{weighing.name(card)} fits a side stack and had to go there."
            weighing.must_hold("D4", "missed-side-play", question, why, (card, *tops), by_card=True)

    def apply(self, hand: Hand, entry: Entry) -> None:
        """Carry an event out, and remember for which cards a missed duty was ruled on."""
        move, course = entry.move, turn_of(hand)
        if isinstance(entry.event, Play) and move is not None and move.seat == course.turn:
            course.flagged = (*course.flagged, *self._missed(hand, entry.event, move))
        super().apply(hand, entry)

    def _missed(self, hand: Hand, event: Play, move: Move) -> list[int]:
        weighing = Weighing(hand, event, move)
        self._check_duty(hand, move, weighing)
        return [finding.subject for finding in weighing.found if finding.subject is not None]

    # -- what may be done, and what it brings --------------------------------------------------------------

    def _sources(self, hand: Hand, seat: str) -> Iterator[tuple[Place, tuple[int, ...]]]:
        yield from self.own_moves(hand, seat)
        for place, pile in hand.table.piles.items():
            if pile and place.kind in ("centre", "side"):
                yield place, (pile[-1],)
                if place.kind == "centre" and len(pile) > 1:
                    yield place, tuple(pile)

    def candidates(self, hand: Hand, seat: str) -> list[Event]:
        """Plays to centre piles, side stacks and both discard piles; a draw; a recycle."""
        table = hand.table
        sides = [place for place in table.piles if place.kind == "side" and table.pile(place)]
        unused = next(n for n in range(1, 9) if not table.pile(Place("side", n)))
        targets = [*self.centres(hand), *sides, Place("side", unused)]
        targets += [Place("discard", 0, name) for name in self.seats]
        found: list[Event] = []
        for source, moved in self._sources(hand, seat):
            cards = tuple(table.text(card) for card in moved)
            for target in targets:
                if target != source:
                    to = target.written_by(seat)
                    found.append(Play(seat=seat, cards=cards, source=source.own_name, target=to))
        return found + self.renewals(hand, seat)

    def score(self, hand: Hand) -> Score:
        """D8: one for the winner."""
        winner = course_of(hand).winner
        scores = {seat: HandScore(points=int(seat == winner)) for seat in self.seats}
        return self.sum_up(hand, scores, winner or None)
