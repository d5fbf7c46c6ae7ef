"""What hangs together, directly or by way of others; small numbers of things, so that no large library is needed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def connected(links: NDArray[np.bool_]) -> NDArray[np.intp]:
    """(n,) number of each thing's group, in the order of their first members; `links` (n, n), symmetric."""
    group = np.full(len(links), -1, dtype=np.intp)
    count = 0
    for first in range(len(links)):
        if group[first] >= 0:
            continue
        front = np.zeros(len(links), dtype=bool)
        front[first] = True
        while front.any():
            group[front] = count
            front = links[front].any(axis=0) & (group < 0)
        count += 1
    return group
