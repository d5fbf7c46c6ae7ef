"""Sums over rows: what was asked for, of how many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, get_args

from scripts.intervals import clustered, wilson
from scripts.measure.planted import How
from scripts.measure.replays import Tally
from scripts.measure.staged import ties as staged

Row = Mapping[str, Any]

HOWS = get_args(How)


@dataclass(frozen=True, slots=True)
class Part:
    """So many of so many, with the interval."""

    part: float
    whole: float
    low: float
    high: float

    @classmethod
    def of(cls, part: float, whole: float) -> Part:
        """Of what is drawn one by one."""
        return cls(part, whole, *wilson(part, whole))

    @classmethod
    def of_films(cls, parts: Sequence[float], wholes: Sequence[float]) -> Part:
        """Of what comes film by film."""
        return cls(sum(parts), sum(wholes), *clustered(parts, wholes))

    def __str__(self) -> str:
        if not self.whole:
            return "-"
        share = f"{self.part / self.whole:.1%} [{self.low:.1%}, {self.high:.1%}]"
        return f"{share}, {self.part:,.0f} of {self.whole:,.0f}".replace("%", " %")


def right(rows: Iterable[Row], kind: str) -> Part:
    """Plays or draws that are right, less what was invented, of those that there were."""
    tallies = [sum((Tally(**hand[kind]) for hand in row["hands"]), Tally()) for row in rows]
    return Part.of_films([max(0, t.right - t.invented) for t in tallies], [t.true for t in tallies])


def clean(rows: Iterable[Row]) -> Part:
    """Hands with the exact score and no false `illegal`."""
    hands = hands_of(rows)
    return Part.of(sum(hand["score_right"] and not hand["false_illegal"] for hand in hands), len(hands))


def hands_of(rows: Iterable[Row]) -> list[Row]:
    """All hands of films."""
    return [hand for row in rows for hand in row["hands"]]


def of_group(rows: Iterable[Row], *groups: str) -> list[Row]:
    """Those of these groups."""
    return [row for row in rows if row["group"] in groups]


def by(rows: Iterable[Row], key: Callable[[Row], str]) -> dict[str, list[Row]]:
    """Rows by what they are called, in order."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return dict(sorted(found.items()))


def total(rows: Iterable[Row], name: str) -> float:
    """The sum of a number that every row tells."""
    return sum(row[name] for row in rows)


def a_unit(rows: Sequence[Row], cost: str, units: float, digits: int = 1) -> str:
    """What something costs, divided by how often; a dash where it never came."""
    return f"{total(rows, cost) / units:.{digits}f}" if units else "-"


def events(rows: Iterable[Row]) -> int:
    """True plays and draws."""
    return sum(hand[kind]["true"] for hand in hands_of(rows) for kind in ("plays", "draws"))


# -- infractions -------------------------------------------------------------------------------------------


def planted(rows: Iterable[Row]) -> list[Row]:
    """Every infraction that the camera could see."""
    return [flag for row in rows for flag in row["planted"]]


def found(flags: Sequence[Row]) -> Part:
    """Those that were found."""
    return Part.of(sum(flag["how"] == "found" for flag in flags), len(flags))


def by_kind(flags: Iterable[Row]) -> Iterator[tuple[str, str, Counter[str], str]]:
    """(kind, rule, how many came to what, seconds until it was told: median and most)."""
    for kind, some in by(flags, lambda flag: str(flag["kind"])).items():
        after = [flag["after_s"] for flag in some if flag["after_s"] is not None]
        late = f"{median(after):.1f}, {max(after):.1f}" if after else ""
        yield kind, str(some[0]["rule"]), Counter(flag["how"] for flag in some), late


# -- ties --------------------------------------------------------------------------------------------------


def ties(rows: Iterable[Row]) -> list[Row]:
    """What came of each tie."""
    return [row["tie"] for row in rows if row["tie"] is not None]


def is_clear(tie: Row) -> bool:
    """See `scripts.measure.staged.ties`."""
    return staged.is_clear(tie["fps"], tie["gap"], tie["under"])


def first_right(some: Sequence[Row]) -> Part:
    """Who was first: said, and rightly."""
    return Part.of(sum(bool(tie["right"]) for tie in some), len(some))


def wrong_firsts(some: Iterable[Row]) -> int:
    """Winners that did not win."""
    return sum(tie["said"] == "first" and not tie["right"] for tie in some)


def widths(some: Iterable[Row]) -> list[float]:
    """Widths of what landings were told to lie in, frames."""
    return [width for tie in some for width in tie["widths"]]


def inside(some: Sequence[Row]) -> Part:
    """Told landings that hold the true moment."""
    return Part.of(sum(tie["inside"] for tie in some), sum(tie["landings"] for tie in some))
