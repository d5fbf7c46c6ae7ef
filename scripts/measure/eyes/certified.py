"""Counts that are certified, from one photo, from two and after one request was followed, and how many are exact.

    python -m scripts.measure.eyes.certified cache/lays-figures

for lays that scripts/build/seen/lays.py kept; `make eval` draws its own.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tqdm import tqdm

from datasets.decks import Split
from scripts.build.seen.kept import SeenLay, kept_lays
from scripts.build.seen.lays import seen_lay
from scripts.building import BuildError, ended
from scripts.calibrate.counts import Counted, ways
from scripts.measure.eyes.shares import Share, share
from vision.eye import Sees

#: The lays with the backs of other printers; all others are framed.
PRINTED = "printed"


@dataclass(frozen=True, slots=True)
class LayRecord:
    """One spread: what each of two photos gives, what both do, and what the first does, or both, once its request was
    followed."""

    kind: str
    one: list[Counted]
    two: Counted
    followed: Counted
    three: Counted

    @classmethod
    def of(cls, lay: SeenLay) -> LayRecord:
        """What a lay's photos give; where nothing was spread anew, another photo was asked for, or nothing."""
        told = list(ways(lay))
        one, two = [way for way in told if way.photos == "one"], next(w for w in told if w.photos == "two")
        after = next((way for way in told if way.photos == "followed"), two)
        three = next((way for way in told if way.photos == "three"), two)
        # of a count that is sure nothing is asked
        sure = next((way for way in (one[0], two) if way.certified), three)
        return cls(lay.kind, one, two, one[0] if one[0].certified else after, sure)


@dataclass(slots=True)
class Certified:
    """All lays that were measured."""

    lays: list[LayRecord] = field(default_factory=list)

    def rows(self) -> list[tuple[str, str, object]]:
        """For the report: point, asked, measured."""
        told: list[tuple[str, str, object]] = []
        for name, lays in (
            ("spreads of framed backs", [lay for lay in self.lays if lay.kind != PRINTED]),
            ("spreads of backs as printers print them", [lay for lay in self.lays if lay.kind == PRINTED]),
        ):
            if lays:
                told += [
                    (
                        f"{name}, every deck's count certified: from one photo",
                        ">= 0.30",
                        _certified(_ones(lays)),
                    ),
                    ("... from two", ">= 0.50", _certified([lay.two for lay in lays])),
                    ("... after one request followed", ">= 0.75", _certified([lay.followed for lay in lays])),
                    ("... from two and after the request", "", _certified([lay.three for lay in lays])),
                ]
        for name, asked, some in (
            ("exact among certified", ">= 0.98", _every(self.lays)),
            ("... from one photo", "", _ones(self.lays)),
            ("... from two", "", [lay.two for lay in self.lays]),
            ("... after one request followed", "", [lay.followed for lay in self.lays]),
            ("... from two and after the request", "", [lay.three for lay in self.lays]),
        ):
            told.append((name, asked, share([way for way in some if way.certified], lambda way: way.exact)))
        decks = [deck for way in _every(self.lays) for deck in way.decks]
        sure = [deck for deck in decks if deck.state == "sure"]
        told.append(("decks that are sure", "", Share(len(sure), len(decks))))
        told.append(("... of these exact", "", share(sure, lambda deck: deck.off == 0)))
        told.append(
            ("counts exact, certified or not: from one photo", "", share(_ones(self.lays), lambda w: w.exact))
        )
        told.append(("... from two", "", share([lay.two for lay in self.lays], lambda way: way.exact)))
        return told


def measure_certified(eye: Sees, split: Split, seed: int, number: int) -> Certified:
    """`number` lays drawn with decks of a split."""
    lays = tqdm((seen_lay(eye, split, seed, i) for i in range(number)), desc="lays", total=number)
    return Certified([LayRecord.of(lay) for lay in lays])


def _ones(lays: Sequence[LayRecord]) -> list[Counted]:
    return [way for lay in lays for way in lay.one]


def _every(lays: Sequence[LayRecord]) -> list[Counted]:
    return [way for lay in lays for way in (*lay.one, lay.two, lay.followed)]


def _certified(counts: Sequence[Counted]) -> Share:
    return share(counts, lambda way: way.certified)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("lays", type=Path, nargs="+")
    options = parser.parse_args(arguments)
    return ended("measure.eyes.certified", lambda: _told(options.lays))


def _told(folders: Sequence[Path]) -> str:
    lays = [LayRecord.of(lay) for folder in folders for lay in kept_lays(folder)]
    if not lays:
        raise BuildError(f"{folders[0]} holds no lays; scripts.build.seen.lays draws them")
    return "\n".join(
        f"{point}  {asked or '-'}  {measured}" for point, asked, measured in Certified(lays).rows()
    )


if __name__ == "__main__":
    sys.exit(main())
