"""Follows one hand: frames and the eye on one side, the umpire and the rules on the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from referee.live import scribe
from referee.live.arms import Arms
from referee.live.beginning import Beginning
from referee.live.gate import UNQUIET_SHARE, Gate, Wanted
from referee.live.in_view import troubles
from referee.live.looking import Eyes, SteadyEyes, for_play
from referee.live.moments import Moments
from referee.live.noticing import Noticing
from referee.live.stillness import Pictures
from referee.live.terms import Terms
from referee.live.unseen import Unseen
from referee.record.book import Book
from referee.rules.events import INFERRED
from referee.rules.places import Place
from referee.umpire.seats.area import SeatArea
from referee.umpire.seats.deal import Deal
from referee.umpire.seats.dealt_row import DealNotFoundError, NotFollowedError
from referee.umpire.sights import Point, View, Window
from referee.umpire.still import Stillness
from referee.umpire.story import Believed
from referee.umpire.umpire import Umpire
from vision.capture.change import ChangeMap, Grey
from vision.capture.gaps import Gap
from vision.capture.moments.ring import FrameRing
from vision.capture.video import Frame, Span
from vision.layout import Floats, Layout

#: What is believed is told so often (s): events this old (s), unsure ones (less than this) a little later. A call is
#: told when the last card that was laid before it must have been seen.
TELL_EVERY_S, SETTLED_S, UNSURE, UNSURE_SETTLED_S, CALL_SETTLED_S = 0.5, 2.0, 0.6, 4.0, 4.0
#: What happened this much (s) before cards were seen to be gathered up may have been the first of it.
SHORTLY_S = 0.05
#: What must change of a place before it is looked at: so much (mm) around its cards.
CORE_MM = -6.0
#: So many beliefs are remembered: it takes time to see that a hand is over.
BELIEFS = 40


@dataclass(slots=True)
class Referee:
    """Follows a hand frame by frame: `push` every frame, then `end`; both return the lines that the record gains.

    Who has more frames than can be looked at `notice`s all of them and takes a `look` at some; who finds the deal
    `begin`s with it.
    """

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
    #: What is known of movement when a look is taken.
    still: Callable[[], Stillness] = field(init=False)
    #: Looks taken so far, and their pixels in megapixels.
    looks: int = 0
    megapixels: float = 0.0
    ended_at: float = 0.0
    unseen: Unseen = field(default_factory=Unseen)
    book: Book | None = None
    #: Calls (seat, s) in the order in which they were made, and the moment (s) behind which nothing is of this hand.
    calls: list[tuple[str, float]] = field(default_factory=list)
    cut_at: float = np.inf
    #: From this moment (s) on nothing is told for now: what happens may not be play.
    hold_at: float = np.inf
    beginning: Beginning = field(init=False)
    #: The last seconds of the picture, to look back into; `push` keeps one of its own.
    ring: FrameRing | None = None
    #: Told of every view that is taken.
    on_view: Callable[[View], None] | None = None
    #: What is believed for good: the deal, and what was told before the hand was taken up again.
    _before: list[scribe.Line] = field(default_factory=list)
    _noticing: Noticing | None = None
    _gaps_told: int = 0
    #: When (s) the record was told last, and what was believed then to have happened, with its confidence.
    told_at: float = 0.0
    events: list[tuple[Believed, float]] = field(default_factory=list)
    #: Of late, when what was believed.
    _beliefs: deque[tuple[float, list[tuple[Believed, float]]]] = field(
        default_factory=lambda: deque(maxlen=BELIEFS)
    )
    _frozen: bool = False
    #: How the hand ended, where nobody called.
    _why: str = ""
    _arms: Arms | None = None
    _moments: Moments | None = None

    def __post_init__(self) -> None:
        self.change = ChangeMap(self.width, self.height)
        self.gate = Gate(self.change, self.width, self.height)
        self.still = lambda: Pictures(self.change, self.ring)
        self.beginning = Beginning(self.umpire, self._look)
        self.umpire.partners.whose, self.umpire.arms = self._whose, self._arms_over
        if isinstance(self.terms.call, tuple):
            self.calls.append(self.terms.call)

    @property
    def arms(self) -> Arms:
        """Where arms moved of late."""
        if self._arms is None or self._arms.change is not self.change:
            self._arms = Arms(self.change)
        return self._arms

    @property
    def moments(self) -> Moments:
        """When cards were lifted, and by which arm."""
        if self._moments is None or self._moments.change is not self.change:
            self._moments = Moments(self.umpire, self.change)
        return self._moments

    @property
    def state(self) -> str:
        """Until a deal is seen "dealing", then "playing", and "over" when the hand has ended."""
        if self.book is None:
            return "dealing"
        return "over" if self.book.hand.ended else "playing"

    # -- frames --------------------------------------------------------------------------------------------

    def push(self, frame: Frame) -> list[scribe.Line]:
        """Take the next frame. Raises `NotFollowedError` for seats that were named and are not there."""
        if self._noticing is None:
            self.ring = FrameRing(self.width, self.height)
            self._noticing = Noticing(self.change, self.ring)
            self.eyes = SteadyEyes(self.eyes, self._noticing.to_first)
        small, gaps = self._noticing.push(frame)
        if small is not None:
            self.notice(frame.time_s, small)
        for gap in gaps:
            self.miss(gap)
        self.unseen.under_way = self._noticing.under_way
        return [] if small is None else self.look(frame)

    def notice(self, at: float, small: Grey) -> None:
        """Something moved, or nothing did: the frame shown at `at` (s), as `ChangeMap.shrunk` makes it small."""
        self.change.push_small(at, small)
        if self.umpire.dealing.partners:
            self.arms.note()

    def _whose(self, area: SeatArea, hands: Sequence[tuple[Point, float]]) -> float:
        assert self.umpire.dealt is not None
        return self.arms.partner_did(area, hands, self.umpire.dealt.area.from_table, self.moments.reaches)

    def _arms_over(self, point: Point, at: float) -> Mapping[str, float]:
        area = self.umpire.dealt_area
        return self.moments.reaches.least_hidden(point, at, area.seats, area.from_table)

    def miss(self, gap: Gap) -> None:
        """The picture told nothing for a while."""
        dealt = self.umpire.dealt is not None
        self.unseen.add(gap, self.changed(), self.umpire.regions() if dealt else ())
        if gap.why == "moved" and self.umpire.dealt is not None:
            for place in self.umpire.regions():
                self.gate.again(place)

    def look(self, frame: Frame, enough: Callable[[], bool] | None = None) -> list[scribe.Line]:
        """Look at the frame that was noticed last where there may be news. `enough`: asked before each look but the
        first; the rest then waits for the next frame, and what was seen least lately comes first.
        """
        self.ended_at = frame.time_s
        if self.umpire.dealt is None:
            return self._find_deal(frame)
        self._follow(frame, enough)
        if frame.time_s - self.told_at < TELL_EVERY_S:
            return []
        return self.tell()

    def end(self, unreadable: Span | None = None, *, why: str = "") -> list[scribe.Line]:
        """There are no more frames; `unreadable`: the end of the recording (s) where that cannot be read.

        `why`: how the hand ended, where nobody called. Raises `DealNotFoundError` if there was no deal.
        """
        for gap in () if self._noticing is None else self._noticing.end(unreadable):
            self.miss(gap)
        self.unseen.under_way, self._why = None, why
        if self.book is None:
            raise self.why_no_deal or DealNotFoundError(
                "it is too short to see a dealt table in it: begin with the deal in view, and end behind the last play"
            )
        return self._tell(None, why)

    @property
    def blindness(self) -> Gap | None:
        """The stretch up to now in which the picture has told nothing, if it tells nothing."""
        return None if self._noticing is None else self._noticing.blindness

    def go_on_unmoved(self) -> None:
        """The camera has not moved, whatever the picture shows."""
        gap = None if self._noticing is None else self._noticing.unmoved()
        if gap is not None and gap.blind_s > 0:
            self.miss(gap)

    @property
    def stands_elsewhere(self) -> bool:
        """Whether the camera has come to stand where the table is not found."""
        return self._noticing is not None and self._noticing.stands_elsewhere

    @property
    def troubles(self) -> list[str]:
        """What makes the hand hard to follow now, one line each."""
        lost_since = None if self._noticing is None else self._noticing.lost_since
        return troubles(self.umpire.strangers, lost_since)

    def find_again(self, place: Place, since: float) -> None:
        """From a moment (s) on a place was not seen as believed: explain that again, and look at all of its seat."""
        self.umpire.find_again(since)
        for own in self.umpire.regions():
            if own.seat in ("", place.seat):
                self.gate.again(own)

    def tell_again(self, umpire: Umpire, events: list[tuple[Believed, float]]) -> list[scribe.Line]:
        """The hand is over and told, and another umpire knows better what happened: the lines by which that differs."""
        self.umpire, self.events, self._frozen = umpire, events, True
        return self._tell(None, self._why)

    def changed(self) -> list[Place]:
        """The places that look otherwise than when they were seen last."""
        if self.umpire.dealt is None:
            return []
        return [p for p, core in self.umpire.regions(margin_mm=CORE_MM).items() if self.change.differs(core)]

    def waiting(self) -> list[Place]:
        """Those of them that will be looked at: no shadow alone has changed them."""
        cores = self.umpire.regions(margin_mm=CORE_MM)
        return [place for place in self.changed() if not self.gate.is_familiar(place, cores[place])]

    def is_quiet(self, seconds: float) -> bool:
        """Whether nothing has moved for so long where cards lie or may come to lie."""
        places = [*self.umpire.regions().values(), *self._free()]
        return all(self.change.moving(region, seconds) <= UNQUIET_SHARE for region in places)

    def _look(self, frame: Frame, window: Window | None, to_table: Floats | None) -> Layout:
        x0, y0, x1, y1 = window or (0, 0, self.width, self.height)
        self.looks += 1
        self.megapixels += (x1 - x0) * (y1 - y0) / 1e6
        eyes = self.eyes if self.umpire.dealt is None else for_play(self.eyes)
        return eyes.look(frame, window, to_table)

    # -- the deal ------------------------------------------------------------------------------------------

    @property
    def why_no_deal(self) -> DealNotFoundError | None:
        """Why no deal could be read so far."""
        return self.beginning.why

    def _find_deal(self, frame: Frame) -> list[scribe.Line]:
        deal = self.beginning.find(frame)
        if deal is None:
            return []
        return self.begin(deal, frame.time_s, frame.time_s if deal.begun is not None else 0.0)

    def begin(self, deal: Deal, now: float, dealt_at: float = 0.0) -> list[scribe.Line]:
        """The umpire has read the deal from what was noticed last: header and deals.

        Raises `NotFollowedError` for seats that were named and are not there.
        """
        self._check_seats()
        self.change.accept_tiles(np.ones_like(self.change.changed))
        self.told_at = self.ended_at = now
        self.book = Book(scribe.header_line(deal, self.terms, self.fps), self.rulings)
        self._before = scribe.deal_lines(deal, dealt_at)
        return [self.book.header, *self.book.tell(self._before)]

    def resume(self, book: Book, untold: Sequence[scribe.Line], now: float) -> None:
        """The umpire and the book know the hand already: follow it on. `untold`: what is believed beside the book."""
        self.book, self._before = book, in_turn(book.believed, untold)
        self.events = []
        self._beliefs.clear()
        self.told_at = self.ended_at = now

    def _check_seats(self) -> None:
        unknown = [seat for seat in self.terms.seats if seat not in self.umpire.seats]
        if unknown:
            at_table = " and ".join(self.umpire.seats)
            raise NotFollowedError(
                f"{unknown[0]!r} does not sit at this table: {at_table} do, as the picture shows it"
            )

    # -- following -----------------------------------------------------------------------------------------

    def _follow(self, frame: Frame, enough: Callable[[], bool] | None) -> None:
        cores = self.umpire.regions(margin_mm=CORE_MM)
        regions = self.umpire.regions(margin_mm=8.0)
        looks = self.gate.wanted(cores, regions, self._free())
        if enough is not None:
            looks = self.gate.longest_waiting(looks)
        for count, wanted in enumerate(looks):
            if count and enough is not None and enough():
                break
            self._take(frame, wanted)
        self._glance(frame)
        self.moments.bringers.tell(frame.time_s)

    def _glance(self, frame: Frame) -> None:
        """Look at what leaves nothing behind: stocks that are touched while their wastes are empty."""
        assert self.umpire.dealt is not None
        buries = self.moments.buries
        for seat, region in buries.wanted():
            window = self.gate.window(region)
            layout = self._look(frame, window, self.umpire.dealt.area.to_table)
            buries.see(seat, frame.time_s, frame.index, layout)

    def look_around(self, frame: Frame) -> bool:
        """Look at all of the frame, whatever changed; whether no hand was in the way."""
        assert self.umpire.dealt is not None
        self.ended_at = frame.time_s
        places = tuple(self.umpire.regions())
        return not self._take(frame, Wanted((0, 0, self.width, self.height), places)).hands

    def _take(self, frame: Frame, wanted: Wanted) -> Layout:
        assert self.umpire.dealt is not None
        layout = self._look(frame, wanted.window, self.umpire.dealt.area.to_table)
        views = self.umpire.see(frame.time_s, frame.index, layout, window=wanted.window, still=self.still())
        self.unseen.seen((view.place for view in views), frame.index)
        self.moments.see(views)
        fresh = self.umpire.regions(margin_mm=2.0)
        self.gate.seeks = self.umpire.seeks
        self.gate.seen(wanted, [view.place for view in views], fresh, bool(layout.hands))
        cores = self.umpire.regions(margin_mm=CORE_MM)
        for view in views:
            news = self.umpire.news(view)
            self.gate.told(view.place, news=news)
            self.gate.remember(view.place, cores[view.place])
            # what is new is seen a second time, with no hand about
            if self.umpire.doubts(view) or (news and layout.hands):
                self.gate.again(view.place)
            if self.on_view is not None:
                self.on_view(view)
        alone = wanted.tiles and not wanted.places and not layout.hands
        if alone and not views:
            self.umpire.suppose(self.gate.supposed(wanted))
        beside = self.umpire.glimpsed() if alone else []
        for place in [*self.umpire.disputed(), *beside]:
            self.gate.again(place)
        self.gate.again(*self.umpire.tied(), at_once=True)
        return layout

    def _free(self) -> list[Floats]:
        """px: the parts of the table where foundations may be begun, and where a waste may turn out to lie."""
        assert self.umpire.dealt is not None
        area = self.umpire.dealt.area
        return [area.centre(self.width, self.height), *area.ends()]

    # -- telling -------------------------------------------------------------------------------------------

    def tell(self) -> list[scribe.Line]:
        """What the record gains by what is believed at the frame that was looked at last."""
        return self._tell(self.ended_at, "")

    def unsettled(self) -> list[scribe.Line]:
        """What was believed at the last telling and will be told when it has settled, if it is then still believed."""
        now, cut = self.told_at, min(self.cut_at, self.hold_at)
        recent = [(event, sure) for event, sure in self.events if event.at <= cut and sure >= UNSURE]
        return [
            scribe.event_line(event, sure)
            for event, sure in recent
            if event.at > self._settled(now, event, sure)
            and not (event.misfit and event.at > now - SETTLED_S)
        ]

    def _tell(self, now: float | None, why: str) -> list[scribe.Line]:
        """What the record gains by what is believed now (s); None: at the end, when all is told."""
        assert self.book is not None
        self.told_at = self.ended_at
        if not self._frozen:
            self.umpire.unseen = frozenset(self.waiting())
            self._remember(self.moments.dress(self.umpire.events(), self.ended_at))
            # while it may not be play any more that is seen, what was believed before holds
            self.events = self._believed(self.hold_at)
        gaps = [self.book.note(scribe.gap_line(gap)) for gap in self.unseen.gaps[self._gaps_told :]]
        self._gaps_told += len(gaps)
        believed = [
            *self._before,
            *(
                scribe.event_line(event, sure, self.unseen.hides(event))
                for event, sure in self.events
                if event.at <= self.cut_at and (now is None or event.at <= self._settled(now, event, sure))
            ),
        ]
        callers = self._callers(now)
        if now is None and not why and not isinstance(self.terms.call, tuple):
            callers += self._last_caller()
        ended, missed = False, 0
        for seat, at, sure in callers:
            ended, missed = self.ends_hand(seat, at), self.nerts_left(seat, at + scribe.LATE_SIGHT_S)
            unsure = min(sure, INFERRED) if ended and missed else sure
            believed = scribe.with_call(believed, seat, at, unsure, right=ended)
            if ended:
                break
        if why and not ended:
            believed = scribe.with_end(believed, min(self.ended_at, self.cut_at), why)
        lines = [*gaps, *self.book.tell(believed)]
        return [*lines, *self._ask_what_was_missed(missed)] if ended and missed else lines

    def _ask_what_was_missed(self, count: int) -> list[scribe.Line]:
        """A question about a call with so many cards left by what was told, of a pile that is seen to be empty."""
        assert self.book is not None
        call = next(one for one in reversed(self.book.told) if one.line["event"] == "call")
        if any(line.get("event") == "doubt" and line.get("of") == call.index for line in self.book.lines):
            return []
        plays = "a play from it was" if count == 1 else f"plays of {count} cards from it were"
        asks = f"The Nerts pile of {call.line['seat']} is seen to be empty, but {plays} missed: which?"
        doubt = {"event": "doubt", "at": call.line["at"], "of": call.index, "candidates": [], "asks": asks}
        return [self.book.note(doubt)]

    def _settled(self, now: float, event: Believed, sure: float) -> float:
        """Up to which moment (s) such an event is told: nothing from a call on, until the call itself is, nor what is
        held. What breaks a rule is waited with as with what is unsure: it may be the first card that is gathered up.
        """
        settled = now - (SETTLED_S if sure >= UNSURE and not event.misfit else UNSURE_SETTLED_S)
        waiting = [at for _, at in self.calls if now < at + CALL_SETTLED_S]
        return min([settled, self.hold_at, *waiting])

    def _callers(self, now: float | None) -> list[tuple[str, float, float]]:
        """(seat, moment, confidence) of each call that was told and can be ruled on."""
        told = (call for call in self.calls if now is None or now >= call[1] + CALL_SETTLED_S)
        return [(seat, at, 1.0) for seat, at in told]

    def _last_caller(self) -> list[tuple[str, float, float]]:
        """Whoever is said to have called, else has no Nerts pile left: with their last play."""
        call = self.terms.call
        seats: Sequence[str] = [str(call)] if call else self.empty_handed()
        last = max((event.at for event, _ in self.events), default=self.ended_at)
        return [(seat, last, 1.0 if call else self.umpire.likely_empty(seat)) for seat in seats[:1]]

    def nerts_left(self, seat: str, at: float) -> int:
        """The cards on this seat's Nerts pile at a moment (s), as was believed at the last telling."""
        return self.umpire.nerts_left(seat, at, self.events)

    def ends_hand(self, seat: str, at: float) -> bool:
        """Whether a call at a moment (s) is right: no Nerts card is left, as was believed at the last telling or as the
        table shows it. What the eye missed makes no call false.
        """
        left = self.nerts_left(seat, at + scribe.LATE_SIGHT_S)
        return left == 0 or self.umpire.shows_none(seat)

    def believe_no_more(self, since: float) -> None:
        """What is seen from this moment (s) on says nothing of this hand: what was believed then holds."""
        self.cut_at = min(self.cut_at, since)
        self.events = self._believed(since)
        self._frozen = True

    def _remember(self, events: list[tuple[Believed, float]]) -> None:
        """What is believed now; of every half second one belief is kept."""
        if len(self._beliefs) > 1 and self.told_at - self._beliefs[-2][0] < TELL_EVERY_S:
            self._beliefs.pop()
        self._beliefs.append((self.told_at, events))

    def _believed(self, since: float) -> list[tuple[Believed, float]]:
        """What was believed at a moment (s), or as long ago as is remembered."""
        before = [events for at, events in self._beliefs if at <= since + TELL_EVERY_S]
        return before[-1] if before else self._beliefs[0][1] if self._beliefs else self.events

    def gathered(self, since: float) -> str:
        """The cards have been gathered up since a moment (s): whoever has no Nerts card left has called with it, and what
        was believed then holds. How the hand ended, where nobody has.
        """
        self.believe_no_more(since - SHORTLY_S)
        seats = self.umpire.seats
        caller = next((seat for seat in seats if self.nerts_left(seat, self.cut_at) == 0), None)
        if caller is None:
            return "stopped"
        plays = [event.at for event, _ in self.events if event.at <= self.cut_at]
        self.calls.append((caller, max(plays, default=self.cut_at)))
        return ""

    def empty_handed(self) -> list[str]:
        """The seats that have no Nerts pile left, as the likeliest story goes."""
        return [seat for seat in self.umpire.seats if self.umpire.is_out(seat)]


def in_turn(told: Sequence[scribe.Line], more: Sequence[scribe.Line]) -> list[scribe.Line]:
    """Lines of a record with more of them, each before the first that is of a later moment."""
    lines = list(told)
    for line in more:
        later = (number for number, other in enumerate(lines) if other["at"] > line["at"])
        lines.insert(next(later, len(lines)), line)
    return lines
