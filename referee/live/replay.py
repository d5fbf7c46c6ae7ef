"""Referees a recording: frames and the eye on one side, the umpire and the rules on the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from referee.live import scribe
from referee.live.gate import Gate, Wanted
from referee.live.unseen import Unseen
from referee.record.book import Book
from referee.rules.places import NERTS, Place
from referee.rules.settings import Settings, SettingsError
from referee.umpire.building import fits
from referee.umpire.deal import NERTS_CARDS, has_begun
from referee.umpire.dealt_row import WORK_PILES, DealNotFoundError, HandBegunError, NotFollowedError
from referee.umpire.odds import Odds
from referee.umpire.sights import Window
from referee.umpire.umpire import Umpire
from vision.capture.ahead import ahead
from vision.capture.change import ChangeMap
from vision.capture.frames import CutOffError, Image
from vision.capture.gaps import GapFinder
from vision.capture.video import Frame, Span, Video
from vision.geometry.camera import Rectangles
from vision.geometry.plane import lay_plane
from vision.layout import Floats, Layout

#: The deal is read from so many looks at the whole table; the moments (s) of these, and of the further ones that
#: are taken where it cannot be read yet, then every so many seconds. They are few, since such a look takes a second.
DEAL_LOOKS = 3
DEAL_AT_S = (0.0, 0.25, 0.5, 3.0, 8.0)
DEAL_EVERY_S = 5.0
#: What is believed is told so often (s): events this old (s), unsure ones (less than this) a little later. A call is
#: told when the last card that was laid before it must have been seen.
TELL_EVERY_S, SETTLED_S, UNSURE, UNSURE_SETTLED_S, CALL_SETTLED_S = 0.5, 2.0, 0.6, 4.0, 4.0

Progress = Callable[[float, float], None]
#: Who called, or who and at which second.
Call = str | tuple[str, float]


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


@dataclass(frozen=True, slots=True)
class Terms:
    """What the players agreed on and told: the game, house rules, who called (and when), seat → name of its deck."""

    game: str = "nerts"
    settings: Mapping[str, Any] = field(default_factory=dict)
    call: Call | None = None
    decks: Mapping[str, str] = field(default_factory=dict)

    @property
    def seats(self) -> list[str]:
        """The seats that are named: they must sit at the table."""
        caller = self.call[0] if isinstance(self.call, tuple) else self.call
        return [*([caller] if caller else []), *self.decks]


@dataclass(slots=True)
class Referee:
    """Follows a hand frame by frame: `push` every frame, then `end`; both return the lines that the record gains."""

    eyes: Eyes
    umpire: Umpire
    width: int
    height: int
    fps: float
    terms: Terms = field(default_factory=Terms)
    #: Whether rulings are written as they are made.
    rulings: bool = True
    change: ChangeMap = field(init=False)
    gate: Gate = field(init=False)
    #: Looks taken so far, and their pixels in megapixels.
    looks: int = 0
    megapixels: float = 0.0
    ended_at: float = 0.0
    unseen: Unseen = field(default_factory=Unseen)
    book: Book | None = None
    #: Why no deal could be read so far, and how often that was tried.
    why_no_deal: DealNotFoundError | None = None
    deals_tried: int = 0
    _gaps: GapFinder = field(default_factory=GapFinder)
    _gaps_told: int = 0
    _told_at: float = 0.0
    _deal_looks: list[Layout] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.change = ChangeMap(self.width, self.height)
        self.gate = Gate(self.change, self.width, self.height)

    @property
    def state(self) -> str:
        """Until a deal is seen "dealing", then "playing", and "over" when the hand has ended."""
        if self.book is None:
            return "dealing"
        return "over" if self.book.hand.ended else "playing"

    def push(self, frame: Frame) -> list[scribe.Line]:
        """Take the next frame. Raises `NotFollowedError` for seats that were named and are not there."""
        self.change.push(frame.time_s, frame.image)
        self.ended_at = frame.time_s
        for gap in self._gaps.push(frame):
            self.unseen.add(gap, self._changed())
        self.unseen.under_way = self._gaps.under_way
        if self.umpire.dealt is None:
            return self._find_deal(frame)
        self._follow(frame)
        if frame.time_s - self._told_at < TELL_EVERY_S:
            return []
        return self._tell(frame.time_s)

    def end(self, unreadable: Span | None = None) -> list[scribe.Line]:
        """There are no more frames; `unreadable`: the end of the recording (s) where that cannot be read.

        Raises `DealNotFoundError` if there was no deal.
        """
        for gap in self._gaps.end(unreadable):
            self.unseen.add(gap, self._changed())
        self.unseen.under_way = None
        if self.book is None:
            raise self.why_no_deal or DealNotFoundError(
                "no dealt table can be seen: the recording is too short"
            )
        return self._tell(None)

    def _changed(self) -> list[Place]:
        """The places that look otherwise than when they were seen last."""
        if self.umpire.dealt is None:
            return []
        return [p for p, core in self.umpire.regions(margin_mm=-6.0).items() if self.change.differs(core)]

    def _look(self, frame: Frame, window: Window | None, to_table: Floats | None) -> Layout:
        x0, y0, x1, y1 = window or (0, 0, self.width, self.height)
        self.looks += 1
        self.megapixels += (x1 - x0) * (y1 - y0) / 1e6
        return self.eyes.look(frame, window, to_table)

    def _find_deal(self, frame: Frame) -> list[scribe.Line]:
        if frame.time_s < self._next_deal_look():
            return []
        self.deals_tried += 1
        self._deal_looks = [*self._deal_looks, self._look(frame, None, None)][-DEAL_LOOKS:]
        if len(self._deal_looks) < DEAL_LOOKS:
            return []
        try:
            deal = self.umpire.deal(self._deal_looks, partial(self._look, frame))
        except DealNotFoundError as why:
            # later, cards have been played and say less of why
            self.why_no_deal = self.why_no_deal or why
            if has_begun(self._deal_looks):
                self.why_no_deal = HandBegunError(
                    "the hand had begun before the recording, since cards lie built on work piles: begin recording "
                    "when the cards are dealt and before the first one moves"
                )
            return []
        self._check_seats()
        self._deal_looks = []
        self.change.accept_tiles(np.ones_like(self.change.changed))
        self._told_at = frame.time_s
        terms = self.terms
        self.book = Book(
            scribe.header_line(deal, terms.game, terms.settings, terms.decks, self.fps), self.rulings
        )
        return [self.book.header, *self.book.tell(scribe.deal_lines(deal))]

    def _next_deal_look(self) -> float:
        late = self.deals_tried - len(DEAL_AT_S)
        return DEAL_AT_S[self.deals_tried] if late < 0 else DEAL_AT_S[-1] + (late + 1) * DEAL_EVERY_S

    def _follow(self, frame: Frame) -> None:
        cores = self.umpire.regions(margin_mm=-6.0)
        regions = self.umpire.regions(margin_mm=8.0)
        for wanted in self.gate.wanted(cores, regions, self._centre()):
            self._take(frame, wanted, cores)

    def _take(self, frame: Frame, wanted: Wanted, cores: Mapping[Place, Floats]) -> None:
        assert self.umpire.dealt is not None
        layout = self._look(frame, wanted.window, self.umpire.dealt.area.to_table)
        views = self.umpire.see(frame.time_s, frame.index, layout, window=wanted.window, still=self.change)
        self.unseen.seen((view.place for view in views), frame.index)
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

    def _tell(self, now: float | None) -> list[scribe.Line]:
        """What the record gains by what is believed now (s); None: at the end, when all is told."""
        assert self.book is not None and self.umpire.dealt is not None
        self._told_at = self.ended_at
        gaps = [self.book.note(scribe.gap_line(gap)) for gap in self.unseen.gaps[self._gaps_told :]]
        self._gaps_told += len(gaps)
        caller = self._caller(now)
        believed = [
            *scribe.deal_lines(self.umpire.dealt),
            *(
                scribe.event_line(event, sure, self.unseen.hides(event))
                for event, sure in self.umpire.events()
                if now is None or event.at <= self._settled(now, sure, called=caller is not None)
            ),
        ]
        if caller is not None:
            seat, at, sure = caller
            right = self.umpire.nerts_left(seat, at + scribe.LATE_SIGHT_S) == 0
            believed = scribe.with_call(believed, seat, at, sure, right=right)
        return [*gaps, *self.book.tell(believed)]

    def _settled(self, now: float, sure: float, *, called: bool) -> float:
        """Up to which moment (s) events are told: nothing from a call on, until the call itself is."""
        settled = now - (SETTLED_S if sure >= UNSURE else UNSURE_SETTLED_S)
        call = self.terms.call
        return settled if called or not isinstance(call, tuple) else min(settled, call[1])

    def _check_seats(self) -> None:
        unknown = [seat for seat in self.terms.seats if seat not in self.umpire.seats]
        if unknown:
            at_table = " and ".join(self.umpire.seats)
            raise NotFollowedError(
                f"{unknown[0]!r} does not sit at this table: {at_table} do, as the picture shows it"
            )

    def _caller(self, now: float | None) -> tuple[str, float, float] | None:
        """(seat, moment, confidence) of the call: as told, else whoever has no Nerts pile left at the end."""
        call = self.terms.call
        if isinstance(call, tuple):
            return (*call, 1.0) if now is None or now >= call[1] + CALL_SETTLED_S else None
        if now is not None:
            return None
        seats = (
            [call]
            if call
            else [seat for seat in self.umpire.seats if not self.umpire.story.pile(Place(NERTS, 0, seat))]
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
    umpire = Umpire(Odds(fits, draw_cards=followed(game, settings).count("draw")))
    terms = Terms(game, settings or {}, call, seats or {})
    opened = video if isinstance(video, Video) else Video(video)
    cut_off: CutOffError | None = None
    with opened, closing(ahead(opened)) as frames:
        referee = Referee(
            _eyes(eye, table), umpire, opened.width, opened.height, opened.fps or 30.0, terms, rulings=False
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
    tried = isinstance(why, HandBegunError) or referee.deals_tried >= len(DEAL_AT_S)
    if referee.book is None and why is not None and tried:
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
    dealt = rules.get("nerts_cards"), rules.get("nerts_face"), rules.get("work_piles")
    if rules.preset.family != "nerts" or dealt != (NERTS_CARDS, "top", WORK_PILES):
        raise SettingsError(
            f"{game!r} as set cannot be followed on video yet: only Nerts with {NERTS_CARDS} Nerts cards, the top "
            f"one open, and {WORK_PILES} work piles"
        )
    return rules


def _eyes(eye: Any, table: Rectangles | None) -> Eyes:
    if eye is None:
        from vision.eye import Eye

        return CropEyes(Eye(), table)
    return eye if hasattr(eye, "look") else CropEyes(eye, table)


__all__ = ["CropEyes", "Eyes", "Image", "Referee", "replay"]
