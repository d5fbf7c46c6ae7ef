"""Whole hands of Nerts, filmed: simulated play, a physical table, hands, a camera, and exact truth."""
