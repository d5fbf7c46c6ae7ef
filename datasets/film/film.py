"""One call films one hand of Nerts: the video, its record and the truth about every chosen frame."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from datasets.film.art import DeckArt, Textures
from datasets.film.camera import Camera
from datasets.film.choreography import Choreography, Motion, choreograph
from datasets.film.compositor import Compositor, Group
from datasets.film.hands import Arm, arms_for
from datasets.film.look import Look
from datasets.film.record import record_of, table_facts
from datasets.film.sensor import Sensor
from datasets.film.table import Style, lay_out
from datasets.film.truth import frame_truth
from datasets.film.video import VideoWriter
from datasets.players import Plant, PlayedHand, Player, find_hand

SEATS = {
    2: (("west", "east"), ("north", "south")),
    3: (("north", "south", "west"),),
    4: (("north", "south", "west", "east"),),
}


@dataclass(frozen=True, slots=True)
class FilmedHand:
    """The files of one filmed hand."""

    video: Path
    record: Path
    #: Table facts that a program may read.
    facts: Path
    #: Truth of every chosen frame, JSON Lines.
    frames: Path
    hand: PlayedHand


@dataclass(frozen=True)
class Setting:
    """Everything that is drawn from a seed before the first card is moved."""

    camera: Camera
    look: Look
    styles: dict[str, Style]
    players: tuple[Player, ...]
    #: Layout of a seat's piles, see `lay_out`.
    order: str = "auto"


def draw_setting(
    seed: int,
    *,
    players: int = 2,
    px_per_mm: float | None = None,
    quick: bool = False,
    surfaces: str | None = None,
) -> Setting:
    """A table, camera, light and players drawn from a seed.

    `surfaces`: the split of `datasets.surfaces` that the table top is taken from; plain own kinds without.
    """
    rng = np.random.default_rng([seed, 1])
    scale = px_per_mm or float(rng.uniform(1.6, 2.3) if players == 2 else 1.6)
    sides = SEATS[players]
    seats = sides[int(rng.integers(len(sides)))] if scale < 1.9 else sides[0]
    camera = Camera(
        px_per_mm=scale,
        view=float(rng.uniform(48, 72)),
        tilt=float(rng.uniform(0, 12)) if players == 2 else float(rng.uniform(0, 4)),
        towards=float(rng.uniform(0, 360)),
        roll=float(rng.normal(0, 1.2)),
        k1=float(rng.uniform(-0.04, 0.015)),
    )
    warm = float(rng.normal(0, 0.05))
    look = Look(
        surface=surfaces or str(rng.choice(["felt", "wood", "cloth", "plain"])),
        shadow_towards=float(rng.uniform(0, 360)),
        shadow_length=float(rng.uniform(0.2, 1.0)),
        shadow_strength=float(rng.uniform(0.25, 0.55)),
        exposure=float(rng.uniform(0.75, 1.0)),
        gradient=float(rng.uniform(0.0, 0.3)),
        gradient_towards=float(rng.uniform(0, 360)),
        vignette=float(rng.uniform(0.0, 0.3)),
        balance=(1.0 - warm, 1.0 + float(rng.normal(0, 0.01)), 1.0 + warm),
        blur=float(rng.uniform(0.4, 1.0)),
        noise=float(rng.uniform(0.8, 3.0)),
        shutter=float(rng.uniform(0.2, 0.8)),
        crf=int(rng.integers(22, 29)),
    )
    styles = {seat: _style(rng) for seat in seats}
    return Setting(camera, look, styles, tuple(_player(seat, rng, quick) for seat in seats))


def _style(rng: np.random.Generator) -> Style:
    return Style(
        fan=float(rng.uniform(14, 22)),
        spread=(float(rng.uniform(-1, 4)), float(rng.uniform(0, 9))),
        off=float(rng.uniform(0.6, 1.8)),
        skew=float(rng.uniform(0.6, 1.8)),
        left_handed=bool(rng.random() < 0.2),
    )


def _player(seat: str, rng: np.random.Generator, quick: bool) -> Player:
    pace = rng.uniform(0.35, 0.5) if quick else rng.uniform(0.5, 1.6)
    return Player(
        seat, float(pace), skill=float(rng.uniform(0.85, 0.99)), carry=float(rng.uniform(0.42, 0.6))
    )


def film_hand(
    seed: int,
    decks: Sequence[DeckArt],
    out_dir: Path,
    *,
    name: str = "hand",
    fps: int = 30,
    players: int = 2,
    px_per_mm: float | None = None,
    plant: Sequence[Plant] = (),
    setting: Setting | None = None,
    shortest: float = 0.0,
    latest: float = 200.0,
    truth_every: int = 15,
    preset: str = "veryfast",
    progress: Callable[[int, int], None] | None = None,
) -> FilmedHand:
    """Play and film a whole hand; same seed, same film.

    `decks`: one a seat, with different backs. `truth_every`: frames between two layout truths. `progress` is
    told the frame and the number of frames. Raises `ValueError` when the table is too small or no hand of
    this seed is called before `latest` seconds.
    """
    setting = setting or draw_setting(seed, players=players, px_per_mm=px_per_mm)
    rng = np.random.default_rng([seed, 2])
    camera = setting.camera
    width, height = camera.room()
    card = (max(d.width for d in decks), max(d.height for d in decks))
    table = lay_out(width, height, setting.styles, card=card, order=setting.order)
    hand = find_hand(
        setting.players, seed, shortest=shortest, latest=latest, longest=table.longest, plants=plant
    )
    film = choreograph(hand, table, rng)
    art = dict(zip(table.styles, decks, strict=True))
    textures = {seat: Textures(deck, 1.25 * camera.px_per_mm, tint=_paper(rng)) for seat, deck in art.items()}
    arms = arms_for(table, camera, rng)
    out_dir.mkdir(parents=True, exist_ok=True)
    made = FilmedHand(
        out_dir / f"{name}.mp4",
        out_dir / f"{name}.truth.jsonl",
        out_dir / f"{name}.json",
        out_dir / f"{name}.frames.jsonl",
        hand,
    )
    made.record.write_text(record_of(hand, {s: d.name for s, d in art.items()}, fps), encoding="utf-8")
    facts = table_facts(hand, {s: d.name for s, d in art.items()}, fps, camera)
    made.facts.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    _shoot(film, setting, textures, arms, made, fps, truth_every, preset, rng, progress)
    return made


def _paper(rng: np.random.Generator) -> tuple[float, float, float]:
    """The tint of a deck's paper, BGR: never pure white, often a little yellow."""
    white, yellow = float(rng.uniform(0.93, 0.99)), float(rng.uniform(0.0, 0.07))
    return white - yellow, white - yellow / 3, white


