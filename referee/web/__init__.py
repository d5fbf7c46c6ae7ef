"""The page: score a photo, or watch a recording being refereed. `create_app` is all that others need."""

from referee.web.app import create_app
from referee.web.guard import LOOPBACK

__all__ = ["LOOPBACK", "create_app"]
