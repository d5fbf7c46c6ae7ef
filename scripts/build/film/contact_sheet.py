"""Draws what was staged in a filmed hand as a contact sheet: a line a thing, five moments of it side by side.

python -m scripts.build.film.contact_sheet out/film/hand.mp4 --out out/sheet.jpg
python -m scripts.build.film.contact_sheet out/film/hand.mp4 --every 6 --out out/sheet.jpg    the whole table every 6 s
python -m scripts.build.film.contact_sheet out/evening.mp4 --states --out out/sheet.jpg          every state of an evening
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.files import put
from scripts.building import ended
from vision.capture.frames import VideoError
from vision.capture.video import Video

Pixels = NDArray[np.uint8]

#: Width of a picture, of the line of text below and of a gap, px; the text's size; pictures' shape.
WIDTH, TEXT, GAP, LETTERS, SHAPE = 320, 26, 6, 0.5, 0.75
#: px around everywhere that the cards are seen; least width of what is shown.
MARGIN, LEAST = 60, 320
#: Seconds before it begins and after it is over; pictures in between.
BEFORE, AFTER, MOMENTS = 0.25, 0.4, 5
#: State of an evening → at which shares of it pictures are shown; the others in their middle.
SHARES = {"dealing": (0.35, 0.7), "playing": (0.4, 0.95), "gathering": (0.2, 0.5, 0.75)}


class SheetError(Exception):
    """There is nothing to draw; the message says why."""


def course(video: Path, every: float, width: int = WIDTH) -> Pixels:
    """The whole table every so many seconds, `MOMENTS` pictures a line; raises VideoError."""
    begins = _begins(video)
    with Video(video) as film:
        times = [float(t) for t in np.arange(0, max(film.duration_s - 0.1, every), every)]
        pictures = [(f"{moment + begins:.1f} s", image) for moment, image in film.at(times)]
    return _grid(pictures, width)


def states(video: Path, width: int = WIDTH) -> Pixels:
    """The whole table in every state of a filmed evening, by `NAME.evening.json`; raises SheetError or VideoError."""
    path = video.with_suffix(".evening.json")
    if not path.exists():
        raise SheetError(f"{path} is missing: film an evening with scripts.build.film.evening")
    moments = [
        (state["from"] + share * (state["to"] - state["from"]), state["state"])
        for state in json.loads(path.read_text(encoding="utf-8"))["states"]
        for share in SHARES.get(state["state"], (0.5,))
    ]
    with Video(video) as film:
        found = film.at([moment for moment, _ in moments])
        pictures = [
            (f"{name}  {moment:.1f} s", image)
            for (_, name), (moment, image) in zip(moments, found, strict=False)
        ]
    return _grid(pictures, width)


def _grid(pictures: Sequence[tuple[str, Pixels]], width: int) -> Pixels:
    """Pictures of one size with what is written under them, `MOMENTS` a line."""
    height = round(width * pictures[0][1].shape[0] / pictures[0][1].shape[1])
    rows = -(-len(pictures) // MOMENTS)
    drawn = np.full((rows * (height + TEXT), MOMENTS * (width + GAP), 3), 255, np.uint8)
    for number, (told, image) in enumerate(pictures):
        row, column = divmod(number, MOMENTS)
        top, left = row * (height + TEXT), column * (width + GAP)
        small = cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA)
        drawn[top : top + height, left : left + width] = small
        write(drawn, told, (left + 4, top + height + 18))
    return drawn


def sheet(video: Path, width: int = WIDTH) -> Pixels:
    """The contact sheet of a film and of `NAME.staged.json` beside it; raises SheetError or VideoError."""
    begins = _begins(video)
    with Video(video) as film:
        last = max(film.duration_s - 0.1, 0.0)
        staged = [entry for entry in _staged(video) if entry["lifted"] - begins < last]
        if not staged:
            raise SheetError(f"{video}: the camera stopped before anything that was staged happened")
        wanted = [_moments(entry, begins) for entry in staged]
        times = sorted({min(moment, last) for moments in wanted for moment in moments})
        frames = dict(zip(times, (image for _, image in film.at(times)), strict=False))
    lines = [
        _line(entry, width, [frames[min(moment, last)] for moment in moments if min(moment, last) in frames])
        for entry, moments in zip(staged, wanted, strict=True)
    ]
    return np.concatenate(lines)


def _staged(video: Path) -> list[dict[str, Any]]:
    path = video.with_suffix(".staged.json")
    if not path.exists():
        raise SheetError(f"{path} is missing: film the hand with scripts.build.film.hand")
    try:
        staged: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise SheetError(f"{path}: cannot be read; film the hand again") from None
    if not staged:
        raise SheetError(f"{path}: nothing was staged in this hand; film one with --plant, --tie or --mishap")
    return staged


def _begins(video: Path) -> float:
    """The moment of the hand at which the film begins, seconds."""
    facts = video.with_suffix(".json")
    return float(json.loads(facts.read_text(encoding="utf-8")).get("from_s", 0.0)) if facts.exists() else 0.0


def _moments(entry: dict[str, Any], begins: float) -> list[float]:
    first, last = entry["lifted"] - BEFORE - begins, entry["landed"] + AFTER - begins
    return [float(t) for t in np.linspace(max(first, 0), last, MOMENTS)]


def _line(entry: dict[str, Any], width: int, frames: Sequence[Pixels]) -> Pixels:
    """The same part of five frames, and what happens there."""
    height = round(SHAPE * width)
    line = np.full((height + TEXT + GAP, MOMENTS * (width + GAP), 3), 255, np.uint8)
    for number, frame in enumerate(frames):
        left, top, right, bottom = _part(entry, frame.shape[1], frame.shape[0])
        picture = cv2.resize(frame[top:bottom, left:right], (width, height), interpolation=cv2.INTER_AREA)
        line[:height, number * (width + GAP) :][:, :width] = picture
    write(line, _told(entry), (4, height + 18))
    return line


def write(picture: Pixels, text: str, at: tuple[int, int]) -> None:
    """Black letters on a picture, from `at` (x, y px) to the right."""
    cv2.putText(picture, text, at, cv2.FONT_HERSHEY_SIMPLEX, LETTERS, (0, 0, 0), 1, cv2.LINE_AA)


def _part(entry: dict[str, Any], width: int, height: int) -> tuple[int, int, int, int]:
    """Left, top, right, bottom: where it happens, in the shape of a picture of the sheet; all, where no card is named."""
    if entry.get("box") is None:
        return 0, 0, width, height
    left, top, right, bottom = entry["box"]
    across = max(right - left + 2 * MARGIN, (bottom - top + 2 * MARGIN) / SHAPE, LEAST)
    across = min(across, width, height / SHAPE)
    across, down = round(across), round(across * SHAPE)
    x = min(max(round((left + right - across) / 2), 0), width - across)
    y = min(max(round((top + bottom - down) / 2), 0), height - down)
    return x, y, x + across, y + down


def _told(entry: dict[str, Any]) -> str:
    what = [entry["kind"], *([f"({entry['rule']})"] if entry["rule"] else [])]
    if entry["cards"]:
        what.append(", ".join(entry["cards"]))
    if entry["source"] and entry["source"] != entry["target"]:
        what.append(f"{entry['source']} -> {entry['target']}")
    what.append(f"{entry['landed']:.2f} s")
    if entry["cards"]:
        what.append(f"seen in {entry['shown']} frames, {entry['px']} px")
    return "  ".join(what)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("video", type=Path, help="a film of scripts.build.film.hand")
    parser.add_argument("--out", type=Path, required=True, help="picture to write: .jpg or .png")
    parser.add_argument(
        "--every", type=float, metavar="SECONDS", help="the whole table from time to time instead"
    )
    parser.add_argument("--states", action="store_true", help="every state of a filmed evening instead")
    parser.add_argument("--width", type=int, default=WIDTH, help="of one picture, px")
    options = parser.parse_args(arguments)
    return ended("build.film.contact_sheet", lambda: _draw(options), SheetError, VideoError)


def _draw(options: argparse.Namespace) -> str:
    video, out, every = options.video, options.out, options.every
    if out.suffix.lower() not in (".jpg", ".jpeg", ".png"):
        raise SheetError(f"{out}: not a kind of picture that can be written; use .jpg")
    if options.states:
        drawn = states(video, options.width)
    else:
        drawn = course(video, every, options.width) if every else sheet(video, options.width)
    done, data = cv2.imencode(out.suffix, drawn)
    if not done:
        raise SheetError(f"{out}: could not be encoded")
    out.parent.mkdir(parents=True, exist_ok=True)
    put(out, data.tobytes())
    return f"{out}: {drawn.shape[1]} x {drawn.shape[0]} px"


if __name__ == "__main__":
    sys.exit(main())
