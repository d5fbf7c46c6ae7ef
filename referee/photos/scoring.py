"""Scores from photos: faces of the centre by their top ranks, spread backs by their designs, left-over piles.

A foundation with top rank r holds r cards; a face-down pile among the faces is a complete one turned over, taken
for 13. Backs are counted one by one. Where both are there, they must agree, and the faces settle which of the doubtful
backs are cards (`referee/photos/second_witness.py`). Photos of the same cards from other sides are taken together
(`referee/photos/spreads.py`), photos of other cards are added.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from referee.photos.certify import certify
from referee.photos.decks import beyond_the_players, fill_decks
from referee.photos.foundations import ask_about_suits, ask_whether_foundation
from referee.photos.left.piles import count_piles
from referee.photos.mending import Mend, Mended, mended
from referee.photos.queue import a_deck_more, first_asked
from referee.photos.score import SURE_CARD, THIN, Doubt, Kind, PhotoScore, Together, written
from referee.photos.second_witness import Witnessed, witnessed
from referee.photos.spreads import Shots, likely, settled, settled_backs, shows_faces, tops_of
from referee.photos.strays import homes
from referee.photos.tags import Counted, tags
from vision.layout import RANKS, Layout, SeenCard
from vision.photos.deck_match import common_labels
from vision.photos.merging import MergedCard, Spread

#: So surely a face must be read that is not asked about.
SURE_FACE = 0.9


def score_photos(
    layouts: Sequence[Layout],
    *,
    left: Mapping[str, int] | None = None,
    seats: Mapping[str, str] | None = None,
    penalty: int = 2,
    players: Collection[str] = (),
    playing: int = 0,
    left_piles: Mapping[str, Sequence[Layout]] | None = None,
    together: bool | None = None,
    mends: Sequence[Mend] = (),
) -> PhotoScore:
    """Counts the photos of one hand.

    `left`: cards left in the Nerts pile by seat. `seats`: seat by back label as this call names them; without it the
    label stands for the seat. A label that no photo shows is a deck of which no card is in the centre, as long as
    every back that is shown is somebody's. `penalty`: points for a card left. `players`: seats that are known to
    play, so that one of them may have cards left and none in the photos, and that a design that is nobody's belongs
    to one of theirs; `playing`: how many play, where their names are not known. `left_piles`: photos of left-over
    piles, fanned, by seat; their images are numbered after those of `layouts`. `together`: do all photos of one side
    show the same cards? None: that is found out. `mends`: what somebody says of single cards, which overrules what
    was seen. Raises `referee.photos.decks.UnknownBackError` and `referee.photos.mending.MendError`.
    """
    hand = _Hand(
        layouts,
        dict(left or {}),
        dict(seats or {}),
        penalty,
        players,
        len(players) or playing,
        left_piles or {},
        together,
    )
    said = list(mends)
    while True:
        result = _scored(hand, said)
        apart = a_deck_more(result, hand.playing)
        if apart is None:
            return result
        said.append(apart)


@dataclass(frozen=True, slots=True)
class _Hand:
    """What is given of a hand beside what is said of its cards: see `score_photos`."""

    layouts: Sequence[Layout]
    left: dict[str, int]
    seats: dict[str, str]
    penalty: int
    players: Collection[str]
    playing: int
    piles: Mapping[str, Sequence[Layout]]
    together: bool | None


def _scored(hand: _Hand, mends: Sequence[Mend]) -> PhotoScore:
    """What the photos give with what was said of their cards."""
    piles, together = hand.piles, hand.together
    result = PhotoScore()
    sides: dict[str, list[int]] = {"face": [], "back": []}
    again = _given_before(hand.layouts)
    said = mended([*hand.layouts, *(layout for pile in piles.values() for layout in pile)], mends)
    layouts = said.layouts[: len(hand.layouts)]
    for number, layout in enumerate(layouts):
        if number in again:
            continue
        if layout.cards:
            sides["face" if shows_faces(layout) else "back"].append(number)
        else:
            result.doubts.append(Doubt("There is no card in this picture: is it the right one?", number))
    tops = {number: replace(layouts[number], cards=tops_of(layouts[number])) for number in sides["face"]}
    centres, maybe_one = settled(Shots.of(tops, together), None)
    _ask_whether_one(result, maybe_one, "foundations")
    tops_in_order = [
        merged for spread in map(likely, centres) for merged in _count_faces(result, spread, layouts)
    ]
    # a total in doubt is no witness of single cards, and of whole photos only where it cannot be off by whole photos
    witness = None if result.doubts else result.total_by_faces
    shots = Shots.of({number: layouts[number] for number in sides["back"]}, together)
    in_doubt = maybe_one or result.maybe_none
    certain = None if in_doubt else result.total_by_faces
    shots, spreads, maybe_same = settled_backs(shots, certain)
    _ask_whether_one(result, maybe_same, "cards")
    told = _count_backs(result, said, spreads, witness)
    agreed, spreads = told.settled or result.agrees is not False, told.spreads
    for number, first in again.items():
        asks = f"This is photo {first + 1} once more, and counts once: was another one meant?"
        result.doubts.append(Doubt(asks, number))
    _take_home(result, said, hand.seats, hand.players)
    _ask_about(result, told)
    _ask_about_cards(result)
    ask_about_suits(result, tops_in_order, hand.players)
    left = count_piles(result, said, {seat: len(pile) for seat, pile in piles.items()}, len(layouts))
    cards_left = hand.left | {seat: len(pile.cards) for seat, pile in left.items()}
    fill_decks(result, cards_left, hand.seats, hand.penalty, hand.players)
    result.doubts += beyond_the_players(result.decks, hand.playing)
    for deck in result.decks:
        pile = left.get(deck.seat or deck.back)
        if pile is not None:
            deck.left_state, deck.left_confidence = pile.state, pile.confidence
    if not agreed and not maybe_one:  # else it was asked already what is amiss
        result.doubts.append(
            Doubt(
                f"The faces give {result.total_by_faces} cards and the backs {result.total_by_backs}: "
                "is a card missing from a photo, or did both cards of a tie stay?",
                0,
            )
        )
    faces = {number: layouts[number] for number in sides["face"]}
    certify(result, spreads, shots.layouts, faces, hand.playing, shots.whole)
    _tag(result, said, tops_in_order, {seat: pile.cards for seat, pile in left.items()})
    result.ask = first_asked(result, said, spreads, shots.layouts)
    return result


def _tag(
    result: PhotoScore, said: Mended, tops: Sequence[MergedCard], left: Mapping[str, Sequence[MergedCard]]
) -> None:
    """Numbers the cards that were counted, says where each doubt's is."""
    named = zip(tops, result.foundations, strict=True)
    cards = [Counted(merged, "top", top) for merged, (top, _) in named]
    cards += [Counted(merged, "back", label) for merged, label in result.counted]
    cards += [
        Counted(merged, "face-up", merged.card.face or merged.card.partly or "??")
        for merged in result.face_up
    ]
    cards += [Counted(merged, "left", seat) for seat, pile in left.items() for merged in pile]
    result.cards = tags(cards, said)
    for doubt in result.doubts:
        doubt.tell_place(said)


