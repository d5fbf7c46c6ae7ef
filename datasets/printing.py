"""Decks printed anew: known art with other inks, borders and indices, and decks set from type and pips.

A reader must read indices and pips that it has never seen, so no deck is shown to it twice as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.decks import Deck, DeckInfo, load_deck
from datasets.glyphs import font_files, rank_sign, suit_sign
from vision.layout import FACES

Pixels = NDArray[np.uint8]
Colour = tuple[float, float, float]

#: Rows and columns of a printed card: half as fine again as the reader's crop.
ART = (240, 168)
#: Ranks with a picture.
COURTS = "JQK"
#: Rows of pips in the outer columns, 0 (upper) .. 1 (lower), by their number.
_ROWS = {2: (0.0, 1.0), 3: (0.0, 0.5, 1.0), 4: (0.0, 1 / 3, 2 / 3, 1.0)}

#: Heights of the ranks in shares of the card's width, small to large; how often a deck is a jumbo or low-vision one,
#: and their heights.
HEIGHTS, JUMBO, JUMBO_HEIGHTS = (0.115, 0.30), 0.25, (0.20, 0.36)
#: How many signs are bent, and by how much of their height; how many ranks lean, and how far.
BENT, BEND, LEANING, LEAN = 0.5, 0.035, 0.12, 0.2
#: What is out of shape: how far its bends are from one another, in px, and how far print is moved, of that.
BENDS, MOVED = (7.0, 20.0), (0.03, 0.12)
#: Share of the decks in four colours, and of these those in any four.
FOUR_COLOURS, ANY_COLOURS = 0.22, 0.25
#: Inks, BGR from and to.
INKS: dict[str, tuple[Colour, Colour]] = {
    "red": ((10, 5, 150), (80, 70, 245)),
    "green": ((20, 90, 0), (80, 160, 60)),
    "blue": ((130, 30, 0), (240, 120, 60)),
    "orange": ((0, 90, 200), (40, 160, 250)),
    "violet": ((90, 20, 70), (170, 70, 150)),
}
#: Share of the decks set from type whose courts show pictures of another rank: the index alone says who they are.
STRANGE = 0.4
#: Inks of spades, hearts, diamonds and clubs: as poker, bridge and tournament decks in four colours have them.
SCHEMES = (
    ("black", "red", "blue", "green"),
    ("blue", "red", "orange", "green"),
    ("green", "red", "orange", "black"),
    ("black", "red", "orange", "green"),
    ("black", "red", "orange", "blue"),
)


@dataclass(frozen=True, slots=True)
class IndexStyle:
    """How the corner signs look: lengths in shares of the card's width."""

    font: Path
    #: Height of the rank, width of its letters against the font's own, boldness in px (negative: thin).
    height: float
    stretch: float
    weight: int
    #: Middle of the index from the card's left edge, its top from the upper edge.
    across: float
    down: float
    #: Height of the suit's sign and the gap above it.
    suit: float
    gap: float
    #: In all four corners.
    four: bool
    #: How far the rank leans (px a px), and what bends it: seed and strength in shares of its height.
    lean: float = 0.0
    bend: tuple[int, float] = (0, 0.0)


@dataclass(frozen=True, slots=True)
class Print:
    """Everything that is the same for all cards of one printed deck."""

    index: IndexStyle
    signs: dict[str, Pixels]
    inks: dict[str, Colour]
    #: Width of a pip, middle of the outer columns, of the upper row: shares of the width, width, height.
    pip: float
    column: float
    row: float
    #: One large pip in place of as many as the rank says.
    single: bool
    #: Frame of the court pictures: left and top share of the card.
    frame: tuple[float, float]
    framed: bool
    #: What stands in the index of a rank where that is not the rank itself: letters of other languages.
    letters: Mapping[str, str] = field(default_factory=dict)


class Faces(Protocol):
    """A deck as the crop generator wants it."""

    @property
    def title(self) -> str:
        """What the deck is called."""

    @property
    def names(self) -> list[str]:
        """The faces that there are."""

    def face(self, name: str) -> Pixels:
        """(240, 168, 4) BGRA, paper white, corners in the alpha."""

    def misleads(self, name: str) -> bool:
        """Whether the picture is another rank's, so that only the index tells the face."""


class Printer(Protocol):
    """Decks at hand, now and then another one."""

    @property
    def decks(self) -> list[Faces]:
        """Those at hand."""

    def renew(self, rng: np.random.Generator) -> None:
        """Prints another deck in place of one of those."""


