"""How likely a second card landed with one that was seen."""

from __future__ import annotations

from math import exp, log1p

from vision.dealt.landings import Landing

#: Log odds that two cards landed at once: where nothing changed beside the upper one; what the logarithm of mm² that did
#: adds, and that of mm² which a second card explains. Fitted to films of `tune`: scripts/calibrate/dealt.py.
ALONE, BESIDE, GAIN = -10.8, 0.60, 2.15
#: More mm² beside a card than this, which no one card has, are two with this chance at least: piles are pushed, too.
MUCH_MM2, MUCH = 60.0, 0.3


def chance_of_two(landing: Landing) -> float:
    """How likely it is that a second card landed with this one."""
    odds, second = ALONE + BESIDE * log1p(landing.beside), landing.second
    if second is not None:
        odds += GAIN * log1p(second.gain)
    return max(1 / (1 + exp(-odds)), MUCH if landing.beside > MUCH_MM2 else 0.0)