def _given_before(layouts: Sequence[Layout]) -> dict[int, int]:
    """Of each photo that was given once already (the same object): which one it is."""
    first: dict[int, int] = {}
    for number, layout in enumerate(layouts):
        first.setdefault(id(layout), number)
    return {number: first[id(layout)] for number, layout in enumerate(layouts) if first[id(layout)] < number}


def _ask_whether_one(result: PhotoScore, maybe: Sequence[tuple[int, ...]], what: str) -> None:
    """Questions about photos that may show the same cards and are not all counted as such."""
    for images in maybe:
        named = " and ".join(str(number + 1) for number in images)
        asks = f"Do photos {named} show the same {what}? Not all of them are counted as the same"
        result.doubts.append(Doubt(asks, images[0]))


def _count_faces(result: PhotoScore, spread: Spread, layouts: Sequence[Layout]) -> tuple[MergedCard, ...]:
    """Counts the foundations of a centre and gives their tops."""
    result.spreads.append(Together(spread.photos, "face", len(spread.cards)))
    for merged in spread.cards:
        card = merged.card
        cards = 13 if card.side == "back" else RANKS.index(card.face[0]) + 1 if card.face else 0
        result.foundations.append(
            ("back" if card.side == "back" else card.face or card.partly or "??", cards)
        )
        result.total_by_faces = (result.total_by_faces or 0) + cards
        if not card.told and not ask_whether_foundation(result, merged, layouts[merged.photo]):
            _ask_about_top(result, merged)
    return spread.cards


