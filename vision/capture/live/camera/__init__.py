"""Cameras of the machine and of the network: found, opened, read as they give, and told in words when they fail."""
