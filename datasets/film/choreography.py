"""From deeds to movement: where every card lies and every hand is, at any moment of the film."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection
from dataclasses import dataclass, field, replace

import numpy as np

from datasets.film.movement import Card, HandAt, Hold, Lying, Motion, Reach
from datasets.film.poses import Pose, between
from datasets.film.table import Table, turn_of
from datasets.play.dealing import layout_of
from datasets.play.deeds import Deed, PlayedHand, other_arm, seat_of
from datasets.scene import THICKNESS

#: mm above the table at which a stock is held in the hand.
HELD = 45.0


@dataclass
class Choreography:
    """Everything that moves in a film."""

    table: Table
    start: list[Lying]
    motions: list[Motion] = field(default_factory=list)
    #: Hands that rest on the table: from `lifted` to `landed`, on a card that lies so.
    rests: list[tuple[Deed, Pose]] = field(default_factory=list)
    #: Arm → its empty-handed ways; an arm that has none is never seen.
    reaches: dict[str, list[Reach]] = field(default_factory=dict)
    #: Arm → when it holds a stock, and how.
    holds: dict[str, list[Hold]] = field(default_factory=dict)
    #: Arm → its motions in order, and their beginnings, of so many motions in all.
    _by_arm: dict[str, tuple[list[float], list[Motion]]] = field(default_factory=dict, repr=False)
    _sorted: int = 0

    def moving(self, t: float) -> list[Motion]:
        """The motions that are under way at `t`, earliest first."""
        return [motion for motion in self.motions if motion.start <= t < motion.end]

    def hands(self, t: float) -> list[HandAt]:
        """Every hand at `t`, those that rest out of sight among them."""
        arms = dict.fromkeys((*self.holds, *self.reaches))
        return [hand for arm in arms if (hand := self.hand(arm, t)) is not None]

    def hand(self, arm: str, t: float) -> HandAt | None:
        """The hand of one arm at `t`."""
        for hold in self.holds.get(arm, []):
            if hold.start <= t < hold.end:
                return self._aimed(arm, *grip(self.table, arm, hold.pose), hold.pose.z, True)
        motion = self._motion(arm, t)
        if motion is not None:
            share = motion.share(t)
            a, b = (
                grip(self.table, arm, motion.taken[-1].pose),
                grip(self.table, arm, motion.put[-1].pose),
            )
            pose = motion.pose(t, -1)
            whole = between(motion.taken[-1].pose, motion.put[-1].pose, share)
            x = (
                pose.x
                + (a[0] - motion.taken[-1].pose.x) * (1 - share)
                + (b[0] - motion.put[-1].pose.x) * share
            )
            y = (
                pose.y
                + (a[1] - motion.taken[-1].pose.y) * (1 - share)
                + (b[1] - motion.put[-1].pose.y) * share
            )
            return self._aimed(arm, x, y, pose.z + 14.0, not 20 < whole.flip < 160)
        reaches = self.reaches.get(arm, [])
        index = bisect_right([reach.start for reach in reaches], t) - 1
        if index < 0:
            return None
        x, y = reaches[index].at(t)
        return self._aimed(arm, x, y, 18.0, False)

    def _motion(self, arm: str, t: float) -> Motion | None:
        """What an arm carries at `t`."""
        if self._sorted != len(self.motions):
            mine: dict[str, list[Motion]] = {}
            for motion in sorted(self.motions, key=lambda motion: motion.start):
                mine.setdefault(motion.deed.arm, []).append(motion)
            self._by_arm = {name: ([m.start for m in motions], motions) for name, motions in mine.items()}
            self._sorted = len(self.motions)
        starts, motions = self._by_arm.get(arm, ([], []))
        last = bisect_right(starts, t) - 1
        return motions[last] if last >= 0 and t < motions[last].end else None

    def _aimed(self, arm: str, x: float, y: float, z: float, holding: bool) -> HandAt:
        sx, sy = self.table.shoulders[arm]
        return HandAt(arm, x, y, z, float(np.degrees(np.arctan2(x - sx, sy - y))), holding)


def grip(table: Table, arm: str, pose: Pose) -> tuple[float, float]:
    """Where an arm's fingers hold a card: between its middle and the edge on the arm's side."""
    sx, sy = table.shoulders[arm]
    away = np.array([sx - pose.x, sy - pose.y])
    x, y = np.array([pose.x, pose.y]) + away / np.linalg.norm(away) * 0.27 * table.card_height
    return float(x), float(y)


def choreograph(hand: PlayedHand, table: Table, rng: np.random.Generator) -> Choreography:
    """Lay the deal and turn every deed into a motion with a path; untidiness is drawn from `rng`."""
    others = sorted({deed.arm for deed in hand.deeds if deed.hand == "other"})
    # whoever plays with both hands has laid the stock down
    held = [
        seat for seat, style in table.styles.items() if style.stock_in_hand and other_arm(seat) not in others
    ]
    stage = _Stage(table, rng, held, hand)
    stage.deal(hand)
    film = Choreography(table, list(stage.lying()))
    film.holds = {other_arm(seat): [Hold(stage.piles[f"{seat} stock"][0].pose)] for seat in held}
    for deed in sorted((*hand.deeds, *hand.mishaps), key=lambda d: d.landed):
        if deed.kind == "rest":
            film.rests.append((deed, stage.piles[f"{deed.seat} {deed.source}"][-1].pose))
        elif deed.kind in ("bump", "square"):
            film.motions.append(stage.push(deed))
        elif deed.kind != "call":
            film.motions.append(stage.carry_out(deed))
    film.motions.sort(key=lambda m: m.start)
    for arm in (*(player.seat for player in hand.players), *others):
        film.reaches[arm] = ways_of(film, arm, rng)
    return film


def lies_face_up(hand: PlayedHand, place: str, index: int, count: int) -> bool:
    """Does card `index` (0 = lowest) of a pile of `count` lie face up after the deal?"""
    layout = layout_of(hand.game, hand.house)
    last = index == count - 1
    if place.startswith("work"):
        return last or count > layout.work[int(place.split()[1]) - 1]
    if place == "nerts":
        return layout.open or (last and not layout.slots)
    return place.startswith("nerts")


class _Stage:
    """The cards as they lie while the deeds are gone through."""

    def __init__(
        self, table: Table, rng: np.random.Generator, held: Collection[str], hand: PlayedHand
    ) -> None:
        """`held`: seats that have their stock in the hand."""
        self.table, self.rng, self.held, self.owner = table, rng, held, hand.owner
        self.piles: dict[str, list[Lying]] = {}
        self.foundations: dict[str, Pose] = {}
        #: Work pile → cards that were slid underneath it, a step further in each.
        self.slid: dict[str, int] = {}
        self.put_aside = 0

    def lying(self) -> list[Lying]:
        return [lying for pile in self.piles.values() for lying in pile]

    def deal(self, hand: PlayedHand) -> None:
        for seat, piles in hand.deal.items():
            for place, cards in piles.items():
                for index, face in enumerate(cards):
                    up = lies_face_up(hand, place, index, len(cards))
                    self._put(Card(seat, face), seat, place, face_up=up)

    def _put(self, card: Card, seat: str, place: str, *, face_up: bool, index: int = 0) -> Lying:
        name = self._name(seat, place)
        pile = self.piles.setdefault(name, [])
        if not pile:
            self.slid.pop(name, None)
        pose = self._spot(seat, place, len(pile), index)
        lying = Lying(
            card,
            replace(pose, flip=0.0 if face_up else 180.0, z=pose.z + len(pile) * THICKNESS),
            name,
            len(pile),
        )
        pile.append(lying)
        return lying

    def _name(self, seat: str, place: str) -> str:
        """A place with its seat, as `west work 2`; a common one as it is."""
        foreign = place.startswith(("foundation", "aside", *self.table.styles))
        return place if foreign else f"{self.owner(seat)} {place}"

    def _spot(self, seat: str, place: str, order: int, index: int) -> Pose:
        seat = self.owner(seat)
        first, _, rest = place.partition(" ")
        if first in self.table.styles:
            seat, place = first, rest
        style, rng = self.table.styles[seat], self.rng
        if place.startswith("foundation"):
            return self._on_foundation(seat, place, order)
        if place.startswith("aside"):
            spot = self.table.aside[int(place.split()[1]) % len(self.table.aside)]
            return _jittered(Pose(spot.x, spot.y, spot.angle), rng, 3.0, 3.0)
        if place.startswith("work"):
            step = order - self.slid.get(f"{seat} {place}", 0)
            below = self.piles.get(f"{seat} {place}", [])[:order]
            down = sum(not lying.pose.face_up for lying in below)
            pose = self.table.on_column(seat, int(place.split()[1]), step, min(down, step))
            return _jittered(pose, rng, style.off, style.skew)
        if place == "waste":
            return _jittered(self.table.on_waste(seat, index), rng, 0.8 * style.off, style.skew)
        if place == "dropped":
            return self._where_it_falls(seat)
        spot = self.table.spots[f"{seat} {place}"]
        height = HELD if place == "stock" and seat in self.held else 0.0
        return _jittered(Pose(spot.x, spot.y, spot.angle, z=height), rng, 0.35, 0.35)

    def _where_it_falls(self, seat: str) -> Pose:
        """Somewhere between the seat's work piles and the middle of the table, turned anyhow."""
        spot, share = self.table.spots[f"{seat} work {self.rng.integers(1, 5)}"], self.rng.uniform(0.45, 0.8)
        turn = spot.angle + float(self.rng.uniform(-70, 70))
        return Pose(float(spot.x * share), float(spot.y * share), turn)

    def _on_foundation(self, seat: str, place: str, order: int) -> Pose:
        rng = self.rng
        if place not in self.foundations:
            taken = len(self.foundations)
            if taken >= len(self.table.centre):
                raise ValueError(f"the middle of the table has no room for {place}: draw another setting")
            spot = self.table.centre[taken]
            free = min(1.0, self.table.loose / 30.0)
            turn = spot.angle + rng.uniform(-12, 12) * free
            x, y = rng.uniform(-0.12, 0.12, 2) * self.table.loose
            self.foundations[place] = Pose(spot.x + float(x), spot.y + float(y), turn)
        base = self.foundations[place]
        own = turn_of(seat)
        # A player lays the card the way it comes to hand, along the pile.
        turn = base.angle + (180.0 if abs((own - base.angle + 180) % 360 - 180) > 90 else 0.0)
        most = min(8.0, 0.3 * self.table.loose) if order else 0.0
        off = rng.uniform(-1, 1, 2) * most * rng.uniform(0.2, 1.0)
        return Pose(base.x + float(off[0]), base.y + float(off[1]), turn + float(rng.normal(0, 3.0)))

    def carry_out(self, deed: Deed) -> Motion:
        seat, table = deed.seat, self.table
        taken = self._taken(deed)
        if deed.kind == "bury":
            return self._bury(deed, taken[0])
        target, up = deed.target, deed.kind != "recycle"
        if deed.kind == "set-aside":
            up = False
            if table.aside:
                target = f"aside {self.put_aside}"
                self.put_aside += 1
        put = tuple(
            self._put(lying.card, seat, target, face_up=up, index=index) for index, lying in enumerate(taken)
        )
        if deed.under:
            put = (self._slide(put[0]) if "work" in put[0].place else self._push_under(put[0]),)
        far = float(np.hypot(put[-1].pose.x - taken[-1].pose.x, put[-1].pose.y - taken[-1].pose.y))
        arc = float(self.rng.normal(0, 0.04)) * far
        height = float(self.rng.uniform(16, 34)) * min(1.0, 0.4 + far / 250)
        return Motion(deed, deed.lifted, deed.landed, taken, put, height, arc)

    def _push_under(self, top: Lying) -> Lying:
        """The topmost card of a pile put underneath the next one."""
        pile = self.piles[top.place]
        lower = replace(top, order=top.order - 1, above=1, pose=replace(top.pose, z=top.pose.z - THICKNESS))
        pile[-2:] = [lower, replace(pile[-2], order=top.order)]
        return lower

    def _slide(self, top: Lying) -> Lying:
        """The topmost card of a work pile slid underneath all of it, a step further in."""
        pile, seat = self.piles[top.place][:-1], top.place.split()[0]
        self.slid[top.place] = self.slid.get(top.place, 0) + 1
        pose = replace(self._spot(seat, top.place, 0, 0), flip=top.pose.flip)
        lowest = replace(top, order=0, above=len(pile), pose=pose)
        self.piles[top.place] = [lowest, *(replace(lying, order=lying.order + 1) for lying in pile)]
        return lowest

    def _bury(self, deed: Deed, top: Lying) -> Motion:
        """The stock's top card drawn aside, and pushed under the others as it comes to rest."""
        name = self._name(deed.seat, "stock")
        z = HELD if deed.seat in self.held else 0.0
        lowest = replace(top, pose=replace(top.pose, z=z), order=0, above=len(self.piles[name]))
        rest = [replace(lying, order=order) for order, lying in enumerate(self.piles[name], 1)]
        self.piles[name] = [lowest, *rest]
        side = 0.8 * self.table.card_width
        return Motion(deed, deed.lifted, deed.landed, (top,), (lowest,), 4.0, side)

    def push(self, deed: Deed) -> Motion:
        """A pile pushed aside as a hand brushes it, or squared up again."""
        name, rng = self._name(deed.seat, deed.source), self.rng
        lying = self.piles[name]
        aside = rng.uniform(12, 28) * np.array([np.cos(way := rng.uniform(0, 2 * np.pi)), np.sin(way)])
        turn = float(rng.normal(0, 4))
        moved = []
        for order, card in enumerate(lying):
            if deed.kind == "bump":
                pose = replace(card.pose, x=card.pose.x + float(aside[0]), y=card.pose.y + float(aside[1]))
                pose = _jittered(replace(pose, angle=pose.angle + turn), rng, 2.0, 2.0)
            else:
                spot = self._spot(deed.seat, deed.source, order, 0)
                pose = replace(spot, flip=card.pose.flip, z=card.pose.z)
            moved.append(replace(card, pose=pose))
        self.piles[name] = moved
        return Motion(deed, deed.lifted, deed.landed, tuple(lying), tuple(moved), 0.0, 0.0)

    def _taken(self, deed: Deed) -> tuple[Lying, ...]:
        """Remove the deed's cards from their pile, in the order in which the deed names them."""
        name, dropped = self._name(deed.seat, deed.source), f"{deed.seat} dropped"
        if any(lying.card.face in deed.cards for lying in self.piles.get(dropped, [])):
            name = dropped
        pile = self.piles[name]
        taken = []
        for face in deed.cards:
            same = [lying for lying in reversed(pile) if lying.card.face == face]
            # after a tie a foundation holds one card twice
            found = next((lying for lying in same if lying.card.seat == deed.seat), same[0])
            pile.remove(found)
            taken.append(found)
        self.piles[name] = [replace(lying, order=order) for order, lying in enumerate(pile)]
        return tuple(taken)


