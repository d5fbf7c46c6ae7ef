"""What commands and page share: a pool of eyes, the umpire for recordings, the counter, and how they fail.

It knows every room but commands and page, and loads what is large when that is first needed.
"""

from referee.errors import BadInputError, BrokenInstallError
from referee.service.eyes import EyePool, Sees
from referee.service.told import Call, Told
from referee.service.toolbox import SAMPLE, Progress, Tools, enrol_deck, enrolled_decks

__all__ = [
    "SAMPLE",
    "BadInputError",
    "BrokenInstallError",
    "Call",
    "EyePool",
    "Progress",
    "Sees",
    "Told",
    "Tools",
    "enrol_deck",
    "enrolled_decks",
    "tools",
]

#: The tools in use.
tools = Tools()
