"""What is kept for acceptance, by any part of a name that gives it away: the one place where these names may stand."""

from __future__ import annotations

import re

#: Decks, backs and textures whose names mean nothing else: they must not stand anywhere in the project.
NAMES = (
    "younestouati", "deck-of-cards", "aguilar", "byron", "knoll", "tekeye", "jeuxcartes", "ornamental", "nicu",
    "jolly-royal", "oxygen", "lattmann", "rheinland", "dark-wood", "wood-tiles", "green-wood",
    "gray-woodgrain", "light-gray-floor-tile", "cream-plaster", "gray-felt",
)  # fmt: skip
#: Names that are everyday words, too: they must not stand among what is fetched, nor as a picture's name.
WORDS = (
    "tango", "jolly", "standard", "lobby", "workshop", "hall", "apartment", "lab", "warehouse",
)  # fmt: skip

_PICTURE = r"[\w-]*\.(?:hdr|exr|svgz?|png|jpe?g|webp|pat)\b"


def _one_of(names: tuple[str, ...]) -> str:
    # packages write the same name with hyphens, underscores and spaces
    return "|".join(re.sub("[-_]", "[-_ ]", name) for name in names)


_DATA = re.compile(rf"(?<![a-z])(?:{_one_of(NAMES + WORDS)})(?![a-z])")
_TEXT = re.compile(rf"(?<![a-z])(?:(?:{_one_of(NAMES)})(?![a-z])|(?:{_one_of(WORDS)}){_PICTURE})")


def in_data(text: str) -> list[str]:
    """Reserved names in a list of what is fetched."""
    return [found.group() for found in _DATA.finditer(text.lower())]


def in_text(text: str) -> list[str]:
    """Reserved names in a source or a page, where everyday words may stand."""
    return [found.group() for found in _TEXT.finditer(text.lower())]
