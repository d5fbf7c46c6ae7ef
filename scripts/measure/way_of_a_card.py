"""Draws the way of one card through the rooms, from pixel to score, as the sample's illegal play went it.

python -m scripts.measure.way_of_a_card --out docs/way-of-a-card.jpg
"""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.service import SAMPLE
from scripts.open_eye import OpenEye
from vision.capture.frames import encode_jpeg
from vision.capture.video import Video
from vision.detect.cells import CELL, read_cells
from vision.detect.finder import Finder
from vision.draw import draw_layout
from vision.layout import FACES, SeenCard

Pixels = NDArray[np.uint8]

#: The play: a queen of clubs onto a king of clubs, which breaks N5. When it lies (s), and who has laid it.
FACE, AT_S, SEAT = "QC", 20.9, "west"
#: px: a panel, its heading, and the part of the picture around the card that is shown.
WIDE, HIGH, HEAD, PART = 480, 300, 56, (480, 300)
INK, PAPER, MARK = (40, 40, 40), (255, 255, 255), (40, 60, 230)


def frame_at(video: Path, moment: float) -> Pixels:
    """The first frame that is not before `moment` (s)."""
    with Video(video) as film:
        for frame in film:
            if frame.time_s >= moment:
                return np.asarray(frame.image, dtype=np.uint8)
    raise ValueError(f"{video} ends before {moment} s")


def around(image: Pixels, card: SeenCard) -> tuple[int, int, int, int]:
    """x0, y0, x1, y1 px: the part of the picture that is shown."""
    height, width = image.shape[:2]
    x, y = card.centre
    x0 = int(np.clip(x - PART[0] / 2, 0, width - PART[0]))
    y0 = int(np.clip(y - PART[1] / 2, 0, height - PART[1]))
    return x0, y0, x0 + PART[0], y0 + PART[1]


