"""Film simulated hands of Nerts: one hand, the sample, or the hands of the gate.

    python -m scripts.build.film.hand --seed 7 --out out/film              one hand
    python -m scripts.build.film.hand --gate 6 --seed 2026 --out out/gate  hands of unseen decks, fresh everything
    python -m scripts.build.film.hand --sample --out referee/sample        the sample recording

Each hand is `NAME.mp4`, its true record `NAME.truth.jsonl`, the facts that a program may read `NAME.json` and the
truth about chosen frames `NAME.frames.jsonl`; `NAME.scene.json` tells the camera and the light, `NAME.staged.json` what
was staged and how well the camera saw it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, get_args

import cv2
import numpy as np
from tqdm import tqdm

from datasets.decks import AssetError, Split, load_deck
from datasets.files import put
from datasets.film.art import DeckArt, art_of
from datasets.film.camera import Camera
from datasets.film.dressing import committable_decks, draw_decks
from datasets.film.film import FilmedHand, film_hand
from datasets.film.look import Look
from datasets.film.record import planted
from datasets.film.setting import Setting, draw_setting
from datasets.film.table import Style
from datasets.play.dealing import house_of
from datasets.play.deeds import Game, Player
from datasets.play.mishaps import BY_PLAYERS, TO_THE_ROOM, Mishap
from datasets.play.plants import OF_THE_GATE, PLANTS, Plant, Tie
from scripts.building import GOES_ON, ended

#: Decks of the gate must have all faces and not be in training.
GATE_SPLITS: tuple[Split, ...] = ("figures", "tune")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0, or 2 with one line on standard error."""
    options = _parser().parse_args(arguments)
    cv2.setNumThreads(1)
    remedy = GOES_ON if options.gate else "run the same command again"
    return ended("build.film.hand", lambda: _film(options), AssetError, ValueError, remedy=remedy)


def _film(options: argparse.Namespace) -> str:
    if options.sample:
        return _sample(options.out)
    return _gate(options.gate, options.seed, options.out, options.latest) if options.gate else _one(options)


def _parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--players", type=int, choices=(2, 3, 4, 5, 6), default=2)
    parser.add_argument(
        "--scene", type=Path, help="camera, light, seats and habits as a NAME.scene.json tells them"
    )
    parser.add_argument("--game", choices=get_args(Game), default="nerts", help="preset that is played")
    parser.add_argument(
        "--set",
        dest="house",
        action="append",
        default=[],
        metavar="KEY=N",
        help="a house rule: nerts_cards, work_piles, columns or draw",
    )
    parser.add_argument(
        "--px-per-mm", type=float, help="scale at the middle of the table; drawn if not given"
    )
    parser.add_argument(
        "--deck", action="append", help="deck of a seat, in the order of seats; drawn if not given"
    )
    parser.add_argument(
        "--split", choices=("train", "tune", "figures"), default="train", help="decks drawn from"
    )
    parser.add_argument("--committable", action="store_true", help="only art that may be kept in the project")
    parser.add_argument(
        "--plant", action="append", choices=sorted(PLANTS), default=[], help="an illegal play"
    )
    parser.add_argument(
        "--tie",
        action="append",
        type=float,
        default=[],
        metavar="SECONDS",
        help="two players play one card to one foundation, so far apart; the loser takes it back",
    )
    parser.add_argument(
        "--under", action="store_true", help="in ties the card that lands later goes underneath the other"
    )
    parser.add_argument(
        "--mishap",
        action="append",
        choices=(*BY_PLAYERS, *TO_THE_ROOM),
        default=[],
        help="what breaks no rule: a hand that rests, a pile pushed, a card dropped or in mid-air at the call, a "
        "lamp, a knocked camera, a head over the cards",
    )
    parser.add_argument(
        "--until", type=float, help="seconds after which the camera stops; the record stays whole"
    )
    parser.add_argument(
        "--around",
        type=float,
        metavar="SECONDS",
        help="film only what is staged and so many seconds before and after it",
    )
    parser.add_argument("--quick", action="store_true", help="players who think fast")
    parser.add_argument(
        "--latest", type=float, default=150.0, help="seconds in which the hand must be called"
    )
    parser.add_argument(
        "--shortest", type=float, default=0.0, help="seconds before which the hand must not be over"
    )
    parser.add_argument("--fps", type=int, default=30)
    parser.add_argument("--gate", type=int, metavar="N", help="film N hands of unseen decks with a manifest")
    parser.add_argument("--sample", action="store_true", help="film the sample recording")
    return parser


def _one(options: argparse.Namespace) -> str:
    setting, rng = _setting(options), np.random.default_rng([options.seed, 3])
    number = len(setting.styles)
    if options.committable:
        decks = committable_decks(rng, number)
    else:
        decks = draw_decks(rng, number, (options.split,), options.deck)
    plants = [Plant(kind, after=10.0 + 12.0 * i) for i, kind in enumerate(options.plant)]
    with Bar(f"seed {options.seed}") as progress:
        filmed = film_hand(
            options.seed,
            decks,
            options.out,
            game=options.game,
            house=house_of(options.house),
            fps=options.fps,
            plant=plants,
            ties=[Tie(10.0 + 12.0 * i, gap, under=options.under) for i, gap in enumerate(options.tie)],
            mishaps=[Mishap(kind, 10.0 + 8.0 * i) for i, kind in enumerate(options.mishap)],
            setting=setting,
            shortest=options.shortest,
            latest=options.latest,
            until=options.until,
            around=options.around,
            progress=progress,
        )
    return _summary(filmed)


