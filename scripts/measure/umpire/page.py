"""The page of figures, made of rows alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from scripts.measure.umpire import figures as f
from scripts.measure.umpire.plan import Film
from scripts.measure.umpire.strips import shown

Row = Mapping[str, Any]

#: Groups of whole hands.
HANDS = ("two", "three and four", "five and six", "presets", "mishaps", "beginnings")
#: Group → least shares of plays and draws that are asked for, and of hands with the exact score and no false flag.
ASKED = {
    "two": ("≥ 99.5 %", "≥ 99 %", "≥ 85 %"),
    "three and four": ("≥ 99 %", "≥ 98 %", "≥ 70 %"),
    "five and six": ("≥ 96 %", "≥ 95 %", None),
}
#: Failures that are listed.
LISTED = 60


def page(rows: Sequence[Row], films: Sequence[Film]) -> str:
    """Markdown. `rows`: of one state of the sources; `films`: all that are planned."""
    rows = sorted(rows, key=lambda row: (row["group"], row["name"]))
    parts = [
        _head(rows, films),
        "## What is asked, and what is so\n\n" + table(("point", "asked", "measured"), list(_points(rows))),
        _hands(rows),
        _infractions(rows),
        _ties(rows),
        _cost(rows),
        _failures(rows),
    ]
    return "\n".join(part for part in parts if part)


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table in Markdown."""
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _head(rows: Sequence[Row], films: Sequence[Film]) -> str:
    planned, made = Counter(film.group for film in films), Counter(row["group"] for row in rows)
    commits = ", ".join(sorted({str(row["commit"]) for row in rows}))
    machines = ", ".join(sorted({str(row["machine"]) for row in rows}))
    first = rows[0]
    groups = "; ".join(f"{group} {made[group]} of {planned[group]}" for group in sorted(planned))
    hours = (f.total(rows, "made_cpu_s") + f.total(rows, "cpu_s")) / 3600
    whole = "All" if len(rows) == len(films) else f"**So far {len(rows)} of {len(films)}**"
    decks = ", ".join(sorted({deck.split(": ")[-1] for row in rows for deck in row["decks"]}))
    return (
        "# How well films are refereed\n\n"
        f"Made by `make eval-umpire`: commit {commits}, sources {first['sources']}, {machines}; seed {first['seed']}, "
        f"decks of `{first['split']}` ({decks}). Each film is made, refereed as `replay` does it, held against its truth "
        "and deleted; nobody looks at one before. "
        f"{whole} films of the plan (`scripts/measure/umpire/plan.toml`): {groups}. They show "
        f"{f.total(rows, 'seconds'):,.0f} s and took {hours:.1f} hours of a core to make and to referee.\n\n"
        "A play or draw is right with its seat, cards, from and to within 1 s of its moment. A film that is refused, or "
        "breaks the program, counts all its plays as missed; what is invented is taken off what is right. In a film "
        "that begins in mid-hand what lands more than 3 s later counts. Intervals are "
        "of 95 %: Wilson's, and of plays and draws widened by as much as films differ more than by chance.\n"
    )


def _points(rows: Sequence[Row]) -> Iterator[tuple[str, str, object]]:
    for group, (plays, draws, whole) in ASKED.items():
        some = f.of_group(rows, group)
        yield f"plays right, {group} players", plays, f.right(some, "plays")
        yield f"draws right, {group} players", draws, f.right(some, "draws")
        if whole is not None:
            yield f"hands of {group} with the exact score and no false flag", whole, f.clean(some)
    number = len(f.hands_of(rows))
    yield "`illegal` on clean plays, standing at the end, all films", "0", int(f.total(rows, "false_illegal"))
    withdrawn = int(f.total(rows, "withdrawn_illegal"))
    yield "... told and withdrawn", "≤ 1 in 20 hands", f"{withdrawn} in {len(rows)} films"
    flags = f.planted(rows)
    yield "planted infractions found, of those that show in 5 frames or more", "≥ 95 %", f.found(flags)
    kinds = list(f.by_kind(flags))
    enough = sum(3 * hows["found"] >= 2 * hows.total() for _, _, hows, _ in kinds)
    yield "... kinds of which two in three were found", "all", f"{enough} of {len(kinds)}"
    yield from _tie_points(f.ties(rows))
    plays = sum(hand["plays"]["true"] for hand in f.hands_of(rows))
    whole_hands = [row for row in rows if row["hands"]]
    yield "doubts asked, of plays", "≤ 1 %", f.Part.of(f.total(whole_hands, "doubts"), plays)
    yield "`undecided` rulings a hand", "≤ 1", f.a_unit(whole_hands, "undecided", number, 2)
    yield "hands with a mishap: plays right", "≥ 98 %", f.right(f.of_group(rows, "mishaps"), "plays")
    for name, some in f.by(f.of_group(rows, "presets"), _kind).items():
        yield f"{name}, two players: plays right", "≥ 98 %", f.right(some, "plays")
    for name, some in f.by(f.of_group(rows, "beginnings"), _kind).items():
        yield f"{name}: plays right", "≥ 97 %", f.right(some, "plays")


