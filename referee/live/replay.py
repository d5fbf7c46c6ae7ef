"""Referees a recording, from its first frame to its score."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

from referee.live import scribe
from referee.live.hands import Hands
from referee.live.looking import CropEyes, Eyes
from referee.live.terms import Call, Terms, Totals
from referee.rules.settings import Settings
from referee.umpire.dealing import Dealing
from referee.umpire.umpire import Umpire
from vision.capture.ahead import ahead
from vision.capture.frames import CutOffError, VideoError
from vision.capture.live.lazy_frame import frames_of, lazy, restamped
from vision.capture.video import Footage, Frame, Video
from vision.geometry.camera import Rectangles

#: Two moments of a frame, counted from two places where the file was entered, are no further apart (s).
SAME_FRAME_S = 0.002

Progress = Callable[[float, float], None]


def replay(
    video: str | Path | Footage,
    game: str = "nerts",
    settings: Mapping[str, Any] | None = None,
    *,
    call: Call | None = None,
    seats: Mapping[str, str] | None = None,
    eye: Any = None,
    table: Rectangles | None = None,
    on_progress: Progress | None = None,
    totals: Totals | None = None,
    on_notice: Callable[[str], None] | None = None,
    fast: bool = False,
) -> Iterator[scribe.Line]:
    """Referee a recording of a fixed overhead camera: the lines of its record, rulings and score at the end.

    Of several hands one record follows the other; each begins with its header.

    `call`: who called, or (who, second); without it the seat whose Nerts pile is empty at the end has called. In a
    recording of several hands, who called without a second called in the first.
    `seats`: seat → name of its deck. `eye`: anything with `see` as `vision.eye.Eye`, or with `look`.
    `table`: a rectangle of known size on the table, in px of the frames.
    `totals`: what each seat has in the match, asked when a hand begins.
    `on_notice` is told, in one line and as soon as it is seen, what makes it hard to follow.
    `fast`: in one pass, as live; else what was seen of a hand is explained again when it is over, and what turns out
    otherwise is corrected (`correct` lines with `pass`: 2).
    `on_progress` is told (seconds done, seconds in all). Raises `NotFollowedError` where no deal is seen, where
    `call` or `seats` name a seat that is not there, or a moment behind the end; `CutOffError` behind the last line
    of a recording that is cut off.
    """
    rules = followed(game, settings)
    terms = Terms(game, settings or {}, call, seats or {}, totals=totals)
    opened = Video(video) if isinstance(video, str | Path) else video
    cut_off: CutOffError | None = None
    shown: list[tuple[float, int]] = []
    with opened, closing(ahead(frames_of(opened))) as frames:
        size = opened.width, opened.height
        hands = Hands(eyes_of(eye, table), lambda: Umpire.of(rules), size, opened.fps or 30.0, terms)
        hands.twice, hands.on_notice = not fast, on_notice or hands.on_notice
        hands.frames_from = partial(_again, opened.path, shown) if isinstance(opened, Video) else None
        try:
            for frame in frames:
                shown.append((frame.time_s, frame.index))
                yield from hands.push(frame)
                if on_progress is not None:
                    on_progress(frame.time_s, max(opened.duration_s, frame.time_s))
        except CutOffError as error:
            cut_off = error
    yield from hands.end(opened.unreadable_end)
    if cut_off is not None:
        raise cut_off


def _again(path: Path, shown: Sequence[tuple[float, int]], since: float) -> Iterator[Frame]:
    """The frames of a recording from a second on, as they were `shown` (s, index) the first time."""
    with suppress(VideoError, CutOffError), Video(path) as video:
        for stored in video.as_stored(since):
            number = bisect_left(shown, (stored.time_s - SAME_FRAME_S, -1))
            if number < len(shown) and shown[number][0] <= stored.time_s + SAME_FRAME_S:
                at, index = shown[number]
                yield restamped(lazy(video, stored), index, at)


def followed(game: str, settings: Mapping[str, Any] | None = None) -> Settings:
    """The settings of a game that can be followed on video; `SettingsError` for others, and for what is no game."""
    rules = Settings.of(game, settings)
    Dealing.of(rules)
    return rules


def eyes_of(eye: Any, table: Rectangles | None) -> Eyes:
    """What looks at frames: the eye given (or the shipped one), cropping unless it does so itself."""
    if eye is None:
        from vision.eye import Eye

        return CropEyes(Eye(), table)
    return eye if hasattr(eye, "look") else CropEyes(eye, table)
