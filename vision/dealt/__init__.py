"""Cards that are dealt out under a fixed camera: which land, which are taken back, and what each shows."""
