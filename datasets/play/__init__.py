"""Simulated players: what is dealt, what they see and do, what is staged meanwhile."""
