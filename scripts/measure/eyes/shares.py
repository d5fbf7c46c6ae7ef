"""Shares with their intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from scripts.intervals import wilson

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many."""

    part: int
    whole: int

    def __str__(self) -> str:
        if not self.whole:
            return "-"
        low, high = wilson(self.part, self.whole)
        return f"{self.part / self.whole:.3f} [{low:.3f}, {high:.3f}] of {self.whole:,}"

    @property
    def value(self) -> float:
        """0 to 1."""
        return self.part / self.whole if self.whole else 0.0


def share(of: Iterable[T], holds: Callable[[T], bool]) -> Share:
    """How many of these are so."""
    told = [holds(one) for one in of]
    return Share(sum(told), len(told))
