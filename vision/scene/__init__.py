"""What lies there, and on what: which of the things found are cards, and how they lie on one another."""
