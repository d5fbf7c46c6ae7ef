"""What only several events of the Nerts family show: ties, two hands, burying, calls and the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.events import Bury, Call, Draw, End, Play, Recycle, SetAside, TakeBack, Touch, Turn
from referee.games.base import Course
from referee.places import Place
from referee.rulings import Finding
from referee.ties import Interval, Landing, TieVerdict, between, settle

if TYPE_CHECKING:
    from referee.games.nerts import NertsGame
    from referee.hand import Entry, Hand

#: Seconds after a call within which a play whose start was not seen may have been in mid-air (N16).
MID_AIR_S = 1.0
#: Seconds before a play within which a touch's landing stands for the play's.
TOUCH_S = 1.0
#: What a difference of two times may be off by rounding.
EPSILON_S = 1e-6


class NertsCourse(Course):
    """The memory of a hand of the Nerts family. Positions are those of the log."""

    def __init__(self) -> None:
        self.ended = False
        #: The owner whose call ended the hand.
        self.called_by = ""
        #: Position of the call that ended the hand (perhaps, if undecided), and of one that may yet be right.
        self.call = -1
        self.call_undecided = False
        self.open_call = -1
        #: Positions of plays made while a call was open.
        self.after: list[int] = []
        #: Cards that do not count where they lie, with the place from which they were played too late.
        self.void: dict[int, Place] = {}
        #: Cards taken out of the centre after the end: they count as lying there.
        self.kept: set[int] = set()
        #: Foundations put aside.
        self.closed: set[Place] = set()
        #: Positions of the plays to each foundation.
        self.centre: dict[Place, tuple[int, ...]] = {}
        #: By seat and foundation: the last touch whose landing may stand for a play's; and when plays landed.
        self.touches: dict[tuple[str, Place], Touch] = {}
        self.landings: dict[int, Interval] = {}
        #: Ties that were ruled on, by the position of their first play; losers that must take back still.
        self.settled: set[int] = set()
        self.losers: list[int] = []
        #: By owner: the position of a recycle with stock left, which only an own bury excuses.
        self.early_recycles: dict[str, int] = {}
        #: Cards in the stock just before the last recycle.
        self.stock_left = 0
        #: The running round of burying: positions by owner, and who went on playing in it.
        self.buried: dict[str, int] = {}
        self.round: list[int] = []
        self.disturbed: list[int] = []
        #: Whether a whole round of burying is over, whether a card was played since the last round began, and
        #: whether the running round began with none played.
        self.redealt = False
        self.played = False
        self.again = False


def course_of(hand: Hand) -> NertsCourse:
    """The course of a hand of this family."""
    course = hand.course
    assert isinstance(course, NertsCourse)
    return course


def follow(game: NertsGame, hand: Hand, entry: Entry) -> list[Finding]:
    """What an event that was just carried out shows together with those before it."""
    event, course = entry.event, course_of(hand)
    found: list[Finding] = []
    if event.seat is not None and not isinstance(event, Touch | Call | Turn):
        found += _early_recycle(game, hand, entry)
    if isinstance(event, Play):
        found += _two_hands(game, hand, entry)
        found += _after_call(game, hand, entry)
        found += _round_goes_on(game, hand, entry)
        if entry.move is not None and entry.move.target.kind == "foundation":
            found += _centre_play(game, hand, entry)
    elif isinstance(event, Touch):
        if event.landed is not None:
            course.touches[str(event.seat), game.place(event.place, event.seat)] = event
    elif isinstance(event, Draw):
        found += _round_goes_on(game, hand, entry)
    elif isinstance(event, Bury):
        found += _bury(game, hand, entry)
    elif isinstance(event, TakeBack):
        found += _take_back(game, hand, entry)
    elif isinstance(event, Call):
        found += _call(game, hand, entry)
    elif isinstance(event, SetAside):
        course.closed.add(game.place(event.place, event.seat))
    elif isinstance(event, End) and not course.ended:
        if course.open_call >= 0:
            found += _close_call(game, hand, "false")
        course.ended = True
        found += _unreturned(game, hand, None)
    return found


def finish(game: NertsGame, hand: Hand) -> list[Finding]:
    """What is still open at the record's end."""
    course = course_of(hand)
    found = []
    if course.open_call >= 0:
        found += _close_call(game, hand, "false")
    for position in course.early_recycles.values():
        found.append(_recycle_finding(game, position))
    for place in course.centre:
        found += _settle_ties(game, hand, place)
    if course.ended:
        found += _unreturned(game, hand, None)
    return found


