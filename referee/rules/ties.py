"""Who was first (N13, T3): from landing times and layering to a verdict. Pure logic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Interval = tuple[float, float]
#: Rounding that must not decide a tie, s.
_EPSILON = 1e-9


@dataclass(frozen=True, slots=True)
class Landing:
    """One of the plays of a tie: when its card landed, which plays' cards were seen underneath it."""

    seat: str
    index: int
    landed: Interval | None = None
    over: frozenset[int] = frozenset()
    #: Whether it is in doubt that the seat used one hand only (nerts-twelve).
    two_hands: bool = False


@dataclass(frozen=True, slots=True)
class TieVerdict:
    """What is said about a tie; `winner` is a position in the list of landings, or None."""

    verdict: Literal["first", "both-stay", "too-close", "undecided"]
    winner: int | None
    why: str
    #: Seconds between the winner's and the next landing: [least, most], where known.
    interval: Interval | None = None


def between(first: Interval, second: Interval) -> float:
    """Seconds that surely lie between two landings; 0 when they may have been at once."""
    return max(0.0, second[0] - first[1], first[0] - second[1])


def settle(landings: Sequence[Landing], least_gap_s: float | None, rule: str) -> TieVerdict:
    """Settle a tie. `least_gap_s` is None without a known frame rate; `rule` is the setting `tie`.

    >>> plays = [Landing("north", 4, (1.00, 1.03)), Landing("south", 5, (1.20, 1.23))]
    >>> settle(plays, 2 / 30, "both-stay").verdict
    'first'
    """
    doubted = [landing.two_hands for landing in landings]
    if any(doubted) and doubted.count(False) == 1:
        winner = doubted.index(False)
        why = f"{landings[winner].seat} was first: the other side may have used two hands."
        return TieVerdict("first", winner, why)
    count = range(len(landings))
    by_time = {(i, j) for i in count for j in count if _earlier(landings[i], landings[j], least_gap_s)}
    by_layer = {(i, j) for i in count for j in count if landings[i].index in landings[j].over}
    if any((j, i) in by_layer for i, j in by_time):
        return TieVerdict("undecided", None, "The landing times and the layering contradict each other.")
    for winner in count:
        others = [(winner, j) for j in count if j != winner]
        if all(pair in by_time or pair in by_layer for pair in others):
            return _first(landings, winner, all(pair in by_time for pair in others))
    if least_gap_s is None or any(landing.landed is None for landing in landings):
        return TieVerdict("undecided", None, "Neither the landing times nor the layering were seen.")
    span = _interval(landings)
    if rule == "both-stay":
        return TieVerdict("both-stay", None, "The landings are too close to tell: both cards stay.", span)
    return TieVerdict("too-close", None, "The landings are too close to tell: nobody has to take back.", span)


def _earlier(one: Landing, other: Landing, least_gap_s: float | None) -> bool:
    if one is other or least_gap_s is None or one.landed is None or other.landed is None:
        return False
    gap = other.landed[0] - one.landed[1]
    return gap > 0 and gap >= least_gap_s - _EPSILON


def _first(landings: Sequence[Landing], winner: int, by_time: bool) -> TieVerdict:
    seat = landings[winner].seat
    how = "landed first" if by_time else "lies underneath"
    others = [landing for number, landing in enumerate(landings) if number != winner]
    interval = None
    if landings[winner].landed is not None and all(other.landed is not None for other in others):
        nearest = min(others, key=lambda other: other.landed or (0.0, 0.0))
        interval = _interval([landings[winner], nearest])
    return TieVerdict("first", winner, f"{seat} was first: the card {how}.", interval)


def _interval(landings: Sequence[Landing]) -> Interval | None:
    """Least and most seconds between the first two landings."""
    times = [landing.landed for landing in landings if landing.landed is not None]
    if len(times) < 2:
        return None
    first, second = times[0], times[1]
    return round(second[0] - first[1], 4), round(second[1] - first[0], 4)
