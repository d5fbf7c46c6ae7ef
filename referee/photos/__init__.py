"""Scores from photos: faces of the centre, backs by their designs, left-over piles. No files."""
