"""What the players agreed on and told before a hand or after it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

#: Who called, or who and at which second.
Call = str | tuple[str, float]
Totals = Callable[[Sequence[str]], Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Terms:
    """The game, house rules, who called (and when), seat → name of its deck; and what the header says beside."""

    game: str = "nerts"
    settings: Mapping[str, Any] = field(default_factory=dict)
    call: Call | None = None
    decks: Mapping[str, str] = field(default_factory=dict)
    #: Fields of the header: `id`, `session`, `match`.
    header: Mapping[str, Any] = field(default_factory=dict)
    #: What the frames come from: video or camera.
    kind: str = "video"
    #: What each of these seats has so far in the match that the hand is counted in; nothing before its first hand.
    totals: Totals | None = None

    @property
    def seats(self) -> list[str]:
        """The seats that are named: they must sit at the table."""
        caller = self.call[0] if isinstance(self.call, tuple) else self.call
        return [*([caller] if caller else []), *self.decks]
