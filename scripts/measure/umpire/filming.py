"""Makes one film of the plan, with the truth beside it."""

from __future__ import annotations

import json
import resource
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from datasets.evening.film import film_evening
from datasets.film.art import DeckArt
from datasets.film.choreography import Choreography, choreograph
from datasets.film.dressing import draw_decks
from datasets.film.film import film_hand, play_on
from datasets.film.setting import Setting, draw_setting
from datasets.play.mishaps import Mishap
from datasets.play.plants import Plant
from scripts.measure.evening.truth import TrueEvening
from scripts.measure.staged.entered import Clip, truth_of
from scripts.measure.staged.ties import Staged, filmed
from scripts.measure.umpire.plan import PLANT_AT_S, Film
from vision.capture.video import Video

Line = dict[str, Any]

#: Seeds tried for a film: not every one has a hand that can be played so.
TRIES = 12
#: From so many seconds on something is staged in a hand that is cut short; and in a hand that is not.
STAGED_AT_S = 8.0
#: Seconds filmed before and after a plant that is filmed alone, and played on after one that is filmed from the deal on,
#: which is to fall within so many.
AROUND_S, GOES_ON_S, PLANT_BY_S = 5.5, 6.0, 20.0
#: Films of ties show so much before and after.
TIE_AROUND_S = 3.5


@dataclass(frozen=True, slots=True)
class Made:
    """A film that was made: what it shows in truth."""

    film: Film
    video: Path
    #: The true record of every hand in it, in seconds of the film but for a clip, and of one that begins in mid-hand.
    truths: list[list[Line]]
    #: What was staged, as `datasets.film.staged` tells it.
    staged: list[Line]
    px_per_mm: float
    decks: list[str]
    #: Seconds of film, and of processor time that it took to make.
    seconds: float
    made_cpu_s: float
    #: Where a clip begins in its hand, with what happens in it.
    clip: Clip | None = None


class NotFilmedError(ValueError):
    """No seed that was tried has such a hand."""


def made(film: Film, folder: Path) -> Made:
    """Film it into `folder`. Raises `NotFilmedError` where no seed tried has such a hand."""
    cv2.setNumThreads(1)
    if film.tie is not None:
        return _tie(film, folder)
    if film.clip:
        return _clip(film, folder)
    if film.evening:
        return _evening(film, folder)
    return _hand(film, folder)


def _hand(film: Film, folder: Path) -> Made:
    for attempt in range(TRIES):
        seed = film.seed(attempt)
        setting, decks = _table(film, seed)
        at = PLANT_AT_S if film.group == "plants" else STAGED_AT_S
        plants = [Plant(kind, at + 8.0 * n) for n, kind in enumerate(film.plants)]
        stop = film.seconds
        asked: Line = {
            "game": film.game,
            "house": film.house,
            "latest": film.latest,
            "plants": plants,
            "mishaps": [Mishap(kind, STAGED_AT_S + 5.0 * n) for n, kind in enumerate(film.mishaps)],
        }
        try:
            _, hand = play_on(setting, decks, seed, **asked)
        except ValueError:
            continue
        if plants:
            planted = [hand.shows_at(deed) for deed in hand.deeds if deed.planted]
            last = max(planted, default=0.0)
            soon = PLANT_BY_S if stop is None or film.group == "plants" else stop - GOES_ON_S
            if last > soon and attempt < TRIES - 1:
                continue
            stop = last + GOES_ON_S if film.group == "plants" else stop
        asked["plant"] = asked.pop("plants")
        film_hand(
            seed,
            decks,
            folder,
            name="film",
            fps=film.fps,
            setting=setting,
            stop=stop,
            since=film.since,
            **asked,
        )
        return _told(film, folder, [truth_of(folder / "film.truth.jsonl")], setting, decks)
    raise NotFilmedError(f"{film.name}: none of {TRIES} seeds has such a hand")


