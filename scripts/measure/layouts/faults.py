"""How an eye errs, as `faults.json` tells: rates by the share of a card that is seen, each with where it comes from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

SHIPPED = Path(__file__).with_name("faults.json")

Rate = Annotated[float, Field(ge=0.0, le=1.0)]
ByShare = Annotated[tuple[Rate, ...], Field(min_length=6, max_length=6)]
Quantiles = Annotated[tuple[Rate, ...], Field(min_length=5, max_length=5)]
Positive = Annotated[float, Field(ge=0.0)]


class Faults(BaseModel):
    """Rates are probabilities; a list of six goes by the share of the card that is seen, bounded by `shares`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    #: Median s that a look keeps the eye busy, and the standard deviation of its logarithm.
    look_s: Positive = 0.0
    look_spread: Positive = 0.0
    #: How often a card that lies as before is seen as before, right or wrong.
    steady: Rate = 0.0
    #: Standard deviations of a card's middle (mm, on either axis) and turn (degrees).
    off_mm: Annotated[tuple[Positive, ...], Field(min_length=6, max_length=6)] = (0.0,) * 6
    turn_deg: Positive = 0.0
    shares: Annotated[tuple[Rate, ...], Field(min_length=5, max_length=5)] = (0.1, 0.2, 0.3, 0.5, 0.8)
    #: A card is not seen at all; is read as another; cannot be read; is a face and taken for a back.
    missed: ByShare = (0.0,) * 6
    misread: ByShare = (0.0,) * 6
    unread: ByShare = (0.0,) * 6
    turned: ByShare = (0.0,) * 6
    #: For slivers (the first share), strips (up to half a card) and whole cards: how often a misread card is taken for
    #: one of its "suit", of its "rank" and colour, or for "any".
    confusions: Mapping[str, Mapping[str, Rate]] = Field(default_factory=dict)
    #: Probabilities that a reading gives: at 1, 5, 10, 25 and 50 % of "right" strips and "whole" cards, at 5, 25, 50,
    #: 75 and 95 % of "wrong" ones, and what these leave to the "truth".
    sure: Mapping[str, Quantiles] = Field(default_factory=dict)
    #: A carried card is not seen.
    in_air: Rate = 0.0
    #: A hand is not seen, by the share of the picture looked at that it takes, bounded by `hand_shares`.
    hand_missed: Annotated[tuple[Rate, ...], Field(min_length=3, max_length=3)] = (0.0,) * 3
    hand_shares: Annotated[tuple[Rate, ...], Field(min_length=2, max_length=2)] = (0.05, 0.2)
    #: It is not told when a card landed, or was lifted; it is told, and the true moment lies outside.
    landing_missed: Rate = 0.0
    landing_off: Rate = 0.0
    lift_missed: Rate = 0.0
    lift_off: Rate = 0.0

    def times(self, much: float) -> Faults:
        """An eye that errs so many times as often."""
        more = {name: tuple(min(0.95, rate * much) for rate in getattr(self, name)) for name in _OFTENER}
        return self.model_copy(update=more)


_OFTENER = ("missed", "misread", "unread", "turned", "hand_missed")
#: An eye that sees all that shows, at once and where it is.
NONE = Faults()


def faults_of(file: Path = SHIPPED) -> Faults:
    """The faults that a file tells; raises `ValueError` in one line where it tells none."""
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
        values = {name: entry["value"] for name, entry in told.items() if name != "measured"}
        return Faults.model_validate(values)
    except ValidationError as error:
        wrong = error.errors()[0]
        raise ValueError(f"{file}: {'.'.join(map(str, wrong['loc']))}: {wrong['msg']}") from None
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(
            f"{file}: no faults can be read ({error}): write them as {SHIPPED.name} does"
        ) from None
