"""Backs are told apart without a list of them, and known again where a deck was shown once."""