class KnownDeck:
    """Known art as it is: to measure on."""

    def __init__(self, deck: Deck) -> None:
        self._deck, self.title = deck, deck.info.name
        self._drawn: dict[str, Pixels] = {}

    @property
    def names(self) -> list[str]:
        """The faces that there are."""
        return [face for face in FACES if face in self._deck.faces]

    def face(self, name: str) -> Pixels:
        """(240, 168, 4) BGRA."""
        if name not in self._drawn:
            self._drawn[name] = np.dstack([on_paper(self._deck.faces[name]), rounded(0.055)])
        return self._drawn[name]

    def misleads(self, name: str) -> bool:
        """Never: art is shown as it is."""
        return False


class PrintedDeck:
    """A deck printed anew; faces are drawn when first asked for."""

    def __init__(
        self,
        rng: np.random.Generator,
        decks: Sequence[Deck],
        fonts: Sequence[Path],
        letters: Mapping[str, str] | None = None,
    ) -> None:
        self._seed = int(rng.integers(2**31))
        self._print = replace(sample_print(rng, fonts), letters=letters or {})
        full = [deck for deck in decks if len(deck.faces) == len(FACES)]
        self._set = bool(rng.random() < 0.6)
        pool = full if self._set else list(decks)
        self._deck = pool[int(rng.integers(len(pool)))]
        self._strange = self._set and bool(rng.random() < STRANGE)
        self.title = ("set:" if self._set else "print:") + self._deck.info.name
        self._reindexed = bool(rng.random() < 0.3) or bool(letters)
        self._radius = float(rng.uniform(0.03, 0.065))
        self._hue, self._saturation = float(rng.normal(0, 5)), float(np.clip(rng.normal(0.95, 0.2), 0.3, 1.4))
        self._fade = float(max(0.0, rng.normal(0, 0.12)))
        self._weight = int(rng.choice([-1, 0, 0, 0, 0, 0, 0, 1]))
        self._zoom = tuple(float(v) for v in np.clip(rng.normal(0.975, 0.025, 2), 0.9, 1.03))
        self._offset = tuple(float(v) for v in rng.normal(0, 0.006, 2))
        self._drawn: dict[str, Pixels] = {}

    @property
    def names(self) -> list[str]:
        """The faces that there are."""
        return [face for face in FACES if self._set or face in self._deck.faces]

    def face(self, name: str) -> Pixels:
        """(240, 168, 4) BGRA, paper white, corners in the alpha."""
        if name not in self._drawn:
            rng = np.random.default_rng([self._seed, FACES.index(name)])
            self._drawn[name] = self._finish(self._lay_out(rng, name))
        return self._drawn[name]

    def misleads(self, name: str) -> bool:
        """Whether the picture is another rank's, so that only the index tells the face."""
        return self._strange and name[0] in COURTS

    def _lay_out(self, rng: np.random.Generator, name: str) -> Pixels:
        if self._set:
            picture = None
            if name[0] in COURTS:
                picture = self._strangers(rng, name) if self._strange else self._deck.faces[name]
            return set_face(rng, self._print, name, picture)
        card = on_paper(self._deck.faces[name])
        if self._reindexed:
            _clear_corners(card, 0.165, 0.27)
            _put_indices(card, self._print, name)
        return card

    def _strangers(self, rng: np.random.Generator, name: str) -> Pixels:
        """The picture of another rank of the same deck (no other's: decks may be left out) and suit (its pips agree)."""
        others = [rank for rank in COURTS if rank != name[0]]
        art = self._deck.faces[others[int(rng.integers(len(others)))] + name[1]]
        return art[:, ::-1] if rng.random() < 0.5 else art

    def _finish(self, card: Pixels) -> Pixels:
        rows, columns = ART
        hsv = cv2.cvtColor(card, cv2.COLOR_BGR2HSV)
        shifted = (np.arange(256) + self._hue) % 180
        hsv[..., 0] = shifted.astype(np.uint8)[hsv[..., 0]]
        richer = np.clip(np.arange(256) * self._saturation, 0, 255).astype(np.uint8)
        hsv[..., 1] = richer[hsv[..., 1]]
        card = np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR), dtype=np.uint8)
        kernel = np.ones((2, 2), np.uint8)
        if self._weight:
            card = np.asarray((cv2.erode if self._weight > 0 else cv2.dilate)(card, kernel), dtype=np.uint8)
        across, down = self._zoom
        shift_x, shift_y = self._offset
        place = np.array(
            [
                [across, 0, columns * ((1 - across) / 2 + shift_x)],
                [0, down, rows * ((1 - down) / 2 + shift_y)],
            ]
        )
        white = (255, 255, 255)
        card = np.asarray(
            cv2.warpAffine(card, place, (columns, rows), borderMode=cv2.BORDER_CONSTANT, borderValue=white),
            dtype=np.uint8,
        )
        faded = np.clip(255 - (255 - np.arange(256)) * (1 - self._fade), 0, 255).astype(np.uint8)
        return np.dstack([faded[card], rounded(self._radius)])


