"""What was staged in a film, for whoever measures on it: kind, rule, moment, and how well the camera saw it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import cv2
import numpy as np

from datasets.film.choreography import Choreography
from datasets.film.leaning import LASTS
from datasets.film.record import deal_index, event_index
from datasets.play.deeds import Deed, PlayedHand
from datasets.play.mishaps import Mishap
from datasets.play.plants import PLANTS

#: Seconds after a card has come to rest during which it is evidence, too.
LOOKED_AT = 0.5


@dataclass(slots=True)
class Staged:
    """One infraction, tie or mishap of a film."""

    kind: str
    #: Rule that is broken, and index of the event in the record; None for what breaks none or is no event.
    rule: str | None
    of: int | None
    seat: str | None
    #: Cards with the seat whose deck they belong to, as `west 2H`.
    cards: list[str]
    source: str | None
    target: str | None
    #: Seconds; equal where something happens to the room.
    lifted: float
    landed: float
    #: From when on (s) it can be told from what is lawful.
    shows: float
    #: First and last frame that may show it, in how many of them its cards can be seen, and on how many px at most.
    frames: tuple[int, int] = (0, 0)
    shown: int = 0
    px: int = 0
    #: px: left, top, right and bottom of everywhere that its cards are seen; None where there are none.
    box: tuple[int, int, int, int] | None = None

    def wants(self, frame: int) -> bool:
        """Does a frame's truth bear on it?"""
        return bool(self.cards) and self.frames[0] <= frame <= self.frames[1]

    def look(self, truth: dict[str, Any]) -> None:
        """Take in the truth about a frame, once."""
        mine = [card for card in truth["cards"] if f"{card['seat']} {card['face']}" in self.cards]
        if not mine:
            return
        corners = np.array([card["corners"] for card in mine], dtype=np.float32)
        areas = [card["visible"] * cv2.contourArea(quad) for card, quad in zip(mine, corners, strict=True)]
        self.shown, self.px = self.shown + 1, max(self.px, round(sum(areas)))
        (left, top), (right, bottom) = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
        old = self.box or (left, top, right, bottom)
        self.box = (
            int(min(old[0], left)),
            int(min(old[1], top)),
            int(np.ceil(max(old[2], right))),
            int(np.ceil(max(old[3], bottom))),
        )

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def staged_in(hand: PlayedHand, film: Choreography, room: Sequence[Mishap], fps: int) -> list[Staged]:
    """Everything out of the ordinary in a hand, in the order of time."""
    winners = [_winner(hand, deed) for deed in hand.deeds if deed.loses or deed.planted == "tie-left"]
    told: list[tuple[str, Deed]] = [(deed.planted, deed) for deed in hand.deeds if deed.planted]
    told += [("tie", deed) for deed in hand.deeds if deed.loses or deed in winners]
    told += [(deed.kind, deed) for deed in hand.mishaps] + hand.noted
    carried = {id(motion.deed): motion for motion in film.motions}
    found = []
    for kind, deed in told:
        moved = [deed, *_meanwhile(hand, deed)] if kind == "two-hands" else [deed]
        motions = [motion for each in moved if (motion := carried.get(id(each))) is not None]
        lifted, landed = min(each.lifted for each in moved), max(each.landed for each in moved)
        found.append(
            Staged(
                kind=kind,
                rule=PLANTS.get(kind),
                of=event_index(hand, deed),
                seat=deed.seat,
                cards=[f"{lying.card.seat} {lying.card.face}" for m in motions for lying in m.taken],
                source=deed.source,
                target=deed.target,
                lifted=lifted,
                landed=landed,
                shows=max(landed, hand.shows_at(deed)),
                frames=(round(lifted * fps), round((landed + LOOKED_AT) * fps)),
            )
        )
    if hand.misdealt is not None:
        found.append(_misdealt(hand, film, hand.misdealt, fps))
    for mishap in room:
        ends = mishap.after + (LASTS if mishap.kind == "lean" else 0.0)
        frames = int(np.ceil(mishap.after * fps)), int(np.ceil(ends * fps))
        found.append(Staged(mishap.kind, None, None, None, [], None, None, mishap.after, ends, ends, frames))
    return sorted(found, key=lambda staged: staged.landed)


def _meanwhile(hand: PlayedHand, deed: Deed) -> list[Deed]:
    """What the same seat carries in its other hand at the same time."""
    return [
        other
        for other in hand.plays
        if other.seat == deed.seat and other.hand != deed.hand
        if other.lifted < deed.landed and deed.lifted < other.landed
    ]


def _misdealt(hand: PlayedHand, film: Choreography, seat: str, fps: int) -> Staged:
    """A wrong deal lies there until somebody plays: the piles that hold another number of cards than they should."""
    wrong = [place for place, cards in hand.deal[seat].items() if place.startswith("work") and len(cards) > 1]
    cards = [f"{seat} {card}" for place in wrong for card in hand.deal[seat][place]]
    ends = min((deed.lifted for deed in hand.deeds), default=1.0)
    frames = (0, round(ends * fps))
    index = deal_index(hand, seat)
    return Staged(
        "wrong-deal", PLANTS["wrong-deal"], index, seat, cards, None, wrong[0], 0.0, ends, ends, frames
    )


def _winner(hand: PlayedHand, loser: Deed) -> Deed:
    """The other play of a tie."""
    same = (deed for deed in hand.plays if deed.target == loser.target and deed.cards == loser.cards)
    return next(deed for deed in same if deed is not loser)
