"""Which doubts are asked first: a few, each about one marked card, that are the likeliest to change what is counted."""

from __future__ import annotations

from collections.abc import Sequence

from referee.photos.score import Doubt, Kind

#: So many at most, for people stop reading.
MOST = 5
#: What a doubt of each kind is worth beside the chance that a card that counts is none.
WEIGHT: dict[Kind, float] = {"card": 1.0, "left out": 1.0, "deck": 0.4, "face": 0.8, "pile": 0.5}


def first_asked(doubts: Sequence[Doubt]) -> list[int]:
    """The numbers of those that are asked first, the most open one first; of one card only one."""
    worth = sorted(
        ((_worth(doubt), -number) for number, doubt in enumerate(doubts) if doubt.kind), reverse=True
    )
    asked: dict[int, int] = {}
    for _, number in worth:
        about = doubts[-number].about
        assert about is not None
        asked.setdefault(id(about.of[0] if about.of else about), -number)
    return list(asked.values())[:MOST]


def _worth(doubt: Doubt) -> float:
    assert doubt.kind and doubt.about is not None
    card = doubt.about.card
    if doubt.kind == "face":
        open_to = 1 - card.face_confidence
    elif doubt.kind == "left out":
        open_to = card.confidence
    else:
        open_to = max(1 - card.confidence, 0.05)
    return WEIGHT[doubt.kind] * float(open_to)
