"""What is told beside the photos of a hand has to fit them: whose decks they show, and which photo is of what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from referee.service import BadInputError
from vision.capture.frames import Image


def check_decks(seats: Mapping[str, str], report: Mapping[str, Any]) -> None:
    """Raises BadInputError for a deck of --deck LABEL=SEAT that no photo shows, unless --left tells of its player."""
    shown = sorted(deck["back"] for deck in report["decks"])
    for label, seat in seats.items():
        if label in shown:
            continue
        asked = f"--deck {label}={seat}: "
        if report["total_by_backs"] is None:
            raise BadInputError(
                f"{asked}the photos show no backs, spread the cards backs up and add that photo"
            )
        raise BadInputError(
            f"{asked}no back in the photos is called {label}, they show {', '.join(shown)}; if none of its cards is in "
            f"the centre, add --left {seat}=N"
        )


def check_left(left: Mapping[str, int], report: Mapping[str, Any]) -> None:
    """Raises BadInputError for what somebody is told to have left (by seat or deck) of whom a dealing shows nothing."""
    known = {deck[name] for deck in report["decks"] for name in ("back", "seat")}
    for key, cards in left.items():
        if key not in known:
            raise BadInputError(
                f"--left {key}={cards}: nobody with that name or deck is known, the decks are called "
                f"{', '.join(sorted(deck['back'] for deck in report['decks']))}; say whose they are, like "
                f"--deck {report['decks'][0]['back']}={key}"
            )


def check_piles(centre: Sequence[Image], piles: Mapping[str, Image], paths: Mapping[str, Path]) -> None:
    """Raises BadInputError for a photo of what somebody has left that is one of something else, too; all by seat."""
    for seat, image in piles.items():
        if any(np.array_equal(image, other) for other in centre):
            raise BadInputError(
                f"--left {seat}={paths[seat]}: {paths[seat].name} is given as the centre, too: give a photo of what "
                f"{seat} has left"
            )
    for one, other in combinations(piles, 2):
        if np.array_equal(piles[one], piles[other]):
            raise BadInputError(
                f"--left tells by one photo what {one} and {other} have left: give a photo of each pile"
            )
