"""Films of centres dealt out, judged by their truth."""
