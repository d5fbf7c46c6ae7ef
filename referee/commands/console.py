"""What all commands share: how they print, how they complain, and how they read the user's options."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from referee.commands.terminal import Terminal, one_line, visible
from referee.rules.settings import Settings, SettingsError
from referee.service import BadInputError

#: A number as people write it: no sign but a minus, no other script's digits, nothing between them.
_WHOLE = re.compile(r"-?[0-9]{1,12}")
_NUMBER = re.compile(r"-?(?:[0-9]{1,12}(?:\.[0-9]{0,12})?|\.[0-9]{1,12})")
#: Characters of what was typed that an error repeats.
_REPEATED = 60
#: Characters of a complaint that are shown: what it names may be a page long.
_LONGEST = 2000

#: For people; the tables adapt to the terminal.
out = Terminal(highlight=False, emoji=False, width=None if sys.stdout and sys.stdout.isatty() else 120)

DecksOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER", help="Decks that were enrolled: backs get their names, others are unknown."
    ),
]
#: Letters of courts as `vision.faces.indices.LANGUAGES` names them; written here, for commands load the eye late.
LANGUAGES = ("KDB", "RDV", "KVB")


def _language(text: str) -> str:
    """The setting of `--indices`, also as `K,D,B`; BadInputError for what is none."""
    plain = re.sub(r"[^A-Za-z]", "", text).upper()
    if plain not in LANGUAGES:
        raise BadInputError(
            f"--indices {text[:_REPEATED]}: the letters of king, queen and jack, {' or '.join(LANGUAGES)} "
            "(German, French, Dutch)"
        )
    return plain


IndicesOption = Annotated[
    str | None,
    typer.Option(
        metavar="KDB",
        parser=_language,
        help="What stands on king, queen and jack: KDB (German), RDV (French), KVB (Dutch).",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")]


def complain(message: str, status: int = 2) -> int:
    """Print one line on standard error; the exit status is handed through."""
    with suppress(OSError):  # nobody can be told
        print(f"nerts-referee: {_shortened(one_line(message))}", file=sys.stderr, flush=True)
    return status


def _shortened(line: str) -> str:
    """A line that can be read at a glance: it begins with what is meant, and ends with the remedy."""
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST // 2]}…{line[-_LONGEST // 2 :]}"


@contextmanager
def user_errors() -> Iterator[None]:
    """Turn the errors that a user's pictures can cause into BadInputError."""
    from referee.photos.decks import UnknownBackError
    from vision.capture.frames import UnreadableError

    try:
        yield
    except (UnreadableError, UnknownBackError) as error:
        raise BadInputError(str(error)) from error


def print_json(value: Any) -> None:
    """One JSON value on one line of standard output."""
    try:
        line = json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # the name of a file that is no UTF-8
        line = json.dumps(value).encode()
    print_line(line)


def shown(text: object) -> str:
    """What people typed, or called their files, as it can be printed with `out`: no markup, nothing invisible."""
    return escape(visible(text, keep=""))


def say(text: object) -> None:
    """Print text for people as it is broken into lines already."""
    print(visible(text))


def print_line(line: bytes) -> None:
    """One line of a record on standard output, byte for byte, at once."""
    sys.stdout.flush()
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


def pairs(given: Sequence[str], option: str, example: str) -> dict[str, str]:
    """The KEY=VALUE pairs of a repeated option, each key once."""
    table: dict[str, str] = {}
    for pair in given:
        key, sign, value = pair.partition("=")
        if not sign or not key.strip() or not value.strip():
            raise BadInputError(f"{option} {pair!r} is not KEY=VALUE: write it like {option} {example}")
        if key.strip() in table:
            raise BadInputError(f"{option} names {key.strip()!r} twice: give it once")
        table[key.strip()] = value.strip()
    return table


def whole_number(text: str) -> int | None:
    """The whole number that someone typed in plain digits; None for anything else."""
    return int(text) if _WHOLE.fullmatch(text) else None


def number(text: str) -> float | None:
    """The number that someone typed in plain digits, with a point perhaps; None for anything else."""
    return float(text) if _NUMBER.fullmatch(text) else None


def repeated(text: str) -> str:
    """What someone typed as an error repeats it: not for pages."""
    return text if len(text) <= _REPEATED else f"{text[:_REPEATED]}…"


def whole_number_for(option: str, least: int, most: int, example: int) -> Callable[[object], int]:
    """What reads the whole number of an option (or its default); BadInputError beyond `least` to `most`."""

    def read(given: object) -> int:
        value = whole_number(str(given))
        if value is None or not least <= value <= most:
            raise BadInputError(
                f"{option} {repeated(str(given))}: give a number from {least} to {most}, like {option} {example}"
            )
        return value

    return read


#: What looks like a number without being a plain one is no camera's name.
_LIKE_A_NUMBER = re.compile(r"[+-]?[\d_., ]+(e[+-]?\d+)?|0x[\da-f]+|[+-]?(nan|inf|infinity)", re.IGNORECASE)


def camera_for(option: str) -> Callable[[object], str]:
    """What reads a camera: its number from 0 to 99, its name or its URL; BadInputError for what can be none of these."""

    def read(given: object) -> str:
        spec = str(given)
        value = whole_number(spec)
        if value is not None and 0 <= value <= 99:
            return str(value)
        if value is not None or not spec.strip() or not spec.isprintable() or _LIKE_A_NUMBER.fullmatch(spec):
            raise BadInputError(
                f"{option} {repeated(spec)}: give a camera's number from 0 to 99, its name or its URL, like {option} 0"
            )
        return spec

    return read


def length_for(option: str, example: float) -> Callable[[object], float]:
    """What reads the length that an option tells (or its default), mm; BadInputError unless it is over 0."""

    def read(given: object) -> float:
        value = number(str(given))
        if value is None or value <= 0:
            raise BadInputError(
                f"{option} {repeated(str(given))}: give a length over 0 mm, like {option} {example:g}"
            )
        return value

    return read


def is_file(text: str) -> bool:
    """Is this the name of a file? Where that may not be asked it is none."""
    try:
        return Path(text).is_file()
    except OSError:
        return False


def same_file(one: Path, other: Path) -> bool:
    """Are these two names of one file? Where that may not be asked, or one is not there, they are not."""
    try:
        return one.samefile(other)
    except OSError:
        return False


def settings_of(game: str, given: Sequence[str]) -> Settings:
    """The settings that --game and --set ask for."""
    changed = {key: _value(text) for key, text in pairs(given, "--set", "target=200").items()}
    try:
        return Settings.of(game, changed)
    except SettingsError as error:
        raise BadInputError(str(error)) from error


def _value(text: str) -> int | float | bool | str:
    """A setting's value as typed: 3, 0.9, true, false or a word."""
    if text in ("true", "false"):
        return text == "true"
    whole = whole_number(text)
    read = number(text) if whole is None else whole
    return text if read is None else read
