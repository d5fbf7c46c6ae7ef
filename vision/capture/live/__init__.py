"""A camera at work: its frames are taken as they come, recorded, and handed to whoever looks."""
