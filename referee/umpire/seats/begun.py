"""A hand that has begun: who sits where and what lies in whose places, from looks at a table on which play goes on.

Seats and places are proposed by how the cards lie (`seating.py`); what lies there is taken from the looks in which no
hand was in the way. Of piles that show their top card alone it is not known how many cards lie underneath.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from referee.games.nerts.builds import builds
from referee.rules.cards import RANKS, UNKNOWN
from referee.rules.places import FOUNDATION, NERTS, STOCK, WASTE, WORK, Place
from referee.umpire.dealing import Dealing
from referee.umpire.seats.area import HALF_H, PAIRS, Area, SeatArea
from referee.umpire.seats.deal import (
    BUILT_ON,
    IN_CENTRE,
    SAME_MM,
    SIDES,
    Deal,
    LookAgain,
    Side,
    card_pose,
    find_deal,
    has_begun,
    upright,
)
from referee.umpire.seats.dealt_row import BEHIND_MM, DealNotFoundError, HandBegunError
from referee.umpire.seats.rows import IN_PLAY
from referee.umpire.seats.seating import Seating, propose_seating
from referee.umpire.sights import Point, Sight, View, log_faces, readable
from referee.umpire.still import AllStill
from referee.umpire.story import Lying, Pile, Story
from referee.umpire.views import Viewer
from vision.layout import Floats, Layout

#: A face is known that is read with at least this probability.
SURE_FACE = 0.6
#: Cards that lie in the centre are seen in at least this share of the looks, or have come with the last one.
AGREED = 0.5
#: A first card further towards its player than the row is a column of which the first cards were missed (mm).
LATE_MM = 20.0
#: The games whose hands can be taken up lie like this.
PLAIN = Dealing()
WORK_PILES = len(PLAIN.work)


@dataclass(slots=True)
class Begun:
    """The table as it was found: places, what lies there, and the places that were hidden by hands in all looks."""

    area: Area
    piles: dict[Place, Pile]
    backs: dict[str, str]
    hidden: set[Place] = field(default_factory=set)

    def deal(self) -> Deal:
        """As the deal of a hand of which nobody saw it."""
        return Deal(self.area, {}, self.backs, begun=self.piles)


def find_begun(layouts: Sequence[Layout], dealing: Dealing | None = None) -> Begun:
    """What lies there, from looks at the whole table within a second or so.

    Raises `HandBegunError` for a hand of which too little is seen or that is dealt otherwise than plain Nerts,
    `DealNotFoundError` where none is under way.
    """
    looks = [layout for layout in layouts if layout.to_table is not None and layout.cards]
    if not looks:
        raise DealNotFoundError("no card can be seen")
    if dealing is not None and not dealing.is_plain:
        if not has_begun(looks):
            raise DealNotFoundError("no hand is under way")
        raise HandBegunError(
            "the hand had begun before the recording, and only hands of plain Nerts are followed from their middle on: "
            "begin recording when the cards are dealt"
        )
    seated = [propose_seating(layout, IN_PLAY) for layout in looks]
    planes = [upright(layout) for layout in looks]
    reference = _reference(looks, seated, planes)
    plane = planes[reference]
    area = _area(looks[reference], seated[reference], plane)
    views = _views(looks, area)
    piles = {place: pile_of(view) for place, view in views.items() if place.kind != FOUNDATION}
    foundations = {place: view for place, view in views.items() if place.kind == FOUNDATION}
    piles |= _founded(area, foundations)
    if not _is_under_way(piles):
        raise DealNotFoundError("no hand is under way")
    unseen = [place for place in area.own_places() if place not in piles]
    piles |= {place: unknown_pile(place, 0) for place in unseen if place.kind != WORK}
    # a stock may be in hand all the time
    hidden = {place for place in unseen if place.kind != STOCK}
    for seat in seated[reference].seats:
        _settle_doubles(piles, views, seat)
    return Begun(area, piles, _backs(looks[reference], seated[reference]), hidden)


def dealt(
    layouts: Sequence[Layout],
    look_again: LookAgain | None = None,
    dealing: Dealing | None = None,
    *,
    fill: bool = False,
    patient: bool = False,
) -> Deal:
    """`find_deal` of a hand that has not begun though its five open cards lie in every row; else `HandBegunError`."""
    deal = find_deal(layouts, look_again, dealing, fill=fill, patient=patient)
    if deal.dealing.is_plain and _has_begun(layouts):
        raise HandBegunError("the hand had begun before the recording, since cards lie built on work piles")
    return deal


def _has_begun(layouts: Sequence[Layout]) -> bool:
    if not has_begun(layouts):
        return False
    try:
        find_begun(layouts)
    except DealNotFoundError:
        return False
    return True


def lies_in_centre(area: Area, layouts: Sequence[Layout]) -> bool:
    """Whether a card lay open in the centre when a deal was looked at: plays had been made, and nobody saw which."""
    return any(
        card.side == "face"
        and card.visible_fraction > 0.5
        and readable(log_faces(card))
        and all(seat.fronts(card_pose(card, area.to_table)[0]) for seat in area.seats)
        for layout in layouts
        for card in layout.cards
    )


def _is_under_way(piles: Mapping[Place, Pile]) -> bool:
    """Whether cards lie built on others, or in the centre and on a waste: neither is so while cards are dealt."""
    works = [pile for place, pile in piles.items() if place.kind == WORK]
    pairs = [pair for pile in works for pair in pairwise(pile) if pair[0].known and pair[1].known]
    if sum(builds(WORK, lower.face, upper.face) for lower, upper in pairs) >= BUILT_ON:
        return True
    tops = [pile[-1] for place, pile in piles.items() if place.kind == FOUNDATION and pile[-1].known]
    wastes = [pile for place, pile in piles.items() if place.kind == WASTE]
    drawn = any(pile and pile[-1].known for pile in wastes)
    return drawn and (len(tops) >= IN_CENTRE or any(top.face.startswith("A") for top in tops))


def _reference(looks: Sequence[Layout], seated: Sequence[Seating], planes: Sequence[Floats]) -> int:
    """The look that shows most of the seats that most looks agree on, and of where their Nerts piles lie."""
    numbers = range(len(looks))
    possible = [n for n in numbers if not _takes_face_for_stock(n, looks, seated, planes)] or [*numbers]
    votes = {n: _heads(looks[n], seated[n], planes[n]) for n in possible}
    agreed = Counter(votes.values())
    chosen = max(agreed, key=lambda heads: (len(heads), agreed[heads]))
    if len(chosen) < 2 and not has_begun(looks):
        raise DealNotFoundError("no hand is under way")
    if len(chosen) < 2:
        raise HandBegunError(
            "the hand had begun before the recording, and who sits where cannot be seen: begin with every player's cards "
            "in view and the hands away for a moment"
        )
    return max(
        (n for n in possible if votes[n] == chosen),
        key=lambda n: len({place for place in seated[n].places.values() if place.seat}),
    )


def _heads(layout: Layout, seating: Seating, plane: Floats) -> tuple[tuple[str, int], ...]:
    """Each seat, and towards which end of its row its Nerts pile lies: 1 or -1."""
    heads = []
    for seat in seating.seats:
        works = {
            place.number: card_pose(layout.cards[number], plane)[0]
            for number, place in seating.places.items()
            if place.seat == seat and place.kind == WORK
        }
        first, last = works[min(works)], works[max(works)]
        way = max((last[0] - first[0], last[1] - first[1]), key=abs)
        heads.append((seat, 1 if way > 0 else -1))
    return tuple(heads)


def _takes_face_for_stock(
    number: int, looks: Sequence[Layout], seated: Sequence[Seating], planes: Sequence[Floats]
) -> bool:
    """Whether a stock of this look shows a face in another one: then it is a Nerts pile whose card was just turned."""
    stocks = [
        card_pose(looks[number].cards[card], planes[number])[0]
        for card, place in seated[number].places.items()
        if place.kind == STOCK
    ]
    faces = [
        card_pose(card, plane)[0]
        for layout, plane in zip(looks, planes, strict=True)
        for card in layout.cards
        if card.side == "face" and readable(log_faces(card))
    ]
    return any(np.hypot(x - u, y - v) < SAME_MM for x, y in stocks for u, v in faces)


# -- where the places are ----------------------------------------------------------------------------------


def _area(layout: Layout, seating: Seating, plane: Floats) -> Area:
    poses = {
        number: (place, *card_pose(layout.cards[number], plane))
        for number, place in seating.places.items()
        if place.seat
    }
    turned: dict[str, list[float]] = {}
    for place, _, angle in poses.values():
        turned.setdefault(place.seat, []).append(angle)
    sides = {seat: _side(seat, angles) for seat, angles in turned.items()}
    first: dict[Place, Point] = {}
    for place, at, _ in poses.values():
        side = sides[place.seat]
        if place not in first or _near(side, at) < _near(side, first[place]):
            first[place] = at
    seats = [_seat(seat, sides[seat], first) for seat in seating.seats]
    unsettled = {seat for seat in seating.seats if Place(WASTE, 0, seat) not in first}
    return Area(seats, plane, unsettled=unsettled)


def _side(seat: str, angles: Sequence[float]) -> Side:
    """The side at which a seat's cards lie, by how they are turned (degrees): two players may sit at each."""
    sideways = float(np.median([abs(angle - 90.0) for angle in angles])) < 45.0
    axis = ("west", "east") if sideways else ("north", "south")
    return SIDES[next((side for side in axis if seat in PAIRS[side]), seat)]


