"""What happens while a mixed stack is dealt out backs up: where every card comes to lie and when, and what goes amiss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np

from datasets.evening.busy import Busy, untidy
from datasets.film.art import DeckArt
from datasets.film.choreography import HELD, Choreography, ways_of
from datasets.film.movement import Card, Hold, Lying, Reach
from datasets.film.poses import Pose
from datasets.film.table import Style, Table, turn_of
from datasets.play.deeds import other_arm
from datasets.scene import THICKNESS

#: How the cards are dealt: each deck onto a pile of its own, all onto one pile, or one beside the other.
Way = Literal["sorted", "pile", "row"]
WAYS = get_args(Way)
#: Seats whose decks lie in a stack; only the dealer's arms are seen.
OWNERS = ("south", "west", "north", "east")
#: Seconds before the first card and after the last one.
BEFORE, AFTER = (1.6, 2.4), 2.2
#: mm between the dealer's edge of the table and the middle of the stack, and the middle of the nearest cards.
STACK, NEAREST = 62.0, 172.0
#: mm that cards keep from the edges of what is in view.
MARGIN = 14.0


@dataclass(frozen=True, slots=True)
class Habits:
    """How somebody deals."""

    way: Way
    #: Cards a second.
    rate: float
    #: Standard deviations of untidiness, mm and degrees.
    off: float
    skew: float
    #: mm from one card of a row to the next.
    pitch: float
    #: Misdeals: so many times two cards at once, and one that is taken back.
    twos: int
    backs: int


@dataclass(frozen=True, slots=True)
class Told:
    """What one movement does: cards of which owners come to lie, or are taken away, where and when (s)."""

    at: float
    kind: Literal["dealt", "two", "taken back", "moved"]
    place: str
    owners: tuple[str, ...]


@dataclass
class Plan:
    """A whole dealing, for the camera and for the truth."""

    film: Choreography
    habits: Habits
    dealer: str
    events: list[Told] = field(default_factory=list)
    ends: float = 0.0
    #: Owner → cards that lie on the table in the end.
    counts: dict[str, int] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The truth, as plain data."""
        return {
            "dealer": self.dealer,
            "habits": asdict(self.habits),
            "ends": self.ends,
            "counts": self.counts,
            "events": [asdict(event) for event in self.events],
        }


def draw_habits(rng: np.random.Generator, way: Way | None = None) -> Habits:
    """Somebody who deals, sorted by backs as often as otherwise."""
    drawn = WAYS[int(rng.choice(len(WAYS), p=(0.5, 0.25, 0.25)))]
    return Habits(
        way=way or drawn,
        rate=float(rng.uniform(1.2, 3.0)),
        off=float(rng.uniform(2.0, 6.0)),
        skew=float(rng.uniform(1.5, 6.0)),
        pitch=float(rng.uniform(13.0, 24.0)),
        twos=int(rng.poisson(0.5)),
        backs=int(rng.poisson(0.6)),
    )


def draw_counts(rng: np.random.Generator, decks: int, cards: int | None = None) -> dict[str, int]:
    """How many cards of each deck are in the stack: 40 to 110 in all, no more than 52 of one."""
    total = cards or int(rng.integers(40, min(110, 46 * decks) + 1))
    shares = rng.dirichlet([6.0] * decks)
    counts = np.minimum(np.maximum(np.round(shares * total).astype(int), 3), 50)
    while counts.sum() != total:
        step = 1 if counts.sum() < total else -1
        free = np.flatnonzero((counts + step <= 50) & (counts + step >= 3))
        counts[rng.choice(free)] += step
    return {OWNERS[deck]: int(count) for deck, count in enumerate(counts)}


def table_for(width: float, height: float, decks: Sequence[DeckArt], dealer: str, *, left: bool) -> Table:
    """A bare table of `width` × `height` mm in view with the dealer's shoulders at one of its sides."""
    card = max(deck.width for deck in decks), max(deck.height for deck in decks)
    styles = {OWNERS[number]: Style(left_handed=left) for number in range(len(decks))}
    table = Table(width, height, card[0], card[1], styles)
    table.middle[dealer] = 0.0
    reach = (width if dealer in ("east", "west") else height) / 2
    mirror = -1 if left else 1
    for arm, across in ((dealer, 60.0), (other_arm(dealer), -230.0)):
        turn, near = np.radians(turn_of(dealer)), reach + 330.0
        u = across * mirror
        x, y = u * np.cos(turn) - near * np.sin(turn), u * np.sin(turn) + near * np.cos(turn)
        table.shoulders[arm] = float(x), float(y)
    return table


