"""A long hand pushed frame by frame: it is told soon, and no more is kept of its third minute than of its second."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from filmed_table import HEIGHT, WIDTH, FilmedTable
from umpire_table import Eye, Player, Table

from referee.live.hand import Referee
from referee.live.reaching.reaches import POINTS
from referee.umpire.odds import Odds
from referee.umpire.umpire import Umpire
from scripts.measure.live import Watched, watch
from scripts.measure.replays import score_replay
from vision.capture.moments.ring import MEMORY_S

SECONDS, FPS = 180.0, 6.0
#: So many events can be undone here, so that the hand has more of them.
UNDONE = 40


class ThoughtfulTable(Table):
    """Players who think for some seconds between two plays."""

    def _act(self, p: Player) -> None:
        super()._act(p)
        p.free_at += self.rng.uniform(1.0, 4.0)


TABLE = ThoughtfulTable(3, SECONDS - 10.0)
#: Seven places of each player, and foundations.
PLACES = 14 + len(TABLE.foundations)


@pytest.fixture(scope="module")
def seen() -> Iterator[Watched]:
    film = FilmedTable(TABLE, SECONDS, FPS, Eye(3, wrong=0.01, missed=0.01))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("referee.record.book.UNDONE", UNDONE)
        yield watch(Referee(film, Umpire(Odds()), WIDTH, HEIGHT, FPS), film.frames())


def test_the_hand_was_followed(seen: Watched) -> None:
    """Else it would be no news that little is kept."""
    assert seen.seconds > SECONDS - 1
    assert len(TABLE.record) > 80
    assert score_replay(seen.told.lines, TABLE.record).plays.share > 0.8


def test_what_is_kept_of_pictures_is_bounded(seen: Watched) -> None:
    """A minute of views and a few more of each place, what a view is made of, and the camera's last seconds.

    Beside them looks are kept small, a bare view each, for the second pass: no more than there are, and a bounded number
    of them (`test_explained_again.py`).
    """
    end = seen.kept[-1]
    assert PLACES < end["View"] - end["Look"] < 0.7 * seen.looks
    assert end["Look"] < 1.5 * seen.looks
    assert end["Sight"] < 2 * end["View"]
    assert end["Story"] <= 24
    # of the camera's last seconds its grey, its colours, and its light once; of each place its outline, narrow and wide
    of_ways = 3 * end["Ways"]
    assert end["Ways"] <= POINTS
    assert end["arrays"] - end["Look"] - of_ways < end["Sight"] + 18 * PLACES + 2.5 * MEMORY_S * FPS + 1
    assert end["Alignment"] == end["Layout"] == end["SeenCard"] == 0
    first, *_, last = (count["bytes of arrays"] for count in seen.kept)
    assert last < 1.1 * first


def test_what_is_kept_to_undo_is_bounded_and_events_are_kept_as_they_are_told(seen: Watched) -> None:
    end, told = seen.kept[-1], seen.to_json()["told"]
    assert told > 2 * UNDONE
    assert end["_State"] == UNDONE + 1
    # the stories' own, and those that were moved in time by the last few beliefs
    assert end["Believed"] < 5 * told


def test_events_are_told_soon(seen: Watched) -> None:
    delay = seen.to_json()["delay_s"]
    assert delay["events"] > 60
    assert delay["median"] <= 3.0
    assert delay["p95"] <= 6.0
