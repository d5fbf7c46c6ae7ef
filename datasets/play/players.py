"""Simulated players: whole hands of Nerts on a clock, played by seats of different speed and skill.

`play_hand` deals, lets every seat look, decide, reach, lift, carry and land until somebody calls, and returns
the `PlayedHand`: all deeds with their moments. It knows places by name only; where they lie on the table and
how a hand gets there is the business of `datasets.film`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from datasets.play.clock import Clock
from datasets.play.deeds import Game, House, PlayedHand, Player
from datasets.play.mishaps import Mishap
from datasets.play.plants import OF_A_GAME, Plant, Tie


def play_hand(
    players: Sequence[Player],
    seed: int,
    *,
    game: Game = "nerts",
    starts: float = 1.6,
    latest: float = 240.0,
    longest: int = 11,
    house: House | None = None,
    plants: Sequence[Plant] = (),
    ties: Sequence[Tie] = (),
    mishaps: Sequence[Mishap] = (),
) -> PlayedHand:
    """Play one hand of a preset to its call.

    `starts`: seconds of quiet before the first hand moves; `latest`: seconds after which the hand is given
    up; `longest`: cards that a work pile may hold before it runs off the player's side of the table; `house`: house rules
    (`datasets.play.dealing.layout_of`).
    """
    clock = Clock(players, seed, game=game, starts=starts, latest=latest, longest=longest, house=house)
    clock.stage(plants, ties, mishaps)
    return clock.run()


def find_hand(
    players: Sequence[Player],
    seed: int,
    *,
    game: Game = "nerts",
    shortest: float = 0.0,
    latest: float = 150.0,
    least: int = 0,
    tries: int = 400,
    starts: float = 1.6,
    longest: int = 11,
    house: House | None = None,
    plants: Sequence[Plant] = (),
    ties: Sequence[Tie] = (),
    mishaps: Sequence[Mishap] = (),
) -> PlayedHand:
    """The first hand of a seed's row of deals that is called in time and holds every planted play.

    `least`: plays that it must have. Raises `ValueError` when none of `tries` deals does: then allow more time,
    fewer plays or fewer plants; and when a plant breaks no rule of the preset.
    """
    for plant in plants:
        if OF_A_GAME.get(plant.kind, game) != game:
            raise ValueError(
                f"'{plant.kind}' breaks a rule of {OF_A_GAME[plant.kind]} only: play that, not {game}"
            )
    for attempt in range(tries):
        deal_seed = int(np.random.SeedSequence([seed, attempt]).generate_state(1)[0])
        hand = play_hand(
            players,
            deal_seed,
            game=game,
            starts=starts,
            latest=latest,
            longest=longest,
            house=house,
            plants=plants,
            ties=ties,
            mishaps=mishaps,
        )
        full = hand.ends >= shortest and len(hand.plays) >= least and not hand.owed
        if hand.why == "called" and full:
            return hand
    raise ValueError(
        f"none of {tries} deals of seed {seed} is called within {latest:g} s with {least} plays, {len(plants)} "
        f"illegal ones, {len(ties)} ties and {len(mishaps)} mishaps: allow more time or ask for less"
    )
