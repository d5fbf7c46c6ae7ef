"""Layouts in, plays, rulings and scores out.

The rules are pure: a `Hand` takes events and answers with rulings, a record is checked line by line, and
nothing here reads a file or a camera.
"""

from referee.games import game_for
from referee.rules.events import (
    BadEventError,
    Begun,
    Bury,
    Call,
    Correct,
    Deal,
    Doubt,
    Draw,
    End,
    Event,
    Play,
    Recycle,
    SetAside,
    TakeBack,
    Touch,
    Turn,
    parse_event,
)
from referee.rules.hand import Hand
from referee.rules.header import Header, HeaderError, Seat, parse_header
from referee.rules.rulings import Finding, Ruling
from referee.rules.score import HandScore, Score
from referee.rules.settings import Settings, SettingsError

__all__ = [
    "BadEventError",
    "Begun",
    "Bury",
    "Call",
    "Correct",
    "Deal",
    "Doubt",
    "Draw",
    "End",
    "Event",
    "Finding",
    "Hand",
    "HandScore",
    "Header",
    "HeaderError",
    "Play",
    "Recycle",
    "Ruling",
    "Score",
    "Seat",
    "SetAside",
    "Settings",
    "SettingsError",
    "TakeBack",
    "Touch",
    "Turn",
    "open_hand",
    "parse_event",
    "parse_header",
]


def open_hand(header: Header, *, history: bool = True) -> Hand:
    """A hand that has not begun, under the rules that a header names."""
    return Hand(game_for(header), history=history)
