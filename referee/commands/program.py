"""The program: all commands, and the one place where errors become a line and an exit status."""

from __future__ import annotations

import io
import os
import sys
from importlib import import_module

import typer
from typer.exceptions import Abort, TyperException

from referee.commands.console import complain
from referee.service import BadInputError, BrokenInstallError

PROGRAM = "nerts-referee"
#: The status of who was stopped by Ctrl-C.
STOPPED = 130
#: In the order in which --help lists them; each is a module here.
COMMANDS = (
    "demo",
    "serve",
    "see",
    "score",
    "enrol",
    "replay",
    "watch",
    "check",
    "match",
    "rules",
    "markers",
    "doctor",
    "version",
)


def app_for(name: str) -> typer.Typer:
    """The program with one command, so that `check` need not load an eye; with all for any other name."""
    app = typer.Typer(
        name=PROGRAM,
        help="Referees a real card table: sees the cards, follows the plays, rules on them and keeps the score.",
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(lambda: None)
    for command in (name,) if name in COMMANDS else COMMANDS:
        import_module(f"referee.commands.{command}").add_to(app)
    return app


def main(arguments: list[str] | None = None) -> None:
    """Run the program and exit: 0 done, 1 failure, 2 bad input."""
    # read when numpy is loaded: its threads wait busily for matrices that are too small to share, a quarter of a look
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _open_streams()
    status = run(arguments)
    _let_go_of_output()
    sys.exit(status)


def run(arguments: list[str] | None = None) -> int:
    """Run the program; the exit status."""
    given = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    try:
        status = app_for(given[0])(args=given, prog_name=PROGRAM, standalone_mode=False)
        sys.stdout.flush()
    except BadInputError as error:
        return complain(str(error), 2)
    except BrokenInstallError as error:
        return complain(str(error), 1)
    except BrokenPipeError:  # who reads what is printed has seen enough
        return 1
    except OSError as error:
        return _complain_of_system(error)
    except MemoryError:
        return complain("the memory is used up: close other programs, or give less at a time", 1)
    except TyperException as error:
        about = f"{PROGRAM} {given[0]}" if given[0] in COMMANDS else PROGRAM
        return complain(f"{error.format_message().rstrip('.')}: see {about} --help", 2)
    except (Abort, KeyboardInterrupt):
        status = STOPPED
    # typer makes a status of Ctrl-C, and says nothing
    return complain("stopped", STOPPED) if status == STOPPED else int(status or 0)


def _complain_of_system(error: OSError) -> int:
    """A file may not even be asked for, the disk is full, a drive is gone: one line and the exit status."""
    why = error.strerror or error
    if error.filename is None:
        return complain(f"what was to be printed or read cannot be ({why}): is there room on the disk?", 1)
    return complain(f"{error.filename} cannot be used ({why}): check its name and permissions", 2)


def _open_streams() -> None:
    """Standard output takes every text, whatever the terminal can show, and is there though it was closed."""
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(io.BytesIO(), "utf-8")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _let_go_of_output() -> None:
    """What could not be printed, which has been told, is not tried once more on the way out."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
