"""The digital table: deck art, hands, lights, renderers and simulated hands with exact truth."""
