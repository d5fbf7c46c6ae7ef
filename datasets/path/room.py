"""The room around the table as a picture of all directions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from datasets.lighting import Lighting

Light = NDArray[np.float32]

#: Rows and columns: elevation from straight up to straight down, azimuth all round.
ROWS, COLUMNS = 128, 256
#: How soft the borders of windows are, radians.
SOFT = 0.03


def room_light(lighting: Lighting) -> Light:
    """(ROWS, COLUMNS, 3) radiance, RGB."""
    up = np.pi / 2 - (np.arange(ROWS) + 0.5) / ROWS * np.pi
    around = (np.arange(COLUMNS) + 0.5) / COLUMNS * 2 * np.pi
    above = np.clip(np.sin(up), 0, 1)[:, None, None] ** 0.7
    room = np.array(lighting.walls) * (1 - above) + np.array(lighting.ceiling) * above
    room = np.broadcast_to(room, (ROWS, COLUMNS, 3)).copy()
    room[up < 0] *= 0.4
    for opening in lighting.openings:
        rows = _within(np.abs(up - opening.elevation), opening.height / 2)[:, None]
        away = np.abs((around - opening.azimuth + np.pi) % (2 * np.pi) - np.pi) * np.cos(opening.elevation)
        share = (rows * _within(away, opening.width / 2)[None, :])[..., None]
        room = room * (1 - share) + np.array(opening.light) * share
    return room.astype(np.float32)


def _within(away: NDArray[np.float64], half: float) -> NDArray[np.float64]:
    return np.clip((half - away) / SOFT + 0.5, 0, 1)
