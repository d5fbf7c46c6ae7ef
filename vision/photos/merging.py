"""Several photos of one spread taken together: every card once, with what all photos say of it.

Photos show the same cards when these can be laid on one another (`vision/geometry/registration.py`) far better than
chance would have it. Then every place on the table at which some photo shows a card is voted on: photos that show the
place and no card speak against it. Backs are of one design if most photos that show both of them have them so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from vision.backs.deckfile import UNKNOWN
from vision.backs.margins import apart_in
from vision.geometry.plane import apply
from vision.geometry.polygons import overlap
from vision.geometry.registration import Registration, agreement, pair_up, poses, register
from vision.layout import FACES, Layout, SeenCard
from vision.photos.deck_match import design_of, free_label, is_enrolled, unlikeness
from vision.photos.views import in_view, shown_at

Floats = NDArray[np.float64]

#: Photos show the same cards when the share of the cards in both their views that fall into place, times the share of
#: these that agree on face or design, less so much a mm that they are off beyond `CLOSE_MM`, is at least this; and so
#: many cards do, faces or backs. Chosen on drawn spreads of the tuning decks.
SAME, CLOSE_MM, PER_MM = 0.62, 2.0, 0.05
#: Photos that fit so well may show the same cards or others.
MAYBE = 0.35
LEAST_FACES, LEAST_BACKS = 2, 3
#: mm up to which cards that are no other's are one.
LEFT_OVER_MM = 16.0
#: Share of what shows of two such cards together that both show, from which on they are one.
SHOWN_ALIKE = 0.4
#: Designs that differ more than this are two, however well their cards fit (`vision.photos.deck_match.unlikeness`).
OTHER_DESIGN = 1.5
#: Log odds that a card is there: a constant, what each photo that shows it adds beside its own log odds, their weight,
#: and what each photo that shows its place without it takes away. Fitted to drawn spreads of the tuning decks: of what
#: one of two photos misses, half are cards. So the photo whose cards are surest on average has a casting vote: its
#: number of cards is exact more often than what the others make of it.
VOTE = (1.1, -0.1, 0.3, 1.2)
CASTING = 0.7


@dataclass(frozen=True, slots=True)
class MergedCard:
    """One card of a spread."""

    #: As the photo that shows most of it has it; confidence, face and back are those of all photos together.
    card: SeenCard
    #: That photo.
    photo: int
    #: Photos that show it, and photos that show its place and not it.
    seen: tuple[int, ...]
    missed: tuple[int, ...] = ()
    #: Do photos disagree on its design?
    back_disputed: bool = False
    #: The card as each of the photos that show it has it, in their order.
    of: tuple[SeenCard, ...] = ()


@dataclass(frozen=True, slots=True)
class Spread:
    """Cards that lie on a table, and the photos that show them, numbered as they were given."""

    photos: tuple[int, ...]
    cards: tuple[MergedCard, ...]
    #: (3, 3) each: px of each of several photos to mm on one table; () of a single one.
    onto: tuple[Floats, ...] = ()


@dataclass(frozen=True, slots=True)
class Compared:
    """Two photos laid on one another, and how well they fit: 1 at best (`fit`)."""

    registration: Registration
    fit: float


def compare(layouts: Sequence[Layout]) -> dict[tuple[int, int], Compared]:
    """Every two photos that can be laid on one another, by their numbers."""
    found = {}
    for i, j in combinations(range(len(layouts)), 2):
        registration = register(layouts[i], layouts[j])
        if registration is not None:
            found[i, j] = Compared(registration, fit(layouts[i], layouts[j], registration))
    return found


def merge(
    layouts: Sequence[Layout], compared: Mapping[tuple[int, int], Compared], least: float = SAME
) -> list[Spread]:
    """The spreads that these photos show, one photo or several each; what fits at least so well is one spread."""
    found = {pair: two.registration for pair, two in compared.items() if two.fit >= least}
    onto: dict[int, Floats] = {}
    spreads = []
    for first in range(len(layouts)):
        if first not in onto:
            onto[first] = np.eye(3)
            spreads.append(_merged(layouts, _reached(first, found, onto), onto))
    return spreads


def _reached(first: int, found: Mapping[tuple[int, int], Registration], onto: dict[int, Floats]) -> list[int]:
    """The photos that show what photo `first` shows, in order; `onto` is told how they lie on it."""
    members = [first]
    for here in members:
        for (i, j), registration in found.items():
            step = {i: (j, registration.to_first), j: (i, np.linalg.inv(registration.to_first))}.get(here)
            if step is not None and step[0] not in onto:
                onto[step[0]] = onto[here] @ step[1]
                members.append(step[0])
    return sorted(members)


def fit(first: Layout, second: Layout, registration: Registration) -> float:
    """How well two photos fit, from 0 to 1: see `SAME`."""
    pairs = registration.pairs
    faces = sum(first.cards[i].side == "face" for i, _ in pairs)
    if faces < LEAST_FACES and len(pairs) - faces < LEAST_BACKS:
        return 0.0
    fallen, apart, agree = likeness(first, second, registration)
    if _designs_differ(first, second, pairs):
        return 0.0
    return max(0.0, fallen * agree - PER_MM * max(apart - CLOSE_MM, 0.0))


def _designs_differ(first: Layout, second: Layout, pairs: NDArray[np.intp]) -> bool:
    """Are most backs that fell into one place of designs that cannot be one?"""
    met: dict[tuple[str | None, str | None], list[tuple[SeenCard, SeenCard]]] = {}
    for i, j in pairs:
        one, two = first.cards[i], second.cards[j]
        if one.side == "back":
            met.setdefault((one.back, two.back), []).append((one, two))
    apart = [
        (len(some), unlikeness(design_of([a for a, _ in some]), design_of([b for _, b in some])))
        for some in met.values()
    ]
    other = sum(count for count, far in apart if far > OTHER_DESIGN)
    return 2 * other > sum(count for count, _ in apart)


def likeness(first: Layout, second: Layout, registration: Registration) -> tuple[float, float, float]:
    """Share of the cards in both photos' view that fall into place, how far they are apart (mm), share that agree."""
    assert first.to_table is not None and second.to_table is not None
    there: Floats = np.linalg.inv(second.to_table) @ np.linalg.inv(registration.to_first) @ first.to_table
    common = sum(in_view(second, apply(there, shown_at(card)[None])[0]) for card in first.cards)
    back = np.asarray(np.linalg.inv(there), dtype=np.float64)
    common_back = sum(in_view(first, apply(back, shown_at(card)[None])[0]) for card in second.cards)
    pairs = registration.pairs
    apart = float(np.sqrt((registration.apart**2).mean())) if len(pairs) else np.inf
    return len(pairs) / max(common, common_back, len(pairs), 1), apart, agreement(first, second, pairs)


