"""One call films a dealing and says what was true of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from datasets.dealt.plan import Plan, Way, draw_counts, draw_habits, plan_dealing, table_for
from datasets.files import put
from datasets.film.art import DeckArt
from datasets.film.film import Studio
from datasets.film.setting import Setting, draw_setting, scaled
from datasets.film.video import VideoWriter

#: Scales at the middle of the table, px a mm, at a width of 1920 px: a webcam above the table, or a phone on a stand.
SCALES = (1.8, 2.8)
#: Where the dealer sits in the picture, and how often.
SIDES, OFTEN = ("south", "north", "west", "east"), (0.5, 0.26, 0.12, 0.12)


@dataclass(frozen=True, slots=True)
class FilmedDealing:
    """The files of a filmed dealing."""

    video: Path
    #: Counts by owner, the decks' names, and every movement with its moment (s).
    truth: Path
    plan: Plan


def film_dealing(
    seed: int,
    decks: Sequence[DeckArt],
    out_dir: Path,
    *,
    name: str = "dealing",
    fps: int = 30,
    way: Way | None = None,
    cards: int | None = None,
    size: tuple[int, int] = (1920, 1080),
    surfaces: str | None = None,
    until: float | None = None,
    misdeals: tuple[int, int] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> FilmedDealing:
    """Films a stack of cards of these decks (2 to 4) dealt out; same seed, same film.

    `cards`: how many in all; drawn if not given. `surfaces`: see `draw_setting`. `until`: seconds after which the camera
    stops. `misdeals`: so many times two at once, so many cards taken back; drawn if not given. Raises ValueError where
    they have no room.
    """
    rng = np.random.default_rng([seed, 31])
    setting = _setting(seed, rng, size, surfaces)
    dealer = str(rng.choice(SIDES, p=OFTEN))
    table = table_for(*setting.camera.room(), decks, dealer, left=bool(rng.random() < 0.15))
    habits = draw_habits(rng, way)
    if misdeals is not None:
        habits = replace(habits, twos=misdeals[0], backs=misdeals[1])
    plan = plan_dealing(table, dealer, habits, draw_counts(rng, len(decks), cards), rng)
    studio = Studio(plan.film, setting, decks, fps, rng)
    out_dir.mkdir(parents=True, exist_ok=True)
    made = FilmedDealing(out_dir / f"{name}.mp4", out_dir / f"{name}.truth.json", plan)
    camera, look = setting.camera, setting.look
    frames = round(min(until or plan.ends, plan.ends) * fps)
    with VideoWriter(made.video, camera.width, camera.height, fps, crf=look.crf) as video:
        for index in range(frames):
            video.write(studio.picture(index / fps))
            if progress is not None:
                progress(index + 1, frames)
    names = {owner: deck.name for owner, deck in zip(table.styles, decks, strict=True)}
    told = {"seed": seed, "fps": fps, "px_per_mm": camera.px_per_mm, "decks": names} | plan.to_json()
    put(made.truth, json.dumps(told, indent=1) + "\n")
    return made


def _setting(seed: int, rng: np.random.Generator, size: tuple[int, int], surfaces: str | None) -> Setting:
    """Camera and light; the players of the setting do not matter."""
    setting = draw_setting(seed, px_per_mm=float(rng.uniform(*SCALES)), surfaces=surfaces)
    setting = replace(setting, bent={}, worn={})
    return scaled(setting, *size)
