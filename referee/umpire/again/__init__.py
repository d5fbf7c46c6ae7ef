"""What was seen of a hand, kept and explained again when more is known."""