# -- the centre: ties and take-backs (N13, T3, N3) ----------------------------------------------------------


def landing_of(hand: Hand, event: Play, place: Place) -> Interval | None:
    """When a play's card landed: as the play says, or a touch of that foundation by its seat just before."""
    if event.landed is not None:
        return event.landed
    touch = course_of(hand).touches.get((str(event.seat), place))
    if touch is None or not touch.at <= event.at <= touch.at + TOUCH_S + EPSILON_S:
        return None
    return touch.landed


def _landed(hand: Hand, position: int) -> Interval:
    """When the card of a play in the log landed; without better knowledge at its `at`."""
    at = hand.log[position].event.at
    return course_of(hand).landings.get(position) or (at, at)


def rivals_mask(game: NertsGame, hand: Hand, event: Play, place: Place) -> int:
    """The cards that other seats played to a foundation so shortly before that the same card ties."""
    played = course_of(hand).centre.get(place)
    if not played:
        return 0
    mask = 0
    window = game.settings.number("tie_window_s")
    landed = landing_of(hand, event, place) or (event.at, event.at)
    for position in reversed(played):
        entry = hand.log[position]
        other = entry.event
        assert isinstance(other, Play) and entry.move is not None
        if other.at < event.at - window - TOUCH_S - 1:
            break
        if other.seat != event.seat and between(_landed(hand, position), landed) <= window + EPSILON_S:
            mask |= hand.table.domain(entry.move.cards[0])
    return mask


def ties_at(game: NertsGame, hand: Hand, place: Place) -> list[list[int]]:
    """The ties at a foundation: positions of plays of one card by different seats within the window."""
    window = game.settings.number("tie_window_s")
    groups: list[tuple[int, list[int]]] = []
    for position in course_of(hand).centre.get(place, ()):
        entry = hand.log[position]
        event = entry.event
        assert isinstance(event, Play) and entry.move is not None
        face = hand.table.faces[entry.move.cards[0]]
        if face < 0:
            continue
        for known, group in groups:
            plays = [hand.log[p].event for p in group]
            if known != face or any(play.seat == event.seat for play in plays):
                continue
            here = _landed(hand, position)
            if any(between(_landed(hand, p), here) <= window + EPSILON_S for p in group):
                group.append(position)
                break
        else:
            groups.append((face, [position]))
    return [group for _, group in groups if len(group) > 1]


def decide_tie(game: NertsGame, hand: Hand, place: Place, group: list[int]) -> TieVerdict:
    """The verdict on a tie as far as it is known."""
    landings = []
    for position in group:
        entry = hand.log[position]
        event = entry.event
        assert isinstance(event, Play)
        over = frozenset() if event.over is None else frozenset({event.over})
        doubt = game.slots > 0 and "two-hands" in hand.faults_of(position)
        landings.append(
            Landing(str(event.seat), entry.index, course_of(hand).landings.get(position), over, doubt)
        )
    fps = game.header.fps
    gap = None if fps is None else game.settings.number("tie_gap_frames") / fps
    return settle(landings, gap, str(game.settings["tie"]))


def _settle_ties(game: NertsGame, hand: Hand, place: Place, but: int = -1) -> list[Finding]:
    """Rule on the ties at a foundation that were not ruled on, but one that the play `but` belongs to."""
    course, found = course_of(hand), []
    for group in ties_at(game, hand, place):
        if group[0] in course.settled or but in group:
            continue
        course.settled.add(group[0])
        verdict = decide_tie(game, hand, place, group)
        winner = None if verdict.winner is None else group[verdict.winner]
        seat = "" if winner is None else str(hand.log[winner].event.seat)
        evidence = () if verdict.interval is None else (("interval", list(verdict.interval)),)
        found.append(
            Finding(
                game.rule("N13"),
                "tie",
                verdict.why,
                verdict=verdict.verdict,
                about=tuple(group),
                seat=seat,
                evidence=evidence,
            )
        )
        if winner is not None:
            course.losers += [position for position in group if position != winner]
    return found


def _centre_play(game: NertsGame, hand: Hand, entry: Entry) -> list[Finding]:
    course, move = course_of(hand), entry.move
    assert move is not None
    assert isinstance(entry.event, Play)
    landed = landing_of(hand, entry.event, move.target)
    course.touches.pop((move.seat, move.target), None)
    if landed is not None:
        course.landings[entry.position] = landed
    course.centre[move.target] = (*course.centre.get(move.target, ()), entry.position)
    found = _settle_ties(game, hand, move.target, but=entry.position)
    tied = any(entry.position in group for group in ties_at(game, hand, move.target))
    return found if tied else found + _unreturned(game, hand, move.target)


