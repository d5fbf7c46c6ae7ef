"""What happens at a table without breaking a rule: a referee must neither flag it nor lose the thread."""

from __future__ import annotations

from dataclasses import dataclass

#: What players do: a hand that rests on cards, a pile that is pushed aside and squared up again, a card dropped on
#: its way and picked up, a card in mid-air at the call, a card rightly slid under a work pile (N7).
BY_PLAYERS = ("rest", "bump", "drop", "mid-air", "slide")
#: What happens to the room: a lamp is switched on, the camera is knocked, somebody leans in over the cards.
TO_THE_ROOM = ("lamp", "knock", "lean")


@dataclass(frozen=True, slots=True)
class Mishap:
    """Something that happens at the first chance after `after` seconds."""

    kind: str
    after: float = 10.0

    def __post_init__(self) -> None:
        if self.kind not in BY_PLAYERS + TO_THE_ROOM:
            known = ", ".join(BY_PLAYERS + TO_THE_ROOM)
            raise ValueError(f"cannot stage '{self.kind}': choose of {known}")
