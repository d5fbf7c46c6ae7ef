"""What an umpire believes, and places of the table, written shortly for tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from referee.rules.events import parse_event
from referee.rules.places import Place
from referee.umpire.story import Believed, Seen


def place_of(seat: str, name: str) -> Place:
    """`place_of("south", "work 3")`; a common one has the seat ""."""
    kind, _, number = name.partition(" ")
    return Place(kind, int(number or 0), seat)


def believed(
    kind: str,
    at: float,
    seat: str,
    frame: int,
    cards: Sequence[str] = (),
    source: Place | None = None,
    target: Place | None = None,
    **marks: Any,
) -> Believed:
    """An event of a kind as a look in that frame shows it."""
    line: dict[str, Any] = {"event": kind, "at": at, "seat": seat, "frames": [frame, frame]}
    if kind in ("play", "take-back"):
        assert source is not None and target is not None
        line |= {"from": source.written_by(seat), "to": target.written_by(seat)}
    if kind in ("play", "take-back", "draw"):
        line["cards"] = list(cards)
    elif kind == "turn":
        line |= {"place": target.own_name if target else "nerts", "card": [*cards, "??"][0]}
    elif kind == "set-aside":
        assert target is not None
        line["place"] = target.own_name
    event = parse_event(line)
    assert isinstance(event, Seen)
    return Believed(event, source, target, **marks)


__all__ = ["believed", "place_of"]