def _unreturned(game: NertsGame, hand: Hand, place: Place | None) -> list[Finding]:
    """N13: losers of ties whose cards still lie there when the next card comes, or (no place) at the end."""
    course, found = course_of(hand), []
    if place is None:
        for known in course.centre:
            found += _settle_ties(game, hand, known)
    for position in course.losers.copy():
        move = hand.log[position].move
        assert move is not None
        if place is not None and move.target != place:
            continue
        course.losers.remove(position)
        if hand.table.moved_by[move.cards[0]] == position:
            why = f"{hand.log[position].event}: the tie was lost and the card was not taken back."
            sure = min(
                hand.log[p].event.confidence
                for group in ties_at(game, hand, move.target)
                if position in group
                for p in group
            )
            found.append(
                Finding(game.rule("N13"), "tie-not-taken-back", why, about=(position,), confidence=sure)
            )
    return found


def _take_back(game: NertsGame, hand: Hand, entry: Entry) -> list[Finding]:
    """N3: a card leaves the centre only if its play was illegal or tied; N13: and goes where it came from."""
    move, course = entry.move, course_of(hand)
    assert move is not None
    last = hand.last_play_of(move.cards[0], move.seat)
    if move.source.kind != "foundation":
        return _foreign_take_back(game, hand, entry, last)
    if course.ended:
        course.kept.update(move.cards)
    why = f"{entry.event}: nothing gives a reason to take it out of the centre."
    wrong = [Finding("N3", "out-of-centre", why)]
    if last is None or last.move is None:
        return wrong
    group = [g for g in ties_at(game, hand, move.source) if last.position in g]
    if hand.verdict_on(last.position) is not None and not group:
        return []
    if not group:
        return wrong
    verdict = decide_tie(game, hand, move.source, group[0])
    if verdict.winner is not None and group[0][verdict.winner] == last.position:
        return [] if hand.verdict_on(last.position) == "illegal" else wrong
    if verdict.verdict == "first" and move.target != last.move.source:
        why = f"{entry.event}: the card came from {last.move.source}."
        return [Finding(game.rule("N13"), "tie-put-back-wrongly", why)]
    return []


def _foreign_take_back(game: NertsGame, hand: Hand, entry: Entry, last: Entry | None) -> list[Finding]:
    """N3: what lies in another's area is only touched to reverse an illegal play."""
    move = entry.move
    assert move is not None
    if last is not None and hand.verdict_on(last.position) is not None:
        return []
    for place in (move.source, move.target):
        if place.seat not in ("", game.owner[move.seat]):
            return [Finding("N3", "foreign-area", f"{place} is not {move.seat}'s to touch.")]
    return []


# -- one hand (N4, T3) --------------------------------------------------------------------------------------


def _two_hands(game: NertsGame, hand: Hand, entry: Entry) -> list[Finding]:
    """Two plays of one seat in motion at once, one with either hand."""
    event = entry.event
    assert isinstance(event, Play)
    if event.hand is None or event.lifted is None:
        return []
    for earlier in reversed(hand.log[: entry.position]):
        other = earlier.event
        if other.at < event.lifted[0]:
            break
        if not isinstance(other, Play) or other.seat != event.seat or other.lifted is None:
            continue
        if other.hand is None or other.hand == event.hand:
            continue
        first, second = sorted((other, event), key=lambda play: play.lifted or (0.0, 0.0))
        landed = first.landed or (first.at, first.at)
        assert second.lifted is not None
        if second.lifted[0] >= landed[1]:
            continue
        sure = second.lifted[1] < landed[0]
        why = f"{event.seat} moved two cards at once, one with either hand."
        return [
            Finding(
                game.rule("N4"),
                "two-hands",
                why,
                verdict="illegal" if sure else "undecided",
                about=(earlier.position, entry.position),
            )
        ]
    return []


# -- everybody stuck (N14, U7), turning over too early (N11, U5, P4) ----------------------------------------


def _recycle_finding(game: NertsGame, position: int) -> Finding:
    why = "The waste was turned over with cards left in the stock."
    return Finding(game.rule("N11"), "recycled-early", why, about=(position,))


def _early_recycle(game: NertsGame, hand: Hand, entry: Entry) -> list[Finding]:
    """A recycle with stock left is only right just before the seat's own bury."""
    course, owner = course_of(hand), game.owner[str(entry.event.seat)]
    open_one = course.early_recycles.pop(owner, None)
    found = []
    if open_one is not None and not isinstance(entry.event, Bury):
        found.append(_recycle_finding(game, open_one))
    if isinstance(entry.event, Recycle) and course.stock_left:
        course.early_recycles[owner] = entry.position
    return found


