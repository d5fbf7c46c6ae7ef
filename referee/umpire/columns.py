"""Work piles: which cards of a fanned column are still there, which left, which came."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import hypot

import numpy as np

from referee.rules.cards import UNKNOWN
from referee.rules.places import WORK, Place
from referee.umpire import landings, moves, one_hand
from referee.umpire.odds import Odds
from referee.umpire.sights import SAME_PLACE_MM, Point, Sight, View
from referee.umpire.story import Lift, Lying, Pile, Story
from vision.layout import Floats

#: Standard deviation (mm) of where a card is seen again, and the most that a shift may cost.
SHIFT_MM, SHIFT_MOST = 6.0, -6.0
#: A card laid on a column lies this much further (mm), unless the column is longer than so many cards.
LEAST_STEP_MM, LONG_COLUMN = 7.0, 9
#: Splits of a column and blocks this much (log) worse than the best are not tried, nor more than so many.
LEAST = -10.0
MOST_SPLITS = 6
#: More cards than this did not come one by one between two looks.
ONE_BY_ONE = 3
#: Log probability from which a card is read for sure.
SURE = -0.7


@dataclass(slots=True)
class Alignment:
    """`best[j, k]`: the first `j` sights against `k` cards; `ends[j, k]`: the last of both are one.

    `missed[k]`: what it costs to miss the card of that number beneath others, and as the exposed one.
    """

    best: Floats
    ends: Floats
    missed: Sequence[tuple[float, float]]
    #: `shown[j]`: what it costs that the sight before this number is of the exposed card, by how much of it is seen.
    shown: Sequence[float]


def card_reads(sight: Sight, card_face: str, at: tuple[float, float] | None, odds: Odds) -> float:
    """Log probability that this sight is the card of a pile that was last seen at `at`."""
    if not sight.face_up:
        return odds.wrong_side
    shift = 0.0
    if at is not None:
        away = (sight.at[0] - at[0]) ** 2 + (sight.at[1] - at[1]) ** 2
        shift = max(SHIFT_MOST, -away / (2 * SHIFT_MM**2))
    return shift + sight.reads(card_face)


def align(sights: Sequence[Sight], pile: Pile, odds: Odds, landing: bool = False) -> Alignment:
    """Hold sights against cards in order; either may lack some of the other.

    `landing`: the cards are seen here for the first time. Else those of which it is not known where they lie have
    been missed before, and it is little news that they are missed again.
    """
    n, m = len(sights), len(pile)
    best, ends = np.full((n + 1, m + 1), -np.inf), np.full((n + 1, m + 1), -np.inf)
    made_out = [card.at is not None and not card.missed for card in pile]
    missed = [odds.missed_under if landing or known else odds.missed_again for known in made_out]
    best[0] = np.concatenate([[0.0], np.cumsum(missed)])
    best[:, 0] = odds.ghost_face * np.arange(n + 1)
    for j in range(1, n + 1):
        for k in range(1, m + 1):
            card = pile[k - 1]
            at = card.at if made_out[k - 1] else None
            ends[j, k] = best[j - 1, k - 1] + card_reads(sights[j - 1], card.face, at, odds)
            best[j, k] = max(ends[j, k], best[j - 1, k] + odds.ghost_face, best[j, k - 1] + missed[k - 1])
    again = [not landing and card.missed and card.at is None for card in pile]
    exposed = [odds.missed_again if known else odds.missed_top for known in again]
    shown = [odds.covered_top if sight.visible < one_hand.COVERED_SHARE else 0.0 for sight in sights]
    return Alignment(best, ends, [*zip(missed, exposed, strict=True)], [0.0, *shown])


def _aligned(view: View, first: int, pile: Pile, odds: Odds, landing: bool = False) -> Alignment:
    """The sights of a view from the `first` on, held against a pile."""
    key = first, pile, landing
    if key not in view.memo:
        view.memo[key] = align(view.sights[first:], pile, odds, landing)
    found: Alignment = view.memo[key]
    return found


def explain_column(story: Story, view: View, odds: Odds) -> Iterator[Story]:
    """Every way in which a work pile can have come to look as it does."""
    yield from _explained(story, view, odds)
    for laid in one_hand.laid_unseen(story, view, odds):
        yield from _explained(laid.weighed(one_hand.out_of_time(laid, view, odds)), view, odds)
    for passed in one_hand.passed_by(story, view, odds):
        yield from _explained(passed, view, odds)
    for lies in one_hand.missed(story, view, odds):
        pile = lies.pile(view.place)
        if pile[0].up:
            yield lies.weighed(_stays(_aligned(view, 0, pile, odds), len(view.sights), len(pile), odds))


def _explained(story: Story, view: View, odds: Odds) -> Iterator[Story]:
    pile = story.pile(view.place)
    hidden = sum(not card.up for card in pile)
    if hidden:
        yield from _over_hidden(story, view, hidden, odds)
        return
    aligned = _aligned(view, 0, pile, odds)
    yield _refreshed(story, view).weighed(_stays(aligned, len(view.sights), len(pile), odds))
    yield from _slid_under(story, view, odds)
    if _unmoved(pile, view.top) or _unlikely(story, view, odds):
        return
    for weight, kept, used in _candidates(story, view, pile, aligned, odds):
        yield from _changed(story, view, len(pile) - kept, used, weight, odds)


def _over_hidden(story: Story, view: View, hidden: int, odds: Odds) -> Iterator[Story]:
    """The same for a pile whose first `hidden` cards lie face down: of these only an exposed one is looked at, and it may
    have been turned up.
    """
    pile = story.pile(view.place)
    shown, back_on_top = pile[hidden:], view.top is not None and not view.top.face_up
    faces = [sight for sight in _beyond_hidden(view.sights, pile, hidden) if sight.face_up]
    # what is a strip of a face-down card hangs on where a story has those
    shown_here = ("faces", *map(id, faces))
    bare = replace(view, sights=faces, memo=view.memo.setdefault(shown_here, {}))
    if not faces:
        stays = 0.0 if back_on_top else odds.missed_top
        yield story.weighed(stays if not shown else odds.wrong_side if back_on_top else 2 * odds.missed_top)
        if shown:
            yield moves.lift(story, view.place, len(shown), view, odds, stays)
        return
    if shown:
        aligned = _aligned(bare, 0, shown, odds)
        yield _refreshed(story, bare).weighed(_stays(aligned, len(faces), len(shown), odds))
        if _unmoved(pile, bare.top) or _unlikely(story, view, odds):
            return
        for weight, kept, used in _candidates(story, bare, shown, aligned, odds):
            if kept:
                yield from _changed(story, bare, len(shown) - kept, used, weight, odds)
        story = moves.lift(story, view.place, len(shown), view, odds)
    else:
        yield story.weighed(len(faces) * odds.ghost_face)
    yield from _turned(story, bare, odds)


def _beyond_hidden(sights: Sequence[Sight], pile: Pile, hidden: int) -> list[Sight]:
    """The sights that may be open cards: strips of face-down cards are taken for faces now and then, and for sure.

    They lie where the pile's `hidden` first cards do, the last of which may itself have been turned up if nothing is
    known to lie on it.
    """
    places = [np.array(card.at) for card in pile[: hidden + 1] if card.at is not None]
    if any(card.at is None for card in pile[:hidden]) or len(places) < 2:
        return list(sights)
    step = (places[-1] - places[0]) / (len(places) - 1)
    first_open, length = min(hidden, len(pile) - 1), float(step @ step)
    if length < 1.0:
        return list(sights)
    along = [float((np.array(sight.at) - places[0]) @ step) / length for sight in sights]
    strips = [number < len(sights) - 1 and at < first_open - 0.5 for number, at in enumerate(along)]
    return [sight for sight, strip in zip(sights, strips, strict=True) if not strip]


def _turned(story: Story, view: View, odds: Odds) -> Iterator[Story]:
    """The exposed card of a pile was turned up, and cards may have been laid on it since."""
    pile, sight = story.pile(view.place), view.sights[0]
    shift = 0.0
    if pile[-1].at is not None:
        away = (sight.at[0] - pile[-1].at[0]) ** 2 + (sight.at[1] - pile[-1].at[1]) ** 2
        shift = max(SHIFT_MOST, -away / (2 * SHIFT_MM**2))
    earlier = replace(view, rested=max(0.0, view.rested - 0.4)) if len(view.sights) > 1 else view
    for face in sight.likely():
        if story.weight + shift + sight.reads(face) + odds.any_face < view.floor:
            continue
        weight = shift + sight.reads(face) + moves.surprise(story, face, view.place.seat, odds)
        turned = moves.turn(story, view.place, face, sight.at, earlier, weight)
        yield from _changed(turned, view, 0, 1, 0.0, odds)


def _slid_under(story: Story, view: View, odds: Odds) -> Iterator[Story]:
    """A card slid under the whole pile: it shows further in than the card that lay lowest."""
    pile, sights = story.pile(view.place), view.sights
    if not pile or len(sights) < 2 or not sights[0].face_up or not pile[0].known:
        return
    if story.weight + odds.slid < view.floor:
        return
    if sights[0].reads(pile[0].face) > SURE or sights[1].reads(pile[0].face) < SURE:
        return
    weight = _stays(_aligned(view, 1, pile, odds), len(sights) - 1, len(pile), odds)
    for face in sights[0].likely(0.3, 1):
        for slid in landings.slide(story, face, sights[0], view, odds):
            yield slid.weighed(weight + sights[0].reads(face))


def _unlikely(story: Story, view: View, odds: Odds) -> bool:
    """Whether it is not worth telling that anything came or went: what was in hand before costs nothing more."""
    return story.weight + (0.0 if story.lifted else odds.play) < view.floor


def _unmoved(pile: Pile, top: Sight | None) -> bool:
    """Whether a column's exposed card is seen just where it lay: nothing can have come or gone beneath it."""
    if not pile or pile[-1].at is None or top is None or not top.face_up:
        return False
    return hypot(*np.subtract(top.at, pile[-1].at)) < SAME_PLACE_MM and top.reads(pile[-1].face) > SURE


