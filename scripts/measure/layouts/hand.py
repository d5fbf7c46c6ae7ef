"""One simulated hand, refereed from layouts alone: the live referee and its gate, asked frame by frame."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

import numpy as np

from datasets.film.art import DeckArt
from datasets.film.choreography import choreograph
from datasets.film.film import AFTER, play_on
from datasets.film.record import record_of
from datasets.film.setting import draw_setting
from datasets.play.deeds import Game, House, PlayedHand
from referee.live.hand import Referee
from referee.live.replay import followed
from referee.live.terms import Terms
from referee.umpire.seats.dealt_row import DealNotFoundError, NotFollowedError
from referee.umpire.umpire import Umpire
from scripts.measure.layouts.eye import FaultyEye
from scripts.measure.layouts.faults import Faults
from scripts.measure.layouts.scene import Scene
from scripts.measure.layouts.tiles import TrueGate, TrueTiles
from scripts.measure.replays import ReplayFigures, Tally, adjudicated, score_replay
from vision.capture.video import Frame

Line = Mapping[str, Any]
Order = Literal["auto", "row", "stacked"]

FPS = 30
#: Decks as a hand is laid out for: nothing but their size matters.
PLAIN = DeckArt("plain", {}, np.zeros((1, 1, 3), np.uint8))
BLANK = np.zeros((1, 1, 3), np.uint8)
#: What is believed is told so often (s): less often than in live play, since each telling takes long.
TELL_EVERY_S = 2.0
#: A hand must be called in so many s, if nothing else is asked for.
LATEST_S = 100.0


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
    seconds: float = 0.0
    #: Faults of the eye, by kind.
    erred: dict[str, int] = field(default_factory=dict)

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
            "faults": [[true, told] for true, told in figures.faults],
        }


class NotPlayedError(ValueError):
    """No hand can be played as was asked for."""


def umpired(wanted: Wanted, faults: Faults) -> Umpired:
    """Plays a hand and has it refereed; raises `NotPlayedError` where none can be played so."""
    hand, scene, left_handed = staged(wanted)
    decks = {seat: f"{seat}'s deck" for seat in hand.deal}
    record = record_of(hand, decks, FPS, left_handed, ends=wanted.until)
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
    referee.change = TrueTiles(scene.width, scene.height)
    referee.gate = TrueGate(referee.change, scene.width, scene.height)
    refused = ""
    try:
        _watch(referee, eye, wanted.since, hand.ends + AFTER)
        referee.end(why="" if wanted.until is None else "finished")
    except (DealNotFoundError, NotFollowedError) as why:
        refused = str(why)
    told: list[Line] = [] if refused or referee.book is None else list(referee.book.lines)
    return _held_against(Umpired(wanted, truth, told, ReplayFigures(Tally(), Tally()), refused), eye, hand)


def staged(wanted: Wanted) -> tuple[PlayedHand, Scene, list[str]]:
    """The hand, what it looks like, and who is left-handed: as a film of that seed."""
    surfaces = None if wanted.stock_in_hand else "figures"
    setting = draw_setting(
        wanted.seed, players=wanted.seats, game=wanted.game, house=wanted.house, surfaces=surfaces
    )
    setting = replace(setting, order=wanted.order)
    decks = [PLAIN] * len(setting.styles)
    try:
        table, hand = play_on(
            setting, decks, wanted.seed, game=wanted.game, house=wanted.house, latest=wanted.latest
        )
    except ValueError as why:
        raise NotPlayedError(str(why)) from None
    if wanted.until is not None:
        hand.deeds = [deed for deed in hand.deeds if deed.landed <= wanted.until]
    film = choreograph(hand, table, np.random.default_rng([wanted.seed, 2]))
    left = [seat for seat, style in setting.styles.items() if style.left_handed]
    camera = setting.camera
    scene = Scene(film, camera.width, camera.height, camera.px_per_mm, frozenset(left))
    return hand, scene, left


def _terms(hand: PlayedHand) -> Terms:
    call = next((deed for deed in hand.deeds if deed.kind == "call"), None)
    return Terms(hand.game, hand.house, call=None if call is None else (call.seat, call.landed))


def _watch(referee: Referee, eye: FaultyEye, since: float, ends: float) -> None:
    """Every frame is noticed; one is looked at when the eye is free, as in live play."""
    told_at = since
    for index in range(round(since * FPS), round(ends * FPS)):
        now = index / FPS
        eye.scene.go_to(now)
        small: Any = eye.scene.tiles()
        referee.notice(now, small)
        if now >= told_at + TELL_EVERY_S and referee.book is not None:
            told_at = now
            referee.tell()
        elif not eye.is_busy:
            # not yet
            referee.told_at = now
            referee.look(Frame(index, now, BLANK), lambda: eye.is_busy)
        why = referee.why_no_deal
        if referee.book is None and why is not None and referee.beginning.is_hopeless:
            raise why


def _leave_out(one: Umpired, before: float) -> None:
    """What landed before the umpire followed (s) was missed by nobody."""
    figures = one.figures
    for kind, tally in (("play", figures.plays), ("draw", figures.draws)):
        count = sum(line.get("event") == kind and line["at"] < before for line in one.truth)
        tally.true, tally.missed = tally.true - count, tally.missed - count
    figures.faults = [(true, told) for true, told in figures.faults if true is None or true["at"] >= before]


def _held_against(one: Umpired, eye: FaultyEye, hand: PlayedHand) -> Umpired:
    one.figures = score_replay(one.told, one.truth)
    if one.wanted.since:
        _leave_out(one, next((line["at"] for line in one.told if line.get("event") == "begun"), 0.0))
    one.looks, one.seconds, one.erred = eye.looks, hand.ends, dict(sorted(eye.erred.items()))
    dropped = {line["of"] for line in one.told if line.get("event") == "correct" and line.get("drop")}
    illegal = [n for n, line in enumerate(one.told) if line.get("verdict") == "illegal"]
    one.withdrawn = sum(number in dropped for number in illegal)
    one.doubts = sum(line.get("event") == "doubt" for n, line in enumerate(one.told) if n not in dropped)
    one.undecided = sum(line.get("verdict") == "undecided" for line in adjudicated(one.told))
    return one
