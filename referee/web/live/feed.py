"""What a session tells, kept so that every viewer hears all of it once: whenever they come, and come back.

A line of a record is a message with an id, `SESSION.HAND.INDEX`: who names the last one heard is told those behind
it, also by a server that was started anew, since ids come from the record. All else (the state, what is not settled,
counts) is told whole whenever it changes, and to whoever comes.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import RLock

from referee.record.running import RunningAccount, told_line
from referee.web.live.table import Json, LiveTable, Told

#: Hands whose messages are kept in memory; those before are read again when somebody asks.
_KEPT_HANDS = 3
#: How often the table is asked what comes beside its lines, s.
_EVERY_S = 0.3
#: What makes two lines tell the same, whenever it happened.
_SAME = ("event", "seat", "cards", "from", "to", "place", "card")
_ID = re.compile(r"([\w-]{1,64})\.(\d{1,6})\.(\d{1,7})")
#: Where in the lines somebody is: (hand, index of the next line).
Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the stream, as it is sent."""

    event: str
    data: Json
    id: str = ""

    def encode(self) -> bytes:
        """As server-sent events are written."""
        head = f"id: {self.id}\n" if self.id else ""
        return f"{head}event: {self.event}\ndata: {json.dumps(self.data)}\n\n".encode()


@dataclass(slots=True)
class _Hand:
    """A hand as it was told: its account, and a message a line."""

    account: RunningAccount = field(default_factory=RunningAccount)
    messages: list[Message] = field(default_factory=list)


