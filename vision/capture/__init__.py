"""Pictures come in: photos and recordings, their times, what moved, and where nothing can be told."""
