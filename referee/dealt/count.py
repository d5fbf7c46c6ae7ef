"""Counts of what was dealt out: by owner, each sure or with what is asked, and whether all witnesses agree.

Two witnesses tell the number of cards: what landed (less what was taken back), and what still shows of the cards in the
end; the record of the hand, if it was refereed, is a third. What one of them cannot confirm is asked about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, inf
from typing import Any

import numpy as np

from referee.dealt.chance import chance_of_two
from referee.dealt.places import Pause, has_its_pile, lay_under, on_one_pile, pauses, waits_of
from referee.dealt.weights import WEIGHTS
from referee.photos.score import DECK
from vision.dealt.ending import Ending
from vision.dealt.landings import Landing
from vision.dealt.visits import Change
from vision.layout import SeenCard

Json = dict[str, Any]

#: From this probability on that a count is exact it is sure.
BOUND = 0.97
#: A second card that is so likely is counted; one that is likelier than this is asked about.
COUNTED, ASKED = 0.5, 0.02
#: No third card lies so exactly as the last but one that no more than this share of its px differs.
ALIKE = 0.015
#: So many looks that explain nothing before a card lands may have been at another, and any, if so many mm² had changed
#: beside it before the arm brought it.
UNCLEAR, REST_MM2 = 3, 300.0
#: There was time for another card where one lands so many times later than they usually do.
ONE_MORE = 1.5
#: A card less sure than this may be none, unless its misfit to its deck's print is no more than so many times the usual
#: one; a face that is read so surely is one; log odds by which a back is no other's.
HARDLY, UNLIKE, READ, CLEAR = 0.55, 1.5, 0.9, 1.0
#: Cards land no faster than so (s) one after the other; a deck of which this share is less sure than that is seen badly.
HASTE_S, FAINT_SHARE, FAINT = 0.22, 0.25, 0.75
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
    about: Landing | Change | Pause | None = field(default=None, repr=False)
    #: The deck of a second card that is counted already.
    counted: str | None = None

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
    #: Second cards that are counted, under those that were seen to land with them.
    under: list[tuple[Landing, str]] = field(default_factory=list)
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
        self,
        what: str,
        label: str | None,
        asks: str | None = None,
        about: Landing | Change | Pause | None = None,
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
                "under": [_landing(landing, label) for landing, label in self.under],
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
    all_gone = [label for label, deck in count.decks.items() if not deck.centre]
    count.decks = {label: deck for label, deck in count.decks.items() if deck.centre}
    if len(count.decks) > 1:
        count.apart = {label for label in count.decks if has_its_pile([label], there)}
    waits = waits_of(there)
    for number, (landing, card) in enumerate(there):
        if (card.back or "unknown") in count.decks:
            _weigh(count, landing, card, lay_under(landing, there), waits[number] > ONE_MORE)
            if number and landing.gone is None and waits[number] + waits[number - 1] < ONE_MORE:
                _weigh_haste(count, (landing, card), there[number - 1])
    _weigh_designs(count, there)
    _weigh_none_left(count, there, all_gone)
    _weigh_ending(count, ending)
    _weigh_unseen(count, unseen)
    _weigh_pauses(count, there)
    for deck in count.decks.values():
        deck.left = (left or {}).get(deck.seat or deck.back, 0)
    _add_absent(count, seats, left or {})
    if recorded is not None:
        _compare(count, recorded)
    return count


def _add_absent(count: Count, seats: Mapping[str, str], left: Mapping[str, int]) -> None:
    """Players of whom no card was dealt, with what they have left; a design that is nobody's may be theirs."""
    nobodys = [deck.back for deck in count.decks.values() if deck.seat is None]
    here = {deck.seat for deck in count.decks.values()}
    for label, seat in seats.items():
        if label not in count.decks and seat not in here and seat in left:
            count.decks[label] = DealtDeck(label, seat, 0, left[seat], inf if nobodys else 0.0)
            if nobodys:
                count.doubts.append(Doubt(f"Whose is {' and '.join(nobodys)}? None of {label} was dealt"))


def _weigh(count: Count, landing: Landing, card: SeenCard, under: str | None, late: bool) -> None:
    """What may be amiss with one card; `under`: the deck of the card below it; `late`: was there time for another one?"""
    label = card.back or "unknown"
    if landing.gone is not None:
        count.taken_back += 1
        # where a card of the same deck lies under it, a third one may have landed just as that one lies
        if landing.surely_gone and (under != label or landing.unlike < ALIKE):
            count.doubt("taken back" if under != label else "taken back alike", label)
        else:
            count.doubt(
                "taken back unlike", label, f"Was a card taken away at {landing.gone:.1f} s?", landing
            )
        return
    count.doubt("card", label)
    _weigh_two(count, landing, label)
    changed_before = landing.unclear and landing.rest - landing.beside > REST_MM2
    if changed_before or (landing.unclear >= UNCLEAR and late):
        asks = f"Was another card dealt where one landed at {landing.at:.1f} s, just before it?"
        count.doubt("unclear", label, asks, landing)
    elif landing.unclear >= UNCLEAR:
        count.doubt("unclear in time", label)
    if landing.side == "face" and landing.face_confidence >= READ:
        asks = f"Does the card of {landing.at:.1f} s lie face up ({landing.face})? Whose is it?"
        count.doubt("face", label, asks, landing)
    if card.back_margin is not None and card.back_margin < CLEAR:
        count.doubt("hardly", label, f"Is the card of {landing.at:.1f} s one of the {label} deck?", landing)
    elif landing.confidence < HARDLY and landing.misfit > UNLIKE:
        count.doubt("hardly", label, f"Is what landed at {landing.at:.1f} s a card?", landing)


