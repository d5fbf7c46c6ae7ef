"""Films swept over spreads: every frame shows the lay, from a place that moves on."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from datasets.film.swept import FILM_LONG, film_sweep
from datasets.photos.lays import draw_lay
from tests.datasets.plain import cloth, plain_decks
from vision.capture.video import Video
from vision.photos.sweep import detail, sharpest_frames


def test_a_phone_is_moved_over_the_lay(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    lay, _ = draw_lay(rng, plain_decks(2), cloth, (12, 14))
    sweep = film_sweep(rng, lay, tmp_path / "sweep.mp4", (0.3, 0.3))
    assert sweep is not None
    with Video(str(sweep.path)) as video:
        frames = [frame.image for frame in video]
    assert len(frames) == sweep.frames == 7 and max(frames[0].shape) == FILM_LONG
    assert [(card.deck, card.face) for card in sweep.cards] == [(card.deck, card.face) for card in lay.cards]
    near, far = (float(np.abs(frames[0].astype(int) - frames[k]).mean()) for k in (1, 6))
    assert far > 1.5 * near > 1.0
    taken = sharpest_frames(partial(Video, str(sweep.path)), "sweep")
    assert 2 <= len(taken) <= 4
    assert max(detail(frame.image) for frame in taken) >= 0.99 * max(map(detail, frames))
