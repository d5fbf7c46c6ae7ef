"""What came of simulated hands, in words and as figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from statistics import median
from typing import Any, get_args

from rich.table import Table

from scripts.intervals import clustered
from scripts.measure.layouts.hand import Umpired
from scripts.measure.layouts.keeping import row_of
from scripts.measure.planted import How
from scripts.measure.replays import WITHIN_S, Tally, adjudicated
from scripts.measure.rows import Row

Line = Mapping[str, Any]

HOWS = get_args(How)
#: What is counted a hand, and where its row tells it.
COUNTED = {
    "false `illegal`": "false_illegal",
    "`illegal` withdrawn": "withdrawn",
    "`undecided`": "undecided",
    "doubts": "doubts",
}
#: Events that are told one by one where a hand is shown.
SHOWN = ("play", "draw", "turn", "recycle", "take-back", "set-aside", "bury", "call")


def of_hand(hand: Umpired, failures: int) -> Iterator[str]:
    """One hand in a line, and its first failures."""
    figures = hand.figures
    said = [
        f"{figures.plays.right} of {figures.plays.true} plays",
        f"{figures.draws.right} of {figures.draws.true} draws",
        *(f"{count} {what}" for what, count in _counts(hand).items() if count),
    ]
    score = "" if hand.refused else f"; score {'right' if figures.score_equal else 'wrong'}"
    yield f"{hand.wanted.seats} players, seed {hand.wanted.seed}: {', '.join(said)}{score}"
    if hand.refused:
        yield f"    not followed: {hand.refused}"
        return
    for flag in hand.flags:
        late = "" if flag.after_s is None else f", told {flag.after_s:.1f} s after it"
        yield f"    {flag.kind} at {flag.at:.1f} s, {flag.rule}: {flag.how}{late}"
    for true, told in figures.faults[:failures]:
        yield f"    true: {in_words(true)}; told: {in_words(told)}"


def _counts(hand: Umpired) -> dict[str, int]:
    return {
        "invented plays": hand.figures.plays.invented,
        "false `illegal`": hand.figures.false_illegal,
        "`illegal` withdrawn": hand.withdrawn,
        "`undecided`": hand.undecided,
        "doubts": hand.doubts,
    }


def totals(hands: Sequence[Umpired]) -> dict[int, dict[str, Any]]:
    """By number of players: sums, and shares with their 95 % intervals."""
    rows = [row_of(hand.wanted, hand) for hand in hands]
    return {seats: sums([row for row in rows if row["seats"] == seats]) for seats in sorted(seats_of(rows))}


def sums(rows: Sequence[Row]) -> dict[str, Any]:
    """The sums over rows, and shares with their 95 % intervals: of plays and draws as wide as hands differ."""
    plays, draws = ([Tally(**row[kind]) for row in rows] for kind in ("plays", "draws"))
    events = sum(tally.true for tally in (*plays, *draws))
    return {
        "hands": len(rows),
        "refused": sum(bool(row["refused"]) for row in rows),
        "plays": asdict(sum(plays, Tally())),
        "plays_right": _share(plays),
        "draws": asdict(sum(draws, Tally())),
        "draws_right": _share(draws),
        "scores_right": _shares([row["score_equal"] for row in rows], [1] * len(rows)),
        "counts": {what: sum(row[name] for row in rows) for what, name in COUNTED.items()},
        "looks_an_event": _ratio(sum(row["looks"] for row in rows), events),
        "cpu_s_a_hand": _ratio(sum(row["cpu_s"] for row in rows), len(rows)),
        "faults": dict(faults_by_kind(rows).most_common()),
    }


def seats_of(rows: Iterable[Row]) -> set[int]:
    """The numbers of players."""
    return {row["seats"] for row in rows}


def _share(tallies: Sequence[Tally]) -> list[float]:
    return _shares([tally.right for tally in tallies], [tally.true for tally in tallies])


def _shares(parts: Sequence[float], wholes: Sequence[float]) -> list[float]:
    """A share and its interval."""
    share = sum(parts) / sum(wholes) if sum(wholes) else 0.0
    return [round(value, 4) for value in (share, *clustered(parts, wholes))]


def _ratio(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0


def flags_table(hands: Sequence[Umpired]) -> Table:
    """What came of planted infractions by kind, with the median and the most seconds until they were told."""
    names = ("kind", "rule", "staged", *HOWS, "told after", "plays right", "false")
    table = Table(*names)
    kinds = {flag.kind: flag.rule for hand in hands for flag in hand.flags}
    for kind, rule in kinds.items():
        table.add_row(kind, rule, *_of_kind([h for h in hands if kind in h.wanted.plants], kind))
    table.add_row("all", "", *_of_kind([h for h in hands if h.flags], None))
    return table


def _of_kind(hands: Sequence[Umpired], kind: str | None) -> list[str]:
    flags = [flag for hand in hands for flag in hand.flags if kind in (None, flag.kind)]
    after = [flag.after_s for flag in flags if flag.after_s is not None]
    plays = sum((hand.figures.plays for hand in hands), Tally())
    late = f"{median(after):.1f}, {max(after):.1f} s" if after else ""
    counts = [str(sum(flag.how == how for flag in flags) or "") for how in HOWS]
    false = sum(hand.figures.false_illegal for hand in hands)
    return [str(len(flags)), *counts, late, f"{plays.right} of {plays.true}", str(false or "")]


def faults_by_kind(rows: Iterable[Row]) -> Counter[str]:
    """Plays of hands that were followed and are not right, by what is wrong with them."""
    followed = (row for row in rows if not row["refused"])
    return Counter(_kind(true, told) for row in followed for true, told in row["failures"])


def _kind(true: Line | None, told: Line | None) -> str:
    if true is None:
        assert told is not None
        return f"invented, from {_place(told['from'])} to {_place(told['to'])}"
    if told is None:
        return f"missed, from {_place(true['from'])} to {_place(true['to'])}"
    for name, what in (("seat", "seat"), ("cards", "card")):
        if true[name] != told[name]:
            return f"another {what}"
    if _place(true["from"]) != _place(told["from"]):
        return f"from {_place(told['from'])} instead of {_place(true['from'])}"
    return f"another place, from {_place(true['from'])} to {_place(true['to'])}"


def _place(name: str) -> str:
    return " ".join(word for word in name.split() if not word.isdigit())


def in_words(line: Line | None) -> str:
    """An event as people say it, with its moment."""
    if line is None:
        return "nothing"
    kind = line.get("event", "play")
    said = [f"{line['at']:.2f}", line.get("seat", ""), "" if kind == "play" else kind]
    said += [*line.get("cards", ()), line.get("card", ""), line.get("place", "")]
    said += [f"{line['from']} → {line['to']}"] if "from" in line else []
    said += [f"({line['confidence']:.2f})"] if "confidence" in line else []
    return " ".join(word for word in said if word)


def play_by_play(hand: Umpired) -> Iterator[str]:
    """All that happened, and what was told of it: draws and turns by seat and moment, plays as they are scored."""
    told = [line for line in adjudicated(hand.told) if line.get("event") in SHOWN]
    plays = {_key(true): other for true, other in hand.figures.faults if true is not None}
    others = [other for true, other in hand.figures.faults if true is None and other is not None]
    others += [line for line in told if line["event"] != "play" and not _nearest(line, hand.truth)]
    lines = [(other["at"], f"   -> told: {in_words(other)}") for other in others]
    for true in hand.truth:
        if true.get("event") not in SHOWN:
            continue
        said = in_words(true)
        if true["event"] == "play" and _key(true) in plays:
            said += f"   <- told: {in_words(plays[_key(true)])}"
        elif true["event"] != "play" and not _nearest(true, told):
            said += "   <- not told"
        lines.append((true["at"], said))
    return (said for _, said in sorted(lines))


def _key(line: Line) -> tuple[Any, ...]:
    return line["at"], line.get("seat"), tuple(line.get("cards", ()))


def _nearest(line: Line, lines: Sequence[Line]) -> bool:
    """Is there one of its kind, seat and about its moment?"""
    alike = (
        one for one in lines if one.get("event") == line["event"] and one.get("seat") == line.get("seat")
    )
    return any(abs(one["at"] - line["at"]) <= WITHIN_S for one in alike)
