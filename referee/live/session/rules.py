"""What is agreed on at a table before the cards are dealt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Rules:
    """What is played at this table, and by whom."""

    game: str = "nerts"
    settings: Mapping[str, Any] = field(default_factory=dict)
    #: Seat → name of its deck; seat → what its player is called in the match.
    decks: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
