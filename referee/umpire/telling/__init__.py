"""From what a story believes to what is told of it."""
