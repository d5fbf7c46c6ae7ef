"""The interval that stands beside every share."""

from __future__ import annotations

import numpy as np


def wilson(part: float, whole: float) -> tuple[float, float]:
    """95 % interval of a share (E. B. Wilson, 1927)."""
    if not whole:
        return 0.0, 1.0
    z, share = 1.96, part / whole
    middle = share + z * z / (2 * whole)
    reach = z * float(np.sqrt(share * (1 - share) / whole + z * z / (4 * whole * whole)))
    scale = 1 + z * z / whole
    return max(0.0, (middle - reach) / scale), min(1.0, (middle + reach) / scale)
