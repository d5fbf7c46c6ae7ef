"""Text on a terminal: whatever people called their seats and files, it is shown and never obeyed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from unicodedata import category

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from referee.matches.names import BLANK_LETTERS

#: Controls, invisible formats (directions of writing among them), broken letters, separators of lines: they steer
#: what is shown, or show nothing.
_STEERING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def visible(text: object, *, keep: str = "\n") -> str:
    """Text with everything that would steer a terminal written as an escape, `\\x1b`; `keep` stays as it is."""
    written = str(text)
    if written.isascii() and written.isprintable():
        return written
    return "".join(c if c in keep or not _steers(c) else _escaped(c) for c in written)


def _steers(character: str) -> bool:
    return category(character) in _STEERING or character in BLANK_LETTERS


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode()


def one_line(text: object) -> str:
    """Text on one line: line ends and indents become blanks, the rest is made visible."""
    return visible(re.sub(r"[ \n]+", " ", str(text)).strip(), keep="")


class Terminal(Console):
    """A console that no text can steer: styles and cursors are its own alone."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """What is shown of a renderable, every text of it visible."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else visible(text), style, control)
