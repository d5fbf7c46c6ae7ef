"""Fits numbers that are no weights of networks, of `vision` and of `referee/photos`, and prints what to enter."""
