"""The page: score a photo, or watch a recording being refereed. `create_app` is all that others need."""

from referee.web.app import create_app

__all__ = ["create_app"]
