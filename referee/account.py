"""A record told for people: what happened when, in words, with the rulings beside it.

Pure: JSON in, values out. The page, the report and the terminal all show the same account.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

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
    """One event in words. `index` is its index in the record, `starts` when the hand began to move."""

    index: int
    at: float
    starts: float
    kind: str
    seat: str
    text: str
    confidence: float = 1.0
    remarks: tuple[Remark, ...] = ()

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
    """A whole record in words; `score` is the last `score` line, None before there is one."""

    header: Json = field(default_factory=dict)
    entries: tuple[Entry, ...] = ()
    score: Json | None = None

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
        }


def give_account(lines: Sequence[Json]) -> Account:
    """The account of a record's lines (header first); what is not understood is left out, not refused."""
    remarks: dict[int, list[Remark]] = {}
    score: Json | None = None
    for line in lines:
        if line.get("event") == "ruling":
            _note(line, remarks)
        elif line.get("event") == "score":
            score = line
    entries = []
    for index, line in enumerate(lines):
        tell = _TELLERS.get(str(line.get("event", "")))
        if tell is not None:
            entries.append(_entry(index, line, tell(line), tuple(remarks.get(index, ()))))
    return Account(lines[0] if lines else {}, tuple(entries), score)


def clock(seconds: float) -> str:
    """A moment of the recording as minutes, seconds and tenths: 1:07.4."""
    tenths = round(max(seconds, 0.0) * 10)
    return f"{tenths // 600}:{tenths % 600 // 10:02d}.{tenths % 10}"


def _note(ruling: Json, remarks: dict[int, list[Remark]]) -> None:
    """Put a ruling beside the last event that it is about; a tie beside all of them."""
    about = [index for index in ruling.get("of", []) if isinstance(index, int)]
    tied = ruling.get("verdict") in ("first", "too-close", "both-stay")
    remark = Remark(
        str(ruling.get("rule", "")),
        str(ruling.get("verdict", "")),
        str(ruling.get("why", "")),
        float(ruling.get("confidence", 1.0)),
    )
    for index in about if tied else about[-1:]:
        remarks.setdefault(index, []).append(remark)


def _entry(index: int, line: Json, text: str, remarks: tuple[Remark, ...]) -> Entry:
    at = float(line.get("at", 0.0))
    lifted = line.get("lifted")
    starts = float(lifted[0]) if isinstance(lifted, list | tuple) and lifted else at
    confidence = float(line.get("confidence", 1.0))
    seat = str(line.get("seat") or "")
    return Entry(index, at, min(starts, at), str(line["event"]), seat, text, confidence, remarks)


def _deal(line: Json) -> str:
    piles: Mapping[str, Any] = line.get("piles", {})
    count = sum(pile if isinstance(pile, int) else len(pile) for pile in piles.values())
    return f"deals {count} cards"


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


def _correct(line: Json) -> str:
    return f"corrects entry {line.get('of')}" + (f", by {line['by']}" if line.get("by") else "")


_TELLERS: dict[str, Callable[[Json], str]] = {
    "deal": _deal,
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
    "correct": _correct,
    "doubt": lambda line: f"doubt about entry {line.get('of')}: {line.get('asks') or 'what was it?'}",
}

_SIGNS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}


def cards_text(cards: Sequence[str]) -> str:
    """Cards as players write them: 10♥ Q♠; an unknown card is ?."""
    return " ".join(_card_text(card) for card in cards)


def _card_text(card: str) -> str:
    if card == "??" or len(card) != 2:
        return "?"
    rank = "10" if card[0] == "T" else card[0]
    return rank + _SIGNS.get(card[1], "?")
