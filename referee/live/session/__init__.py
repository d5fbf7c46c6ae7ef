"""A table over an evening, live: what it shows, what is told, kept and called, and how it goes on after a crash."""

from referee.live.session.evening import Session
from referee.live.session.keeper import Keeper
from referee.live.session.rules import Rules
from referee.live.session.told import Answer, Told

__all__ = ["Answer", "Keeper", "Rules", "Session", "Told"]
