"""Records of the turn-taking games."""
