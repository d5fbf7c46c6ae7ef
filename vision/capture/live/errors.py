"""What cameras fail with, in words."""

from __future__ import annotations


class SourceError(Exception):
    """A camera, an address or a film that gives no frames; one line that names it and the remedy."""


class SourceLostError(SourceError):
    """A camera that gave frames and does no longer; it may come back."""
