"""Rows of hands: one as soon as its hand is refereed, so that a stopped run goes on where it was."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from scripts.building import BuildError
from scripts.here import ROOT, commit, processor
from scripts.measure.layouts.faults import Faults
from scripts.measure.layouts.hand import Umpired, Wanted
from scripts.measure.rows import Row, Rows, digest_of, files_of

#: What hands, what is seen of them and how it is counted hang on: no picture, no network.
MATTER = (
    "vision/*.py",
    *(f"vision/{room}/**/*.py" for room in ("capture", "geometry", "scene")),
    *(
        f"referee/{room}/**/*.{end}"
        for room in ("games", "live", "presets", "record", "rules", "umpire")
        for end in ("py", "toml", "json")
    ),
    "datasets/*.py",
    *(f"datasets/{room}/**/*.py" for room in ("film", "play")),
    *(
        f"scripts/measure/layouts/{name}.py"
        for name in ("eye", "faults", "hand", "moments", "scene", "tiles")
    ),
    "scripts/measure/planted.py",
    "scripts/measure/replays.py",
)
#: Of each play that is not right a row tells so much, and of so many plays.
TOLD, FAILURES = ("at", "seat", "cards", "from", "to", "confidence"), 40

#: Referees hands in order; what came of each, as soon as it is there.
Referees = Callable[[Sequence[Wanted]], Iterator[Umpired]]


def sources(root: Path = ROOT) -> str:
    """A digest of all that matters."""
    return digest_of(files_of(MATTER, root), root)


def key_of(wanted: Wanted, faults: Faults) -> str:
    """What names a hand and the eye that sees it."""
    told = json.dumps([asdict(wanted), faults.model_dump()], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()[:12]


def row_of(wanted: Wanted, hand: Umpired) -> dict[str, Any]:
    """All figures of a hand. `wanted`: what was asked for, which may have been played by another seed."""
    told = hand.to_json()
    faults = [[_short(true), _short(other)] for true, other in told.pop("faults")]
    about = {"preset": wanted.game, "house": dict(wanted.house), "asked_seed": wanted.seed}
    return {**about, **told, "cpu_s": round(hand.cpu_s, 1), "failures": faults[:FAILURES]}


def _short(line: Row | None) -> Row | None:
    return None if line is None else {name: line[name] for name in TOLD if name in line}


def kept(wanted: Sequence[Wanted], faults: Faults, rows: Rows, referees: Referees) -> list[Row]:
    """The rows of these hands, made where they are not there yet.

    Raises `BuildError` where the sources change meanwhile: what is measured then belongs to neither.
    """
    made_of = sources()
    keys = {key_of(one, faults): one for one in wanted}
    left = {key: one for key, one in keys.items() if not rows.has(made_of, key)}
    for (key, one), hand in zip(left.items(), referees([*left.values()]), strict=True):
        if sources() != made_of:
            raise BuildError("the sources have changed meanwhile: run it again from what they are now")
        row = {"sources": made_of, "hand": key, **row_of(one, hand)}
        rows.add({**row, "commit": commit(), "machine": processor()})
    return [row for row in rows.of(made_of) if row["hand"] in keys]
