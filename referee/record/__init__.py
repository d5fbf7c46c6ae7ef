"""The record of a hand: its lines read strictly and written, corrected, adjudicated and told. No files."""
