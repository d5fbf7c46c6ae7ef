"""The umpire: layouts go in, what happened comes out. No picture, no file, no clock of its own."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from math import inf

from referee.rules.events import INFERRED, Play, TakeBack
from referee.rules.places import FOUNDATION, NERTS, STOCK, WASTE, WORK, Place
from referee.rules.settings import Settings
from referee.umpire import one_hand
from referee.umpire.again.certain import Certain
from referee.umpire.again.kept import Kept, Look, Watched
from referee.umpire.again.passes import explained_again
from referee.umpire.beam import Beam
from referee.umpire.dealing import Dealing
from referee.umpire.disputes import disputed, is_odd
from referee.umpire.fouls import aside
from referee.umpire.odds import Odds
from referee.umpire.seats.area import Area
from referee.umpire.seats.begun import Begun, dealt, lies_in_centre, pile_of
from referee.umpire.seats.deal import Deal, LookAgain
from referee.umpire.seats.dealt_piles import dealt_piles, extra_of
from referee.umpire.seats.strangers import Strangers
from referee.umpire.sights import Point, View, Window
from referee.umpire.sources import CARRY_S
from referee.umpire.still import AllStill, Stillness
from referee.umpire.story import ASIDE, Believed, Lift, Pile, Story
from referee.umpire.telling.dropped import picked_up
from referee.umpire.telling.order import in_time
from referee.umpire.telling.partners import Partners
from referee.umpire.telling.slid import FirstSeen
from referee.umpire.tied.arriving import ArmsAt
from referee.umpire.tied.contested import contested
from referee.umpire.trust.misfits import Misfits
from referee.umpire.trust.remembered import Remembered, shown
from referee.umpire.trust.witness import gave_way, has_left, has_rival, is_back, may_lie_under
from referee.umpire.views import Viewer
from vision.layout import Floats, Layout

#: A top card read with less than this log probability is looked at again.
SURE_READING = -0.1
#: A card that another seat seems to have in hand, too, is looked for so often where it lay; so many of the latest events
#: may be of a tie whose loser takes the card back.
TAKEN_LOOKS, LATELY = 2, 12


class Umpire:
    """Follows one hand. `deal` once with looks at the quiet table, then `see` look after look."""

    def __init__(self, odds: Odds, dealing: Dealing | None = None, *, width: int = 24) -> None:
        """`dealing`: what is dealt, and drawn at a time; that of plain Nerts if nothing is said."""
        self.dealing = dealing or Dealing()
        self.odds = self.dealing.weighed(odds)
        self.width = width
        #: What was seen of this hand since it was dealt or resumed.
        self.kept, self._certain = Kept(), Certain()
        self.dealt: Deal | None = None
        self._beam: Beam | None = None
        self._viewer: Viewer | None = None
        self._seen, self._misfits, self._first_seen = Remembered(), Misfits(), FirstSeen()
        #: By seat: the cards of its Nerts pile before the first event; None where that is not known.
        self._nerts: dict[str, int | None] = {}
        #: Places of a hand that had begun that were hidden so far: what is seen there first has lain there before.
        self._hidden: set[Place] = set()
        self._hidden_at_first: frozenset[Place] = frozenset()
        #: Which of two partners it was (P3).
        self.partners = Partners()
        #: Asked for whose arms reached to a point (mm) when (s): of two seats' same card they tell which landed there.
        self.arms: ArmsAt | None = None
        #: Who sits down in the middle of the hand.
        self.strangers = Strangers()
        #: Places that look otherwise than when they were seen last.
        self.unseen: frozenset[Place] = frozenset()

    @classmethod
    def of(cls, settings: Settings) -> Umpire:
        """An umpire for a game with its settings; `SettingsError` for one that it cannot follow."""
        return cls(Odds(), Dealing.of(settings))

    def deal(
        self,
        layouts: Sequence[Layout],
        look_again: LookAgain | None = None,
        *,
        fill: bool = False,
        patient: bool = False,
    ) -> Deal:
        """Find who sits where and what was dealt. Raises `DealNotFoundError`; then look again. See `find_deal`."""
        deal = dealt(layouts, look_again, self.dealing, fill=fill, patient=patient)
        # of what was played already nobody knows where it lay: nobody is accused on that
        return self.begin(deal, 0.0 if lies_in_centre(deal.area, layouts) else -inf)

    def begin(self, deal: Deal, since: float = -inf) -> Deal:
        """Follow a hand of which the deal is known, from `since` (s) on."""
        self.resume(deal, dealt_piles(deal), since)
        tops = [item for own in deal.tops.values() for item in own.items()]
        self._know(View(p, -inf, 0, -inf, [*extra_of(deal, p), card.sight()]) for p, card in tops)
        return deal

    def _know(self, views: Iterable[View]) -> None:
        """This was seen before the first look."""
        assert self._viewer is not None
        self._seen.first = {view.place: view for view in views}
        self._viewer.know({p: view.top for p, view in self._seen.first.items() if view.top is not None})

    def take_up(self, begun: Begun, since: float) -> Deal:
        """Follow a hand that had begun, from `since` (s) on."""
        deal = begun.deal()
        self.resume(deal, begun.piles, since)
        self._hidden = {place for place in begun.hidden if place.kind == WORK}
        self._hidden_at_first = frozenset(self._hidden)
        return deal

    def resume(
        self,
        deal: Deal,
        piles: Mapping[Place, Pile],
        since: float = -inf,
        lifted: Sequence[Lift] = (),
        *,
        hearsay: bool = False,
        seen: bool = False,
    ) -> None:
        """Go on with a hand of which it is known what lay where before `since` (s) and was in hand, and nothing else.

        `events` are those to come. `hearsay`: what lay where was only believed, so that nobody is accused on it before it
        is seen; as nobody is on what hands held at first, where it was seen. `seen`: the whole table was seen to lie
        so at that moment.
        """
        self._misfits = Misfits(since, hearsay=hearsay)
        self.dealt = deal
        self._viewer = Viewer(deal.area, since)
        self._begins = Story(dict(piles), tuple(lifted)), since
        self._beam = Beam(self._begins[0].weighed(0.0), self.odds, self.width)
        self.kept, self._certain = Kept(), Certain()
        held = {place: sum(len(lift.cards) for lift in lifted if lift.place == place) for place in piles}
        self._nerts = {
            area.seat: self._counted(piles, held, self.nerts_of(area.seat)) for area in deal.area.seats
        }
        self._hidden, self._hidden_at_first = set(), frozenset()
        self.strangers = Strangers()
        if seen:
            views = (shown(place, pile, since) for place, pile in piles.items())
            self._know(view for view in views if view is not None)
            self._seen.lay(piles, since)
            self._viewer.seen_before = True

    def anew(self, width: int, begins: Story | None = None) -> Umpire:
        """An umpire that knows what lay where when this one began, and nothing of what was seen since.

        It forgets no view, and keeps so many stories (`width`). `begins`: the story that holds for it instead.
        """
        assert self.dealt is not None
        other = Umpire(self.odds, self.dealing, width=width)
        story, since = self._begins
        other.resume(self.dealt, story.piles, since, story.lifted, hearsay=self._misfits.hearsay)
        other._hidden = set(self._hidden_at_first)
        other.partners.recall(self.partners)
        assert self._viewer is not None and other._viewer is not None
        other._viewer.backs = self._viewer.backs
        if begins is not None:
            other._beam = Beam(begins.weighed(0.0), self.odds, width)
            other._hidden = set(self._hidden)
        other._seen, other.strangers, other.unseen = self._seen.anew(), self.strangers, self.unseen
        return other

    @staticmethod
    def _counted(
        piles: Mapping[Place, Pile], held: Mapping[Place, int], nerts: Sequence[Place]
    ) -> int | None:
        """The cards of a Nerts pile, those in hand included; None where nobody has counted them."""
        cards = [card for place in nerts for card in piles.get(place, ())]
        if not all(card.there for card in cards):
            return None
        return len(cards) + sum(held.get(place, 0) for place in nerts)

    def lay(self, to_table: Floats) -> None:
        """The camera stands elsewhere: (3, 3) px of its picture -> mm as before."""
        assert self.dealt is not None
        self.dealt.area.lay(to_table)
        assert self._viewer is not None
        self._viewer.forget_regions()

    @property
    def beam(self) -> Beam:
        """The stories alive."""
        if self._beam is None:
            raise ValueError("nothing has been dealt yet")
        return self._beam

    @property
    def story(self) -> Story:
        """The likeliest story."""
        return self.beam.best

    @property
    def seats(self) -> list[str]:
        """The seats that were found; of partners, who play with the same cards, both."""
        areas = self.dealt.area.seats if self.dealt else []
        return [seat for area in areas for seat in (area.seat, area.partner) if seat]

    def owner(self, seat: str) -> str:
        """The seat under whose name a seat's cards lie."""
        areas = self.dealt.area.seats if self.dealt else []
        return next((area.seat for area in areas if seat == area.partner), seat)

    def nerts_of(self, seat: str) -> list[Place]:
        """A seat's Nerts pile, and the open nerts beside it where there are any."""
        return [Place(NERTS, number, self.owner(seat)) for number in range(self.dealing.slots + 1)]

    def regions(self, margin_mm: float = 8.0) -> dict[Place, Floats]:
        """Where every place lies in the picture, `margin_mm` around its cards: (4, 2) px."""
        assert self._viewer is not None
        places = self._viewer.area.places()
        return {place: self._viewer.region(place, self.story, margin_mm) for place in places}

    def doubts(self, view: View) -> bool:
        """Whether another look at this place would help: its top is read unsurely, or not as believed."""
        pile = self.story.pile(view.place)
        top = view.top
        if is_odd(self.beam, view, self._seen.looks.get(view.place, ())) or self._puzzles(view):
            return True
        if top is None or not pile:
            return (top is None) != (not pile)
        if top.face_up != pile[-1].up:
            return True
        return top.face_up and top.reads(pile[-1].face) < SURE_READING

    def _puzzles(self, view: View) -> bool:
        """Whether a place looks otherwise than before, though it shows nothing new, and a card in hand may lie there."""
        held = self.story.lifted
        if not held or not one_hand.is_changed(view) or self.news(view):
            return False
        return any(one_hand.may_lie(self.story, lift, view, self.odds) for lift in held)

    def news(self, view: View) -> bool:
        """Whether this view shows anything that the one before it did not."""
        # `see` has put this view behind the ones before it
        seen = self._seen.looks.get(view.place, [])
        return len(seen) < 2 or not view.like(seen[-2])

    @property
    def seeks(self) -> bool:
        """Whether a card seems to be in hand that may begin a foundation."""
        centre = Place(FOUNDATION, 1)
        held = (lift.cards[0] for lift in self.story.lifted if len(lift.cards) == 1)
        return any(card.known and self.odds.fits(centre, None, card.face) for card in held)

    def suppose(self, spots: Sequence[Floats]) -> None:
        """Something lies at these (2,) px of the free table that no look makes out: it may be a card that is missing."""
        for spot in spots:
            ((x, y),) = self.dealt_area.at(spot[None])
            self.dealt_area.place((float(x), float(y)))

    def tied(self) -> list[Place]:
        """The foundations on which a card may lie that seems to be in hand: another seat's just like it does. And where
        that was taken, until a few looks have not shown it there, or where one look tells whose of two alike was laid, or
        where it may have been laid back.
        """
        now, past = contested(self.beam), self.story.past or ()
        missing = [p for p, at in now.taken.items() if self._looked(p, at) < TAKEN_LOOKS]
        left = [p for p, at in now.left.items() if not self._looked(p, at)]
        back = [
            one.source for one in islice(past, LATELY) if one.source in self.unseen and has_rival(one, past)
        ]
        return [*now.places, *missing, *left, *filter(None, back)]

    def _looked(self, place: Place, since: float) -> int:
        """How often a place was seen since a moment (s)."""
        return sum(view.at >= since for view in self._seen.looks.get(place, ()))

    def likely_empty(self, seat: str) -> float:
        """The probability that this seat has no Nerts pile left."""
        shares = zip(self.beam.stories, self.beam.shares(), strict=True)
        return sum(share for story, share in shares if not any(map(story.pile, self.nerts_of(seat))))

    def is_out(self, seat: str) -> bool:
        """Whether this seat has no Nerts card left, as the likeliest story goes."""
        return not any(map(self.story.pile, self.nerts_of(seat)))

    def shows_none(self, seat: str) -> bool:
        """Whether the places of this seat's Nerts cards were seen when they were looked at last, and none lay there."""
        return all(map(self._is_seen_empty, self.nerts_of(seat)))

    def nerts_left(self, seat: str, at: float, events: Iterable[tuple[Believed, float]]) -> int:
        """The cards that `events`, as they were believed once, leave on this seat's Nerts pile at a moment (s); of a pile
        that was not counted at first those that are known of by now.
        """
        had, nerts = self._nerts[self.owner(seat)], self.nerts_of(seat)
        gone = sum(_gone(one, nerts) for one, _ in events if one.at <= at)
        if had is None:
            had = sum(card.there for place in nerts for card in self.story.pile(place))
            had += sum(_gone(one, nerts) for one in self.story.past or ())
        return had - gone

    def see(
        self,
        at: float,
        frame: int,
        layout: Layout,
        *,
        window: Window | None = None,
        still: Stillness | None = None,
        places: Container[Place] | None = None,
    ) -> list[View]:
        """Take one look: the layout of the whole picture or of a window of it (in px of the whole picture).

        Only places that lie in the window with no hand over them are taken in, of these `places` alone where any are
        named; their views are returned.
        """
        assert self._viewer is not None
        arriving = self._viewer.arriving
        arriving.contested, arriving.arms = contested(self.beam), self.arms
        still = still or AllStill(at)
        views = self._viewer.views(at, frame, layout, self.story, window, still, places)
        for view in views:
            self.strangers.see(view, already=bool(self.story.pile(view.place)))
            if view.place in self.strangers.places:
                continue
            watched = Watched(view)
            self.explain(view)
            # where nothing lies something may have lain: who says so is held against what moved there
            self.kept.add(watched, self._viewer.area.places())
            view.settle()
        self._certain.note(self.beam, at)
        return views

    def see_again(self, look: Look) -> None:
        """What was seen once and kept is seen."""
        assert self._viewer is not None
        self.explain(look.view())
        self._viewer.seen_at[look.place] = look.at

    def find_again(self, since: float) -> bool:
        """From a moment (s) on it was not seen as believed: explain again what was seen since the last certain moment.

        Whether something else explains it better, and holds from now on.
        """
        begins = self._certain.before(since)
        self._certain.forget(since)
        found = explained_again(self, begins=begins)
        if found is not None:
            self.beam.go_on(found.umpire.beam.stories)
        return found is not None

    def lay_as_seen(self, place: Place) -> None:
        """Take it that there lies what was seen there last, however that came about."""
        seen, pile = self._seen.last(place), self.story.pile(place)
        if seen is None or place.kind == STOCK or (place.kind == WORK and not all(card.up for card in pile)):
            return
        shown = tuple(card for card in pile_of(seen) if card.known)
        if place.kind != WORK:
            shown = (*pile[:-1], *shown[-1:]) if shown else ()
        self.beam.lay(place, shown)
        # nobody knows how it came there: what was seen before says nothing of what comes
        self.kept.whole = False
        self._certain.forget(-inf)

    def explain(self, view: View) -> None:
        """Go on with every story so that it explains a view."""
        if view.place in self._hidden:
            self._hidden.discard(view.place)
            self.beam.lay(view.place, pile_of(view))
        before = self.beam.total
        self.beam.push(view)
        view.paid = self.beam.total - before
        self._seen.add(view)

    def disputed(self) -> list[Place]:
        """The places where a few looks, though nothing changes, would tell between what may have happened."""
        return disputed(self.beam, self._seen.looks)

    def glimpsed(self) -> list[Place]:
        """The work piles beside which something changed that the last look did not explain: a card slid under them?"""
        assert self._viewer is not None
        return list(self._viewer.glimpsed)

    def events(self) -> list[tuple[Believed, float]]:
        """The likeliest story so far, each event with its confidence."""
        story, agreed = self.story.events(), self.beam.agreed()
        everywhere = set(map(id, story[:agreed]))
        as_seen = [self._first_seen.told(event, self._seen) for event in story]
        believed = {id(one): event for one, event in zip(as_seen, story, strict=True)}
        told = picked_up(
            [
                (event, one.moved_to(moment), self._confidence(event, everywhere=id(event) in everywhere))
                for one, moment in in_time(as_seen)
                if not self.strangers.have(event := believed[id(one)])
            ],
            self._is_seen_empty,
        )
        if not self.dealing.partners:
            return [(moved, sure) for _, moved, sure in told]
        return self.partners.told(told, self.dealt_area.seats, self.hands, self.beam.now, self.has_left)

    def _is_seen_empty(self, place: Place) -> bool:
        seen = self._seen.last(place)
        return seen is not None and not seen.sights

    def hands(self, event: Believed) -> Iterator[tuple[Place, Point, float]]:
        """Where a hand was in an event: the place, the point (mm) and when (s)."""
        assert self._viewer is not None
        lifted = event.at - CARRY_S if event.lifted is None else event.lifted
        drawn = Place(WASTE, 0, event.seat) if event.of_stock else event.target
        for place, at in ((event.source, lifted), (drawn, event.at)):
            if place is not None:
                box = self._viewer.box(place, self.story)
                edge = box.mean(axis=0) if place.kind == FOUNDATION else box[2:].mean(axis=0)
                yield place, (float(edge[0]), float(edge[1])), at

    def middles(self, place: Place) -> list[Point]:
        """Where (mm) a hand may be at a place: at its middle, at its player's end."""
        assert self._viewer is not None
        box = self._viewer.box(place, self.story)
        ends = (box.mean(axis=0), box[2:].mean(axis=0))
        return [(float(x), float(y)) for x, y in ends]

    def has_left(self, event: Believed) -> bool:
        """Whether a play's card was seen where it came from before, and is not seen there any more."""
        return event.source is not None and has_left(event, self._seen.of(event.source))

    def untouched(self, event: Believed) -> float:
        """Up to when (s) the place where a play's card landed looked as before; -inf where that is not known."""
        seen = self._seen.looks.get(event.target, ()) if event.target is not None else ()
        return next((view.untouched for view in seen if view.at >= event.at), -inf)

    @property
    def dealt_area(self) -> Area:
        """The places of the table."""
        assert self.dealt is not None
        return self.dealt.area

    def _confidence(self, event: Believed, *, everywhere: bool) -> float:
        """`everywhere`: all stories tell it."""
        sure = min(1.0, event.caution) if everywhere else self.beam.confidence(event)
        back = event.source is not None and (
            is_back(event, self._seen.looks.get(event.source, ()), self.story.top(event.source))
            or gave_way(event, self.story.past or ())
            or may_lie_under(event, self.story.past or ())
            # what came to lie there since may be the card that was taken back
            or (event.source in self.unseen and has_rival(event, self.story.past or ()))
        )
        if back or self.strangers.confuse(event):
            return min(sure, INFERRED)
        if event.foul == ASIDE and event.target is not None:
            seen = self._seen.of(event.target)
            return min(sure, aside.trust(event, seen, self.story, self._viewer.backs if self._viewer else ()))
        if event.misfit and event.target is not None:
            sure = min(sure, self._misfits.trust(event, self._seen, self.beam.now))
        return sure


def _gone(one: Believed, nerts: Sequence[Place]) -> int:
    """How many cards an event takes from a Nerts pile; less than 0 where it puts some back."""
    if not isinstance(one.event, Play | TakeBack):
        return 0
    return len(one.cards) * ((one.source in nerts) - (one.target in nerts))