def _near(side: Side, at: Point) -> float:
    return at[0] * side.near[0] + at[1] * side.near[1]


def _seat(seat: str, side: Side, first: dict[Place, Point]) -> SeatArea:
    """One player's places: those that were seen, and the others as far along the row as they should be."""
    frame = SeatArea(seat, side.across, side.near, {})
    row = [Place(NERTS, 0, seat), *(Place(WORK, number, seat) for number in range(1, WORK_PILES + 1))]
    seen = {place: frame.local(at) for place, at in first.items() if place.seat == seat}
    numbers = [number for number, place in enumerate(row) if place in seen]
    across = [seen[row[number]][0] for number in numbers]
    step, begin = np.polyfit(numbers, across, 1)
    level = float(np.median([seen[row[number]][1] for number in numbers]))
    spots = {}
    for number, place in enumerate(row):
        at = seen.get(place, (float(begin + step * number), level))
        spots[place] = (at[0], level if at[1] > level + LATE_MM else at[1])
    stock, waste = Place(STOCK, 0, seat), Place(WASTE, 0, seat)
    end = spots[row[-1]][0]
    # where neither is seen, the stock is supposed beside the row's end and the waste beside it
    behind = stock not in seen and waste in seen and abs(seen[waste][0] - end) < 1.5 * abs(step)
    beside = (end, level + BEHIND_MM) if behind else (end + float(step), level)
    spots[stock] = seen.get(stock, beside)
    in_line = abs(spots[stock][1] - level) < HALF_H
    spots[waste] = seen.get(waste, ((spots[stock][0] if in_line else end) + float(step), level))
    return SeatArea(seat, side.across, side.near, spots)