def _setting(options: argparse.Namespace) -> Setting:
    """The setting that a file tells, or one drawn from the seed."""
    if options.scene is None:
        return draw_setting(
            options.seed,
            players=options.players,
            px_per_mm=options.px_per_mm,
            quick=options.quick,
            game=options.game,
            house=house_of(options.house),
        )
    try:
        return Setting.from_json(options.scene.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{options.scene}: no scene that can be filmed ({error})") from None


def _gate(number: int, seed: int, out: Path, latest: float) -> str:
    """Film the gate's hands one after the other; what is there already is kept."""
    out.mkdir(parents=True, exist_ok=True)
    manifest: list[dict[str, Any]] = []
    for index in range(number):
        own = int(np.random.SeedSequence([seed, index]).generate_state(1)[0])
        name = f"gate-{index + 1}"
        entry = out / f"{name}.made.json"
        if not entry.exists():
            rng = np.random.default_rng([own, 3])
            decks = draw_decks(rng, 2, GATE_SPLITS)
            kinds = OF_THE_GATE
            plants = [Plant(kinds[(index + seed) % len(kinds)], after=float(rng.uniform(10, 30)))]
            with Bar(name) as progress:
                setting = draw_setting(own, surfaces="figures")
                filmed = film_hand(
                    own,
                    decks,
                    out,
                    name=name,
                    plant=plants,
                    setting=setting,
                    latest=latest,
                    progress=progress,
                )
            put(entry, json.dumps(_made(filmed, own, decks, setting)) + "\n")
        manifest.append(json.loads(entry.read_text(encoding="utf-8")))
    put(out / "gate.json", json.dumps(manifest, indent=1) + "\n")
    return f"{out / 'gate.json'}: {number} hands, {sum(entry['plays'] for entry in manifest)} plays"


def _made(filmed: FilmedHand, seed: int, decks: Sequence[DeckArt], setting: Setting) -> dict[str, Any]:
    return {
        "video": filmed.video.name,
        "truth": filmed.record.name,
        "facts": filmed.facts.name,
        "frames": filmed.frames.name,
        "seed": seed,
        "plays": len(filmed.hand.plays),
        "planted": planted(filmed.hand),
        "decks": [deck.name for deck in decks],
        "px_per_mm": round(setting.camera.px_per_mm, 2),
        "tilt": round(setting.camera.tilt, 1),
    }


def _sample(out: Path) -> str:
    """The recording that ships: art that may be committed, backs drawn by this project, quick players."""
    from datasets.decks.backs import procedural_back

    decks = [
        art_of("blue", load_deck("letele"), procedural_back(np.random.default_rng(7))),
        art_of("red", load_deck("heruka_2color_bf"), procedural_back(np.random.default_rng(9))),
    ]
    styles = {
        "west": Style(fan=19.0, spread=(1.5, 5.0)),
        "east": Style(fan=17.0, spread=(0.5, 3.0), off=1.5, skew=2.0),
    }
    players = (Player("west", 0.30, 0.2, 0.99, 0.45), Player("east", 0.33, 0.2, 0.99, 0.45))
    camera = Camera(px_per_mm=2.0, view=62.0, tilt=5.0, towards=150.0, roll=0.8, k1=-0.02)
    look = Look(surface="wood", gradient=0.16, vignette=0.12, noise=1.2, blur=0.5, shutter=0.35, crf=25)
    with Bar("sample") as progress:
        filmed = film_hand(
            2026,
            decks,
            out,
            plant=[Plant("wrong-colour", after=12.0, stays=7.0)],
            setting=Setting(camera, look, styles, players),
            shortest=48.0,
            latest=62.0,
            preset="veryfast",
            progress=progress,
        )
    for made in (filmed.frames, filmed.scene, filmed.staged):
        made.unlink()
    return _summary(filmed)


def _summary(filmed: FilmedHand) -> str:
    size = filmed.video.stat().st_size / 1e6
    hand = filmed.hand
    return (
        f"{filmed.video}: {hand.ends:.0f} s, {len(hand.plays)} plays, {size:.1f} MB, planted {planted(hand)}"
    )


class Bar:
    """A progress bar that `film_hand` and `film_evening` can tell how far they are."""

    def __init__(self, what: str) -> None:
        self._bar: tqdm[Any] = tqdm(desc=what, unit="frame", mininterval=1.0)

    def __enter__(self) -> Callable[[int, int], None]:
        return self._tell

    def _tell(self, done: int, of: int) -> None:
        self._bar.total = of
        self._bar.update(done - self._bar.n)

    def __exit__(self, *_: object) -> None:
        self._bar.close()


if __name__ == "__main__":
    sys.exit(main())
