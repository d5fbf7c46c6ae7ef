"""What came of simulated hands, in words and as figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from statistics import median
from typing import Any, get_args

from rich.table import Table

from scripts.intervals import wilson
from scripts.measure.layouts.hand import Umpired
from scripts.measure.planted import How
from scripts.measure.replays import WITHIN_S, Tally, adjudicated

Line = Mapping[str, Any]

HOWS = get_args(How)
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
    found: dict[int, dict[str, Any]] = {}
    for seats in sorted({hand.wanted.seats for hand in hands}):
        of_these = [hand for hand in hands if hand.wanted.seats == seats]
        plays = sum((hand.figures.plays for hand in of_these), Tally())
        draws = sum((hand.figures.draws for hand in of_these), Tally())
        counts = sum((Counter(_counts(hand)) for hand in of_these), Counter[str]())
        right = sum(bool(hand.figures.score_equal) for hand in of_these)
        found[seats] = {
            "hands": len(of_these),
            "refused": sum(bool(hand.refused) for hand in of_these),
            "plays": asdict(plays),
            "plays_right": _share(plays.right, plays.true),
            "draws": asdict(draws),
            "draws_right": _share(draws.right, draws.true),
            "scores_right": _share(right, len(of_these)),
            "counts": dict(counts),
            "looks_an_event": _ratio(sum(hand.looks for hand in of_these), plays.true + draws.true),
            "faults": dict(faults_by_kind(of_these).most_common()),
        }
    return found


def _share(part: int, whole: int) -> list[float]:
    """A share and its interval."""
    return [round(value, 4) for value in (_ratio(part, whole), *wilson(part, whole))]


def _ratio(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0


def as_table(found: Mapping[int, Mapping[str, Any]]) -> Table:
    """The totals side by side."""
    table = Table()
    rows = ("hands, of which not followed", "plays right", "invented", "draws right", "scores right")
    counted = ("false `illegal`", "`illegal` withdrawn", "`undecided`", "doubts")
    table.add_column("players")
    for seats in found:
        table.add_column(str(seats))
    cells = {name: [_cell(name, sums) for sums in found.values()] for name in rows}
    cells |= {name: [str(sums["counts"].get(name, 0)) for sums in found.values()] for name in counted}
    cells["looks a play or draw"] = [f"{sums['looks_an_event']:.1f}" for sums in found.values()]
    for name, values in cells.items():
        table.add_row(name, *values)
    return table


def _cell(name: str, sums: Mapping[str, Any]) -> str:
    if name.startswith("hands"):
        return f"{sums['hands']}, {sums['refused']}"
    if name == "invented":
        return str(sums["plays"]["invented"])
    share, low, high = sums[f"{name.replace(' ', '_')}"]
    of = sums.get(name.split()[0])
    count = f"{of['right']} of {of['true']}: " if of else ""
    return f"{count}{share:.1%} [{low:.1%}, {high:.1%}]"


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


def faults_by_kind(hands: Sequence[Umpired]) -> Counter[str]:
    """Plays of hands that were followed and are not right, by what is wrong with them."""
    followed = (hand for hand in hands if not hand.refused)
    return Counter(_kind(true, told) for hand in followed for true, told in hand.figures.faults)


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
    said = [f"{line['at']:.2f}", line.get("seat", ""), "" if line["event"] == "play" else line["event"]]
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
