"""Simulated players for every game: random legal ones, sensible ones, careless ones who break a chosen rule.

Each game is here once more as a small table of its own (`Sim`), written from the rule book and not from the
legality functions: what the players do, and what the careless ones break, is a test of the referee.
"""

from referee.players.camera import hide
from referee.players.play import KINDS, Planted, Played, play_hand
from referee.players.sim import Sim, sim_for

__all__ = ["KINDS", "Planted", "Played", "Sim", "hide", "play_hand", "sim_for"]