def rounded(radius: float) -> Pixels:
    """(240, 168) alpha of a card whose corners' radius is this share of its width."""
    rows, columns = ART
    r = radius * columns
    x, y = np.arange(columns) + 0.5, np.arange(rows) + 0.5
    over_x = np.maximum(r - np.minimum(x, columns - x), 0)
    over_y = np.maximum(r - np.minimum(y, rows - y), 0)
    away = np.hypot(over_x[None, :], over_y[:, None])
    return np.asarray(np.clip((r - away + 0.5) * 255, 0, 255), dtype=np.uint8)


def on_paper(art: Pixels) -> Pixels:
    """(240, 168, 3): art with an alpha laid on white."""
    small = cv2.resize(art, ART[::-1], interpolation=cv2.INTER_AREA).astype(np.float32)
    alpha = small[..., 3:] / 255
    return np.asarray(small[..., :3] * alpha + 255 * (1 - alpha), dtype=np.uint8)


def sample_print(rng: np.random.Generator, fonts: Sequence[Path]) -> Print:
    """A random look for a whole deck."""
    heights = JUMBO_HEIGHTS if rng.random() < JUMBO else HEIGHTS
    height = float(np.exp(rng.uniform(*np.log(heights))))
    index = IndexStyle(
        font=fonts[int(rng.integers(len(fonts)))],
        height=height,
        stretch=float(rng.uniform(0.55, 1.1)),
        weight=int(rng.choice([-2, -1, 0, 0, 0, 1, 2, 3])),
        across=float(rng.uniform(0.065, 0.10)),
        down=float(rng.uniform(0.035, 0.085)),
        suit=float(height * rng.uniform(0.45, 0.95)),
        gap=float(rng.uniform(0.01, 0.04)),
        four=bool(rng.random() < 0.12),
        lean=float(rng.normal(0, LEAN / 2)) if rng.random() < LEANING else 0.0,
        bend=(int(rng.integers(2**31)), float(rng.uniform(0, BEND)) if rng.random() < BENT else 0.0),
    )
    return Print(
        index=index,
        signs={suit: suit_sign(suit, rng) for suit in "SHDC"},
        inks=_inks(rng),
        pip=float(rng.uniform(0.13, 0.22 if height < 0.22 else 0.17)),
        column=float(rng.uniform(0.25, 0.33)) + max(0.0, 0.5 * (height - 0.22)),
        row=float(rng.uniform(0.13, 0.22)),
        single=bool(rng.random() < 0.08),
        frame=(float(rng.uniform(0.11, 0.22)), float(rng.uniform(0.06, 0.12))),
        framed=bool(rng.random() < 0.75),
    )


def _inks(rng: np.random.Generator) -> dict[str, Colour]:
    """What the suits are printed in: two colours mostly, else four."""
    grey = rng.uniform(5, 55) + rng.normal(0, 6, 3)
    black = (float(grey[0]), float(grey[1]), float(grey[2]))
    mixed = {name: _mixed(rng, *INKS[name]) for name in sorted(INKS)} | {"black": black}
    if rng.random() >= FOUR_COLOURS:
        return dict(zip("SHDC", (black, mixed["red"], mixed["red"], black), strict=True))
    scheme = SCHEMES[int(rng.integers(len(SCHEMES)))]
    if rng.random() < ANY_COLOURS:
        return dict(
            zip("SHDC", (mixed[str(name)] for name in rng.permutation(sorted(mixed))[:4]), strict=True)
        )
    return {suit: mixed[name] for suit, name in zip("SHDC", scheme, strict=True)}


def _mixed(rng: np.random.Generator, low: Colour, high: Colour) -> Colour:
    blue, green, red = rng.uniform(low, high)
    return (float(blue), float(green), float(red))


def _stamp(card: Pixels, sign: Pixels, ink: Colour, centre: tuple[float, float], down: bool = False) -> None:
    """Prints an alpha sign centred at (x, y) px; `down`: on its head."""
    if down:
        sign = sign[::-1, ::-1]
    rows, columns = sign.shape
    left, top = round(centre[0] - columns / 2), round(centre[1] - rows / 2)
    x0, y0 = max(left, 0), max(top, 0)
    x1, y1 = min(left + columns, card.shape[1]), min(top + rows, card.shape[0])
    if x0 >= x1 or y0 >= y1:
        return
    alpha = sign[y0 - top : y1 - top, x0 - left : x1 - left, None].astype(np.float32) / 255
    part = card[y0:y1, x0:x1]
    part[:] = (part * (1 - alpha) + np.array(ink, dtype=np.float32) * alpha).astype(np.uint8)


