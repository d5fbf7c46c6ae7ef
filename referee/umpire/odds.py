"""How likely the umpire takes each thing to be before it has looked: log probabilities, all in one place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from referee.games.nerts.builds import builds
from referee.rules.places import Place

_fits = cache(builds)


@dataclass(frozen=True, slots=True)
class Odds:
    """Log probabilities of events and of faults of the eye; `draw_cards` is the ruleset's packet."""

    draw_cards: int = 3
    play: float = -2.0
    draw: float = -2.0
    recycle: float = -2.5
    #: The cards of a stock lie in another order than they were seen in.
    lost_order: float = -4.0
    #: Something more happened between two looks than the looks show.
    unseen: float = -2.5
    #: A card in hand was laid on a work pile where it fits before the hand went on, and nobody looked.
    laid_unseen: float = -0.5
    #: The play breaks a rule of building.
    illegal: float = -6.0
    #: A card came from under others, or from another player's area.
    buried: float = -9.0
    #: A card came from the centre back to a player.
    taken_back: float = -8.0
    #: An unseen card turns out to be a certain one of those not yet seen.
    any_face: float = -3.5
    #: A card known to lie elsewhere turns up here.
    contradiction: float = -9.0
    missed_top: float = -3.5
    missed_under: float = -1.2
    #: A card of a column that has not been made out in its place so far still is not.
    missed_again: float = -0.3
    #: A card laid on a column covers the one below it wholly.
    no_step: float = -4.0
    #: A card seen where none lies; for a face, that it should look just like this is charged too.
    ghost: float = -4.0
    ghost_face: float = -8.0
    wrong_side: float = -5.5
    #: A foundation or a stock seen to be empty though it is not.
    miscounted: float = -3.5
    #: A pile of which nobody knew how many cards lie in it turns out to have ended.
    ran_out: float = -2.0
    set_aside: float = -1.0
    #: Cards in hand should land within `hand_s`; each further second costs `hand_rate`, up to `hand_most`.
    hand_s: float = 1.5
    hand_rate: float = -1.5
    hand_most: float = -10.0
    #: A second card taken before the first was seen to land.
    second_in_hand: float = -1.5
    #: A draw though the stock was not stirred, a play off the waste though it was.
    stock_still: float = -4.0
    stock_stirred: float = -1.0

    @staticmethod
    def fits(place: Place, top: str | None, card: str) -> bool:
        """Whether a landing is to be expected: `card` on `top` (None: nothing) at `place`, by the rules of building.

        This judges nothing. What is legal is asked of the rules when an event is told.
        """
        return _fits(place.kind, top, card)

    def waiting(self, age: float) -> float:
        """What it costs to say that a card has been in the air for `age` seconds."""
        return max(self.hand_most, self.hand_rate * max(0.0, age - self.hand_s))
