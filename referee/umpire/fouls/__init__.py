"""What breaks a rule and is no card laid where it does not fit: as stories tell it, and what must be seen of it."""