def _sized(sign: Pixels, height: float, stretch: float = 1.0) -> Pixels:
    rows = max(3, round(height))
    columns = max(2, round(sign.shape[1] * rows / sign.shape[0] * stretch))
    return np.asarray(cv2.resize(sign, (columns, rows), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _clear_corners(card: Pixels, across: float, down: float) -> None:
    rows, columns = card.shape[:2]
    x, y = round(across * columns), round(down * rows)
    card[:y, :x] = 255
    card[rows - y :, columns - x :] = 255


def _put_indices(card: Pixels, deck: Print, name: str) -> None:
    """Rank and suit into two opposite corners, or into all four."""
    style, ink = deck.index, deck.inks[name[1]]
    rows, columns = card.shape[:2]
    letter = deck.letters.get(name[0], name[0])
    sign = bent(rank_sign(letter, style.font), style, letter)
    if style.weight:
        kernel = np.ones((2 * abs(style.weight) + 1,) * 2, np.uint8)
        padded = np.pad(sign, abs(style.weight))
        sign = np.asarray((cv2.dilate if style.weight > 0 else cv2.erode)(padded, kernel), dtype=np.uint8)
    # a wide rank (a ten, a jumbo Q) is squeezed so that it stays between the edge and the picture
    room = 2.1 * style.across * columns if style.height < 0.2 else 0.3 * columns
    rank = _sized(sign, style.height * columns, style.stretch)
    if rank.shape[1] > room:
        rank = _sized(sign, style.height * columns, style.stretch * room / rank.shape[1])
    suit = _sized(deck.signs[name[1]], style.suit * columns)
    x = max(style.across * columns, rank.shape[1] / 2 + 0.018 * columns)
    y = style.down * columns + rank.shape[0] / 2
    below = style.down * columns + rank.shape[0] + style.gap * columns + suit.shape[0] / 2
    for sideways in (False, True) if style.four else (False,):
        left = columns - x if sideways else x
        for down in (False, True):
            a = (columns - left, rows - y) if down else (left, y)
            b = (columns - left, rows - below) if down else (left, below)
            _stamp(card, rank, ink, a, down)
            _stamp(card, suit, ink, b, down)


def bent(sign: Pixels, style: IndexStyle, rank: str) -> Pixels:
    """The rank's sign leaning and bent as this deck's are, so that no two decks share one font's very shapes."""
    seed, strength = style.bend
    if not style.lean and not strength:
        return sign
    rows = sign.shape[0]
    side = round(0.5 * abs(style.lean) * rows + strength * rows) + 2
    sign = np.pad(sign, ((2, 2), (side, side)))
    y, x = np.mgrid[: sign.shape[0], : sign.shape[1]].astype(np.float32)
    rng = np.random.default_rng([seed, ord(rank)])
    coarse = (rng.normal(0, strength * rows, (2, 4, 3))).astype(np.float32)
    across, down = (cv2.resize(part, sign.shape[::-1], interpolation=cv2.INTER_CUBIC) for part in coarse)
    moved = x + style.lean * (y - sign.shape[0] / 2) + across
    return np.asarray(cv2.remap(sign, moved, y + 0.5 * down, cv2.INTER_LINEAR), dtype=np.uint8)


def out_of_shape(rng: np.random.Generator, image: Pixels) -> Pixels:
    """(H, W, 3) with its figures and pips bent smoothly here and there, as no font and no other card has them."""
    rows, columns = image.shape[:2]
    apart = float(rng.uniform(*BENDS))
    coarse = (max(3, round(rows / apart)), max(3, round(columns / apart)), 2)
    moves = rng.normal(0, rng.uniform(*MOVED) * apart, coarse).astype(np.float32)
    moved = cv2.resize(moves, (columns, rows), interpolation=cv2.INTER_CUBIC)
    y, x = np.mgrid[:rows, :columns].astype(np.float32)
    bowed = cv2.remap(
        image, x + moved[..., 0], y + moved[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(bowed, dtype=np.uint8)


def pip_places(count: int) -> list[tuple[float, float]]:
    """Column -1, 0, 1 and row 0 (upper) .. 1 (lower) of the pips of a number card."""
    sides = {2: 0, 3: 0, 4: 2, 5: 2, 6: 3, 7: 3, 8: 3, 9: 4, 10: 4}[count]
    places = [(side, row) for row in _ROWS[sides] for side in (-1.0, 1.0)] if sides else []
    middle = {
        2: (0.0, 1.0),
        3: (0.0, 0.5, 1.0),
        5: (0.5,),
        7: (0.25,),
        8: (0.25, 0.75),
        9: (0.5,),
        10: (1 / 6, 5 / 6),
    }
    return places + [(0.0, row) for row in middle.get(count, ())]


def set_face(rng: np.random.Generator, deck: Print, name: str, picture: Pixels | None = None) -> Pixels:
    """(240, 168, 3): a card set from type and pips; a court with `picture`, the known art of a court."""
    rows, columns = ART
    card = np.full((rows, columns, 3), 255, np.uint8)
    rank, suit = name[0], name[1]
    sign, ink = deck.signs[suit], deck.inks[suit]
    if picture is not None:
        _put_court(card, deck, on_paper(picture))
    elif rank == "A" or deck.single:
        _put_ace(rng, card, sign, ink, fancy=name == "AS")
    else:
        pip = _sized(sign, deck.pip * columns * sign.shape[0] / sign.shape[1])
        for side, row in pip_places(10 if rank == "T" else int(rank)):
            x = 0.5 + side * (0.5 - deck.column)
            y = deck.row + row * (1 - 2 * deck.row)
            _stamp(card, pip, ink, (x * columns, y * rows), row > 0.5)
    _put_indices(card, deck, name)
    return card


def _put_ace(rng: np.random.Generator, card: Pixels, sign: Pixels, ink: Colour, fancy: bool) -> None:
    rows, columns = card.shape[:2]
    height = float(rng.uniform(0.2, 0.55 if fancy else 0.4)) * columns
    middle = (columns / 2, rows / 2)
    _stamp(card, _sized(sign, height), ink, middle)
    if fancy and rng.random() < 0.6:
        _stamp(card, _sized(sign, 0.8 * height), (255, 255, 255), middle)
        _stamp(card, _sized(sign, 0.6 * height), ink, middle)
    if fancy and rng.random() < 0.6:
        for y in (rows / 2 - 0.75 * height, rows / 2 + 0.75 * height):
            words = "".join(rng.choice(list("ABCDEHIKLMNORSTU 8"), int(rng.integers(5, 14))))
            size = float(rng.uniform(0.25, 0.5))
            (wide, _), _ = cv2.getTextSize(words, cv2.FONT_HERSHEY_COMPLEX, size, 1)
            place = (round(middle[0] - wide / 2), round(y))
            cv2.putText(card, words, place, cv2.FONT_HERSHEY_COMPLEX, size, ink, 1, cv2.LINE_AA)


def _put_court(card: Pixels, deck: Print, source: Pixels) -> None:
    """The inside of a known court card within this deck's frame."""
    rows, columns = card.shape[:2]
    inside = source[
        round(0.075 * rows) : round(0.925 * rows), round(0.165 * columns) : round(0.835 * columns)
    ]
    x, y = round(deck.frame[0] * columns), round(deck.frame[1] * rows)
    size = (columns - 2 * x, rows - 2 * y)
    card[y : rows - y, x : columns - x] = cv2.resize(inside, size, interpolation=cv2.INTER_AREA)
    if deck.framed:
        cv2.rectangle(card, (x, y), (columns - x - 1, rows - y - 1), deck.inks["S"], 1, cv2.LINE_AA)
    if deck.index.height < 0.2:
        return
    # room for a large index, as such decks leave it
    half = deck.index
    _clear_corners(card, min(0.3, half.across + 0.1), (half.down + half.height + half.gap + half.suit) * 0.72)


class Press:
    """Keeps a few printed decks at hand and prints a new one now and then."""

    def __init__(self, rng: np.random.Generator, infos: Sequence[DeckInfo], size: int = 24) -> None:
        self._decks = [load_deck(info.name, fit="stretch") for info in infos]
        self._fonts = font_files()
        self.decks: list[Faces] = [PrintedDeck(rng, self._decks, self._fonts) for _ in range(size)]

    def renew(self, rng: np.random.Generator) -> None:
        """Throws one deck away and prints another."""
        self.decks[int(rng.integers(len(self.decks)))] = PrintedDeck(rng, self._decks, self._fonts)


class KnownPress:
    """Known decks as they are, always the same ones."""

    def __init__(self, infos: Sequence[DeckInfo]) -> None:
        self.decks: list[Faces] = [KnownDeck(load_deck(info.name, fit="stretch")) for info in infos]

    def renew(self, rng: np.random.Generator) -> None:
        """Nothing to print."""
