"""Which films are made: read from `plan.toml`, with everything that is drawn hanging on the seed and a film's name."""

from __future__ import annotations

import hashlib
import json
import tomllib
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from datasets.decks import Split
from datasets.play.deeds import Game, House
from datasets.play.plants import OF_A_GAME, PLANTS

PLAN = Path(__file__).with_name("plan.toml")
#: What is staged one by one, beside whole hands.
STAGED = ("plants", "ties")
#: A plant is staged from so many seconds on where it is filmed from the deal on.
PLANT_AT_S = 4.0
#: Plants that must be seen from the deal on: the deal itself, and games whose record cannot be handed over.
FROM_DEAL = frozenset({"wrong-deal", *OF_A_GAME})
#: Of these a tie of a card that stays is made with the ties.
NOT_PLANTED = frozenset({"tie-left"})


@dataclass(frozen=True, slots=True)
class Film:
    """One film: everything about it hangs on this, and on the sources."""

    name: str
    group: str
    base: int
    split: Split = "figures"
    players: int = 2
    game: Game = "nerts"
    house: House = field(default_factory=dict)
    fps: int = 30
    #: Seconds after which the players leave off; None: the hand goes on to its call, which falls before `latest`.
    seconds: float | None = None
    latest: float = 150.0
    #: Second of the hand at which the camera begins.
    since: float = 0.0
    quick: bool = False
    #: Whether all hold their stock in the hand; else one in four does.
    in_hand: bool = False
    plants: tuple[str, ...] = ()
    mishaps: tuple[str, ...] = ()
    #: Hands of an evening in one film, from the empty table on; 0: a hand that is dealt already.
    evening: int = 0
    #: Number of a tie (`scripts.measure.staged.ties`).
    tie: int | None = None
    #: Whether the film shows a plant alone, and the umpire is handed the record until then.
    clip: bool = False

    @property
    def key(self) -> str:
        """What no other film has."""
        told = json.dumps(asdict(self), sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()[:12]

    def seed(self, attempt: int = 0) -> int:
        """What everything in it is drawn from."""
        told = [self.base, zlib.crc32(self.name.encode()), attempt]
        return int(np.random.SeedSequence(told).generate_state(1)[0])


def planned(base: int, split: Split = "figures", plan: Path = PLAN) -> list[Film]:
    """All films of a seed, of each group in turn, so that whoever stops has some of each."""
    told = tomllib.loads(plan.read_text(encoding="utf-8"))
    groups: dict[str, list[Film]] = {}
    films = [
        *(film for entry in told.get("hands", ()) for film in _hands(entry, base, split)),
        *(film for entry in told.get("plants", ()) for film in _plants(entry, base, split)),
        *(film for entry in told.get("ties", ()) for film in _ties(entry, base, split)),
    ]
    for film in films:
        groups.setdefault(film.group, []).append(film)
    return [film for row in zip_longest(*groups.values()) for film in row if film is not None]


def groups_of(plan: Path = PLAN) -> list[str]:
    """The groups that films stand in."""
    return sorted({film.group for film in planned(0, plan=plan)})


def _hands(entry: Mapping[str, Any], base: int, split: Split) -> Iterator[Film]:
    more = dict(entry)
    films, name, fps = more.pop("films"), more.pop("name"), more.pop("fps", [30])
    plants, mishaps = more.pop("plants", ()), more.pop("mishaps", ())
    for number in range(films):
        yield Film(
            name=f"{name}-{number + 1:02d}",
            base=base,
            split=split,
            fps=fps[number % len(fps)],
            plants=_turn(plants, number),
            mishaps=_turn(mishaps, number),
            **more,
        )


def _turn(kinds: Sequence[str], number: int) -> tuple[str, ...]:
    return (kinds[number % len(kinds)],) if kinds else ()


def _plants(entry: Mapping[str, Any], base: int, split: Split) -> Iterator[Film]:
    for number in range(entry["films"]):
        for kind in PLANTS:
            if kind not in NOT_PLANTED:
                yield Film(
                    name=f"plant-{kind}-{number + 1}",
                    group="plants",
                    base=base,
                    split=split,
                    game=OF_A_GAME.get(kind, "nerts"),
                    quick=True,
                    plants=(kind,),
                    clip=kind not in FROM_DEAL,
                )


def _ties(entry: Mapping[str, Any], base: int, split: Split) -> Iterator[Film]:
    for number in range(entry["films"]):
        # staged by their number; every second one has 60 frames a second there
        yield Film(
            f"tie-{number:03d}", "ties", base, split, fps=60 if number % 2 else 30, quick=True, tie=number
        )
