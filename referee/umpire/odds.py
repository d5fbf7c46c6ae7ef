"""How likely the umpire takes each thing to be before it has looked: log probabilities, all in one place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import log

from referee.games.nerts.builds import builds
from referee.rules.cards import RANKS, UNKNOWN
from referee.rules.places import FOUNDATION, Place

_fits = cache(builds)
#: A foundation may have grown unseen by so many cards.
UNSEEN_CARDS = 3
#: As a card is taken, so much of its place moves.
REACHED_SHARE = 0.4


def may_hide_cards(place: Place, top: str | None, card: str) -> bool:
    """Whether a few cards that nobody saw could lie between `card` and `top` on a foundation."""
    if place.kind != FOUNDATION or UNKNOWN in (top, card):
        return False
    if top is not None and top[1] != card[1]:
        return False
    first = -1 if top is None else RANKS.index(top[0])
    return 1 < RANKS.index(card[0]) - first <= UNSEEN_CARDS + 1


@dataclass(frozen=True, slots=True)
class Odds:
    """Log probabilities of events and of faults of the eye; `draw_cards` is the ruleset's packet."""

    draw_cards: int = 3
    #: Whether the ruleset allows but one foundation of a suit at a time; whether the Nerts pile alone fills a space.
    one_a_suit: bool = False
    nerts_fills: bool = False
    play: float = -2.0
    draw: float = -2.0
    recycle: float = -2.5
    #: The cards of a stock lie in another order than they were seen in.
    lost_order: float = -4.0
    #: A packet was laid the other way round.
    upended: float = -5.0
    #: A packet was of two cards where three are drawn.
    short: float = -5.0
    #: Something more happened between two looks than the looks show.
    unseen: float = -2.5
    #: A card in hand was laid on a work pile where it fits before the hand went on, and nobody looked.
    laid_unseen: float = -0.5
    #: The play breaks a rule of building; and more where up to three cards that nobody saw would make it right.
    illegal: float = -6.0
    #: The play breaks a rule of this game alone (`referee/umpire/fouls/own.py`).
    own_rule: float = -2.0
    gap: float = -2.0
    #: A card came from a place where nothing moved before it landed.
    unreached: float = -5.0
    #: A card came from the top of a waste on which it still lay when it landed elsewhere, or from where it came to lie
    #: in the same moment.
    still_there: float = -10.0
    #: A card was seen to be carried from another seat's side.
    other_side: float = -3.0
    #: Another seat's arm reached there as a card landed, and the one whose card it is to be did not at all.
    other_arm: float = -4.0
    #: A card that nobody had seen before was laid by another seat than the one whose arm alone was there.
    guessed_arm: float = -5.0
    #: A card came from one of two places side by side though both moved.
    beside: float = -3.0
    #: A card came from a place that looks just as before.
    unchanged: float = -4.0
    #: Cards that lay on a waste are not seen though it looks otherwise than it did with them.
    vanished: float = -3.0
    #: The waste was turned over with stock left; a card was slid under a work pile.
    early: float = -5.0
    slid: float = -3.0
    #: Two cards were laid together where one after the other was to be laid; were taken off a waste together.
    several: float = -3.0
    both: float = -2.0
    #: Of two cards laid together the lower one was seen nowhere, neither before nor since.
    underneath: float = -5.5
    #: One hand laid two cards so shortly after one another that it cannot have (`referee/umpire/one_hand.py`).
    hurried: float = -3.0
    #: A card came from under others, off the stock without a draw, or from another player's area.
    buried: float = -6.5
    off_stock: float = -6.5
    foreign: float = -9.0
    #: A Nerts card was played without having been turned up; was turned up though there was no time for it.
    unturned: float = -3.0
    no_time: float = -6.0
    #: A card is put back where another one was taken from since.
    back_in: float = -8.0
    #: A card came from the centre back to a player.
    taken_back: float = -8.0
    #: An unseen card turns out to be a certain one of those not yet seen.
    any_face: float = -3.5
    #: A card known to lie elsewhere turns up here.
    contradiction: float = -9.0
    #: Two seats laid the same card on one foundation, and one that was covered shows again though no card was.
    tie: float = -3.0
    covered: float = -6.0
    #: Of two tied cards the one was taken back that was thought to lie underneath.
    other_tied: float = -2.0
    #: A card was held all the while and put back, and somebody else came just before to where its like had been laid.
    held_on: float = -4.0
    missed_top: float = -3.5
    missed_under: float = -1.2
    #: A card of a column that has not been made out in its place so far still is not.
    missed_again: float = -0.3
    #: Of the exposed card of a column no more is seen than of one that another lies on.
    covered_top: float = -3.0
    #: A card laid on a column covers the one below it wholly.
    no_step: float = -4.0
    #: A card seen where none lies; for a face, that it should look just like this is charged too.
    ghost: float = -4.0
    ghost_face: float = -8.0
    #: The same, besides, of a whole card that is read beyond doubt and was seen to come to rest.
    ghost_plain: float = -8.0
    wrong_side: float = -5.5
    #: A foundation or a stock seen to be empty though it is not.
    miscounted: float = -3.5
    #: A pile of which nobody knew how many cards lie in it turns out to have ended.
    ran_out: float = -2.0
    #: A foundation was set aside; without its king.
    set_aside: float = -1.0
    early_aside: float = -7.0
    #: A foundation of which nothing is seen has a card too many that was missed, though backs came to lie elsewhere then.
    backs_elsewhere: float = -3.0
    #: Cards in hand should land within `hand_s`; each further second costs `hand_rate`, up to `hand_most`.
    hand_s: float = 1.5
    hand_rate: float = -1.5
    hand_most: float = -10.0
    #: A second card taken before the first was seen to land.
    second_in_hand: float = -1.5
    #: A draw though the stock was not stirred, a play off the waste though it was.
    stock_still: float = -4.0
    stock_stirred: float = -1.0
    #: A card lay beneath the one that left, though it was seen to come to rest later.
    came_later: float = -3.0

    @staticmethod
    def fits(place: Place, top: str | None, card: str) -> bool:
        """Whether a landing is to be expected: `card` on `top` (None: nothing) at `place`, by the rules of building.

        This judges nothing. What is legal is asked of the rules when an event is told.
        """
        return _fits(place.kind, top, card)

    def landing(self, place: Place, top: str | None, card: str) -> float:
        """What it costs to say that `card` was laid on `top` (None: nothing) at `place`."""
        if self.fits(place, top, card):
            return 0.0
        return self.illegal + (self.gap if may_hide_cards(place, top, card) else 0.0)

    def reached(self, share: float | None) -> float:
        """What it costs to say that a card was taken from a place of which this share moved (None: not known)."""
        if share is None or share >= REACHED_SHARE:
            return 0.0
        return max(self.unreached, 2.0 * log(max(share, 1e-9) / REACHED_SHARE))

    def waiting(self, age: float) -> float:
        """What it costs to say that a card has been in the air for `age` seconds."""
        return max(self.hand_most, self.hand_rate * max(0.0, age - self.hand_s))
