"""The umpire: turns looks at a table into plays, rulings and a score.

`replay` referees a recording. `Umpire` is the part without files: layouts go in, events come out.
"""

from referee.umpire.book import Book
from referee.umpire.deal import Deal, find_deal
from referee.umpire.dealt_row import DealNotFoundError, NotFollowedError
from referee.umpire.measure import ReplayFigures, Tally, score_replay
from referee.umpire.replay import CropEyes, Eyes, Referee, Terms, replay
from referee.umpire.umpire import Umpire

__all__ = [
    "Book",
    "CropEyes",
    "Deal",
    "DealNotFoundError",
    "Eyes",
    "NotFollowedError",
    "Referee",
    "ReplayFigures",
    "Tally",
    "Terms",
    "Umpire",
    "find_deal",
    "replay",
    "score_replay",
]
