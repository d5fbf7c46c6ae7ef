"""What the eye has seen of drawn pictures, with their truth: shards for what comes late in it."""
