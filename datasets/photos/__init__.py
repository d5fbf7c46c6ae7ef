"""Stills as people take them: the end of a hand by phone, and the layouts of every game."""
