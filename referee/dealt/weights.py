"""How much speaks against a count, for each of what may be amiss."""

from __future__ import annotations

#: Cards by which a deck's count may be off, for each of what may be amiss (their sum is the mean of a Poisson variable).
WEIGHTS = {
    "card": 0.0005,
    "unseen": 1.0,
    "pause": 0.6,
    "taken back": 0.01,
    "taken back alike": 0.02,
    "taken back unlike": 0.4,
    "face": 0.5,
    "hardly": 0.3,
    "unclear": 0.4,
    "missing": 0.6,
    "strange": 0.5,
    "apart": 0.4,
    "one pile": 0.4,
    "faint": 0.4,
    "haste": 0.4,
    "few": 0.4,
    "none left": 0.5,
    "too many": 1.0,
    "record": 0.7,
    "reaching": 0.04,
    "unclear in time": 0.01,
}
