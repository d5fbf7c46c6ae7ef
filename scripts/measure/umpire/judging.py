"""Holds what was told of a film against its truth: one row of figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import zip_longest
from math import inf
from typing import Any

from scripts.measure.planted import Flag, flag_of
from scripts.measure.replays import ReplayFigures, adjudicated, score_replay
from scripts.measure.staged.ties import held_against
from scripts.measure.umpire.filming import Made, staged_of
from scripts.measure.umpire.refereed import Refereed

Line = Mapping[str, Any]
Row = dict[str, Any]

#: Plays that are not right of which a row tells all.
FAILURES = 12
#: A recording that begins in mid-hand is to be followed within so many seconds.
TAKES_UP_S = 3.0
#: Infractions that show in fewer frames than this cannot be asked for.
SHOWN_FRAMES = 5


def row_of(made: Made, found: Refereed) -> Row:
    """All figures of a film, as plain data."""
    film = made.film
    about = {
        "film": film.key,
        "name": film.name,
        "group": film.group,
        "seed": film.base,
        "split": film.split,
        "players": film.players,
        "game": film.game,
        "house": dict(film.house),
        "fps": film.fps,
        "px_per_mm": made.px_per_mm,
        "decks": made.decks,
        "mishaps": list(film.mishaps),
        "seconds": made.seconds,
        "made_cpu_s": made.made_cpu_s,
        "refused": found.refused,
    }
    # what was given up in the middle was not refereed
    records = [] if found.refused else found.records
    hands = [] if made.clip else _hands(made, records)
    lines = [line for record in records for line in record]
    standing = [adjudicated(record) for record in records]
    cost = {
        "looks": found.looks,
        "look_cpu_s": found.look_cpu_s,
        "whole_looks": found.whole_looks,
        "whole_cpu_s": found.whole_cpu_s,
        "cpu_s": found.cpu_s,
        "memory_mib": found.memory_mib,
    }
    told = {
        "hands": [_of_hand(figures) for figures in hands],
        "false_illegal": sum(f.false_illegal for f in hands) if made.clip is None else _false(made, records),
        "withdrawn_illegal": sum(map(_withdrawn, records)),
        "undecided": sum(line.get("verdict") == "undecided" for record in standing for line in record),
        "doubts": _doubts(lines),
        "lost": sum(line.get("state") == "lost" for line in lines),
    }
    planted = [_told(flag, entry) for flag, entry in _flags(made, found, records)]
    return {
        **about,
        **told,
        "planted": planted,
        "tie": _tie(made, records),
        **cost,
        "failures": _faults(hands),
    }


# -- hands -------------------------------------------------------------------------------------------------


def _hands(made: Made, records: Sequence[Sequence[Line]]) -> list[ReplayFigures]:
    """The figures of each hand; a record that no true hand belongs to is all invented."""
    since = made.film.since
    figures = []
    none: Sequence[Line] = []
    for truth, record in zip_longest(made.truths, records, fillvalue=none):
        told = [shifted(line, since) for line in record]
        begun = (line["at"] for line in told if line.get("event") == "begun")
        asked_since = min(next(begun, inf), since + TAKES_UP_S) if since else 0.0
        figures.append(score_replay(told, truth, asked_since))
    return figures


def shifted(line: Line, by: float) -> Line:
    """A line of a film that begins in mid-hand with its moments in seconds of the hand."""
    if not by:
        return line
    moved = dict(line)
    for name in ("at", "since", "until"):
        if name in moved:
            moved[name] = round(moved[name] + by, 3)
    for name in ("lifted", "landed"):
        if moved.get(name) is not None:
            moved[name] = [round(moment + by, 3) for moment in moved[name]]
    if "with" in moved:
        moved["with"] = shifted(moved["with"], by)
    if "insert" in moved:
        moved["insert"] = [shifted(one, by) for one in moved["insert"]]
    return moved


def _of_hand(figures: ReplayFigures) -> Row:
    return {
        "plays": asdict(figures.plays),
        "draws": asdict(figures.draws),
        "score_right": bool(figures.score_equal),
        "false_illegal": figures.false_illegal,
    }


def _faults(hands: Iterable[ReplayFigures]) -> list[list[Line | None]]:
    """The first plays that are not right: (true, told)."""
    pairs = [(true, told) for hand in hands for true, told in hand.faults]
    return [[_short(true), _short(told)] for true, told in pairs[:FAILURES]]


def _short(line: Line | None) -> Line | None:
    kept = ("at", "seat", "cards", "from", "to", "confidence")
    return None if line is None else {name: line[name] for name in kept if name in line}


# -- what was flagged --------------------------------------------------------------------------------------


def _false(made: Made, records: Sequence[Sequence[Line]]) -> int:
    """False `illegal` of a clip: of what is told before it nothing is false."""
    return sum(score_replay(record, made.truths[0]).false_illegal for record in records)


def _withdrawn(record: Sequence[Line]) -> int:
    gone = {line["of"] for line in record if line.get("event") == "correct" and line.get("drop")}
    return sum(line.get("verdict") == "illegal" and number in gone for number, line in enumerate(record))


def _doubts(lines: Iterable[Line]) -> int:
    return sum(line.get("event") == "doubt" for line in lines)


def _flags(
    made: Made, found: Refereed, records: Sequence[Sequence[Line]]
) -> Iterable[tuple[Flag, Mapping[str, Any]]]:
    """What came of each infraction that was staged and that the camera can have seen."""
    entries = [entry for entry in made.staged if entry["rule"] is not None and entry["of"] is not None]
    record: Sequence[Line] = records[0] if records else []
    told = [shifted(line, made.film.since) for line in adjudicated(record)] if record else []
    for entry in entries:
        if not entry["cards"] or entry["shown"] >= SHOWN_FRAMES:
            true = made.truths[0][entry["of"]]
            yield flag_of(entry["kind"], entry["rule"], true, told, record, found.written), entry


def _told(flag: Flag, entry: Mapping[str, Any]) -> Row:
    return {**asdict(flag), "shown": entry["shown"]}


def _tie(made: Made, records: Sequence[Sequence[Line]]) -> Row | None:
    if made.film.tie is None or made.clip is None:
        return None
    staged, clip = staged_of(made.film), made.clip
    record = records[0] if records else [line for line in clip.truth if line.get("at", 0.0) <= clip.since]
    return held_against(staged, clip.truth, record, clip.since).to_json()
