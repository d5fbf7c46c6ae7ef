"""Trains networks, and writes them to models/."""
