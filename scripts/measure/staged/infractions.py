"""Infractions on film, one after the other: what was planted, what the referee made of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from datasets.decks import Split
from datasets.film.choreography import choreograph
from datasets.film.dressing import draw_decks
from datasets.film.film import film_hand, play_on
from datasets.film.record import planted
from datasets.film.setting import draw_setting
from datasets.play.plants import OF_A_GAME, PLANTS, Plant
from scripts.measure.planted import Flag, flag_of
from scripts.measure.replays import adjudicated, score_replay
from scripts.measure.staged.entered import Clip, entered, truth_of, watched

Line = Mapping[str, Any]

#: Not before this (s) of a hand; s filmed before and after; frames a second.
AFTER, AROUND, FPS = 8.0, 5.0, 30
#: Seeds tried for one infraction: not every hand has a chance for it; the one that comes soonest is filmed.
TRIES = 6
#: What can be asked of a clip of plain Nerts that begins in mid-hand.
KINDS = tuple(kind for kind in PLANTS if kind not in OF_A_GAME and kind not in ("tie-left", "wrong-deal"))


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of one planted infraction, and of the clean plays around it."""

    flag: Flag
    plays: int
    right: int
    false_illegal: int
    undecided: int

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def filmed(kind: str, seed: int, split: Split, folder: Path) -> tuple[Clip, Line, tuple[str, float] | None]:
    """Film an infraction into `folder`, unless it is there already: the clip, what was planted, who called and when (s).

    Raises ValueError where no seed tried has one.
    """
    plants = [Plant(kind, AFTER)]
    found = []
    for attempt in range(TRIES):
        number = int(np.random.SeedSequence([seed, KINDS.index(kind), attempt]).generate_state(1)[0])
        decks = draw_decks(np.random.default_rng([number, 3]), 2, (split,))
        setting = draw_setting(number, quick=True)
        try:
            table, hand = play_on(setting, decks, number, plants=plants)
        except ValueError:
            continue
        found.append((max(d.landed for d in hand.deeds if d.planted), number, decks, setting, table, hand))
    if not found:
        raise ValueError(f"{kind}: no hand of {TRIES} has one; choose another seed")
    _, number, decks, setting, table, hand = min(found, key=lambda one: one[0])
    if not (folder / f"{kind}.staged.json").exists():
        film_hand(
            number,
            decks,
            folder,
            name=kind,
            fps=FPS,
            plant=plants,
            setting=setting,
            around=AROUND,
            truth_every=FPS,
        )
    film = choreograph(hand, table, np.random.default_rng([number, 2]))
    since = json.loads((folder / f"{kind}.json").read_text(encoding="utf-8"))["from_s"]
    truth = truth_of(folder / f"{kind}.truth.jsonl")
    calls = [deed for deed in hand.deeds if deed.kind == "call"]
    call = next(((d.seat, d.landed) for d in calls if since < d.landed < since + 2 * AROUND + 2), None)
    (plant,) = planted(hand)
    return Clip(folder / f"{kind}.mp4", film, setting.camera, truth, FPS, since), plant, call


def judged(clip: Clip, plant: Line, call: tuple[str, float] | None, eye: Any) -> Judged:
    """Referee a filmed infraction and hold what is told against the truth."""
    referee = entered(clip, eye, call)
    assert referee.book is not None
    written, last = [clip.since] * len(referee.book.lines), clip.since
    for now in watched(clip, referee):
        last = now
        written += [now] * (len(referee.book.lines) - len(written))
    told = [dict(line) for line in referee.book.lines]
    standing = adjudicated(told)
    true = clip.truth[int(plant["of"])]
    flag = flag_of(str(plant["kind"]), str(plant["rule"]), true, standing, told, written)
    shown = [line for line in clip.truth if line.get("at", 0.0) <= last - 0.5]
    figures = score_replay(told, shown, clip.since)
    undecided = sum(line.get("verdict") == "undecided" for line in standing)
    return Judged(flag, figures.plays.true, figures.plays.right, figures.false_illegal, undecided)


def as_table(found: Sequence[Judged]) -> Table:
    """What came of each kind."""
    table = Table("infraction", "rule", "what came of it", "told after, s", "plays right", "false")
    for one in found:
        flag = one.flag
        after = "-" if flag.after_s is None else f"{flag.after_s:.1f}"
        table.add_row(
            flag.kind, flag.rule, flag.how, after, f"{one.right} of {one.plays}", str(one.false_illegal)
        )
    return table
