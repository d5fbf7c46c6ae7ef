"""Pishe Pasha: the game, the order of its phases, and who was stopped."""
