"""When a page told what: every true play held against its first telling, and what was told and does not stand."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.measure.evening.page import Heard, Json
from scripts.measure.evening.truth import TrueHand
from scripts.measure.replays import adjudicated, foundation_names, same_play

#: A telling is of an event whose moment is this close to the one told (s).
SAME_S = 2.5
#: What is told of an event that has not settled, in this order.
_NAMES = ("event", "seat", "cards", "from", "to", "place", "card")


@dataclass(frozen=True, slots=True)
class Telling:
    """An event as the page told it, at a second of the film; `settled`: it stood in the record."""

    film_s: float
    line: Json
    settled: bool


def records(folder: Path) -> dict[int, list[Json]]:
    """The records of the only session in a folder, by hand."""
    (session,) = folder.glob("session-*")
    found = {int(path.stem[5:]): path for path in session.glob("hand-*.jsonl") if path.stem[5:].isdigit()}
    return {
        hand: [json.loads(line) for line in found[hand].read_text(encoding="utf-8").splitlines()]
        for hand in sorted(found)
    }


def tellings(heard: Sequence[Heard], written: Mapping[int, list[Json]]) -> dict[int, list[Telling]]:
    """Plays and draws by hand, in the order in which they were told; what has not settled is told of the last hand."""
    told: dict[int, list[Telling]] = {hand: [] for hand in written}
    known: set[str] = set()
    hand = 0
    for one in heard:
        if one.kind == "line":
            hand, index = int(one.data["hand"]), int(one.data["index"])
            record = written.get(hand, [])
            if index < len(record):
                told[hand] += (Telling(one.film_s, line, True) for line in _happened(record, record[index]))
        elif one.kind == "provisional":
            entries = {str(entry["key"]): float(entry["at"]) for entry in one.data["entries"]}
            new = (_unsettled(key, at) for key, at in entries.items() if key not in known)
            told.get(hand, []).extend(Telling(one.film_s, line, False) for line in new if line is not None)
            known = set(entries)
    return told


def _happened(record: Sequence[Json], line: Json) -> Iterator[Json]:
    """The events that a line tells of: itself, or what it puts in or says otherwise."""
    if line.get("event") in ("play", "draw"):
        yield line
    elif line.get("event") == "correct":
        yield from (put_in for put_in in line.get("insert", ()) if put_in.get("event") in ("play", "draw"))
        if line.get("with") and record[line["of"]].get("event") in ("play", "draw"):
            yield {**record[line["of"]], **line["with"]}


def _unsettled(key: str, at: float) -> Json | None:
    """The line that a key on the page stands for."""
    values = key.removeprefix("p").split("|")
    line: Json = {name: value for name, value in zip(_NAMES, values, strict=False) if value != "None"}
    if line.get("event") not in ("play", "draw"):
        return None
    return line | {"at": at, "cards": ast.literal_eval(line.get("cards", "[]"))}


@dataclass(frozen=True, slots=True)
class Delays:
    """By true play of a hand: from its landing to its first right telling (s); None where it was never told so."""

    plays: list[float | None]
    #: The same to when it stood in the record.
    settled: list[float | None]


def delays(hand: TrueHand, record: list[Json], told: Sequence[Telling]) -> Delays:
    """Hold the tellings of a hand against the truth."""
    names = foundation_names(adjudicated(record), hand.lines)
    plays = [one for one in told if one.line.get("event") == "play"]
    found: list[tuple[float | None, float | None]] = []
    for true in hand.events("play"):
        right = [
            one
            for one in plays
            if abs(float(one.line["at"]) - float(true["at"])) <= SAME_S and same_play(one.line, true, names)
        ]
        first = min((one.film_s for one in right), default=None)
        settled = min((one.film_s for one in right if one.settled), default=None)
        at = float(true["at"])
        found.append(
            (None if first is None else first - at, None if settled is None else settled - at),
        )
    return Delays([first for first, _ in found], [settled for _, settled in found])


def withdrawn(record: list[Json], told: Sequence[Telling]) -> tuple[int, int]:
    """How many different plays were told, and how many of these do not stand in the record as it is in the end."""
    standing = {_named(line) for line in adjudicated(record) if line.get("event") == "play"}
    plays = {_named(one.line) for one in told if one.line.get("event") == "play"}
    return len(plays), len(plays - standing)


def _named(line: Mapping[str, Any]) -> str:
    return json.dumps([line.get("seat"), list(line.get("cards", ())), line.get("from"), line.get("to")])
