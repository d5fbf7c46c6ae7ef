"""The memory of a hand of the Nerts family, and what it counts by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.rules.events import Touch
from referee.rules.game import Course
from referee.rules.places import Place
from referee.rules.ties import Interval

if TYPE_CHECKING:
    from referee.games.nerts.game import NertsGame
    from referee.rules.hand import Hand

#: What a difference of two times may be off by rounding.
EPSILON_S = 1e-6


class NertsCourse(Course):
    """The memory of a hand of the Nerts family. Positions are those of the log."""

    def __init__(self) -> None:
        self.ended = False
        #: The owner whose call ended the hand.
        self.called_by = ""
        #: Position of the call that ended the hand (perhaps, if undecided), and of one before it that may have.
        self.call = -1
        self.call_undecided = False
        self.doubtful_call = -1
        #: Calls not ruled on, as one of them waits for a last card to land: position, what is known of it
        #: ("open", "right", "undecided", "false", "unseen") and the cards left.
        self.calls: list[tuple[int, str, int]] = []
        #: Positions of plays made while a call was open.
        self.after: list[int] = []
        #: Cards that do not count where they lie, with the place from which they were played too late.
        self.void: dict[int, Place] = {}
        #: Cards taken out of the centre after the end: they count as lying there.
        self.kept: set[int] = set()
        #: Of a hand of which the beginning was not seen: the owners of areas (and "", the centre) as they lay then, the
        #: places that were seen whole, and those that may hold more cards underneath.
        self.begun: set[str] = set()
        self.whole: set[Place] = set()
        self.more: set[Place] = set()
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
        #: Whether the last play took the fifth pile's bottom card, as U7's alternative to burying has it.
        self.took_bottom = False
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


def left(game: NertsGame, hand: Hand, owner: str) -> int:
    """Cards left in a side's Nerts pile, its slots included."""
    return sum(len(hand.table.pile(place)) for place in game.nerts(hand, owner))


def played_late(hand: Hand, course: NertsCourse, owner: str) -> int:
    """Cards of a side's Nerts pile that were played too late and were not put back there."""
    sources = {card: source for card, source in course.void.items() if source.kind == "nerts"}
    piles = [(source, hand.table.place_of[card]) for card, source in sources.items()]
    return sum(source.seat == owner and (lies.kind, lies.seat) != ("nerts", owner) for source, lies in piles)


def centre(hand: Hand, course: NertsCourse) -> list[int]:
    """The cards that count as lying in the centre when the hand ends."""
    there = [card for place, pile in hand.table.piles.items() if place.kind == "foundation" for card in pile]
    return [card for card in dict.fromkeys([*there, *sorted(course.kept)]) if card not in course.void]
