"""Matches: hands added up, by whom they were played, and where each comes from. No files."""
