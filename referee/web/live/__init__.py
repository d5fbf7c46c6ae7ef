"""A table on the page while it is played at: the lines as they are told, the picture, the calls."""

from referee.web.live.table import LiveTable, Session

__all__ = ["LiveTable", "Session"]
