"""The memory of a hand of Pishe Pasha: what was missed, and what calls of Stop have asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.games.turns import TurnCourse
from referee.rules.rulings import Question

if TYPE_CHECKING:
    from referee.rules.hand import Hand


class PisheCourse(TurnCourse):
    """The memory of a hand of Pishe Pasha. Positions are those of the log."""

    def __init__(self) -> None:
        super().__init__()
        #: By position of a play, draw or recycle: the number of the turn that ran.
        self.turns: dict[int, int] = {}
        #: By position: the card that had to go to a foundation first, or instead.
        self.missed: dict[int, int] = {}
        #: A card that had to go to a foundation when the discard pile was turned over, with the question.
        self.turned_over: tuple[int, Question] | None = None
        #: Positions of calls of Stop that are not settled yet, and of infractions that ended a turn early.
        self.open_stops: tuple[int, ...] = ()
        self.closed: tuple[int, ...] = ()
        #: What a call of Stop that was right has asked to correct: position of the infraction, -1 = nothing.
        self.correcting: int = -1
        #: While it cannot be said whose turn it is: whose it was, and whether the other one would go back to theirs.
        self.ran: str = ""
        self.goes_back: bool = False
        #: Who, by going on then, has ended the turn of an opponent by Stop.
        self.perhaps_stopped: str = ""
        #: Whose turn a Stop has ended, and the cards that this seat lays on its discard pile for it.
        self.stopped: str = ""
        self.to_lay: tuple[int, ...] = ()


def pishe_of(hand: Hand) -> PisheCourse:
    """The course of a hand of Pishe Pasha."""
    course = hand.course
    assert isinstance(course, PisheCourse)
    return course
