"""No name or word that somebody wrote steers a terminal: what cannot be seen is shown escaped, by all commands."""

from __future__ import annotations

import io
import json
import shutil
import sys
from pathlib import Path
from unicodedata import category

import pytest
from pretend import PretendEye
from rich.table import Table

from referee.commands.console import shown
from referee.commands.program import COMMANDS, run
from referee.commands.replay import progress_bar
from referee.commands.terminal import Terminal, visible

#: Red letters, a title for the window, a bell, letters from right to left, line ends of several kinds, a smile.
EVIL = "a\x1b[31m\x1b]0;owned\x07\u202egnp\u2028b\x85c\rd\x9be\u200bf\ufeff:smile:"
ESCAPED = r"a\x1b[31m\x1b]0;owned\x07\u202egnp\u2028b\x85c\rd\x9be\u200bf\ufeff:smile:"


def steering(text: str) -> list[str]:
    return sorted({c for c in text if c != "\n" and category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")})


def told(capsys: pytest.CaptureFixture[str]) -> str:
    """All that was printed; none of it steers."""
    captured = capsys.readouterr()
    assert steering(captured.out) == steering(captured.err) == []
    assert "Traceback" not in captured.err
    return captured.out + captured.err


# -- the text itself --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        (EVIL, ESCAPED),
        ("Anne-Zoë ♥ 王 😀 e\u0301 1\u00a02", "Anne-Zoë ♥ 王 😀 e\u0301 1\u00a02"),
        ("\udcff\ud800", r"\udcff\ud800"),
        ("a\tb\nc", "a\\tb\nc"),
        ("\u3164\u2066", r"\u3164\u2066"),
        ("\U000e0041", r"\U000e0041"),
        ("", ""),
    ],
)
def test_what_steers_is_escaped_and_nothing_else(text: str, seen: str) -> None:
    assert visible(text) == seen
    assert visible(seen) == seen


@pytest.mark.parametrize("terminal", [True, False])
def test_a_console_shows_its_own_styles_and_nobody_elses(terminal: bool) -> None:
    file = io.StringIO()
    console = Terminal(
        file=file,
        force_terminal=terminal,
        width=200,
        emoji=False,
        color_system="standard" if terminal else None,
    )
    table = Table("name")
    table.add_row(f"[red]{shown(EVIL)}[/]")
    console.print(table)
    console.print(EVIL, markup=False)
    console.print(EVIL.replace("[31m", ""), style="bold")
    said = file.getvalue()
    assert ESCAPED in said
    assert ("\x1b[31m" in said) is terminal
    assert said.count("\x1b[31m") <= 1
    assert not set("\x07\u202e\u2028\x85\x9b\u200b") & set(said)


@pytest.mark.parametrize("name", ["[/]", "[b]x", "\\", "a\\[b]", "[link=http://x]y", ":+1:", "\\[/]"])
def test_markup_in_a_name_is_shown_as_it_is(name: str) -> None:
    file = io.StringIO()
    Terminal(file=file, width=80, emoji=False).print(f"[red]{shown(name)}[/]!")
    assert file.getvalue() == f"{name}!\n"


# -- every command ----------------------------------------------------------------------------------------

ARGUMENTS = {
    "demo": ["--out", EVIL, EVIL],
    "serve": ["--port", EVIL],
    "see": [EVIL],
    "score": [EVIL],
    "enrol": [EVIL, EVIL],
    "replay": [EVIL],
    "watch": ["--as-live", EVIL],
    "check": [EVIL],
    "match": [EVIL, EVIL],
    "rules": [EVIL],
    "markers": ["--out", "x", EVIL],
    "doctor": ["--camera", EVIL],
    "version": [EVIL],
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("option", [False, True])
def test_a_complaint_shows_what_was_typed(
    command: str, option: bool, pretended: PretendEye, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([command, f"--{EVIL}"] if option else [command, *ARGUMENTS[command]]) == 2
    said = told(capsys)
    assert said.count("\n") == 1
    assert r"\x1b[31m" in said and r"\u202egnp" in said


def test_so_does_the_complaint_about_no_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([EVIL]) == 2
    assert r"\x1b[31m" in told(capsys)


def test_a_file_keeps_its_name_in_what_is_said_of_it(
    photo: Path, pretended: PretendEye, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = photo.with_name(f"{EVIL}.png")
    shutil.copy(photo, evil)
    assert run(["see", str(evil)]) == 0
    assert ESCAPED in told(capsys)
    assert run(["see", "--draw", str(evil.with_name(f"{EVIL}2.png")), str(evil)]) == 0
    assert ESCAPED + "2.png" in told(capsys).replace("\n", "")
    assert run(["replay", str(evil)]) == 2
    assert ESCAPED in told(capsys)


def test_the_names_and_words_of_a_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = {"event": "play", "cards": ["9S"], "from": "waste", "to": "foundation 1"}
    lines = [
        {
            "record": 1,
            "game": "nerts",
            "seats": [{"seat": EVIL, "deck": EVIL + "!"}, {"seat": "b", "deck": "c"}],
        },
        {"event": "play", "at": 1, "seat": EVIL, "cards": ["AS"], "from": "waste", "to": "foundation 1"},
        {"at": 2, "seat": EVIL, **wrong},
        {"event": "call", "at": 3, "seat": EVIL, "word": EVIL},
        {"event": "correct", "at": 4, "of": 1, "with": {"cards": ["AH"]}, "by": EVIL},
        {"event": "correct", "at": 4, "of": 2, "insert": [{"seat": EVIL, **wrong}], "by": EVIL},
        {"event": "doubt", "at": 4, "of": 1, "candidates": [{"cards": ["AD"]}], "asks": EVIL},
    ]
    record = tmp_path / f"{EVIL}.jsonl"
    for last in (
        {},
        {"event": EVIL, "at": 5},
        {"event": "end", "why": EVIL},
        {"event": "touch", "seat": EVIL, "place": EVIL},
    ):
        text = "".join(json.dumps(line) + "\n" for line in [*lines, *([last] if last else [])])
        record.write_text(text)
        assert run(["check", str(record)]) in (0, 2)
        assert r"\x1b[31m" in told(capsys)
    assert run(["check", "--json", str(record)]) == 2
    assert json.loads(capsys.readouterr().out.splitlines()[3])["word"] == EVIL


def test_the_names_of_a_match(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = str(tmp_path / "match.json")
    run(["match", book, "--seats", f"{EVIL},ben"])
    run(["match", book, f"{EVIL}=3", "ben=4"])
    run(["match", book])
    told(capsys)


def test_the_progress_bar_shows_the_name_of_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal; brackets in it are no markup."""
    file = io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress_bar(f"[/]{EVIL}") as on_progress:
        on_progress(1, 2)
    assert f"[/]{ESCAPED[:60]}" in file.getvalue()
    assert not set("\x07\u202e\u2028\x85\x9b\u200b") & set(file.getvalue())
