"""One table over an evening: hand after hand is followed, told, kept and scored, and every state has a way on.

`notice` every frame from one thread and `look` at them, later, from another; calls and answers come from any. The
session neither prints nor draws: observers are told everything, in order.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from math import inf
from threading import RLock
from typing import Any
from uuid import uuid4

from referee.errors import BadInputError
from referee.live.hand import Referee
from referee.live.in_view import warnings
from referee.live.looking import Eyes, SteadyEyes
from referee.live.session.deals import DealWatch, Lies, tops_of
from referee.live.session.following import LOOKS_AROUND, Following
from referee.live.session.keeper import Keeper
from referee.live.session.picture import Picture
from referee.live.session.rules import Rules
from referee.live.session.taken_up import NotTakenUpError, Spots, book_of, deal_of, is_told, piles_of
from referee.live.session.telling import Teller
from referee.live.session.told import Answer, Line, Match, Observer, State
from referee.live.terms import Terms
from referee.record.amend import Corrected
from referee.record.book import Book
from referee.record.said import Said
from referee.rules.settings import Settings
from referee.umpire.seats.dealt_row import NotFollowedError
from referee.umpire.umpire import Umpire
from vision.capture.live.lazy_frame import size_of
from vision.capture.video import Frame
from vision.layout import Floats
from vision.memory import give_back


class Session:
    """See the module. `fps`: of the camera. Where the keeper goes on with a session, so does this one."""

    def __init__(
        self,
        eyes: Eyes,
        keeper: Keeper,
        rules: Rules,
        *,
        match: Match | None = None,
        fps: float = 30.0,
    ) -> None:
        self.keeper, self.rules, self._match = keeper, rules, match
        self._eyes, self._fps = SteadyEyes(eyes, self._to_first), fps
        self._lock = RLock()
        self._teller = Teller(keeper, self._lock)
        #: What every frame tells; and what is looked at between hands. There from the first frame on.
        self._picture: Picture | None = None
        self._watch: DealWatch | None = None
        self._hand: Following | None = None
        self._looks = 0
        #: How many frames were looked at, not only noticed.
        self.frames_looked_at = 0
        self._now_s = 0.0
        self._ended = False
        self._stood: Line = {}

    # -- what anybody may ask and say ----------------------------------------------------------------------

    @property
    def state(self) -> State:
        """The state that was told last."""
        return self._teller.state

    @property
    def hand(self) -> int:
        """The number of the hand that is or was played last; 0 before the first."""
        return self.keeper.hand

    @property
    def seats(self) -> list[str]:
        """Who sits at the table in the hand that is played; none between hands."""
        hand = self._hand
        return hand.referee.umpire.seats if hand is not None else []

    @property
    def looks(self) -> int:
        """How often the eye was asked."""
        hand = self._hand
        between = self._watch.looks if self._watch is not None else 0
        return self._looks + between + (hand.referee.looks if hand is not None else 0)

    @property
    def standing(self) -> Line:
        """How the hand that is or was played last stands by the last telling: `nerts`, cards left by seat, and `points`,
        its score if it ended now, with what has not settled yet. Empty before the first.
        """
        hand = self._hand
        return (hand.standing if hand is not None else None) or self._stood

    @property
    def lines(self) -> list[Line]:
        """The record of the present hand, header first; empty between hands."""
        hand = self._hand
        return list(hand.book.lines) if hand is not None else []

    @property
    def places(self) -> list[Line]:
        """Where every place lies in the picture: {"place", "seat", "area": [[x, y] …] as shares of width and height}."""
        hand = self._hand
        return hand.places if hand is not None else []

    def earlier(self, hand: int) -> list[Line]:
        """The record of a hand of this session, as it is kept; empty where there is none."""
        return self.keeper.kept(hand)

    def observe(self, observer: Observer) -> Callable[[], None]:
        """Tell this one, too, from now on; what is returned ends it."""
        return self._teller.observe(observer)

    def call(self, seat: str, at_s: float | None = None) -> Answer:
        """Somebody called "Nerts!" at a moment (s; now for None). The first call counts until it is ruled on."""
        with self._lock:
            hand = self._hand
            if hand is None or self._ended:
                return Answer(False, "no hand is being played: the call is not counted")
            if seat not in hand.referee.umpire.seats:
                known = " and ".join(hand.referee.umpire.seats)
                return Answer(False, f"nobody sits at {seat}: {known} do")
            if hand.called is not None:
                return Answer(False, f"{self._name(hand.called[0])} called first")
            dealt_s = hand.book.lines[1]["at"]
            hand.called = seat, min(self._now_s, max(dealt_s, self._now_s if at_s is None else at_s))
            hand.referee.calls.append(hand.called)
            hand.keep_spots()
            self._say("called", seat=seat, called_at=round(hand.called[1], 3), **self.standing)
            return Answer(True, f"{self._name(seat)} called")

    def answer(self, number: int, yes: bool) -> Answer:
        """Answer the question of this number: whether somebody called."""
        with self._lock:
            question = self._teller.question
            if question is None or question["number"] != number:
                return Answer(False, "this question is not open any more")
            self._teller.question = None
            if not yes:
                return Answer(True, "play goes on")
            return self.call(question["seat"], question["at"])

    def correct(self, said: Said, by: str, *, insist: bool = False) -> Corrected:
        """Somebody says how it was, in the hand that is played: as `referee.record.amend.correct`, which it is told by.

        RefusedError, or BadInputError between hands (whose records are files that nobody writes), changes nothing.
        """
        hand = self._hand
        if hand is None:
            raise BadInputError("no hand is being played: correct its record")
        return hand.correct(said, by, insist=insist)

    def agree(self, rules: Rules) -> None:
        """Names count at once, all else from the next deal on."""
        with self._lock:
            self.rules = rules

    def camera_gone(self, why: str = "") -> None:
        """There is no picture; the next frame ends this."""
        with self._lock:
            if not self._ended:
                self._teller.blinded("no camera", self._now_s, self.hand, why)

    # -- frames --------------------------------------------------------------------------------------------

    def notice(self, frame: Frame) -> None:
        """A frame came: take note of what moves. Quick; from one thread, in order."""
        if self._picture is None:
            self._begin_with(frame)
        why = self.picture.notice(frame)
        with self._lock:
            self._now_s = max(self._now_s, frame.time_s)
            if not self._ended:
                self._teller.blinded(why, frame.time_s, self.hand)

    def _begin_with(self, frame: Frame) -> None:
        """The first frame tells how large they are."""
        self._picture, self._now_s = Picture(*size_of(frame)), frame.time_s
        if self.keeper.hand:
            self._resume()

    @property
    def picture(self) -> Picture:
        """What every frame tells, from the first one on."""
        assert self._picture is not None
        return self._picture

    def _to_first(self, at: float) -> Floats | None:
        return None if self._picture is None else self._picture.to_first(at)

    @property
    def _deals(self) -> DealWatch:
        if self._watch is None:
            self._watch = DealWatch(self._eyes, self.picture)
        return self._watch

    def push(self, frame: Frame) -> None:
        """Notice a frame and look at it: for who has the time to look at every one."""
        self.notice(frame)
        self.look(frame)

    @property
    def looked_s(self) -> float | None:
        """Up to which moment (s) the hand that is played has been looked at; None between hands."""
        hand = self._hand
        return None if hand is None else hand.noticed_s

    @property
    def settles_s(self) -> float:
        """From which moment (s) on only how the table lies in the end matters, since the hand was called; or infinity."""
        hand = self._hand
        return inf if hand is None else hand.settles_s

    def look(self, frame: Frame, hurried: Callable[[], bool] = lambda: False) -> None:
        """Look at a frame that was noticed, where there may be news. `hurried`: whether there is little time for it."""
        hand = self._hand
        if self._ended or (hand is not None and frame.time_s <= hand.noticed_s):
            return
        self.frames_looked_at += 1
        if self.picture.blind is not None and frame.time_s >= self.picture.blind_since:
            if self.picture.blind == "moved":
                self._perhaps_stands(hand, frame.time_s)
        elif hand is None:
            self._await_deal(frame)
        elif hand.follow(self.picture.fitted(frame), hurried):
            self._finish(hand)

    def _perhaps_stands(self, hand: Following | None, now_s: float) -> None:
        if hand is None:
            self.picture.settle_anyhow()  # a camera that stands elsewhere between hands is where it is to be
        elif hand.is_end(now_s - self.picture.blind_since):
            self.picture.go_on_unmoved(now_s)

    # -- between hands -------------------------------------------------------------------------------------

    def _umpire(self) -> Umpire:
        return Umpire.of(Settings.of(self.rules.game, dict(self.rules.settings)))

    def _await_deal(self, frame: Frame) -> None:
        lies = self._deals.look(frame, self._umpire())
        if lies is None:
            if self.state == "no camera":
                self._say("dealing")
        elif lies.what == "nothing":
            self._say("empty table")
        elif lies.what == "old":
            self._say("next deal")
        elif lies.what == "unready":
            self._say("dealing", why=lies.why)
        else:
            self._begin(lies)

    def _begin(self, lies: Lies) -> None:
        """A new deal lies there."""
        assert lies.frame is not None and lies.umpire is not None and lies.deal is not None
        seats = [area.seat for area in lies.deal.area.seats]
        try:
            totals = self._match.totals(self._names_of(seats)) if self._match is not None else {}
        except BadInputError as error:
            self._say("dealing", why=str(error))
            return
        header: Line = {"id": str(uuid4()), "session": self.keeper.session}
        if totals and set(totals) >= set(seats):
            header["match"] = {seat: totals[seat] for seat in seats}
        terms = Terms(self.rules.game, self.rules.settings, None, self.rules.decks, header, "camera")
        referee = self._referee(lies.umpire, terms)
        at = lies.frame.time_s
        referee.notice(at, self.picture.small(lies.frame))
        try:
            lines = referee.begin(lies.deal, at, at)
        except NotFollowedError as why:
            self._say("dealing", why=str(why))
            return
        self.keeper.next_hand()
        hand = self._take(referee, at)
        hand.tell(lines)
        decks = {seat["seat"]: seat["deck"] for seat in lines[0]["seats"]}
        sits = {seat: {"name": self._name(seat), "deck": deck} for seat, deck in decks.items()}
        begun = lies.deal.begun is not None
        said = ["the hand had begun before it was seen: it is followed from here on"] if begun else []
        said += warnings(lies.deal, self.picture.width, self.picture.height)
        why_so = "; ".join(said) or None
        self._say("playing" if begun else "ready", seats=sits, record=str(self.keeper.record()), why=why_so)

    def _referee(self, umpire: Umpire, terms: Terms) -> Referee:
        width, height = self.picture.width, self.picture.height
        return Referee(self._eyes, umpire, width, height, self._fps, terms, ring=self.picture.ring)

    def _take(self, referee: Referee, noticed_s: float) -> Following:
        """Follow this hand from now on."""
        self.picture.gaps()  # what was missed before the hand is none of its business
        hand = Following(referee, self.picture, self._teller, self.keeper, self._name, noticed_s)
        hand.keep_spots()
        with self._lock:
            self._hand = hand
            self._teller.forget()
        return hand

    # -- the end -------------------------------------------------------------------------------------------

    def _finish(self, hand: Following, why: str = "") -> None:
        """The hand is over: its score is told and counted in the match."""
        if self._ended:
            for gap in self.picture.last_gaps():
                hand.referee.miss(gap)
        score, why = hand.finish(why)
        counted = ""
        if score["final"] and why != "stopped" and self._match is not None:
            counted = self._match.keep(self.keeper.record(), self._names_of(hand.referee.umpire.seats))
        self._deals.old, self._deals.ended_s = tops_of(piles_of(hand.book.hand)), self._now_s
        with self._lock:
            self._stood, self._looks = hand.standing, self._looks + hand.referee.looks
            self._hand = None
        self.keeper.end_hand()
        give_back()
        more = {key: score[key] for key in ("match", "winner", "final")}
        self._say("score", score=score["hand"], **more, why=counted or None)

    def end(self, why: str = "") -> None:
        """The evening is over. `why`: how a hand that is being played ends by it ("stopped"); "" as its film does."""
        with self._lock:
            if self._ended:
                return
            self._ended = True
        if self._picture is None and self.keeper.hand:
            self._resume_unseen()
        if self._hand is not None:
            self._finish(self._hand, why)
        self._say("over")
        self.keeper.close()

    # -- after a crash -------------------------------------------------------------------------------------

    def _resume(self) -> None:
        """Go on with the hand that a crash interrupted, or between hands."""
        try:
            found = self.keeper.interrupted()
            if found is None:
                self._between()
            else:
                self._take_up(book_of(found[0]), found[1])
        except NotTakenUpError as why:
            self._say("dealing", why=f"hand {self.hand} cannot be gone on with ({why}): deal the next one")

    def _resume_unseen(self) -> None:
        """No frame came since a crash: the hand that it interrupted is taken up only to be ended."""
        with suppress(NotTakenUpError):
            found = self.keeper.interrupted()
            if found is not None:
                self._picture, self._now_s = Picture(*found[1].size), found[1].seen_s
                self._take_up(book_of(found[0]), found[1])

    def _take_up(self, book: Book, spots: Spots) -> None:
        umpire = self._umpire()
        piles = spots.piles or piles_of(book.hand)
        umpire.resume(deal_of(spots), piles, self._now_s, spots.lifted, hearsay=True)
        wide, high = (
            now / was for now, was in zip((self.picture.width, self.picture.height), spots.size, strict=True)
        )
        umpire.lay(spots.area.to_table / [wide, high, 1.0])
        referee = self._referee(umpire, Terms(self.rules.game, self.rules.settings, kind="camera"))
        seen_s = max([spots.seen_s, *(line["at"] for line in book.believed)])
        referee.resume(book, spots.untold(book.believed), seen_s)
        hand = self._take(referee, seen_s)
        hand.around, hand.dead_since = LOOKS_AROUND, seen_s
        pending = [call for call in spots.calls if not is_told(book, call)]
        hand.called = pending[0] if pending else None
        referee.calls += pending[:1]
        hand.keep_spots()
        state: State = "called" if pending else "playing"
        self._say(state, taken_up=True, lines=len(book.lines), record=str(self.keeper.record()))
        if book.hand.ended:
            self._finish(hand)

    def _between(self) -> None:
        """The last hand had ended: its cards may still lie there."""
        if self.hand:
            book = book_of(self.keeper.lines())
            self._deals.old = tops_of(piles_of(book.hand))

    # -- telling -------------------------------------------------------------------------------------------

    def _say(self, state: State, **more: Any) -> None:
        self._teller.say(state, self._now_s, self.hand, **more)

    def _name(self, seat: str) -> str:
        return self.rules.names.get(seat, seat)

    def _names_of(self, seats: list[str]) -> dict[str, str]:
        return {seat: self._name(seat) for seat in seats if seat in self.rules.names}
