"""What the settings say of a deal: how many cards lie where, which of them lie face up, who plays them, and what no other
game forbids.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from referee.games.nerts.dealt import dealt_by, slots_of
from referee.rules.places import WORK
from referee.rules.settings import Settings, SettingsError
from referee.umpire.odds import Odds

DECK_CARDS = 52
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@dataclass(frozen=True, slots=True)
class Dealing:
    """The deal of one deck, and the packets that are drawn from its stock. Plain Nerts where nothing else is said."""

    #: Cards of the Nerts pile; with slots, those of the stack beside them.
    nerts: int = 13
    #: Do all cards of the Nerts pile lie face up?
    open: bool = False
    #: Single open nerts beside the stack, of which no card shows (T1).
    slots: int = 0
    #: Cards of every work pile, of which only the last lies face up.
    work: tuple[int, ...] = (1, 1, 1, 1)
    draw: int = 3
    #: Do two who sit side by side share a deck, one with the Nut pile, one with stock and waste (P3)?
    partners: bool = False
    #: May a suit have but one foundation at a time (F1); does the Nerts pile alone fill a space (U4)?
    one_a_suit: bool = False
    nerts_fills: bool = False

    @classmethod
    def of(cls, settings: Settings) -> Dealing:
        """The deal that these settings ask for; `SettingsError` for a game of another family."""
        game = settings.preset.name
        if settings.preset.family != "nerts":
            raise SettingsError(
                f"{game!r} cannot be followed on video yet: only games of the Nerts family can, as nerts or nuts"
            )
        dealt = dealt_by(settings)
        (nerts, up), slots = dealt["nerts", 0], slots_of(game)
        work = tuple(count for (kind, _), (count, _) in dealt.items() if kind == WORK)
        return cls(
            nerts,
            up > 1,
            slots,
            work,
            settings.count("draw"),
            partners=game == "team-nuts",
            one_a_suit=settings["foundations_a_suit"] == 1,
            nerts_fills=settings["fill"] == "nuts-top",
        )

    def weighed(self, odds: Odds) -> Odds:
        """The odds where cards are dealt and played so."""
        return replace(odds, draw_cards=self.draw, one_a_suit=self.one_a_suit, nerts_fills=self.nerts_fills)

    @property
    def is_plain(self) -> bool:
        """Whether it lies as in plain Nerts, however many cards the Nerts pile has."""
        return self.work == (1, 1, 1, 1) and not (self.open or self.slots or self.partners)

    @property
    def stock(self) -> int:
        """Cards of the stock."""
        return DECK_CARDS - self.nerts - self.slots - sum(self.work)

    @property
    def row(self) -> tuple[int, ...]:
        """How many cards lie under each open card of the row, from the Nerts pile on; with slots, of the columns."""
        columns = tuple(count - 1 for count in self.work)
        return columns if self.slots else (0, *columns)

    @property
    def in_words(self) -> str:
        """What lies open in the row."""
        piles = f"{_NUMBERS[len(self.work)]} work piles"
        return piles if self.slots else f"the Nerts pile's top and {piles}"