def plan_dealing(
    table: Table, dealer: str, habits: Habits, counts: Mapping[str, int], rng: np.random.Generator
) -> Plan:
    """The whole of a dealing; raises ValueError where so many cards have no room on the table."""
    return _Dealer(table, dealer, habits, counts, rng).plan()


class _Dealer:
    """The dealing while it is made up."""

    def __init__(
        self, table: Table, dealer: str, habits: Habits, counts: Mapping[str, int], rng: np.random.Generator
    ) -> None:
        self.table, self.habits, self.rng, self.counts = table, habits, rng, counts
        self.busy = Busy(dealer, table, rng, float(rng.uniform(*BEFORE)))
        self.mirror = -1 if table.styles[next(iter(table.styles))].left_handed else 1
        sideways = dealer in ("east", "west")
        self.breadth = table.height if sideways else table.width
        self.depth = table.width if sideways else table.height
        self.plan_ = Plan(Choreography(table, []), habits, dealer)
        self.piles: dict[str, list[Lying]] = {}
        self.stack = self._stack()
        self.left = len(self.stack)
        self.dealt = 0

    def plan(self) -> Plan:
        """Every movement, one after the other."""
        film, plan, dealer = self.plan_.film, self.plan_, self.busy.seat
        film.start = list(self.stack)
        hold = self.stack[0].pose
        number = len(self.stack)
        twos = set(self.rng.choice(np.arange(2, number - 4), self.habits.twos, replace=False).tolist())
        backs = set(self.rng.choice(np.arange(3, number - 4), self.habits.backs, replace=False).tolist())
        while self.stack:
            done = number - len(self.stack)
            two = any(done - 3 < wish <= done for wish in twos) and self._alike()
            if two:
                twos.discard(max(wish for wish in twos if done - 3 < wish <= done))
            self._deal(2 if two else 1)
            if done in backs:
                backs.discard(done)
                self._take_back()
        film.motions = self.busy.motions
        away = self.busy.motions[-1].start
        film.holds = {other_arm(dealer): [Hold(hold, end=away)]}
        film.reaches[dealer] = ways_of(film, dealer, self.rng)
        home = film.reaches[dealer][-1]
        x, y = home.b
        film.reaches[dealer].append(Reach(home.end, home.end + 0.5, home.b, (1.6 * x, 1.6 * y)))
        plan.ends = round(self.busy.now + AFTER, 2)
        plan.counts = dict(self.counts)
        return plan

    def _stack(self) -> list[Lying]:
        """The mixed cards, backs up, in the other hand."""
        cards = []
        faces = [rank + suit for suit in "SHDC" for rank in "A23456789TJQK"]
        for owner, count in self.counts.items():
            cards += [Card(owner, str(face)) for face in self.rng.choice(faces, count, replace=False)]
        order = self.rng.permutation(len(cards))
        base = self.busy.before(-0.24 * self.breadth * self.mirror, STACK)
        stack = []
        for height, number in enumerate(order):
            pose = untidy(replace(base, flip=180.0, z=HELD + height * THICKNESS), self.rng, 0.4, 0.4)
            stack.append(Lying(cards[number], pose, "stack", height))
        return stack

    def _alike(self) -> bool:
        """Would two of the next cards go to one place?"""
        if len(self.stack) < 2:
            return False
        return self.habits.way != "sorted" or self.stack[-1].card.seat == self.stack[-2].card.seat

    def _deal(self, number: int) -> None:
        """The next card, or two at once, from the stack to its place."""
        taken = [self.stack.pop() for _ in range(number)][::-1]
        place = self._place(taken[-1].card)
        put = [self._lay(lying.card, place, slot=self.dealt) for lying in taken]
        self.dealt += 1
        motion = self._move(taken, put)
        owners = tuple(lying.card.seat for lying in put)
        self.plan_.events.append(Told(motion.end, "two" if number > 1 else "dealt", place, owners))

    def _move(self, taken: Sequence[Lying], put: Sequence[Lying], slower: float = 1.0) -> Any:
        period = slower / self.habits.rate - 0.02
        reach = period * float(self.rng.uniform(0.44, 0.52))
        far = float(np.hypot(put[-1].pose.x - taken[-1].pose.x, put[-1].pose.y - taken[-1].pose.y))
        height = float(self.rng.uniform(10, 24)) * min(1.0, 0.4 + far / 250)
        return self.busy.move("deal", taken, put, reach=reach, carry=period - reach, height=height)

    def _place(self, card: Card) -> str:
        return f"pile of {card.seat}" if self.habits.way == "sorted" else self.habits.way

    def _lay(self, card: Card, place: str, slot: int) -> Lying:
        """Where a card comes to lie on top of its place, untidily."""
        pile = self.piles.setdefault(place, [])
        high = 0 if self.habits.way == "row" else len(pile)
        flat = untidy(self._spot(place, slot), self.rng, *self._untidiness())
        lying = Lying(card, replace(flat, flip=180.0, z=high * THICKNESS), place, len(pile))
        pile.append(lying)
        return lying

    def _untidiness(self) -> tuple[float, float]:
        if self.habits.way == "row":
            return min(self.habits.off, 0.15 * self.habits.pitch), self.habits.skew / 2
        return self.habits.off, self.habits.skew

    def _spot(self, place: str, slot: int) -> Pose:
        if self.habits.way == "row":
            return self._in_row(slot)
        owners = list(self.counts) if self.habits.way == "sorted" else [""]
        number = owners.index(place.removeprefix("pile of ")) if self.habits.way == "sorted" else 0
        step = min(self.table.card_width + 34.0, (self.breadth - 90.0) / max(len(owners), 1))
        across = (number - (len(owners) - 1) / 2) * step + 30.0 * self.mirror
        near = max(NEAREST, min(0.55 * self.depth, self.depth - self.table.card_height / 2 - 40))
        return self.busy.before(across, near)

    def _in_row(self, slot: int) -> Pose:
        high = self.table.card_height + 14.0
        lines = int((self.depth - NEAREST - self.table.card_height / 2 - MARGIN) // high) + 1
        usable = self.breadth - 2 * MARGIN - self.table.card_width - 20.0
        all_cards = sum(self.counts.values())
        a_line = int(usable // self.habits.pitch) + 1
        if a_line * lines < all_cards:
            a_line = -(-all_cards // lines)
        pitch = min(self.habits.pitch, usable / max(a_line - 1, 1))
        if pitch < 9.0:
            raise ValueError(
                f"{all_cards} cards have no room in {lines} rows: choose piles, or a larger table"
            )
        line, along = divmod(slot, a_line)
        across = (-usable / 2 + along * pitch) * self.mirror
        return self.busy.before(across, NEAREST + (lines - 1 - line) * high)

    def _take_back(self) -> None:
        """The card that was dealt last was wrong: it goes back on the stack, or from one pile to the right one."""
        last = self.plan_.events[-1]
        if last.kind != "dealt":
            return
        lying = self.piles[last.place].pop()
        self.busy.wait(0.15, 0.5)
        if self.habits.way == "sorted" and len(self.counts) > 1 and self.rng.random() < 0.5:
            self._to_right_pile(last, lying)
            return
        top = self.stack[-1] if self.stack else lying
        back = replace(lying, pose=replace(top.pose, z=top.pose.z + THICKNESS), place="stack")
        if not self.stack:
            self.piles[last.place].append(lying)
            return
        motion = self._move([lying], [back], slower=1.6)
        self.plan_.events.append(Told(motion.start, "taken back", last.place, last.owners))
        self.stack.append(back)
        self.dealt -= 1

    def _to_right_pile(self, last: Told, lying: Lying) -> None:
        """As if it had been dealt onto another pile first."""
        others = [f"pile of {owner}" for owner in self.counts if f"pile of {owner}" != last.place]
        wrong = str(self.rng.choice(others))
        astray = self._lay(lying.card, wrong, slot=self.dealt)
        first = self.busy.motions.pop()
        far = replace(first, put=(astray,))
        self.busy.motions.append(far)
        self.plan_.events[-1] = replace(last, place=wrong)
        self.piles[wrong].pop()
        right = self._lay(lying.card, last.place, slot=self.dealt)
        motion = self._move([astray], [right], slower=1.4)
        self.plan_.events.append(Told(motion.start, "taken back", wrong, last.owners))
        self.plan_.events.append(Told(motion.end, "moved", last.place, last.owners))
