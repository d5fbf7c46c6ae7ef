"""What players tell the referee about a recording, beside the picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.errors import BadInputError
from referee.record.strictjson import JsonError, load_json
from referee.rules import events
from referee.textfiles import read_text

if TYPE_CHECKING:
    from vision.geometry.camera import Rectangles

#: Who called, or who and at which second.
Call = str | tuple[str, float]


@dataclass(frozen=True, slots=True)
class Told:
    """What players tell the referee about a recording: who called and when, and whose deck is which, how
    large the table is."""

    call: Call | None = None
    seats: Mapping[str, str] | None = None
    #: A rectangle of known size on the table.
    table: Rectangles | None = None
    #: What each of these seats has in the match that the hands are counted in.
    totals: Callable[[Sequence[str]], Mapping[str, float]] | None = None

    @classmethod
    def beside(cls, video: Path) -> Told:
        """What stands in the file of facts beside a recording (hand.json beside hand.mp4); nothing if there is none."""
        path = video.with_suffix(".json")
        if not path.is_file():
            return cls()
        try:
            return cls.of(load_json(read_text(path, "facts")))
        except JsonError as error:
            raise BadInputError(f"{path} cannot be used (it {error}): mend it, or take it away") from None

    @classmethod
    def of(cls, facts: Any) -> Told:
        """What a file of facts says; JsonError for what it cannot say."""
        try:
            call, seats = facts.get("call"), facts.get("seats", [])
            decks = {events.read_text(seat["seat"]): events.read_text(seat["deck"]) for seat in seats}
            called = (
                None if call is None else (events.read_text(call["seat"]), events.read_number(call["at"]))
            )
        except (AttributeError, TypeError, KeyError, events.BadEventError):
            raise JsonError("holds no facts of a recording") from None
        return cls(called, decks or None)
