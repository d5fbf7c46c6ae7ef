"""Names of players: which are one name to people, and which cannot be read at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from unicodedata import category, normalize

#: Kinds of characters that leave nothing on paper: blanks, controls, marks of direction, parts of none.
_UNSEEN = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Cn"})
#: Letters that are blank, and marks that only choose how the one before them is drawn.
BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
_VARIANTS = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
#: Kinds that are no text of a line: they move the terminal's pen, or cannot be written at all.
_NO_TEXT = frozenset({"Zl", "Zp", "Cc", "Cs"})


def alike(name: str) -> str:
    """What names have in common that differ by capitals, blanks or the way they are encoded.

    >>> alike("Ann") == alike(" ann") == alike("\uff21nn\u200b")
    True
    """
    folded = normalize("NFKC", normalize("NFKC", name).casefold())
    return "".join(filter(_is_seen, folded))


def twin(name: str, names: Iterable[str]) -> str | None:
    """The one of `names` that people would take for this other name; None if there is none."""
    return next((other for other in names if other != name and alike(other) == alike(name)), None)


def unknown_name(name: str, playing: Iterable[str]) -> str:
    """The error about a name that nobody has; it asks whether a name like it is meant."""
    names = list(playing)
    meant = twin(name, names)
    asked = "" if meant is None else f": write {_quoted(meant, name)} if that player is meant"
    return f"unknown seat {_quoted(name, meant)}{asked} (playing: {', '.join(names)})"


def misleading(names: Sequence[str]) -> str | None:
    """Why these cannot be the names of players who play together; None if they can."""
    first: dict[str, str] = {}
    for name in names:
        other = first.setdefault(alike(name), name)
        if other != name:
            return (
                f"seats {_quoted(other, name)} and {_quoted(name, other)} are one name to people (they differ by "
                "capitals, blanks or encoding alone): give one of them another"
            )
    return None


def unreadable(name: str) -> str | None:
    """Why nobody can read or print a name; None if it can be."""
    if any(category(character) in _NO_TEXT for character in name):
        return f"seat {name!a} holds characters that are no text: write another name"
    return None if alike(name) else f"seat {name!a} shows no letter: write another name"


def _is_seen(character: str) -> bool:
    return not (category(character) in _UNSEEN or character in BLANK_LETTERS or character in _VARIANTS)


def _quoted(name: str, beside: str | None) -> str:
    """A name in quotes; in its codes where it would look the same as the one beside it."""
    same = beside is not None and _look(name) == _look(beside)
    return ascii(name).replace("  ", " \\x20") if same else repr(name)


def _look(name: str) -> str:
    """What a name shows."""
    seen = (character for character in normalize("NFC", name) if character.isspace() or _is_seen(character))
    return " ".join("".join(seen).split())