def cells_panel(part: Pixels) -> Pixels:
    """What the finder's network says of every cell: faces green, backs blue, with their votes for the middle."""
    output = Finder()._run(part[: part.shape[0] // 32 * 32])
    cells, _ = read_cells(output)
    shown = part.copy()
    for at, middle, back in zip(cells.at, cells.middle, cells.back, strict=True):
        colour = (200, 120, 0) if back > 0.5 else (60, 160, 0)
        x, y = (int(v) for v in at)
        cv2.rectangle(shown, (x - CELL // 2, y - CELL // 2), (x + CELL // 2, y + CELL // 2), colour, -1)
        cv2.line(shown, (x, y), tuple(int(v) for v in at + 0.25 * (middle - at)), (255, 255, 255), 1)
    return np.asarray(cv2.addWeighted(part, 0.35, shown, 0.65, 0), dtype=np.uint8)


def reading_panel(card: SeenCard, crop: Pixels, mask: Pixels) -> Pixels:
    """The crop that the reader is given, with what it reads."""
    panel = np.full((HIGH, WIDE, 3), PAPER, dtype=np.uint8)
    seen = np.where(mask[..., None] > 0, crop, (crop * 0.35).astype(np.uint8))
    large = cv2.resize(seen, (int(crop.shape[1] * 1.7), int(crop.shape[0] * 1.7)))
    panel[14 : 14 + large.shape[0], 14 : 14 + large.shape[1]] = large
    chances = card.face_probabilities
    assert chances is not None
    for row, best in enumerate(np.argsort(-chances)[:5]):
        top = 50 + row * 44
        cv2.rectangle(panel, (290, top - 16), (290 + int(150 * chances[best]), top + 6), (60, 160, 0), -1)
        write(panel, FACES[best], (240, top), 0.6)
        write(panel, f"{chances[best]:.3f}", (300, top), 0.5)
    return panel


def text_panel(lines: Sequence[str]) -> Pixels:
    """Lines of text, small."""
    panel = np.full((HIGH, WIDE, 3), PAPER, dtype=np.uint8)
    for row, line in enumerate(lines):
        write(panel, line, (12, 30 + row * 25), 0.45)
    return panel


def write(panel: Pixels, text: str, at: tuple[int, int], size: float) -> None:
    """Text in the panel's ink."""
    cv2.putText(panel, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, INK, 1, cv2.LINE_AA)


def fitted(picture: Pixels) -> Pixels:
    """A picture at the size of a panel."""
    return np.asarray(cv2.resize(picture, (WIDE, HIGH), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def headed(panel: Pixels, title: str, room: str) -> Pixels:
    """A panel beneath its title and the room that it belongs to."""
    head = np.full((HEAD, WIDE, 3), (235, 235, 235), dtype=np.uint8)
    write(head, title, (12, 23), 0.6)
    write(head, room, (12, 46), 0.42)
    both = np.vstack([head, panel])
    return np.asarray(cv2.copyMakeBorder(both, 4, 4, 4, 4, cv2.BORDER_CONSTANT, value=PAPER), dtype=np.uint8)


def wrapped(line: dict[str, Any], most: int = 54) -> list[str]:
    """A record's line as JSON, in pieces that a panel has room for."""
    return textwrap.wrap(json.dumps(line, ensure_ascii=True), most)


def told(record: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """The play, its ruling and the score in the record of the sample."""
    play = next(line for line in record if line.get("event") == "play" and line["cards"] == [FACE])
    ruling = next(line for line in record if line.get("event") == "ruling" and line.get("rule") == "N5")
    return play, ruling, next(line for line in record if line.get("event") == "score")


def drawn(video: Path, record: Sequence[dict[str, Any]], tell: Callable[[str], None] = print) -> Pixels:
    """The whole picture; `record`: the lines of the sample's record."""
    image = frame_at(video, AT_S)
    tell("looking")
    eye = OpenEye()
    cards, crops, masks = eye.crops(image)
    layout = eye.see(image)
    card = max((c for c in layout.cards if c.face == FACE), key=lambda c: c.confidence)
    number = int(np.argmin([np.linalg.norm(c.centre - card.centre) for c in cards]))
    x0, y0, x1, y1 = around(image, card)
    part = image[y0:y1, x0:x1]
    marked = image.copy()
    cv2.rectangle(marked, (x0, y0), (x1, y1), MARK, 8)
    seen = draw_layout(image, layout)[y0:y1, x0:x1]
    placed = part.copy()
    outline = (card.corners - (x0, y0)).round().astype(np.int32)
    cv2.polylines(placed, [outline], isClosed=True, color=MARK, thickness=2, lineType=cv2.LINE_AA)
    play, ruling, score = told(record)
    points = [
        f"{seat}: {made['centre']} in the centre, {made['left']} left: {made['points']} points"
        for seat, made in score["hand"].items()
    ]
    panels = [
        headed(fitted(marked), "1  a frame", "vision/capture"),
        headed(fitted(cells_panel(part)), "2  every cell votes for its card", "vision/detect"),
        headed(fitted(placed), "3  put in place, and who lies on whom", "vision/detect, rows, scene"),
        headed(reading_panel(card, crops[number], masks[number]), "4  straightened and read", "vision/faces"),
        headed(fitted(seen), "5  the layout: all that the referee is told", "vision/layout.py"),
        headed(text_panel(wrapped(play)), "6  explained as a play, and written", "umpire, live, record"),
        headed(text_panel(wrapped(ruling)), "7  ruled", "referee/games, rules"),
        headed(text_panel(points), "8  scored", "referee/rules, matches"),
    ]
    rows = [np.hstack(panels[start : start + 4]) for start in (0, 4)]
    return np.asarray(np.vstack(rows), dtype=np.uint8)


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("docs/way-of-a-card.jpg"))
    parser.add_argument("--record", type=Path, required=True, help="the sample's record, as replay prints it")
    given = parser.parse_args()
    record = [json.loads(line) for line in given.record.read_text("utf-8").splitlines()]
    given.out.write_bytes(encode_jpeg(drawn(SAMPLE, record), 80))


if __name__ == "__main__":
    main()
