"""When what lies in the picture came to rest: to the frame, under hands that cover most of it."""
