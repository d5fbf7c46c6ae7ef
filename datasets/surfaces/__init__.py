"""What lies under and beside the cards: table surfaces and clutter.

    >>> picture = surface(np.random.default_rng(1), 640, 640, px_per_mm=2.0)  # (640, 640, 3) BGR
    >>> item = clutter(np.random.default_rng(1))  # (H, W, 4) BGRA at 4 px/mm

`banked_surface` does the same out of pictures drawn beforehand, some twenty times as fast.
"""

from datasets.surfaces.bank import banked_surface
from datasets.surfaces.clutter import THINGS, clutter
from datasets.surfaces.drawn import KINDS, surface

__all__ = ["KINDS", "THINGS", "banked_surface", "clutter", "surface"]