def _shoot(
    film: Choreography,
    setting: Setting,
    textures: Mapping[str, Textures],
    arms: Mapping[str, Arm],
    made: FilmedHand,
    fps: int,
    truth_every: int,
    preset: str,
    rng: np.random.Generator,
    progress: Callable[[int, int], None] | None,
) -> None:
    camera, look = setting.camera, setting.look
    compositor = Compositor(camera, look, textures, arms, rng)
    compositor.put(film.start)
    sensor = Sensor(camera, look, rng)
    frames = round((made.hand.ends + 3.0) * fps)
    todo = sorted(
        [(m.start, 0, i, m) for i, m in enumerate(film.motions)]
        + [(m.end, 1, i, m) for i, m in enumerate(film.motions)],
        key=lambda item: item[:3],
        reverse=True,
    )
    with (
        VideoWriter(made.video, camera.width, camera.height, fps, crf=look.crf, preset=preset) as video,
        made.frames.open("w", encoding="utf-8") as truth,
    ):
        for index in range(frames):
            now = index / fps
            while todo and todo[-1][0] <= now:
                _, landed, _, motion = todo.pop()
                if landed:
                    compositor.put(motion.put)
                else:
                    compositor.lift([lying.card for lying in motion.taken])
            groups = groups_at(film, now, look.shutter / fps)
            video.write(sensor.expose(*compositor.frame(groups)))
            if index % truth_every == 0:
                line = frame_truth(compositor, groups, index, now)
                truth.write(json.dumps(line, separators=(",", ":")) + "\n")
            if progress is not None:
                progress(index + 1, frames)


def groups_at(film: Choreography, now: float, shutter: float) -> list[Group]:
    """Every hand with what it holds at `now`; `shutter`: seconds of exposure around it."""
    moving: dict[str, Motion] = {motion.deed.seat: motion for motion in film.moving(now)}
    groups = []
    for hand in film.hands(now):
        before, after = film.hand(hand.seat, now - shutter / 2), film.hand(hand.seat, now + shutter / 2)
        travel = np.zeros(2)
        if before is not None and after is not None:
            travel = np.array([after.x - before.x, after.y - before.y])
        motion = moving.get(hand.seat)
        groups.append(Group(hand, motion.poses(now) if motion else [], travel, hand.z))
    return groups


def with_look(setting: Setting, **changes: object) -> Setting:
    """A setting with another look."""
    return replace(setting, look=replace(setting.look, **changes))  # type: ignore[arg-type]


def describe(setting: Setting) -> dict[str, object]:
    """A setting as plain data."""
    return asdict(setting)
