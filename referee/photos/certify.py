"""Certified or asked: how likely each deck's count is exact, and what is to be done where that is not enough."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import prod

from referee.photos.certain import AGREED, SETTLED, TOGETHER, models
from referee.photos.evidence import FIGURES, WITHOUT_RIM, Evidence, Labelled, Spot, evidence_of
from referee.photos.followed import counted_again
from referee.photos.one_deck import halves
from referee.photos.queue import about_design
from referee.photos.requests import HANDS, covered, request_for, too_flat
from referee.photos.score import DECK, PhotoScore, Request
from vision.layout import Layout
from vision.photos.merging import Spread

#: A deck of which something else is asked is not sure, however well its cards are seen.
ASKED = 0.5
#: A design that may be two decks with so much is asked about.
TWOFOLD = 0.3
#: Where more people play than designs were seen, each design may be two with so much at least: hardly anybody has no
#: card in the centre at the end of a hand, and of two backs that look alike the eye makes one in all photos.
FEWER = 0.3
#: Of so many cards without a rim it is said how they are to be laid.
WORTH_SAYING = 1.0
_BARE = FIGURES.index(WITHOUT_RIM)
#: With less than this nothing can be said of a count.
REFUSED = 0.02


def certify(
    result: PhotoScore,
    spreads: Sequence[Spread],
    layouts: Mapping[int, Layout],
    faces: Mapping[int, Layout],
    playing: int = 0,
    whole: Mapping[int, Layout] | None = None,
) -> None:
    """Gives each deck of a score its state and the chance that its count is exact, and the score its requests, in place.

    `spreads`: those of the backs, `layouts`: their photos by number, `faces`: the others; `playing`: how many
    are known to play; `whole`: what photos showed before some of their cards were spread anew.
    """
    chances: dict[str, float] = {}
    bounds: dict[str, tuple[float, float]] = {}
    asked: list[tuple[Spread, dict[str, Evidence]]] = []
    one, several = models()
    designs = len({label for _, label in result.counted})
    for spread in spreads:
        model = one if len(spread.photos) == 1 else several
        mine = _of(result, spread)
        again = counted_again(mine, spread.photos, layouts, whole or {})
        told = evidence_of(mine, spread.photos, layouts, again, spread.onto)
        if playing > designs:
            _may_be_two(told, mine)
        # whatever lies beneath a hand is seen by nobody
        hidden = min(covered(layouts[photo]) for photo in spread.photos) >= HANDS
        asked.append((spread, told))
        for label, evidence in told.items():
            result.figures.setdefault(label, []).append((len(spread.photos) > 1, evidence.figures))
            exact = model.exact(evidence.figures, cards=_witnessed(result), designs=playing == designs)
            chances[label] = chances.get(label, 1.0) * exact * (ASKED if hidden else 1.0)
            before = bounds.get(label, (0.0, 0.0))
            bounds[label] = max(before[0], model.bound), max(before[1], model.alone)
    _judge(result, chances, bounds)
    result.requests += [
        flat for photo, layout in faces.items() if (flat := too_flat(photo, layout)) is not None
    ]
    unsure = {deck.back for deck in result.decks if deck.state != "sure"}
    # tops that were taken twice are believed
    backs_are_sure = all(chance >= bounds[label][1] for label, chance in chances.items())
    if _at_odds(result) and len(faces) == 1 and not result.requests and backs_are_sure:
        result.requests += _faces_again(result, faces)
        return
    for spread, told in asked:
        _ask_whether_one_deck(result, told, unsure, _of(result, spread))
        if told.keys() & set(unsure):
            photo = spread.photos[-1]
            request = request_for(photo, layouts[photo], _spots(told.values()))
            bare = sorted(
                label for label in told.keys() & unsure if told[label].figures[_BARE] >= WORTH_SAYING
            )
            if request.kind == "spread" and bare:
                backs, have = (" and ".join(bare), "backs") if len(bare) > 1 else (bare[0], "back")
                why = "they have no rim" if len(bare) > 1 else "it has no rim"
                beside = f". Lay those with the {backs} {have} side by side, none on another: {why}"
                request = replace(request, asks=request.asks + beside)
            result.requests.append(request)


def _judge(
    result: PhotoScore, chances: Mapping[str, float], bounds: Mapping[str, tuple[float, float]]
) -> None:
    """Gives each deck its chance and its state, in place. By label: the chance that its count is exact, and from which on
    it is sure, where all decks are as sure and beside others."""
    for deck in result.decks:
        if deck.back not in chances:
            deck.state = "sure" if deck.confidence == 1.0 else "asked"
    judged = [deck for deck in result.decks if deck.back in chances]
    for deck in judged:
        deck.confidence = chances[deck.back] * _amiss(result, deck.back, deck.centre + deck.left)
    every = all(deck.confidence >= bounds[deck.back][0] for deck in judged)
    if _witnessed(result) < 1.0:
        every = every and prod(deck.confidence for deck in judged) >= TOGETHER
    for deck in judged:
        sure = deck.confidence >= bounds[deck.back][0 if every else 1]
        deck.state = "sure" if sure else "asked" if deck.confidence >= REFUSED else "refused"


def _may_be_two(told: Mapping[str, Evidence], cards: Sequence[Labelled]) -> None:
    """Doubts every design of a spread that falls into parts of which nobody said that they are one, in place."""
    two = FIGURES.index("a design that may be two")
    for label, evidence in told.items():
        if halves(merged for merged, its in cards if its == label) is not None:
            evidence.figures[two] = max(evidence.figures[two], FEWER)


def _ask_whether_one_deck(
    result: PhotoScore, told: Mapping[str, Evidence], unsure: Collection[str], cards: Sequence[Labelled]
) -> None:
    """Questions about designs of a spread whose cards may be of two decks."""
    for label in sorted(told.keys() & set(unsure)):
        if told[label].figures[FIGURES.index("a design that may be two")] >= TWOFOLD:
            doubt = about_design(result, label, cards)
            if doubt is not None:
                doubt.worth = max(doubt.worth, TWOFOLD)
                result.doubts.append(doubt)


def _of(result: PhotoScore, spread: Spread) -> list[Labelled]:
    """The cards of a spread that were counted, with their decks."""
    return [(merged, label) for merged, label in result.counted if merged.photo in spread.photos]


def _spots(told: Collection[Evidence]) -> list[Spot]:
    return [spot for evidence in told for spot in evidence.spots]


def _witnessed(result: PhotoScore) -> float:
    """What the faces leave of doubts about single cards."""
    return SETTLED if result.settled else AGREED if result.agrees else 1.0


def _at_odds(result: PhotoScore) -> bool:
    """Do the faces give another number of cards, in the end, too?"""
    return result.agrees is False and not result.settled


def _faces_again(result: PhotoScore, faces: Mapping[int, Layout]) -> list[Request]:
    """What to do where backs would be sure but for the faces: a top that is hidden or misread is the likelier fault."""
    asks = (
        f"The backs, {result.total_by_backs} cards, are seen well, and the tops give {result.total_by_faces}: push the "
        "foundations apart, and photograph them again"
    )
    return [Request("again", asks, max(faces))]


def _amiss(result: PhotoScore, label: str, cards: int) -> float:
    """What a chance counts where something else is wrong: faces among the backs, more cards than a deck has, or totals
    that do not agree."""
    wrong = bool(result.face_up) or cards > DECK or _at_odds(result) or label in result.hardly
    return ASKED if wrong else 1.0
