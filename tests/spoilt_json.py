"""JSON as it may come: values in the places of others, and text that is no JSON, or more than it seems."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from spoilt import value, words

#: What readers stumble over: numbers at their limits, text that is none, shapes that are others.
HOSTILE: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        -1,
        0,
        1,
        2,
        52,
        53,
        0.5,
        -0.0,
        1e-320,
        1e308,
        -1e308,
        2**53 + 1,
        2**63,
        10**30,
        10**400,
    ),
    *("", " ", "??", "0", "\ud800", "\0", "\x1b[2J", "\u200b", "\u202e", "x" * 5000, "north", "work 1", "AS"),
    *([], {}, [[]], [None], {"": None}, [0] * 3, ["??"] * 53, {"north": 1}, [{}]),
)


def spoilt_value(chance: random.Random, whole: Any) -> Any:
    """A JSON value in which something has been changed, left out, doubled or put elsewhere."""
    spoilt = deepcopy(whole)
    for _ in range(chance.choice([1, 1, 1, 2, 5])):
        places = list(_places(spoilt))
        if not places:
            return value(chance)
        holder, key = chance.choice(places)
        other, there = chance.choice(places)
        change = chance.choice(["hostile", "hostile", "other", "drop", "any", "wrap", "near", "more"])
        if change == "drop":
            del holder[key]
        elif change == "more" and isinstance(holder, dict):
            holder[chance.choice([words(chance), *holder])] = chance.choice(HOSTILE)
        elif change == "more":
            holder.insert(key, deepcopy(other[there]))
        else:
            made: dict[str, Callable[[], Any]] = {
                "hostile": lambda: deepcopy(chance.choice(HOSTILE)),
                "other": lambda other=other, there=there: deepcopy(other[there]),  # type: ignore[misc]
                "any": lambda: value(chance),
                "wrap": lambda holder=holder, key=key: [deepcopy(holder[key])],  # type: ignore[misc]
                "near": lambda holder=holder, key=key: _near(chance, holder[key]),  # type: ignore[misc]
            }
            holder[key] = made[change]()
    return spoilt


def _places(value: Any) -> Any:
    """(holder, key) of everything in a value."""
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in list(keys):
        yield value, key
        yield from _places(value[key])


def _near(chance: random.Random, value: Any) -> Any:
    """A value that is nearly the same."""
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int):
        return value + chance.choice([-1, 1, 10, 0.5])
    if isinstance(value, float):
        return chance.choice([-value, value + 1, value / 1e9])
    if isinstance(value, str):
        return chance.choice(
            [value.upper(), value + " ", value[:-1], value[::-1], value + "1", f"\ufeff{value}"]
        )
    return list(reversed(value)) if isinstance(value, list) else {key: value[key] for key in reversed(value)}


def written(chance: random.Random, value: Any) -> bytes:
    """A JSON value as text; now and then as text that says it otherwise, or no longer."""
    try:
        text = json.dumps(value, ensure_ascii=chance.random() < 0.5).encode()
    except UnicodeEncodeError:
        text = json.dumps(value).encode()
    if chance.random() < 0.75:
        return text
    at = chance.randrange(len(text) + 1)
    odd = chance.choice(
        [
            b"NaN",
            b"-Infinity",
            b"1e999",
            b"9" * 5000,
            b"[" * 100_000,
            b'{"a":' * 3000,
            b"\xff",
            b"\0",
            b"'",
            b"\r",
            b"\n",
        ]
    )
    return chance.choice(
        [
            text[:at] + odd + text[at:],
            odd,
            text[:at],
            b"\xef\xbb\xbf" + text,
            text.decode().encode("utf-16"),
            text.replace(b": ", b": " + odd + b"\n", 1),
            # a key once more at the end
            text[:-1] + b", " + text[1:].split(b",")[0].rstrip(b"}") + b"}",
            text + text,
            text.replace(b'"', b"'"),
            text.replace(b" ", b"\r\n"),
        ]
    )
