"""One simulated hand, refereed from layouts alone: the live referee and its gate, asked frame by frame."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from datasets.film.art import DeckArt
from datasets.film.choreography import choreograph
from datasets.film.film import AFTER, play_on
from datasets.film.record import planted, record_of
from datasets.film.setting import Setting, draw_setting
from datasets.film.table import Table
from datasets.play.deeds import Game, House, PlayedHand
from datasets.play.plants import Plant
from referee.live.hand import Referee
from referee.live.look_back import Footing
from referee.live.replay import followed
from referee.live.second_pass import second_pass
from referee.live.terms import Terms
from referee.umpire.seats.dealt_row import DealNotFoundError, NotFollowedError
from referee.umpire.umpire import Umpire
from scripts.measure.layouts.eye import FaultyEye
from scripts.measure.layouts.faults import Faults
from scripts.measure.layouts.moments import FPS, TrueNotes, pictures_of
from scripts.measure.layouts.scene import Scene
from scripts.measure.layouts.tiles import TrueGate, TrueTiles
from scripts.measure.planted import Flag, flag_of
from scripts.measure.replays import ReplayFigures, Tally, adjudicated, score_replay
from vision.capture.video import Frame

Line = Mapping[str, Any]
Order = Literal["auto", "row", "stacked"]

#: Decks as a hand is laid out for: nothing but their size matters.
PLAIN = DeckArt("plain", {}, np.zeros((1, 1, 3), np.uint8))
BLANK = np.zeros((1, 1, 3), np.uint8)
#: What is believed is told so often (s): less often than in live play, since each telling takes long.
TELL_EVERY_S = 2.0
#: A hand must be called in so many s, if nothing else is asked for.
LATEST_S = 100.0
#: Infractions are planted from so many s on, one after the other; of so many deals of a seed the first that holds them
#: within so many s is played, else the one that does so soonest; and so many s more are played behind the last one.
PLANT_AT_S, PLANT_EVERY_S, PLANT_DEALS, PLANT_BY_S, GOES_ON_S = 4.0, 8.0, 12, 20.0, 9.0
#: What is planted is told of as in live play, so that it can be said when.
PLANTED_TELL_S = 0.5


@dataclass(frozen=True, slots=True)
class Wanted:
    """What hand is simulated: who it is played by hangs on `seed` alone."""

    seats: int
    seed: int
    game: Game = "nerts"
    #: What is played otherwise than the game says.
    house: House = field(default_factory=dict)
    order: Order = "auto"
    #: Whether some hold their stock in the hand, as one in four does where films do not say otherwise.
    stock_in_hand: bool = False
    #: Seconds in which it must be called, and those after which nothing more is played (None: to its call).
    latest: float = LATEST_S
    until: float | None = None
    #: From which second on it is seen: what is played before, and until the umpire follows, is not held against it.
    since: float = 0.0
    #: Infractions (`datasets.play.plants`) that are planted early; the hand is cut short behind them.
    plants: tuple[str, ...] = ()
    #: In one pass, as live.
    fast: bool = False


@dataclass(slots=True)
class Umpired:
    """What came of one hand: the true record and the told one, held against each other."""

    wanted: Wanted
    truth: list[Line]
    told: list[Line]
    figures: ReplayFigures
    #: Why it was not followed, if it was not.
    refused: str = ""
    #: Rulings `illegal` that were told of what broke no rule, and withdrawn.
    withdrawn: int = 0
    undecided: int = 0
    doubts: int = 0
    looks: int = 0
    #: How long it lasted, and the CPU that it took to simulate and to referee it.
    seconds: float = 0.0
    cpu_s: float = 0.0
    #: Faults of the eye, by kind.
    erred: dict[str, int] = field(default_factory=dict)
    #: What came of what was planted.
    flags: list[Flag] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Everything but the two records."""
        figures = self.figures
        return {
            "seats": self.wanted.seats,
            "seed": self.wanted.seed,
            "refused": self.refused,
            "plays": asdict(figures.plays),
            "draws": asdict(figures.draws),
            "false_illegal": figures.false_illegal,
            "withdrawn": self.withdrawn,
            "undecided": self.undecided,
            "doubts": self.doubts,
            "score_equal": bool(figures.score_equal),
            "looks": self.looks,
            "seconds": round(self.seconds, 2),
            "erred": self.erred,
            "flags": [asdict(flag) for flag in self.flags],
            "faults": [[true, told] for true, told in figures.faults],
        }


