"""Faces are named: read, helped by inks and neighbours, and said with a chance that is calibrated."""
