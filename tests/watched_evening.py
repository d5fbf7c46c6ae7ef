"""An evening that was watched, as its folder is left: its records, and a recording whose frames show their numbers."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from live_table import HAND, HEADER, play

from vision.capture.frames import Image, decode_image
from vision.capture.live.recorder import Recorder
from vision.capture.video import Frame

Json = dict[str, Any]
EVENING = "session-20261128-201500"
FPS = 10
#: When it began, s since 1970.
BEGAN = datetime(2026, 11, 28, 20, 15).timestamp()
#: Frames in the recording.
FRAMES = 220


def later(lines: Sequence[Json], by_s: float) -> list[Json]:
    """The same that much later."""
    return [{**line, "at": line["at"] + by_s} if "at" in line else line for line in lines]


SCORE: Json = {
    "event": "score",
    "at": 18.0,
    "hand": {
        "north": {"centre": 2, "left": 13, "points": -24},
        "south": {"centre": 1, "left": 13, "points": -25},
    },
    "match": {"north": -24, "south": -25},
    "winner": None,
    "final": False,
}
#: Two hands of one evening; the second is the one of `live_table`, from the tenth second on.
FIRST = [HEADER, play(1.2, "north", "AH"), {**SCORE, "at": 4.0}]
SECOND = [
    *later(HAND[:5], 10.0),
    play(16.0, "north", "2D", target="foundation 2"),
    {"event": "correct", "at": 16.5, "of": 5, "with": {"cards": ["AD"]}, "by": "umpire"},
    {"event": "end", "at": 17.5, "why": "stopped"},
    SCORE,
]
HANDS = {1: FIRST, 2: SECOND}


def frame_shown(number: int) -> float:
    """When a frame of the recording was taken, s of the session."""
    return number / FPS


def numbered(number: int, width: int = 320, height: int = 180) -> Image:
    """A picture with a number in it: twelve black or white fields, the highest digit first."""
    image = np.full((height, width, 3), (60, 110, 60), np.uint8)
    for place in range(12):
        white = number >> (11 - place) & 1
        x = 10 + place * 25
        image[60:120, x : x + 20] = 255 if white else 0
    return image


def number_of(image: Image) -> int:
    """The number in a picture of `numbered`, also of another size."""
    image = cv2.resize(image, (320, 180))
    bits = [int(image[90, 20 + place * 25].mean() > 128) for place in range(12)]
    return sum(bit << (11 - place) for place, bit in enumerate(bits))


def number_of_jpeg(data: bytes) -> int:
    return number_of(decode_image(data, "frame"))


def film(numbers: Iterable[int]) -> Iterator[Frame]:
    for number in numbers:
        yield Frame(number, frame_shown(number), numbered(number))


def keep(
    shelf: Path,
    hands: Mapping[int, Sequence[Json]] = HANDS,
    *,
    missing: Collection[int] = (),
    segment_s: float = 4.0,
) -> Path:
    """Leave the evening in a folder of recordings; the folder of the evening."""
    folder = shelf / EVENING
    folder.mkdir(parents=True)
    about = {"session": "the-session", "began": BEGAN, "source": "camera pretended", "ended": True}
    (folder / "session.json").write_text(json.dumps(about))
    for number, lines in hands.items():
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"hand-{number}.jsonl").write_text(text)
    recorder = Recorder(folder, "film", segment_s=segment_s)
    for frame in film(number for number in range(FRAMES) if number not in missing):
        recorder.push(frame)
    recorder.close()
    return folder
