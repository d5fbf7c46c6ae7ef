"""Rows of films of dealing, and the table that the page shows of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scripts.here import ROOT
from scripts.intervals import clustered
from scripts.measure.rows import Row, digest_of, files_of

Json = dict[str, Any]
#: What is filmed, seen and counted hangs on these.
MATTER = (
    "vision/*.py",
    *(
        f"vision/{room}/**/*.py"
        for room in ("backs", "capture", "dealt", "detect", "faces", "geometry", "rows", "scene")
    ),
    "models/*.onnx",
    "referee/dealt/*.py",
    "datasets/dealt/*.py",
    "scripts/measure/dealt/judging.py",
)
#: Between these two lines of the page stands what is measured.
BEGINS, ENDS = "<!-- figures -->", "<!-- end of figures -->"


def sources(root: Path = ROOT) -> str:
    """A digest of all that figures hang on."""
    return digest_of(files_of(MATTER, root), root)


def told(results: Sequence[Row]) -> str:
    """For people at a terminal: film by film, by the way of dealing, and with answers."""
    lines = []
    for result in results:
        decks = ", ".join(_deck(deck) for deck in result["decks"])
        lines.append(f"{result['film']} {result['way']}: {decks}")
    for way in (None, *sorted({result["way"] for result in results})):
        some = [result for result in results if way in (None, result["way"])]
        lines.append(
            f"{way or 'all'}: " + ", ".join(f"{name} {share}" for name, share in _shares(some, "decks"))
        )
    some_shares = _shares(results, "answered")
    asks = sum(result["questions"] for result in results) / len(results)
    lines.append(
        f"when {asks:.1f} questions a film are answered: "
        + ", ".join(f"{name} {share}" for name, share in some_shares)
    )
    cost = _cost(results)
    if cost is not None:
        lines.append(f"process seconds for a second of film: {cost:.2f}")
    return "\n".join(lines)


def table(rows: Sequence[Row]) -> str:
    """Markdown: shares with their intervals, films being clusters of decks."""
    cards = [sum(deck["cards"] for deck in row["decks"]) for row in rows]
    ways = ", ".join(
        f"{sum(row['way'] == way for row in rows)} {way}" for way in sorted({row["way"] for row in rows})
    )
    commits = ", ".join(sorted({str(row["commit"]) for row in rows}))
    asks = sum(row["questions"] for row in rows) / len(rows)
    seeds = sorted(int(row["film"]) for row in rows)
    lines = [
        f"{len(rows)} films of decks and tops of `figures` that nobody had looked at (seeds {seeds[0]} to {seeds[-1]}, "
        f"{_range(cards)} cards; {ways}), at {commits}; asked are 0.85 certified, 0.99 of these exact:",
        "",
        "| | " + " | ".join(name for name, _ in _shares(rows, "decks")) + " |",
        "| --- " * 4 + "|",
        "| as told | " + " | ".join(share for _, share in _shares(rows, "decks")) + " |",
        f"| with {asks:.1f} questions a film (5 at most) answered truly | "
        + " | ".join(share for _, share in _shares(rows, "answered"))
        + " |",
    ]
    cost = _cost(rows)
    if cost is not None:
        lines += ["", f"{cost:.1f} process seconds of one core for a second of film, on a busy machine."]
    return "\n".join(lines)


def _range(cards: Sequence[int]) -> str:
    low, high = min(cards), max(cards)
    return f"{low} to {high}" if low < high else f"{low}"


def put_in(page: str, made: str) -> str:
    """A page with this between its two lines; raises ValueError where it has none."""
    before, first, rest = page.partition(BEGINS)
    _, second, after = rest.partition(ENDS)
    if not first or not second:
        raise ValueError(f"the page has no lines {BEGINS} and {ENDS} to put figures between")
    return f"{before}{BEGINS}\n{made}\n{ENDS}{after}"


def _cost(rows: Sequence[Row]) -> float | None:
    costs = [row["cpu"] / row["lasts"] for row in rows if row.get("lasts")]
    return sum(costs) / len(costs) if costs else None


def _deck(deck: Mapping[str, Any]) -> str:
    """How many cards it has, what is told where that is wrong, and a question mark where it is not certified."""
    wrong = "" if deck["exact"] else "≠" + ("+".join(map(str, deck["told"])) or "none")
    return f"{deck['cards']}{wrong}{'' if deck['sure'] else '?'}"


def _shares(rows: Sequence[Row], which: str) -> list[tuple[str, str]]:
    """What is told of the decks, and the share of these with its interval."""
    films: list[list[Json]] = [row[which] for row in rows]
    sure = [[deck for deck in decks if deck["sure"]] for decks in films]
    asked = (
        ("certified", films, sure),
        ("exact of these", sure, [[deck for deck in decks if deck["exact"]] for decks in sure]),
        ("exact of all", films, [[deck for deck in decks if deck["exact"]] for decks in films]),
    )
    found = []
    for name, of, yes in asked:
        wholes, parts = [float(len(decks)) for decks in of], [float(len(decks)) for decks in yes]
        if not sum(wholes):
            found.append((name, "none"))
            continue
        low, high = clustered(parts, wholes)
        share = sum(parts) / sum(wholes)
        found.append((name, f"{share:.3f} [{low:.2f}, {high:.2f}], {sum(parts):.0f} of {sum(wholes):.0f}"))
    return found
