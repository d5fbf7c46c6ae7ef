"""Counts of what was dealt out: by owner, each sure or with what is asked, and whether all witnesses agree.

Two witnesses tell the number of cards: what landed (less what was taken back), and what still shows of the cards in the
end; the record of the hand, if it was refereed, is a third. What one of them cannot confirm is asked about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp
from typing import Any

import numpy as np

from referee.photos.score import DECK
from vision.dealt.ending import Ending
from vision.dealt.landings import Landing
from vision.dealt.visits import Change
from vision.layout import SeenCard

Json = dict[str, Any]

#: From this probability on that a count is exact it is sure.
BOUND = 0.94
#: Cards by which a deck's count may be off, for each of what may be amiss (their sum is the mean of a Poisson variable).
WEIGHTS = {
    "card": 0.0005,
    "a little beside": 0.008,
    "beside": 0.5,
    "unseen": 1.0,
    "taken back": 0.01,
    "taken back unlike": 0.4,
    "face": 0.5,
    "hardly": 0.3,
    "unclear": 0.4,
    "missing": 0.6,
    "strange": 0.5,
    "apart": 0.4,
    "few": 0.4,
    "too many": 1.0,
    "record": 0.7,
    "reaching": 0.3,
}
#: mm² that changed beside a card: more than this, and so many times what most cards of the film have, may be a second
#: one; from the last share of that on it hardly is.
BESIDE_MM2, BESIDE_TIMES, BESIDE_MOST, BESIDE_LITTLE = 6.0, 1.5, 0.8, 0.4
#: So many looks that explain nothing before a card lands may have been at another.
UNCLEAR = 3
#: A card less sure than this may be none; a face that is read so surely is one; log odds by which a back is no other's.
HARDLY, READ, CLEAR = 0.55, 0.9, 1.0
#: Log odds by which the least alike parts of a design are one; fewer cards than this of a design may be of another.
ONE, FEW = 1.2, 3


@dataclass(slots=True)
class Doubt:
    """A question, and the moment (s) and place (px) that it is about."""

    asks: str
    at: float | None = None
    corners: list[list[float]] | None = None
    #: What may be amiss, by how many cards each deck may be off for it, and the card or place that it is about.
    kind: str = ""
    shares: dict[str, float] = field(default_factory=dict)
    about: Landing | Change | None = field(default=None, repr=False)

    @property
    def worth(self) -> float:
        """Cards by which decks may be off for it."""
        return sum(self.shares.values())

    def to_json(self) -> Json:
        """As printed with --json."""
        return {"asks": self.asks, "at": self.at, "corners": self.corners, "image": None}


@dataclass(slots=True)
class DealtDeck:
    """What one design brings."""

    back: str
    seat: str | None
    centre: int
    left: int = 0
    off: float = 0.0

    @property
    def exact(self) -> float:
        """The probability that its count is."""
        return exp(-self.off)

    @property
    def sure(self) -> bool:
        """Is its count certified?"""
        return self.exact >= BOUND

    def to_json(self, penalty: int) -> Json:
        """As printed with --json."""
        return {
            "back": self.back,
            "seat": self.seat,
            "centre": self.centre,
            "left": self.left,
            "points": self.centre - penalty * self.left,
            "confidence": round(self.exact, 4),
            "state": "sure" if self.sure else "asked",
        }


@dataclass(slots=True)
class Count:
    """The whole of it."""

    decks: dict[str, DealtDeck] = field(default_factory=dict)
    doubts: list[Doubt] = field(default_factory=list)
    cards: list[tuple[Landing, str]] = field(default_factory=list)
    taken_back: int = 0
    #: Cards of which enough lies open in the end, and how many of these show.
    open: int = 0
    seen: int = 0
    strange: int = 0
    #: Designs that were dealt onto piles of their own.
    apart: set[str] = field(default_factory=set)
    #: mm² that changed beside a card: more than this may be a second one.
    beside: float = BESIDE_MM2
    #: None without a record.
    as_recorded: bool | None = None

    @property
    def total(self) -> int:
        """Cards that lie there."""
        return sum(deck.centre for deck in self.decks.values())

    @property
    def agrees(self) -> bool:
        """Do all witnesses tell the same?"""
        return self.seen == self.open and not self.strange and self.as_recorded is not False

    def doubt(
        self, what: str, label: str | None, asks: str | None = None, about: Landing | Change | None = None
    ) -> None:
        """Something may be amiss with a deck's count, or with that of any (None); `asks`: what is asked then."""
        whose = list(self.decks) if label is None else [label]
        shares = dict.fromkeys(whose, WEIGHTS[what] / max(len(whose), 1))
        for name, share in shares.items():
            self.decks[name].off += share
        if asks is not None:
            corners = None if about is None else about.corners.round(1).tolist()
            at = None if about is None else round(about.at, 2)
            self.doubts.append(Doubt(asks, at, corners, what, shares, about))

    def to_json(self, penalty: int = 2) -> Json:
        """As printed with --json: what `score` prints of photos, and what is told of the dealing."""
        decks = sorted(self.decks.values(), key=lambda deck: -deck.centre)
        return {
            "decks": [deck.to_json(penalty) for deck in decks],
            "foundations": [],
            "total_by_faces": None,
            "total_by_backs": self.total,
            "agrees": self.agrees,
            "requests": [],
            "doubts": [doubt.to_json() for doubt in self.doubts],
            "dealing": {
                "dealt": self.total,
                "taken_back": self.taken_back,
                "open": self.open,
                "seen": self.seen,
                "as_recorded": self.as_recorded,
                "landings": [_landing(landing, label) for landing, label in self.cards],
            },
        }