def _tie_points(some: Sequence[Row]) -> Iterator[tuple[str, str, object]]:
    layered = [tie for tie in some if tie["layered"] and not tie["under"] and tie["gap"] > 0]
    alone = [tie for tie in some if f.is_clear(tie) and not tie["layered"]]
    yield "ties whose layering is seen and agrees with time: first right", "≥ 97 %", f.first_right(layered)
    yield (
        "ties by time alone, from 200 ms (30 frames a second), 100 ms (60) on: first right",
        "≥ 90 %",
        f.first_right(alone),
    )
    yield "wrong winners of ties, at any gap", "0", f"{f.wrong_firsts(some)} of {len(some)}" if some else "-"
    told = f.widths(some)
    yield "width of landings in ties, median", "≤ 2 frames", f"{median(told):.1f}" if told else "-"
    yield "... true moment inside", "≥ 97 %", f.inside(some)


def _kind(row: Row) -> str:
    return str(row["name"]).rpartition("-")[0]


def _hands(rows: Sequence[Row]) -> str:
    some = f.of_group(rows, *HANDS)
    if not some:
        return ""
    groups = {
        "players": f.by(f.of_group(rows, *ASKED), lambda row: str(row["players"])),
        "preset": f.by(some, lambda row: str(row["game"])),
        "films": f.by(some, _kind),
        "frames a second": f.by(some, lambda row: str(row["fps"])),
        "px/mm": f.by(
            some,
            lambda row: f"{row['px_per_mm'] // 0.4 * 0.4:.1f} to {row['px_per_mm'] // 0.4 * 0.4 + 0.4:.1f}",
        ),
    }
    head = (
        "hands, refused",
        "plays right",
        "invented",
        "draws right",
        "scores",
        "false",
        "`undecided`",
        "doubts",
    )
    parts = [
        table((name, *head), [(f"{key}", *_cells(part)) for key, part in found.items()])
        for name, found in groups.items()
    ]
    return "## Hands\n\n" + "\n".join(parts)


def _cells(some: Sequence[Row]) -> Iterator[object]:
    hands = f.hands_of(some)
    yield f"{len(hands)}, {sum(bool(row['refused']) for row in some)}"
    yield f.right(some, "plays")
    yield sum(hand["plays"]["invented"] for hand in hands)
    yield f.right(some, "draws")
    yield f"{sum(hand['score_right'] for hand in hands)} of {len(hands)}"
    for name in ("false_illegal", "undecided", "doubts"):
        yield int(f.total(some, name))


def _infractions(rows: Sequence[Row]) -> str:
    kinds = list(f.by_kind(f.planted(rows)))
    if not kinds:
        return ""
    lines = [
        (kind, rule, hows.total(), *(hows[how] or "" for how in f.HOWS), late)
        for kind, rule, hows, late in kinds
    ]
    return (
        "## Infractions by kind\n\nFound: ruled `illegal` by its rule, of that seat and one of its cards, within a "
        "second. When they were told is known where the record until then was handed over, as in live play.\n\n"
        + table(("kind", "rule", "shown", *f.HOWS, "told after, s: median, most"), lines)
    )