def _ask_about_top(result: PhotoScore, merged: MergedCard) -> None:
    card = merged.card
    if card.side == "back":
        asks = "A face-down pile among the faces is taken for 13 cards: is it complete?"
    elif card.face is None:
        asks = "Which card lies on this foundation?"
        if card.partly is not None:
            asks += " Its index is none of A, 2 to 10, J, Q, K: are these German, French or Dutch courts?"
    elif card.face_confidence < SURE_FACE or card.confidence < SURE_CARD:
        asks = f"Is this the {written(card.face)}?"
    else:
        return
    result.asked_about.add(len(result.foundations) - 1)
    kind: Kind = "pile" if card.side == "back" else "face"
    result.doubts.append(Doubt.at(merged, asks, kind, card.face))


def _count_backs(result: PhotoScore, said: Mended, spreads: list[Spread], witness: int | None) -> Witnessed:
    """Counts the spreads and gives them as they were counted; `witness`: the faces' number where that is in no doubt."""
    told = witnessed(spreads, witness)
    if spreads:
        result.total_by_backs = told.seen
    result.settled = told.settled
    _count_spreads(result, said, told)
    return told


def _count_spreads(result: PhotoScore, said: Mended, told: Witnessed) -> None:
    spreads = told.spreads
    labels, doubtful = common_labels([_by_label(spread, said) for spread in spreads])
    for number, label in doubtful:
        name, spread = labels[number][label], spreads[number]
        merged = next(
            m
            for m in spread.cards
            if m.card.side == "back" and (m.card.back or "unknown") == label and said.deck_of(m) is None
        )
        result.doubts.append(Doubt.at(merged, f"Is this the {name} deck of the photos before?"))
    for spread, new in zip(spreads, labels, strict=True):
        result.spreads.append(Together(spread.photos, "back", len(spread.cards)))
        for merged in spread.cards:
            _count_back(result, merged, said.deck_of(merged), new)


def _ask_about(result: PhotoScore, told: Witnessed) -> None:
    """Questions about the cards that count, or do not, for the faces' sake."""
    totals = f"The faces give {result.total_by_faces} cards and the backs {result.total_by_backs}"
    labels = {id(merged): label for merged, label in result.counted}
    for merged in told.taken:
        label = labels.get(id(merged))
        asks = f"{totals} without this one, which is counted too: is it one {label or 'unknown'} card?"
        result.doubts.append(Doubt.of_card(merged, label, asks))
    for merged in told.left:
        result.doubts.append(
            Doubt.at(
                merged,
                f"{totals} with this one, which is not counted: is it a card, or did both cards of a tie stay?",
                "left out",
            )
        )


def _by_label(spread: Spread, said: Mended) -> dict[str, list[SeenCard]]:
    designs: dict[str, list[SeenCard]] = {}
    for merged in spread.cards:
        if merged.card.side == "back" and said.deck_of(merged) is None:
            designs.setdefault(merged.card.back or "unknown", []).append(merged.card)
    return designs


def _count_back(result: PhotoScore, merged: MergedCard, deck: str | None, names: Mapping[str, str]) -> None:
    """Counts one card of a spread; `deck`: the label that somebody says it has, else `names` has it."""
    card = merged.card
    if card.side == "face":
        result.face_up.append(merged)
        asks = "A card lies face up among the backs: whose is it?"
        result.doubts.append(Doubt.at(merged, asks))
        return
    result.counted.append((merged, names[card.back or "unknown"] if deck is None else deck))


def _ask_about_cards(result: PhotoScore) -> None:
    """Questions about counted cards that are hardly seen, or of which photos disagree; none about one that is asked about
    already: for the faces' sake, or which deck it is of."""
    asked = {id(doubt.about) for doubt in result.doubts if doubt.about is not None}
    for merged, label in result.counted:
        card = merged.card
        if card.told or id(merged) in asked:
            continue
        if card.confidence < SURE_CARD or card.visible_fraction < THIN:
            result.doubts.append(Doubt.of_card(merged, label))
        elif merged.back_disputed:
            result.doubts.append(Doubt.at(merged, f"Is this card's back {label}?", "deck", label))


def _take_home(result: PhotoScore, said: Mended, seats: Mapping[str, str], players: Collection[str]) -> None:
    """Counts cards whose deck is nobody's as of the deck that they look most like, and asks about them."""
    found = homes(result.counted, seats, players)
    for number, (merged, label) in enumerate(result.counted):
        if label in found and said.deck_of(merged) is None:
            result.counted[number] = merged, found[label]
            asks = f"This back is taken for {found[label]}, for every player has another deck: is it?"
            result.doubts.append(Doubt.at(merged, asks, "deck", found[label]))
