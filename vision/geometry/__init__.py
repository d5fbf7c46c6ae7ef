"""Where things lie: cameras, the plane of the table, its markers, photos laid on one another. Shapes, no cards."""
