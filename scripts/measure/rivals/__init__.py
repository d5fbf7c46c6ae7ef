"""What else could find cards: oriented boxes and corner points on the finder's own trunk and data, measured beside it."""