def _landing(landing: Landing, label: str) -> Json:
    return {"at": round(landing.at, 2), "back": label, "corners": landing.corners.round(1).tolist()}


def count_dealt(
    landings: Sequence[Landing],
    cards: Sequence[SeenCard],
    ending: Ending,
    *,
    seats: Mapping[str, str],
    left: Mapping[str, int] | None = None,
    recorded: Mapping[str, int] | None = None,
    unseen: Sequence[Change] = (),
) -> Count:
    """Counts what landed.

    `cards`: by landing, whose back it shows (`vision.dealt.designs`); `seats`: who plays with which design; `left`: cards
    of Nerts piles by seat or design; `recorded`: cards in the centre by seat or design, as a record of the hand has them;
    `unseen`: places that an arm changed though nothing was seen to land there.
    """
    count = Count()
    held = {id(one) for one in ending.held}
    there = [
        (landing, card) for landing, card in zip(landings, cards, strict=True) if id(landing) not in held
    ]
    for landing, card in there:
        label = card.back or "unknown"
        deck = count.decks.setdefault(label, DealtDeck(label, seats.get(label), 0))
        if landing.gone is None:
            deck.centre += 1
            count.cards.append((landing, label))
    count.decks = {label: deck for label, deck in count.decks.items() if deck.centre}
    if len(count.decks) > 1:
        count.apart = {label for label in count.decks if _has_its_pile(label, there)}
    count.beside = most_beside([landing for landing, _ in there])
    for landing, card in there:
        if (card.back or "unknown") in count.decks:
            _weigh(count, landing, card, _lay_under(landing, there))
    _weigh_designs(count, there)
    _weigh_ending(count, ending)
    _weigh_unseen(count, unseen)
    for deck in count.decks.values():
        deck.left = (left or {}).get(deck.seat or deck.back, 0)
    if recorded is not None:
        _compare(count, recorded)
    return count


def most_beside(landings: Sequence[Landing]) -> float:
    """mm² that change beside one card at most, in a film of these."""
    if not landings:
        return BESIDE_MM2
    usual = float(np.quantile([landing.beside for landing in landings], BESIDE_MOST))
    return max(BESIDE_MM2, BESIDE_TIMES * usual)


def _lay_under(landing: Landing, there: Sequence[tuple[Landing, SeenCard]]) -> str | None:
    """The deck of the card that lay there last before this one."""
    near = np.linalg.norm(landing.corners[0] - landing.corners[2]) / 2
    middle = landing.corners.mean(axis=0)
    labels = [
        card.back or "unknown"
        for other, card in there
        if other.at < landing.at
        and (other.gone is None or other.gone > landing.at)
        and np.linalg.norm(other.corners.mean(axis=0) - middle) < near
    ]
    return labels[-1] if labels else None


