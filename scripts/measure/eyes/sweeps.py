"""Counts of films swept over spreads, beside those of the best single frame of each."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from tqdm import tqdm

from datasets.decks import Split
from datasets.film.swept import film_sweep
from datasets.photos.lays import draw_lay
from datasets.sets import PLAYERS, decks_of, room_of
from datasets.truth import CardTruth
from referee.photos.score import PhotoScore
from referee.photos.scoring import score_photos
from scripts.measure.eyes.shares import Share, share
from vision.capture.video import Video
from vision.eye import Sees
from vision.layout import Layout
from vision.photos.sweep import detail, sharpest_frames

#: The number of sweeps in the seeds of their pictures, beside those of `datasets/sets.py`; cards of a spread.
NUMBER, CARDS = 12, (12, 60)


@dataclass(frozen=True, slots=True)
class SweepRecord:
    """One film: is every count sure, and exact, by its sharpest frame alone and by the frames that are taken."""

    frame: tuple[bool, bool]
    sweep: tuple[bool, bool]
    frames: int


@dataclass(slots=True)
class Sweeps:
    """All films that were measured."""

    records: list[SweepRecord] = field(default_factory=list)

    def rows(self) -> list[tuple[str, str, object]]:
        """For the report: point, asked, measured."""
        records = self.records
        sure = [r.sweep for r in records if r.sweep[0]] + [r.frame for r in records if r.frame[0]]
        return [
            ("films swept over spreads: certified", "frame + 0.15", share(records, lambda r: r.sweep[0])),
            ("... by the sharpest frame alone", "", share(records, lambda r: r.frame[0])),
            ("... exact: swept", "", share(records, lambda r: r.sweep[1])),
            ("... by the sharpest frame alone", "", share(records, lambda r: r.frame[1])),
            (
                "... exact among certified",
                ">= 0.98",
                Share(sum(exact for _, exact in sure), len(sure)),
            ),
        ]


def measure_sweeps(eye: Sees, split: Split, seed: int, number: int) -> Sweeps:
    """`number` films of spreads drawn with decks of a split."""
    room, sweeps = room_of(split, 0.0, ()), Sweeps()
    for i in tqdm(range(number), desc="sweeps"):
        rng = np.random.default_rng([seed, NUMBER, i])
        with TemporaryDirectory() as folder:
            sweep = None
            while sweep is None:
                lay, _ = draw_lay(rng, decks_of(room, rng, 2, PLAYERS), room.surface, CARDS)
                sweep = film_sweep(rng, lay, Path(folder) / "sweep.mp4")
            frames = sharpest_frames(partial(Video, str(sweep.path)), sweep.path.name)
        layouts = [eye.see(frame.image) for frame in frames]
        best = layouts[int(np.argmax([detail(frame.image) for frame in frames]))]
        sweeps.records.append(
            SweepRecord(_told([best], sweep.cards), _told(layouts, sweep.cards), len(layouts))
        )
    return sweeps


def _told(layouts: list[Layout], cards: list[CardTruth]) -> tuple[bool, bool]:
    """Whether every count is sure, and exact."""
    score = score_photos(layouts, together=True if len(layouts) > 1 else None)
    sure = bool(score.decks) and all(deck.state == "sure" for deck in score.decks)
    return sure, exact(score, cards)


def exact(score: PhotoScore, cards: list[CardTruth]) -> bool:
    """Are there as many cards of each deck, and no other decks? Which deck is which does not show in a frame's px."""
    brought = np.unique([card.deck for card in cards], return_counts=True)[1]
    return sorted(deck.centre for deck in score.decks) == sorted(int(count) for count in brought)
