"""A pretended eye and umpire for tests of commands and page: they see colours instead of cards.

Which cards lie on a picture is written into it: every 20 px wide column of the top row that is pure red, blue
or green stands for one back of that colour, every grey one for an ace of spades; the lighter, the surer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np

from referee.service import Progress, Tools
from vision.capture.video import Footage, Video
from vision.geometry.camera import Rectangles
from vision.layout import Layout, SeenCard

BACKS = {
    (0, 0, 255): "red",
    (255, 0, 0): "blue",
    (0, 255, 0): "green",
    (0, 0, 254): "like red",
    (0, 0, 253): "dim red",
}
#: The back that is taken for red, and how alike the two are then (log odds).
LIKE, ALIKE = "like red", 1.0
#: A red back that is hardly seen, and how surely it is a card.
DIM, HARDLY = "dim red", 0.6
#: Seconds of the pretended hand.
LENGTH_S = 6


@dataclass
class PretendEye:
    """Counts how often it was asked, too."""

    looks: int = 0

    def see(self, image: np.ndarray) -> Layout:
        self.looks += 1
        height, width = image.shape[:2]
        cards = [
            card
            for x in range(0, width, 20)
            if (card := _card(x, image[0, min(x + 10, width - 1)])) is not None
        ]
        _take_for_one(cards)
        return Layout(width, height, 1.0 if cards else 0.0, cards)


def _take_for_one(cards: list[SeenCard]) -> None:
    like = [card for card in cards if card.back == LIKE]
    red = [card for card in cards if card.back == "red"]
    for part, some in enumerate((red, like) if like else ()):
        for card in some:
            card.back, card.back_splits = "red", ((ALIKE, part),)


def _card(x: int, pixel: np.ndarray) -> SeenCard | None:
    blue, green, red = (int(value) for value in pixel)
    back = BACKS.get((blue, green, red))
    grey = blue == green == red and blue > 0
    if back is None and not grey:
        return None
    corners = np.array([[x, 0], [x + 18, 0], [x + 18, 25], [x, 25]], dtype=np.float64)
    card = SeenCard(corners, "back" if back else "face", corners, 1.0, 0.97, back=back, pile=x // 20)
    if back == DIM:
        card.back, card.confidence = "red", HARDLY
    if grey:
        card.face, card.face_confidence = "AS", blue / 255
    return card


def picture(*colours: str, width: int = 400, height: int = 120) -> np.ndarray:
    """A picture (BGR) on which the eye sees these cards."""
    shades = {name: colour for colour, name in BACKS.items()} | {
        "ace": (250, 250, 250),
        "dim ace": (128, 128, 128),
    }
    image = np.zeros((height, width, 3), np.uint8)
    for column, name in enumerate(colours):
        image[:, column * 20 : column * 20 + 20] = shades[name]
    return image


def make_video(
    path: Path, seconds: int = LENGTH_S, fps: int = 10, size: tuple[int, int] = (320, 180)
) -> Path:
    """A recording in which a white card crosses the table."""
    with av.open(str(path), "w", options={"movflags": "faststart"}) as out:
        stream = out.add_stream("libx264", rate=fps)
        stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
        stream.options = {"g": "10"}
        for index in range(seconds * fps):
            image = np.full((size[1], size[0], 3), (60, 110, 60), np.uint8)
            x = 10 + index * 4
            image[60:120, x : x + 40] = 245
            frame = av.VideoFrame.from_ndarray(image, format="bgr24")
            frame.pts, frame.time_base = index, Fraction(1, fps)
            out.mux(stream.encode(frame))
        out.mux(stream.encode())
    return path


#: What somebody called a deck: shown as it is, never taken for markup.
NAMED = "<b>red[/]</b>"
HEADER = {
    "record": 1,
    "game": "nerts",
    "settings": {},
    "seats": [{"seat": "north", "deck": "blue"}, {"seat": "south", "deck": NAMED}],
    "source": {"kind": "video", "fps": 10},
    "match": {"south": -27},
}
PLAYS = [
    {"event": "play", "at": 1.2, "seat": "north", "cards": ["AH"], "from": "work 1", "to": "foundation 1"},
    {"event": "draw", "at": 2.0, "seat": "south", "cards": ["2C", "3C", "TD"]},
    {"event": "play", "at": 4.5, "seat": "south", "cards": ["9D"], "from": "work 2", "to": "foundation 1"},
]
RULING = {
    "event": "ruling",
    "at": 4.5,
    "seat": "south",
    "ruling": "wrong-foundation-card",
    "rule": "N9",
    "of": [3],
    "verdict": "illegal",
    "confidence": 1.0,
    "evidence": {},
    "why": "9D does not go with AH: a foundation builds up by one in its suit.",
}
SCORE = {
    "event": "score",
    "at": 4.5,
    "hand": {
        "north": {"centre": 1, "left": 0, "bonus": 0, "disputed": 0, "points": 1},
        "south": {"centre": 1, "left": 0, "bonus": 0, "disputed": 1, "points": 1},
    },
    "match": {"north": 1, "south": -26},
    "winner": None,
    "final": False,
}
RECORD: list[dict[str, Any]] = [HEADER, *PLAYS, RULING, SCORE]


def pretend_replay(
    video: Path | Footage,
    game: str,
    settings: Mapping[str, Any],
    *,
    call: str | tuple[str, float] | None,
    seats: Mapping[str, str] | None,
    on_progress: Progress | None,
    table: Rectangles | None = None,
    eye: Any = None,
    on_notice: Callable[[str], None] | None = None,
) -> Iterator[dict[str, Any]]:
    """Reads the whole video, as the umpire does, and tells the same hand of any that is not cut off."""
    with Video(video) if isinstance(video, Path) else video as frames:
        for frame in frames:
            if on_progress is not None:
                on_progress(frame.time_s, frames.duration_s)
    decks = {"north": "blue", "south": NAMED} | dict(seats or {})
    places = [{"seat": seat, "deck": deck} for seat, deck in decks.items()]
    yield {**HEADER, "game": game, "settings": dict(settings), "seats": places}
    yield from PLAYS
    if call is not None:
        seat, at = call if isinstance(call, tuple) else (call, 5.0)
        yield {"event": "call", "at": at, "seat": seat, "word": "Nerts"}
    yield RULING
    yield SCORE


def pretend_tools(eye: PretendEye, sample: Path) -> Tools:
    """Tools with the pretended eye and umpire, and the real counting."""
    return Tools(open_eye=lambda: eye, replay=pretend_replay, sample=sample)
