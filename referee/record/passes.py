"""What a second pass over a recording changed, in words."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from referee.record.corrections import apply_corrections
from referee.rules.events import Event, parse_event

Json = dict[str, Any]

#: What is counted, by kind: one and several.
_WORDS = {
    "play": ("play", "plays"),
    "draw": ("draw", "draws"),
    "turn": ("card turned", "cards turned"),
    "recycle": ("waste turned over", "wastes turned over"),
    "take-back": ("card taken back", "cards taken back"),
    "call": ("call", "calls"),
}
#: What stands for a line as if it had never been written; no event is called so.
_UNWRITTEN: Json = {"event": "unwritten"}


def second_pass_words(written: Sequence[bytes]) -> str:
    """What the second pass changed, as a sentence; "" where it changed nothing. `written`: the lines of a record."""
    lines = [json.loads(line) for line in written]
    if not any(_is_second(line) for line in lines):
        return ""
    now = _standing(lines)
    before = _standing([_UNWRITTEN if _is_second(line) else line for line in lines])
    gone, new = before - now, now - before
    otherwise, added, dropped = Counter[str](), Counter[str](), Counter[str]()
    for kind in _WORDS:
        lost, found = _of_kind(gone, kind), _of_kind(new, kind)
        otherwise[kind] = min(lost, found)
        added[kind], dropped[kind] = found - otherwise[kind], lost - otherwise[kind]
    counted = ((otherwise, "told otherwise"), (added, "added"), (dropped, "withdrawn"))
    said = [f"{_count(kind, n)} {what}" for counts, what in counted for kind, n in counts.items() if n]
    return f"second pass: {', '.join(said) or 'moments and confidences alone'}"


def _is_second(line: Json) -> bool:
    return line.get("pass") == 2


def _standing(lines: Sequence[Json]) -> Counter[tuple[str, str]]:
    """The events that hold, by kind, with what each tells but for its moment."""
    events = [parse_event({"event": "header"}), *(parse_event(line) for line in lines[1:])]
    return Counter(_told(one.event) for one in apply_corrections(lines, events).events)


def _told(event: Event) -> tuple[str, str]:
    line = event.to_json()
    names = ("seat", "cards", "from", "to", "place", "card", "under")
    return event.kind, json.dumps([line.get(name) for name in names])


def _of_kind(counts: Counter[tuple[str, str]], kind: str) -> int:
    return sum(n for (of, _), n in counts.items() if of == kind)


def _count(kind: str, count: int) -> str:
    return f"{count} {_WORDS[kind][count > 1]}"
