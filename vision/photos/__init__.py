"""Several photos of one spread, taken together: every card once."""
