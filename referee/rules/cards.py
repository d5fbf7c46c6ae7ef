"""Cards of one deck as numbers, and sets of cards as 52-bit masks.

A face is a number 0 to 51 in the order of `FACES` (spades, hearts, diamonds, clubs, each ace to king); it is
written rank then suit, as in "TH". What is partly known is a set: "7?" is the four sevens, "??" any card.
"""

from __future__ import annotations

from collections.abc import Callable

RANKS = "A23456789TJQK"
SUITS = "SHDC"
FACES: tuple[str, ...] = tuple(rank + suit for suit in SUITS for rank in RANKS)
#: Face number by its name.
FACE: dict[str, int] = {name: face for face, name in enumerate(FACES)}
UNKNOWN = "??"
#: The mask of all 52 cards.
ALL = (1 << 52) - 1


def rank(face: int) -> int:
    """Rank of a face, 1 (ace) to 13 (king)."""
    return face % 13 + 1


def suit(face: int) -> int:
    """Suit of a face as an index into `SUITS`."""
    return face // 13


def is_red(face: int) -> bool:
    """Whether a face is a heart or a diamond."""
    return face // 13 in (1, 2)


def mask_where(wanted: Callable[[int], bool]) -> int:
    """The set of faces for which `wanted` holds, as a mask."""
    return sum(1 << face for face in range(52) if wanted(face))


def _readings() -> dict[str, int]:
    readings = {name: 1 << face for name, face in FACE.items()}
    for number, letter in enumerate(RANKS):
        readings[letter + "?"] = mask_where(lambda face, r=number: face % 13 == r)  # type: ignore[misc]
    for number, letter in enumerate(SUITS):
        readings["?" + letter] = mask_where(lambda face, s=number: face // 13 == s)  # type: ignore[misc]
    readings[UNKNOWN] = ALL
    return readings


#: The set of cards that a written card can be: "7H" is one, "7?" four, "?H" thirteen, "??" all.
MASKS: dict[str, int] = _readings()


def parse_card(text: str) -> int:
    """The mask of what a written card can be; ValueError for what is no card."""
    try:
        return MASKS[text]
    except (KeyError, TypeError):
        raise ValueError(f"{text!r} is no card (write rank then suit, as TH; ?? if unknown)") from None


def single(mask: int) -> int:
    """The face of a mask that holds exactly one card, else -1."""
    return mask.bit_length() - 1 if mask and not mask & (mask - 1) else -1


def faces_of(mask: int) -> list[int]:
    """The faces of a mask, in order."""
    return [face for face in range(52) if mask >> face & 1]


def name(mask: int) -> str:
    """How a set of cards is written: "7H", "7?", "?H" or "??"."""
    face = single(mask)
    if face >= 0:
        return FACES[face]
    members = faces_of(mask)
    if len({rank(face) for face in members}) == 1:
        return RANKS[rank(members[0]) - 1] + "?"
    if len({suit(face) for face in members}) == 1:
        return "?" + SUITS[suit(members[0])]
    return UNKNOWN


ACES = mask_where(lambda face: rank(face) == 1)
#: The thirteen cards of each suit, in the order of `SUITS`.
SUIT_MASKS = tuple(mask_where(lambda face, s=number: suit(face) == s) for number in range(4))  # type: ignore[misc]
KINGS = mask_where(lambda face: rank(face) == 13)


def _of(rank: int, suits: tuple[int, ...]) -> int:
    """The cards of a rank in some suits; none beyond ace and king."""
    return sum(1 << 13 * suit + rank - 1 for suit in suits) if 1 <= rank <= 13 else 0


def _other_colour(face: int) -> tuple[int, ...]:
    return (0, 3) if is_red(face) else (1, 2)


#: By the face that lies there: what may be put on it in a pile built down in alternating colour.
DOWN_ALTERNATING = tuple(_of(rank(on) - 1, _other_colour(on)) for on in range(52))
#: By the face that lies there: what may be put on it in a foundation.
UP_IN_SUIT = tuple(_of(rank(on) + 1, (suit(on),)) for on in range(52))
#: By the base of a pile: what may be slid underneath it.
UNDER_ALTERNATING = tuple(_of(rank(base) + 1, _other_colour(base)) for base in range(52))
