"""One call films an evening: several hands with everything between them in one film, and the truth about it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from datasets.evening.joining import join_videos
from datasets.evening.plan import Evening, HandOfEvening, plan_evening, states_of
from datasets.files import put, whole
from datasets.film.art import DeckArt
from datasets.film.film import FPS, Studio
from datasets.film.record import record_of, table_facts
from datasets.film.setting import Setting
from datasets.film.video import VideoWriter
from datasets.play.deeds import Deed

#: Seconds of a part: what is lost at most when the filming is stopped.
PART = 12.0
#: What the folder of parts is called, and what is kept in it of what was asked for.
PARTS, NOTE = ".parts", "asked.json"


@dataclass(frozen=True, slots=True)
class FilmedEvening:
    """The files of a filmed evening."""

    video: Path
    #: Of every hand, in order: its record, all moments in seconds of the film.
    records: list[Path]
    #: States, calls, scores and totals; see `truth_of`.
    evening: Path
    #: Table facts that a program may read.
    facts: Path
    scene: Path
    #: Truth of every chosen frame, JSON Lines.
    frames: Path
    plan: Evening


def film_evening(
    seed: int,
    decks: Sequence[DeckArt],
    out_dir: Path,
    setting: Setting,
    *,
    name: str = "evening",
    hands: int = 3,
    fps: int = 30,
    uncalled: int | None = None,
    nerts_cards: int | None = None,
    shortest: float = 0.0,
    latest: float = 120.0,
    truth_every: int = 15,
    preset: str = "veryfast",
    progress: Callable[[int, int], None] | None = None,
) -> FilmedEvening:
    """Plan and film an evening; same seed, same film, whether it was stopped in between or not.

    `decks`: one a seat of the setting, with different backs. `hands`, `uncalled`, `nerts_cards`, `shortest`, `latest`:
    see `plan_evening`. `truth_every`: frames between two layout truths. `progress` is told the frame and the number of
    frames. Raises ValueError where the evening cannot be planned, or other parts than its own lie in the way.
    """
    if not FPS[0] <= fps <= FPS[1]:
        raise ValueError(f"{fps} frames a second: choose {FPS[0]} to {FPS[1]}")
    plan = plan_evening(
        seed,
        setting,
        decks,
        hands=hands,
        uncalled=uncalled,
        nerts_cards=nerts_cards,
        shortest=shortest,
        latest=latest,
    )
    out_dir.mkdir(parents=True, exist_ok=True)
    made = FilmedEvening(
        video=out_dir / f"{name}.mp4",
        records=[out_dir / f"{name}.hand-{number}.truth.jsonl" for number in range(1, hands + 1)],
        evening=out_dir / f"{name}.evening.json",
        facts=out_dir / f"{name}.json",
        scene=out_dir / f"{name}.scene.json",
        frames=out_dir / f"{name}.frames.jsonl",
        plan=plan,
    )
    names = {seat: deck.name for seat, deck in zip(setting.styles, decks, strict=True)}
    told = truth_of(plan, made, names, fps) | {"seed": seed}
    asked = {"evening": told, "setting": setting.to_json(), "preset": preset, "truth_every": truth_every}
    parts = _parts_folder(out_dir / f"{name}{PARTS}", json.dumps(asked, indent=1))
    scene = {"seed": seed, "fps": fps, "decks": names} | setting.to_json()
    put(made.scene, json.dumps(scene, indent=1) + "\n")
    put(made.facts, json.dumps(_facts(plan, names, fps, setting), indent=1) + "\n")
    _put_records(made, names, fps, setting)
    films = _film_parts(
        plan, setting, decks, fps, seed, parts, truth_every=truth_every, preset=preset, progress=progress
    )
    with whole(made.frames) as part, part.open("wb") as frames:
        for film in films:
            frames.write(film.with_suffix(".jsonl").read_bytes())
    join_videos(films, made.video, fps)
    put(made.evening, json.dumps(told, indent=1, ensure_ascii=False) + "\n")
    shutil.rmtree(parts)
    return made


def _parts_folder(folder: Path, asked: str) -> Path:
    """The folder of the parts of what is asked for; raises ValueError where it holds parts of something else."""
    note = folder / NOTE
    if note.exists() and note.read_text(encoding="utf-8") != asked:
        raise ValueError(f"{folder} holds parts of another evening: delete it or name another --out")
    folder.mkdir(exist_ok=True)
    put(note, asked)
    return folder


def _film_parts(
    plan: Evening,
    setting: Setting,
    decks: Sequence[DeckArt],
    fps: int,
    seed: int,
    folder: Path,
    *,
    truth_every: int,
    preset: str,
    progress: Callable[[int, int], None] | None,
) -> list[Path]:
    """All parts, filmed where they are not there yet, each with its truth beside it."""
    frames, a_part = round(plan.ends * fps), round(PART * fps)
    camera, crf = setting.camera, setting.look.crf
    studio: Studio | None = None
    films = []
    for number, first in enumerate(range(0, frames, a_part)):
        film, last = folder / f"{number:04d}.mp4", min(first + a_part, frames)
        films.append(film)
        if not film.exists():
            # every part begins as if nothing had been filmed before it
            if studio is None:
                rng = np.random.default_rng([seed, 2])
                studio = Studio(plan.film, setting, decks, fps, rng, plan.room, plan.glasses)
            studio.skip_to(first / fps)
            studio.anew(np.random.default_rng([seed, 5, number]))
            # the truth first: the part is done when its film is there
            with (
                VideoWriter(film, camera.width, camera.height, fps, crf=crf, preset=preset) as video,
                whole(film.with_suffix(".jsonl")) as part,
                part.open("w", encoding="utf-8") as truth,
            ):
                for index in range(first, last):
                    video.write(studio.picture(index / fps))
                    if index % truth_every == 0:
                        truth.write(json.dumps(studio.truth(), separators=(",", ":")) + "\n")
                    if progress is not None:
                        progress(index + 1, frames)
        if progress is not None:
            progress(last, frames)
    return films


def truth_of(plan: Evening, made: FilmedEvening, names: dict[str, str], fps: int) -> dict[str, object]:
    """What is true of the evening: the states by seconds of the film, and of every hand who called when, or that nobody
    did, when whose Nerts pile was empty, the score, and the totals after it."""
    totals = dict.fromkeys(names, 0)
    hands = []
    for number, (played, record) in enumerate(zip(plan.hands, made.records, strict=True), 1):
        points = played.points()
        totals = {seat: totals[seat] + points[seat]["points"] for seat in totals}
        call = next((deed for deed in played.hand.deeds if deed.kind == "call"), None)
        emptied = max(deed.landed for deed in _of_the_last_nerts_card(played))
        hands.append(
            {
                "hand": number,
                "record": record.name,
                "dealt": played.dealt,
                "ends": played.ends,
                "how": "called" if played.called else "gathered up",
                "call": None if call is None else {"at": call.landed, "seat": call.seat, "word": "Nerts"},
                "emptied": {"at": emptied, "seat": played.hand.caller},
                "plays": len(played.hand.plays),
                "score": points,
                "match": totals,
            }
        )
    return {
        "evening": 1,
        "fps": fps,
        "frames": round(plan.ends * fps),
        "seconds": plan.ends,
        "seats": [{"seat": seat, "deck": deck} for seat, deck in names.items()],
        "states": states_of(plan.spans),
        "hands": hands,
        "lamp": [mishap.after for mishap in plan.room],
    }


def _of_the_last_nerts_card(played: HandOfEvening) -> list[Deed]:
    caller = played.hand.caller
    return [deed for deed in played.hand.plays if deed.seat == caller and deed.source == "nerts"]


def _facts(plan: Evening, names: dict[str, str], fps: int, setting: Setting) -> dict[str, object]:
    """What the players tell: as of one hand, with the calls of all."""
    facts = table_facts(plan.hands[0].hand, names, fps, setting.camera)
    facts.pop("call", None)
    told = [deed for played in plan.hands for deed in played.hand.deeds if deed.kind == "call"]
    return facts | {"calls": [{"at": deed.landed, "seat": deed.seat} for deed in told]}


def _put_records(made: FilmedEvening, names: dict[str, str], fps: int, setting: Setting) -> None:
    left_handed = [seat for seat, style in setting.styles.items() if style.left_handed]
    totals = dict.fromkeys(names, 0)
    for played, path in zip(made.plan.hands, made.records, strict=True):
        ends = None if played.called else played.ends
        record = record_of(played.hand, names, fps, left_handed, dealt=played.dealt, match=totals, ends=ends)
        put(path, record)
        points = played.points()
        totals = {seat: totals[seat] + points[seat]["points"] for seat in totals}
