"""Hand-written records in a shorthand: one event a line, with the rulings that it must have behind it.

    == D3 illegal: a card of the same colour does not fit
    centre KH QD 9C 4S
    north draw QH
    north QH hand > centre 1    ! D3

`!` illegal, `?` undecided, `+` legal; `! J5 of a` names the lines of which the ruling speaks (`a: south …`)
besides the line it stands at, `only a` those alone. `score north=1 south=0 final winner=north` says the end;
`refused WORDS` that the line before is bad input. `deal PART place: cards` replaces a part of the usual deal,
whose cards are all unknown but those in `centre`; in a pile "12*" is twelve unknown cards. `misdealt D1
north` says that a part of the deal is illegal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "records"
SEATS = ("north", "south")
#: The usual deal by game: the piles of each part ("" = the common piles).
DEALS: dict[str, dict[str, dict[str, str]]] = {
    "double-solitaire": {
        "": {"centre 1": "1*", "centre 2": "1*", "centre 3": "1*", "centre 4": "1*"},
        "north": {"stock": "24*"},
        "south": {"stock": "24*"},
    },
    "pishe-pasha": {"north": {"stock": "26*"}, "south": {"stock": "26*"}},
    "canfield": {
        "north": {"reserve": "13*", "foundation 1": "1*", "stock": "34*"}
        | {f"work {number}": "1*" for number in range(1, 5)}
    },
    "california-jacks": {
        "": {"stock": "40*", "cut": "?H"},
        "north": {"hand": "6*"},
        "south": {"hand": "6*"},
    },
}
VERDICTS = {"!": "illegal", "?": "undecided", "+": "legal"}


@dataclass
class Case:
    """One record and what the referee must say of it."""

    game: str
    rule: str
    kind: str
    about: str
    number: int
    settings: dict[str, Any] = field(default_factory=dict)
    header: dict[str, Any] = field(default_factory=dict)
    deals: dict[str, dict[str, str]] = field(default_factory=dict)
    events: list[dict[str, Any]] = field(default_factory=list)
    #: (rule, verdict, names of the lines of which it speaks)
    expected: list[tuple[str, str, list[str]]] = field(default_factory=list)
    #: Position among `events` by name: every line has its own number as a name.
    names: dict[str, int] = field(default_factory=dict)
    score: dict[str, str] = field(default_factory=dict)
    final: bool | None = None
    refused: str = ""

    def __str__(self) -> str:
        return f"{self.rule}-{self.kind}-{self.number}"

    def lines(self) -> list[bytes]:
        """The record."""
        seats = ("north",) if self.game == "canfield" else SEATS
        header = {
            "record": 1,
            "game": self.game,
            "settings": self.settings,
            "seats": [{"seat": seat} for seat in seats],
            "source": {"kind": "typed"},
        }
        record: list[dict[str, Any]] = [header | self.header, *map(self._deal, self.deals.items())]
        record += self.events
        for number, line in enumerate(record[1:]):
            line.setdefault("at", float(number))
        return [json.dumps(line).encode() + b"\n" for line in record]

    @staticmethod
    def _deal(part: tuple[str, dict[str, str]]) -> dict[str, Any]:
        seat = {"seat": part[0]} if part[0] else {}
        return {"event": "deal", **seat, "piles": {place: pile(cards) for place, cards in part[1].items()}}

    def rulings(self) -> list[tuple[str, str, list[int]]]:
        """The rulings that must be there: rule, verdict, indices in the record."""
        shift = 1 + len(self.deals)
        indices = {part: number for number, part in enumerate(self.deals, 1)}
        indices |= {name: at + shift for name, at in self.names.items()}
        return [
            (rule, verdict, sorted(indices[name] for name in names)) for rule, verdict, names in self.expected
        ]


def pile(written: str) -> list[str]:
    """A pile, bottom to top."""
    cards: list[str] = []
    for word in written.split():
        cards += ["??"] * int(word[:-1]) if word.endswith("*") else [word]
    return cards


def cases(game: str) -> Iterator[Case]:
    """The hand-written records of a game."""
    case: Case | None = None
    text = (FOLDER / f"{game.replace('-', '_')}.txt").read_text()
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("#")[0].rstrip()
        if line.startswith("=="):
            if case is not None:
                yield case
            rule, kind, about = re.fullmatch(r"== (\w+) (\w+): (.+)", line).groups()  # type: ignore[union-attr]
            deals = {part: dict(piles) for part, piles in DEALS[game].items()}
            case = Case(game, rule, kind, about, number, deals=deals)
        elif line and case is not None:
            _read(case, line)
    if case is not None:
        yield case


def _read(case: Case, line: str) -> None:
    word, _, rest = line.partition(" ")
    if word == "centre":
        case.deals[""] = {f"centre {n}": card for n, card in enumerate(rest.split(), 1)}
    elif word == "deal":
        part, _, piles = rest.partition(" ")
        case.deals.setdefault("" if part == "common" else part, {}).update(
            {place.strip(): cards for place, cards in re.findall(r"([a-z]+(?: \d)?): ([^,]*)", piles)}
        )
    elif word == "undealt":
        for part in rest.split():
            del case.deals["" if part == "common" else part]
    elif word == "misdealt":
        rule, *parts = rest.split()
        case.expected += [(rule, "illegal", ["" if part == "common" else part]) for part in parts]
    elif word == "set":
        key, value = rest.split("=")
        case.settings[key] = json.loads(value) if value in ("true", "false") else value
    elif word == "header":
        case.header |= json.loads(rest)
    elif word == "score":
        case.final = "final" in rest.split()
        case.score = dict(re.findall(r"(\w+)=(\S+)", rest))
    elif word == "refused":
        case.refused = rest
    else:
        _read_event(case, line)


def _read_event(case: Case, line: str) -> None:
    written, *marks = re.split(r"\s+(?=[!?+] \w)", line)
    name, _, event = written.rpartition(": ") if re.match(r"\w+: ", written) else ("", "", written)
    own = str(len(case.events))
    case.names[own] = len(case.events)
    if name:
        case.names[name] = len(case.events)
    case.events.append(_event(event))
    for mark in marks:
        sign, rule, *of = mark.split()
        alone = of[:1] == ["only"]
        others = of[1:]
        case.expected.append((rule, VERDICTS[sign], others if alone else [*others, own]))


def _event(written: str) -> dict[str, Any]:
    if written.startswith("{"):
        line: dict[str, Any] = json.loads(written)
        return line
    written, _, fields = written.partition(" | ")
    more = json.loads("{" + fields + "}") if fields else {}
    seat, _, rest = written.partition(" ")
    if seat == "end":
        return {"event": "end", "why": rest, **more}
    kind, _, tail = rest.partition(" ")
    line = {"event": kind, "seat": seat, **more}
    if kind == "draw":
        return line | {"cards": tail.split()}
    if kind == "recycle":
        return line
    if kind == "turn":
        card, _, place = tail.partition(" ")
        return line | {"place": place, "card": card}
    if kind == "Stop":
        return line | {"event": "call", "word": "Stop"} | ({"choice": tail} if tail else {})
    if kind == "back":
        return line | {"event": "take-back"} | _way(tail)
    return {"event": "play", "seat": seat, **more} | _way(rest)


def _way(written: str) -> dict[str, Any]:
    moved, target = written.split(" > ")
    found = re.fullmatch(r"((?:[A2-9TJQK?][SHDC?] )+)(.+)", moved)
    assert found, written
    return {"cards": found[1].split(), "from": found[2], "to": target}