def _table(film: Film, seed: int) -> tuple[Setting, list[DeckArt]]:
    """Who sits where, and the decks; table tops are of the split, too, where it has any."""
    setting = draw_setting(seed, players=film.players, quick=film.quick, game=film.game, house=film.house)
    if film.split == "figures":
        setting = replace(setting, look=replace(setting.look, surface="figures"))
    # of partners none holds the stock: whose other arm that were a table of theirs does not know
    partners = any(player.partner_of for player in setting.players)
    if film.in_hand or partners:
        held = not partners
        setting = replace(
            setting, styles={seat: replace(s, stock_in_hand=held) for seat, s in setting.styles.items()}
        )
    decks = draw_decks(np.random.default_rng([seed, 3]), len(setting.styles), (film.split,))
    return setting, decks


def _told(
    film: Film,
    folder: Path,
    truths: list[list[Line]],
    setting: Setting,
    decks: Sequence[DeckArt],
    **more: Any,
) -> Made:
    staged = folder / "film.staged.json"
    return Made(
        film=film,
        video=folder / "film.mp4",
        truths=truths,
        staged=json.loads(staged.read_text(encoding="utf-8")) if staged.exists() else [],
        px_per_mm=round(setting.camera.px_per_mm, 2),
        decks=[deck.name for deck in decks],
        seconds=seconds_of(folder / "film.mp4"),
        made_cpu_s=cpu_s(),
        **more,
    )


def seconds_of(video: Path) -> float:
    """How long it is."""
    with Video(video) as opened:
        return round(opened.duration_s, 2)


def cpu_s() -> float:
    """Processor time of this process until now, s."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return round(used.ru_utime + used.ru_stime, 1)


def _clip(film: Film, folder: Path) -> Made:
    """A plant and what is shortly before and after it."""
    (kind,) = film.plants
    plant = Plant(kind, PLANT_AT_S)
    for attempt in range(TRIES):
        seed = film.seed(attempt)
        setting, decks = _table(film, seed)
        try:
            table, hand = play_on(setting, decks, seed, plants=[plant])
        except ValueError:
            continue
        film_hand(
            seed, decks, folder, name="film", fps=film.fps, plant=[plant], setting=setting, around=AROUND_S
        )
        shown = choreograph(hand, table, np.random.default_rng([seed, 2]))
        return _entered(film, folder, shown, setting, decks)
    raise NotFilmedError(f"{film.name}: none of {TRIES} seeds has such a hand")


def _entered(
    film: Film, folder: Path, shown: Choreography, setting: Setting, decks: Sequence[DeckArt]
) -> Made:
    since = json.loads((folder / "film.json").read_text(encoding="utf-8"))["from_s"]
    truth = truth_of(folder / "film.truth.jsonl")
    clip = Clip(folder / "film.mp4", shown, setting.camera, truth, film.fps, since)
    return _told(film, folder, [truth], setting, decks, clip=clip)


def _tie(film: Film, folder: Path) -> Made:
    assert film.tie is not None
    try:
        clip = filmed(staged_of(film), folder, around=TIE_AROUND_S)
    except ValueError as why:
        raise NotFilmedError(f"{film.name}: {why}") from None
    return Made(
        film=film,
        video=clip.video,
        truths=[list(map(dict, clip.truth))],
        staged=[],
        px_per_mm=round(clip.camera.px_per_mm, 2),
        decks=[str(seat["deck"]) for seat in clip.truth[0]["seats"]],
        seconds=seconds_of(clip.video),
        made_cpu_s=cpu_s(),
        clip=clip,
    )


def staged_of(film: Film) -> Staged:
    """A tie as it is staged."""
    assert film.tie is not None
    return Staged(film.base, film.tie, film.split)


def _evening(film: Film, folder: Path) -> Made:
    for attempt in range(TRIES):
        seed = film.seed(attempt)
        setting, decks = _table(film, seed)
        try:
            film_evening(
                seed,
                decks,
                folder,
                setting,
                name="film",
                hands=film.evening,
                fps=film.fps,
                uncalled=0,
                nerts_cards=film.house.get("nerts_cards"),
                latest=film.latest,
            )
        except ValueError:
            continue
        truths = [hand.lines for hand in TrueEvening.of(folder / "film.mp4").hands]
        return _told(film, folder, truths, setting, decks)
    raise NotFilmedError(f"{film.name}: none of {TRIES} seeds has such an evening")
