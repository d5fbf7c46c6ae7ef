"""The hands of a recording, one after the other: each has a record of its own, that begins with its header."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf

from referee.live import scribe
from referee.live.hand import SHORTLY_S, Referee
from referee.live.in_view import UNSEEN, warnings
from referee.live.look_back import Footing, FramesFrom
from referee.live.looking import Eyes
from referee.live.second_pass import second_pass
from referee.live.session.deals import DealWatch, Tops, tops_of
from referee.live.session.picture import Picture
from referee.live.session.suspicions import Suspicions
from referee.live.session.taken_up import piles_of
from referee.live.session.thread import follow_thread
from referee.live.stillness import Noted
from referee.live.terms import Terms
from referee.umpire.seats.dealt_row import DealNotFoundError, NotFollowedError
from referee.umpire.seats.hindsight import Dealt
from referee.umpire.umpire import Umpire
from vision.capture.video import Frame, Span
from vision.memory import give_back

#: A first deal is waited for so long (s) before a recording is given up; that nothing can be seen is told after so long.
WAIT_S, EARLY_S = 60.0, 8.0


@dataclass(slots=True)
class Hands:
    """`push` every frame, then `end`; both give the lines that the record gains, or the next one.

    A hand is over when its cards are gathered up; then the next deal is waited for. The last hand lasts to the end.
    """

    eyes: Eyes
    #: A fresh umpire for each hand.
    umpire: Callable[[], Umpire]
    size: tuple[int, int]
    fps: float
    terms: Terms
    #: Told, as soon as it is seen, of what makes it hard to follow the table: one line each.
    on_notice: Callable[[str], None] = lambda _text: None
    #: Whether each hand, when it is over, is explained again by all that was seen of it.
    twice: bool = False
    #: Where the recording can be gone through again: its frames from a second on.
    frames_from: FramesFrom | None = None
    #: The hand that is played, or the first one as long as its deal is looked for.
    referee: Referee | None = field(init=False)
    #: Hands that are over.
    over: int = 0
    _suspicions: Suspicions = field(init=False)
    _picture: Picture | None = None
    _watch: DealWatch | None = None
    _first_s: float | None = None
    _now_s: float = 0.0
    _why: DealNotFoundError | None = None
    #: Why nothing was seen of late, where no look was taken.
    _unseen: DealNotFoundError | None = None
    _noticed: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.referee = self._new(self.umpire(), self.terms)

    def _new(self, umpire: Umpire, terms: Terms) -> Referee:
        referee = Referee(self.eyes, umpire, *self.size, self.fps, terms, rulings=False)
        self._suspicions = Suspicions(umpire)
        referee.on_view = self._suspicions.view
        return referee

    def push(self, frame: Frame) -> Iterator[scribe.Line]:
        """Take the next frame. Raises `NotFollowedError` for seats that were named and are not there, and where no deal
        comes.
        """
        self._now_s = frame.time_s
        self._first_s = frame.time_s if self._first_s is None else self._first_s
        if self.referee is None:
            yield from self._await(frame)
            return
        held = None if self.referee.book is None else self._suspicions.perhaps_since()
        self.referee.hold_at = inf if held is None else held
        unread = self.referee.book is None
        lines = self.referee.push(frame)
        if unread and self.referee.beginning.before is not None and self.frames_from is not None:
            yield from self._caught_up(self.referee.beginning.before, self.frames_from, frame)
            return
        yield from lines
        blind = self.referee.blindness
        if (
            not unread
            and blind is not None
            and blind.why == "moved"
            and self._suspicions.is_end(blind.blind_s)
        ):
            self.referee.go_on_unmoved()
        self._warn(self.referee, begins=unread)
        if self.referee.book is None:
            self._perhaps_wait(self.referee, self._now_s - self._first_s)
        elif (since := self._suspicions.gathered_since()) is not None:
            yield from self._finish(self.referee, since)
        elif self.referee.told_at == frame.time_s:
            line = follow_thread(self.referee, self._suspicions, frame.time_s)
            if line is not None:
                yield self.referee.book.note(line)

    def _caught_up(self, dealt: Dealt, frames_from: FramesFrom, now: Frame) -> Iterator[scribe.Line]:
        """A deal that could only be read when play had begun: the hand is followed from when it lay there up to now."""
        self.referee = self._new(self.umpire(), self.terms)
        self.referee.beginning.foretold = dealt
        for frame in frames_from(dealt.at):
            if frame.time_s > now.time_s or self.referee is None:
                break
            yield from self.push(frame)

    def end(self, unreadable: Span | None) -> Iterator[scribe.Line]:
        """There are no more frames. Raises `NotFollowedError` where no deal was seen, or a call behind the end."""
        call = self.terms.call
        if isinstance(call, tuple) and call[1] > self._now_s + 1.0:
            raise NotFollowedError(
                f"it ends at {self._now_s:.1f} s, before the call at {call[1]:g} s: tell the moment in seconds from "
                "the beginning of the recording"
            )
        if self.referee is not None:
            self.referee.hold_at = inf
            if self.referee.book is None and self.referee.why_no_deal is None and self._unseen is not None:
                raise self._unseen
            yield from self.referee.end(unreadable)
            yield from self._closed(self.referee)
        elif self._why is not None and not self.over:
            raise self._why

    def _warn(self, referee: Referee, *, begins: bool) -> None:
        """Say what is amiss, once."""
        said: list[str] = []
        deal = referee.umpire.dealt
        if begins and referee.book is not None and deal is not None:
            said += warnings(deal, *self.size, self.fps)
        for text in [*said, *(referee.troubles if referee.book is not None else ())]:
            self._say(text)

    # -- the end of a hand ---------------------------------------------------------------------------------

    def _finish(self, referee: Referee, since: float) -> Iterator[scribe.Line]:
        """The hand is over: what was told since its cards were gathered up (s) is taken back, and it is ruled on."""
        assert referee.book is not None
        # a call that comes later is one of another hand; nobody calls while cards are gathered up
        referee.calls = [call for call in referee.calls if call[1] <= self._now_s]
        why = ""
        if referee.book.hand.ended:
            referee.believe_no_more(since - SHORTLY_S)
        else:
            why = referee.gathered(since)
        yield from referee.end(why=why)
        yield from self._closed(referee)
        self.over += 1
        self.referee = None
        give_back()
        self._wait(tops_of(piles_of(referee.book.hand)))

    def _closed(self, referee: Referee) -> Iterator[scribe.Line]:
        """All is told of a hand: what a second pass changes, rulings and score."""
        if self.twice:
            yield from second_pass(referee, self._footing())
        assert referee.book is not None
        yield from scribe.ruled(referee.book.lines)

    def _footing(self) -> Footing | None:
        notes = partial(Noted, *self.size)
        return None if self.frames_from is None else Footing(self.frames_from, self.eyes, notes, self.size)

    # -- the next one --------------------------------------------------------------------------------------

    def _perhaps_wait(self, referee: Referee, waited_s: float) -> None:
        """A deal that cannot be read at the beginning may be one that has not been laid yet.

        A camera is often clamped when it records already: what it showed before is forgotten. Raises `NotFollowedError`
        where nothing could be seen all the time.
        """
        blind = referee.blindness
        if referee.beginning.is_hopeless:
            self._why, self.referee = referee.why_no_deal, None
            self._say_no_deal(self._why)
            self._wait({})
        elif blind is not None:
            self._unseen = DealNotFoundError(UNSEEN[blind.why])
            if waited_s > WAIT_S:
                raise self._unseen
            if waited_s > EARLY_S:
                self._say_no_deal(self._unseen)
            if referee.stands_elsewhere:
                self.referee = self._new(self.umpire(), self.terms)

    def _say_no_deal(self, why: DealNotFoundError | None) -> None:
        self._say(f"no deal can be read so far ({why}): it is looked for up to {WAIT_S:.0f} s")

    def _say(self, text: str) -> None:
        """Once."""
        if text not in self._noticed:
            self._noticed.add(text)
            self.on_notice(text)

    def _wait(self, old: Tops) -> None:
        """`old`: the open cards of the hand that is over."""
        self._picture = Picture(*self.size)
        self._watch = DealWatch(self.eyes, self._picture, old, self._now_s)

    def _await(self, frame: Frame) -> Iterator[scribe.Line]:
        assert self._picture is not None and self._watch is not None and self._first_s is not None
        self._picture.notice(frame)
        if self._picture.blind == "moved":
            self._picture.settle_anyhow()  # nothing is followed: where it stands now is where it is to be
        lies = None if self._picture.blind is not None else self._watch.look(frame, self.umpire())
        if lies is None or lies.deal is None:
            if not self.over and self._why is not None and frame.time_s > self._first_s + WAIT_S:
                raise self._why
            return
        assert lies.umpire is not None and lies.frame is not None
        self.referee = referee = self._new(lies.umpire, self._later_terms())
        at = lies.frame.time_s
        referee.notice(at, self._picture.small(lies.frame))
        self._picture = self._watch = None
        give_back()
        yield from referee.begin(lies.deal, at, at)
        self._warn(referee, begins=True)

    def _later_terms(self) -> Terms:
        """Who called without a moment ended the first hand; a call with one belongs to the hand of its moment."""
        call = self.terms.call
        late = isinstance(call, tuple) and call[1] > self._now_s
        return self.terms if late or not self.over else replace(self.terms, call=None)
