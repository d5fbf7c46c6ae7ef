"""The record of a hand while it is played: what is believed goes in, the lines that are new come out.

What was written is never written over. What turns out otherwise becomes a `correct` line by the umpire, and rulings
that no longer hold are withdrawn by one. The rules are asked event by event. No files, no pictures, no clock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from referee.games import game_for
from referee.record.account import UMPIRE
from referee.rules.cards import UNKNOWN
from referee.rules.events import INFERRED, BadEventError, Event, parse_event
from referee.rules.hand import Hand
from referee.rules.header import parse_header

Line = dict[str, Any]

#: Marks of a believed event: it may be held against a player; so may its moments, since frames show them; the sentence
#: about the gap in which it may have happened; the seat whose same card was seen underneath.
WITNESSED, TIMED, HIDDEN, LIES_ON = "witnessed", "timed", "hidden by", "lies on"
#: Rulings that rest on when cards were lifted and landed, and on nothing else.
BY_MOMENTS = ("play-after-call", "two-hands")
#: How a question about a gap ends.
ASKS = ": what was played meanwhile?"
#: What no correction is made for as it stands: `over` is said by `_lay_over`.
_MEANWHILE = ("at", "confidence", "frames", "over")
#: How an event was believed before the rules were asked.
BELIEVED = "believed"
_MARKS = (WITNESSED, TIMED, HIDDEN, LIES_ON, BELIEVED)
#: What makes two events the same, but for when they happened and how sure they are.
_IDENTITY = ("event", "seat", "cards", "from", "to", "place", "card", "word", "why")
#: Another moment (s) or confidence is worth a correction from so much on; how far below the threshold is unsure.
_OTHER_MOMENT_S, _OTHER_CONFIDENCE, _BELOW = 0.25, 0.1, 0.05

#: So many events can be undone; the umpire seldom thinks otherwise of any before these.
UNDONE = 100


@dataclass(slots=True)
class Told:
    """An event of the record: as it stands there, and the index that it is cited by."""

    line: Line
    index: int
    #: The line before which it was put in later; None where it has a line of its own.
    before: int | None = None


@dataclass(slots=True)
class Book:
    """`tell` it everything that is believed by now, as often as that changes; it returns the lines to write.

    `rulings`: whether these are written as they are made. Believed lines are those of a record, with marks.
    """

    header: Line
    rulings: bool = True
    lines: list[Line] = field(init=False)
    hand: Hand = field(init=False)
    _told: list[Told] = field(default_factory=list)
    #: By the line before which they belong: the correction that put events in, and these.
    _inserted: dict[int, tuple[int, list[Line]]] = field(default_factory=dict)
    #: By what they say: where rulings that hold are written; by gap: where is asked about it, and of which event.
    _ruled: dict[tuple[Any, ...], int] = field(default_factory=dict)
    _asked: dict[str, tuple[int, int]] = field(default_factory=dict)
    #: By event: its last correction.
    _corrected: dict[int, int] = field(default_factory=dict)
    #: Confidence from which an infraction is illegal, and what makes one undecided.
    _sure: float = field(init=False)
    _unsure: float = field(init=False)
    _latest: float = 0.0
    #: What every correction says besides.
    correcting: Line = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.lines = [self.header]
        self.hand = self._new_hand()
        self._sure = self.hand.header.settings.number("call_threshold")
        self._unsure = min(INFERRED, max(0.0, self._sure - _BELOW))

    @property
    def believed(self) -> list[Line]:
        """What is told, as it was believed: to `tell` it once more changes nothing."""
        return [told.line[BELIEVED] for told in self._told]

    @property
    def told(self) -> Sequence[Told]:
        """The events as they stand in the record, each with the index that it is cited by."""
        return self._told

    def take_up(
        self,
        lines: Sequence[Line],
        told: Sequence[Told],
        ruled: Mapping[tuple[Any, ...], int],
        asked: Mapping[str, tuple[int, int]],
        corrected: Mapping[int, int],
    ) -> None:
        """Go on with a record of these lines. `told`: the events as they stand; by what they say, where rulings that
        hold are written; by gap, where is asked about it, and of which event; by event, its last correction.
        """
        self.lines, self._told = list(lines), list(told)
        self._ruled, self._asked, self._corrected = dict(ruled), dict(asked), dict(corrected)
        self._latest = max((one.line["at"] for one in told), default=0.0)
        self._push_told()

    def _new_hand(self) -> Hand:
        return Hand(game_for(parse_header(self.header)), history=UNDONE)

    def note(self, line: Line) -> Line:
        """Write a line that says something beside the hand, as it is."""
        self._write(line)
        return line

    def tell(self, believed: Sequence[Line]) -> list[Line]:
        """What is believed to have happened, in order, from the deal on: the new lines."""
        first = len(self.lines)
        known = self._known(believed)
        judged = self._judged([told.line for told in self._told[:known]], believed[known:])
        self._align(known, judged[known:])
        self._push_told()
        self._ask()
        if self.rulings:
            self._rule(ruling.to_json() for ruling in self.hand.rulings)
        return self.lines[first:]

    def _known(self, believed: Sequence[Line]) -> int:
        """How many of these events, from the first on, are told already just as they are believed."""
        count = 0
        for told, line in zip(self._told, believed, strict=False):
            if _key(told.line) != _key(line) or self._differences(told.line[BELIEVED], line):
                break
            count += 1
        return count

    def _write(self, line: Line) -> int:
        self.lines.append({key: value for key, value in line.items() if key not in _MARKS})
        return len(self.lines) - 1

    # -- asking the rules ----------------------------------------------------------------------------------

    def _judged(self, known: Sequence[Line], believed: Sequence[Line]) -> list[Line]:
        """The believed events that can be, behind the known ones; what is accused for no good reason is made unsure.

        An accusation stands only on a misfit that was seen well, or on moments that were, of a card that was not seen
        elsewhere. Any other one says that something was missed: the rules leave an unsure event undecided.
        """
        lines = [*map(dict, known), *({**line, BELIEVED: dict(line)} for line in believed)]
        at = self._agreeing(lines)
        self._pop_to(at)
        while at < len(lines):
            try:
                self.hand.push(event_of(lines[at]), len(self.lines) + at)
            except BadEventError:
                del lines[at]
                continue
            at += 1
            doubtful = self._falsely_accused(lines)
            if doubtful is not None:
                lines[doubtful]["confidence"] = self._unsure
                self._pop_to(doubtful)
                at = doubtful
        return lines

    def _pop_to(self, count: int) -> None:
        """Leave the first `count` events of the hand; from further back than can be undone it is played anew."""
        log = self.hand.log
        if len(log) - count > self.hand.undoable:
            self.hand = self._new_hand()
            for entry in log[:count]:
                self.hand.push(entry.event, entry.index)
        while len(self.hand.log) > count:
            self.hand.pop()

    def _falsely_accused(self, lines: Sequence[Line]) -> int | None:
        """The first event that is ruled illegal though that cannot be held against anybody."""
        clashing = [r for r in self.hand.rulings if r.ruling == "contradiction"]
        elsewhere = {card for r in clashing for position in r.about for card in _shown(lines[position])}
        for ruling in self.hand.rulings:
            if ruling.verdict != "illegal":
                continue
            position = max(ruling.about)
            line = lines[position]
            timed = ruling.ruling in BY_MOMENTS and all(lines[one].get(TIMED) for one in ruling.about)
            held = (timed or line.get(WITNESSED)) and not elsewhere & _shown(line)
            if not held and line.get("confidence", 1.0) > self._unsure:
                return position
        return None

    def _agreeing(self, lines: Sequence[Line]) -> int:
        """How many of these events, from the first on, the hand has just so."""
        count = 0
        for line, entry in zip(lines, self.hand.log, strict=False):
            if entry.event != event_of(line):
                break
            count += 1
        return count

    def _push_told(self) -> None:
        """Make the hand that of the record, each event with the index that it is cited by."""
        agreeing = self._agreeing([told.line for told in self._told])
        wrong = (i for i in range(agreeing) if self.hand.log[i].index != self._told[i].index)
        agreeing = next(wrong, agreeing)
        self._pop_to(agreeing)
        for told in self._told[agreeing:]:
            self.hand.push(event_of(told.line), told.index)

    # -- writing -------------------------------------------------------------------------------------------

    def _align(self, known: int, judged: Sequence[Line]) -> None:
        """Write what makes the record say, behind the known events, what was judged."""
        before = self._told[known:]
        told: list[Told | Line] = [*self._told[:known]]
        keys = [_key(one.line) for one in before], [_key(line) for line in judged]
        for kind, a, z, b, y in SequenceMatcher(None, *keys, autojunk=False).get_opcodes():
            old, new = before[a:z], judged[b:y]
            alike = [_kind(one.line) for one in old] == [_kind(line) for line in new]
            if kind == "equal" or (kind == "replace" and alike):
                for one, line in zip(old, new, strict=True):
                    told.append(self._changed(one, line, _moment(told)))
                continue
            for gone in old:
                if gone.before is None:
                    self._correct(gone.index, drop=True)
            for line in new:
                told.append(_not_before(_moment(told), line))
        self._told = self._placed(told)
        self._lay_over()

    def _lay_over(self) -> None:
        """Say of every card that was seen to lie on another one which play laid that: now it has its line."""
        for told in self._told:
            line = told.line
            if LIES_ON not in line or told.before is not None:
                continue
            under = [other for other in self._told if other.before is None and _lies_under(other.line, line)]
            over = min(under, key=lambda other: abs(other.line["at"] - line["at"])).index if under else None
            if over is not None and line.get("over") != over:
                self._corrected[told.index] = self._correct(told.index, **{"with": {"over": over}})
                told.line = {**line, "over": over}

    def _changed(self, told: Told, line: Line, after_s: float) -> Told | Line:
        """The event as it stands now: corrected where it has a line of its own, else to be put in anew. No moment is too
        near to be told where the event would else stand before the one in front of it, at `after_s`.
        """
        if told.before is not None:
            return _not_before(after_s, line)
        stood = {**told.line, "at": told.line[BELIEVED]["at"]}
        new = self._differences(stood, line)
        at: float = new["at"] if "at" in new else told.line["at"]
        if at < after_s:
            new["at"] = max(line["at"], after_s)
        if new:
            self._corrected[told.index] = self._correct(told.index, **{"with": new})
        marks = {name: line[name] for name in _MARKS if name in line}
        now = {**_bare(told.line), **new, **marks}
        told.line = {name: value for name, value in now.items() if value is not None}
        return told

    def _differences(self, old: Line, new: Line) -> Line:
        """What a correction has to say; None for a field that is no longer there."""
        names = [name for name in {**old, **new} if name not in (*_MARKS, *_MEANWHILE)]
        changed = {name: new.get(name) for name in names if old.get(name) != new.get(name)}
        if abs(old["at"] - new["at"]) > _OTHER_MOMENT_S:
            changed["at"] = new["at"]
        sure, surer = old.get("confidence", 1.0), new.get("confidence", 1.0)
        crossed = any((sure > bound) != (surer > bound) for bound in (self._unsure, self._sure - 1e-9))
        if crossed or abs(sure - surer) > _OTHER_CONFIDENCE:
            changed["confidence"] = new.get("confidence")
        return changed

    def _placed(self, told: Sequence[Told | Line]) -> list[Told]:
        """The events with their indices: those at the end get lines of their own, others are put in before one."""
        groups: dict[int, list[Line]] = {}
        placed: list[Told] = []
        anchor: int | None = None
        for one in reversed(told):
            if isinstance(one, Told) and one.before is None:
                anchor = one.index
                placed.append(one)
                continue
            line = one.line if isinstance(one, Told) else one
            placed.append(Told(line, -1, anchor))
            if anchor is not None:
                groups.setdefault(anchor, []).insert(0, line)
        placed.reverse()
        self._put_in(groups)
        before_s = 0.0
        for one in placed:
            if one.before is not None:
                one.index = self._inserted[one.before][0]
            elif one.index < 0:
                self._add(one, before_s)
            before_s = max(before_s, one.line["at"])
        return placed

    def _add(self, told: Told, before_s: float) -> None:
        """A line of its own at the end, behind an event at `before_s`. Lines go on in time: where later ones were taken
        back since, a correction says that it was earlier.
        """
        at = max(told.line["at"], before_s)
        told.line = {**told.line, "at": max(at, self._latest)}
        self._latest = told.line["at"]
        told.index = self._write(told.line)
        if told.line["at"] - at > _OTHER_MOMENT_S:
            self._corrected[told.index] = self._correct(told.index, **{"with": {"at": at}})
            told.line = {**told.line, "at": at}

    def _put_in(self, groups: dict[int, list[Line]]) -> None:
        """One correction for all that belongs before a line; another one when that changes."""
        for anchor in {*self._inserted, *groups}:
            index, had = self._inserted.get(anchor, (0, []))
            wanted = groups.get(anchor, [])
            if list(map(_bare, had)) == list(map(_bare, wanted)):
                continue
            if had:
                self._correct(index, drop=True)
                del self._inserted[anchor]
            if wanted:
                self._inserted[anchor] = (
                    self._correct(anchor, insert=[_bare(line) for line in wanted]),
                    wanted,
                )

    def _correct(self, of: int, **what: Any) -> int:
        return self._write(
            {"event": "correct", "at": self._latest, "of": of, **what, "by": UMPIRE, **self.correcting}
        )

    def _ask(self) -> None:
        """One question for each gap that hides events, at the first of them."""
        first: dict[str, Told] = {}
        for told in self._told:
            if HIDDEN in told.line:
                first.setdefault(told.line[HIDDEN], told)
        for gap in {*self._asked, *first}:
            index, of = self._asked.get(gap, (0, 0))
            wanted = first.get(gap)
            # a correction settles what was asked before it
            if wanted is not None and of == wanted.index and index > self._corrected.get(of, 0):
                continue
            if of:
                self._correct(index, drop=True)
                del self._asked[gap]
            if wanted is not None:
                asks = f"{gap}{ASKS}"
                doubt = {"event": "doubt", "at": wanted.line["at"], "of": wanted.index, "candidates": []}
                self._asked[gap] = self._write({**doubt, "asks": asks}), wanted.index

    def close(self, rulings: Sequence[Line], score: Line) -> list[Line]:
        """The hand is over: these rulings hold in the end, and this is its score. The new lines."""
        first = len(self.lines)
        self._rule(rulings)
        self._write(score)
        return self.lines[first:]

    def _rule(self, rulings: Iterable[Line]) -> None:
        """Write the rulings that are new, and withdraw those that no longer hold."""
        holding: dict[tuple[Any, ...], Line] = {}
        alike: Counter[tuple[Any, ...]] = Counter()
        for line in rulings:
            key = ruling_key(line)
            holding[*key, alike[key]] = line
            alike[key] += 1
        for key in [key for key in self._ruled if key not in holding]:
            self._correct(self._ruled.pop(key), drop=True)
        for key, line in holding.items():
            if key not in self._ruled:
                self._ruled[key] = self._write(line)


def ruling_key(line: Line) -> tuple[Any, ...]:
    """What a ruling says: two that say the same are told apart by their order."""
    return line["rule"], line["ruling"], tuple(line["of"]), line.get("seat"), line["verdict"]


def event_of(line: Line) -> Event:
    """The event that a believed line tells."""
    return parse_event(_bare(line))


def _moment(told: Sequence[Told | Line]) -> float:
    """When (s) the last of these events happened, as it stands."""
    if not told:
        return 0.0
    last = told[-1]
    return float((last.line if isinstance(last, Told) else last)["at"])


def _not_before(since_s: float, line: Line) -> Line:
    """The line, no earlier than the event in front of it stands."""
    return line if line["at"] >= since_s else {**line, "at": since_s}


def _lies_under(line: Line, over: Line) -> bool:
    """Whether this is the play of the card on which another one lies."""
    same = all(line.get(name) == over.get(name) for name in ("event", "cards", "to"))
    return same and line["event"] == "play" and line.get("seat") == over[LIES_ON]


def _bare(line: Line) -> Line:
    return {key: value for key, value in line.items() if key not in _MARKS}


def _key(line: Line) -> tuple[Any, ...]:
    return tuple(str(line.get(name)) for name in _IDENTITY)


def _kind(line: Line) -> tuple[Any, ...]:
    return line["event"], line.get("seat")


def _shown(line: Line) -> set[tuple[str, str]]:
    """The cards that a play, a draw or a turn shows, with the seat that they come from."""
    cards: Iterable[str] = [*line.get("cards", ()), *([line["card"]] if "card" in line else [])]
    return {(str(line.get("seat")), card) for card in cards if card != UNKNOWN}
