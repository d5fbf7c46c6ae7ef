"""What players do: movements of hands with their moments, and the hand of Nerts that they make up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

DeedKind = Literal["play", "draw", "turn", "recycle", "set-aside", "take-back", "bury", "call"]
#: Which of a seat's hands: the one that it plays with, or the other.
Side = Literal["main", "other"]
#: Movements that are no events of a record: see `datasets.play.mishaps`; `square` follows `bump`.
MishapKind = Literal["rest", "bump", "square", "drop"]
#: Movements before and after a hand: a deck brought, squared and dealt, its stock laid down; piles swept together,
#: squared and carried off.
BetweenKind = Literal["bring", "square", "deal", "lay", "gather", "carry-off"]
#: Presets that can be played.
Game = Literal["nerts", "nerts-minus-one", "one-per-suit", "nuts", "team-nuts", "nerts-twelve"]
#: House rules that can be played: settings that say otherwise than the preset.
House = Mapping[str, int]
#: What each of two partners plays (rule P3).
Role = Literal["nuts", "cards"]


def other_arm(seat: str) -> str:
    """The name of the arm that a seat does not play with."""
    return f"{seat} other"


def seat_of(arm: str) -> str:
    """The seat that an arm belongs to."""
    return arm.removesuffix(" other")


@dataclass(frozen=True, slots=True)
class Player:
    """Habits of one seat."""

    seat: str
    #: Median seconds between landing a card and setting off for the next when there is one to play.
    pace: float = 0.9
    #: Least seconds in which anything new on the table is noticed.
    reaction: float = 0.25
    #: Chance that a possible play is seen at a glance, 0 to 1.
    skill: float = 0.9
    #: Seconds of an average carry.
    carry: float = 0.5
    #: Of partners: what this one plays, and the seat whose deck and places they share.
    role: Role | None = None
    partner_of: str | None = None

    @property
    def owner(self) -> str:
        """The seat that places and deck are named after."""
        return self.partner_of or self.seat


@dataclass(frozen=True, slots=True)
class Deed:
    """One movement of one player's hand, and what it does to the cards."""

    kind: DeedKind | MishapKind | BetweenKind
    seat: str
    #: Bottom to top as they lie after the deed; empty for a call.
    cards: tuple[str, ...]
    source: str
    target: str
    #: Seconds: the hand sets off, the cards leave their place, the cards come to rest.
    reached: float
    lifted: float
    landed: float
    planted: str | None = None
    #: Does it lose a tie, so that the card is taken back?
    loses: bool = False
    #: Do the cards come to lie underneath: the topmost card of a foundation, all of a work pile?
    under: bool = False
    hand: Side = "main"

    @property
    def arm(self) -> str:
        """The arm that carries it out: the seat's own name, or `west other`."""
        return self.seat if self.hand == "main" else other_arm(self.seat)

    def __str__(self) -> str:
        way = f" {self.source} → {self.target}" if self.source != self.target else ""
        return " ".join([f"{self.landed:7.2f}", self.seat, self.kind, *self.cards]) + way


@dataclass(slots=True)
class PlayedHand:
    """A whole hand: the deal, every deed by the moment of its landing, and how it ended."""

    players: tuple[Player, ...]
    #: Preset that is played.
    game: Game
    #: Seat → place → cards, bottom to top.
    deal: dict[str, dict[str, list[str]]]
    deeds: list[Deed] = field(default_factory=list)
    #: Movements that change nothing, by the moment of their landing.
    mishaps: list[Deed] = field(default_factory=list)
    #: Plays that were staged and break no rule: what they are, and the play.
    noted: list[tuple[str, Deed]] = field(default_factory=list)
    #: Seat that dealt itself a wrong layout.
    misdealt: str | None = None
    #: What was to be staged and did not happen, or was begun and not finished.
    owed: int = 0
    why: Literal["called", "stuck", "late"] = "late"
    caller: str | None = None
    #: What is played otherwise than the preset says.
    house: House = field(default_factory=dict)

    def owner(self, seat: str) -> str:
        """The seat that a seat's places and deck are named after."""
        return next((player.owner for player in self.players if player.seat == seat), seat)

    def stop_at(self, seconds: float) -> None:
        """Everybody leaves off: what has not come to rest after so many seconds is not done any more."""
        if self.ends <= seconds:
            return
        self.deeds = [deed for deed in self.deeds if deed.landed <= seconds]
        self.mishaps = [deed for deed in self.mishaps if deed.landed <= seconds]
        self.noted = [(what, deed) for what, deed in self.noted if deed.landed <= seconds]
        if not any(deed.kind == "call" and not deed.planted for deed in self.deeds):
            self.why, self.caller = "late", None

    def shows_at(self, deed: Deed) -> float:
        """From when on (s) whoever sees all can tell a planted deed from what is lawful: as it has landed; of two cards
        drawn, when both were played.
        """
        if deed.kind != "draw" or not deed.planted:
            return deed.landed
        later = [
            p for p in self.plays if p.landed > deed.landed and (p.seat, p.source) == (deed.seat, "waste")
        ]
        firsts = [next((p.landed for p in later if card in p.cards), deed.landed) for card in deed.cards]
        return max(firsts) if deed.planted == "draw-two" else deed.landed

    @property
    def ends(self) -> float:
        """Seconds at which the last card has come to rest."""
        return max((deed.landed for deed in (*self.deeds, *self.mishaps)), default=0.0)

    @property
    def plays(self) -> list[Deed]:
        """The deeds that move cards by choice: neither draws nor turned cards."""
        return [deed for deed in self.deeds if deed.kind == "play"]

    def __str__(self) -> str:
        return "\n".join(map(str, self.deeds))
