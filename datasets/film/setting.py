"""What is drawn before the first card is moved: camera, look, the players and how they lay their cards."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace

import numpy as np
from pydantic import TypeAdapter, ValidationError

from datasets.film.camera import Camera
from datasets.film.look import Look
from datasets.film.table import HALVES, SIDES, Style
from datasets.play.dealing import layout_of
from datasets.play.deeds import Game, House, Player

#: Number of players → the sides that they may sit at.
SEATS = {
    2: (("west", "east"), ("north", "south")),
    3: (("north", "south", "west"),),
    4: (("north", "south", "west", "east"),),
    5: (("northwest", "northeast", "southwest", "southeast", "west"),),
    6: (("northwest", "northeast", "southwest", "southeast", "west", "east"),),
}
#: Width of the pictures that settings are drawn for, px.
DRAWN_FOR = Camera.width
#: What is seen smaller where five work piles lie side by side.
WIDER = 0.72
#: px/mm up to which two can sit opposite each other across the shorter way with columns and what lies below them.
DEEP = 1.3
#: px/mm of tables for more than two, which are larger.
SCALES = {3: 1.5, 4: 1.5, 5: 1.2, 6: 1.2}


@dataclass(frozen=True)
class Setting:
    """Everything that is drawn from a seed before the first card is moved."""

    camera: Camera
    look: Look
    styles: dict[str, Style]
    players: tuple[Player, ...]
    #: Layout of a seat's piles, see `lay_out`.
    order: str = "auto"
    #: Seat → how far its cards are bent, mm (standard deviation).
    bent: dict[str, float] = field(default_factory=dict)
    #: Seat → how worn its deck is, 0 to 1.
    worn: dict[str, float] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        """The setting as plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, text: str) -> Setting:
        """A setting out of a film's `NAME.scene.json`; raises ValueError naming what is wrong in it."""
        try:
            told = _AS_TOLD.validate_json(text)
        except ValidationError as error:
            wrong = error.errors()[0]
            raise ValueError(f"{'.'.join(map(str, wrong['loc'])) or 'scene'}: {wrong['msg']}") from None
        if set(told.styles) != {player.owner for player in told.players}:
            raise ValueError("styles: there must be one for every deck's seat and for no other")
        unknown = sorted(set(told.styles) - {*SIDES, *HALVES})
        if unknown:
            raise ValueError(
                f"styles: no seat is called {unknown[0]!r}; choose of {', '.join([*SIDES, *HALVES])}"
            )
        return told


_AS_TOLD = TypeAdapter(Setting)


def scaled(setting: Setting, width: int, height: int) -> Setting:
    """The same table in a picture of another size, px."""
    camera, share = setting.camera, width / setting.camera.width
    resized = replace(
        camera,
        width=width,
        height=height,
        px_per_mm=camera.px_per_mm * share,
        line_time=camera.line_time * camera.height / height,
        margin=round(camera.margin * share),
    )
    return replace(setting, camera=resized)


def draw_setting(
    seed: int,
    *,
    players: int = 2,
    px_per_mm: float | None = None,
    quick: bool = False,
    surfaces: str | None = None,
    game: Game = "nerts",
    house: House | None = None,
) -> Setting:
    """A table, camera, light and players drawn from a seed; two partnerships of two where the game has them.

    `surfaces`: the split of `datasets.surfaces` that the table top is taken from; plain own kinds without.
    """
    rng = np.random.default_rng([seed, 1])
    scale = px_per_mm or float(rng.uniform(1.6, 2.3) if players == 2 else SCALES[players])
    layout = layout_of(game, house)
    if len(layout.work) > 4:
        # more piles side by side
        scale *= WIDER
    sides = SEATS[players]
    seats = sides[int(rng.integers(len(sides)))] if scale < 1.9 else sides[0]
    if layout.partners:
        seats = ("northwest", "southwest")
    if layout.slots and scale > DEEP:
        # what lies below the columns takes a deep table
        seats = sides[0]
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
    cast = tuple(_player(seat, rng, quick) for seat in seats)
    if layout.partners:
        seats = tuple(_at_nut_pile(seat, styles[seat]) for seat in seats)
        styles = dict(zip(seats, styles.values(), strict=True))
        cast = tuple(replace(player, seat=seat) for seat, player in zip(seats, cast, strict=True))
    # every second camera has a shutter that can be seen to roll
    camera = replace(camera, line_time=float(max(0.0, rng.uniform(-28e-6, 28e-6))))
    if surfaces is None:
        # the hands that replays are measured on have their stock on the table and decks that are new
        held = {seat: bool(rng.random() < 0.25) and not layout.partners for seat in styles}
        styles = {seat: replace(style, stock_in_hand=held[seat]) for seat, style in styles.items()}
    bent = {seat: float(rng.choice([0.0, rng.uniform(0.2, 1.6)])) for seat in seats}
    used = {} if surfaces else {seat: max(0.0, float(rng.uniform(-0.9, 0.9))) for seat in seats}
    if layout.partners:
        cast = tuple(partner for player in cast for partner in _partners(player, rng, quick))
    return Setting(camera, look, styles, cast, bent=bent, worn=used)


def _at_nut_pile(seat: str, style: Style) -> str:
    """Of the two seats at a side the one at the row's first pile: at the dealer's left, who is not left-handed."""
    side, _ = HALVES[seat]
    left = -1 if side == "south" else 1
    first = -left if style.left_handed else left
    return next(name for name, half in HALVES.items() if half == (side, first))


def _partners(player: Player, rng: np.random.Generator, quick: bool) -> tuple[Player, Player]:
    """A player with the Nut pile, and who sits beside with stock and waste."""
    side, along = HALVES[player.seat]
    beside = next(name for name, half in HALVES.items() if half == (side, -along))
    other = replace(_player(beside, rng, quick), role="cards", partner_of=player.seat)
    return replace(player, role="nuts"), other


def _style(rng: np.random.Generator) -> Style:
    return Style(
        fan=float(rng.uniform(14, 22)),
        spread=(float(rng.uniform(-1, 4)), float(rng.uniform(0, 9))),
        off=float(rng.uniform(0.6, 1.8)),
        skew=float(rng.uniform(0.6, 1.8)),
        left_handed=bool(rng.random() < 0.2),
    )


def _player(seat: str, rng: np.random.Generator, quick: bool) -> Player:
    pace = rng.uniform(0.35, 0.5) if quick else rng.uniform(0.4, 1.1)
    return Player(
        seat, float(pace), skill=float(rng.uniform(0.85, 0.99)), carry=float(rng.uniform(0.42, 0.6))
    )