def _backs(layout: Layout, seating: Seating) -> dict[str, str]:
    """Seat -> label of its back."""
    found: dict[str, str] = {}
    for number, place in seating.places.items():
        back = layout.cards[number].back
        if place.seat and back and layout.cards[number].side == "back":
            found.setdefault(place.seat, back)
    return found


# -- what lies there ---------------------------------------------------------------------------------------


def _views(looks: Sequence[Layout], area: Area) -> dict[Place, View]:
    """Each place as it was seen best with no hand over it, a later look before an earlier one."""
    length = Story({place: pile_of(view) for place, view in _every(looks, area, Story({})).items()})
    return _every(looks, area, length)


def _every(looks: Sequence[Layout], area: Area, story: Story) -> dict[Place, View]:
    best: dict[Place, View] = {}
    times: Counter[Place] = Counter()
    viewer = Viewer(area)
    for number, layout in enumerate(looks):
        at = float(number)
        for view in viewer.views(at, number, layout, story, None, AllStill(at)):
            times[view.place] += bool(view.sights)
            if view.place not in best or _is_better(view, best[view.place]):
                best[view.place] = view
    return {
        place: view
        for place, view in best.items()
        if place.kind != FOUNDATION or times[place] >= AGREED * len(looks) or view.at == len(looks) - 1
    }


