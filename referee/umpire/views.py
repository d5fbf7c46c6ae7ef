"""From a layout to views: which places it shows undisturbed, and what lies there."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Container, Mapping
from functools import partial
from math import hypot

import cv2
import numpy as np

from referee.rules.places import FOUNDATION, STOCK, WASTE, WORK, Place
from referee.umpire.odds import REACHED_SHARE
from referee.umpire.one_hand import LEAVES_S
from referee.umpire.seats.area import Area
from referee.umpire.seats.deal import card_pose
from referee.umpire.sights import (
    Interval,
    Point,
    Sight,
    View,
    Window,
    log_faces,
    outline,
    readable,
    surely_read,
)
from referee.umpire.still import Stillness
from referee.umpire.story import Pile, Story
from referee.umpire.tied.arriving import Arriving
from vision.capture.change import Grey
from vision.layout import CARD_HEIGHT_MM, CARD_WIDTH_MM, Floats, Layout

#: Cards that the eye is less sure of are not there.
LEAST_CONFIDENCE = 0.35
#: A place is hidden when a hand lies over more than this share of it.
HIDDEN = 0.02
#: The same for a pile that rests and whose top card can be read all the same; what counts as rest (share, s).
TOUCHED, AT_REST = 0.6, (0.3, 0.06)
#: What shows less of a card in a column than this is more often an error of edges than a card; what cannot be read
#: counts as a card from the second share on.
LEAST_SHOWN, ENOUGH_SHOWN = 0.15, 0.3
#: A drawn packet may have left the stock this long (s) before the look that did not make it out yet.
STIR_S = 0.7
#: A card that is seen so far (mm) from where it lay may be another one. Its landing is looked for so far back (s); an
#: interval narrower than this (s) tells the moment.
MOVED_MM, LANDED_S, NARROW_S = 1.0, 5.0, 0.15
#: A back that lies at no place is another one than those seen before if it lies further (mm) from them.
ELSEWHERE_MM = 20.0
#: Of a card that is no rival's, only so far back (s) if its place looked as before then: looking back costs.
SOON_S = 2.5
#: So many touches of a place are remembered.
TOUCHES = 6
#: How a card left is looked for from so long (s) before its place changed on, and so far back.
UNMOVED_S, LEFT_S = 0.4, 5.0
#: What a waste shows before its first card comes is taken so long (s) before it looks otherwise: no finger lies there.
BEFORE_S = 0.3
#: Room that the next card of a column takes (mm).
NEXT_CARD_MM = 24.0


class Viewer:
    """Cuts layouts into views of places; remembers when each place was seen last."""

    def __init__(self, area: Area, begun: float = -np.inf) -> None:
        self.area = area
        #: Nothing is known of what happened before (s), but whether all places were seen then.
        self.begun, self.seen_before = begun, begun == -np.inf
        self.seen_at: dict[Place, float] = {}
        #: When (s) each place was touched before it was seen last, from and to.
        self._touches: dict[Place, deque[Interval]] = defaultdict(lambda: deque(maxlen=TOUCHES))
        #: By place: the open card that lay on top then.
        self._tops: dict[Place, Sight] = {}
        #: When (s) each back that lies at no place was seen first, and where (mm).
        self.backs: list[tuple[float, Point]] = []
        #: How each waste looked before the cards came that were seen there last, and how it looks while none shows.
        self._bare: dict[Place, Grey] = {}
        self._empty: dict[Place, Grey] = {}
        #: Since when (s) each place has looked as it did when it was seen last.
        self._changed: dict[Place, float] = {}
        #: Work piles of which the last look showed a part, with a card that lies there or with nothing at all.
        self.glimpsed: set[Place] = set()
        #: Which cards came to the foundations of ties.
        self.arriving = Arriving(area)
        #: By place and margin (mm): for the length (mm) that was asked for last, the region.
        self._regions: dict[tuple[Place, float], tuple[int, Floats]] = {}
        #: By work pile: how long it is, for the cards of which that was asked last.
        self._lengths: dict[Place, tuple[Pile, float]] = {}

    def know(self, tops: Mapping[Place, Sight]) -> None:
        """What lies open on top where no look has been taken yet."""
        self._tops.update({p: top for p, top in tops.items() if top.face_up and readable(top.log_face)})

    def forget_regions(self) -> None:
        """The picture shows the table elsewhere than before."""
        self._regions.clear()

    def region(self, place: Place, story: Story, margin_mm: float = 0.0) -> Floats:
        """(4, 2) px: what a place takes in the picture, with room for one more card on a column."""
        length = round(self._length(place, story))
        known = self._regions.get((place, margin_mm))
        if known is None or known[0] != length:
            known = length, self.area.seen(self.area.box(place, length, margin_mm))
            self._regions[place, margin_mm] = known
        return known[1]

    def box(self, place: Place, story: Story) -> Floats:
        """(4, 2) mm: what a place takes on the table, with room for one more card on a column."""
        return self.area.box(place, self._length(place, story), 0.0)

    def _length(self, place: Place, story: Story) -> float:
        if place.kind != WORK:
            return 0.0
        pile = story.pile(place)
        known = self._lengths.get(place)
        if known is None or known[0] is not pile:
            known = self._lengths[place] = pile, self._length_of(place, pile)
        return known[1]

    def _length_of(self, place: Place, pile: Pile) -> float:
        area = next(a for a in self.area.seats if a.seat == place.seat)
        first = area.spots[place][1]
        ends = [area.local(card.at)[1] - first for card in pile if card.at is not None]
        return max(0.0, *ends, 0.0) + NEXT_CARD_MM if ends else NEXT_CARD_MM

    def views(
        self,
        at: float,
        frame: int,
        layout: Layout,
        story: Story,
        window: Window | None,
        still: Stillness,
        places: Container[Place] | None = None,
    ) -> list[View]:
        """A view of every place that lies within `window` (None: the whole picture) unhidden; of these `places` alone."""
        hidden = _Hidden(layout)
        sights = self._sights(layout, hidden, at)
        self.glimpsed.clear()
        seen_before = partial(_seen, dict(self.seen_at), self.begun)
        found = []
        for place in self.area.places():
            if places is not None and place not in places:
                continue
            region = self.region(place, story)
            if not _within(region, window, layout):
                if place.kind == WORK and (place in sights or not layout.cards) and _meets(region, window):
                    self.glimpsed.add(place)
                continue
            view = View(place, at, frame, at, self._ordered(place, sights))
            if place.kind == FOUNDATION and not view.sights:
                view.backs = tuple(since for since, _ in self.backs)
            covered = hidden.share(region)
            if covered > TOUCHED or (covered > HIDDEN and not _top_is_read(view)):
                continue
            if covered > HIDDEN and still.moving(region, AT_REST[1]) > AT_REST[0]:
                continue
            since = self.seen_at.get(place, self.begun)
            view.rested = self._rested(view, region, since, still)
            if view.rested == -np.inf and _is_news(view, story):
                view.rested = at  # that it changed unseen is all that is known
            looked = place in self.seen_at or self.seen_before
            view.untouched = max(since, still.as_before(region, since)) if looked else -np.inf
            view.steady = still.steady(region, since)
            view.reached, view.seen = partial(self._reached, story, still), seen_before
            view.alike = partial(self._alike, story, still, view)
            view.touched = partial(self._touched, story, still, at)
            view.looks_so = partial(self._looks_so, story, still)
            if _is_news(view, story) or self._may_be_tied(view):
                self._see_land(view, since, still, story, free=covered <= HIDDEN)
                self._see_land_later(view, still, story)
            self.arriving.see(view, still)
            self._see_leave(view, since, still)
            if place.kind == WASTE:
                self._see_bare(view, region, still, story)
                stock = self.region(Place(STOCK, 0, place.seat), story)
                view.stirred = still.last_moved(stock) > since - STIR_S
            self.seen_at[place] = at
            if view.untouched < view.rested:
                self._changed[place] = view.rested
                view.revisited = (still.moved_share(region, view.rested + LEAVES_S) or 0.0) >= REACHED_SHARE
            if view.steady < at:
                once = view.untouched < view.rested and not view.revisited
                self._touches[place].append((view.steady, view.rested if once else at))
            found.append(view)
        return sorted(found, key=lambda view: view.rested)

    def _may_be_tied(self, view: View) -> bool:
        """Whether a card shows that changed where two seats may have laid the same one."""
        changed = view.top is not None and view.untouched < view.rested
        return changed and view.place in self.arriving.contested.places

    def _reached(self, story: Story, still: Stillness, place: Place, since: float) -> float | None:
        return still.moved_share(self.region(place, story), since)

    def _alike(self, story: Story, still: Stillness, view: View, place: Place) -> bool:
        since = self.seen_at.get(place, self.begun)
        if since > view.rested:
            return False
        top = story.top(place)
        # one back looks like the next
        until = still.as_before if top is None or top.up else still.steady
        return until(self.region(place, story), since) > view.rested

    def _looks_so(self, story: Story, still: Stillness, place: Place) -> tuple[float, ...]:
        now = still.rested(self.region(place, story), self.seen_at.get(place, self.begun))
        return tuple(since for since in (self._changed.get(place), now) if since is not None)

    def _touched(self, story: Story, still: Stillness, now: float, place: Place) -> tuple[Interval, ...]:
        since = self.seen_at.get(place, self.begun)
        until = still.steady(self.region(place, story), since)
        under_way = () if until >= now else ((until, np.inf),)
        return (*self._touches[place], *under_way)

    def _rested(self, view: View, region: Floats, since: float, still: Stillness) -> float:
        """When the top card came to rest: as soon as either half of it looks as it does now."""
        # of a column that ends as it did another card may have been slid under it
        ends = [[self.area.seen(half) for half in halves(end.at, end.angle)] for end in view.ends]
        for parts in ends or [[region]]:
            found = [since_when for part in parts if (since_when := still.rested(part, since)) is not None]
            if found:
                return min(view.at, *found)
        return max(since, min(view.at, still.last_moved(region)))

    def _see_land(
        self, view: View, since: float, still: Stillness, story: Story, *, free: bool = True
    ) -> None:
        """When its top card came to rest, as pictures show it between their frames: nearer than by the region.

        `free`: no hand lies over it, under which the same card seems to lie elsewhere.
        """
        top, pile = view.top, story.pile(view.place)
        assert top is not None
        corners = self.area.seen(outline(top.at, top.angle))
        if view.place.kind == FOUNDATION and pile and top.likely(1e-9, 1)[0] == pile[-1].face:
            # the same card lies elsewhere than when it was seen last: another one like it, unless it was pushed
            view.uncovered = still.uncovered(corners, view.at - LANDED_S, since) if free else None
            return
        soon = view.at - SOON_S
        # begun under a hand, a search takes what the hand uncovers for a card that comes; at the last look none was there
        hidden = -np.inf < view.untouched < soon
        view.landed = still.landed(corners, since if hidden else max(since, soon))
        if view.landed is not None and view.landed[1] < view.untouched:
            # what looked as before after that had not been laid upon
            view.landed = still.landed(corners, view.untouched)
        if view.landed is not None:
            first, last = view.landed
            view.rested = min(max(view.rested, first), last, view.at)
            if last - first < NARROW_S:
                view.rested = min((first + last) / 2, view.at)

    def _see_land_later(self, view: View, still: Stillness, story: Story) -> None:
        """When it came to rest instead if it lay elsewhere on top after it seems to have done: another print, alike to a
        hair, or another light passed for it then.
        """
        top = view.top
        if view.landed is None or top is None:
            return
        face, (_, last) = top.likely(1e-9, 1)[0], view.landed
        corners = self.area.seen(outline(top.at, top.angle))
        lay = {
            p: view.seen(p)
            for p, pile in story.piles.items()
            if pile and pile[-1].up and pile[-1].face == face
        }
        view.later = {
            place: (at, still.landed(corners, at))
            for place, at in lay.items()
            if last < at and place != view.place
        }

    def _see_leave(self, view: View, since: float, still: Stillness) -> None:
        """When the card left that lay on top at the last look, if it does not lie there any more."""
        before, top = self._tops.pop(view.place, None), view.top
        if before is not None and not any(sight.like(before) for sight in view.sights):
            corners = self.area.seen(outline(before.at, before.angle))
            left = still.lifted(corners, max(since, view.untouched - UNMOVED_S, view.at - LEFT_S))
            view.left = None if left is None else (before.likely(1e-9, 1)[0], left)
        if top is not None and top.face_up and readable(top.log_face) and view.place.kind != FOUNDATION:
            self._tops[view.place] = top

    def _see_bare(self, view: View, region: Floats, still: Stillness, story: Story) -> None:
        """Whether a waste without cards looks as it did before those came that lay there last."""
        place = view.place
        if not view.sights:
            known = self._bare.get(place)
            view.bare = known is not None and still.shows(region, known)
            now: Grey | None = still.patch_of(region, view.at)
            if now is not None:
                self._empty[place] = now
            return
        before = self._empty.pop(place, None)
        if before is None and not story.pile(place):
            before = still.patch_of(region, view.untouched - BEFORE_S)
        if before is not None:
            self._bare[place] = before

    def _sights(self, layout: Layout, hidden: _Hidden, now: float) -> dict[Place, list[tuple[int, Sight]]]:
        """Every sight under its place, with the order that the eye gave it."""
        sights: dict[Place, list[tuple[int, Sight]]] = {}
        for card in layout.cards:
            if card.confidence < LEAST_CONFIDENCE:
                continue
            at, angle = card_pose(card, self.area.to_table)
            free = (
                card.side == "face" and card.visible_fraction > 0.5 and hidden.share(card.corners) <= HIDDEN
            )
            place = self.area.place(at, face_up=free)
            if place is None and free and readable(log_faces(card)):
                place = self._found_waste(at, angle)
            if place is None and card.side == "back" and hidden.share(card.corners) <= HIDDEN:
                self._note_back(at, now)
            if place is not None:
                if place.kind == WASTE and free:
                    self.area.unsettled.discard(place.seat)
                read = log_faces(card)
                sight = Sight(
                    at,
                    card.side == "face" and self._is_face(read, place),
                    read,
                    card.visible_fraction,
                    angle,
                    card.confidence,
                )
                sights.setdefault(place, []).append((card.order, sight))
        return sights

    def _is_face(self, read: Floats, place: Place) -> bool:
        """Whether what was read as a face at a place is none of the backs that are taken for one."""
        if place not in self.area.like_faces:
            return True
        return surely_read(read) if place.kind == STOCK else readable(read)

    def _note_back(self, at: Point, now: float) -> None:
        if all(hypot(at[0] - x, at[1] - y) > ELSEWHERE_MM for _, (x, y) in self.backs):
            self.backs.append((now, at))

    def _found_waste(self, at: Point, angle: float) -> Place | None:
        place = self.area.found_waste(at, angle)
        if place is not None:
            self._regions = {key: known for key, known in self._regions.items() if key[0] != place}
        return place

    def _ordered(self, place: Place, sights: dict[Place, list[tuple[int, Sight]]]) -> list[Sight]:
        found = sights.get(place, [])
        if place.kind != WORK:
            found = sorted(found, key=lambda item: (item[1].visible, item[0]))
            return [sight for _, sight in found[-1:] if sight.visible > 0.4]
        area = next(a for a in self.area.seats if a.seat == place.seat)
        found = [item for item in found if _says_something(item[1])]
        found.sort(key=lambda item: area.local(item[1].at)[1] + 8.0 * (item[1].visible > 0.9))
        return [sight for _, sight in found]


def _seen(seen_at: Mapping[Place, float], begun: float, place: Place) -> float:
    return seen_at.get(place, begun)


def _top_is_read(view: View) -> bool:
    """Whether a pile's open top card is read for certain; the end of a column may be what is hidden."""
    top = view.top
    return view.place.kind != WORK and top is not None and top.face_up and bool(top.log_face.max() > -0.1)


