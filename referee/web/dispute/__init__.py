"""A dispute over a recording on the page: its frames, corrections of its record, challenges."""
