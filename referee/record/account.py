"""A record told for people: what happened when, in words, with the rulings beside it.

It tells what holds now: every correction is applied, and rulings and score are made afresh, whatever stands
written in the record. The page, the report and the terminal all show the same account. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from referee.record.check import CheckResult, check_lines
from referee.record.corrections import Replay, Standing
from referee.record.lines import dump
from referee.record.passes import second_pass_words
from referee.rules.events import Doubt, Event
from referee.rules.rulings import Ruling

Json = dict[str, Any]
#: Who corrects in the umpire's own name: what a camera took back by itself is not told.
UMPIRE = "umpire"

#: Why the picture told nothing, as a sentence begins that goes on with "from" and "to".
GAP_WORDS = {
    "frozen": "the picture was frozen",
    "unreadable": "the recording cannot be read",
    "dark": "it was too dark to see anything",
    "covered": "the camera was covered",
    "moved": "the camera was moved",
    "few-frames": "there are too few frames to see every play",
}
#: What is shown about a ruling when it stands alone.
VERDICTS = {
    "illegal": "illegal",
    "legal": "right",
    "first": "first",
    "too-close": "too close",
    "both-stay": "both stay",
    "undecided": "undecided",
}


@dataclass(frozen=True, slots=True)
class Remark:
    """A ruling as it is shown beside what it rules on."""

    rule: str
    verdict: str
    why: str
    confidence: float = 1.0

    @property
    def said(self) -> str:
        """The verdict in words."""
        return VERDICTS.get(self.verdict, self.verdict)

    def __str__(self) -> str:
        return f"{self.said} ({self.rule}): {self.why}"


@dataclass(frozen=True, slots=True)
class Entry:
    """One event in words.

    `index` is its index in the record; events that were put in have that of their correction, and `part` says which
    of them it is. `number` is its place in the account, `starts` when the hand began to move.
    """

    index: int
    at: float
    starts: float
    kind: str
    seat: str
    text: str
    confidence: float = 1.0
    remarks: tuple[Remark, ...] = ()
    number: int = 0
    part: int = 0

    @property
    def illegal(self) -> bool:
        """Whether a ruling calls it illegal."""
        return any(remark.verdict == "illegal" for remark in self.remarks)

    def __str__(self) -> str:
        return f"{clock(self.at)} {self.seat} {self.text}".rstrip()

    def to_json(self) -> Json:
        """For the page."""
        return {
            "index": self.index,
            "part": self.part,
            "number": self.number,
            "at": self.at,
            "starts": self.starts,
            "kind": self.kind,
            "seat": self.seat,
            "text": self.text,
            "confidence": self.confidence,
            "illegal": self.illegal,
            "remarks": [
                {
                    "rule": remark.rule,
                    "verdict": remark.verdict,
                    "said": remark.said,
                    "why": remark.why,
                    "confidence": remark.confidence,
                }
                for remark in self.remarks
            ],
        }


@dataclass(frozen=True, slots=True)
class Account:
    """A whole record in words; `score` is its `score` line, None for a record that cannot be read whole."""

    header: Json = field(default_factory=dict)
    entries: tuple[Entry, ...] = ()
    score: Json | None = None
    #: What a second pass over the recording changed, as a sentence; "" for nothing.
    second_pass: str = ""

    @property
    def decks(self) -> dict[str, str]:
        """The back that each seat plays with."""
        return {seat["seat"]: seat.get("deck", "") for seat in self.header.get("seats", [])}

    @property
    def plays(self) -> tuple[Entry, ...]:
        """The plays alone."""
        return tuple(entry for entry in self.entries if entry.kind == "play")

    @property
    def illegal(self) -> tuple[Entry, ...]:
        """What was ruled illegal."""
        return tuple(entry for entry in self.entries if entry.illegal)

    def to_json(self) -> Json:
        """For the page."""
        return {
            "game": self.header.get("game", ""),
            "decks": self.decks,
            "entries": [entry.to_json() for entry in self.entries],
            "plays": len(self.plays),
            "illegal": len(self.illegal),
            "score": self.score,
            "second_pass": self.second_pass,
        }


def give_account(lines: Sequence[Json]) -> Account:
    """The account of a record's lines (header first), up to the first that cannot be."""
    return account_of(check_lines(dump(line) + b"\n" for line in lines))


def account_of(result: CheckResult) -> Account:
    """The account of a record that was checked; empty without a header."""
    if result.record is None or result.hand is None:
        return Account()
    remarks = _remarks(result)
    entries: list[Entry] = []
    position = 0
    for standing in result.record.lines:
        beside = remarks.get(position, []) if standing.is_replayed else []
        position += standing.is_replayed
        text = _told(standing, result.record)
        if text:
            entries.append(_entry(standing, text, tuple(beside), len(entries)))
    score = None if result.score is None else result.score.to_json()
    # rulings and score at the end are none of the record's lines, and carry no weight
    return Account(result.record.header.to_json(), tuple(entries), score, second_pass_words(result.output))


def told_entry(
    index: int, event: Event | Standing, record: Replay | None = None, remarks: tuple[Remark, ...] = ()
) -> Entry | None:
    """One event of a record in words; None for what is not told. `record`: what a doubt's question is about."""
    standing = event if isinstance(event, Standing) else Standing(event, index, index)
    text = _told(standing, record)
    return _entry(standing, text, remarks, 0) if text else None


