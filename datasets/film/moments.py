"""Single pictures of many filmed hands, each hand at its own table, in its own light, with its own sleeves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.decks.manifest import Split
from datasets.film.art import DeckArt
from datasets.film.choreography import choreograph
from datasets.film.dressing import draw_decks
from datasets.film.film import Studio, play_on
from datasets.film.sets import HandSet, Staging, draw_staging
from datasets.film.setting import Setting, draw_setting
from datasets.play.mishaps import TO_THE_ROOM

#: Frames a second that the camera would take: how long its shutter is open hangs on it.
FPS = 30
#: How often a table top is of `datasets.surfaces`; else it is felt, wood, cloth or plain, and the decks are worn.
BANKED = 0.7
#: How many sit at a table, and how often.
PLAYERS = {2: 0.4, 3: 0.15, 4: 0.25, 5: 0.1, 6: 0.1}
#: Hands that are dealt anew where something cannot be staged, before nothing is.
TRIES = 6


@dataclass(frozen=True, slots=True)
class Moment:
    """One picture, (H, W, 3) BGR, and what is true of it (`datasets.film.truth.frame_truth`)."""

    image: NDArray[np.uint8]
    truth: dict[str, Any]


def draw_moments(seed: int, number: int, split: Split, count: int) -> Iterator[Moment]:
    """`count` pictures of film `number`, the earliest first; same numbers, same pictures.

    Raises AssetError where art is missing, ValueError where no hand can be played.
    """
    last: ValueError | None = None
    for attempt in range(TRIES + 1):
        rng = np.random.default_rng([seed, 11, number, attempt])
        players = int(rng.choice(list(PLAYERS), p=list(PLAYERS.values())))
        surfaces = split if rng.random() < BANKED else None
        setting = draw_setting(int(rng.integers(2**31)), players=players, surfaces=surfaces)
        decks = draw_decks(rng, len(setting.styles), (split,))
        asked = HandSet(what="hands", pictures=1, seed=seed, players=players)
        staging = draw_staging(rng, asked) if attempt < TRIES else Staging()
        try:
            yield from moments_of(setting, decks, rng, count, staging)
            return
        except ValueError as error:
            last = error
    raise ValueError(f"film {number}: no hand could be played ({last})")


def moments_of(
    setting: Setting, decks: Sequence[DeckArt], rng: np.random.Generator, count: int, staging: Staging
) -> Iterator[Moment]:
    """`count` pictures spread over a hand that is played in a setting, one deck a seat."""
    table, hand = play_on(
        setting,
        decks,
        int(rng.integers(2**31)),
        plants=staging.plants,
        ties=staging.ties,
        mishaps=staging.mishaps,
    )
    room = [mishap for mishap in staging.mishaps if mishap.kind in TO_THE_ROOM]
    studio = Studio(choreograph(hand, table, rng), setting, decks, FPS, rng, room)
    for moment in (np.arange(count) + rng.random(count)) * hand.ends / count:
        studio.skip_to(float(moment))
        planes = studio.picture(float(moment))
        image = np.asarray(cv2.cvtColor(planes, cv2.COLOR_YUV2BGR_I420), dtype=np.uint8)
        yield Moment(image, studio.truth())
