"""A hand while it is played, as a session sees to it: what is shown is followed, calls ruled on, the end seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from threading import RLock
from time import monotonic

import numpy as np

from referee.errors import BadInputError
from referee.live import scribe
from referee.live.hand import CALL_SETTLED_S, UNSURE, Referee
from referee.live.session.keeper import Keeper
from referee.live.session.picture import Picture
from referee.live.session.suspicions import Suspicions
from referee.live.session.taken_up import Spots, piles_of
from referee.live.session.telling import Teller, closing, standing, with_lines
from referee.live.session.thread import follow_thread
from referee.live.session.told import Line
from referee.record import amend
from referee.record.account import cards_text
from referee.record.amend import Corrected
from referee.record.book import Book
from referee.record.reopened import reopened
from referee.record.said import Said
from referee.rules.places import FOUNDATION, NERTS
from vision.capture.gaps import Gap
from vision.capture.steady import inverse
from vision.capture.video import Frame
from vision.geometry.plane import apply
from vision.layout import Floats

#: Where looking hurries, looks at one frame go on for so long (s).
ROUND_S = 0.3
#: What lands later than this (s) after a right call is no play any more.
AFTER_CALL_S = 1.5
#: A call that is plainly right ends the hand when nothing has moved about any card for so long (s).
AT_REST_S = 0.5
#: Whether it is plainly right is asked so often (s): telling takes its time.
PLAIN_EVERY_S = 0.2
#: So long (s) after it, all places are waited for that look other than when they were seen.
ALL_SEEN_S = 1.2
#: With a Nerts pile empty and nothing moving for so long (s) it is asked whether that was the call.
RESTING_S = 4.0
#: Events that are told when they have settled: until they stand in the record they are kept beside it.
KEPT = ("play", "draw", "turn", "recycle", "take-back", "set-aside")
#: The whole table is looked at until no hand is in the way, but no more often than this.
LOOKS_AROUND = 4


@dataclass(slots=True)
class Following:
    """`follow` it frame by frame until that is over, then `finish`."""

    referee: Referee
    picture: Picture
    teller: Teller
    keeper: Keeper
    #: What people call a seat.
    name: Callable[[str], str]
    #: Up to which moment (s) its change map knows the picture.
    noticed_s: float
    #: The call that is not ruled on yet.
    called: tuple[str, float] | None = None
    #: Since when (s) nobody looked, where a crash interrupted it; None once that is told.
    dead_since: float | None = None
    #: Looks at the whole table that are still to be taken.
    around: int = 0
    #: How the hand stands by the last telling; replaced, never changed.
    standing: Line = field(default_factory=dict)
    #: Where every place lies by the last telling, as shares of the picture; replaced, never changed.
    places: list[Line] = field(default_factory=list)
    _suspicions: Suspicions = field(init=False)
    #: Who was asked about already, with so many events known; what was kept beside the record last.
    _asked: tuple[str, int] | None = None
    _recent: Sequence[Line] = ()
    _told_s: float = -1.0
    #: Whether it was said what makes the hand hard to follow.
    _troubled: bool = False
    #: Held by whoever changes what is believed: who looks, and who corrects.
    _busy: RLock = field(default_factory=RLock)
    _over: bool = False

    def __post_init__(self) -> None:
        self._suspicions = Suspicions(self.referee.umpire)
        self.referee.on_view = self._suspicions.view

    @property
    def book(self) -> Book:
        """The record so far."""
        assert self.referee.book is not None
        return self.referee.book

    @property
    def settles_s(self) -> float:
        """See `Session.settles_s`."""
        return inf if self.called is None else self.called[1] + scribe.LATE_SIGHT_S

    @property
    def number(self) -> int:
        """Which hand of the session it is."""
        return self.keeper.hand

    # -- following -----------------------------------------------------------------------------------------

    def follow(self, frame: Frame, hurried: Callable[[], bool]) -> bool:
        """Look at a frame that was noticed where there may be news; whether the hand is over."""
        with self._busy:
            return self._follow(frame, hurried)

    def _follow(self, frame: Frame, hurried: Callable[[], bool]) -> bool:
        referee = self.referee
        for at, small in self.picture.smalls(self.noticed_s, frame.time_s):
            referee.notice(at, small)
        self.noticed_s = frame.time_s
        ended, referee.unseen.under_way = self.picture.gaps()
        for gap in ended:
            referee.miss(gap)
        if self.dead_since is not None:
            gap = Gap(self.dead_since, frame.time_s, "few-frames", frame.time_s - self.dead_since)
            places = list(referee.umpire.regions())
            referee.unseen.add(gap, places, places)
            self.dead_since = None
        if self.around:
            self.around = 0 if referee.look_around(frame) else self.around - 1
        held = self._suspicions.perhaps_since()
        referee.hold_at = inf if held is None else held
        begun = monotonic()
        self.tell(referee.look(frame, lambda: hurried() and monotonic() - begun > ROUND_S))
        return self._is_over(frame.time_s)

    def tell(self, lines: list[Line]) -> None:
        """Tell what the record gained; what is needed to go on from there is written before it."""
        referee = self.referee
        told_anew = self._told_s != referee.told_at
        unsettled = referee.unsettled() if told_anew else []
        if told_anew or lines:
            self.keep_spots([*(line for line in lines if line.get("event") in KEPT), *unsettled])
            self.teller.tell(lines, self.book, self.number)
        if told_anew:
            self._told_s = referee.told_at
            self.teller.unsettled(unsettled, self.book, self.number)
            self.standing = standing(self.book, unsettled)
            self.places = self._places()
        if self.teller.state == "ready" and any(
            line.get("event") not in (None, "deal", "gap") for line in lines
        ):
            self.say_playing()

    def _places(self) -> list[Line]:
        size, by = [self.picture.width, self.picture.height], self._from_first()
        return [
            {
                "place": place.own_name,
                "seat": place.seat,
                "area": (apply(by, region) / size).round(4).tolist(),
            }
            for place, region in self.referee.umpire.regions(margin_mm=0.0).items()
        ]

    def _from_first(self) -> Floats:
        """(3, 3): px of the first frame -> px as the camera stands now."""
        by = self.picture.to_first(self.noticed_s)
        return np.eye(3) if by is None else inverse(by)

    def say_playing(self, **more: object) -> None:
        """Play goes on."""
        self.teller.say("playing", self.noticed_s, self.number, **more)

    def keep_spots(self, recent: Sequence[Line] | None = None) -> None:
        """Write what is needed beside the record to go on after a crash. `recent`: what may not stand in it yet."""
        umpire, story = self.referee.umpire, self.referee.umpire.story
        assert umpire.dealt is not None
        self._recent = self._recent if recent is None else recent
        size, calls = (self.picture.width, self.picture.height), [self.called] if self.called else []
        seen_s, area = self.noticed_s, umpire.dealt.area
        # whoever goes on sees the table from where the camera stands now
        area = replace(area, to_table=area.to_table @ inverse(self._from_first()))
        self.keeper.keep_spots(Spots(area, size, calls, seen_s, story.piles, story.lifted, self._recent))

    def correct(self, said: Said, by: str, *, insist: bool) -> Corrected:
        """What a person says of the record stands from now on, and everything behind it follows.

        What was believed beside it is taken as it is now. RefusedError changes nothing. From any thread.
        """
        with self._busy:
            if self._over:
                raise BadInputError("this hand has just ended: correct its record")
            referee, unsettled = self.referee, self.referee.unsettled()
            corrected = amend.correct(self.book.lines, said, by, insist=insist)
            line = self.book.note(dict(corrected.line))
            self.teller.tell([line], self.book, self.number)
            book = reopened(self.book.lines)
            assert referee.umpire.dealt is not None
            piles = piles_of(with_lines(book.hand, unsettled))
            referee.umpire.resume(referee.umpire.dealt, piles, self.noticed_s, hearsay=True)
            referee.resume(book, unsettled, self.noticed_s)
            referee.calls = [self.called] if self.called is not None else []
            self.tell(referee.tell())
            return corrected

    def is_end(self, blind_s: float) -> bool:
        """See `Suspicions.is_end`."""
        with self._busy:
            return self._suspicions.is_end(blind_s)

    # -- what else there is to see to ----------------------------------------------------------------------

    def _is_over(self, now_s: float) -> bool:
        if self.called is not None:
            settled = now_s >= self.called[1] + CALL_SETTLED_S
            return self._rule_call() if settled else self._is_plain(*self.called, now_s)
        if self._suspicions.gathered_since() is not None:
            return True
        if self._told_s == now_s:
            self._thread(now_s)
            self._question(now_s)
        return False

    def _is_plain(self, seat: str, at: float, now_s: float) -> bool:
        """Whether all has been seen by now and the call was right: then nobody waits for the hand to end."""
        referee, last_s = self.referee, at + scribe.LATE_SIGHT_S
        if now_s < last_s or not (self.picture.still_for(AT_REST_S) or referee.is_quiet(AT_REST_S)):
            return False
        waiting = referee.waiting()
        if now_s >= at + ALL_SEEN_S:  # a hand that rests over a work pile hides nothing that scores
            waiting = [place for place in waiting if place.kind in (NERTS, FOUNDATION)]
        if waiting or referee.umpire.story.lifted:
            return False
        if self._told_s != now_s:
            if now_s - self._told_s < PLAIN_EVERY_S:
                return False
            self.tell(referee.tell())
        unsure = any(sure < UNSURE for event, sure in referee.events if event.at <= last_s)
        if unsure or referee.nerts_left(seat, last_s):
            return False
        referee.cut_at = min(referee.cut_at, at + AFTER_CALL_S)
        return True

    def _rule_call(self) -> bool:
        """Whether the call was right, and ends the hand."""
        referee = self.referee
        assert self.called is not None
        seat, at = self.called
        since = self._suspicions.gathered_since()
        if since is not None and since > at:
            referee.believe_no_more(since)
        if referee.ends_hand(seat, at):
            referee.cut_at = min(referee.cut_at, at + AFTER_CALL_S)
        self.tell(referee.tell())
        if self.book.hand.ended:
            return True
        self.called = None
        self.keep_spots()
        why = f"{self.name(seat)} called with Nerts cards left: play goes on (N15)"
        self.say_playing(false_call=seat, why=why)
        return False

    def _thread(self, now_s: float) -> None:
        """Say when it is lost, and when it is found again."""
        suspicions = self._suspicions
        troubles = self.referee.troubles
        if troubles and not self._troubled:
            self._troubled = True
            self.say_playing(why=troubles[0])
        line = follow_thread(self.referee, suspicions, now_s)
        if line is None:
            return
        if suspicions.lost_at is None:
            self.say_playing()
        else:
            self.teller.say("lost", now_s, self.number, place=str(suspicions.lost_at[0]))
        self.teller.tell([self.book.note(line)], self.book, self.number)

    def _question(self, now_s: float) -> None:
        """With a Nerts pile empty and hands at rest: was that the call? Calling is optional, so it is only asked."""
        seat, events = self._suspicions.could_call(), self.referee.events
        if seat is None or self._asked == (seat, len(events)) or not self.picture.still_for(RESTING_S):
            return
        self._asked = seat, len(events)
        at = max((event.at for event, _ in events), default=now_s)
        asks = f"{self.name(seat)} has no Nerts card left and nobody moves: was “Nerts!” called?"
        self.teller.ask(asks, seat, at, now_s, self.number)

    # -- the end -------------------------------------------------------------------------------------------

    def finish(self, why: str = "") -> tuple[Line, str]:
        """All is told, ruled on as a whole and scored: the score, and how the hand ended if nobody called.

        `why`: how it ends where neither a call nor the cards say so.
        """
        with self._busy:
            self._over = True
            return self._finish(why)

    def _finish(self, why: str) -> tuple[Line, str]:
        since = self._suspicions.gathered_since()
        if self.called is None and since is not None and not self.book.hand.ended:
            why = self.referee.gathered(since)
        if not self.book.hand.ended or self.called is not None:
            self.tell(self.referee.end(why=why))
        self.teller.tell([self.book.note(doubt) for doubt in self._disagreeing()], self.book, self.number)
        final = closing(self.book)
        self.teller.tell(final, self.book, self.number)
        self.standing = standing(self.book, [])
        return final[-1], why

    def _disagreeing(self) -> list[Line]:
        """A question for each foundation that shows another card than the plays that were told end with."""
        piles = piles_of(self.book.hand)
        doubts = []
        for place, seen in self._suspicions.tops.items():
            told = piles[place][-1].face if piles.get(place) else ""
            about = [
                one for one in self.book.told if place.own_name in (one.line.get("to"), one.line.get("from"))
            ]
            if seen == told or not about:
                continue
            ends = f"the plays that were told end with {cards_text([told])}"
            asks = f"{place} shows {cards_text([seen])}, {ends}: what was missed?"
            at = about[-1].line["at"]
            doubts.append({"event": "doubt", "at": at, "of": about[-1].index, "candidates": [], "asks": asks})
        return doubts
