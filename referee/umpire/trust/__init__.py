"""What was seen of each place, and how far an odd landing is to be believed on it."""
