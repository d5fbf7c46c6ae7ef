"""Referees a recording, from its first frame to its score."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from referee.live import scribe
from referee.live.beginning import DEAL_AT_S
from referee.live.hand import Referee
from referee.live.looking import CropEyes, Eyes
from referee.live.terms import Call, Terms
from referee.rules.settings import Settings
from referee.umpire.dealing import Dealing
from referee.umpire.seats.dealt_row import NotFollowedError
from referee.umpire.umpire import Umpire
from vision.capture.ahead import ahead
from vision.capture.frames import CutOffError
from vision.capture.video import Footage, Video
from vision.geometry.camera import Rectangles

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
) -> Iterator[scribe.Line]:
    """Referee a recording of a fixed overhead camera: the lines of its record, rulings and score at the end.

    `call`: who called, or (who, second); without it the seat whose Nerts pile is empty at the end has called.
    `seats`: seat → name of its deck. `eye`: anything with `see` as `vision.eye.Eye`, or with `look`.
    `table`: a rectangle of known size on the table, in px of the frames.
    `on_progress` is told (seconds done, seconds in all). Raises `NotFollowedError` where no deal is seen, where
    `call` or `seats` name a seat that is not there, or a moment behind the end; `CutOffError` behind the last line
    of a recording that is cut off.
    """
    umpire = Umpire.of(followed(game, settings))
    terms = Terms(game, settings or {}, call, seats or {})
    opened = Video(video) if isinstance(video, str | Path) else video
    cut_off: CutOffError | None = None
    with opened, closing(ahead(opened)) as frames:
        referee = Referee(
            eyes_of(eye, table), umpire, opened.width, opened.height, opened.fps or 30.0, terms, rulings=False
        )
        try:
            for frame in frames:
                yield from referee.push(frame)
                _give_up(referee)
                if on_progress is not None:
                    on_progress(frame.time_s, max(opened.duration_s, frame.time_s))
        except CutOffError as error:
            cut_off = error
    _check_call(referee)
    yield from referee.end(opened.unreadable_end)
    assert referee.book is not None
    yield from scribe.ruled(referee.book.lines)
    if cut_off is not None:
        raise cut_off


def _give_up(referee: Referee) -> None:
    """Raises `DealNotFoundError` where it is plain that a recording shows no deal."""
    why = referee.why_no_deal
    if referee.book is None and why is not None and referee.deals_tried >= len(DEAL_AT_S):
        raise why


def _check_call(referee: Referee) -> None:
    call = referee.terms.call
    if isinstance(call, tuple) and call[1] > referee.ended_at + 1.0:
        raise NotFollowedError(
            f"it ends at {referee.ended_at:.1f} s, before the call at {call[1]:g} s: tell the moment in seconds from "
            "the beginning of the recording"
        )


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
