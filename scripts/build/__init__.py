"""Draws and builds what networks are trained on: art, named sets of pictures, shards."""
