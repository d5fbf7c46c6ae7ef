"""What the ruleset of one game forbids, and those of the others allow.

An ace begins a second foundation of its suit before the first one is complete (F1); a space is filled from the waste
(U4). Whether a card fits where it lies says nothing of either.
"""

from __future__ import annotations

from referee.rules.cards import RANKS
from referee.rules.places import FOUNDATION, WASTE, WORK, Place
from referee.umpire.odds import Odds
from referee.umpire.sources import Source
from referee.umpire.story import SECOND, SPACE, Foul

FOULS = (SECOND, SPACE)


def foul(source: Source, face: str, target: Place, odds: Odds) -> Foul | None:
    """What such a rule has against a card that fits where it is laid; None for nothing."""
    story = source.story
    if odds.nerts_fills and target.kind == WORK and source.place.kind == WASTE and not story.pile(target):
        # what was taken from the pile may not have left it
        held = any(lift.place == target for lift in story.lifted)
        return SPACE if source.place.seat == target.seat and not held else None
    if not odds.one_a_suit or target.kind != FOUNDATION or face[0] != RANKS[0]:
        return None
    open_ones = (pile for place, pile in story.piles.items() if place.kind == FOUNDATION and place != target)
    same = any(pile and pile[0].face == face and pile[-1].face[0] != RANKS[-1] for pile in open_ones)
    return SECOND if same and not story.pile(target) else None
