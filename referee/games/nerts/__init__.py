"""The Nerts family: one table, one legality function, every preset."""