def _weigh(count: Count, landing: Landing, card: SeenCard, under: str | None) -> None:
    """What may be amiss with one card; `under`: the deck of the card below it."""
    label = card.back or "unknown"
    if landing.gone is not None:
        count.taken_back += 1
        # where a card of the same deck lies under it, a third one may have landed just as that one lies
        if landing.surely_gone and under != label:
            count.doubt("taken back", label)
        else:
            count.doubt(
                "taken back unlike", label, f"Was a card taken away at {landing.gone:.1f} s?", landing
            )
        return
    count.doubt("card", label)
    # the lower one of two that were dealt at once may be of any deck, but where each has its own pile
    whose = label if label in count.apart else None
    if landing.beside > BESIDE_LITTLE * count.beside:
        count.doubt("a little beside", whose)
    if landing.beside > count.beside:
        asks = f"Did two cards land at once at {landing.at:.1f} s, or was the pile pushed?"
        count.doubt("beside", whose, asks, landing)
    elif landing.unclear >= UNCLEAR:
        asks = f"Was another card dealt where one landed at {landing.at:.1f} s, just before it?"
        count.doubt("unclear", label, asks, landing)
    if landing.side == "face" and landing.face_confidence >= READ:
        asks = f"Does the card of {landing.at:.1f} s lie face up ({landing.face})? Whose is it?"
        count.doubt("face", label, asks, landing)
    if card.back_margin is not None and card.back_margin < CLEAR:
        count.doubt("hardly", label, f"Is the card of {landing.at:.1f} s one of the {label} deck?", landing)
    elif landing.confidence < HARDLY:
        count.doubt("hardly", label, f"Is what landed at {landing.at:.1f} s a card?", landing)


def _weigh_designs(count: Count, there: Sequence[tuple[Landing, SeenCard]]) -> None:
    """What may be amiss with whole designs."""
    most = max((deck.centre for deck in count.decks.values()), default=0)
    for label, deck in count.decks.items():
        splits = [card.back_splits[0][0] for _, card in there if card.back == label and card.back_splits]
        if splits and splits[0] < ONE and label not in count.apart:
            count.doubt("apart", label, f"Are all {deck.centre} cards of the {label} deck of one deck?")
        if deck.centre < FEW <= most:
            about = next(landing for landing, card in there if card.back == label and landing.gone is None)
            count.doubt(
                "few", label, f"Is {label} a deck of its own, with {deck.centre} in the centre?", about
            )
        if deck.centre > DECK:
            asks = f"{deck.centre} cards of {label} are more than a deck has: do two decks have one back?"
            count.doubt("too many", label, asks)


def _has_its_pile(label: str, there: Sequence[tuple[Landing, SeenCard]]) -> bool:
    """Did whoever dealt lay all of a design and nothing else onto one pile? Then they took it for one deck as well."""
    lying = [(landing, card.back == label) for landing, card in there if landing.gone is None]
    middles = np.array([landing.corners.mean(axis=0) for landing, _ in lying])
    mine = np.array([is_it for _, is_it in lying])
    corners = lying[0][0].corners
    far = np.linalg.norm(middles - np.median(middles[mine], axis=0), axis=1)
    return bool((far[mine] < np.linalg.norm(corners[0] - corners[2]) / 2).all()) and bool(
        (far[~mine] > np.linalg.norm(corners[0] - corners[1])).all()
    )


def _weigh_ending(count: Count, ending: Ending) -> None:
    """What is seen in the end beside what landed."""
    labels = {id(landing): label for landing, label in count.cards}
    missing = [one for one in ending.missing if id(one) in labels]
    count.seen = sum(id(one) in labels for one in ending.seen)
    count.open, count.strange = count.seen + len(missing), len(ending.strange)
    for one in missing:
        asks = (
            f"The card of {one.at:.1f} s is not seen in the end where it landed: was it taken away or pushed?"
        )
        count.doubt("missing", labels[id(one)], asks, one)
    if not count.decks:
        return
    for x, y in ending.strange:
        count.doubt(
            "strange",
            None,
            f"Something lies at ({x:.0f}, {y:.0f}) px that was not seen to land: is it a card?",
        )
    if ending.reaching:
        count.doubt(
            "reaching", None, "A hand is in the picture at the end: take it away before you stop filming."
        )


def _weigh_unseen(count: Count, unseen: Sequence[Change]) -> None:
    """Arms that changed a place though nothing was seen to land there."""
    for change in unseen:
        if not count.decks:
            return
        asks = f"Did a card land at {change.at:.1f} s that was not counted?"
        count.doubt("unseen", None, asks, change)


def _compare(count: Count, recorded: Mapping[str, int]) -> None:
    """The live record beside what was dealt."""
    count.as_recorded = True
    told = dict(recorded)
    for label, deck in count.decks.items():
        name = deck.seat if deck.seat in told else label
        if name not in told:
            count.as_recorded = False
            count.doubt(
                "record", label, f"The record knows no {name}: name the deck with --deck {label}=SEAT"
            )
            continue
        cards = told.pop(name)
        if cards != deck.centre:
            count.as_recorded = False
            asks = f"The record has {cards} of {name}'s cards in the centre, {deck.centre} were dealt: which is right?"
            count.doubt("record", label, asks)
    for name, cards in told.items():
        if cards:
            count.as_recorded = False
            count.doubts.append(
                Doubt(f"The record has {cards} of {name}'s cards in the centre, none was dealt.")
            )
