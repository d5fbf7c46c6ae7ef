"""Records as they may come: real hands with lines missing, moved, made up, and corrected in every way."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

from spoilt import Files, spoilt, words
from spoilt_json import HOSTILE, spoilt_value, written

from referee.rules.events import CHOICES, ENDS, GAPS, HANDS, KINDS, STATES

Json = dict[str, Any]
_HERE = Path(__file__).parent
_GAMES = [
    "nerts",
    "nuts",
    "team-nuts",
    "canfield",
    "pishe-pasha",
    "california-jacks",
    "double-solitaire",
    "pounce",
    "x",
]
_CARDS = ["??", "AS", "2S", "KD", "TH", "7?", "?H", "1S", "ZZ", ""]
_PLACES = [
    *(
        "nerts",
        "nerts 2",
        "stock",
        "waste",
        "foundation 1",
        "foundation 99",
        "centre 1",
        "side 2",
        "trick",
        "won",
    ),
    *(
        "hand",
        "discard",
        "reserve",
        "south work 1",
        "north discard",
        "nobody work 1",
        "work",
        "work 0",
        "work 1e9",
        "",
    ),
    *("work 1", "work 2", "work 5"),
]
#: What is inserted, or may have been instead.
_INNER = ["play", "draw", "touch", "take-back", "call", "end", "gap", "turn", "correct"]
#: Corrections of corrections.
_DEPTHS = (3, 30, 1500)


@cache
def _hands() -> tuple[tuple[Json, ...], ...]:
    """The hands that the tests of the rules keep."""
    files = sorted([*_HERE.glob("*/hands/*.jsonl"), *_HERE.glob("*/kept/*.jsonl")])
    return tuple(tuple(map(json.loads, file.read_text("utf-8").splitlines())) for file in files)


def whole_record(chance: random.Random) -> bytes:
    """A record that is as it should be."""
    return b"".join(json.dumps(line).encode() + b"\n" for line in chance.choice(_hands()))


def spoilt_record(chance: random.Random, files: Files) -> bytes:
    """A record as it may come."""
    if chance.random() < 0.1:
        return spoilt(chance, files, whole_record(chance))
    lines = list(deepcopy(chance.choice(_hands())))
    if chance.random() < 0.7:  # the beginning tells as much, and sooner
        del lines[chance.randrange(2, 40) : -1]
    for _ in range(chance.choice([0, 1, 1, 2, 4, 8])):
        chance.choice(_CHANGES)(chance, lines)
    if chance.random() < 0.3 and lines:
        at = chance.choice([0, chance.randrange(len(lines))])
        lines[at] = spoilt_value(chance, lines[at])
    texts = [json.dumps(line).encode() for line in lines]
    if chance.random() < 0.2 and texts:
        at = chance.choice([-1, -1, 0, chance.randrange(len(texts))])
        texts[at] = written(chance, lines[at])
    end = chance.choice([b"\n"] * 8 + [b"\r\n", b"\r", b"\n\n"])
    return end.join(texts) + chance.choice([end, end, b"", b"\0", b"\n" * 3])


def _drop(chance: random.Random, lines: list[Any]) -> None:
    if lines:
        del lines[chance.randrange(len(lines))]


def _again(chance: random.Random, lines: list[Any]) -> None:
    if lines:
        lines.insert(chance.randrange(len(lines)) + 1, deepcopy(chance.choice(lines)))


def _swap(chance: random.Random, lines: list[Any]) -> None:
    if lines:
        one, other = (chance.randrange(len(lines)) for _ in range(2))
        lines[one], lines[other] = lines[other], lines[one]


def _mix_fields(chance: random.Random, lines: list[Any]) -> None:
    """A field of one line in another."""
    tables = [line for line in lines if isinstance(line, dict) and line]
    if tables:
        given = chance.choice(tables)
        key = chance.choice(list(given))
        chance.choice(tables)[key] = deepcopy(given[key])


def _another(chance: random.Random, lines: list[Any]) -> None:
    lines.insert(chance.randrange(len(lines) + 1), event(chance, len(lines)))


def _more(chance: random.Random, lines: list[Any]) -> None:
    lines += [event(chance, len(lines), chance.choice(["correct", "doubt", "correct", ""])) for _ in range(3)]


def _other(chance: random.Random, lines: list[Any]) -> None:
    """A line that is JSON and no event."""
    if lines:
        lines[chance.randrange(len(lines))] = deepcopy(chance.choice(HOSTILE))


def _far(chance: random.Random, lines: list[Any]) -> None:
    """A doubt or a correction that comes to name a line that is none, through another correction."""
    far = len(lines) + chance.choice([2, 3, 10_000])
    kind = chance.choice(["doubt", "doubt", "correct"])
    lines.append({"event": kind, "at": 0, "of": chance.randrange(len(lines) + 1)})
    lines.append({"event": "correct", "at": 0, "of": len(lines) - 1, "with": {"of": far}})


def _chain(chance: random.Random, lines: list[Any]) -> None:
    """Corrections of corrections, the last of the first perhaps."""
    first, count = len(lines), chance.choice(_DEPTHS)
    for number in range(count):
        of = first + number + chance.choice([-1, -1, -1, 1]) if count == 3 else first + number - 1
        lines.append({"event": "correct", "at": 0, "of": max(of, 0), "drop": number % 2 == 1})
    if chance.random() < 0.5:
        lines[first]["of"] = len(lines) - 1


def _header(chance: random.Random, lines: list[Any]) -> None:
    """Another header: game, seats, settings, totals."""
    if not lines or not isinstance(lines[0], dict):
        return
    header, seats = lines[0], lines[0].get("seats")
    if not isinstance(seats, list) or not seats or not all(isinstance(seat, dict) for seat in seats):
        return
    change = chance.choice(
        ["game", "settings", "fewer", "more", "names", "decks", "dealer", "match", "id", "source"]
    )
    if change == "game":
        header["game"] = chance.choice(_GAMES)
    elif change == "settings":
        key = chance.choice(["target", "penalty", "ties", "call_threshold", "onto_nuts", words(chance)])
        header["settings"] = {key: chance.choice(HOSTILE)}
    elif change == "fewer":
        del seats[chance.randrange(len(seats))]
    elif change == "more":
        seats += [{"seat": f"seat{n}", "deck": f"deck{n}"} for n in range(5, chance.choice([6, 12, 800]))]
    elif change in ("names", "decks"):
        chance.choice(seats)[change.removesuffix("s").replace("name", "seat")] = chance.choice(
            ["north", words(chance)]
        )
    else:
        odd = [None, words(chance), "north", {"north": 7}, {"nobody": 7}, {"kind": "video", "fps": -1}]
        header[change] = chance.choice([*odd, *HOSTILE])


_CHANGES: list[Callable[[random.Random, list[Any]], None]] = [
    *(_drop, _again, _swap, _mix_fields, _another, _another, _more, _more, _other, _far, _chain, _header),
]


def event(chance: random.Random, lines: int, kind: str = "") -> Json:
    """Any event, sensible or not, of a record of so many lines."""
    kind = kind or chance.choice([*KINDS, "ruling", "score", words(chance)])
    seat = chance.choice(["north", "south", "north", "south", "east", "nobody", words(chance)])
    made = {"event": kind, "at": chance.choice([0, 1, 5.5, 300, 1e6, -1]), "seat": seat}
    cls = KINDS.get(kind)
    if cls is not None:
        made |= {name: _field(chance, name, lines) for name in cls.FIELDS if chance.random() < 0.8}
    return made


def _field(chance: random.Random, name: str, lines: int) -> Any:
    if chance.random() < 0.05:
        return chance.choice(HOSTILE)
    cards = [
        chance.choice(_CARDS[:7] if chance.random() < 0.9 else _CARDS)
        for _ in range(chance.choice([1, 1, 3]))
    ]
    index = chance.choice([0, 1, lines, lines - 1, lines + 1, chance.randrange(lines + 1)])
    pair = [chance.choice([0, 1, 1.5, 400]), chance.choice([1, 1.5, 400])]
    if name in ("insert", "candidates"):
        return [event(chance, lines, chance.choice(_INNER)) for _ in range(chance.choice([0, 1, 2]))]
    fields: dict[str, list[Any]] = {
        "cards": [cards],
        "card": cards,
        "from": [*_PLACES, 1, 2.5],
        "to": [*_PLACES, 3, 2.5],
        "place": _PLACES,
        "of": [index],
        "over": [index],
        "with": [{"cards": cards}, {"seat": "south"}, {"event": "play"}, {"of": index}, {"at": -3}, {}],
        "piles": [{"stock": 52}, {"stock": cards, "work 1": 5}, dict.fromkeys(_PLACES[:4], 13)],
        "up": [{"work 1": 1}, {"stock": 99}],
        "lifted": [pair],
        "landed": [pair],
        "hand": list(HANDS),
        "why": [*ENDS, *GAPS],
        "state": list(STATES),
        "word": ["Nerts", "Stop", "Nuts", words(chance)],
        "choice": list(CHOICES),
    }
    return chance.choice(fields.get(name, [True, False, words(chance)]))