def _told(standing: Standing, record: Replay | None) -> str:
    """An event in words, with what was done to it; "" for what is not told."""
    event, by = standing.event, standing.by
    if isinstance(event, Doubt):
        return "" if standing.change == "dropped" else _doubt(event, record)
    text = event_text(event)
    if not text or (standing.change == "dropped" and by == UMPIRE):
        return ""
    done = _DONE.get(standing.change)
    if done is None or by == UMPIRE:
        return text
    return f"{text} ({done} by {by})" if by else f"{text} ({done})"


def event_text(event: Event) -> str:
    """What an event says, in words, without who; "" for what is not told."""
    teller = _TELLERS.get(event.kind)
    return "" if teller is None else teller(event.to_json())


def clock(seconds: float) -> str:
    """A moment of the recording as minutes, seconds and tenths: 1:07.4."""
    tenths = round(max(seconds, 0.0) * 10)
    return f"{tenths // 600}:{tenths % 600 // 10:02d}.{tenths % 10}"


def _doubt(doubt: Doubt, record: Replay | None) -> str:
    """A question, and the event that it is about."""
    lines = [] if record is None else record.lines
    about = next((one for one in lines if one.index == doubt.of and one.is_replayed), None)
    what = _told(about, record) if about is not None else ""
    return "in doubt: " + ": ".join(part for part in (what, doubt.asks or "was it this?") if part)


def _remarks(result: CheckResult) -> dict[int, list[Remark]]:
    """The rulings, by the log position of the event beside which each is told."""
    remarks: dict[int, list[Remark]] = {}
    for ruling in result.rulings:
        remark = Remark(ruling.rule, ruling.verdict, ruling.why, ruling.confidence)
        for position in _beside(ruling, result):
            remarks.setdefault(position, []).append(remark)
    return remarks


def _beside(ruling: Ruling, result: CheckResult) -> Sequence[int]:
    """A tie is told beside all its plays, any other ruling beside the last event of whom it is about."""
    assert result.hand is not None
    if ruling.verdict in ("first", "too-close", "both-stay"):
        return ruling.about
    own = [at for at in ruling.about if result.hand.log[at].event.seat == ruling.seat]
    return (own or sorted(ruling.about))[-1:]


def _entry(standing: Standing, text: str, remarks: tuple[Remark, ...], number: int) -> Entry:
    event = standing.event
    lifted = getattr(event, "lifted", None)
    starts = min(lifted[0], event.at) if lifted else event.at
    kind = "correct" if standing.change == "dropped" else event.kind
    seat = event.seat or ""
    return Entry(
        standing.index,
        event.at,
        starts,
        kind,
        seat,
        text,
        event.confidence,
        remarks,
        number,
        standing.part,
    )


def _deal(line: Json) -> str:
    piles: Mapping[str, Any] = line.get("piles", {})
    count = sum(pile if isinstance(pile, int) else len(pile) for pile in piles.values())
    return f"deals {count} cards"


def _begun(line: Json) -> str:
    """What lay where when a recording began in the middle of a hand."""
    more = set(line.get("more", ()))
    piles = [
        f"{place} {'… ' if place in more else ''}{cards_text(_shown_of(cards))}"
        for place, cards in line.get("piles", {}).items()
        if cards
    ]
    return f"the hand had begun: {', '.join(piles)}" if piles else "the hand had begun"


def _shown_of(cards: Sequence[str]) -> Sequence[str]:
    """The cards of a pile from the first that is known."""
    known = [number for number, card in enumerate(cards) if card != "??"]
    return cards[known[0] :] if known else cards[-1:]


def _draw(line: Json) -> str:
    return f"draws {cards_text(line.get('cards', ()))}"


def _play(line: Json) -> str:
    how = "under " if line.get("under") else ""
    return f"{cards_text(line.get('cards', ()))}  {line.get('from')} → {how}{line.get('to')}"


def _take_back(line: Json) -> str:
    return f"takes back {cards_text(line.get('cards', ()))}  {line.get('from')} → {line.get('to')}"


def _turn(line: Json) -> str:
    return f"turns up {cards_text([line.get('card', '??')])} on {line.get('place')}"


def _call(line: Json) -> str:
    return f"calls “{line.get('word')}”"


def _state(line: Json) -> str:
    where = f" at {line['place']}" if line.get("place") else ""
    return f"{'lost the thread' if line['state'] == 'lost' else 'found the thread again'}{where}"


def gap_text(since: float, until: float, why: str) -> str:
    """A stretch in which the picture told nothing."""
    return f"{GAP_WORDS[why]} from {clock(since)} to {clock(until)}"


_TELLERS: dict[str, Callable[[Json], str]] = {
    "deal": _deal,
    "begun": _begun,
    "draw": _draw,
    "play": _play,
    "turn": _turn,
    "recycle": lambda line: "turns the waste over",
    "bury": lambda line: "buries the top card of the stock",
    "take-back": _take_back,
    "touch": lambda line: f"touches {line.get('place')}",
    "call": _call,
    "set-aside": lambda line: f"sets {line.get('place')} aside",
    "end": lambda line: f"the hand ends: {line.get('why') or 'finished'}",
    "gap": lambda line: gap_text(line["from"], line["to"], line["why"]),
    "state": _state,
}
#: What a correction has done to an event.
_DONE = {"corrected": "corrected", "inserted": "put in", "dropped": "taken out"}

_SIGNS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}


def cards_text(cards: Sequence[str]) -> str:
    """Cards as players write them: 10♥ Q♠; an unknown card is ?."""
    return " ".join(_card_text(card) for card in cards)


def _card_text(card: str) -> str:
    if card == "??" or len(card) != 2:
        return "?"
    rank = "10" if card[0] == "T" else card[0]
    return rank + _SIGNS.get(card[1], "?")