def _jittered(pose: Pose, rng: np.random.Generator, off: float, skew: float) -> Pose:
    dx, dy, turn = rng.normal(0, 1, 3).clip(-2.2, 2.2)
    return replace(
        pose, x=pose.x + off * float(dx), y=pose.y + off * float(dy), angle=pose.angle + skew * float(turn)
    )


def ways_of(film: Choreography, arm: str, rng: np.random.Generator) -> list[Reach]:
    """The empty-handed ways of one arm: to the next card in time, home when there is nothing to do."""
    table, seat = film.table, seat_of(arm)
    turn, middle = np.radians(turn_of(seat)), table.middle[seat]
    reach = (table.width if seat in ("east", "west") else table.height) / 2

    def home() -> tuple[float, float]:
        near, across = reach + rng.uniform(45, 140), middle + rng.uniform(-60, 100)
        return (
            float(across * np.cos(turn) - near * np.sin(turn)),
            float(across * np.sin(turn) + near * np.cos(turn)),
        )

    # Until the first play no hand is in the picture.
    away = reach + 260.0
    far = (
        float(middle * np.cos(turn) - away * np.sin(turn)),
        float(middle * np.sin(turn) + away * np.cos(turn)),
    )
    ways = [Reach(-1.0, 0.0, far, far)]
    ways_to = [(m.deed, m.taken[-1].pose, m.put[-1].pose, 0.0) for m in film.motions if m.deed.arm == arm]
    ways_to += [(d, pose, pose, d.landed - d.lifted) for d, pose in film.rests if d.arm == arm]
    for deed, taken, left, stays in sorted(ways_to, key=lambda way: way[0].lifted):
        begin, source = deed.reached, grip(table, arm, taken)
        while ways[-1].start >= begin:
            ways.pop()
        ways.append(Reach(begin, deed.lifted, ways[-1].at(begin), source))
        put = grip(table, arm, left)
        if stays:
            ways.append(Reach(deed.lifted, deed.landed, source, put))
        dwell = float(rng.uniform(0.06, 0.16))
        back = home()
        away = float(np.hypot(back[0] - put[0], back[1] - put[1]))
        ways.append(Reach(deed.landed, deed.landed + dwell, put, put))
        ways.append(Reach(deed.landed + dwell, deed.landed + dwell + 0.3 + away / 1100, put, back))
    return ways
