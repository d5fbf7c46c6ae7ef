"""Who sits where, and what was dealt: from looks at the whole table to places."""
