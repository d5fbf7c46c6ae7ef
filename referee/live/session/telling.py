"""How a session tells: lines go to the disk first, then to whoever listens; states are told when they change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from threading import RLock
from typing import Any

from referee.live import scribe
from referee.live.session.keeper import Keeper
from referee.live.session.told import SAYS, Line, Observer, State, Told
from referee.record.book import Book, event_of
from referee.rules.events import BadEventError
from referee.rules.hand import Hand

#: What makes two lines tell the same, whenever it happened.
_SAME = ("event", "seat", "cards", "from", "to", "place", "card")
#: So many lines at the end of a record are asked whether they tell what was provisional.
_RECENT = 60


class Teller:
    """Tells observers in order; `lock` is held meanwhile."""

    def __init__(self, keeper: Keeper, lock: RLock) -> None:
        self._keeper, self._lock = keeper, lock
        self._observers: list[Observer] = []
        self._number = 0
        #: The state of the table, and of the picture where that is what matters now.
        self._table: State = "no camera"
        self._blind: State | None = None
        self._said: Line = {}
        self._provisional: dict[tuple[str, ...], Line] = {}
        self._trouble = ""
        #: The question that is open.
        self.question: Line | None = None
        self._questions = 0

    @property
    def state(self) -> State:
        """The state that was told last."""
        return self._blind or self._table

    def observe(self, observer: Observer) -> Callable[[], None]:
        """Tell this one from now on; what is returned ends it."""
        with self._lock:
            self._observers = [*self._observers, observer]

        def leave() -> None:
            with self._lock:
                self._observers = [one for one in self._observers if one is not observer]

        return leave

    def _pass_on(self, hand: int, index: int | None, line: Line, *, provisional: bool = False) -> None:
        self._number += 1
        told = Told(self._number, hand, index, line, provisional)
        for observer in self._observers:
            observer(told)

    # -- states --------------------------------------------------------------------------------------------

    def say(self, state: State, at: float, hand: int, **more: Any) -> None:
        """The table is in this state; told where it, or what is said of it, is new."""
        with self._lock:
            line = _state_line(state, at, hand, more)
            old = {**self._said, "at": line["at"]}
            self._table, self._said = state, line
            if self._blind is None and line != old:
                self._pass_on(hand, None, line)

    def blinded(self, why: State | None, at: float, hand: int, text: str = "") -> None:
        """The picture tells nothing (`why`), or can be read again (None): told where that is new."""
        with self._lock:
            if why == self._blind or (why is None and not self._said and self._blind is None):
                return
            self._blind = why
            if why is not None:
                self._pass_on(hand, None, _state_line(why, at, hand, {"why": text or None}))
            elif self._said:
                self._pass_on(hand, None, {**self._said, "at": round(at, 3)})

    def ask(self, asks: str, seat: str, about_s: float, at: float, hand: int) -> None:
        """Ask whoever listens; one question is open at a time, the last one."""
        with self._lock:
            self._questions += 1
            self.question = {"number": self._questions, "asks": asks, "seat": seat, "at": round(about_s, 3)}
            self._pass_on(hand, None, {**_state_line(self.state, at, hand, {}), "question": self.question})

    # -- lines ---------------------------------------------------------------------------------------------

    def tell(self, lines: Sequence[Line], book: Book, hand: int) -> None:
        """Tell the last lines of a record: they are on the disk before anybody hears of them."""
        with self._lock:
            self._keeper.append(lines)
            first = len(book.lines) - len(lines)
            for number, line in enumerate(lines):
                self._pass_on(hand, first + number, line)
            if self._keeper.trouble != self._trouble:
                self._trouble = self._keeper.trouble
                why = self._trouble or "the record is written again, nothing of it is lost"
                self._pass_on(hand, None, {**self._said, "disk": why})

    def unsettled(self, lines: Iterable[Line], book: Book, hand: int) -> None:
        """Tell what is believed by now and not settled, once; and what is not believed any more before it did."""
        with self._lock:
            now = {_key(line): line for line in lines}
            written = {_key(line) for line in book.lines[-_RECENT:]}
            for key, line in now.items():
                if key not in self._provisional:
                    self._pass_on(hand, None, line, provisional=True)
            for key, line in self._provisional.items():
                if key not in now and key not in written:
                    self._pass_on(hand, None, {**line, "withdrawn": True}, provisional=True)
            self._provisional = now

    def forget(self) -> None:
        """Another hand begins: what was provisional or asked in the last one is over."""
        with self._lock:
            self._provisional, self.question = {}, None


def _state_line(state: State, at: float, hand: int, more: Line) -> Line:
    line: Line = {"event": "session", "at": round(at, 3), "state": state, "hand": hand, "say": SAYS[state]}
    return line | {key: value for key, value in more.items() if value is not None}


def _key(line: Line) -> tuple[str, ...]:
    return tuple(str(line.get(name)) for name in _SAME)


def with_lines(hand: Hand, lines: Iterable[Line]) -> Hand:
    """A copy of a hand in which this has happened, too."""
    twin = hand.copy()
    for line in lines:
        try:
            twin.push(event_of(line))
        except BadEventError:
            continue
    return twin


def standing(book: Book, unsettled: Iterable[Line]) -> Line:
    """How a hand stands: Nerts cards left, and the score if it ended now, with what has not settled yet."""
    score = with_lines(book.hand, unsettled).score()
    uncounted = [] if score.unknown is None else score.unknown["left"]
    return {
        "nerts": {seat: one.left for seat, one in score.hand.items() if seat not in uncounted},
        "points": {seat: one.to_json() for seat, one in score.hand.items()},
    }


def closing(book: Book) -> list[Line]:
    """The last lines of a record: rulings that only its end allows, those that are withdrawn by it, the score."""
    *rulings, score = scribe.ruled(book.lines)
    return book.close(rulings, score)
