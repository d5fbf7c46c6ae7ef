"""A hand while it is played: when to look where, what was told, and a recording refereed from end to end."""
