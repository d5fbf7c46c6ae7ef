"""The make-believe table of `umpire_table` on film: grainy frames with cards and hands, and an eye that knows the truth.

Its pixels tell where something moves and rests, no more; what lies there the eye takes from the table itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from umpire_table import FACES, PX_PER_MM, Change, Cover, Eye, Table, seen_card

from referee.live.hand import Referee
from referee.live.terms import Terms
from referee.umpire.odds import Odds
from referee.umpire.umpire import Umpire
from vision.capture.video import Frame
from vision.layout import Floats, Layout, SeenHand

#: One px is one mm.
WIDTH, HEIGHT = 900, 800
CARD = np.array([[-31.5, -44.0], [31.5, -44.0], [31.5, 44.0], [-31.5, 44.0]])
#: Where each card has its pips, mm from its middle: no two alike.
PRINT = np.random.default_rng(5).uniform((-22.0, -34.0), (22.0, 34.0), (53, 5, 2))
Window = tuple[int, int, int, int]
Line = dict[str, Any]


@dataclass
class FilmedTable:
    """Frames of a table, and what an eye sees on each (`look`, as `referee.live.looking.Eyes`)."""

    table: Table
    seconds: float
    fps: float = 15.0
    eye: Eye = field(default_factory=lambda: Eye(0, wrong=0.0, missed=0.0))
    #: The windows that were looked at, None for the whole picture, with their moments (s).
    looks: list[tuple[float, Window | None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        #: What lay there at the frame that was drawn last, and the picture of that alone.
        self.drawn: tuple[list[Change], np.ndarray] = ([], drawn([]))
        rng = np.random.default_rng(1)
        self.grain = [rng.integers(0, 7, (HEIGHT, WIDTH, 3), dtype=np.uint8) for _ in range(5)]

    def frames(self) -> Iterator[Frame]:
        """Every frame."""
        for index in range(round(self.seconds * self.fps)):
            yield Frame(index, index / self.fps, self.image(index / self.fps, index))

    def lying(self, at: float) -> list[Change]:
        """What lies at every place."""
        last: dict[tuple[str, str], Change] = {}
        for change in self.table.changes:
            if change.at <= at:
                last[change.place] = change
        return list(last.values())

    def hands(self, at: float) -> list[Floats]:
        """The outlines of the hands in the picture, (4, 2) px."""
        covers = [cover for cover in self.table.covers if cover.start <= at < cover.end]
        return [CARD * 1.2 + self.middle(cover) for cover in covers]

    def middle(self, cover: Cover) -> Floats:
        """Where a hand lies: on the card that is highest then, or where the first one would lie."""
        there = [change for change in self.lying(cover.end) if change.place == cover.place and change.cards]
        if there:
            return np.array(there[0].cards[-1][1:])
        seat, name = cover.place
        return np.array(self.table.home(seat, name) if seat else self.table.spots[int(name.split()[1]) - 1])

    def image(self, at: float, index: int) -> np.ndarray:
        """The picture at a moment: no two of them have the same grain."""
        lying = self.lying(at)
        if lying != self.drawn[0]:
            self.drawn = lying, drawn(lying)
        image = self.drawn[1].copy()
        for outline in self.hands(at):
            cv2.fillPoly(image, [np.round(outline + (index % 3) * 9.0).astype(np.int32)], (120, 150, 220))
        return image + self.grain[index % len(self.grain)]

    def look(self, frame: Frame, box: Window | None, to_table: Floats | None) -> Layout:
        """The cards and hands whose middles lie in the box, in px of the whole picture."""
        self.looks.append((frame.time_s, box))
        x0, y0, x1, y1 = box or (0, 0, WIDTH, HEIGHT)
        hands = [SeenHand(outline, 0.9) for outline in self.hands(frame.time_s)]
        cards = []
        for change in self.lying(frame.time_s):
            for number, (name, x, y) in enumerate(change.cards):
                if x0 <= x < x1 and y0 <= y < y1 and self.eye.sees():
                    top = number == len(change.cards) - 1
                    card = seen_card(self.eye, name, x, y, 1.0 if top else 0.2)
                    card.corners, card.visible = card.corners / PX_PER_MM, card.visible / PX_PER_MM
                    card.order = number
                    cards.append(card)
        inside = [
            h
            for h in hands
            if (h.corners.max(axis=0) > (x0, y0)).all() and (h.corners.min(axis=0) < (x1, y1)).all()
        ]
        return Layout(WIDTH, HEIGHT, 1.0, cards, inside, np.eye(3))


def drawn(lying: list[Change]) -> np.ndarray:
    """The picture of what lies there, without hands and grain."""
    image = np.full((HEIGHT, WIDTH, 3), (60, 110, 60), np.uint8)
    for name, x, y in (card for change in lying for card in change.cards):
        number = 52 if name == "back" else FACES.index(name)
        shades = [40 + 37 * number % 200, 40 + 91 * number % 200, 40 + 59 * number % 200]
        outline = np.round(CARD + np.array([x, y])).astype(np.int32)
        cv2.fillPoly(image, [outline], shades)
        for right, down in PRINT[number]:
            cv2.circle(image, (round(x + right), round(y + down)), 7, [shade // 4 for shade in shades], -1)
        cv2.polylines(image, [outline], True, (20, 20, 20), 2)
    return image


def still_table(*changes: Change) -> Table:
    """A dealt table on which nobody plays, but for these changes."""
    table = Table(8, seconds=0.0)
    table.changes = sorted([c for c in table.changes if c.at == 0.0] + list(changes), key=lambda c: c.at)
    table.covers, table.record = [], []
    return table


@dataclass
class Told:
    """What a referee told: the lines with the moment at which each was told (s), those at the end at None."""

    film: FilmedTable
    referee: Referee
    lines: list[tuple[float | None, Line]]

    @property
    def record(self) -> list[Line]:
        return [line for _, line in self.lines]

    def kind(self, event: str) -> list[Line]:
        return [line for line in self.record if line.get("event") == event]


def referee_of(film: FilmedTable, terms: Terms | None = None) -> Referee:
    return Referee(film, Umpire(Odds()), WIDTH, HEIGHT, film.fps, terms or Terms())


def followed(film: FilmedTable, terms: Terms | None = None, frames: Iterator[Frame] | None = None) -> Told:
    referee, lines = referee_of(film, terms), list[tuple[float | None, Line]]()
    for frame in frames or film.frames():
        lines += [(frame.time_s, line) for line in referee.push(frame)]
    return Told(film, referee, [*lines, *((None, line) for line in referee.end())])
