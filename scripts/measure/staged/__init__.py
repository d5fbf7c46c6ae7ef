"""Filmed moments of staged hands, refereed from just before: ties, with the record so far handed to the umpire."""
