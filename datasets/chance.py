"""States of the random generator as text, so that what is left to chance can be drawn again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Draws:
    """The state of the generator before each part of a picture that only chance decides; "" where there is none."""

    #: The table's surface, with what is strewn on it.
    surface: str = ""
    #: Hands over the cards.
    hands: str = ""
    #: Lens and sensor.
    exposure: str = ""


def chance_of(rng: np.random.Generator) -> str:
    """The generator's state, for `generator_of`: four hexadecimal numbers."""
    state = rng.bit_generator.state
    inner = state["state"]
    return " ".join(
        f"{int(v):x}" for v in (inner["state"], inner["inc"], state["has_uint32"], state["uinteger"])
    )


def generator_of(chance: str) -> np.random.Generator:
    """A generator that goes on from a state of `chance_of`; raises ValueError where the text is none."""
    state, increment, has, integer = (int(part, 16) for part in chance.split())
    bits = np.random.PCG64()
    bits.state = {
        "bit_generator": "PCG64",
        "state": {"state": state, "inc": increment},
        "has_uint32": has,
        "uinteger": integer,
    }
    return np.random.Generator(bits)
