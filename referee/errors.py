"""What ends a command or a request with one line: a fault of what was given, or of the installation."""

from __future__ import annotations


class BadInputError(Exception):
    """Something the user gave cannot be used; the message is one line with the remedy (exit status 2)."""


class BrokenInstallError(RuntimeError):
    """Something that ships with the program is missing: no fault of the input (exit status 1)."""