def _says_something(sight: Sight) -> bool:
    """Whether a card of a column is more than an error of edges, which look like strips that cannot be read."""
    return sight.visible >= ENOUGH_SHOWN or (sight.visible >= LEAST_SHOWN and readable(sight.log_face))


def _is_news(view: View, story: Story) -> bool:
    """Whether its top card is open and another than was believed, or lies elsewhere."""
    top, pile = view.top, story.pile(view.place)
    if top is None or not top.face_up or not readable(top.log_face):
        return False
    return (
        not pile
        or pile[-1].at is None
        or hypot(*np.subtract(top.at, pile[-1].at)) > MOVED_MM
        or top.likely(1e-9, 1)[0] != pile[-1].face
    )


def halves(at: Point, angle: float) -> list[Floats]:
    """The two halves of a card across its length, without its edge: (4, 2) mm each."""
    turn = np.radians(angle)
    along, across = np.array([-np.sin(turn), np.cos(turn)]), np.array([np.cos(turn), np.sin(turn)])
    middle, w, h = np.array(at), CARD_WIDTH_MM / 2 - 5.0, CARD_HEIGHT_MM / 2 - 5.0
    return [
        np.array(
            [middle + s * along * near + dx * across for dx, near in ((-w, 2.0), (w, 2.0), (w, h), (-w, h))]
        )
        for s in (-1.0, 1.0)
    ]


