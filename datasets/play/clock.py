"""The hand of Nerts while it is being played: who does what when, and what is staged meanwhile."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import get_args

import numpy as np

from datasets.play.dealing import area_of, dealt, layout_of, may_play_from
from datasets.play.deeds import Deed, DeedKind, Game, House, MishapKind, PlayedHand, Player
from datasets.play.mishaps import BY_PLAYERS, Mishap
from datasets.play.moves import RANKS, Centre, Move, best_moves
from datasets.play.plants import Plant, Sight, Tie, planted_moves
from datasets.play.staging import (
    both_hands,
    calls_falsely,
    drawn_in_order,
    draws_two,
    in_mid_air,
    misdeal,
    play_late,
    showing,
    stumbles,
    tied,
)


def _number(place: str) -> int:
    return int(place.split()[1])


class Clock:
    """The hand while it is being played: a heap of moments, each with what happens then."""

    def __init__(
        self,
        players: Sequence[Player],
        seed: int,
        *,
        game: Game,
        starts: float,
        latest: float,
        longest: int,
        house: House | None = None,
    ) -> None:
        self.rng = np.random.default_rng(seed)
        self.players = {player.seat: player for player in players}
        self.latest, self.longest = latest, longest
        layout = layout_of(game, house)
        #: Cards that are drawn at a time.
        self.packet = layout.draw
        deal = {player.owner: dealt(self.rng, layout) for player in players if player.owner == player.seat}
        self.hand = PlayedHand(tuple(players), game, deal, house=dict(house or {}))
        own = {seat: area_of(piles, layout) for seat, piles in deal.items()}
        #: Seat → its area; partners have one area.
        self.areas = {player.seat: own[player.owner] for player in players}
        self.centre = Centre(one_a_suit=game == "one-per-suit")
        self.plants: list[Plant] = []
        self.ties: list[Tie] = []
        self.mishaps: list[Mishap] = []
        #: Seats that have to finish what was staged: take a card back, square a pile up, pick a card up.
        self.owing: set[str] = set()
        #: Place → moment until which nobody may touch it.
        self.kept: dict[str, float] = {}
        #: Seat → times that its stock went round without a play by anybody.
        self.rounds = dict.fromkeys(self.drawers, 0)
        #: Seats whose waste has been turned over, so that the order of their stock is known.
        self.turned_over: set[str] = set()
        #: Arm → the deed that it is about.
        self.in_hand: dict[str, Deed] = {}
        #: Seat → the cards of its waste that it plays next, since an infraction shows by them.
        self.to_show: dict[str, tuple[str, ...]] = {}
        #: Seat → the play that a card was dropped in.
        self.dropped: dict[str, Move] = {}
        self.moments: list[tuple[float, int, Callable[[float], None]]] = []
        self.pushed = 0
        for player in players:
            self.at(starts + float(self.rng.uniform(0.0, 0.8)), partial(self.look, player.seat))

    @property
    def drawers(self) -> list[str]:
        """The seats that have a stock to draw from."""
        return [seat for seat, player in self.players.items() if may_play_from(player, "stock")]

    def stage(self, plants: Sequence[Plant], ties: Sequence[Tie], mishaps: Sequence[Mishap]) -> None:
        """What is to happen in this hand."""
        left = [plant for plant in plants if plant.kind == "tie-left"]
        self.plants = misdeal(self, [plant for plant in plants if plant.kind != "tie-left"])
        self.ties = [*ties, *(Tie(plant.after, 0.2, back=False) for plant in left)]
        self.mishaps = [mishap for mishap in mishaps if mishap.kind in BY_PLAYERS]

    def at(self, moment: float, what: Callable[[float], None]) -> None:
        """Let something happen at a moment."""
        self.pushed += 1
        heapq.heappush(self.moments, (moment, self.pushed, what))

    def run(self) -> PlayedHand:
        """Let time pass until nothing is left to happen."""
        while self.moments:
            moment, _, what = heapq.heappop(self.moments)
            if moment > self.latest:
                break
            what(moment)
        self.hand.deeds.sort(key=lambda deed: deed.landed)
        self.hand.owed = len(self.plants) + len(self.ties) + len(self.mishaps) + len(self.owing)
        self.hand.owed += len(self.to_show)
        return self.hand

    def look(self, seat: str, now: float) -> None:
        """Decide on the next deed of a seat that has its hand free."""
        if self.hand.why != "late" or self.is_busy(seat) or seat in self.owing:
            return
        area = self.areas[seat]
        if not area.left:
            self._call(seat, now)
        elif not area.nerts_up:
            if unturned := self._plant(seat, now):
                self.begin(self.carried(seat, unturned, now))
            else:
                top = (area.nerts[-1],)
                self.begin(self.timed("turn", seat, top, "nerts", "nerts", now, 0.34))
        elif (slot := area.unfilled) is not None:
            self.begin(self.carried(seat, Move((area.nerts[-1],), "nerts", slot), now))
        elif (number := area.unturned) and self.place_of(seat, f"work {number}") not in self._busy():
            place = f"work {number}"
            card = (area.work[number - 1][-1],)
            self.begin(self.timed("turn", seat, card, place, place, now, 0.34))
        elif calls_falsely(self, seat, now):
            pass
        elif done := [
            n for n, by in self.centre.complete.items() if by == seat and n not in self.centre.aside
        ]:
            self._set_aside(seat, done[0], now, None)
        elif (early := self.due("early-aside", now)) and (number := self._begun()):
            self.plants.remove(early)
            self._set_aside(seat, number, now, early.kind)
        elif pair := tied(self, seat, now):
            for deed in pair:
                self.begin(deed)
        elif both_hands(self, seat, now) or stumbles(self, seat, now):
            pass
        elif move := showing(self, seat, now) or self._plant(seat, now) or self.choose(seat, now):
            self.begin(self.carried(seat, move, now))
        else:
            self._draw(seat, now)

    def is_busy(self, seat: str) -> bool:
        """Is a hand of this seat on its way?"""
        return any(deed.seat == seat for deed in self.in_hand.values())

    def carried(self, seat: str, move: Move, now: float) -> Deed:
        """A play that begins now."""
        carry = self.players[seat].carry
        deed = self.timed("play", seat, move.cards, move.source, move.target, now, carry, move.planted)
        return replace(deed, under=True) if move.under else deed

    def _finish(self, deed: Deed, now: float) -> None:
        """What a mishap and a lost tie leave to be done."""
        self.owing.discard(deed.seat)
        if deed.kind == "bump":
            self.begin(self.timed("square", deed.seat, (), deed.source, deed.target, now, 0.5))
        elif deed.kind == "drop":
            self.begin(self.carried(deed.seat, self.dropped.pop(deed.seat), now))
        else:
            self.begin(self.timed("take-back", deed.seat, deed.cards, deed.target, deed.source, now, 0.5))

    def _set_aside(self, seat: str, number: int, now: float, planted: str | None) -> None:
        place, cards = f"foundation {number}", tuple(reversed(self.centre.piles[number]))
        self.begin(self.timed("set-aside", seat, cards, place, place, now, 0.9, planted))

    def _begun(self) -> int | None:
        """A foundation that grows, which nobody is playing to."""
        grown = [number for number, _ in self.centre.open() if len(self.centre.piles[number]) > 1]
        return grown[0] if grown else None

    def due(self, kind: str, now: float) -> Plant | None:
        """The next infraction of a kind, if it is time for one."""
        return next((plant for plant in self.plants if plant.kind == kind and now >= plant.after), None)

    def choose(self, seat: str, now: float) -> Move | None:
        """A sensible play that the seat sees, if any."""
        for move in best_moves(self.areas[seat], self.centre, longest=self.longest):
            mine = may_play_from(self.players[seat], move.source) and not self._partner_busy(seat, move)
            if mine and not self.is_kept(seat, move, now) and self.rng.random() < self.players[seat].skill:
                return move
        return None

    def _plant(self, seat: str, now: float) -> Move | None:
        """An illegal play that is due; where it happens nobody is busy, and nobody will be for a while."""
        sight = Sight(seat, self.areas, self.centre, self.longest, self.players[seat].role)
        turned = self.areas[seat].nerts_up
        for plant in self.plants:
            if now < plant.after or (plant.kind == "unturned-nerts") == turned:
                continue
            for move in planted_moves(plant.kind, sight):
                places = {self.place_of(seat, move.source), self.place_of(seat, move.target)}
                if not self.is_kept(seat, move, now) and not places & self._busy():
                    self.plants.remove(plant)
                    self.kept.update(dict.fromkeys(self._left_alone(seat, move), now + 1.5 + plant.stays))
                    return move
        return None

    def _left_alone(self, seat: str, move: Move) -> list[str]:
        """The places of a planted play that nobody touches: where it leads, and where it reaches into."""
        own = move.source.startswith(("nerts", "waste", "work"))
        return [
            self.place_of(seat, place) for place in ((move.target,) if own else (move.target, move.source))
        ]

    def _busy(self) -> set[str]:
        """Places that hands are on their way from and to."""
        return {
            self.place_of(deed.seat, place)
            for deed in self.in_hand.values()
            for place in (deed.source, deed.target)
        }

    def place_of(self, seat: str, place: str) -> str:
        """A place with its seat, as `west work 2`; a common one as it is."""
        foreign = place.startswith(("foundation", *self.areas))
        return place if foreign else f"{self.players[seat].owner} {place}"

    def _partner_busy(self, seat: str, move: Move) -> bool:
        """Is a partner's hand on its way to or from one of the places?"""
        if self.players[seat].role is None:
            return False
        return bool({self.place_of(seat, move.source), self.place_of(seat, move.target)} & self._busy())

    def is_kept(self, seat: str, move: Move, now: float) -> bool:
        """Is one of a move's places to be left alone for a while?"""
        return any(
            self.kept.get(self.place_of(seat, place), 0.0) > now for place in (move.source, move.target)
        )

    def _draw(self, seat: str, now: float) -> None:
        area = self.areas[seat]
        if seat not in self.rounds or self.place_of(seat, "waste") in self._busy():
            # a partner who has nothing to draw from waits
            self.at(round(now + self.players[seat].reaction + 0.2, 3), partial(self.look, seat))
            return
        if len(area.stock) > 1 and not area.waste and (bury := self.due("lone-bury", now)):
            self.plants.remove(bury)
            card = (area.stock[-1],)
            self.begin(self.timed("bury", seat, card, "stock", "stock", now, 0.6, bury.kind))
        elif area.stock:
            number, planted = self.packet, None
            if two := draws_two(self, seat, now):
                number, planted = 2, two
            elif area.waste and (early := self.due("early-recycle", now)):
                self.plants.remove(early)
                self._recycle(seat, now, early.kind)
                return
            cards, disordered = drawn_in_order(self, seat, number, now)
            planted = planted or disordered
            self.begin(self.timed("draw", seat, cards, "stock", "waste", now, 0.5, planted))
        elif area.waste:
            self.rounds[seat] += 1
            if min(self.rounds.values()) >= 3:
                self.hand.why = "stuck"
                return
            self._recycle(seat, now, None)
        else:
            self.at(now + 0.5, partial(self.look, seat))

    def _recycle(self, seat: str, now: float, planted: str | None) -> None:
        cards = tuple(reversed(self.areas[seat].waste))
        self.begin(self.timed("recycle", seat, cards, "waste", "stock", now, 0.8, planted))

    def timed(
        self,
        kind: DeedKind | MishapKind,
        seat: str,
        cards: tuple[str, ...],
        source: str,
        target: str,
        now: float,
        carry: float,
        planted: str | None = None,
    ) -> Deed:
        """A deed that begins now, its reach and carry drawn anew."""
        if target.startswith("foundation"):
            carry *= 1.25
        reach = float(np.clip(self.rng.normal(0.36, 0.06), 0.24, 0.6))
        carried = float(np.clip(carry * self.rng.normal(1.0, 0.15), 0.3, 1.0))
        lifted = round(now + reach, 3)
        return Deed(
            kind, seat, cards, source, target, round(now, 3), lifted, round(lifted + carried, 3), planted
        )

    def begin(self, deed: Deed) -> None:
        """A hand sets off; the deed is carried out when it lands."""
        for place in (deed.source, deed.target):
            if place.startswith("foundation"):
                self.centre.piles.setdefault(_number(place), [])
                self.centre.busy.add(_number(place))
        if deed.kind == "play" and deed.target.startswith("foundation") and deed.cards[0][0] == RANKS[0]:
            self.centre.suits[_number(deed.target)] = deed.cards[0][1]
        self.in_hand[deed.arm] = deed
        self.at(deed.landed, partial(self._land, deed))

    def _land(self, deed: Deed, now: float) -> None:
        """Carry a deed out on the table and let its seat go on."""
        del self.in_hand[deed.arm]
        (self.hand.mishaps if deed.kind in get_args(MishapKind) else self.hand.deeds).append(deed)
        area, player = self.areas[deed.seat], self.players[deed.seat]
        if deed.kind in ("play", "take-back"):
            self._move(deed)
        elif deed.kind == "turn":
            if deed.target == "nerts":
                area.shown = 1
            else:
                area.down[_number(deed.target) - 1] -= 1
        elif deed.kind == "draw":
            del area.stock[-len(deed.cards) :]
            area.waste.extend(deed.cards)
        elif deed.kind == "recycle":
            # what is left of the stock stays on top
            area.stock, area.waste = [*deed.cards, *area.stock], []
            self.turned_over.add(deed.seat)
        elif deed.kind == "bury":
            area.stock.insert(0, area.stock.pop())
        elif deed.kind == "set-aside":
            self.centre.aside.add(_number(deed.target))
        if deed.loses or deed.kind in ("bump", "drop"):
            self.at(now + float(self.rng.uniform(0.5, 0.9)), partial(self._finish, deed))
            return
        think = player.pace * float(self.rng.lognormal(0.0, 0.3))
        if deed.kind != "play":
            think *= 0.6
        if deed.kind == "play" and deed.source.startswith("nerts"):
            think = 0.05
        self.at(
            round(now + 0.08 + max(think, player.reaction if think > 0.05 else 0.05), 3),
            partial(self.look, deed.seat),
        )

    def _move(self, deed: Deed) -> None:
        """Move the cards of a play or of one taken back, whose places may be the centre's or another's."""
        self.rounds = dict.fromkeys(self.rounds, 0)
        owner, place = self._owner(deed.seat, deed.source)
        if place.startswith("foundation"):
            del self.centre.piles[_number(place)][-len(deed.cards) :]
            self.centre.busy.discard(_number(place))
        else:
            self.areas[owner].take(place, deed.cards)
        owner, place = self._owner(deed.seat, deed.target)
        if not place.startswith("foundation"):
            pile = self.areas[owner].pile(place)
            pile[:] = [*deed.cards, *pile] if deed.under else [*pile, *deed.cards]
            self.areas[owner].shown += len(deed.cards) if place == "nerts" else 0
            return
        number = _number(place)
        self.centre.piles[number].extend(deed.cards)
        self.centre.busy.discard(number)
        if deed.cards[-1][0] == "K" and len(self.centre.piles[number]) >= len(RANKS):
            self.centre.complete[number] = deed.seat

    def _owner(self, seat: str, place: str) -> tuple[str, str]:
        """Whose place it is, seen from a seat, and its name without a seat."""
        first, _, rest = place.partition(" ")
        return (first, rest) if first in self.areas else (seat, place)

    def _call(self, seat: str, now: float) -> None:
        """Call as soon as the cards that are in the air have landed; hands that hold none stay empty."""
        flying = [deed for deed in self.in_hand.values() if deed.lifted <= now + 0.15]
        said = round(max([now + 0.25, *(deed.landed + 0.1 for deed in flying)]), 3)
        if flies := in_mid_air(self, seat, now):
            flying = [*(deed for deed in flying if deed.seat != flies.seat), flies]
            # after the others' cards have landed, if they do so in time
            early = [deed.landed + 0.02 for deed in flying if deed.landed < flies.landed - 0.1]
            said = round(max([flies.lifted + 0.12, *early]), 3)
        self.moments = [(deed.landed, i, partial(self._land, deed)) for i, deed in enumerate(flying)]
        heapq.heapify(self.moments)
        self.hand.caller, self.hand.why = seat, "called"
        self.hand.deeds.append(Deed("call", seat, (), "", "", round(now, 3), said, said))
        if late := self.due("late-play", now):
            play_late(self, late, seat, said + 0.3)
