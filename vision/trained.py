"""Where the trained weights are: in the package when installed, in `models/` in a checkout."""

from __future__ import annotations

from pathlib import Path


def weights_path(name: str) -> Path:
    """Path of one weights file; FileNotFoundError names it and what to do."""
    here = Path(__file__).resolve().parent
    for candidate in (here / "weights" / name, here.parent / "models" / name):
        if candidate.is_file():
            return candidate
    raise FileNotFoundError(f"the weights {name} are missing: install nerts-referee again, or run make train")