def _bury(game: NertsGame, hand: Hand, entry: Entry) -> list[Finding]:
    """N14: agreed when all bury in one round; a round after which nobody could play ends the hand."""
    course, owner, rule = course_of(hand), game.owner[str(entry.event.seat)], game.rule("N14")
    stuck = game.settings["stuck"]
    if stuck == "none":
        why = "The ruleset does not say what is done when everybody is stuck."
        return [Finding(rule, "bury-unstated", why, verdict="undecided")]
    if course.ended:
        return []
    if not course.buried or owner in course.buried:
        course.buried, course.round, course.disturbed = {}, [], []
        course.again, course.played = course.redealt and not course.played, False
    found = []
    if any(game.owner[str(hand.log[p].event.seat)] != owner for p in course.disturbed):
        found.append(_lone_bury(hand, rule, course.disturbed[0], entry.position))
    else:
        course.round.append(entry.position)
    if stuck == "redeal-then-score" and course.again:
        why = "Stuck again with no card played since: the hand ends and is scored."
        found.append(Finding(rule, "stuck-again", why))
    course.buried[owner] = entry.position
    if len(course.buried) == len(game.sides):
        found += _must_call(game, hand)
        course.redealt = True
        course.buried, course.round, course.disturbed = {}, [], []
    return found


def _lone_bury(hand: Hand, rule: str, other: int, position: int) -> Finding:
    event = hand.log[other].event
    why = f"{event.seat} played on in the same round: only when all are stuck is a card put to the bottom."
    return Finding(rule, "bury-while-others-play", why, about=(position,), confidence=event.confidence)


def _round_goes_on(game: NertsGame, hand: Hand, entry: Entry) -> list[Finding]:
    course, owner = course_of(hand), game.owner[str(entry.event.seat)]
    move = entry.move
    if move is not None and isinstance(entry.event, Play) and move.target.kind in ("work", "foundation"):
        course.played = True
    if not course.buried or owner in course.buried:
        return []
    course.disturbed.append(entry.position)
    found = []
    for position in course.round:
        if game.owner[str(hand.log[position].event.seat)] != owner:
            found.append(_lone_bury(hand, game.rule("N14"), entry.position, position))
    course.round = []
    return found


def _must_call(game: NertsGame, hand: Hand) -> list[Finding]:
    """The setting's duty: with everybody stuck, whoever can call must."""
    if not game.settings["must_call_when_stuck"]:
        return []
    found = []
    for owner, position in course_of(hand).buried.items():
        if hand.is_known(Place("nerts", 0, owner)) and not left(game, hand, owner):
            why = f"{owner} could call and must when everybody is stuck."
            found.append(Finding(game.rule("N15"), "no-call-when-stuck", why, about=(position,)))
    return found


# -- the call and after (N15, N16) --------------------------------------------------------------------------


def left(game: NertsGame, hand: Hand, owner: str) -> int:
    """Cards left in a side's Nerts pile, its slots included."""
    return sum(len(hand.table.pile(Place("nerts", slot, owner))) for slot in range(game.slots + 1))


def centre(hand: Hand, course: NertsCourse) -> list[int]:
    """The cards that count as lying in the centre when the hand ends."""
    there = [card for place, pile in hand.table.piles.items() if place.kind == "foundation" for card in pile]
    return [card for card in dict.fromkeys([*there, *sorted(course.kept)]) if card not in course.void]


def _call(game: NertsGame, hand: Hand, entry: Entry) -> list[Finding]:
    event, course = entry.event, course_of(hand)
    assert isinstance(event, Call)
    if event.word.strip().lower().startswith("stop") or (course.ended and not course.call_undecided):
        return []
    found = _close_call(game, hand, "false") if course.open_call >= 0 else []
    owner = game.owner[str(event.seat)]
    if not hand.is_known(Place("nerts", 0, owner)):
        course.open_call = entry.position
        _end_by_call(hand, undecided=False)
        return found
    count = left(game, hand, owner)
    if count > 1:
        return [*found, _false_call(game, hand, entry.position, count)]
    course.open_call = entry.position
    if count == 1:
        return found
    last = _last_nerts_play(game, hand, owner)
    doubtful = last is not None and hand.verdict_on(last.position) is not None
    return found + _close_call(game, hand, "undecided" if doubtful else "right")


