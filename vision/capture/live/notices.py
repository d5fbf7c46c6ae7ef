"""What happens to a camera, told in words once it begins and once it is over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "gone",
    "back",
    "frozen",
    "moving",
    "slow",
    "steady",
    "resized",
    "gap",
    "not-recorded",
    "recorded-again",
    "behind",
    "caught-up",
    "ended",
]


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that happened at `time_s`, s since the source began, and since when if it took time to see.

    gone, back: the camera gives nothing, and does again. frozen, moving: its picture stands still as no camera's
    does, and does no longer. slow, steady: too few frames a second, and enough again. resized: pictures of another
    size. gap: no frame came for some time (the machine slept). not-recorded, recorded-again: the recording stopped,
    the disk being full, and goes on. behind, caught-up: frames wait to be recorded, more than fit in memory, and no
    longer. ended: nothing more will come.
    """

    kind: Kind
    time_s: float
    text: str
    since_s: float | None = None


#: Which notice ends which trouble.
OVER: dict[Kind, Kind] = {
    "back": "gone",
    "moving": "frozen",
    "steady": "slow",
    "recorded-again": "not-recorded",
    "caught-up": "behind",
}
#: What is over at once.
PASSING: tuple[Kind, ...] = ("resized", "gap")
