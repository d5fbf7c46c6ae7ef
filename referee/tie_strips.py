"""A picture of every tie of a recording: the frames around both landings, and how the cards lie then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from referee.record.corrections import apply_corrections
from referee.rules.events import Event, Play, parse_event
from vision.capture.filmstrip import frames_at, unpacked
from vision.capture.frames import Image
from vision.wholefile import write_whole

Json = Mapping[str, Any]
#: So long (s) before the first landing the place is shown as it was, and so long after the last one as it is then.
BEFORE_S, LEFT_S = 0.5, 0.8
#: What the ends of a landing's interval show.
ENDS = ("comes", "lies")
#: A picture's caption: height (px), and the size of its letters.
CAPTION_PX, LETTERS = 44, 0.8


@dataclass(frozen=True, slots=True)
class Tie:
    """One tie of a record: when it was (s), the moments that are shown (s), and what each picture shows."""

    at: float
    moments: tuple[float, ...]
    captions: tuple[str, ...]


def ties_of(lines: Sequence[Json]) -> list[Tie]:
    """The ties that a hand's record (its header first) rules on, in order, where both landings are told."""
    record = [dict(line) for line in lines]
    gone = {line["of"] for line in record if line.get("event") == "correct" and line.get("drop")}
    found = [n for n, line in enumerate(record) if line.get("ruling") == "tie" and n not in gone]
    if not found:
        return []
    events = [Event(), *(parse_event(line) for line in record[1:])]
    plays = {one.index: one.event for one in apply_corrections(record, events).events}
    ties = (_tie(record[number], [plays.get(of) for of in record[number]["of"]]) for number in found)
    return [tie for tie in ties if tie is not None]


def _tie(ruling: Json, plays: Sequence[Event | None]) -> Tie | None:
    shown = list[tuple[float, str]]()
    for play in plays:
        if not isinstance(play, Play) or play.landed is None:
            return None
        shown += [
            (at, f"{play.seat} {' '.join(play.cards)} {word}")
            for at, word in zip(play.landed, ENDS, strict=True)
        ]
    shown.sort()
    winner = f", {ruling['seat']}" if ruling["verdict"] == "first" else ""
    first, last = (shown[0][0] - BEFORE_S, "before"), (shown[-1][0] + LEFT_S, ruling["verdict"] + winner)
    told = [first, *shown, last]
    moments = tuple(max(0.0, round(at, 3)) for at, _ in told)
    return Tie(ruling["at"], moments, tuple(f"{at:.2f} s: {words}" for at, words in told))


def write_tie_strips(folder: Path, video: Path, hands: Sequence[Sequence[Json]]) -> list[Path]:
    """Write a PNG of every tie of these hands of a recording into `folder`; their paths. Raises VideoError, OSError."""
    ties = [(number, tie) for number, lines in enumerate(hands, 1) for tie in ties_of(lines)]
    moments = sorted({moment for _, tie in ties for moment in tie.moments})
    # the recording is gone through once
    frames = frames_at(video, moments) if ties else {}
    written = []
    for number, tie in ties:
        hand = f"hand{number}-" if len(hands) > 1 else ""
        path = folder / f"{video.stem}-{hand}tie-{tie.at:.1f}s.png"
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, _joined([unpacked(frames[at]) for at in tie.moments], tie.captions))
        written.append(path)
    return written


def _joined(pictures: Sequence[Image], captions: Sequence[str]) -> bytes:
    """The pictures of a tie in two rows, each with its caption, as a PNG."""
    captioned = [_captioned(picture, words) for picture, words in zip(pictures, captions, strict=True)]
    half = -(-len(captioned) // 2)
    captioned += [np.zeros_like(captioned[0])] * (2 * half - len(captioned))
    joined = np.vstack([np.hstack(captioned[:half]), np.hstack(captioned[half:])])
    done, png = cv2.imencode(".png", joined)
    assert done
    return png.tobytes()


def _captioned(picture: Image, words: str) -> Image:
    caption = np.zeros((CAPTION_PX, picture.shape[1], 3), np.uint8)
    at = (6, CAPTION_PX - 14)
    cv2.putText(caption, words, at, cv2.FONT_HERSHEY_SIMPLEX, LETTERS, (255, 255, 255), 1, cv2.LINE_AA)
    return np.asarray(np.vstack([caption, picture]), dtype=np.uint8)
