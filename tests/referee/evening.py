"""A make-believe evening for tests of live play: hands of the make-believe table, with dealing and gathering between
them, drawn frame by frame; and an eye that knows what lies there but for what hands hide.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
from umpire_table import FACES, Change, Table

from vision.capture.video import Frame
from vision.layout import CARD_HEIGHT_MM, CARD_WIDTH_MM, Layout, SeenCard, SeenHand

PX_PER_MM = 0.6
SIZE = 540, 480
FPS = 10
#: Seconds that dealing and gathering take a pile, that the table lies still after a hand, and lies empty.
DEAL_S, GATHER_S, STILL_S, EMPTY_S = 0.3, 0.4, 7.0, 4.0
CLOTH, SKIN = (70, 100, 60), (120, 150, 200)


@dataclass
class Part:
    """One hand of the evening: its own time 0 is `start` of the evening."""

    table: Table
    start: float
    #: When gathering up begins and when the table is empty, s of the evening.
    gathered: float = 0.0
    empty: float = 0.0
    #: Dealing begins here.
    dealt: float = 0.0


@dataclass
class Evening:
    """`frame(i)` for every i up to `frames`; `look` is what an eye says of one."""

    tables: Sequence[Table]
    #: How long the table lies still after each hand's last play before it is gathered up (s).
    still_s: float = STILL_S
    #: How often a face is read wrongly.
    wrong: float = 0.0
    parts: list[Part] = field(default_factory=list)
    #: Where every place is (mm).
    looks: int = 0
    #: What is done to every picture: (s, image) -> image.
    spoil: Any = None
    #: From this moment (s) on the camera sees everything so many px further to the right and down.
    moved: tuple[float, int, int] = (float("inf"), 0, 0)

    def __post_init__(self) -> None:
        at = 1.0
        for table in self.tables:
            places = {change.place for change in table.changes}
            own = sum(1 for place in places if place[0])
            part = Part(table, at + DEAL_S * own + 1.0, dealt=at)
            part.gathered = part.start + last_moment(table) + self.still_s
            part.empty = part.gathered + GATHER_S * len(places)
            at = part.empty + EMPTY_S
            self.parts.append(part)
        self.seconds = at
        #: What lay there at the frame that was drawn last, and the picture of that alone.
        self._drawn: tuple[list[Change], np.ndarray] = ([], np.full((SIZE[1], SIZE[0], 3), CLOTH, np.uint8))
        self._noise = [
            np.random.default_rng(n).normal(0, 2.5, (SIZE[1], SIZE[0], 3)).astype(np.int16) for n in range(5)
        ]

    @cached_property
    def frames(self) -> int:
        return int(self.seconds * FPS)

    def part(self, at: float) -> Part:
        """The hand whose time it is."""
        return next((p for p in self.parts if at < p.empty + EMPTY_S / 2), self.parts[-1])

    def lying(self, at: float) -> dict[tuple[str, str], Change]:
        """What lies where."""
        part = self.part(at)
        found: dict[tuple[str, str], Change] = {}
        for change in part.table.changes:
            if change.at <= max(0.0, at - part.start):
                found[change.place] = change
        places = sorted(found)
        shown = places
        if at < part.start:
            shown = places[: max(0, int((at - part.dealt) / DEAL_S))]
        if at > part.gathered:
            shown = places[int((at - part.gathered) / GATHER_S) :]
        return {place: found[place] for place in shown}

    def hands(self, at: float) -> list[np.ndarray]:
        """Outlines of the hands over the table, px."""
        part = self.part(at)
        now = at - part.start
        over = {cover.place for cover in part.table.covers if cover.start <= now < cover.end}
        places = sorted({change.place for change in part.table.changes if change.at <= max(0.0, now)})
        if part.dealt < at < part.start - 1.0 and places:
            over = {places[min(len(places) - 1, int((at - part.dealt) / DEAL_S))]}
        if part.gathered < at < part.empty:
            over = {places[min(len(places) - 1, int((at - part.gathered) / GATHER_S))]}
        return [self._outline(part.table, place) for place in sorted(over)]

    def _outline(self, table: Table, place: tuple[str, str]) -> np.ndarray:
        seat, name = place
        x, y = table.home(seat, name) if seat else table.spots[int(name.split()[1]) - 1]
        deep = 60 if not seat else 50
        return (
            np.array([[x - 34, y - deep], [x + 34, y - deep], [x + 34, y + deep], [x - 34, y + deep]])
            * PX_PER_MM
        )

    def image(self, index: int) -> np.ndarray:
        """(height, width, 3) BGR."""
        at = index / FPS
        lying = list(self.lying(at).values())
        if lying != self._drawn[0]:
            cards = np.full((SIZE[1], SIZE[0], 3), CLOTH, np.uint8)
            for face, x, y in (card for change in lying for card in change.cards):
                draw_card(cards, face, x, y)
            self._drawn = lying, cards
        image = self._drawn[1].copy()
        for hand in self.hands(at):
            cv2.fillPoly(image, [hand.astype(np.int32)], SKIN)
        by = self._by(at)
        if by.any():
            turn = np.array([[1.0, 0.0, by[0]], [0.0, 1.0, by[1]]])
            image = cv2.warpAffine(image, turn, SIZE, borderMode=cv2.BORDER_REPLICATE)
        noisy = cv2.add(image, self._noise[index % len(self._noise)], dtype=cv2.CV_8U)
        return noisy if self.spoil is None else self.spoil(at, noisy)

    def _by(self, at: float) -> np.ndarray:
        """(2,) px: how far everything has shifted."""
        since, dx, dy = self.moved
        return np.array([dx, dy] if at >= since else [0, 0])

    def frame(self, index: int) -> Frame:
        return Frame(index, index / FPS, self.image(index))

    def __iter__(self) -> Iterator[Frame]:
        return (self.frame(index) for index in range(self.frames))

    # -- the eye -------------------------------------------------------------------------------------------

    def look(self, frame: Frame, box: tuple[int, int, int, int] | None, to_table: Any) -> Layout:
        """What an eye says of a frame, or of a box of it."""
        self.looks += 1
        at = frame.time_s
        x0, y0, x1, y1 = box or (0, 0, *SIZE)
        by = self._by(at)
        hands = [h + by for h in self.hands(at)]
        hands = [h for h in hands if _overlaps(h, (x0, y0, x1, y1))]
        hidden = np.zeros((SIZE[1], SIZE[0]), np.uint8)
        for hand in hands:
            cv2.fillPoly(hidden, [hand.astype(np.int32)], 1)
        cards = []
        for place, change in self.lying(at).items():
            for number, (face, x, y) in enumerate(change.cards):
                px, py = np.array([x, y]) * PX_PER_MM + by
                if (
                    not (x0 <= px < x1 and y0 <= py < y1)
                    or hidden[min(int(py), SIZE[1] - 1), min(int(px), SIZE[0] - 1)]
                ):
                    continue
                top = number == len(change.cards) - 1
                card = self._card(face, x, y, 1.0 if top else 0.2, (index_of(place), frame.index))
                card.corners = card.visible = card.corners + by
                cards.append(card)
        to_mm = np.diag([1 / PX_PER_MM, 1 / PX_PER_MM, 1.0])
        shown = [SeenHand(hand, 0.99) for hand in hands]
        return Layout(*SIZE, PX_PER_MM, cards, shown, to_mm if cards or to_table is not None else None)

    def _card(self, face: str, x: float, y: float, visible: float, seed: tuple[int, int]) -> SeenCard:
        w, h = CARD_WIDTH_MM / 2, CARD_HEIGHT_MM / 2
        corners = (np.array([[-w, -h], [w, -h], [w, h], [-w, h]]) + np.array([x, y])) * PX_PER_MM
        if face == "back":
            return SeenCard(corners, "back", corners, visible, 0.95, back="blue" if y < 400 else "red")
        chances = np.full(52, 1e-5)
        rng = random.Random(str(seed))
        read = rng.choice(FACES) if rng.random() < self.wrong else face
        chances[FACES.index(read)] = 0.995 if read == face else 0.7
        chances /= chances.sum()
        card = SeenCard(corners, "face", corners, visible, 0.95)
        card.name_face(chances)
        return card


def index_of(place: tuple[str, str]) -> int:
    return sum(map(ord, "".join(place)))


def last_moment(table: Table) -> float:
    return max([change.at for change in table.changes] + [cover.end for cover in table.covers])


def draw_card(image: np.ndarray, face: str, x: float, y: float) -> None:
    w, h = CARD_WIDTH_MM / 2, CARD_HEIGHT_MM / 2
    low = round((x - w) * PX_PER_MM), round((y - h) * PX_PER_MM)
    high = round((x + w) * PX_PER_MM), round((y + h) * PX_PER_MM)
    if face == "back":
        cv2.rectangle(image, low, high, (140, 60, 40) if y < 400 else (40, 40, 150), -1)
        return
    cv2.rectangle(image, low, high, (235, 235, 235), -1)
    cv2.rectangle(image, low, high, (90, 90, 90), 1)
    bars = random.Random(face)
    for row in range(5):
        left = low[0] + bars.randrange(3, 18)
        top = low[1] + 4 + row * 9
        cv2.rectangle(
            image, (left, top), (left + bars.randrange(6, 18), top + 5), (20, 20, 20 + 150 * (row % 2)), -1
        )


def _overlaps(hand: np.ndarray, box: tuple[int, int, int, int]) -> bool:
    low, high = hand.min(axis=0), hand.max(axis=0)
    return bool(low[0] < box[2] and high[0] > box[0] and low[1] < box[3] and high[1] > box[1])


def truth(table: Table, start: float = 0.0) -> list[dict[str, Any]]:
    """The hand as a record: header, deals, and what was done; `start`: its time 0, s."""
    decks = [{"seat": "north", "deck": "blue"}, {"seat": "south", "deck": "red"}]
    header = {
        "record": 1,
        "game": "nerts",
        "settings": {},
        "seats": decks,
        "source": {"kind": "simulated", "fps": FPS},
    }
    first = {(c.place, i): card for c in table.changes if c.at == 0.0 for i, card in enumerate(c.cards)}
    deals = []
    for seat in ("north", "south"):
        works = {f"work {n}": [first[(seat, f"work {n}"), 0][0]] for n in range(1, 5)}
        piles = {"nerts": ["??"] * 12 + [first[(seat, "nerts"), 0][0]], **works, "stock": 35}
        deals.append({"event": "deal", "at": start, "seat": seat, "piles": piles})
    return [header, *deals, *({**line, "at": float(str(line["at"])) + start} for line in table.record)]


def film_of(evening: Evening, path: Path) -> Path:
    """The evening as a film."""
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=FPS)
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        stream.options = {"preset": "ultrafast", "crf": "12"}
        for index in range(evening.frames):
            frame = av.VideoFrame.from_ndarray(evening.image(index), format="bgr24")
            frame.pts, frame.time_base = index, Fraction(1, FPS)
            out.mux(stream.encode(frame))
        out.mux(stream.encode())
    return path