class Feed:
    """Listens to a table's session from its making until `close`."""

    def __init__(
        self, table: LiveTable, on_ruled: Callable[[int, int], None] = lambda hand, index: None
    ) -> None:
        """`on_ruled` is told of each line (hand, index) by which something is ruled illegal now."""
        self.table = table
        self._on_ruled = on_ruled
        self._lock = RLock()
        self._hands: dict[int, _Hand] = {}
        self._provisional: dict[str, Json] = {}
        self._state: Json = {}
        #: By kind: how often it has changed, and what it is now.
        self._beside: dict[str, tuple[int, Json]] = {}
        self._refreshed_s = -_EVERY_S
        self._leave = table.session.observe(self.hear)
        number, lines = table.session.hand, table.session.lines
        lines = lines or table.earlier(number)
        with self._lock:
            self._catch_up(number, lines)

    def close(self) -> None:
        """Listen no more."""
        self._leave()

    @property
    def hand(self) -> int:
        """The hand that was told of last."""
        with self._lock:
            return max(self._hands)

    # -- listening -----------------------------------------------------------------------------------------

    def hear(self, told: Told) -> None:
        """Take what the session tells; quick."""
        with self._lock:
            if told.index is not None:
                hand = self._hand(told.hand)
                if told.index > len(hand.messages):  # told before we listened
                    self._catch_up(told.hand, self.table.session.lines[: told.index])
                if told.index == len(hand.messages):
                    self._add(told.hand, hand, told.line)
                    if _is_flag(told.line):
                        self._on_ruled(told.hand, told.index)
                self._settle(told.line)
            elif told.provisional:
                self._believe(told.line)
            elif told.line.get("event") == "session":
                self._state = told.line
                self._set("state", told.line)

    def _hand(self, number: int) -> _Hand:
        hand = self._hands.setdefault(number, _Hand())
        for old in sorted(self._hands)[:-_KEPT_HANDS]:
            del self._hands[old]
        return hand

    def _catch_up(self, number: int, lines: Sequence[Json]) -> None:
        hand = self._hand(number)
        for line in lines[len(hand.messages) :]:
            self._add(number, hand, line)

    def _add(self, number: int, hand: _Hand, line: Json) -> None:
        index = len(hand.messages)
        data: Json = {"hand": number, "index": index, "entries": hand.account.push(line)}
        if _is_flag(line):
            data["flag"] = {name: line.get(name) for name in ("at", "seat", "rule", "why")}
            data["flag"]["of"] = _about(line, index)
        hand.messages.append(Message("line", data, f"{self.table.name}.{number}.{index}"))

    def _believe(self, line: Json) -> None:
        key = _key(line)
        if line.get("withdrawn"):
            self._provisional.pop(key, None)
        else:
            entry = told_line(line)
            if entry is not None:
                self._provisional[key] = {"key": f"p{key}", **entry}
        self._set("provisional", {"entries": list(self._provisional.values())})

    def _settle(self, line: Json) -> None:
        """What was provisional is told for good by this line, or belongs to a hand that is over."""
        lines = [line, *line.get("insert", ())]
        settled = [key for key in map(_key, lines) if self._provisional.pop(key, None)]
        if line.get("event") in ("end", "score") or "record" in line:
            settled += list(self._provisional)
            self._provisional.clear()
        if settled:
            self._set("provisional", {"entries": list(self._provisional.values())})

    def _set(self, kind: str, data: Json) -> None:
        count, was = self._beside.get(kind, (0, None))
        if was != data:
            self._beside[kind] = count + 1, data

    # -- telling -------------------------------------------------------------------------------------------

    def begin(self, last: str) -> Place:
        """Where somebody goes on who has heard `last` (an id): behind it; who has heard nothing, with this hand."""
        found = _ID.fullmatch(last)
        if found and found[1] == self.table.name and int(found[2]) <= self.hand:
            return int(found[2]), int(found[3]) + 1
        return self.hand, 0

    def after(self, place: Place) -> tuple[list[Message], Place]:
        """The messages of lines from a place on, and the place behind them."""
        number, index = place
        with self._lock:
            last, found = self.hand, []
            for hand in range(number, last + 1):
                messages = self._messages(hand)[index:]
                found += messages
                place = hand, index + len(messages)
                index = 0
            return found, place

    def _messages(self, number: int) -> list[Message]:
        if number not in self._hands:
            earlier = _Hand()
            for line in self.table.earlier(number):
                self._add(number, earlier, line)
            return earlier.messages
        return self._hands[number].messages

    def beside(self, known: dict[str, int]) -> list[Message]:
        """What comes beside the lines and is newer than what is `known` (how often each kind has changed), which is
        brought up to date.
        """
        self._refresh()
        with self._lock:
            news = [kind for kind, (count, _) in self._beside.items() if known.get(kind) != count]
            for kind in news:
                known[kind] = self._beside[kind][0]
            return [Message(kind, self._beside[kind][1]) for kind in news]

    def _refresh(self) -> None:
        """Ask the table, for all viewers together. Not under our lock: the table has its own."""
        now_s = time.monotonic()
        if now_s - self._refreshed_s < _EVERY_S:
            return
        self._refreshed_s = now_s
        standing, counts, places = self.standing(), self.table.counts(), self.table.places()
        state, amiss = self.table.session.state, self.table.amiss()
        with self._lock:
            if not self._state:  # told before we listened
                self._set("state", {"state": state})
            self._set("standing", standing)
            self._set("counts", dict(counts))
            self._set("places", {"places": list(places)})
            self._set("amiss", {"amiss": list(amiss)})

    def standing(self) -> Json:
        """Who sits there, cards left and points."""
        session = self.table.session
        return {**session.standing, "seats": list(session.seats), "names": dict(self.table.names())}

    def to_json(self) -> Json:
        """What a page needs before it listens."""
        told = {"session": self.table.name, "hand": self.hand, **self.standing()}
        with self._lock:
            return {**told, "state": self._state}


def _is_flag(line: Json) -> bool:
    return line.get("event") == "ruling" and line.get("verdict") == "illegal"


def _about(line: Json, index: int) -> int:
    """The event that a ruling is told beside; the ruling itself where it names none."""
    of = line.get("of")
    return (
        max((each for each in of if isinstance(each, int)), default=index) if isinstance(of, list) else index
    )


def _key(line: Json) -> str:
    return "|".join(str(line.get(name)) for name in _SAME)
