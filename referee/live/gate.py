"""When to look where: only at places that changed, have settled, and are not known to be hidden."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

import numpy as np
import numpy.typing as npt

from referee.rules.places import NERTS, WASTE, WORK, Place
from referee.umpire.sights import Window
from vision.capture.change import ChangeMap, Mask, Print, clusters, spread_out
from vision.layout import Floats

Counts = npt.NDArray[np.int64]

#: A place has settled when no more than this share of it (shadows, a hand at its edge) moved for this long (s).
SETTLE_S, STIRRED_SHARE = 0.06, 0.3
#: While more than this share of it and of what is around it moves it is left alone, but no longer than this (s): longer
#: where cards are turned and squared up, which show others meanwhile than lie on top in the end.
UNQUIET_SHARE, PATIENCE_S, WASTE_PATIENCE_S = 0.04, 0.4, 0.7
#: A place seen under a hand is left alone until something moves there, but no longer than this (s), nor less.
HIDDEN_MOST_S, HIDDEN_LEAST_S = 1.0, 0.1
#: What changed where no place is and turned out to be none is looked at so often, so long (s) after one another: a
#: card that was missed once would lie there unseen for ever.
FREE_LOOKS, FREE_AGAIN_S = 2, 0.3
#: The same, ever longer after one another, while a card that may lie there is sought; and after how many of these it is
#: supposed to lie there, though no look shows it.
SOUGHT_LOOKS, SUPPOSED_LOOKS = 8, 4
#: Once seen, a place is left alone for so long (s), and each time that nothing new was seen for twice as long, up to:
PAUSE_S, PAUSE_MOST_S = 0.1, 0.4
#: The same for places that are looked at again though nothing changed.
AGAIN_S, AGAIN_MOST_S = 0.1, 3.0
#: So many pictures of a place are remembered in which the same was seen, under changing shadows.
FAMILIAR = 6
#: The next card of these piles lies just where the last one did, and of its rank another suit prints nearly the same:
#: what looks as before but for light is looked at all the same once it has done so for so long (s). The next packet may
#: come onto a waste a second later; between two Nerts cards a back shows.
LIGHT_S = {WASTE: 0.2, NERTS: 0.5}
#: What was said of a place is said again for so long (s) if nothing moves there.
ASKED_S = 0.2
#: Each look of those that show a place hidden lets it be left alone for twice as long, up to so many times.
PATIENT_MOST = 4.0
#: An arm that reaches in has moved within so many seconds. A column of which it covers more than this share is not
#: looked at until it has gone, nor any change of the free table that belongs to it.
ARM_S, MOST_REACH, LEAST_REACH = 2.0, 0.5, 0.0
#: A column is put off no longer than this (s): an arm that comes and goes beside it may seem to lie over it throughout.
PUT_OFF_S = 1.5
#: What changes fewer tiles of the free table than this is no card; one fewer is enough beside a column, beyond whose
#: edge a card that is slid under it shows.
LEAST_TILES = 4
#: A card that lies on the free table changes this share of its width at least, both ways.
ROOM = 0.5
#: px around what is looked at, so that cards at its edge are whole.
WINDOW_MARGIN_PX = 24
#: Two windows are looked at together when that adds less than this share of the picture: about what the eye takes for a
#: look, however small.
JOIN_SHARE = 0.018


@dataclass(frozen=True, slots=True)
class Wanted:
    """One look to take: a window of the picture (x0, y0, x1, y1 px), and what it is for."""

    window: Window
    places: tuple[Place, ...] = ()
    #: Tiles of the free table that changed.
    tiles: tuple[Mask, ...] = ()


@dataclass(slots=True)
class Gate:
    """Asks for looks frame by frame; tell it with `seen` what came of them."""

    change: ChangeMap
    width: int
    height: int
    #: When a hand was seen over a place, and over tiles of the free table (s).
    _hidden: dict[Place, float] = field(default_factory=dict)
    _free_hidden: Floats = field(init=False)
    #: When tiles of the free table were seen last (s), and how often since they moved.
    _free_seen: Floats = field(init=False)
    _free_looks: Counts = field(init=False)
    #: When a place was seen last, and how often in a row that brought nothing new.
    _seen: dict[Place, float] = field(default_factory=dict)
    _stale: dict[Place, int] = field(default_factory=dict)
    #: How a place looked, small, when the same was seen there as last time.
    _familiar: dict[Place, list[Print]] = field(default_factory=dict)
    #: When (s) it was asked last whether a place looks familiar, and whether it did.
    _asked: dict[Place, tuple[float, bool]] = field(default_factory=dict)
    #: Since when (s) a place has differed by light alone.
    _alike_since: dict[Place, float] = field(default_factory=dict)
    #: How often in a row a place was seen hidden.
    _hidden_looks: dict[Place, int] = field(default_factory=dict)
    #: Where arms reached in at a moment (s).
    _arms: tuple[float, Mask] | None = None
    #: Since when (s) a place should have been looked at.
    _due_since: dict[Place, float] = field(default_factory=dict)
    #: Whether a card is missing that may have been laid on the free table.
    seeks: bool = False
    #: Places to look at once more though nothing changes; those of them that wait for no arm which may lie beside.
    _again: set[Place] = field(default_factory=set)
    _at_once: set[Place] = field(default_factory=set)

    def __post_init__(self) -> None:
        tiles = self.change.rows, self.change.columns
        self._free_hidden, self._free_seen = np.full(tiles, -np.inf), np.full(tiles, -np.inf)
        self._free_looks = np.zeros(tiles, np.int64)

    def wanted(
        self, cores: Mapping[Place, Floats], regions: Mapping[Place, Floats], free: Sequence[Floats]
    ) -> list[Wanted]:
        """The looks to take now; `cores`: what must change, `regions`: what must be seen; `free`: parts of the table
        where a place may begin.
        """
        now = self.change.now
        found = []
        for place, core in cores.items():
            if not self._due(place, core):
                self._alike_since.pop(place, None)
                self._due_since.pop(place, None)
                continue
            if place not in self._again and self._is_passed_over(place, core):
                self._due_since.pop(place, None)
                continue
            if not self._is_quiet(place, regions[place]):
                continue
            column = place.kind == WORK and place not in self._at_once
            covered = column and self._reached_over(self.change.tiles(core), MOST_REACH)
            if covered and now - self._due_since[place] < PUT_OFF_S:
                continue
            moved, hidden = self.change.last_moved(core), self._hidden.get(place, -np.inf)
            if self.change.moving(core, SETTLE_S) > STIRRED_SHARE:
                continue
            if now - hidden < (HIDDEN_MOST_S if moved <= hidden else HIDDEN_LEAST_S):
                continue
            found.append(Wanted(self.window(regions[place]), (place,)))
        return joined([*found, *self._free(cores, free)], JOIN_SHARE * self.width * self.height)

    def longest_waiting(self, looks: Sequence[Wanted]) -> list[Wanted]:
        """The same looks, those at what was seen least lately first."""
        return sorted(
            looks, key=lambda look: min((self._seen.get(p, -np.inf) for p in look.places), default=-np.inf)
        )

    def _due(self, place: Place, core: Floats) -> bool:
        """Whether it is time to look at a place: it changed, or is not yet understood."""
        times = 2.0 ** self._stale.get(place, 0)
        since = self.change.now - self._seen.get(place, -np.inf)
        if place in self._again and since >= min(AGAIN_S * times, AGAIN_MOST_S):
            return True
        return since >= min(PAUSE_S * times, PAUSE_MOST_S) and self.change.differs(core)

    def _is_quiet(self, place: Place, region: Floats) -> bool:
        """Whether nothing moves about a place that is due, or did so for too long."""
        since = self._due_since.setdefault(place, self.change.now)
        patience = WASTE_PATIENCE_S if place.kind == WASTE else PATIENCE_S
        patience *= min(2.0 ** self._hidden_looks.get(place, 0), PATIENT_MOST)
        return self.change.now - since >= patience or self.change.moving(region, SETTLE_S) <= UNQUIET_SHARE

    def _is_passed_over(self, place: Place, core: Floats) -> bool:
        """Whether a place that is due needs no look: it seems to differ by light alone, and has not for long."""
        if not self.is_familiar(place, core):
            self._alike_since.pop(place, None)
            return False
        since = self._alike_since.setdefault(place, self.change.now)
        return self.change.now - since < LIGHT_S.get(place.kind, inf)

    def is_familiar(self, place: Place, core: Floats) -> bool:
        """Whether a place looks as it did in a look since which nothing new was seen there."""
        known = self._familiar.get(place)
        if not known:
            return False
        now, (at, familiar) = self.change.now, self._asked.get(place, (-np.inf, False))
        if now - at > ASKED_S or self.change.last_moved(core) > at:
            shown = Print(self.change.patch(core))
            familiar = any(shown.same(before) for before in reversed(known))
            self._asked[place] = now, familiar
        return familiar

    def again(self, *places: Place, at_once: bool = False) -> None:
        """Look at places once more after a while, though nothing changes there; `at_once`: though an arm seems to lie
        over a column, for what comes back there settles more than a look in vain costs.
        """
        self._again.update(places)
        if at_once:
            self._at_once.update(places)

    def told(self, place: Place, *, news: bool) -> None:
        """Whether the last look at a place showed anything that the one before did not."""
        self._stale[place] = 0 if news else min(self._stale.get(place, 0) + 1, 8)
        if news:
            self._familiar.pop(place, None)
            self._asked.pop(place, None)

    def remember(self, place: Place, core: Floats) -> None:
        """How a place that was seen unhidden looks now needs not be looked at again."""
        known = self._familiar.setdefault(place, [])
        known.append(Print(self.change.patch(core)))
        del known[:-FAMILIAR]
        self._asked.pop(place, None)

    def _free(self, cores: Mapping[Place, Floats], parts: Sequence[Floats]) -> list[Wanted]:
        """Changes where no place is yet."""
        now = self.change.now
        free = np.zeros_like(self.change.changed)
        for outline in parts:
            free |= self.change.tiles(outline)
        free &= self.change.changed
        free &= (self.change.moved > self._free_seen) | (
            now - self._free_seen >= FREE_AGAIN_S * np.maximum(1, self._free_looks)
        )
        free &= (self.change.moved > self._free_hidden) | (now - self._free_hidden > HIDDEN_MOST_S)
        for core in cores.values():
            free &= ~self.change.tiles(core)
        found: list[Wanted] = []
        least, beside_work = self._room(cores)
        for part in clusters(free):
            around = spread_out(part)
            beside = bool((around & beside_work).any())
            if (
                int(part.sum()) < LEAST_TILES - beside
                or now - float(self.change.moved[around].max()) < SETTLE_S
            ):
                continue
            ys, xs = np.nonzero(around)
            # a strip is the edge of a pile that was pushed, but where a column may have grown beyond its place
            strip = min(np.ptp(xs), np.ptp(ys)) - 1 < least and not beside
            if strip or self.change.shows_same_print(part):
                self._see_free(part)
                continue
            if self._reached_over(part, LEAST_REACH):
                continue
            side = self.width / self.change.columns
            low = np.array([xs.min() - 1, ys.min() - 1]) * side
            high = np.array([xs.max() + 2, ys.max() + 2]) * side
            found.append(Wanted(self.window(np.array([low, high])), (), (part,)))
        return found

    def _reached_over(self, tiles: Mask, share: float) -> bool:
        """Whether an arm lies over more than this share of some tiles: what it covers shows when it has gone."""
        if self._arms is None or self._arms[0] != self.change.now:
            self._arms = self.change.now, self.change.reaching(ARM_S)
        reached = tiles & self._arms[1]
        if int(reached.sum()) <= share * int(tiles.sum()):
            return False
        return self.change.now - float(self.change.moved[tiles].max()) < HIDDEN_MOST_S

    def _room(self, cores: Mapping[Place, Floats]) -> tuple[float, Mask]:
        """How many tiles a card changes at least, across, and the tiles of columns and beside them."""
        columns = np.zeros_like(self.change.changed)
        widths = []
        for place, core in cores.items():
            if place.kind == WORK:
                columns |= self.change.tiles(core)
            widths.append(float(np.ptp(core, axis=0).min()))
        # a card that is slid under a column shows beyond its edge, which lies a little beyond its core
        beside = spread_out(columns)
        return ROOM * min(widths, default=0.0) * self.change.columns / self.width, beside

    def window(self, region: Floats) -> Window:
        """What is looked at to see a region, (n, 2) px, with its edges."""
        low = np.floor(region.min(axis=0)).astype(int) - WINDOW_MARGIN_PX
        high = np.ceil(region.max(axis=0)).astype(int) + WINDOW_MARGIN_PX
        x0, y0 = max(0, int(low[0])), max(0, int(low[1]))
        return x0, y0, min(self.width, int(high[0])), min(self.height, int(high[1]))

    def seen(
        self, wanted: Wanted, taken: Iterable[Place], regions: Mapping[Place, Floats], hands: bool
    ) -> None:
        """A look was taken; it showed the places `taken` unhidden, and hands or none."""
        now, shown = self.change.now, set(taken)
        for place in shown & set(regions):
            self.change.accept(regions[place])
            self._hidden.pop(place, None)
            self._hidden_looks.pop(place, None)
            self._again.discard(place)
            self._at_once.discard(place)
            self._seen[place] = now
        for place in set(wanted.places) - shown:
            self._hidden[place] = now
            self._hidden_looks[place] = self._hidden_looks.get(place, 0) + 1
            self._due_since.pop(place, None)
        for tiles in wanted.tiles:
            if hands:
                self._free_hidden[spread_out(tiles)] = now
            else:
                self._see_free(tiles)

    def supposed(self, wanted: Wanted) -> list[Floats]:
        """(2,) px: where on the free table something came that a look did not show, nor others before it."""
        often = (
            tiles for tiles in wanted.tiles if self.seeks and self._free_looks[tiles].min() == SUPPOSED_LOOKS
        )
        side = self.width / self.change.columns
        return [(np.mean(np.nonzero(tiles), axis=1)[::-1] + 0.5) * side for tiles in often]

    def _see_free(self, tiles: Mask) -> None:
        """Nothing hid these tiles of the free table."""
        self._free_looks[self.change.moved > self._free_seen] = 0
        self._free_looks[tiles] += 1
        self._free_seen[tiles] = self.change.now
        self.change.accept_tiles(tiles & (self._free_looks >= (SOUGHT_LOOKS if self.seeks else FREE_LOOKS)))


def joined(wanted: Sequence[Wanted], more: float) -> list[Wanted]:
    """Windows made one where that adds less than so many px."""
    parts = list(wanted)
    merged = True
    while merged:
        merged = False
        for i in range(len(parts)):
            for j in range(i + 1, len(parts)):
                a, b = parts[i], parts[j]
                both = _hull(a.window, b.window)
                if _pixels(both) <= _pixels(a.window) + _pixels(b.window) + more:
                    parts[i] = Wanted(both, a.places + b.places, a.tiles + b.tiles)
                    del parts[j]
                    merged = True
                    break
            if merged:
                break
    return parts


def _hull(a: Window, b: Window) -> Window:
    return min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])


def _pixels(window: Window) -> int:
    return (window[2] - window[0]) * (window[3] - window[1])
