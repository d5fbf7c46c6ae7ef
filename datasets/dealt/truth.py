"""What the truth of a film of dealing says of a moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

#: A landing is told no later than this after it was (s), and usually after the second.
LATE_S, USUAL_S = 1.2, 0.15


def event_of(at: float, events: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """What came to lie when a landing was told at `at` (s)."""
    near = [event for event in events if -0.1 <= at - event["at"] <= LATE_S]
    return min(near, key=lambda event: abs(at - event["at"] - USUAL_S), default=None)
