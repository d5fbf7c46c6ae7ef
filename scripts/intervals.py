"""The interval that stands beside every share."""

from __future__ import annotations

from collections.abc import Sequence

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


def clustered(parts: Sequence[float], wholes: Sequence[float]) -> tuple[float, float]:
    """95 % interval of a share of what comes in clusters, as faults do in hands: Wilson's, of so many fewer as clusters
    differ more than by chance (J. N. K. Rao, A. J. Scott, 1992)."""
    part, whole = sum(parts), sum(wholes)
    return wilson(part, whole) if not whole else wilson(*(n / _apart(parts, wholes) for n in (part, whole)))


def _apart(parts: Sequence[float], wholes: Sequence[float]) -> float:
    """By how much the variance between clusters exceeds that of single draws; at least 1."""
    full = [(p, w) for p, w in zip(parts, wholes, strict=True) if w]
    part, whole, number = sum(parts), sum(wholes), len(full)
    share = part / whole
    alone = share * (1 - share) / whole
    if number < 2 or alone <= 0:
        return 1.0
    between = number / (number - 1) * sum((p - share * w) ** 2 for p, w in full) / whole**2
    return max(1.0, between / alone)
