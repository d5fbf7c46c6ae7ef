"""What speaks for and against a deck's count, as figures that a small model weighs (`referee/photos/certain.py`).

Each doubt is a number of cards by which a count may be off, and has its place in a photo: cards that hardly were believed
in, things that nearly were, cards whose back is like another deck's, too, cards that some photos show and others not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from referee.photos.decks import hardly_seen
from referee.photos.one_deck import twofold
from referee.photos.score import DECK
from vision.backs.margins import MARGIN
from vision.geometry.plane import tilt_of
from vision.geometry.polygons import oriented_iou
from vision.layout import Doubted, Layout, SeenCard
from vision.photos.merging import MergedCard
from vision.photos.views import in_view, laid_on, shown_at

Floats = NDArray[np.float64]

#: A card and the label of its deck.
Labelled = tuple[MergedCard, str]
#: Nothing is surer, nor less sure, than this.
LEAST, MOST = 0.02, 0.999
#: A card that is none with no more than this is as good as one: in all 1,800 such cards three are none.
SURELY = 0.01
#: So many of the nearest cards tell whose a card would be that may lie there.
NEAREST = 5
#: What a card is worth that the other photos do not show.
VOTED_OUT = 0.5
#: What is nearly a card in two photos is the same where both share so much (IoU), and as likely one as both chances
#: together; of what the others show nothing of in its place so much is left. In 64 lays of `tune` (two photos) none of 69
#: such was a card, and twelve of 74 that both nearly saw.
MET, ALONE = 0.4, 0.1
#: A card of which less shows is a sliver.
SLIVER = 0.09
#: Of so many cards of a pile that are hidden in part at least, one that shows so many times as much as most may be two:
#: in 31 photos of `tune` in which no card was missed 0.3 such, in 14 others 2.4.
LEAST_STRIPS, WIDE, HIDDEN = 4, 1.7, 0.6
#: Lab units by which a rim is hardly seen (`vision/backs/rims.py`), and how sharply: in 80 photos of `tune` prints to the
#: very edge mostly have less than 2.6, framed backs 3.3 and more.
RIM, SHARPLY = 3.0, 0.6
#: A design has a rim if all but such a share of its cards show one: a card that lies a little off seems to.
RIMMED = 0.35
#: A camera that leans by more (radians) hides strips, and so does a scale of less (px a mm).
SLANT, SCALE = np.radians(25.0), 2.2
#: What is doubted of a design of which no card is seen whole beside large ones, shared out to its cards: spread anew they
#: show themselves.
NOT_WHOLE = 0.5
#: A card of such a design is doubted by so much where it lies; what is left of that where it was spread anew: two would
#: have to have been laid almost on one another twice.
OVERLAPPED, LAID_TWICE = 0.05, 0.1
#: What is left of doubts that cards are missing from a deck that is complete.
COMPLETE = 0.1
#: What is left of doubts about what is counted as before once cards were spread anew: both counts would have to be off by
#: as many. Of ten lays of `tune` of which every deck was all are counted right, of nine others two.
AGAIN = 0.3
#: Cards of a design without a rim that lie on others or beneath them.
WITHOUT_RIM = "overlapped without a rim"
#: Cards that photos call by different designs: no total tells of which they are.
DISPUTED = "photos disagree on the design"
#: Names of the figures, in the order of a row: cards by which a count may be off, each kind of doubt for itself.
FIGURES = (
    "hardly cards",
    "hardly cards, seen once",
    "hardly none",
    "of two designs",
    "others of two designs",
    "a design that may be two",
    "photos disagree",
    DISPUTED,
    "slivers",
    "wide strips",
    WITHOUT_RIM,
    "cards",
    "cards seen aslant",
    "cards seen small",
    "cards that one photo shows",
    "a deck",
)
#: Doubts that cards are missing.
OF_MISSED = ("hardly none", "wide strips", WITHOUT_RIM, "cards", "cards seen aslant", "cards seen small")
#: Doubts about which deck cards are of, and what is said of no single cards, or was told of those that were spread anew.
OF_DECKS = ("of two designs", "others of two designs", DISPUTED)
OF_NO_CARDS = ("a design that may be two", "a deck", WITHOUT_RIM)


@dataclass(frozen=True, slots=True)
class Spot:
    """A doubt and its place: by how many cards, in which photo, (2,) px there."""

    doubt: float
    photo: int
    at: Floats


@dataclass(slots=True)
class Evidence:
    """What is known of one deck in one spread."""

    #: (len(FIGURES),), none below 0.
    figures: Floats
    spots: list[Spot] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Again:
    """A spread in which as many cards are counted as before some were spread anew (`referee/photos/followed.py`)."""

    #: By label the same cards as photos before that show them; nothing unless every deck is counted as before, too.
    before: Mapping[str, Sequence[Sequence[SeenCard]]] = field(default_factory=dict)

    def left(self, figure: str) -> float:
        """What is left of a doubt."""
        settled = figure not in OF_NO_CARDS and (bool(self.before) or figure not in OF_DECKS)
        return AGAIN if settled else 1.0


def evidence_of(
    cards: Sequence[Labelled],
    photos: Sequence[int],
    layouts: Mapping[int, Layout],
    again: Again | None = None,
    onto: Sequence[Floats] = (),
) -> dict[str, Evidence]:
    """By label: what is known of each deck of a spread, whose `cards` the `photos` show.

    `again`: what is counted as before some were spread anew; `onto`: (3, 3) from px of each photo to mm on one table,
    by which several photos' doubts are laid on one another; () where that is not known.
    """
    spots = {label: list[Spot]() for _, label in cards}
    counts = Counter(label for _, label in cards)
    rows = {label: dict.fromkeys(FIGURES, 0.0) for label in counts}
    wide = {row for photo in photos for row in _wide(layouts[photo])}
    joined = _joined(cards)
    for merged, label in cards:
        _of_card(rows, spots, merged, label, counts, wide, joined, len(photos))
    nearly = {photo: _nearly(cards, layouts[photo], len(photos)) for photo in photos}
    table = dict(zip(photos, onto, strict=True)) if onto else {}
    for photo in photos:
        _of_doubted(rows, spots, cards, photo, nearly, layouts, table)
    views = [layouts[photo] for photo in photos]
    # the best of several photos counts
    small = max(0.0, float(np.log(SCALE / max(max(view.px_per_mm for view in views), 0.2))))
    slant = max(0.0, min(tilt_of(view) for view in views) - SLANT)
    for label, row in rows.items():
        mine = [merged for merged, its in cards if its == label]
        before = () if again is None else again.before.get(label, ())
        row["a design that may be two"] = two = twofold(mine, before)
        row[WITHOUT_RIM] = _without_rim(mine, layouts, anew=again is not None)
        own = spots[label]
        # cards of it that show more of themselves tell
        asked = two + NOT_WHOLE * hardly_seen(mine, counts) + OVERLAPPED * row[WITHOUT_RIM]
        more = asked / max(len(own), 1)
        spots[label] = [replace(spot, doubt=spot.doubt + more) for spot in own]
        row["cards"], row["a deck"] = float(counts[label]), 1.0
        row["cards seen aslant"], row["cards seen small"] = counts[label] * slant, counts[label] * small
        if again is not None:
            row.update({name: again.left(name) * row[name] for name in FIGURES})
        if counts[label] == DECK:
            row.update({name: COMPLETE * row[name] for name in OF_MISSED})
    return {
        label: Evidence(np.array([row[name] for name in FIGURES]), spots[label])
        for label, row in rows.items()
    }


def _of_card(
    rows: Mapping[str, dict[str, float]],
    spots: Mapping[str, list[Spot]],
    merged: MergedCard,
    label: str,
    counts: Counter[str],
    wide: Collection[int],
    joined: Collection[tuple[int, str | None]],
    photos: int,
) -> None:
    """What one card leaves open; nothing where somebody said what it is. `wide`: by `id`, see `_wide`; `joined`: see
    `_joined`; `photos`: how many there are."""
    card, row = merged.card, rows[label]
    views = merged.of or (card,)
    if card.told:
        return
    # photos that both show it agree that it is one
    none = float(np.prod([1 - np.clip(view.confidence, LEAST, MOST) for view in views]))
    telling = [
        view for photo, view in zip(merged.seen, views, strict=False) if (photo, view.back) not in joined
    ]
    told = [view.back_margin for view in telling or views if view.back_margin is not None]
    margin = max(told, default=None)
    mixed = 0.0
    if len(counts) > 1 and margin is not None:
        mixed = float(1 / (1 + np.exp(margin / MARGIN)))
    at_odds, disputed = float(bool(merged.missed)), 0.5 * merged.back_disputed
    # no other photo shows its place, so that none speaks for it, nor against it
    once = photos > 1 and len(views) == 1 and not merged.missed
    row["hardly cards, seen once" if once else "hardly cards"] += max(0.0, none - SURELY)
    row["of two designs"] += mixed
    for other, its in rows.items():
        if other != label:
            its["others of two designs"] += mixed / (len(counts) - 1)
    row["photos disagree"] += at_odds
    row[DISPUTED] += disputed
    row["slivers"] += float(max(view.visible_fraction for view in views) < SLIVER)
    row["cards that one photo shows"] += float(len(merged.seen) == 1 and not merged.missed)
    broad = float(all(id(view) in wide for view in views))
    row["wide strips"] += broad
    doubt = none + mixed + 0.5 * (at_odds + disputed) + 0.2 * broad
    spots[label].append(Spot(doubt, merged.photo, shown_at(card)))


def _joined(cards: Sequence[Labelled]) -> set[tuple[int, str | None]]:
    """Photos and what they call cards of two labels alike: such a photo says nothing of which of the two a card is."""
    called: dict[tuple[str, int], Counter[str | None]] = {}
    for merged, label in cards:
        for photo, view in zip(merged.seen, merged.of, strict=False):
            called.setdefault((label, photo), Counter())[view.back] += 1
    usual = Counter((photo, names.most_common(1)[0][0]) for (_, photo), names in called.items())
    return {photo_and_name for photo_and_name, labels in usual.items() if labels > 1}


def _without_rim(cards: Sequence[MergedCard], layouts: Mapping[int, Layout], *, anew: bool) -> float:
    """How many cards of one label overlap others, if nothing but a shadow parts two of its design; 0 where it has a rim.

    `anew`: some were spread anew and are as many as before, so that those two would have to have been one twice.
    """
    shown: dict[int, list[float]] = {}
    for merged in cards:
        for photo, view in zip(merged.seen, merged.of or (merged.card,), strict=False):
            if view.rim is not None:
                shown.setdefault(photo, []).append(view.rim)
    if not shown:
        return 0.0
    # blur and slant blunt a rim: the photo that shows it best tells
    clear = max(float(np.quantile(rims, RIMMED)) for rims in shown.values())
    none = float(1 / (1 + np.exp((clear - RIM) / SHARPLY)))
    overlapped = 0.0
    for merged in cards:
        pile = merged.card.pile
        others = pile >= 0 and sum(card.pile == pile for card in layouts[merged.photo].cards) > 1
        if others and not merged.card.told:
            overlapped += LAID_TWICE if anew and len(merged.seen) == 1 else 1.0
    return none * overlapped


def _wide(layout: Layout) -> list[int]:
    """The cards, by `id`, that show so much more than others of their pile that they may be two."""
    piles: dict[int, list[SeenCard]] = {}
    for card in layout.cards:
        if card.visible_fraction < HIDDEN:
            piles.setdefault(card.pile, []).append(card)
    found = []
    for cards in piles.values():
        usual = float(np.median([card.visible_fraction for card in cards]))
        if len(cards) >= LEAST_STRIPS:
            found += [id(card) for card in cards if card.visible_fraction > WIDE * usual]
    return found


def _nearly(cards: Sequence[Labelled], layout: Layout, photos: int) -> list[Doubted]:
    """What may be cards in a photo and was taken for none, with what the other photos voted out."""
    if photos == 1:
        return layout.doubted
    counted = {id(view) for merged, _ in cards for view in (merged.card, *merged.of)}
    return [
        *layout.doubted,
        *(
            Doubted(card.corners, VOTED_OUT * card.confidence)
            for card in layout.cards
            if card.side == "back" and id(card) not in counted
        ),
    ]


def _of_doubted(
    rows: Mapping[str, dict[str, float]],
    spots: Mapping[str, list[Spot]],
    cards: Sequence[Labelled],
    photo: int,
    nearly: Mapping[int, Sequence[Doubted]],
    layouts: Mapping[int, Layout],
    onto: Mapping[int, Floats],
) -> None:
    """What is `nearly` a card in a photo, shared out to the decks whose cards lie nearest."""
    near = [(shown_at(merged.card), label) for merged, label in cards if merged.photo == photo]
    if not near:
        return
    places = np.array([place for place, _ in near])
    # a whole card that was voted out was seen by one photo at least: only what none took for one is weighed anew
    reported = len(layouts[photo].doubted)
    for row, one in enumerate(nearly[photo]):
        chance = one.chance / len(nearly)
        if row < reported:
            chance *= _to_others(one.corners, photo, cards, nearly, layouts, onto)
        at = one.corners.mean(axis=0)
        order = np.argsort(np.linalg.norm(places - at, axis=1))[:NEAREST]
        for number in order:
            rows[near[int(number)][1]]["hardly none"] += chance / len(order)
        spots[near[int(order[0])][1]].append(Spot(chance, photo, at))


def _to_others(
    corners: Floats,
    photo: int,
    cards: Sequence[Labelled],
    nearly: Mapping[int, Sequence[Doubted]],
    layouts: Mapping[int, Layout],
    onto: Mapping[int, Floats],
) -> float:
    """How much of a card the other photos nearly see in this place of a photo, (4, 2) px; 1 where none shows it."""
    told = []
    views = [dict(zip(merged.seen, merged.of, strict=False)) for merged, _ in cards]
    for other in onto.keys() - {photo}:
        both = [(view[photo], view[other]) for view in views if photo in view and other in view]
        place = laid_on(corners, onto[photo], onto[other], both)
        if in_view(layouts[other], place.mean(axis=0)):
            its = [one.chance for one in nearly[other] if oriented_iou(place, one.corners) >= MET]
            told.append(max(its, default=0.0))
    return max(ALONE, *told) if told else 1.0