@dataclass(slots=True)
class _Place:
    """A spot on the table at which photos show a card: (photo, row) of each, and their poses."""

    members: list[tuple[int, int]]
    poses: list[Floats]

    def mean(self) -> Floats:
        return np.asarray(np.mean(self.poses, axis=0))


def _merged(layouts: Sequence[Layout], members: list[int], onto: dict[int, Floats]) -> Spread:
    if len(members) == 1:
        (only,) = members
        alone = tuple(MergedCard(card, only, (only,), of=(card,)) for card in layouts[only].cards)
        return Spread((only,), alone)
    into = {k: onto[k] @ table for k in members if (table := layouts[k].to_table) is not None}
    places = _places(layouts, into)
    lead = max(into, key=lambda k: float(np.mean([card.confidence for card in layouts[k].cards])))
    cards = [_voted(layouts, into, place, lead) for place in places]
    _settle_backs(layouts, places, cards, lead)
    return Spread(tuple(members), tuple(cards), tuple(into[k] for k in members))


def _places(layouts: Sequence[Layout], into: dict[int, Floats]) -> list[_Place]:
    """Cards of all photos, those in one place together; the photo with most cards first."""
    places: list[_Place] = []
    for k in sorted(into, key=lambda k: -len(layouts[k].cards)):
        mine = poses(layouts[k], into[k])
        known = np.array([place.mean() for place in places]).reshape(-1, 4)
        barred = np.array(
            [[_side(layouts, place) != card.side for card in layouts[k].cards] for place in places],
            dtype=bool,
        ).reshape(len(known), len(mine))
        pairs, _ = pair_up(known, mine, barred)
        # what is left over on both sides and near is one card that a bent row or a wrong plane has moved
        barred[pairs[:, 0]] = barred[:, pairs[:, 1]] = True
        pairs = np.concatenate([pairs, pair_up(known, mine, barred, LEFT_OVER_MM)[0]])
        # and what shows of two strips is one even where it is not seen how they go on
        pairs = np.concatenate([pairs, _shown_alike(layouts, into, places, k, pairs)])
        for place, row in pairs:
            places[place].members.append((k, int(row)))
            places[place].poses.append(mine[row])
        met = set(pairs[:, 1].tolist())
        places += [_Place([(k, row)], [mine[row]]) for row in range(len(mine)) if row not in met]
    return places


