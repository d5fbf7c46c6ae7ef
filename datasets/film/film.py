"""One call films one hand of Nerts: the video, its record and the truth about every chosen frame."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from datasets.decks.wear import WornFaces, worn
from datasets.files import put, whole
from datasets.film.art import DeckArt, Textures
from datasets.film.choreography import Choreography, choreograph
from datasets.film.compositor import Compositor, Group
from datasets.film.hands import Arm, arms_for
from datasets.film.hands import draw as draw_arm
from datasets.film.leaning import HEIGHT, draw_head, lean_in
from datasets.film.movement import Card, HandAt, Motion
from datasets.film.record import record_of, table_facts
from datasets.film.sensor import Sensor
from datasets.film.setting import Setting, draw_setting
from datasets.film.staged import Staged, staged_in
from datasets.film.table import Table, lay_out
from datasets.film.truth import frame_truth
from datasets.film.video import VideoWriter
from datasets.play.dealing import layout_of
from datasets.play.deeds import Game, House, PlayedHand, seat_of
from datasets.play.mishaps import TO_THE_ROOM, Mishap
from datasets.play.plants import Plant, Tie
from datasets.play.players import find_hand

#: Seconds that the camera goes on after the last card has come to rest.
AFTER = 3.0
#: Least and most frames a second.
FPS = (5, 60)


@dataclass(frozen=True, slots=True)
class FilmedHand:
    """The files of one filmed hand."""

    video: Path
    record: Path
    #: Table facts that a program may read.
    facts: Path
    #: The scene: seed, decks, and the setting (camera, look, players, habits), which another film can be made with.
    scene: Path
    #: Truth of every chosen frame, JSON Lines.
    frames: Path
    #: What was staged (see `datasets.film.staged`), a JSON list.
    staged: Path
    hand: PlayedHand


class Thing(Protocol):
    """Something on the table that is no card."""

    @property
    def name(self) -> str:
        """What it is called among the arms, see `datasets.film.leaning`."""

    def at(self, t: float) -> HandAt | None:
        """Where it is at `t` seconds; None while it is out of sight."""

    def draw(self, px_per_mm: float) -> Arm:
        """Its picture from above."""


class Studio:
    """A table with everything on it, ready to be looked at in the order of time."""

    def __init__(
        self,
        film: Choreography,
        setting: Setting,
        decks: Sequence[DeckArt],
        fps: int,
        rng: np.random.Generator,
        room: Sequence[Mishap] = (),
        things: Sequence[Thing] = (),
    ) -> None:
        """`things`: what stands on the table without being a card."""
        self.film, self.setting, self.fps = film, setting, fps
        #: What happens to the room, the latest first.
        self._room = sorted((m for m in room if m.kind != "lean"), key=lambda mishap: -mishap.after)
        self._fate = np.random.default_rng([int(rng.integers(2**31)), 7]) if room else rng
        self._heads = [lean_in(film.table, m.after, self._fate) for m in room if m.kind == "lean"]
        camera = setting.camera
        textures = {
            seat: Textures(
                _used(deck, setting.worn.get(seat, 0.0), rng), 1.25 * camera.px_per_mm, tint=_paper(rng)
            )
            for seat, deck in zip(film.table.styles, decks, strict=True)
        }
        arms = arms_for(film.table, camera, rng)
        more = [arm for arm in (*film.reaches, *film.holds) if arm not in arms]
        arms |= {arm: draw_arm(camera.px_per_mm, rng.spawn(1)[0]) for arm in more if seat_of(arm) == arm}
        arms |= {arm: arms[seat_of(arm)].mirrored() for arm in more if arm not in arms}
        arms |= {head.name: draw_head(camera.px_per_mm, self._fate) for head in self._heads}
        self._things = things
        arms |= {thing.name: thing.draw(camera.px_per_mm) for thing in things}
        bends = draw_bends(setting, film, rng.spawn(1)[0])
        self.compositor = Compositor(camera, setting.look, textures, arms, rng, bends)
        self.compositor.put(film.start)
        self.sensor = Sensor(camera, setting.look, rng)
        changes = [(m.start, 0, i, m) for i, m in enumerate(film.motions)]
        changes += [(m.end, 1, i, m) for i, m in enumerate(film.motions)]
        self._todo = sorted(changes, key=lambda change: change[:3], reverse=True)
        self._now = 0.0
        self._groups: list[Group] = []

    def picture(self, now: float) -> NDArray[np.uint8]:
        """I420 planes of the picture taken at `now` seconds, which must not run backwards."""
        self._change(now)
        self._now = now
        stands = [at for thing in self._things if (at := thing.at(now)) is not None]
        self._groups = [Group(at, [], np.zeros(2), at.z) for at in stands]
        self._groups += groups_at(self.film, now, self.setting.look.shutter / self.fps)
        # a head is above every hand
        here = [head.at(now) for head in self._heads]
        self._groups += [Group(head, [], np.zeros(2), HEIGHT) for head in here if head is not None]
        return self.sensor.expose(*self.compositor.frame(self._groups))

    def skip_to(self, now: float) -> None:
        """Goes on to `now` without a look at what lies between: far faster than pictures of all of it."""
        with self.compositor.at_once():
            self._change(now)

    def anew(self, rng: np.random.Generator) -> None:
        """Look at everything anew: no later picture hangs on whether the earlier ones were taken."""
        self.compositor.relight(self.compositor.look)
        self.sensor = Sensor(self.compositor.camera, self.setting.look, rng)

    def _change(self, now: float) -> None:
        """Everything that has come to lie otherwise until `now`."""
        while self._todo and self._todo[-1][0] <= now:
            _, landed, _, motion = self._todo.pop()
            if landed:
                self.compositor.put(motion.put)
            else:
                self.compositor.lift([lying.card for lying in motion.taken])
        while self._room and self._room[-1].after <= now:
            self._befall(self._room.pop())

    def _befall(self, mishap: Mishap) -> None:
        """A lamp is switched on, or the camera is knocked."""
        rng, look, camera = self._fate, self.compositor.look, self.compositor.camera
        if mishap.kind == "lamp":
            warm = float(rng.uniform(0.02, 0.1))
            lit = replace(
                look,
                exposure=look.exposure * float(rng.uniform(1.15, 1.4)),
                gradient=float(rng.uniform(0.15, 0.45)),
                gradient_towards=float(rng.uniform(0, 360)),
                balance=(look.balance[0] - warm, look.balance[1], look.balance[2] + warm),
            )
            self.compositor.relight(lit)
        else:
            way, far = float(rng.uniform(0, 2 * np.pi)), float(rng.uniform(5, 25))
            turn = float(rng.normal(0, 0.4))
            moved = replace(camera, knock=(far * float(np.cos(way)), far * float(np.sin(way)), turn))
            self.compositor.camera = moved
            self.sensor.knock(moved)
            self.compositor.relight(look)

    def truth(self) -> dict[str, Any]:
        """Truth about the last picture."""
        return frame_truth(self.compositor, self._groups, round(self._now * self.fps), self._now)


def film_hand(
    seed: int,
    decks: Sequence[DeckArt],
    out_dir: Path,
    *,
    name: str = "hand",
    fps: int = 30,
    players: int = 2,
    game: Game = "nerts",
    house: House | None = None,
    px_per_mm: float | None = None,
    plant: Sequence[Plant] = (),
    ties: Sequence[Tie] = (),
    mishaps: Sequence[Mishap] = (),
    setting: Setting | None = None,
    shortest: float = 0.0,
    latest: float = 200.0,
    least: int = 0,
    until: float | None = None,
    stop: float | None = None,
    since: float = 0.0,
    around: float | None = None,
    truth_every: int = 15,
    preset: str = "veryfast",
    progress: Callable[[int, int], None] | None = None,
) -> FilmedHand:
    """Play and film a whole hand; same seed, same film.

    `decks`: one a seat, with different backs. `shortest`, `latest`: seconds within which the call must fall;
    `least`: plays that the hand must have. `game`: preset that is played; `house`: with which house rules. `plant`,
    `ties`, `mishaps`: what is staged. `until`: seconds after which the camera stops, before the end of the hand; the
    record stays whole. `stop`: seconds after which everybody leaves off: the record ends there, the camera goes on as
    after a call. `since`: seconds of the hand at which the camera begins. `around`: film only what was staged and so
    many seconds before and after it. The facts' `from_s` is the moment of the first frame, if it is not the first.
    `truth_every`: frames between two layout truths. `progress` is told the frame and the number of frames. Raises
    `ValueError` when the table is too small or no hand of this seed will do.
    """
    if not FPS[0] <= fps <= FPS[1]:
        raise ValueError(f"{fps} frames a second: choose {FPS[0]} to {FPS[1]}")
    if until is not None and until * fps < 1:
        raise ValueError(f"until {until:g} s: that is not a single frame; leave it out or give more seconds")
    setting = setting or draw_setting(seed, players=players, px_per_mm=px_per_mm)
    rng = np.random.default_rng([seed, 2])
    camera = setting.camera
    table, hand = play_on(
        setting,
        decks,
        seed,
        game=game,
        house=house,
        shortest=shortest,
        latest=latest,
        least=least,
        plants=plant,
        ties=ties,
        mishaps=mishaps,
    )
    if stop is not None:
        hand.stop_at(stop)
    ends = min(until, hand.ends) if until is not None else hand.ends + AFTER
    if since >= ends:
        raise ValueError(f"since {since:g} s: the hand is over at {ends:.1f} s; begin sooner")
    room = [mishap for mishap in mishaps if mishap.kind in TO_THE_ROOM]
    for mishap in room:
        if mishap.after >= ends:
            raise ValueError(
                f"'{mishap.kind}' after {mishap.after:g} s: the film ends at {ends:.1f} s; stage it earlier"
            )
    film = choreograph(hand, table, rng)
    made = _files(out_dir, name, hand)
    names = {seat: deck.name for seat, deck in zip(table.styles, decks, strict=True)}
    left_handed = [seat for seat, style in setting.styles.items() if style.left_handed]
    over = None if hand.why == "called" else hand.ends
    put(made.record, record_of(hand, names, fps, left_handed, ends=over))
    studio = Studio(film, setting, decks, fps, rng, room)
    staged = staged_in(hand, film, room, fps)
    first, last = _filmed(staged, since, around, ends, fps)
    facts = table_facts(hand, names, fps, camera) | (
        {"from_s": first / fps} if first or around is not None else {}
    )
    put(made.facts, json.dumps(facts, indent=1) + "\n")
    scene = {"seed": seed, "game": game, "fps": fps, "decks": names} | setting.to_json()
    scene |= {"house": dict(house)} if house else {}
    put(made.scene, json.dumps(scene, indent=1) + "\n")
    with (
        VideoWriter(
            made.video, camera.width, camera.height, fps, crf=setting.look.crf, preset=preset
        ) as video,
        whole(made.frames) as part,
        part.open("w", encoding="utf-8") as truth,
    ):
        for index in range(first, last):
            video.write(studio.picture(index / fps))
            bears_on = [entry for entry in staged if entry.wants(index)]
            if index % truth_every == 0 or bears_on:
                seen = studio.truth()
                for entry in bears_on:
                    entry.look(seen)
            if index % truth_every == 0:
                truth.write(json.dumps(seen, separators=(",", ":")) + "\n")
            if progress is not None:
                progress(index + 1 - first, last - first)
    told = json.dumps([entry.to_json() for entry in staged], indent=1, ensure_ascii=False)
    put(made.staged, told + "\n")
    return made


def play_on(
    setting: Setting,
    decks: Sequence[DeckArt],
    seed: int,
    *,
    game: Game = "nerts",
    house: House | None = None,
    shortest: float = 0.0,
    latest: float = 200.0,
    least: int = 0,
    plants: Sequence[Plant] = (),
    ties: Sequence[Tie] = (),
    mishaps: Sequence[Mishap] = (),
) -> tuple[Table, PlayedHand]:
    """The table of a setting and a hand played on it, as `film_hand` says; raises `ValueError` where it does."""
    width, height = setting.camera.room()
    card = (max(d.width for d in decks), max(d.height for d in decks))
    partners = {player.seat: player.owner for player in setting.players if player.partner_of}
    layout = layout_of(game, house)
    table = lay_out(
        width,
        height,
        setting.styles,
        card=card,
        order=setting.order,
        work_piles=len(layout.work),
        slots=layout.slots,
        partners=partners,
    )
    hand = find_hand(
        setting.players,
        seed,
        game=game,
        house=house,
        shortest=shortest,
        latest=latest,
        least=least,
        longest=table.longest,
        plants=plants,
        ties=ties,
        mishaps=mishaps,
    )
    return table, hand


def _filmed(
    staged: Sequence[Staged], since: float, around: float | None, ends: float, fps: int
) -> tuple[int, int]:
    """The first frame and the one after the last."""
    if around is None:
        return round(since * fps), round(ends * fps)
    if not staged:
        raise ValueError("nothing is staged that could be filmed: name a plant, a tie or a mishap")
    begins = max(min(entry.lifted for entry in staged) - around, 0.0)
    over = min(max(entry.shows for entry in staged) + around, ends)
    return round(begins * fps), max(round(over * fps), round(begins * fps) + 1)


def _files(folder: Path, name: str, hand: PlayedHand) -> FilmedHand:
    folder.mkdir(parents=True, exist_ok=True)
    return FilmedHand(
        video=folder / f"{name}.mp4",
        record=folder / f"{name}.truth.jsonl",
        facts=folder / f"{name}.json",
        scene=folder / f"{name}.scene.json",
        frames=folder / f"{name}.frames.jsonl",
        staged=folder / f"{name}.staged.json",
        hand=hand,
    )


def draw_bends(setting: Setting, film: Choreography, rng: np.random.Generator) -> dict[Card, float]:
    """How far every card is bent, mm: most of a worn deck the same way."""
    habit = {seat: float(rng.normal(0, worn)) for seat, worn in setting.bent.items()}
    return {
        lying.card: habit[lying.card.seat] + float(rng.normal(0, 0.5 * setting.bent[lying.card.seat]))
        for lying in film.start
        if lying.card.seat in habit
    }


def _used(deck: DeckArt, amount: float, rng: np.random.Generator) -> DeckArt:
    """The deck after much play, every face worn in its own way."""
    if amount <= 0:
        return deck
    fate = rng.spawn(1)[0]
    faces = WornFaces(deck.faces, amount, int(fate.integers(2**31)))
    return replace(deck, faces=faces, back=worn(deck.back, amount, fate))


def _paper(rng: np.random.Generator) -> tuple[float, float, float]:
    """The tint of a deck's paper, BGR: never pure white, often a little yellow."""
    white, yellow = float(rng.uniform(0.93, 0.99)), float(rng.uniform(0.0, 0.07))
    return white - yellow, white - yellow / 3, white


def groups_at(film: Choreography, now: float, shutter: float) -> list[Group]:
    """Every hand with what it holds at `now`; `shutter`: seconds of exposure around it."""
    moving: dict[str, Motion] = {motion.deed.arm: motion for motion in film.moving(now)}
    groups = []
    for hand in film.hands(now):
        before, after = film.hand(hand.arm, now - shutter / 2), film.hand(hand.arm, now + shutter / 2)
        travel = np.zeros(2)
        if before is not None and after is not None:
            travel = np.array([after.x - before.x, after.y - before.y])
        motion = moving.get(hand.arm)
        held = motion.poses(now) if motion else []
        pushed = motion.pushed_to(now) if motion else None
        groups.append(Group(hand, held, travel, hand.z, travel / shutter, pushed))
    return groups
