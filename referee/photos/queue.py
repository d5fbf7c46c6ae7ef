"""Questions of yes or no, each about one marked card: a few, those whose answers are the likeliest to change a count.

Beside the doubts that are told anyway: cards of decks that are not certain, as far as they leave something open, and
things that were nearly taken for cards.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from referee.photos.mending import Mend, Mended
from referee.photos.one_deck import another, halves, twofold
from referee.photos.score import Doubt, PhotoScore
from vision.backs.margins import MARGIN
from vision.layout import Layout, SeenCard
from vision.photos.merging import MergedCard, Spread
from vision.photos.views import shown_at

#: So many at most, for people stop reading.
MOST = 5
#: What is less likely to change a count is not asked for certainty's sake.
WORTH_ASKING = 0.04
#: A design that is two decks so likely is taken for two where people play whose decks were not seen.
LIKELY_TWO = 0.5
#: That a card is none which a photo shows and another one does not.
AT_ODDS = 0.3
#: What is nearly a card and less likely one than this is none.
NEARLY = 0.1


def first_asked(
    result: PhotoScore, said: Mended, spreads: Sequence[Spread], layouts: Mapping[int, Layout]
) -> list[Doubt]:
    """Those that are asked first, the most open one first; of one place only one.

    `spreads`: those of the backs, `layouts`: their photos by number.
    """
    unsure = {deck.back for deck in result.decks if deck.state != "sure"}
    open_to = [(_worth(doubt), doubt) for doubt in result.doubts if doubt.kind and doubt.place]
    counted = [
        (merged, label) for merged, label in result.counted if label in unsure and not merged.card.told
    ]
    designs = len({label for _, label in result.counted})
    in_doubts = {doubt.supposed for doubt in result.doubts if doubt.kind == "design"}
    for spread in spreads:
        cards = [(merged, label) for merged, label in result.counted if merged.photo in spread.photos]
        for label in sorted(unsure - in_doubts):
            doubt = about_design(result, label, cards)
            if doubt is not None:
                open_to.append((doubt.worth, doubt))
    open_to += [_about(merged, label, designs) for merged, label in counted]
    for spread in spreads:
        # a card that one photo nearly shows may be one that another shows well
        if len(spread.photos) == 1:
            open_to += _nearly_cards(result, spread.photos[0], layouts[spread.photos[0]], unsure)
    asked: dict[tuple[object, ...], Doubt] = {}
    for worth, doubt in sorted(open_to, key=lambda one: -one[0]):
        if worth >= WORTH_ASKING or doubt in result.doubts:
            doubt.tell_place(said)
            asked.setdefault(_key(doubt), doubt)
    return list(asked.values())[:MOST]


def about_design(result: PhotoScore, label: str, cards: Iterable[tuple[MergedCard, str]]) -> Doubt | None:
    """Asks whether a label's cards of one spread are of one deck, by one of each of their two least alike parts."""
    mine = [merged for merged, its in cards if its == label]
    apart = halves(mine)
    if apart is None:
        return None
    one, other = (max(part, key=_clear) for part in apart.parts)
    return Doubt(
        f"The cards that are called {label} may be of two decks: are they all of one?",
        apart.photo,
        other[1].corners.round(1).tolist(),
        "design",
        other[0],
        supposed=label,
        beside=one[1].corners.round(1).tolist(),
        otherwise=another(label, {its for _, its in result.counted}),
        worth=twofold(mine),
    )


def a_deck_more(result: PhotoScore, playing: int) -> Mend | None:
    """Takes the design apart that is likeliest two decks, where more people play than designs were seen; None if all
    have one, or nothing looks like two."""
    if len({label for _, label in result.counted}) >= playing:
        return None
    likely = [doubt for doubt in result.doubts if doubt.kind == "design" and doubt.worth >= LIKELY_TWO]
    if not likely:
        return None
    doubt = max(likely, key=lambda doubt: doubt.worth)
    assert doubt.place is not None
    return Mend(doubt.place["image"], doubt.place["card"], deck=doubt.otherwise, alike="two")


def _clear(card: tuple[MergedCard, SeenCard]) -> float:
    return card[1].visible_fraction * card[1].confidence


def _about(merged: MergedCard, label: str, designs: int) -> tuple[float, Doubt]:
    """How open a counted card leaves its deck's count, and what is asked about it."""
    views = merged.of or (merged.card,)
    none = float(np.prod([1 - view.confidence for view in views]))
    margin = max((view.back_margin for view in views if view.back_margin is not None), default=None)
    mixed = 0.0 if designs < 2 or margin is None else float(1 / (1 + np.exp(margin / MARGIN)))
    none, mixed = max(none, AT_ODDS * bool(merged.missed)), max(mixed, AT_ODDS * merged.back_disputed / 2)
    if none >= mixed:
        return none, Doubt.of_card(merged, label)
    return mixed, Doubt.at(merged, f"Is this card's back {label}?", "deck", label)


def _nearly_cards(
    result: PhotoScore, photo: int, layout: Layout, unsure: set[str]
) -> list[tuple[float, Doubt]]:
    """Things of a photo that were nearly taken for cards; each would be of the deck of the card next to it."""
    near = [(shown_at(merged.card), label) for merged, label in result.counted if merged.photo == photo]
    found = []
    for one in layout.doubted:
        if not near or one.chance < NEARLY:
            continue
        at = one.corners.mean(axis=0)
        label = min(near, key=lambda card: float(np.linalg.norm(card[0] - at)))[1]
        if label in unsure:
            asks = f"Is there one more {label} card here?"
            corners = one.corners.round(1).tolist()
            found.append((one.chance, Doubt(asks, photo, corners, "left out", supposed=label)))
    return found


def _worth(doubt: Doubt) -> float:
    """The chance that the answer changes what is counted."""
    assert doubt.about is not None
    card = doubt.about.card
    if doubt.kind == "design":
        return doubt.worth
    if doubt.kind == "face":
        return float(1 - card.face_confidence)
    if doubt.kind == "left out":
        return float(card.confidence)
    return max(float(1 - card.confidence), 0.05)


def _key(doubt: Doubt) -> tuple[object, ...]:
    if doubt.kind == "design":
        return ("design", doubt.supposed)
    if doubt.about is not None:
        return (id(doubt.about.of[0] if doubt.about.of else doubt.about),)
    return (doubt.image, str(doubt.corners))
