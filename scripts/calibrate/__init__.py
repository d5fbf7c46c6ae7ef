"""Fits the numbers of `vision` that are no weights, and prints what to enter."""
