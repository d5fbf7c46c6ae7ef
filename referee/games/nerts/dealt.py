"""What every seat of the Nerts family is dealt, by the game and its settings (N2, U1, U2, P1, P2, T1)."""

from __future__ import annotations

from referee.rules.settings import Settings

#: Open nerts beside the stack of nerts-twelve (T1).
SLOTS = 4
#: The staircases: cards of the work piles, from the first on.
STAIRCASES = {"nuts": (1, 2, 3, 4, 5), "team-nuts": (5, 4, 3, 2, 1)}

#: By kind and number of place: cards dealt to it, and how many of them lie face up.
Dealt = dict[tuple[str, int], tuple[int, int]]


def slots_of(game: str) -> int:
    """How many single Nerts cards lie open beside the stack."""
    return SLOTS if game == "nerts-twelve" else 0


def dealt_by(settings: Settings) -> Dealt:
    """The Nerts pile (with slots, the stack and these) and the work piles, whose last card lies face up."""
    game, nerts = settings.preset.name, settings.count("nerts_cards")
    slots = slots_of(game)
    if slots:
        dealt: Dealt = {("nerts", 0): (nerts - slots, 0)}
        dealt |= {("nerts", slot): (1, 1) for slot in range(1, slots + 1)}
    else:
        dealt = {("nerts", 0): (nerts, nerts if settings["nerts_face"] == "up" else 1)}
    return dealt | {("work", number): (size, 1) for number, size in enumerate(_work(settings), 1)}


def _work(settings: Settings) -> tuple[int, ...]:
    """Cards of the work piles."""
    game = settings.preset.name
    if game in STAIRCASES:
        return STAIRCASES[game]
    if slots_of(game):
        return tuple(range(1, settings.count("columns") + 1))
    return (1,) * settings.count("work_piles")
