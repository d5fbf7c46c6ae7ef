"""Whether planted infractions were found: each ruling of a told record held against what was staged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from scripts.measure.replays import WITHIN_S

Line = Mapping[str, Any]
How = Literal["found", "another rule", "another seat", "undecided", "missed"]


@dataclass(frozen=True, slots=True)
class Flag:
    """What came of one planted infraction."""

    kind: str
    rule: str
    at: float
    how: How
    #: Seconds from its moment until the ruling was told; None where it was not, or only at the end.
    after_s: float | None = None


def flag_of(
    kind: str, rule: str, true: Line, told: Sequence[Line], lines: Sequence[Line], written: Sequence[float]
) -> Flag:
    """How an infraction was ruled on.

    `true`: its event in the true record; `told`: the record as it stands in the end, with rulings; `lines`: all that was
    written, in order, and when (s), as far as that is known.
    """
    at = float(true["at"])
    rulings = [(ruling, _about(told, ruling)) for ruling in told if ruling.get("event") == "ruling"]
    near = [ruling for ruling, events in rulings if any(_is_it(event, true) for event in events)]
    illegal = [ruling for ruling in near if ruling["verdict"] == "illegal"]
    if any(ruling["rule"] == rule and ruling.get("seat") == true.get("seat") for ruling in illegal):
        return Flag(kind, rule, at, "found", _told_after(rule, true, lines, written))
    if illegal:
        same = any(ruling["rule"] == rule for ruling in illegal)
        return Flag(kind, rule, at, "another seat" if same else "another rule")
    doubted = any(ruling["verdict"] == "undecided" for ruling in near)
    return Flag(kind, rule, at, "undecided" if doubted else "missed")


def _about(lines: Sequence[Line], ruling: Line) -> list[Line]:
    return [lines[index] for index in ruling.get("of", ()) if index < len(lines)]


def _is_it(told: Line, true: Line) -> bool:
    """Whether an event that was ruled on is the true one: in time, and with one of its cards if it has any."""
    if abs(float(told["at"]) - float(true["at"])) > WITHIN_S:
        return False
    if true["event"] == "draw":
        # of a packet only the top card is seen
        return bool(told["event"] == "draw" and told.get("seat") == true.get("seat"))
    mine, theirs = _cards(told), _cards(true)
    return bool(mine & theirs) if theirs else told["event"] == true["event"]


def _cards(line: Line) -> set[str]:
    return {*line.get("cards", ()), *([line["card"]] if "card" in line else ())} - {"??"}


def _told_after(rule: str, true: Line, lines: Sequence[Line], written: Sequence[float]) -> float | None:
    """When the first ruling of this kind was told, in s after the infraction."""
    at, seat = float(true["at"]), true.get("seat")
    for line, when in zip(lines, written, strict=False):
        if line.get("event") != "ruling" or line.get("verdict") != "illegal":
            continue
        alike = line["rule"] == rule and line.get("seat") == seat
        if alike and abs(float(line["at"]) - at) <= WITHIN_S:
            return round(max(0.0, when - at), 2)
    return None
