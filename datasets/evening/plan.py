"""An evening from its seed: which hands are played and how they end, and everything that moves from first to last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from datasets.evening.busy import Busy
from datasets.evening.dealing import deal_out, draw_habits, lying_in_lap
from datasets.evening.gathering import gather_up, piles_of, shared_out
from datasets.evening.idle import Glass, count, lay_hands_down, visit
from datasets.film.art import DeckArt
from datasets.film.choreography import Choreography, choreograph, ways_of
from datasets.film.leaning import A_GLASS
from datasets.film.movement import Card, Lying
from datasets.film.setting import Setting
from datasets.film.table import Spot, Table, lay_out, turn_of
from datasets.play.deeds import Deed, PlayedHand, other_arm
from datasets.play.mishaps import Mishap
from datasets.play.players import find_hand

State = Literal["empty", "dealing", "ready", "playing", "called", "gathering", "waiting"]
#: Seconds of each state that no cards decide, least and most.
EMPTY, READY, COUNTS, RESTS, WAITS = (4.0, 8.0), (2.5, 5.0), (5.0, 9.0), (2.0, 3.5), (5.0, 10.0)
#: How far a seat's places wander from hand to hand: mm along the table's edge and away from it, degrees, mm each.
WANDER = (5.0, 2.0, 0.5, 0.7)


@dataclass(frozen=True, slots=True)
class Span:
    """A state of the table from one moment to another, seconds; `hand` from 1, None where no hand is on."""

    state: State
    start: float
    end: float
    hand: int | None = None


@dataclass(frozen=True, slots=True)
class HandOfEvening:
    """One hand of the evening, its moments in seconds of the film."""

    hand: PlayedHand
    #: All cards are dealt.
    dealt: float
    #: The call, or the first hand that gathers up where nobody calls.
    ends: float
    called: bool
    #: Where all cards lie when the hand ends.
    lying: list[Lying]

    def points(self) -> dict[str, dict[str, int]]:
        """Seat → its own cards in the centre, Nerts cards left, and points."""
        told = {}
        for seat in self.hand.deal:
            mine = [lying.place for lying in self.lying if lying.card.seat == seat]
            centre = sum(place.startswith(("foundation", "aside")) for place in mine)
            left = mine.count(f"{seat} nerts")
            told[seat] = {"centre": centre, "left": left, "points": centre - 2 * left}
        return told


@dataclass
class Evening:
    """Everything that happens, for the camera and for the truth."""

    film: Choreography
    hands: list[HandOfEvening] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    glasses: list[Glass] = field(default_factory=list)
    room: list[Mishap] = field(default_factory=list)

    @property
    def ends(self) -> float:
        """Seconds that the evening lasts."""
        return self.spans[-1].end

    def begin(self, state: State, lasts_until: float, hand: int | None = None) -> None:
        """The next state, from the end of the last one."""
        start = self.spans[-1].end if self.spans else 0.0
        self.spans.append(Span(state, start, round(lasts_until, 3), hand))


def plan_evening(
    seed: int,
    setting: Setting,
    decks: Sequence[DeckArt],
    *,
    hands: int = 3,
    uncalled: int | None = None,
    nerts_cards: int | None = None,
    shortest: float = 0.0,
    latest: float = 120.0,
) -> Evening:
    """So many hands of a setting's players from the empty table to the empty table; same seed, same evening.

    `uncalled`: the hand (from 1) that ends with cards gathered up and no call; the last of several if not given, 0 for
    none. `nerts_cards`: cards of a Nerts pile, if not thirteen. `shortest`, `latest`: seconds that a hand lasts. Raises
    ValueError where no such hands can be played, or the table is too small.
    """
    if hands < 1:
        raise ValueError(f"an evening of {hands} hands: film at least one")
    if any(player.role for player in setting.players):
        raise ValueError("no evening of partners can be filmed: choose a game in which each plays alone")
    silent = (hands if hands > 1 else 0) if uncalled is None else uncalled
    if not 0 <= silent <= hands:
        raise ValueError(f"hand {silent} is to end without a call: there are {hands} hands; 0 is none")
    width, height = setting.camera.room()
    card = (max(d.width for d in decks), max(d.height for d in decks))
    table = lay_out(width, height, setting.styles, card=card, order=setting.order)
    rng = np.random.default_rng([seed, 21])
    evening = Evening(Choreography(table, []))
    plot = _Plot(evening, table, rng, setting)
    evening.film.start += plot.decks_in_laps()
    plot.wait("empty", EMPTY)
    for number in range(1, hands + 1):
        hand = find_hand(
            setting.players,
            int(rng.integers(2**31)),
            shortest=shortest,
            latest=latest,
            starts=0.0,
            longest=table.longest,
            house={} if nerts_cards is None else {"nerts_cards": nerts_cards},
        )
        plot.play(number, hand, called=number != silent)
        plot.wait("waiting", WAITS)
    plot.finish()
    return evening


class _Plot:
    """The evening while it is made up, one state after the other."""

    def __init__(self, evening: Evening, table: Table, rng: np.random.Generator, setting: Setting) -> None:
        self.evening, self.film, self.table, self.rng = evening, evening.film, table, rng
        self.seats = list(setting.styles)
        self.paces = {seat: float(rng.uniform(0.8, 1.3)) for seat in self.seats}
        self.habits = {seat: draw_habits(rng, setting.styles[seat].stock_in_hand) for seat in self.seats}

    @property
    def now(self) -> float:
        return self.evening.ends if self.evening.spans else 0.0

    def busy(self, seat: str, table: Table, now: float) -> Busy:
        return Busy(seat, table, self.rng, round(now, 3), self.paces[seat])

    def take(self, busy: Busy) -> None:
        """What a seat has done goes into the film."""
        self.film.motions += busy.motions
        self.film.rests += busy.rests

    def decks_in_laps(self) -> list[Lying]:
        cards = [rank + suit for suit in "SHDC" for rank in "A23456789TJQK"]
        found: list[Lying] = []
        for seat in self.seats:
            busy = self.busy(seat, self.table, 0.0)
            spot = replace(busy.before(0.0, 0.0), flip=180.0)
            deck = [Lying(Card(seat, face), spot, "", order) for order, face in enumerate(cards)]
            found += lying_in_lap(busy, deck, "main")
        return found

    def wait(self, state: State, lasts: tuple[float, float]) -> None:
        """An empty table for a while; somebody may put a glass down, or switch a lamp on."""
        ends = self.now + float(self.rng.uniform(*lasts))
        drinks = str(self.rng.choice(self.seats)) if self.rng.random() < 0.6 else None
        for seat in self.seats:
            busy = self.busy(seat, self.table, self.now + float(self.rng.uniform(0.2, 1.2)))
            name = f"{seat}{A_GLASS} {len(self.evening.glasses) + 1}" if seat == drinks else None
            self.evening.glasses += visit(busy, ends, self.film, glass=name)
            self.take(busy)
        if state == "waiting" and not self.evening.room and self.rng.random() < 0.2:
            self.evening.room.append(Mishap("lamp", round(self.now + 1.0, 3)))
        self.evening.begin(state, ends)

    def play(self, number: int, hand: PlayedHand, *, called: bool) -> None:
        """One hand from the deal until the table is empty again."""
        table = wandered(self.table, self.rng)
        act = choreograph(hand, table, self.rng)
        begins, dealt = self._deal(act, table)
        # the table waits until the first deck is on its way
        self.evening.spans[-1] = replace(self.evening.spans[-1], end=begins)
        self.evening.begin("dealing", dealt, number)
        starts = dealt + float(self.rng.uniform(*READY))
        self._make_ready(table, dealt, starts)
        self.evening.begin("ready", starts, number)
        hand = moved(hand, starts)
        if not called:
            hand.deeds = [deed for deed in hand.deeds if deed.kind != "call"]
        self._act(act, starts)
        lying = lying_after(act)
        over = max(deed.landed for deed in hand.deeds)
        call = next((deed.landed for deed in hand.deeds if deed.kind == "call"), None)
        if call is not None:
            self.evening.begin("playing", call, number)
            gathers = max(over, call) + float(self.rng.uniform(*COUNTS))
            self._rest_and_count(table, hand, lying, gathers)
            self.evening.begin("called", gathers, number)
        else:
            gathers = over + float(self.rng.uniform(*RESTS))
            self._rest(table, hand, gathers)
            self.evening.begin("playing", gathers, number)
        self._gather(number, table, lying)
        ends = call if call is not None else gathers
        self.evening.hands.append(HandOfEvening(hand, dealt, round(ends, 3), called, lying))

    def _deal(self, act: Choreography, table: Table) -> tuple[float, float]:
        """The deal after which the cards lie as the hand begins; when it begins, and when all is dealt."""
        begun, done = [], []
        for seat in self.seats:
            busy = self.busy(seat, table, self.now + float(self.rng.uniform(0.1, 2.2)))
            mine = [lying for lying in act.start if lying.card.seat == seat]
            self.film.holds.setdefault(other_arm(seat), []).extend(deal_out(busy, mine, self.habits[seat]))
            self.take(busy)
            begun.append(busy.motions[0].start)
            done.append(busy.motions[-1].end)
        return min(begun), max(done)

    def _make_ready(self, table: Table, now: float, starts: float) -> None:
        for seat in self.seats:
            busy = self.busy(seat, table, now + float(self.rng.uniform(0.1, 0.6)))
            if self.rng.random() < 0.5:
                lay_hands_down(busy, starts)
            self.take(busy)

    def _act(self, act: Choreography, starts: float) -> None:
        """The hand's own movements."""
        for motion in act.motions:
            deed = later(motion.deed, starts)
            self.film.motions.append(replace(motion, deed=deed, start=deed.lifted, end=deed.landed))
        self.film.rests += [(later(deed, starts), pose) for deed, pose in act.rests]

    def _rest(self, table: Table, hand: PlayedHand, ends: float) -> None:
        for seat in self.seats:
            free = max((deed.landed for deed in hand.deeds if deed.seat == seat), default=self.now)
            busy = self.busy(seat, table, max(free, ends - RESTS[1]) + float(self.rng.uniform(0.3, 0.8)))
            lay_hands_down(busy, ends)
            self.take(busy)

    def _rest_and_count(self, table: Table, hand: PlayedHand, lying: Sequence[Lying], ends: float) -> None:
        counts = str(self.rng.choice(self.seats))
        tops = {each.place: each.pose for each in lying if each.place.startswith("foundation")}
        for seat in self.seats:
            free = max((deed.landed for deed in hand.deeds if deed.seat == seat), default=self.now)
            busy = self.busy(seat, table, max(free, self.now) + float(self.rng.uniform(0.4, 1.0)))
            if seat == counts and tops:
                lay_hands_down(busy, busy.now + 2.2 * busy.pace)
                busy.wait(0.2)
                order = self.rng.permutation(sorted(tops))
                count(busy, [tops[str(place)] for place in order], ends - 0.8)
            else:
                lay_hands_down(busy, ends)
            self.take(busy)

    def _gather(self, number: int, table: Table, lying: Sequence[Lying]) -> None:
        piles = piles_of(lying)
        takers = shared_out(piles, table, self.rng)
        done = []
        late = [float(self.rng.uniform(0.0, 1.5)) for _ in self.seats]
        for seat, after in zip(self.seats, late, strict=True):
            busy = self.busy(seat, table, self.now + after - min(late))
            gather_up(busy, {place: pile for place, pile in piles.items() if takers[place] == seat})
            held = self.film.holds.get(other_arm(seat), [])
            if held and held[-1].end == float("inf"):
                laid = [m.start for m in busy.motions if m.deed.hand == "other"]
                held[-1] = replace(held[-1], end=laid[0] if laid else self.now)
                if not laid:
                    # a hand whose stock is used up goes away from where it was
                    deed = Deed(
                        "rest", seat, (), "", "", self.now - 0.5, self.now - 0.1, self.now, hand="other"
                    )
                    self.film.rests.append((deed, held[-1].pose))
            self.take(busy)
            done += [motion.end for motion in busy.motions[-1:]]
        self.evening.begin("gathering", max(done), number)

    def finish(self) -> None:
        """All ways of all arms, now that everything that they do is known."""
        film = self.film
        film.motions.sort(key=lambda motion: motion.start)
        film.holds = {arm: holds for arm, holds in film.holds.items() if holds}
        for arm in (*self.seats, *(other_arm(seat) for seat in self.seats)):
            film.reaches[arm] = ways_of(film, arm, self.rng)


