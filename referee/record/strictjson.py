"""JSON read strictly: what other readers let pass in silence is an error here.

`load_json` is for everything that people or other programs hand over as JSON: a record's lines, a match file, a
file of facts. A key given twice, a number that is none (NaN, Infinity) or greater than any, a text that is not
UTF-8, a byte-order mark: each is a JsonError, whose text is the end of a sentence for people.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any


class JsonError(ValueError):
    """Text that is no JSON."""


class BadValueError(JsonError):
    """Whole JSON that no reader can take at its word: a key given twice, a number without end."""


def load_json(text: str | bytes) -> Any:
    """The value of a JSON text; bytes are UTF-8. JsonError says what is wrong with it."""
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8")
        return json.loads(
            text, parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_each_once
        )
    except JsonError:
        raise
    except RecursionError:
        raise JsonError("is nested too deep") from None
    except ValueError as error:
        raise JsonError(f"is not JSON in UTF-8 ({error})") from None


def _no_constant(name: str) -> Any:
    raise JsonError(f"{name} is no number of JSON")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise BadValueError(f"{text} is no finite number")
    return number


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        times = Counter(key for key, _ in pairs)
        twice = next(key for key, _ in pairs if times[key] > 1)
        raise BadValueError(f"key {twice[:40]!r} is there twice: keep the one that is meant")
    return table
