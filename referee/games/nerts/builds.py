"""What may lie on what in the Nerts family (N5, N9): asked by the legality function and by whoever expects plays."""

from __future__ import annotations

from referee.rules import cards as c

#: By the kind of a place, for each face that may lie there: the faces that may be laid on it.
ONTO: dict[str, tuple[int, ...]] = {"work": c.DOWN_ALTERNATING, "foundation": c.UP_IN_SUIT}
#: By the kind of a place: the faces that may be laid there while nothing lies there.
BEGINS: dict[str, int] = {"work": c.ALL, "foundation": c.ACES}


def builds(kind: str, onto: str | None, card: str) -> bool:
    """Whether a card may perhaps be laid on another one (None: on nothing) at a place of this kind.

    Cards as written, unknown ones too; nothing is built on other kinds of places.
    """
    if kind not in ONTO:
        return False
    if onto is None:
        return bool(c.MASKS[card] & BEGINS[kind])
    return any(c.MASKS[card] & ONTO[kind][face] for face in c.faces_of(c.MASKS[onto]))