def _is_better(later: View, view: View) -> bool:
    """Whether a later view of a place tells more of it: of a column one that shows no less of its cards."""
    if later.place.kind == WORK:
        return _shows(later) >= _shows(view)
    # what is not seen once may have been missed
    top = later.top
    return view.top is None or (top is not None and (not top.face_up or readable(top.log_face)))


def _shows(view: View) -> tuple[int, int]:
    """How much a view shows: cards that can be read, and cards."""
    return sum(readable(sight.log_face) for sight in view.sights), len(view.sights)


def pile_of(view: View) -> Pile:
    """What lies at a player's place that is seen so for the first time."""
    place, sights = view.place, view.sights
    if place.kind == WORK:
        return tuple(_lying(sight, place.seat) for sight in sights if sight.face_up)
    if place.kind == FOUNDATION:
        return tuple(_lying(sight, "") for sight in sights)
    if not sights and place.kind != NERTS:
        # a stock may be in hand, and a waste that is nowhere else is none
        return unknown_pile(place, 0) if place.kind == STOCK else ()
    return (*unknown_pile(place, len(sights)), *(_lying(sight, place.seat) for sight in sights))


def unknown_pile(place: Place, seen: int) -> Pile:
    """The cards that may lie at a place of which no more than `seen` on top are seen."""
    most = PLAIN.nerts if place.kind == NERTS else PLAIN.stock
    return (Lying(UNKNOWN, place.seat, place.kind == WASTE, there=False),) * max(0, most - seen)


def _lying(sight: Sight, seat: str) -> Lying:
    face = next(iter(sight.likely(SURE_FACE, 1)), UNKNOWN) if sight.face_up else UNKNOWN
    return Lying(face, seat, sight.face_up, sight.at)


def _founded(area: Area, views: dict[Place, View]) -> dict[Place, Pile]:
    """The foundations that are there, numbered anew: an ace has no card underneath, a five four of its suit."""
    spots = {place: area.foundations[place] for place in sorted(views)}
    area.foundations.clear()
    piles: dict[Place, Pile] = {}
    for old, spot in spots.items():
        place = Place(FOUNDATION, len(piles) + 1)
        area.foundations[place] = spot
        top = _lying(views[old].sights[-1], "")
        under = RANKS.index(top.face[0]) if top.known else 0
        piles[place] = (*(Lying(UNKNOWN, "", True),) * under, top)
    return piles


def _settle_doubles(piles: dict[Place, Pile], views: Mapping[Place, View], seat: str) -> None:
    """A face that is read twice in one deck was seen before and after it moved: it lies where it was seen last. In one
    look it is read nowhere.
    """
    own = [place for place in piles if place.seat == seat and place in views]
    faces = Counter(card.face for place in own for card in piles[place] if card.known)
    for face in (face for face, times in faces.items() if times > 1):
        at = {place: views[place].at for place in own if any(card.face == face for card in piles[place])}
        last = [place for place in at if at[place] == max(at.values())]
        for place in at:
            if len(last) > 1 or place not in last:
                piles[place] = _without(piles[place], face, gone=len(last) == 1)


def _without(pile: Pile, face: str, *, gone: bool) -> Pile:
    """A pile in which this face is not known, or whose top card, if it is that one, has `gone`."""
    if gone and pile[-1].face == face:
        return pile[:-1]
    return tuple(card._replace(face=UNKNOWN) if card.face == face else card for card in pile)
