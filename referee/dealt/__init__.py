"""A hand counted by dealing its centre out under a camera, card by card."""
