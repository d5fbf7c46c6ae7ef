"""Referees a recording: frames and the eye on one side, the umpire and the rules on the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from referee.settings import Settings, SettingsError
from referee.umpire import scribe
from referee.umpire.building import fits
from referee.umpire.deal import NERTS_CARDS
from referee.umpire.dealt_row import WORK_PILES, DealNotFoundError
from referee.umpire.gate import Gate, Wanted
from referee.umpire.odds import Odds
from referee.umpire.sights import Place, Window
from referee.umpire.story import NERTS
from referee.umpire.umpire import Umpire
from vision.ahead import ahead
from vision.camera import Rectangles
from vision.change import ChangeMap
from vision.frames import CutOffError, Image
from vision.layout import Floats, Layout
from vision.plane import lay_plane
from vision.video import Frame, Video

#: Looks at the whole table before the deal is read, s between them, and when to give up.
DEAL_LOOKS, DEAL_EVERY_S, DEAL_LATEST_S = 3, 0.25, 10.0

Progress = Callable[[float, float], None]


class Eyes(Protocol):
    """What looks at frames: `box` is (x0, y0, x1, y1) px, the layout comes back in px of the whole frame.

    `to_table`: (3, 3) px of the whole frame -> mm, once it is known.
    """

    def look(self, frame: Frame, box: Window | None, to_table: Floats | None) -> Layout:
        """The layout of the box; of the whole frame for None."""


@dataclass(slots=True)
class CropEyes:
    """Looks with an eye at no more of a frame than it is asked to."""

    eye: Any
    #: A rectangle of known size on the table, where somebody told of one.
    table: Rectangles | None = None

    def look(self, frame: Frame, box: Window | None, to_table: Floats | None) -> Layout:
        """See `Eyes.look`."""
        height, width = frame.image.shape[:2]
        x0, y0, x1, y1 = box or (0, 0, width, height)
        known = None if to_table is None else _shifted(to_table, x0, y0)
        layout: Layout = self.eye.see(np.ascontiguousarray(frame.image[y0:y1, x0:x1]), to_table=known)
        if self.table is not None and box is None and to_table is None:
            lay_plane(layout, self.table, "corners")
        return moved(layout, x0, y0, width, height)


def moved(layout: Layout, x: int, y: int, width: int, height: int) -> Layout:
    """A crop's layout in px of the whole picture."""
    by = np.array([x, y], dtype=np.float64)
    for card in layout.cards:
        card.corners = card.corners + by
        card.visible = card.visible + by
    for hand in layout.hands:
        hand.corners = hand.corners + by
    if layout.to_table is not None:
        layout.to_table = _shifted(layout.to_table, -x, -y)
    if (layout.width, layout.height) != (width, height):
        # a plane with its lens belongs to its own picture
        layout.plane = None
    layout.width, layout.height = width, height
    return layout


def _shifted(to_table: Floats, x: int, y: int) -> Floats:
    """A plane (px -> mm) for px counted from (x, y)."""
    return np.asarray(to_table @ np.array([[1.0, 0.0, x], [0.0, 1.0, y], [0.0, 0.0, 1.0]]))


