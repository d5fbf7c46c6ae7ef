"""Hands that can be looked at again: uploaded recordings, and hands that were watched at the table."""

from referee.web.shelf.kept import Film, KeptHand, Opened

__all__ = ["Film", "KeptHand", "Opened"]
