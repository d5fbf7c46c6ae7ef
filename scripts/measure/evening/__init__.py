"""An evening as live: a film through `watch` and its page, held against what really happened."""