class NotPlayedError(ValueError):
    """No hand can be played as was asked for."""


def umpired(wanted: Wanted, faults: Faults) -> Umpired:
    """Plays a hand and has it refereed; raises `NotPlayedError` where none can be played so."""
    hand, scene, left_handed = staged(wanted)
    decks = {seat: f"{seat}'s deck" for seat in hand.deal}
    ends = None if hand.why == "called" else _until(wanted, hand)
    record = record_of(hand, decks, FPS, left_handed, ends=ends)
    truth = [json.loads(line) for line in record.splitlines()]
    eye = FaultyEye(scene, faults, wanted.seed, {seat: str(n) for n, seat in enumerate(hand.deal)})
    referee = Referee(
        eye,
        Umpire.of(followed(wanted.game, wanted.house)),
        scene.width,
        scene.height,
        FPS,
        _terms(hand),
    )
    referee.change = tiles = TrueTiles(scene.width, scene.height)
    referee.gate = TrueGate(tiles, scene.width, scene.height)
    referee.still = partial(pictures_of, eye, tiles)
    refused, written = "", list[float]()
    try:
        tell_every_s = PLANTED_TELL_S if wanted.plants else TELL_EVERY_S
        _watch(referee, eye, (wanted.since, hand.ends + AFTER), tell_every_s, written)
        referee.end(why="" if ends is None else "finished")
        if not wanted.fast:
            second_pass(referee, _footing(eye, hand.ends + AFTER))
    except (DealNotFoundError, NotFollowedError) as why:
        refused = str(why)
    told: list[Line] = [] if refused or referee.book is None else list(referee.book.lines)
    one = Umpired(wanted, truth, told, ReplayFigures(Tally(), Tally()), refused)
    return _held_against(one, eye, hand, written)


def staged(wanted: Wanted) -> tuple[PlayedHand, Scene, list[str]]:
    """The hand, what it looks like, and who is left-handed: as a film of that seed."""
    surfaces = None if wanted.stock_in_hand else "figures"
    setting = draw_setting(
        wanted.seed,
        players=wanted.seats,
        game=wanted.game,
        house=wanted.house,
        surfaces=surfaces,
        quick=bool(wanted.plants),
    )
    setting = replace(setting, order=wanted.order)
    try:
        table, hand = _planted(wanted, setting) if wanted.plants else _played(wanted, setting, wanted.seed)
    except ValueError as why:
        raise NotPlayedError(str(why)) from None
    until = _until(wanted, hand)
    if until is not None and until < hand.ends:
        hand.stop_at(until)
    film = choreograph(hand, table, np.random.default_rng([wanted.seed, 2]))
    left = [seat for seat, style in setting.styles.items() if style.left_handed]
    camera = setting.camera
    scene = Scene(film, camera.width, camera.height, camera.px_per_mm, frozenset(left))
    return hand, scene, left


def _played(wanted: Wanted, setting: Setting, seed: int) -> tuple[Table, PlayedHand]:
    plants = [Plant(kind, PLANT_AT_S + PLANT_EVERY_S * n) for n, kind in enumerate(wanted.plants)]
    decks = [PLAIN] * len(setting.styles)
    return play_on(
        setting, decks, seed, game=wanted.game, house=wanted.house, latest=wanted.latest, plants=plants
    )