def _within(region: Floats, window: Window | None, layout: Layout) -> bool:
    x0, y0, x1, y1 = window or (0, 0, layout.width, layout.height)
    low, high = region.min(axis=0), region.max(axis=0)
    # A place may reach a little beyond the picture itself.
    fits_x = (low[0] >= x0 or x0 <= 0) and (high[0] <= x1 or x1 >= layout.width)
    fits_y = (low[1] >= y0 or y0 <= 0) and (high[1] <= y1 or y1 >= layout.height)
    return bool(fits_x and fits_y)


def _meets(region: Floats, window: Window | None) -> bool:
    x0, y0, x1, y1 = window or (0, 0, np.inf, np.inf)
    low, high = region.min(axis=0), region.max(axis=0)
    return bool(low[0] < x1 and high[0] > x0 and low[1] < y1 and high[1] > y0)


#: Hands are drawn this much smaller than the picture.
_SHRINK = 8


class _Hidden:
    """What the hands of a layout lie over."""

    def __init__(self, layout: Layout) -> None:
        self._mask = np.zeros((layout.height // _SHRINK + 1, layout.width // _SHRINK + 1), dtype=np.uint8)
        #: The boxes of the hands, first and last of (x, y).
        self._boxes: list[tuple[list[int], list[int]]] = []
        for hand in layout.hands:
            if hand.confidence >= LEAST_CONFIDENCE:
                outline = np.round(hand.corners / _SHRINK).astype(np.int32)
                cv2.fillPoly(self._mask, [outline], 1)
                self._boxes.append((outline.min(axis=0).tolist(), outline.max(axis=0).tolist()))

    def share(self, region: Floats) -> float:
        """What share of a region (n, 2) px is hidden."""
        if not self._boxes:
            return 0.0
        outline = np.round(region / _SHRINK).astype(np.int32)
        (x0, y0), (x1, y1) = outline.min(axis=0).tolist(), outline.max(axis=0).tolist()
        if not any(a <= x1 and x0 <= c and b <= y1 and y0 <= d for (a, b), (c, d) in self._boxes):
            return 0.0
        x0, y0 = max(0, x0), max(0, y0)
        over = self._mask[y0 : y1 + 1, x0 : x1 + 1]
        if not over.size:
            return 0.0
        mask = np.zeros(over.shape, dtype=np.uint8)
        cv2.fillPoly(mask, [outline - np.array([x0, y0], np.int32)], 1)
        return np.count_nonzero(over & mask) / max(1, int(np.count_nonzero(mask)))
