"""Ties on film, one after the other: what was staged, what the referee made of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from datasets.decks import Split
from datasets.film.choreography import choreograph
from datasets.film.dressing import draw_decks
from datasets.film.film import film_hand, play_on
from datasets.film.setting import draw_setting
from datasets.play.plants import Tie
from referee.record.corrections import apply_corrections
from referee.rules.events import Event, Play, TakeBack, parse_event
from scripts.measure.staged.entered import Clip, followed, truth_of

Line = Mapping[str, Any]

#: Ties are staged in turn: s between the landings, and every fourth is pushed underneath.
GAPS = (0.0, 0.1, 0.2, 0.05, 0.3, 0.15, 0.4)
#: Not before this (s) of a hand; s filmed before and after; a rounded moment lies in an interval to so much (s).
AFTER, AROUND, ROUNDED_S = 8.0, 5.0, 0.002
#: From such a gap (s) on the moments alone tell the order, by frames a second.
CLEAR_S = {30: 0.2, 60: 0.1}
#: Seeds tried for one tie: not in every hand do two players come to have one card to play at once.
TRIES = 8


@dataclass(frozen=True, slots=True)
class Staged:
    """A tie to be filmed: everything hangs on the seed and the number."""

    seed: int
    number: int
    split: Split = "tune"

    @property
    def fps(self) -> int:
        """Every other film has 60 frames a second."""
        return 60 if self.number % 2 else 30

    @property
    def tie(self) -> Tie:
        """What is staged."""
        turn = self.number // 2
        return Tie(AFTER, GAPS[turn % len(GAPS)], back=turn % 2 == 0, under=self.number // 4 % 4 == 3)


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of one tie. `said`: first, both-stay, too-close, undecided, or nothing; `right` of a `first` alone."""

    number: int
    fps: int
    gap: float
    under: bool
    back: bool
    plays: int
    taken_back: bool
    said: str
    right: bool | None
    layered: bool
    #: Of the two true landings those that were told, those inside what was told, and its widths in frames.
    landings: int
    inside: int
    widths: tuple[float, ...]

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def is_clear(fps: int, gap: float, under: bool) -> bool:
    """Whether the moments of a tie lie apart enough for its frames; of a card pushed `under` they tell nothing."""
    return not under and gap >= CLEAR_S[fps] - 1e-9


def filmed(staged: Staged, folder: Path, around: float = AROUND) -> Clip:
    """Film a tie into `folder`, with `around` s before and after it, unless it is there already. Raises ValueError where
    no seed tried has one."""
    name = f"tie-{staged.number:03d}"
    for attempt in range(TRIES):
        seed = staged.seed * 100_000 + staged.number * TRIES + attempt
        decks = draw_decks(np.random.default_rng([seed, 3]), 2, (staged.split,))
        setting = draw_setting(seed, quick=True)
        try:
            table, hand = play_on(setting, decks, seed, ties=[staged.tie])
        except ValueError:
            continue
        made = folder / f"{name}.staged.json"
        if not made.exists():
            film_hand(
                seed,
                decks,
                folder,
                name=name,
                fps=staged.fps,
                ties=[staged.tie],
                setting=setting,
                around=around,
                truth_every=staged.fps,
            )
        film = choreograph(hand, table, np.random.default_rng([seed, 2]))
        since = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))["from_s"]
        truth = truth_of(folder / f"{name}.truth.jsonl")
        return Clip(folder / f"{name}.mp4", film, setting.camera, truth, staged.fps, since)
    raise ValueError(f"tie {staged.number}: no hand of {TRIES} has one; choose another seed")


def judged(staged: Staged, clip: Clip, eye: Any) -> Judged:
    """Referee a filmed tie and hold what is told against the truth."""
    before, lines = followed(clip, eye)
    return held_against(staged, clip.truth, [*before, *lines], clip.since)


def held_against(staged: Staged, truth: Sequence[Line], record: Sequence[Line], since: float) -> Judged:
    """The tie of a true record against a whole told one that goes on from `since` (s)."""
    tied = _tied([line for line in truth if line.get("at", 0.0) > since])
    told = [
        standing.event
        for standing in apply_corrections([dict(line) for line in record], _events(record)).events
    ]
    card, target = tied[0]["cards"], tied[0]["to"]
    alike = [e for e in told if isinstance(e, Play | TakeBack) and list(e.cards) == list(card)]
    plays = [e for e in alike if isinstance(e, Play) and e.target == target and e.at > since]
    rulings = [line for line in _standing(record) if line.get("ruling") == "tie" and line["at"] > since]
    verdict = rulings[-1]["verdict"] if rulings else ""
    first = _first(tied)
    found = [(line["at"], play.landed) for line in tied for play in plays if play.seat == line["seat"]]
    spans = [(at, landed) for at, landed in found if landed is not None]
    return Judged(
        number=staged.number,
        fps=staged.fps,
        gap=staged.tie.gap,
        under=staged.tie.under,
        back=staged.tie.back,
        plays=len(plays),
        taken_back=any(isinstance(e, TakeBack) and e.at > since for e in alike),
        said=verdict,
        right=rulings[-1].get("seat") == first if verdict == "first" else None,
        layered=any(play.over is not None for play in plays),
        landings=len(spans),
        inside=sum(a - ROUNDED_S <= at <= b + ROUNDED_S for at, (a, b) in spans),
        widths=tuple(round((b - a) * staged.fps, 1) for _, (a, b) in spans),
    )


def _first(tied: Sequence[Line]) -> str | None:
    """Whose card was first; of two that land in one moment, whose lies underneath (N13)."""
    if tied[0]["at"] < tied[1]["at"]:
        return str(tied[0]["seat"])
    below = [str(play["seat"]) for play in tied if play.get("over") is None]
    return below[0] if len(below) == 1 else None


def _events(record: Sequence[Line]) -> list[Event]:
    return [Event(), *(parse_event(dict(line)) for line in record[1:])]


def _standing(record: Sequence[Line]) -> Iterable[Line]:
    """The lines that were not withdrawn."""
    gone = {line["of"] for line in record if line.get("event") == "correct" and line.get("drop")}
    return (line for number, line in enumerate(record) if number not in gone)


def _tied(truth: Sequence[Line]) -> list[Line]:
    """The two plays of the same card to the same foundation, in order."""
    plays = [line for line in truth if line["event"] == "play" and line["to"].startswith("foundation")]
    for play in plays:
        same = [p for p in plays if (p["cards"], p["to"]) == (play["cards"], play["to"])]
        if len({p["seat"] for p in same}) > 1:
            return sorted(same[:2], key=lambda line: float(line["at"]))
    raise ValueError("no tie is in the truth")
