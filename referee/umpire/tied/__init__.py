"""The same card by two seats on one foundation: what may have happened, and what frames tell of it."""