def _planted(wanted: Wanted, setting: Setting) -> tuple[Table, PlayedHand]:
    """A hand in which all that is to be planted happens early."""
    found: list[tuple[float, Table, PlayedHand]] = []
    why = ValueError("nothing was tried")
    for number in range(PLANT_DEALS):
        seed = int(np.random.SeedSequence([wanted.seed, number]).generate_state(1)[0])
        try:
            table, hand = _played(wanted, setting, seed)
            if not planted(hand):
                raise ValueError(f"{', '.join(wanted.plants)}: there was no chance for it")
        except ValueError as error:
            why = error
            continue
        found.append((_last_plant(hand), table, hand))
        if found[-1][0] <= PLANT_BY_S:
            break
    if not found:
        raise why
    _, table, hand = min(found, key=lambda one: one[0])
    return table, hand


def _last_plant(hand: PlayedHand) -> float:
    """The moment (s) at which the last planted infraction can be told from what is lawful."""
    return max((hand.shows_at(deed) for deed in hand.deeds if deed.planted), default=0.0)


def _until(wanted: Wanted, hand: PlayedHand) -> float | None:
    """Behind which moment (s) nothing more is played; None: to the call."""
    return _last_plant(hand) + GOES_ON_S if wanted.plants else wanted.until


def _terms(hand: PlayedHand) -> Terms:
    call = next((deed for deed in hand.deeds if deed.kind == "call"), None)
    return Terms(hand.game, hand.house, call=None if call is None else (call.seat, call.landed))


def _watch(
    referee: Referee, eye: FaultyEye, span: tuple[float, float], tell_every_s: float, written: list[float]
) -> None:
    """Every frame is noticed; one is looked at when the eye is free, as in live play. `written`: gains when (s) each
    line was written.
    """
    since, ends = span
    told_at = since
    for index in range(round(since * FPS), round(ends * FPS)):
        now = index / FPS
        eye.scene.go_to(now)
        small: Any = eye.scene.tiles()
        referee.notice(now, small)
        if now >= told_at + tell_every_s and referee.book is not None:
            told_at = now
            referee.tell()
        elif not eye.is_busy:
            # not yet
            referee.told_at = now
            referee.look(Frame(index, now, BLANK), lambda: eye.is_busy)
        if referee.book is not None:
            written += [now] * (len(referee.book.lines) - len(written))
        why = referee.why_no_deal
        if referee.book is None and why is not None and referee.beginning.is_hopeless:
            raise why


def _footing(eye: FaultyEye, ends: float) -> Footing:
    """How such a hand can be gone through again."""
    size = eye.scene.width, eye.scene.height

    def frames_from(since: float) -> Iterator[Frame]:
        eye.scene = eye.scene.again()
        for index in range(int(np.ceil(since * FPS)), round(ends * FPS)):
            eye.scene.go_to(index / FPS)
            yield Frame(index, index / FPS, BLANK)

    return Footing(frames_from, eye, lambda: TrueNotes(eye), size)


def _held_against(one: Umpired, eye: FaultyEye, hand: PlayedHand, written: list[float]) -> Umpired:
    # what landed before the umpire followed was missed by nobody
    begun = (line["at"] for line in one.told if line.get("event") == "begun")
    one.figures = score_replay(one.told, one.truth, next(begun, 0.0))
    one.looks, one.seconds, one.erred = eye.looks, hand.ends, dict(sorted(eye.erred.items()))
    dropped = {line["of"] for line in one.told if line.get("event") == "correct" and line.get("drop")}
    illegal = [n for n, line in enumerate(one.told) if line.get("verdict") == "illegal"]
    one.withdrawn = sum(number in dropped for number in illegal)
    one.doubts = sum(line.get("event") == "doubt" for n, line in enumerate(one.told) if n not in dropped)
    standing = adjudicated(one.told)
    one.undecided = sum(line.get("verdict") == "undecided" for line in standing)
    one.flags = [
        flag_of(str(plant["kind"]), str(plant["rule"]), one.truth[of], standing, one.told, written)
        for plant in planted(hand)
        if isinstance(of := plant["of"], int)
    ]
    return one
