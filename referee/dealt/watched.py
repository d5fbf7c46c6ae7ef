"""A film or a camera gone through: what was dealt there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from referee.errors import BadInputError
from vision.capture.video import Frame
from vision.dealt.beside import look_beside
from vision.dealt.designs import Designs
from vision.dealt.ending import Ending, look_back
from vision.dealt.landings import Landing
from vision.dealt.visits import Change
from vision.dealt.watching import Dealing
from vision.eye import Sees
from vision.layout import SeenCard

if TYPE_CHECKING:
    from vision.backs.deckfile import EnrolledDeck

#: Where the brightest tenth of the pictures is darker than this (of 255) cards have to stand out: of three in four their
#: own tones differ by so much, and by so many times the noise; and where no card is seen in what is darker than the last,
#: that is why.
DARK, TONES, NOISE_TIMES, DIM = 45.0, 30.0, 6.0, 60.0
#: px a mm at which the edges of single cards are told.
LEAST_SCALE = 1.0
#: A film of which more than this share shakes is not one of a fixed camera; and so many frames are looked at first.
SHAKES, FIRST = 0.15, 15
#: Told after so many seconds of the film.
EVERY_S = 0.5

#: Told (seconds of the film, cards that lie there).
Progress = Callable[[float, int], None]


@dataclass(frozen=True, slots=True)
class Dealt:
    """What landed, whose backs these are, and what is seen in the end."""

    landings: list[Landing]
    cards: list[SeenCard]
    ending: Ending
    ends_s: float
    #: Places that an arm changed though nothing was seen to land there.
    unseen: list[Change] = field(default_factory=list)


def watch_dealing(
    frames: Iterable[Frame],
    size: tuple[int, int],
    name: str,
    eye: Sees,
    *,
    decks: Sequence[EnrolledDeck] = (),
    on_progress: Progress | None = None,
) -> Dealt:
    """Goes through all frames, of (width, height) px, of what people call `name`.

    Raises BadInputError where nothing is dealt, and where it is too dark, too far away, or the camera moves.
    """
    dealing = Dealing(*size, eye)
    light: list[float] = []
    told_s = at = 0.0
    last = None
    for frame in frames:
        at, last = frame.time_s, frame.image
        if frame.index % FIRST == 0:
            light.append(float(np.percentile(frame.image[::8, ::8], 90)))
        dealing.push(at, frame.image)
        if on_progress is not None and at - told_s >= EVERY_S:
            told_s = at
            on_progress(at, len(dealing.lying))
    _check(dealing, light, name)
    ending = look_back(dealing, last)
    landings = dealing.landings
    held = {id(one) for one in ending.held}
    if all(id(one) in held for one in dealing.lying):
        raise BadInputError(_nothing(name))
    cards = _named(landings, ending, decks)
    unseen = dealing.unseen(ending.held)
    _look_beside(dealing, cards, ending)
    # where each card lies is known exactly by now
    return Dealt(landings, cards, look_back(dealing, last), at, unseen)


def _named(landings: Sequence[Landing], ending: Ending, decks: Sequence[EnrolledDeck]) -> list[SeenCard]:
    """A card each; what only was held, and was seen badly under fingers, tells nothing of whose the others are."""
    held = {id(one) for one in ending.held}
    named = iter(Designs(decks=decks).name([one for one in landings if id(one) not in held]))
    return [
        SeenCard(one.corners, "back", one.corners, 1.0, one.confidence) if id(one) in held else next(named)
        for one in landings
    ]


def _look_beside(dealing: Dealing, cards: Sequence[SeenCard], ending: Ending) -> None:
    """Whether each card landed alone, but for those that only were held."""
    scale = dealing.judge.px_per_mm
    assert scale is not None
    held = {id(one) for one in ending.held}
    labels = {id(one): card.back for one, card in zip(dealing.landings, cards, strict=True)}
    around = [one for one in dealing.alone.around if id(one.landing) not in held]
    look_beside(around, [labels[id(one.landing)] for one in around], dealing.canvas.scale, scale)


def _check(dealing: Dealing, light: Sequence[float], name: str) -> None:
    frames = dealing.canvas.frames
    if not frames:
        raise BadInputError(f"{name} shows nothing: film the dealing again")
    if dealing.shaken > max(SHAKES * frames, 3):
        raise BadInputError(
            f"in {name} the camera moves: put it on a stand above the table, and deal under it"
        )
    scale = dealing.judge.px_per_mm
    if is_too_dark(float(np.median(light)), dealing.landings, dealing.canvas.noise):
        raise BadInputError(f"{name} is too dark to tell cards apart: switch on more light")
    if not dealing.landings or scale is None:
        raise BadInputError(_nothing(name))
    if scale < LEAST_SCALE:
        raise BadInputError(
            f"in {name} the cards are too far away ({scale:.1f} px a mm, {LEAST_SCALE:g} are needed): "
            "put the camera closer, or film larger"
        )


def is_too_dark(light: float, landings: Sequence[Landing], noise: float) -> bool:
    """Do cards not stand out, for want of light? A dark table alone is no reason.

    `light`: the tone of the brightest tenth of the pictures; `noise`: the usual step between two of them (both of 255).
    """
    if not landings:
        return light < DIM
    shades = [one.crop.max(axis=2)[one.seen > 0] for one in landings]
    tones = [float(np.subtract(*np.percentile(some, (95, 5)))) if some.size else 0.0 for some in shades]
    return light < DARK and float(np.quantile(tones, 0.25)) < max(TONES, NOISE_TIMES * noise)


def _nothing(name: str) -> str:
    return (
        f"in {name} no card is dealt: begin with the empty table, lay the cards down one by one backs up, and take your "
        "hands away in the end"
    )
