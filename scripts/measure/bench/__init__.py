"""How fast eye, rules and digital table are, and whether programs hold: what `make bench` runs."""
