"""Pixels in, layouts out. Knows cards and where they lie, and no rules."""

from vision.layout import FACES, Layout, SeenCard, SeenHand

__all__ = ["FACES", "Layout", "SeenCard", "SeenHand"]