def _shown_alike(
    layouts: Sequence[Layout],
    into: Mapping[int, Floats],
    places: Sequence[_Place],
    photo: int,
    pairs: NDArray[np.intp],
) -> NDArray[np.intp]:
    """(m, 2) places and cards of a photo, beside these `pairs`, of which the same part is seen, none twice.

    Only of designs that are one in other places, and of faces that are read as one.
    """
    cards = layouts[photo].cards
    first = [layouts[k].cards[row] for k, row in (place.members[0] for place in places)]
    one = Counter((first[place].back, cards[row].back) for place, row in pairs)
    found = []
    for place in set(range(len(places))) - set(pairs[:, 0].tolist()):
        for row in set(range(len(cards))) - set(pairs[:, 1].tolist()):
            mine, other = first[place], cards[row]
            alike = mine.face == other.face if mine.side == "face" else one[mine.back, other.back] > 0
            if mine.side == other.side and alike and len(mine.visible) and len(other.visible):
                seen = apply(into[places[place].members[0][0]], mine.visible)
                found.append((overlap(seen, apply(into[photo], other.visible)), place, row))
    kept: list[tuple[int, int]] = []
    for common, place, row in sorted(found, reverse=True):
        if common >= SHOWN_ALIKE and all(place != there and row != its for there, its in kept):
            kept.append((place, row))
    return np.array(kept, dtype=np.intp).reshape(-1, 2)


def _side(layouts: Sequence[Layout], place: _Place) -> str:
    photo, row = place.members[0]
    return layouts[photo].cards[row].side


def _voted(layouts: Sequence[Layout], into: dict[int, Floats], place: _Place, lead: int) -> MergedCard:
    """One card as all photos have it."""
    members = sorted(place.members)
    cards = [layouts[photo].cards[row] for photo, row in members]
    best = max(range(len(cards)), key=lambda k: cards[k].visible_fraction * layouts[members[k][0]].px_per_mm)
    photo = members[best][0]
    seen = tuple(photo for photo, _ in members)
    spot = apply(into[photo], shown_at(cards[best])[None])
    back = {k: np.asarray(np.linalg.inv(onto)) for k, onto in into.items() if k not in seen}
    missed = tuple(k for k, onto in back.items() if in_view(layouts[k], apply(onto, spot)[0]))
    casting = CASTING * ((lead in seen) - (lead in missed)) if missed else 0.0
    card = replace(cards[best], confidence=_chance([card.confidence for card in cards], len(missed), casting))
    if card.side == "face":
        _read_together(card, cards)
    told = next((card for card in cards if card.told), None)
    if told is not None:
        card.told, card.confidence = True, told.confidence
        card.face, card.face_confidence = told.face, told.face_confidence
    return MergedCard(card, photo, seen, missed, of=tuple(cards))


def _chance(confidences: Sequence[float], missed: int, casting: float) -> float:
    """That a card is there which was seen with these confidences, and `missed` times not."""
    kept = np.clip(confidences, 0.02, 0.98)
    constant, seen, weight, unseen = VOTE
    odds = (
        constant
        + len(kept) * seen
        + weight * float(np.log(kept / (1 - kept)).sum())
        - unseen * missed
        + casting
    )
    return float(1 / (1 + np.exp(-odds)))


def _read_together(card: SeenCard, cards: Sequence[SeenCard]) -> None:
    """The face that all photos speak for: the mean of what they read, sure readings counting more, in place."""
    read = [c.face_probabilities for c in cards if c.face_probabilities is not None]
    if not read:
        return
    every = np.stack(read)
    weight = every.max(axis=1, keepdims=True) ** 2
    chances = (weight * every).sum(axis=0) / np.maximum(weight.sum(axis=0), 1e-9)
    card.face_probabilities = chances
    best = int(np.argmax(chances))
    card.face_confidence = float(chances[best])
    named = [c for c in cards if c.face == FACES[best]]
    card.face = FACES[best] if named else None