def _ties(rows: Sequence[Row]) -> str:
    every = f.ties(rows)
    if not every:
        return ""
    keyed = f.by(every, lambda tie: f"{tie['fps']}, {1000 * tie['gap']:.0f} ms" + ", under" * tie["under"])
    lines = []
    for name, some in sorted(keyed.items(), key=lambda item: (item[1][0]["fps"], item[1][0]["gap"])):
        said = Counter(tie["said"] or "nothing" for tie in some)
        told = f.widths(some)
        lines.append(
            (
                name,
                len(some),
                sum(tie["plays"] == 2 for tie in some),
                sum(bool(tie["right"]) for tie in some),
                f.wrong_firsts(some) or "",
                *(said[what] or "" for what in ("both-stay", "too-close", "undecided", "nothing")),
                sum(tie["layered"] for tie in some),
                f"{median(told):.1f}" if told else "",
                f"{sum(tie['inside'] for tie in some)} of {len(told)}",
            )
        )
    head = (
        "frames a second, gap",
        "ties",
        "both plays told",
        "first right",
        "wrong",
        "both stay",
        "too close",
    )
    more = ("undecided", "nothing", "layering seen", "width, frames", "true moment inside")
    return (
        "## Ties\n\nUnder: the card that came later was pushed underneath, and nobody can say who was first but by "
        "time.\n\n" + table((*head, *more), lines)
    )


def _cost(rows: Sequence[Row]) -> str:
    some = f.of_group(rows, *HANDS)
    if not some:
        return ""
    lines = []
    for name, part in f.by(some, lambda row: f"{row['players']}, {row['fps']}").items():
        seconds = f.total(part, "seconds")
        lines.append(
            (
                name,
                f"{seconds:.0f}",
                f.a_unit(part, "looks", f.events(part)),
                _a_look(part),
                f.a_unit(part, "cpu_s", seconds, 2),
                f"{max(row['memory_mib'] for row in part):.0f}",
            )
        )
    head = (
        "players, frames a second",
        "film, s",
        "looks a play or draw",
        "CPU a look, ms" + (", and at a place alone" if _tells_wholes(some) else ""),
        "CPU a second of film, s",
    )
    return (
        "## What it costs\n\nProcessor time of the process that referees, the eye on one thread; machines may be shared. "
        "Asked: 4 looks, 20 ms, 0.6 s (two players, first pass) and 0.9 s (four), 900 MiB.\n\n"
        + table((*head, "memory at most, MiB"), lines)
    )


def _tells_wholes(rows: Sequence[Row]) -> bool:
    """Whether looks at whole tables, each of which takes as long as twenty at a place, were counted apart."""
    return all("whole_looks" in row for row in rows)


def _a_look(rows: Sequence[Row]) -> str:
    """Processor time of a look, ms; and of one at a place, where that is told."""
    looks, took = f.total(rows, "looks"), f.total(rows, "look_cpu_s")
    told = [(looks, took)]
    if _tells_wholes(rows):
        told.append((looks - f.total(rows, "whole_looks"), took - f.total(rows, "whole_cpu_s")))
    return ", ".join(f"{1000 * spent / max(count, 1):.0f}" for count, spent in told)


def _failures(rows: Sequence[Row]) -> str:
    refused = [f"* {row['name']}: {row['refused']}" for row in rows if row["refused"]]
    faults = [
        f"* {row['name']} ({row['players']} players, {row['fps']} frames a second): {_said(true)}; told: {_said(told)}"
        for row in rows
        if not row["refused"]
        for true, told in row["failures"]
    ]
    more = [f"* ... and {len(faults) - LISTED} more"] if len(faults) > LISTED else []
    listed = [*refused, *faults[:LISTED], *more]
    if not listed:
        return ""
    pictures = [
        f"![{row['name']}: {_said(pair[0])}; told: {_said(pair[1])}](umpire/{name})\n"
        for row, name, pair in shown(rows)
    ]
    told = "## Plays that are not right\n\n" + "\n".join(listed) + "\n"
    return told + (
        "\nSome of them, from 0.7 s before to 0.8 s after they landed:\n\n" + "\n".join(pictures)
    ) * bool(pictures)


def _said(line: Row | None) -> str:
    if line is None:
        return "nothing"
    return f"{line['at']:.2f} s {line['seat']} {' '.join(line['cards'])} {line['from']} → {line['to']}"
