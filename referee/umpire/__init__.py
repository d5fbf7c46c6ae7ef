"""The umpire: turns looks at a table into plays, rulings and a score.

`replay` referees a recording. `Umpire` is the part without files: layouts go in, events come out.
"""

from referee.umpire.deal import Deal, find_deal
from referee.umpire.dealt_row import DealNotFoundError
from referee.umpire.measure import ReplayFigures, Tally, score_replay
from referee.umpire.replay import CropEyes, Eyes, Referee, replay
from referee.umpire.umpire import Umpire

__all__ = [
    "CropEyes",
    "Deal",
    "DealNotFoundError",
    "Eyes",
    "Referee",
    "ReplayFigures",
    "Tally",
    "Umpire",
    "find_deal",
    "replay",
    "score_replay",
]