def _candidates(
    story: Story, view: View, pile: Pile, aligned: Alignment, odds: Odds
) -> list[tuple[float, int, int]]:
    """(log weight, cards of `pile` that stay, sights that are theirs): the few splits that are worth a thought."""
    n, m = len(view.sights), len(pile)
    came = [_came(story, view, used, odds) for used in range(n + 1)]
    bounds = []
    for kept in range(m, -1, -1):
        for used in range(n + 1):
            if (kept, used) == (m, n):
                continue
            weight = _stays(aligned, used, kept, odds) if used == n else float(aligned.best[used, kept])
            both = odds.unseen * (kept < m and used < n)
            bounds.append((weight + odds.play * (kept < m) + came[used] + both, weight, kept, used))
    bounds.sort(reverse=True)
    return [(w, k, u) for b, w, k, u in bounds[:MOST_SPLITS] if b > bounds[0][0] + LEAST]


def _came(story: Story, view: View, used: int, odds: Odds) -> float:
    """The best that can be said for the sights from `used` on being cards that came."""
    new = len(view.sights) - used
    if new <= 1:
        return odds.play * new
    single = odds.play * new if new <= ONE_BY_ONE else -np.inf
    return max([single, *(weight for weight, _, _ in _blocks(story, view, used, odds))])