def _weigh_haste(count: Count, one: tuple[Landing, SeenCard], last: tuple[Landing, SeenCard]) -> None:
    """Nobody deals so fast: one of these may be a gleam, or a card that was seen twice."""
    if one[0].at - last[0].at >= HASTE_S:
        return
    for landing, card in (one,) if one[1].back == last[1].back else (one, last):
        if (card.back or "unknown") in count.decks and landing.gone is None:
            asks = f"Did a card land at {landing.at:.1f} s that had not landed before?"
            count.doubt("haste", card.back or "unknown", asks, landing)


def _weigh_two(count: Count, landing: Landing, label: str) -> None:
    """Whether a second card landed with this one, and whose: of any deck, but where each has its own pile."""
    chance = chance_of_two(landing)
    whose: dict[str, float] = {}
    if label in count.apart:
        whose[label] = 1.0
    elif landing.second is not None:
        whose = {name: part for name, part in landing.second.whose.items() if name in count.decks}
    if not whose:
        whose = dict.fromkeys(count.decks, 1.0)
    shares = {name: chance * part / sum(whose.values()) for name, part in whose.items()}
    likely = max(shares, key=lambda name: shares[name])
    counted = shares[likely] > COUNTED
    if counted:
        count.decks[likely].centre += 1
        count.under.append((landing, likely))
        shares[likely] = 1.0 - shares[likely]
    for name, share in shares.items():
        count.decks[name].off += share
    if chance > ASKED:
        asks = f"Did two cards land at once at {landing.at:.1f} s, or was the pile pushed?"
        if counted:
            asks += f" One of {likely} more is counted."
        corners, at = landing.corners.round(1).tolist(), round(landing.at, 2)
        kind = "two" if counted else "beside"
        count.doubts.append(Doubt(asks, at, corners, kind, shares, landing, likely if counted else None))


def _weigh_designs(count: Count, there: Sequence[tuple[Landing, SeenCard]]) -> None:
    """What may be amiss with whole designs."""
    most = max((deck.centre for deck in count.decks.values()), default=0)
    for label, deck in count.decks.items():
        splits = [card.back_splits[0][0] for _, card in there if card.back == label and card.back_splits]
        alike = all(landing.misfit <= UNLIKE for landing, card in there if card.back == label)
        if splits and splits[0] < ONE and label not in count.apart and not alike:
            count.doubt("apart", label, f"Are all {deck.centre} cards of the {label} deck of one deck?")
        seen = [landing.confidence for landing, card in there if card.back == label]
        if float(np.quantile(seen or [1.0], FAINT_SHARE)) < FAINT:
            count.doubt(
                "faint", label, f"The {label} deck is seen badly: deal its cards apart from one another."
            )
        if deck.centre < FEW <= most:
            about = next(landing for landing, card in there if card.back == label and landing.gone is None)
            count.doubt(
                "few", label, f"Is {label} a deck of its own, with {deck.centre} in the centre?", about
            )
        if deck.centre > DECK:
            asks = f"{deck.centre} cards of {label} are more than a deck has: do two decks have one back?"
            count.doubt("too many", label, asks)
    for pile in on_one_pile(list(count.decks), there):
        for label in pile:
            count.doubt("one pile", label, f"{', '.join(sorted(pile))} lie on one pile: are they one deck?")


def _weigh_none_left(
    count: Count, there: Sequence[tuple[Landing, SeenCard]], all_gone: Sequence[str]
) -> None:
    """Designs of which several cards landed and none lies there any more: a pile that was taken for an empty place?"""
    for label in all_gone if count.decks else ():
        landed = sum(card.back == label for _, card in there)
        if landed >= FEW:
            count.doubt(
                "none left", None, f"{landed} cards of {label} landed and none is left: is that right?"
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


def _weigh_pauses(count: Count, there: Sequence[tuple[Landing, SeenCard]]) -> None:
    """Time for cards that nobody saw; where none was counted nothing is open."""
    for pause in pauses(there) if count.decks else ():
        asks = f"Was a card dealt between {pause.since:.1f} and {pause.at:.1f} s that is not counted?"
        count.doubt("pause", None, asks, pause)


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