def _settle_backs(
    layouts: Sequence[Layout], places: Sequence[_Place], cards: list[MergedCard], lead: int
) -> None:
    """Gives backs the label of the design that most photos have them in; the photo `lead` has a casting vote."""
    rows = [n for n, merged in enumerate(cards) if merged.card.side == "back"]
    if len(rows) < 2:
        return
    photos = sorted({photo for place in places for photo, _ in place.members})
    label = [dict(_labels(layouts, places[n])) for n in rows]
    differ, told = np.zeros((len(rows), len(rows))), np.full((len(rows), len(rows)), 1e-6)
    for photo in photos:
        shown = [_shown_by(layouts[photo], photo, places[n]) for n in rows]
        both = np.array([card is not None for card in shown])
        weight = 1.01 if photo == lead else 1.0
        differ += weight * apart_in(shown)
        told += weight * (both[:, None] & both[None])
    apart = (differ + 0.5e-6) / told
    np.fill_diagonal(apart, 0.0)
    group = fcluster(linkage(squareform(apart, checks=False), "average"), 0.5, "distance")
    enrolled = {
        card.back
        for layout in layouts
        for card in layout.cards
        if card.back and is_enrolled(card.back, [card])
    }
    named = _names(group, label, enrolled)
    usual = {
        (photo, g): Counter(
            mine[photo] for mine, its in zip(label, group, strict=True) if its == g and photo in mine
        ).most_common(1)
        for photo in photos
        for g in set(group)
    }
    for n, mine, g in zip(rows, label, group, strict=True):
        disputed = any(usual[photo, g][0][0] != name for photo, name in mine.items())
        cards[n] = replace(cards[n], card=replace(cards[n].card, back=named[int(g)]), back_disputed=disputed)


def _shown_by(layout: Layout, photo: int, place: _Place) -> SeenCard | None:
    """The card at a place as one photo has it; None where that shows none, or none whose design it names."""
    row = dict(place.members).get(photo)
    return None if row is None or layout.cards[row].back is None else layout.cards[row]


def _labels(layouts: Sequence[Layout], place: _Place) -> list[tuple[int, str]]:
    found = ((photo, layouts[photo].cards[row].back) for photo, row in place.members)
    return [(photo, back) for photo, back in found if back is not None]


def _names(group: NDArray[np.intp], label: list[dict[int, str]], enrolled: Collection[str]) -> dict[int, str]:
    """A label for each design, told apart by numbers: what most of it is called in the first photo that shows it.

    Who shows most of a label keeps it, photos in order: so one that is added changes no label that people have seen
    already. Names of enrolled decks stay as they are: two designs of one name are one deck.
    """
    told = Counter(
        (photo, name, int(g)) for mine, g in zip(label, group, strict=True) for photo, name in mine.items()
    )
    names = _enrolled_names(told, enrolled)
    told = Counter({vote: number for vote, number in told.items() if vote[1] not in enrolled})
    for photo in sorted({photo for photo, _, _ in told}):
        votes = [(name, g) for (its, name, g), _ in told.most_common() if its == photo]
        for name, g in votes:
            if g not in names and name not in names.values():
                names[g] = name
        for name, g in votes:
            if g not in names:
                names[g] = free_label(name, names.values())
    for g in set(map(int, group)) - set(names):
        names[g] = free_label(UNKNOWN, names.values())
    return names


def _enrolled_names(told: Mapping[tuple[int, str, int], int], enrolled: Collection[str]) -> dict[int, str]:
    """The designs that are enrolled decks: by no fewer votes than for all names that are none.

    For the eye seldom calls a stranger by a deck's name, and oftener a deck unknown.
    """
    names: dict[int, str] = {}
    for g in {g for _, _, g in told}:
        votes: Counter[str] = Counter()
        for (_, name, its), number in told.items():
            votes[name if name in enrolled else UNKNOWN] += number * (its == g)
        best = max(sorted(enrolled), key=lambda name: votes[name], default=None)
        if best is not None and votes[best] >= max(votes[UNKNOWN], 1):
            names[g] = best
    return names
