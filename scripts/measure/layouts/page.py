"""The page of figures by preset, made of rows alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.table import Table

from scripts.measure.layouts.report import COUNTED, in_words, seats_of, sums
from scripts.measure.rows import Row

#: Hands with failures that are listed of each preset, and failures of each.
LISTED, FAILURES = 15, 4
NAMES = (
    "hands, of which not followed",
    "plays right",
    "... invented",
    "draws right",
    "scores right",
    *COUNTED,
    "looks a play or draw",
    "CPU a hand, s",
)


def page(rows: Sequence[Row], seed: int) -> str:
    """Markdown. `rows`: of one state of the sources."""
    presets = list(dict.fromkeys(row["preset"] for row in rows))
    made = ", ".join(sorted({str(row["commit"]) for row in rows}))
    machines = ", ".join(sorted({str(row["machine"]) for row in rows}))
    head = (
        "# How well hands are refereed without a picture\n\n"
        f"Made by `make eval-layouts`: commit {made}, sources {rows[0]['sources']}, {machines}; seed {seed}. Simulated "
        "hands, layouts made from the truth with the eye's faults (`scripts/measure/layouts/faults.json`); what is made "
        "simpler than in films, [lab/umpire.md](lab/umpire.md) tells. A play or draw is right with its seat, cards, from "
        "and to within 1 s of its moment; a hand that is not followed counts all of them as missed. Intervals are of "
        "95 %: Wilson's, and of plays and draws widened by as much as hands differ more than by chance.\n"
    )
    parts = [head, "## All presets\n", _columns([(name, _of(rows, name)) for name in presets])]
    for name in presets:
        some = _of(rows, name)
        parts.append(f"## {name}\n")
        if len(seats_of(some)) > 1:
            players = [
                (f"{n} players", [row for row in some if row["seats"] == n]) for n in sorted(seats_of(some))
            ]
            parts.append(_columns(players))
        parts.append("\n".join(_failures(some)) + "\n")
    return "\n".join(parts)


def _of(rows: Sequence[Row], preset: str) -> list[Row]:
    return [row for row in rows if row["preset"] == preset]


def as_table(columns: Mapping[str, Mapping[str, Any]]) -> Table:
    """Sums side by side."""
    table = Table("players", *columns)
    for name in NAMES:
        table.add_row(name, *(cell(name, told) for told in columns.values()))
    return table


def _columns(columns: Sequence[tuple[str, Sequence[Row]]]) -> str:
    found = [(name, sums(rows)) for name, rows in columns]
    lines = ["| | " + " | ".join(name for name, _ in found) + " |", "| --- |" + " --- |" * len(found)]
    for name in NAMES:
        lines.append(f"| {name} | " + " | ".join(cell(name, told) for _, told in found) + " |")
    return "\n".join(lines) + "\n"


def cell(name: str, told: Mapping[str, Any]) -> str:
    """What stands in the line of that name under these sums."""
    if name in COUNTED:
        return str(told["counts"][name])
    if name.startswith("hands"):
        return f"{told['hands']}, {told['refused']}"
    if name.endswith("invented"):
        return str(told["plays"]["invented"])
    if name.startswith("looks"):
        return f"{told['looks_an_event']:.1f}"
    if name.startswith("CPU"):
        return f"{told['cpu_s_a_hand']:.1f}"
    share, low, high = told[name.replace(" ", "_")]
    of = told.get(name.split()[0])
    count = f"{of['right']:,} of {of['true']:,}: " if of else ""
    return f"{count}{share:.2%} [{low:.1%}, {high:.1%}]".replace("%", " %")


def _failures(rows: Sequence[Row]) -> Iterator[str]:
    kinds = sums(rows)["faults"]
    if kinds:
        yield "What was not right: " + ", ".join(f"{kind} {count}" for kind, count in kinds.items()) + ".\n"
    failed = [row for row in rows if row["failures"] or row["refused"]]
    for row in failed[:LISTED]:
        yield f"* {row['seats']} players, seed {row['seed']}" + (": not followed" if row["refused"] else "")
        for true, told in () if row["refused"] else row["failures"][:FAILURES]:
            yield f"  * true: {in_words(true)}; told: {in_words(told)}"
    if len(failed) > LISTED:
        yield f"* and {len(failed) - LISTED} hands more"
