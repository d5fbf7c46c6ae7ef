"""Rows of overlapping cards: straightened, read edge by edge, and weighed against what the finder saw."""
