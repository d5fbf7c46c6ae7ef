"""The JSON Schema of a record's lines, made from the events (`python -m referee.record.schema` writes it)."""

from __future__ import annotations

import json
from typing import Any, get_args

from referee.rules import events
from referee.rules.cards import FACES, RANKS, SUITS
from referee.rules.events import KINDS
from referee.rules.rulings import Verdict
from referee.rules.settings import game_names

Schema = dict[str, Any]
_NUMBER: Schema = {"type": "number"}
_TEXT: Schema = {"type": "string", "minLength": 1}
_INDEX: Schema = {"type": "integer", "minimum": 0}
_INTERVAL: Schema = {"type": "array", "items": _NUMBER, "minItems": 2, "maxItems": 2}
_CARD: Schema = {"enum": [*FACES, *(r + "?" for r in RANKS), *("?" + s for s in SUITS), "??"]}
_CARDS: Schema = {"type": "array", "items": _CARD}
_OBJECT: Schema = {"type": "object"}
_PILE: Schema = {"anyOf": [_CARDS, {"type": "integer", "minimum": 0, "maximum": 52}]}
#: By the reader of a field: what it takes.
_READERS: dict[Any, Schema] = {
    events.read_number: _NUMBER,
    events.read_share: {"type": "number", "minimum": 0, "maximum": 1},
    events.read_text: _TEXT,
    events.read_hand: {"enum": list(events.HANDS)},
    events.read_end: {"enum": list(events.ENDS)},
    events.read_choice: {"enum": list(events.CHOICES)},
    events.read_gap: {"enum": list(events.GAPS)},
    events.read_state: {"enum": list(events.STATES)},
    events.read_flag: {"type": "boolean"},
    events.read_index: _INDEX,
    events.read_interval: _INTERVAL,
    events.read_card: _CARD,
    events.read_cards: _CARDS,
    events.read_piles: {"type": "object", "additionalProperties": _PILE},
    events.read_counts: {"type": "object", "additionalProperties": _INDEX},
    events.read_texts: {"type": "array", "items": _TEXT},
    events.read_object: _OBJECT,
    events.read_objects: {"type": "array", "items": _OBJECT},
}


def _event_schema(name: str) -> Schema:
    cls = KINDS[name]
    properties = {key: _READERS[read] for key, (_, read) in (events.COMMON | cls.FIELDS).items()}
    if name in ("play", "take-back"):
        properties["cards"] = _CARDS | {"minItems": 1}
    required = ["event", *cls.REQUIRED, *(["seat"] if name in events.NEEDS_SEAT else [])]
    return {
        "type": "object",
        "title": name,
        "properties": {"event": {"const": name}, **properties},
        "required": required,
    }


def _header_schema() -> Schema:
    seat = {"type": "object", "properties": {"seat": _TEXT, "deck": {"type": "string"}}, "required": ["seat"]}
    return {
        "type": "object",
        "title": "header",
        "properties": {
            "record": {"const": 1},
            "game": {"enum": list(game_names())},
            "settings": _OBJECT,
            "seats": {"type": "array", "items": seat, "minItems": 1},
            "source": _OBJECT,
            "dealer": _TEXT,
            "match": {"type": "object", "additionalProperties": _NUMBER},
            "id": {"type": "string", "format": "uuid"},
            "session": {"anyOf": [_TEXT, {"type": "integer"}]},
        },
        "required": ["record", "game", "seats"],
    }


def _ruling_schema() -> Schema:
    return {
        "type": "object",
        "title": "ruling",
        "properties": {
            "event": {"const": "ruling"},
            "at": _NUMBER,
            "seat": {"type": ["string", "null"]},
            "ruling": _TEXT,
            "rule": _TEXT,
            "of": {"type": "array", "items": _INDEX, "minItems": 1},
            "verdict": {"enum": list(get_args(Verdict))},
            "confidence": {"type": "number", "minimum": 0, "maximum": 1},
            "evidence": _OBJECT,
            "why": _TEXT,
        },
        "required": ["event", "at", "ruling", "rule", "of", "verdict", "why"],
    }


def _score_schema() -> Schema:
    count = {"type": "integer"}
    keys = ("centre", "left", "bonus", "disputed", "points")
    hand = {"type": "object", "properties": dict.fromkeys(keys, count), "required": list(keys)}
    return {
        "type": "object",
        "title": "score",
        "properties": {
            "event": {"const": "score"},
            "hand": {"type": "object", "additionalProperties": hand},
            "match": {"type": "object", "additionalProperties": _NUMBER},
            "winner": {"anyOf": [{"type": ["string", "null"]}, {"type": "array", "items": _TEXT}]},
            "final": {"type": "boolean"},
            "unknown": {
                "type": "object",
                "properties": {"centre": count, "left": {"type": "array", "items": _TEXT}},
                "required": ["centre", "left"],
            },
        },
        "required": ["event", "hand", "match", "winner", "final"],
    }


def record_schema() -> Schema:
    """The schema of one line of a record: the header, an event, a ruling or a score."""
    lines = [_header_schema(), *(_event_schema(name) for name in KINDS), _ruling_schema(), _score_schema()]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of a nerts-referee record",
        "description": "JSON Lines; the first line is the header. Events of other kinds are passed over.",
        "anyOf": lines,
    }


if __name__ == "__main__":
    print(json.dumps(record_schema(), indent=1))