@dataclass(slots=True)
class Referee:
    """Follows a hand frame by frame: `push` every frame, then ask for the `record`."""

    eyes: Eyes
    umpire: Umpire
    width: int
    height: int
    fps: float
    change: ChangeMap = field(init=False)
    gate: Gate = field(init=False)
    #: Looks taken so far, and their pixels in megapixels.
    looks: int = 0
    megapixels: float = 0.0
    ended_at: float = 0.0
    _deal_looks: list[Layout] = field(default_factory=list)
    _deal_next: float = 0.0
    _why_no_deal: DealNotFoundError | None = None

    def __post_init__(self) -> None:
        self.change = ChangeMap(self.width, self.height)
        self.gate = Gate(self.change, self.width, self.height)

    def push(self, frame: Frame) -> None:
        """Take the next frame."""
        self.change.push(frame.time_s, frame.image)
        self.ended_at = frame.time_s
        if self.umpire.dealt is None:
            self._find_deal(frame)
        else:
            self._follow(frame)

    def _look(self, frame: Frame, window: Window | None, to_table: Floats | None) -> Layout:
        x0, y0, x1, y1 = window or (0, 0, self.width, self.height)
        self.looks += 1
        self.megapixels += (x1 - x0) * (y1 - y0) / 1e6
        return self.eyes.look(frame, window, to_table)

    def _find_deal(self, frame: Frame) -> None:
        if frame.time_s < self._deal_next:
            return
        if frame.time_s > DEAL_LATEST_S:
            raise self._why_no_deal or DealNotFoundError("no dealt table can be seen")
        self._deal_next = frame.time_s + DEAL_EVERY_S
        self._deal_looks = [*self._deal_looks, self._look(frame, None, None)][-DEAL_LOOKS:]
        if len(self._deal_looks) < DEAL_LOOKS:
            return
        try:
            self.umpire.deal(self._deal_looks, partial(self._look, frame))
        except DealNotFoundError as why:
            # later, cards have been played and say less of why
            self._why_no_deal = self._why_no_deal or why
            return
        self.change.accept_tiles(np.ones_like(self.change.changed))

    def _follow(self, frame: Frame) -> None:
        cores = self.umpire.regions(margin_mm=-6.0)
        regions = self.umpire.regions(margin_mm=8.0)
        for wanted in self.gate.wanted(cores, regions, self._centre()):
            self._take(frame, wanted, cores)

    def _take(self, frame: Frame, wanted: Wanted, cores: Mapping[Place, Floats]) -> None:
        assert self.umpire.dealt is not None
        layout = self._look(frame, wanted.window, self.umpire.dealt.area.to_table)
        views = self.umpire.see(frame.time_s, frame.index, layout, window=wanted.window, still=self.change)
        fresh = self.umpire.regions(margin_mm=2.0)
        self.gate.seen(wanted, [view.place for view in views], fresh, bool(layout.hands))
        for view in views:
            self.gate.told(view.place, news=self.umpire.news(view))
            if self.umpire.doubts(view):
                self.gate.again(view.place)

    def _centre(self) -> Floats:
        """px: the part of the table between the rows, where foundations may be begun."""
        assert self.umpire.dealt is not None
        return self.umpire.dealt.area.centre(self.width, self.height)

    def record(
        self,
        game: str,
        settings: Mapping[str, Any] | None = None,
        call: str | tuple[str, float] | None = None,
        decks: Mapping[str, str] | None = None,
    ) -> list[scribe.Line]:
        """The record so far with rulings and score. Raises `DealNotFoundError` if there was no deal."""
        deal = self.umpire.dealt
        if deal is None:
            raise self._why_no_deal or DealNotFoundError(
                "no dealt table can be seen: the recording is too short"
            )
        header = scribe.header_line(deal, game, settings, decks, self.fps)
        lines = [*scribe.deal_lines(deal), *(scribe.event_line(e, sure) for e, sure in self.umpire.events())]
        self._check_seats([*([call[0] if isinstance(call, tuple) else call] if call else []), *(decks or {})])
        caller = self._caller(call)
        if caller is not None:
            lines = scribe.with_call(lines, *caller)
        return scribe.ruled([header, *lines])

    def _check_seats(self, named: Iterable[str]) -> None:
        unknown = [seat for seat in named if seat not in self.umpire.seats]
        if unknown:
            at_table = " and ".join(self.umpire.seats)
            raise ValueError(
                f"{unknown[0]!r} does not sit at this table: {at_table} do, as the picture shows it"
            )

    def _caller(self, call: str | tuple[str, float] | None) -> tuple[str, float, float] | None:
        """(seat, moment, confidence) of the call: as told, else whoever has no Nerts pile left."""
        if isinstance(call, tuple):
            return call[0], call[1], 1.0
        seats = (
            [call]
            if call
            else [seat for seat in self.umpire.seats if not self.umpire.story.pile(Place(seat, NERTS))]
        )
        if not seats:
            return None
        last = max((event.at for event, _ in self.umpire.events()), default=self.ended_at)
        return seats[0], last, 1.0 if call else self.umpire.likely_empty(seats[0])


def replay(
    video: str | Path | Video,
    game: str = "nerts",
    settings: Mapping[str, Any] | None = None,
    *,
    call: str | tuple[str, float] | None = None,
    seats: Mapping[str, str] | None = None,
    eye: Any = None,
    table: Rectangles | None = None,
    on_progress: Progress | None = None,
) -> Iterator[scribe.Line]:
    """Referee a recording of a fixed overhead camera: the lines of its record, rulings and score at the end.

    `call`: who called, or (who, second); without it the seat whose Nerts pile is empty at the end has called.
    `seats`: seat → name of its deck. `eye`: anything with `see` as `vision.eye.Eye`, or with `look`.
    `table`: a rectangle of known size on the table, in px of the frames.
    `on_progress` is told (seconds done, seconds in all). Raises `DealNotFoundError` where no deal is seen,
    `CutOffError` behind the last line of a recording that is cut off.
    """
    umpire = Umpire(Odds(fits, draw_cards=followed(game, settings).count("draw")))
    opened = video if isinstance(video, Video) else Video(video)
    with opened, closing(ahead(opened)) as frames:
        referee = Referee(_eyes(eye, table), umpire, opened.width, opened.height, opened.fps or 30.0)
        cut_off = _push_all(referee, frames, opened.duration_s, on_progress)
    yield from referee.record(game, settings, call, seats)
    if cut_off is not None:
        raise cut_off


def followed(game: str, settings: Mapping[str, Any] | None = None) -> Settings:
    """The settings of a game that can be followed on video; `SettingsError` for others, and for what is no game."""
    rules = Settings.of(game, settings)
    dealt = rules.get("nerts_cards"), rules.get("nerts_face"), rules.get("work_piles")
    if rules.preset.family != "nerts" or dealt != (NERTS_CARDS, "top", WORK_PILES):
        raise SettingsError(
            f"{game!r} as set cannot be followed on video yet: only Nerts with {NERTS_CARDS} Nerts cards, the top "
            f"one open, and {WORK_PILES} work piles"
        )
    return rules


def _push_all(
    referee: Referee, frames: Iterable[Frame], duration_s: float, on_progress: Progress | None
) -> CutOffError | None:
    try:
        for frame in frames:
            referee.push(frame)
            if on_progress is not None:
                on_progress(frame.time_s, max(duration_s, frame.time_s))
    except CutOffError as error:
        return error
    return None


def _eyes(eye: Any, table: Rectangles | None) -> Eyes:
    if eye is None:
        from vision.eye import Eye

        return CropEyes(Eye(), table)
    return eye if hasattr(eye, "look") else CropEyes(eye, table)


__all__ = ["CropEyes", "Eyes", "Image", "Referee", "replay"]