def _stays(aligned: Alignment, n: int, m: int, odds: Odds) -> float:
    """Log probability when nothing lies over these cards: the exposed one is rarely missed."""
    if m == 0:
        return float(aligned.best[n, 0])
    under, exposed = aligned.missed[m - 1]
    without = aligned.best[n, m] + exposed - under
    return float(max(aligned.ends[n, m] + aligned.shown[n], without))


def _refreshed(story: Story, view: View) -> Story:
    """A column that is as it was: remember where its exposed card now lies."""
    pile = story.pile(view.place)
    if not pile or view.top is None or not view.top.face_up:
        return story
    face = pile[-1].face
    if not pile[-1].known:
        face = next(iter(view.top.likely(0.9, 1)), UNKNOWN)
    elif view.top.reads(face) < -3.0:
        return story
    return story.with_pile(
        view.place, (*pile[:-1], pile[-1]._replace(face=face, at=view.top.at, missed=False))
    )


def _changed(story: Story, view: View, gone: int, used: int, weight: float, odds: Odds) -> Iterator[Story]:
    """`gone` cards left the pile; the sights from `used` on are cards that came."""
    if story.weight + weight + (odds.play if gone else 0.0) < view.floor:
        return
    before = moves.lift(story, view.place, gone, view, odds, weight) if gone else story.weighed(weight)
    new = view.sights[used:]
    if not new:
        yield before
        return
    if gone:
        # somebody took cards away and laid others there
        before = before.weighed(odds.unseen)
    if before.weight < view.floor:
        return
    yield from _block(before, view, used, odds)
    if len(new) == 1:
        yield from _single(before, view, new[0], odds)
    elif len(new) <= ONE_BY_ONE:
        yield from _one_by_one(before, view, new, odds)


def _block(story: Story, view: View, used: int, odds: Odds) -> Iterator[Story]:
    """Several cards that lay on one another elsewhere came together."""
    new = view.sights[used:]
    for weight, origin, run in _blocks(story, view, used, odds):
        if story.weight + weight < view.floor:
            continue
        if isinstance(origin, Lift):
            place, free = origin.place, story.weighed(weight)
            free.lifted = tuple(held for held in story.lifted if held is not origin)
        else:
            place, free = origin, story.with_pile(origin, story.pile(origin)[: -len(run)], weight)
        yield landings.land_block(free, _laid(run, new), place, view, odds)


