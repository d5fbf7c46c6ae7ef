"""Layouts in, plays, rulings and scores out."""
