"""The program: all commands, and the one place where errors become a line and an exit status."""

from __future__ import annotations

import errno
import os
import sys
from importlib import import_module

import typer
from typer.exceptions import Abort, TyperException

from referee.commands.console import complain
from referee.service import BadInputError, BrokenInstallError

PROGRAM = "nerts-referee"
#: What the system answers where it may not even be asked whether a file is there (Path.exists raises it).
_NOT_TO_BE_ASKED = (errno.EACCES, errno.EPERM, errno.ENAMETOOLONG)
#: In the order in which --help lists them; each is a module here.
COMMANDS = (
    "demo",
    "serve",
    "see",
    "score",
    "enrol",
    "replay",
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
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    """Run the program; the exit status."""
    given = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    try:
        status = app_for(given[0])(args=given, prog_name=PROGRAM, standalone_mode=False)
    except BadInputError as error:
        return complain(str(error), 2)
    except BrokenInstallError as error:
        return complain(str(error), 1)
    except OSError as error:
        if error.errno not in _NOT_TO_BE_ASKED or error.filename is None:
            raise
        return complain(
            f"{error.filename} cannot be used ({error.strerror}): check its name and permissions", 2
        )
    except TyperException as error:
        about = f"{PROGRAM} {given[0]}" if given[0] in COMMANDS else PROGRAM
        return complain(f"{error.format_message().rstrip('.')}: see {about} --help", 2)
    except (Abort, KeyboardInterrupt):
        return complain("stopped", 130)
    return int(status or 0)
