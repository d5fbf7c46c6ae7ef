"""A hand: the log of its events, the table they led to, and the rulings on them.

>>> from referee import Header, Play, open_hand
>>> hand = open_hand(Header.of("nerts", {"north": "blue", "south": "red"}))
>>> play = Play(seat="north", cards=("5H",), source="waste", target="foundation 1")
>>> [ruling.rule for ruling in hand.push(play)]
['N9']
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from referee.rules.cards import MASKS, single
from referee.rules.events import (
    NEEDS_SEAT,
    BadEventError,
    Begun,
    Bury,
    Deal,
    Draw,
    Event,
    Play,
    SetAside,
    TakeBack,
    Touch,
    Turn,
)
from referee.rules.game import Course, Game
from referee.rules.header import Header
from referee.rules.order import note_taken
from referee.rules.places import Place, UnknownPlaceError, unknown_place
from referee.rules.resolve import Move as Move
from referee.rules.resolve import resolve
from referee.rules.rulings import NEVER, Finding, Need, Question, Ruling, Verdict, one_a_rule, weigh
from referee.rules.table import Table

if TYPE_CHECKING:
    from referee.rules.score import Score


@dataclass(frozen=True, slots=True)
class Entry:
    """One event of the log: its position there, its index in the record, and its move if it has one."""

    position: int
    index: int
    event: Event
    move: Move | None = None


@dataclass(slots=True)
class _State:
    """Everything that a push changes; a snapshot is a copy of it."""

    table: Table
    course: Course
    dealt: set[str]
    pending: list[tuple[int, Finding]]
    #: By log position: "illegal" or "undecided", the worst that was ruled on the event.
    verdicts: dict[int, Verdict]
    #: By log position: the names of what was ruled on the event, surely or perhaps.
    faults: dict[int, frozenset[str]]
    #: Findings that were ruled illegal, by their place among the rulings, with the position they are about.
    called: dict[int, tuple[int, Finding]]
    entries: int = 0
    rulings: tuple[Ruling, ...] = ()

    def copy(self, entries: int, rulings: tuple[Ruling, ...]) -> _State:
        return _State(
            self.table.copy(),
            self.course.copy(),
            self.dealt.copy(),
            self.pending.copy(),
            self.verdicts.copy(),
            self.faults.copy(),
            self.called.copy(),
            entries,
            rulings,
        )


class Hand:
    """The state of one hand. `push` adds an event and returns the rulings that it leads to.

    An illegal play never stops the hand: the table follows what was done. With `history` every push can be
    undone by `pop`; with a number, so many of the last ones, which bounds what a long hand takes in memory.
    """

    def __init__(self, game: Game, *, history: bool | int = True) -> None:
        self.game = game
        self.header: Header = game.header
        self.log: list[Entry] = []
        self.rulings: list[Ruling] = []
        #: By index in the record: what else an event may have been.
        self.doubts: dict[int, list[Event]] = {}
        self._state = _State(Table(), game.new_course(), {""}, [], {}, {}, {})
        self._history: deque[_State] | None = None
        if history:
            self._history = deque(maxlen=None if history is True else history)
        #: Of the event that is being pushed: what it contradicts.
        self._clashes: list[tuple[int, str]] = []

    # -- what a hand is asked ------------------------------------------------------------------------------

    @property
    def table(self) -> Table:
        """The cards as they lie."""
        return self._state.table

    @property
    def course(self) -> Course:
        """What the game remembers besides the table."""
        return self._state.course

    @property
    def dealt(self) -> set[str]:
        """The owners of areas whose cards were dealt; "" stands for what all share."""
        return self._state.dealt

    @property
    def position(self) -> int:
        """Log position of the event that is being pushed (or was pushed last)."""
        return len(self.log) - 1

    @property
    def ended(self) -> bool:
        """Whether the hand has ended."""
        return self.course.ended

    @property
    def pending(self) -> list[tuple[int, Finding]]:
        """Decisions that wait for a card to be shown, with the log position of their event."""
        return self._state.pending

    def pile(self, place: str, seat: str | None = None) -> list[str]:
        """The cards of a place, bottom to top, as written: `hand.pile("north work 3")`."""
        return [self.table.text(card) for card in self.table.pile(self.game.place(place, seat))]

    def is_known(self, place: Place) -> bool:
        """Whether all the cards of a place are on the table; not so in an area that was never dealt."""
        return self.game.is_known(self, place)

    def verdict_on(self, position: int) -> Verdict | None:
        """The worst that was ruled on an event so far, or may be: "illegal", "undecided" or None."""
        if position in self._state.verdicts:
            return self._state.verdicts[position]
        return "undecided" if any(p == position for p, _ in self.pending) else None

    def faults_of(self, position: int) -> frozenset[str]:
        """The names of the infractions that an event was ruled to be, or perhaps to be."""
        return self._state.faults.get(position, frozenset())

    @property
    def undoable(self) -> int:
        """How many pushes can be undone."""
        return len(self._history or ())

    def judge(self, event: Event) -> list[Finding]:
        """What the event would break now; changes nothing. BadEventError for what cannot be read."""
        self.check(event)
        return one_a_rule(self.game.judge(self, event))

    def legal_plays(self, seat: str) -> list[Event]:
        """Everything that `seat` may certainly do now: plays, a draw, a recycle."""
        return [event for event in self.game.candidates(self, seat) if not self.game.judge(self, event)]

    def score(self) -> Score:
        """The score of the hand as it stands."""
        return self.game.score(self.closed())

    def copy(self) -> Hand:
        """An independent hand at the same point, with no history of its own."""
        twin = Hand(self.game, history=False)
        twin.log, twin.rulings = self.log.copy(), self.rulings.copy()
        twin.doubts = self.doubts.copy()
        twin._state = self._state.copy(len(self.log), ())
        return twin

    def closed(self) -> Hand:
        """A copy in which all is ruled on as if the record ended here."""
        twin = self.copy()
        twin._write(twin.game.finish(twin))
        for position, finding in twin._state.pending:
            twin._rule(finding._replace(need=None, verdict="undecided"), position, None)
        twin._state.pending.clear()
        return twin

    def __str__(self) -> str:
        from referee.rules.picture import picture

        return picture(self)

    # -- push and pop --------------------------------------------------------------------------------------

    def push(self, event: Event, index: int | None = None) -> list[Ruling]:
        """Add an event (at `index` of the record); the new rulings. BadEventError changes nothing."""
        self.check(event)
        before = len(self.rulings)
        if self._history is not None:
            self._history.append(self._state.copy(len(self.log), tuple(self.rulings)))
        index = (self.log[-1].index + 1 if self.log else 1) if index is None else index
        findings = self._judge_all(event, index)
        entry = Entry(len(self.log), index, event, self.resolve(event))
        self.log.append(entry)
        self.game.apply(self, entry)
        self._write(self._contradiction())
        self._write(findings, judged=True)
        self._settle()
        self._write(self.game.follow(self, entry))
        self._settle()
        return self.rulings[before:]

    def pop(self) -> Event:
        """Undo the last push and return its event; IndexError when there is none that can be undone."""
        if not self._history:
            raise IndexError("no event to take off this hand")
        event = self.log[-1].event
        self._state = self._history.pop()
        del self.log[self._state.entries :]
        self.rulings = list(self._state.rulings)
        return event

    def check(self, event: Event) -> None:
        """BadEventError for an unknown seat or place, a seat that is missing, a deal that cannot be."""
        if event.seat is not None and event.seat not in self.game.seats:
            playing = ", ".join(self.game.seats)
            raise BadEventError(f"{event.kind}: unknown seat {event.seat!r} (playing: {playing})")
        if event.seat is None and event.kind in NEEDS_SEAT:
            raise BadEventError(f"{event.kind}: field 'seat' is missing")
        try:
            for written in _places(event):
                self._check_place(event, written)
        except UnknownPlaceError as error:
            raise BadEventError(f"{event.kind}: {error}") from None
        if isinstance(event, Deal):
            self.game.check_deal(self, event)
        elif isinstance(event, Begun):
            self.game.check_begun(self, event)
        if isinstance(event, Draw | Play | TakeBack):
            several = isinstance(event, Play) and self._holds_several_decks(event)
            _check_cards(event, once=not isinstance(event, Draw) and not several)

    def _check_place(self, event: Event, written: str) -> None:
        """UnknownPlaceError unless a place is on the table, or is dealt now."""
        place = self.game.place(written, event.seat)
        dealt = isinstance(event, Deal) and written in event.piles
        if not dealt and not self.game.is_there(self, place):
            raise UnknownPlaceError(unknown_place(written))

    def _holds_several_decks(self, event: Play) -> bool:
        """Whether cards of several decks come to lie where a play takes its cards."""
        source = self.game.place(event.source, event.seat)
        return not source.seat and len(set(self.game.deck.values())) > 1

    # -- finding the cards of a move -----------------------------------------------------------------------

    def resolve(self, event: Event) -> Move | None:
        """The move of a play, draw or take-back: which cards on the table are meant."""
        return resolve(self, event)

    def last_play_of(self, card: int, seat: str) -> Entry | None:
        """The last play of a card by a seat."""
        for entry in reversed(self.log):
            if (
                entry.move is not None
                and isinstance(entry.event, Play)
                and entry.event.seat == seat
                and card in entry.move.cards
            ):
                return entry
        return None

    def came_from(self, move: Move) -> int | None:
        """The position in its pile from which a card taken back was once played; None = on top."""
        entry = self.last_play_of(move.cards[0], move.seat)
        if entry is None or entry.move is None or entry.move.source != move.target:
            return None
        return entry.move.source_at

    # -- what a game uses while it applies an event --------------------------------------------------------

    def take(self, move: Move) -> None:
        """Put cards that were not on the table yet where the move finds them, and show what it shows."""
        for number in range(move.new):
            deck = self.game.deck[move.source.seat or move.seat]
            mask = MASKS["??"]
            card = self.table.new_card(deck, mask, move.source, self.position, up=False)
            assert card == move.cards[len(move.cards) - move.new + number]
        confused = note_taken(self.table, move, self.position)
        if confused:
            state = self._state
            state.pending = [(p, _never_settled(f, confused)) for p, f in state.pending]
        for card, mask in zip(move.cards, move.masks, strict=True):
            if self.table.place_of[card] != move.source:
                self._clash(card, "??", self.table.moved_by[card])
            self.show(card, mask)

    def show(self, card: int, mask: int) -> None:
        """A card is seen; a sight that contradicts an earlier one is put up for review (N1)."""
        known = self.table.faces[card]
        if known >= 0 and mask >> known & 1:
            return
        said, face = self.table.text(card), single(mask)
        mistaken = {card, self.table.bound.get(self.table.decks[card], {}).get(face, card)}
        against = self.table.show(card, mask, self.position)
        if against:
            # The last one said where else the card lies; that says more than what this one was taken for.
            self._clash(card, said if len(against) == 1 else "??", against[-1])
            self._reconsider(mistaken)

    def _reconsider(self, mistaken: set[int]) -> None:
        """What was called because of a sight that a later one contradicts is not certain any more."""
        for number, (position, finding) in list(self._state.called.items()):
            if not mistaken & set(finding.rests_on):
                continue
            answer = None if finding.basis is None else self._answer(finding.basis)
            if answer is False:
                continue
            del self._state.called[number]
            self.rulings[number] = replace(self.rulings[number], verdict="undecided")
            self._state.verdicts[position] = "undecided"

    def _clash(self, card: int, said: str, earlier: int) -> None:
        """Note that an earlier event said otherwise of a card: another face, or another place."""
        now = self.table.text(card)
        was = (
            f"was taken for {said} before" if said not in (now, "??") else "was seen in another place before"
        )
        self._clashes.append((earlier, f"{now} of the {self.table.decks[card]} deck {was}"))

    def _contradiction(self) -> list[Finding]:
        """One finding for all that the event at hand contradicts."""
        if not self._clashes:
            return []
        about = {position for position, _ in self._clashes if position >= 0} | {self.position}
        why = f"{self._clashes[0][1]}: one of the events is wrong."
        self._clashes.clear()
        return [Finding("N1", "contradiction", why, verdict="undecided", about=tuple(sorted(about)))]

    # -- rulings -------------------------------------------------------------------------------------------

    def _judge_all(self, event: Event, index: int) -> list[Finding]:
        """Findings on an event; under doubt all that it may have been are judged, and mixed is undecided."""
        own = one_a_rule(self.game.judge(self, event))
        others = [one_a_rule(self.game.judge(self, other)) for other in self.doubts.get(index, ())]
        if not others:
            return own
        versions = [own, *others]
        if all(any(f.need is None and f.verdict == "illegal" for f in version) for version in versions):
            return own
        every = [f._replace(need=None, verdict="undecided") for version in versions for f in version]
        return one_a_rule(every)

    def _write(self, findings: Sequence[Finding], *, judged: bool = False) -> None:
        for finding in findings:
            position = max(finding.about, default=self.position)
            if finding.need is not None:
                self._state.pending.append((position, finding))
            else:
                self._rule(finding, position, None, judged=judged)

    def _settle(self) -> None:
        """Decide what the cards shown by now decide."""
        if not self._state.pending:
            return
        waiting = []
        for position, finding in self._state.pending:
            assert finding.need is not None
            answer = self._answer(finding.need)
            if answer is None:
                waiting.append((position, finding))
            elif not answer:
                self._rule(finding._replace(need=None), position, self.position)
        self._state.pending = waiting

    def _answer(self, need: Need | Question) -> bool | None:
        table = self.table
        if isinstance(need, Question):
            return need.ask(table.domain)
        if need.onto is None:
            return weigh(need, table.domain(need.card), 0, one_deck=False)
        one_deck = table.decks[need.card] == table.decks[need.onto]
        return weigh(need, table.domain(need.card), table.domain(need.onto), one_deck=one_deck)

    def _rule(self, finding: Finding, position: int, shown: int | None, *, judged: bool = False) -> None:
        about = finding.about or (position,)
        why = finding.why
        if shown is not None and shown not in about:
            about = (*about, shown)
            why += f" (Seen by: {self.log[shown].event}.)"
        confidence = self._confidence(finding, about)
        verdict = self._final(finding, about, judged=judged)
        of = tuple(sorted({self.log[p].index for p in about}))
        last = max((self.log[p] for p in about), key=lambda entry: (entry.index, entry.position))
        evidence = dict(finding.evidence)
        frames = self.log[position].event.frames
        if frames is not None:
            evidence.setdefault("frames", list(frames))
        seat = self.log[position].event.seat if finding.seat is None else finding.seat or None
        if verdict == "illegal" and finding.rests_on:
            self._state.called[len(self.rulings)] = position, finding
        self.rulings.append(
            Ruling(
                finding.name,
                finding.rule,
                of,
                seat,
                verdict,
                why,
                last.event.at,
                confidence,
                evidence,
                finding.about or (position,),
            )
        )
        if verdict in ("illegal", "undecided"):
            for p in finding.about or (position,):
                self._mark(p, finding.name, verdict)

    def stands(self, finding: Finding) -> bool:
        """Whether a finding that follows from several events is sure enough to be ruled illegal."""
        return self._final(finding, finding.about or (self.position,), judged=False) == "illegal"

    def _final(self, finding: Finding, about: Sequence[int], *, judged: bool) -> Verdict:
        """The verdict of a finding: "illegal" only for what was surely seen."""
        if finding.verdict != "illegal":
            return finding.verdict
        unsure = self._confidence(finding, about) < self.header.settings.number("call_threshold")
        return "undecided" if unsure or self._in_doubt(finding, about, judged=judged) else "illegal"

    def _in_doubt(self, finding: Finding, about: Sequence[int], *, judged: bool) -> bool:
        """Whether a finding rests on an event that may have been another one.

        A finding that was `judged` was weighed with all that its own event may have been.
        """
        weighed = set(about) if judged else set()
        if any(self.log[p].index in self.doubts for p in {*about, *finding.events} - weighed):
            return True
        move = self.log[self.position].move if judged else None
        named = () if move is None else zip(move.cards, move.masks, strict=True)
        seen_now = {card for card, mask in named if single(mask) >= 0}
        rests = {
            p
            for card in set(finding.rests_on) - seen_now
            for p in (self.table.shown_by[card], self.table.moved_by[card])
        }
        return any(self._may_lie_otherwise(p) for p in rests - set(about) if p >= 0)

    def _may_lie_otherwise(self, position: int) -> bool:
        """Whether one of the things that an event may have been leaves the cards otherwise than it did."""
        entry = self.log[position]
        return any(_moves(other) != _moves(entry.event) for other in self.doubts.get(entry.index, ()))

    def _mark(self, position: int, name: str, verdict: Verdict) -> None:
        state = self._state
        if state.verdicts.get(position) != "illegal":
            state.verdicts[position] = verdict
        state.faults[position] = state.faults.get(position, frozenset()) | {name}

    def _confidence(self, finding: Finding, about: Sequence[int]) -> float:
        """The least confidence among the events that a finding is about or rests on."""
        rests = {*about, *finding.events}
        for card in finding.rests_on:
            rests |= {self.table.shown_by[card], self.table.moved_by[card]}
        known = [self.log[p].event.confidence for p in rests if 0 <= p < len(self.log)]
        return min([finding.confidence, *known])


def _check_cards(event: Draw | Play | TakeBack, *, once: bool) -> None:
    """BadEventError for more cards than a deck has, or (`once`) a card moved twice at once."""
    if len(event.cards) > 52:
        count = len(event.cards)
        raise BadEventError(f"{event.kind}: {count} cards, a deck has 52 (name only those that moved)")
    for card in event.cards if once else ():
        if event.cards.count(card) > 1 and single(MASKS[card]) >= 0:
            raise BadEventError(f"{event.kind}: card {card} is there twice (write ?? for one not known)")


def _never_settled(finding: Finding, confused: Sequence[int]) -> Finding:
    """The finding, waiting for ever if it waits for one of the cards that cannot be told apart any more."""
    need = finding.need
    waits_for = {need.card, need.onto} if isinstance(need, Need) else set(finding.rests_on)
    if need is None or not waits_for & set(confused):
        return finding
    return finding._replace(need=NEVER)


def _moves(event: Event) -> tuple[object, ...]:
    """What an event says of cards and places, without when and how they moved."""
    names = ("cards", "source", "target", "place", "card", "under", "bottom", "piles")
    return (event.kind, event.seat, *(getattr(event, name, None) for name in names))


def _places(event: Event) -> list[str]:
    """The places that an event names."""
    if isinstance(event, Play | TakeBack):
        return [event.source, event.target]
    if isinstance(event, Turn | Touch | SetAside):
        return [event.place]
    if isinstance(event, Bury) and event.source:
        return [event.source]
    if isinstance(event, Deal):
        return [*event.piles, *event.up]
    if isinstance(event, Begun):
        return [*event.piles, *event.more]
    return []