def _false_call(game: NertsGame, hand: Hand, position: int, count: int) -> Finding:
    seat = hand.log[position].event.seat
    why = f"{seat} called with {count} card{'s' if count > 1 else ''} left."
    return Finding(game.rule("N15"), "false-call", why, about=(position,))


def _last_nerts_play(game: NertsGame, hand: Hand, owner: str) -> Entry | None:
    for entry in reversed(hand.log):
        move = entry.move
        if move is None or not isinstance(entry.event, Play) or move.target.kind == "nerts":
            continue
        if move.source.kind == "nerts" and move.source.seat == owner:
            return entry
    return None


def _end_by_call(hand: Hand, *, undecided: bool) -> None:
    course = course_of(hand)
    course.ended = True
    course.call, course.call_undecided, course.open_call = course.open_call, undecided, -1
    if not undecided:
        course.called_by = hand.game.owner[str(hand.log[course.call].event.seat)]


def _close_call(game: NertsGame, hand: Hand, outcome: str) -> list[Finding]:
    """Settle the open call: "right", "undecided" or "false"; plays made meanwhile are ruled on."""
    course = course_of(hand)
    position, meanwhile = course.open_call, course.after.copy()
    course.after.clear()
    seat = hand.log[position].event.seat
    if outcome == "false":
        course.open_call = -1
        return [_false_call(game, hand, position, 1)]
    _end_by_call(hand, undecided=outcome == "undecided")
    if outcome == "right":
        why = f"{seat} called with the Nerts pile empty: the hand ends."
        found = [Finding(game.rule("N15"), "call", why, verdict="legal", about=(position,))]
    else:
        why = f"{seat} called, but the play that emptied the pile is in doubt."
        found = [Finding(game.rule("N15"), "call", why, verdict="undecided", about=(position,))]
    for later in meanwhile:
        found += _mid_air(hand, hand.log[later])
    return found + _unreturned(game, hand, None)


def _timing(event: Play, call_at: float) -> str:
    """Whether a play was lifted "before" the call, "after" it, or it is "unclear"."""
    if event.lifted is None:
        return "unclear" if event.at <= call_at + MID_AIR_S + EPSILON_S else "after"
    if event.lifted[1] <= call_at:
        return "before"
    return "after" if event.lifted[0] >= call_at else "unclear"


def _after_call(game: NertsGame, hand: Hand, entry: Entry) -> list[Finding]:
    """N16 for plays to the centre or from a Nerts pile; one of them may settle an open call."""
    course, event, move = course_of(hand), entry.event, entry.move
    assert isinstance(event, Play) and move is not None
    from_nerts = move.source.kind == "nerts" and move.target.kind != "nerts"
    if not from_nerts and move.target.kind != "foundation":
        return []
    if course.open_call >= 0:
        return _while_open(game, hand, entry, from_nerts)
    if course.call >= 0:
        return _mid_air(hand, entry)
    if course.ended:
        course.void.update(dict.fromkeys(move.cards, move.source))
    return []


def _while_open(game: NertsGame, hand: Hand, entry: Entry, from_nerts: bool) -> list[Finding]:
    course, event, move = course_of(hand), entry.event, entry.move
    assert isinstance(event, Play) and move is not None
    call = hand.log[course.open_call].event
    owner = game.owner[str(call.seat)]
    if not from_nerts or move.source.seat != owner or left(game, hand, owner):
        course.after.append(entry.position)
        return []
    timing = _timing(event, call.at)
    if timing == "after":
        return _close_call(game, hand, "false")
    course.after.append(entry.position)
    doubtful = timing == "unclear" or hand.verdict_on(entry.position) is not None
    return _close_call(game, hand, "undecided" if doubtful else "right")


def _mid_air(hand: Hand, entry: Entry) -> list[Finding]:
    course, event, move = course_of(hand), entry.event, entry.move
    assert isinstance(event, Play) and move is not None
    timing = _timing(event, hand.log[course.call].event.at)
    about = (entry.position,)
    if timing == "before":
        why = f"{event}: lifted before the call, so it counts."
        return [Finding("N16", "mid-air", why, verdict="legal", about=about)]
    if timing == "unclear" or course.call_undecided:
        why = f"{event}: it cannot be said whether this was in mid-air at the call; it counts."
        return [Finding("N16", "mid-air", why, verdict="undecided", about=about)]
    course.void.update(dict.fromkeys(move.cards, move.source))
    why = f"{event}: lifted after the call; it does not count."
    sure = hand.log[course.call].event.confidence
    return [Finding("N16", "play-after-call", why, about=about, confidence=sure)]