def wandered(table: Table, rng: np.random.Generator) -> Table:
    """The same table with every seat's places a little elsewhere."""
    spots = dict(table.spots)
    along, away, turned, each = WANDER
    for seat in table.styles:
        u, v = float(rng.uniform(-along, along)), float(rng.uniform(-away, away))
        turn, facing = np.radians(rng.uniform(-turned, turned)), np.radians(turn_of(seat))
        mine = [name for name in spots if name.startswith(f"{seat} ")]
        cx, cy = (float(np.mean([getattr(spots[name], axis) for name in mine])) for axis in "xy")
        dx, dy = u * np.cos(facing) - v * np.sin(facing), u * np.sin(facing) + v * np.cos(facing)
        for name in mine:
            x, y = spots[name].x - cx, spots[name].y - cy
            x, y = x * np.cos(turn) - y * np.sin(turn), x * np.sin(turn) + y * np.cos(turn)
            own = rng.uniform(-each, each, 2)
            angle = spots[name].angle + float(np.degrees(turn))
            spots[name] = Spot(float(cx + x + dx + own[0]), float(cy + y + dy + own[1]), angle)
    return replace(table, spots=spots)


def later(deed: Deed, by: float) -> Deed:
    """The same deed so many seconds later."""
    reached, lifted, landed = (round(t + by, 3) for t in (deed.reached, deed.lifted, deed.landed))
    return replace(deed, reached=reached, lifted=lifted, landed=landed)


def moved(hand: PlayedHand, by: float) -> PlayedHand:
    """The same hand so many seconds later."""
    return replace(hand, deeds=[later(deed, by) for deed in hand.deeds])


def lying_after(film: Choreography) -> list[Lying]:
    """Where all cards lie when everything has been carried out, the lower ones of a pile first."""
    lying: dict[Card, Lying] = {each.card: each for each in film.start}
    for motion in sorted(film.motions, key=lambda motion: motion.end):
        for taken in motion.taken:
            del lying[taken.card]
        for put in motion.put:
            same = [card for card, each in lying.items() if each.place == put.place]
            over = {card: lying.pop(card) for card in (same[-put.above :] if put.above else [])}
            lying |= {put.card: put} | over
    return list(lying.values())


def states_of(spans: Sequence[Span]) -> list[Mapping[str, object]]:
    """The states as plain data."""
    return [
        {"state": span.state, "from": span.start, "to": span.end}
        | ({} if span.hand is None else {"hand": span.hand})
        for span in spans
    ]
