"""Named sets of filmed hands: what a manifest may ask for, and how one hand of a set is filmed.

Hand N of a set depends on nothing but the set's table in `manifests/sets.toml` and N.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from datasets.decks.manifest import Split
from datasets.film.dressing import committable_decks, draw_decks
from datasets.film.film import FPS, FilmedHand, film_hand
from datasets.film.setting import SEATS, draw_setting
from datasets.play.deeds import Game
from datasets.play.mishaps import BY_PLAYERS, TO_THE_ROOM, Mishap
from datasets.play.plants import OF_A_GAME, PLANTS, Plant, Tie

#: Seconds between two staged things, and into the hand before the first.
APART, FROM = 10.0, 8.0
#: What is staged: of so many things one is a tie, one a mishap, the others are infractions.
A_TIE, A_MISHAP = 0.2, 0.3


class HandSet(BaseModel):
    """One named set of filmed hands."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    what: Literal["hands"]
    #: How many hands.
    pictures: int = Field(ge=1)
    seed: int = Field(ge=0)
    split: Split = "train"
    game: Game = "nerts"
    players: int = Field(default=2, ge=min(SEATS), le=max(SEATS))
    fps: int = Field(default=30, ge=FPS[0], le=FPS[1])
    #: Things staged in a hand, at most; how many there are is drawn for every hand.
    staged: int = Field(default=2, ge=0, le=6)
    #: Only decks that may be kept in the project.
    committable: bool = False
    #: Seconds after which the camera stops; to the end of the hand if not given.
    until: float | None = Field(default=None, gt=0)
    #: Seconds in which a hand must be called.
    latest: float = Field(default=200.0, gt=10)


@dataclass(slots=True)
class Staging:
    """What is to happen in one hand."""

    plants: list[Plant] = field(default_factory=list)
    ties: list[Tie] = field(default_factory=list)
    mishaps: list[Mishap] = field(default_factory=list)


def draw_staging(rng: np.random.Generator, wanted: HandSet) -> Staging:
    """Up to `wanted.staged` infractions, ties and mishaps, one after the other."""
    staging = Staging()
    kinds = [
        kind for kind in PLANTS if OF_A_GAME.get(kind, wanted.game) == wanted.game and kind != "tie-left"
    ]
    ends = wanted.until or 60.0
    mishaps = [kind for kind in (*BY_PLAYERS, *TO_THE_ROOM) if kind != "slide" or wanted.game == "nerts"]
    for moment in _moments(int(rng.integers(0, wanted.staged + 1)), ends):
        chance = rng.random()
        if chance < A_TIE:
            gap = float(rng.uniform(0, 0.2))
            staging.ties.append(Tie(moment, gap, bool(rng.random() < 0.7), bool(rng.random() < 0.4)))
        elif chance < A_TIE + A_MISHAP:
            staging.mishaps.append(Mishap(str(rng.choice(mishaps)), moment))
        else:
            staging.plants.append(Plant(str(rng.choice(kinds)), moment))
    return staging


def _moments(count: int, ends: float) -> Iterator[float]:
    return (moment for number in range(count) if (moment := FROM + APART * number) < ends - 2)


def film_of(wanted: HandSet, number: int, out: Path) -> FilmedHand:
    """Films hand `number` of a set into `out`; raises AssetError where art is missing.

    A hand in which something cannot be staged is dealt anew; where nothing helps, less is staged.
    """
    last: ValueError | None = None
    for attempt in range(8):
        rng = np.random.default_rng([wanted.seed, 9, number, attempt])
        staging = draw_staging(rng, wanted) if attempt < 6 else Staging()
        own = int(rng.integers(2**31))
        setting = draw_setting(own, players=wanted.players, game=wanted.game)
        count = len(setting.styles)
        decks = (
            committable_decks(rng, count) if wanted.committable else draw_decks(rng, count, (wanted.split,))
        )
        try:
            return film_hand(
                own,
                decks,
                out,
                name=f"{number:05d}",
                fps=wanted.fps,
                game=wanted.game,
                plant=staging.plants,
                ties=staging.ties,
                mishaps=staging.mishaps,
                setting=setting,
                latest=wanted.latest,
                until=wanted.until,
            )
        except ValueError as error:
            last = error
    raise ValueError(f"hand {number} of the set could not be played: {last}")
