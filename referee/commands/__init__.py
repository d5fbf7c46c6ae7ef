"""The command line: `nerts-referee`. Every command is thin; what it does, others can call, too."""

from referee.commands.program import main

__all__ = ["main"]