def _blocks(story: Story, view: View, used: int, odds: Odds) -> Iterator[tuple[float, Place | Lift, Pile]]:
    """(log weight, where from, cards) of runs of cards that the sights from `used` on may be."""
    for held in story.lifted:
        if len(held.cards) > 1 and held.place.kind == WORK and held.place.seat == view.place.seat:
            yield _block_reads(view, used, held.cards, odds), held, held.cards
    least = max(2, len(view.sights) - used)
    found = [
        (odds.play + _block_reads(view, used, pile[-length:], odds), place, pile[-length:])
        for place, pile in story.piles.items()
        if place.kind == WORK and place.seat == view.place.seat and place != view.place
        for length in range(least, sum(card.up for card in pile) + 1)
    ]
    # a long block is never read well as a whole: what counts is how much worse than another one it is
    best = max((weight for weight, _, _ in found), default=0.0)
    yield from (block for block in found if block[0] > best + LEAST)


def _block_reads(view: View, used: int, run: Pile, odds: Odds) -> float:
    loose = tuple(card._replace(at=None) for card in run)
    return _stays(_aligned(view, used, loose, odds, landing=True), len(view.sights) - used, len(run), odds)


def _laid(run: Pile, new: list[Sight]) -> Pile:
    """The block with the new place of its exposed card; the others are found again when looked at."""
    loose = tuple(card._replace(at=None) for card in run)
    if len(new) == len(run):
        return tuple(card._replace(at=sight.at) for card, sight in zip(loose, new, strict=True))
    if new[-1].reads(run[-1].face) < SURE:
        # it goes on where nobody looked, and must be looked for there
        return tuple(card._replace(at=_carried(card, run[0], new[0]), missed=True) for card in run)
    return (*loose[:-1], loose[-1]._replace(at=new[-1].at))


def _carried(card: Lying, first: Lying, seen: Sight) -> Point | None:
    """Where a card of a block lies whose first card is seen, if it lies as it did."""
    if card.at is None or first.at is None:
        return None
    return seen.at[0] + card.at[0] - first.at[0], seen.at[1] + card.at[1] - first.at[1]


def _single(story: Story, view: View, sight: Sight, odds: Odds) -> Iterator[Story]:
    yield story.weighed(odds.ghost_face)
    if not sight.face_up:
        return
    top = story.top(view.place)
    step = odds.no_step if _on_the_spot(story.pile(view.place), sight) else 0.0
    for face in moves.expected(story, sight, view.place):
        for landed in landings.land(story, face, sight, view, odds, sight.reads(face) + step):
            yield landed.weighed(sight.reads(face) + step)
        if top is None or not top.known or odds.fits(view.place, top.face, face):
            continue
        yield from _with_hidden(story, view, sight, face, odds)


def _on_the_spot(pile: Pile, sight: Sight) -> bool:
    """Whether a sight lies just where the top card of a pile lay; long columns are pushed together."""
    if not pile or pile[-1].at is None or len(pile) > LONG_COLUMN:
        return False
    return bool(np.hypot(sight.at[0] - pile[-1].at[0], sight.at[1] - pile[-1].at[1]) < LEAST_STEP_MM)


def _with_hidden(story: Story, view: View, sight: Sight, face: str, odds: Odds) -> Iterator[Story]:
    """A card that would join the column to `face` came first and was not made out underneath it."""
    top = story.top(view.place)
    assert top is not None
    left = sight.reads(face) + odds.missed_under
    if story.weight + left < view.floor:
        return
    exposed = {pile[-1].face for pile in story.piles.values() if pile}
    # in a fixed order, so that the same hand is always told the same way
    for name in sorted(exposed | {held.cards[-1].face for held in story.lifted}):
        if name in (UNKNOWN, face):
            continue
        if not (odds.fits(view.place, top.face, name) and odds.fits(view.place, name, face)):
            continue
        earlier = replace(view, rested=max(0.0, view.rested - 0.4))
        for under in landings.land(story, name, None, earlier, odds, left):
            for landed in landings.land(under, face, sight, view, odds, left):
                yield landed.weighed(sight.reads(face) + odds.missed_under)


def _one_by_one(story: Story, view: View, new: list[Sight], odds: Odds) -> Iterator[Story]:
    """Several cards came one after the other between two looks."""
    # whoever held a card all the while moved no other one
    busy = any(
        held.place.seat == view.place.seat and held.at < view.rested - landings.IN_HAND_S
        for held in story.lifted
    )
    stories = [story.weighed(odds.second_in_hand) if busy else story]
    for i, sight in enumerate(new):
        if not sight.face_up:
            return
        step = replace(view, rested=max(0.0, view.rested - 0.4 * (len(new) - 1 - i)))
        grown = [
            landed.weighed(sight.reads(face))
            for s in stories
            for face in sight.likely(0.02, 2)
            for landed in landings.land(s, face, sight, step, odds, sight.reads(face))
        ]
        stories = moves.likeliest(grown, 4)
    yield from stories
