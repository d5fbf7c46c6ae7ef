"""What commands and page share: a pool of eyes, the umpire for recordings, the counter, and how they fail.

It knows every room but commands and page, and loads what is large when that is first needed.
"""

from referee.errors import BadInputError, BrokenInstallError
from referee.record.alternatives import Alternative, alternatives
from referee.record.amend import ContradictedError, Corrected, correct
from referee.record.otherwise import Otherwise, under
from referee.record.said import Answer, Change, Drop, Insert, RefusedError, Said, Undo, said_of
from referee.service.corrections import correct_file, unwatched
from referee.service.eyes import EyePool, Sees
from referee.service.kept_match import KeptMatch
from referee.service.table import TableTerms
from referee.service.tablefile import KeptTable, default_table, keep_table, open_table, read_table
from referee.service.told import Call, Told
from referee.service.toolbox import SAMPLE, Progress, Tools, enrol_deck, enrolled_decks

__all__ = [
    "SAMPLE",
    "Alternative",
    "Answer",
    "BadInputError",
    "BrokenInstallError",
    "Call",
    "Change",
    "ContradictedError",
    "Corrected",
    "Drop",
    "EyePool",
    "Insert",
    "KeptMatch",
    "KeptTable",
    "Otherwise",
    "Progress",
    "RefusedError",
    "Said",
    "Sees",
    "TableTerms",
    "Told",
    "Tools",
    "Undo",
    "alternatives",
    "correct",
    "correct_file",
    "default_table",
    "enrol_deck",
    "enrolled_decks",
    "keep_table",
    "open_table",
    "read_table",
    "said_of",
    "tools",
    "under",
    "unwatched",
]

#: The tools in use.
tools = Tools()
