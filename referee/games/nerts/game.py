"""The Nerts family: everybody plays at once. Its variants, layouts, possible plays and points.

Rules N1 to N18 and those of the variants: `referee/presets/rules.toml`. What is legal is said in `nerts_law`, what
several events together decide (ties, rounds of burying, calls) in `nerts_follow`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from referee.games.nerts import begun as nerts_begun
from referee.games.nerts import blocked as nerts_stuck
from referee.games.nerts import course as nerts_course
from referee.games.nerts import follow as nerts_follow
from referee.games.nerts import law as nerts_law
from referee.games.nerts.dealt import dealt_by, slots_of
from referee.rules import cards as c
from referee.rules.events import BadEventError, Begun, Deal, Draw, Event, Play, Recycle, Turn
from referee.rules.game import Game
from referee.rules.places import Place
from referee.rules.score import HandScore, Score, match_winner

if TYPE_CHECKING:
    from referee.rules.hand import Entry, Hand
    from referee.rules.header import Header
    from referee.rules.rulings import Finding

#: By game: which rule a variant has in the place of section 1's. "nerts-dealt" and "work-dealt" are the
#: layout, "face-down" is a work card moved while it lies face down.
IDS: dict[str, dict[str, str]] = {
    "nuts": {
        "nerts-dealt": "U1",
        "work-dealt": "U2",
        "face-down": "U3",
        "N6": "U4",
        "N8": "U7",
        "N11": "U5",
        "N12": "U5",
        "N14": "U7",
        "N15": "U6",
    },
    "team-nuts": {
        "nerts-dealt": "P1",
        "work-dealt": "P2",
        "face-down": "P2",
        "N6": "P4",
        "N11": "P4",
        "N12": "P4",
        "N15": "P5",
    },
    "nerts-twelve": {
        "nerts-dealt": "T1",
        "work-dealt": "T1",
        "face-down": "T1",
        "N4": "T3",
        "N8": "T2",
        "N13": "T3",
        "N15": "T4",
    },
}
_DEFAULT_IDS = {"nerts-dealt": "N2", "work-dealt": "N2", "face-down": "N5"}


class NertsGame(Game):
    """The rules of the Nerts family at one table."""

    def __init__(self, header: Header) -> None:
        super().__init__(header)
        self.name = header.game
        self._ids = {**_DEFAULT_IDS, **IDS.get(header.game, {})}
        #: Open nerts beside the stack (nerts-twelve).
        self.slots = slots_of(self.name)
        #: By kind and number of place: cards dealt to it, and how many of them lie face up.
        self.layout = dealt_by(self.settings)
        self.work_piles = sum(kind == "work" for kind, _ in self.layout)
        #: The areas of the table, each with the seats that play it.
        self.sides = self._sides()

    def rule(self, rule: str) -> str:
        """The id that this variant has for a rule of section 1."""
        return self._ids.get(rule, rule)

    def _owners(self) -> dict[str, str]:
        first: dict[str, str] = {}
        return {seat: first.setdefault(deck, seat) for seat, deck in self.deck.items()}

    def _sides(self) -> dict[str, tuple[str, ...]]:
        owners = dict.fromkeys(self.owner.values())
        return {owner: tuple(s for s in self.seats if self.owner[s] == owner) for owner in owners}

    # -- what exists ---------------------------------------------------------------------------------------

    def exists(self, kind: str, number: int) -> str | None:
        """Own: `nerts` (with slots in nerts-twelve), `work n`, `stock`, `waste`. Common: `foundation n`."""
        if kind == "foundation":
            return "common" if number else None
        own = (kind, number) in self.layout or (kind in ("stock", "waste") and not number)
        further = number and (kind == "work" or (kind == "nerts" and self.slots))
        return "own" if own or further else None

    def is_regular(self, place: Place) -> bool:
        """Whether the ruleset has a place; further work piles (and slots) are there only if dealt."""
        return place.kind not in ("work", "nerts") or (place.kind, place.number) in self.layout

    def works(self, hand: Hand, owner: str) -> list[Place]:
        """The work piles of an area, empty ones included."""
        return self.piles_of(hand, "work", owner, range(1, self.work_piles + 1))

    def nerts(self, hand: Hand, owner: str) -> list[Place]:
        """The Nerts pile of an area, and its slots."""
        return self.piles_of(hand, "nerts", owner, range(self.slots + 1))

    def new_course(self) -> nerts_course.NertsCourse:
        """A hand in which nothing has happened."""
        return nerts_course.NertsCourse()

    def check_deal(self, hand: Hand, deal: Deal) -> None:
        """One deal of 52 cards a deck."""
        if deal.seat is None:
            raise BadEventError("deal: field 'seat' is missing")
        if self.owner[deal.seat] in hand.dealt:
            raise BadEventError(f"deal: a second deal of the {self.deck[deal.seat]!r} deck")
        self.check_pack([card for pile in deal.piles.values() for card in pile])
        if self.deck[deal.seat] in hand.table.decks:
            deck = self.deck[deal.seat]
            raise BadEventError(
                f"deal: cards of the {deck!r} deck were played before it (put its deal first)"
            )

    def check_begun(self, hand: Hand, begun: Begun) -> None:
        """Each seat's places and the centre once, before any card of theirs moved."""
        nerts_begun.check_begun(self, hand, begun)

    def is_known(self, hand: Hand, place: Place) -> bool:
        """In an area that was dealt, or seen whole when the record began."""
        return super().is_known(hand, place) or place in nerts_course.course_of(hand).whole

    def was_turned_over(self, hand: Hand, stock: Place, count: int, cards: Sequence[int | None]) -> bool:
        """Of piles that nobody counted, where a card is drawn that was seen to lie on the waste."""
        if super().was_turned_over(hand, stock, count, cards):
            return True
        waste = hand.table.pile(self.place("waste", stock.seat))
        return stock in nerts_course.course_of(hand).more and any(card in waste for card in cards)

    def most_cards(self, hand: Hand, deck: str) -> int:
        """Of a deck that nobody counted, cards that were not known may have been counted twice."""
        begun = nerts_course.course_of(hand).begun
        return 104 if any(self.deck[owner] == deck for owner in begun if owner) else 52

    def face_up(self, place: Place, count: int) -> int:
        """How many of the cards dealt to a place lie face up."""
        if place.kind in ("waste", "foundation"):
            return count
        further = int(place.kind in ("work", "nerts"))
        return min(count, self.layout.get((place.kind, place.number), (0, further))[1])

    # -- what is ruled on ----------------------------------------------------------------------------------

    def judge(self, hand: Hand, event: Event) -> list[Finding]:
        """The legality function of the family."""
        return nerts_law.judge(self, hand, event)

    def apply(self, hand: Hand, entry: Entry) -> None:
        """Carry an event out, and note what cannot be seen any more: what a recycle or a bottom card began with."""
        if isinstance(entry.event, Recycle):
            stock = self.place("stock", entry.event.seat)
            course = nerts_course.course_of(hand)
            course.stock_left = 0 if stock in course.more else len(hand.table.pile(stock))
        move = entry.move if isinstance(entry.event, Play) else None
        took_bottom = move is not None and nerts_stuck.takes_bottom(self, hand, move)
        nerts_course.course_of(hand).took_bottom = took_bottom
        self._imply_turn(hand, entry)
        super().apply(hand, entry)
        if isinstance(entry.event, Recycle):
            nerts_begun.forget_order(hand, self.owner[str(entry.event.seat)])

    def lay_begun(self, hand: Hand, begun: Begun) -> None:
        """Lay the cards as they lay when the record began."""
        nerts_begun.lay_begun(self, hand, begun)

    def _imply_turn(self, hand: Hand, entry: Entry) -> None:
        """A work card that is built on was turned up, where nobody writes that down."""
        move = entry.move
        if move is None or move.target.kind != "work" or move.under or self.header.turns_are_written:
            return
        hand.table.turn_up(hand.table.pile(move.target)[-1:])

    def follow(self, hand: Hand, entry: Entry) -> list[Finding]:
        """Ties, two hands, burying, calls."""
        return nerts_follow.follow(self, hand, entry)

    def finish(self, hand: Hand) -> list[Finding]:
        """Ties and calls that were still open."""
        return nerts_follow.finish(self, hand)

    # -- what may be done ----------------------------------------------------------------------------------

    def sources(self, hand: Hand, seat: str) -> Iterator[tuple[Place, tuple[int, ...]]]:
        """Places and cards (bottom to top) that a seat can take from its own area."""
        owner, table = self.owner[seat], hand.table
        for place in [*self.nerts(hand, owner), *self.works(hand, owner), Place("waste", 0, owner)]:
            pile = table.pile(place)
            if place.kind != "work":
                if pile:
                    yield place, (pile[-1],)
                continue
            for at in range(len(pile) - 1, -1, -1):
                if not table.face_up[pile[at]] and at < len(pile) - 1:
                    break
                yield place, tuple(pile[at:])

    def targets(self, hand: Hand, seat: str) -> list[Place]:
        """Where a seat can play to: every foundation in play, one new one, the own work piles and slots."""
        used = [place.number for place in hand.table.piles if place.kind == "foundation"]
        closed = nerts_course.course_of(hand).closed
        places = [
            Place("foundation", n) for n in sorted(used) if not self.is_complete(hand, Place("foundation", n))
        ]
        places = [place for place in places if place not in closed]
        places.append(Place("foundation", max(used, default=0) + 1))
        owner = self.owner[seat]
        return [*places, *self.nerts(hand, owner), *self.works(hand, owner)]

    def candidates(self, hand: Hand, seat: str) -> list[Event]:
        """Every play from a place that can be reached to a place that can be played to, a draw, a recycle."""
        table, owner = hand.table, self.owner[seat]
        targets = self.targets(hand, seat)
        found: list[Event] = []
        for source, moved in self.sources(hand, seat):
            written = tuple(table.text(card) for card in moved)
            for target in targets:
                if target == source or (target.kind != "work" and len(moved) > 1):
                    continue
                if self._may_fit(hand, moved[0], target):
                    found.append(self._play(seat, written, source, target))
                if self.settings["slide_under"] and target.kind == "work" and table.pile(target):
                    found.append(self._play(seat, written, source, target, under=True))
        if self.header.turns_are_written:
            found += self._turns(hand, seat)
        stock = len(table.pile(Place("stock", 0, owner)))
        if stock:
            count = min(stock, self.settings.count("draw"))
            drawn = table.pile(Place("stock", 0, owner))[: -count - 1 : -1]
            found.append(Draw(seat=seat, cards=tuple(table.text(card) for card in drawn)))
        elif table.pile(Place("waste", 0, owner)):
            found.append(Recycle(seat=seat))
        return found

    def _turns(self, hand: Hand, seat: str) -> list[Event]:
        """The face-down cards that lie exposed in the own area, but for the stack of nerts-twelve."""
        places = [*self.nerts(hand, self.owner[seat]), *self.works(hand, self.owner[seat])]
        stack = Place("nerts", 0, self.owner[seat]) if self.slots else None
        tops = {place: hand.table.pile(place)[-1] for place in places if hand.table.pile(place)}
        return [
            Turn(seat=seat, place=place.own_name, card=hand.table.text(card))
            for place, card in tops.items()
            if place != stack and not hand.table.face_up[card]
        ]

    def _may_fit(self, hand: Hand, card: int, target: Place) -> bool:
        """Whether it is worth asking about a card on a place: false where ranks and suits rule it out."""
        table, pile = hand.table, hand.table.pile(target)
        if target.kind == "foundation" and not pile:
            return bool(table.domain(card) & c.ACES)
        if target.kind not in ("foundation", "work") or not pile or table.faces[pile[-1]] < 0:
            return True
        fits = c.UP_IN_SUIT if target.kind == "foundation" else c.DOWN_ALTERNATING
        return bool(table.domain(card) & fits[table.faces[pile[-1]]])

    @staticmethod
    def _play(
        seat: str, written: tuple[str, ...], source: Place, target: Place, *, under: bool = False
    ) -> Play:
        return Play(seat=seat, cards=written, source=source.own_name, target=target.own_name, under=under)

    @staticmethod
    def is_complete(hand: Hand, place: Place) -> bool:
        """Whether a foundation has reached its king."""
        table, pile = hand.table, hand.table.pile(place)
        if not pile or table.domain(pile[-1]) & ~c.KINGS:
            return False
        if len(pile) >= 13:
            return True
        # Short of cards by an earlier mistake: its king is the one that lies on its queen.
        below = [table.faces[card] for card in pile if table.faces[card] != table.faces[pile[-1]]]
        return bool(below) and below[-1] == table.faces[pile[-1]] - 1

    # -- what it brings ------------------------------------------------------------------------------------

    def score(self, hand: Hand) -> Score:
        """N17, N18, P5, T4: own cards in the centre less the penalty for what is left, and the bonus."""
        course = nerts_course.course_of(hand)
        sides = {owner: self._side_score(hand, course, owner) for owner in self.sides}
        scores = {seat: sides[self.owner[seat]] for seat in self.seats}
        match = {seat: self._before(seat) + score.points for seat, score in scores.items()}
        target = self.settings.number("target")
        unknown = nerts_begun.unknown_of(self, hand)
        sure = course.ended and unknown is None
        winner = match_winner(match, list(self.sides.values()), target) if sure else None
        at = hand.log[-1].event.at if hand.log else 0.0
        return Score(scores, match, winner, course.ended, at, unknown)

    def _before(self, seat: str) -> float:
        """The match total before this hand; partners share it."""
        for partner in (seat, *self.sides[self.owner[seat]]):
            if partner in self.header.match:
                return self.header.match[partner]
        return 0

    def _side_score(self, hand: Hand, course: nerts_course.NertsCourse, owner: str) -> HandScore:
        table, deck = hand.table, self.deck[owner]
        counted = [card for card in nerts_course.centre(hand, course) if table.decks[card] == deck]
        left = nerts_course.left(self, hand, owner) + nerts_course.played_late(hand, course, owner)
        bonus = self.settings.count("caller_bonus") if course.called_by == owner else 0
        disputed = sum(hand.verdict_on(table.moved_by[card]) is not None for card in counted)
        kings = sum(bool(table.domain(card) & ~c.KINGS == 0) for card in counted)
        points = len(counted) + kings * self.settings.count("king_points") + bonus
        return HandScore(len(counted), left, bonus, disputed, points - left * self.settings.count("penalty"))
