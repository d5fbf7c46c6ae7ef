"""Whose arm reaches where: seats told apart by the ways that are hidden, and who reaches where they may not."""
