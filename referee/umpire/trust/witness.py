"""Whether an odd landing was seen well enough to be held against a player.

A story may hold a misfit because a card was misread or something in between was missed. A misfit is trusted only
as far as its witnesses go: the card that came was read on top, the card underneath was read on top before, and
they lie as two cards lie of which one was put on the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import dropwhile, groupby, takewhile

import numpy as np

from referee.rules.cards import UNKNOWN
from referee.rules.events import INFERRED, TakeBack
from referee.rules.places import FOUNDATION, WASTE
from referee.umpire.fouls import short
from referee.umpire.fouls.unturned import is_seen
from referee.umpire.odds import may_hide_cards
from referee.umpire.one_hand import CARRY_S, ONE_WAY_S, is_one_way
from referee.umpire.sights import FACE_INDEX, STRIP, Sight, View
from referee.umpire.story import CENTRE, EARLY, ONTO, SHORT, UPENDED, Believed, Lying
from referee.umpire.tied.arriving import SOONER_S
from vision.layout import FACES

#: Distance of a card from the one it was laid on in a column (mm); further: another may lie between them.
LEAST_STEP_MM, MOST_STEP_MM = 7.0, 27.0
#: Within so many s of its last look as before no two hands, one after the other, laid a card there.
ONE_VISIT_S = 1.6
#: Log probability from which a strip is read for sure, and from which it is likely that card.
SURE_STRIP, LIKELY_STRIP = -0.1, -0.7
#: What is drawn left the stock at least so long (s) before it came to rest on the waste: 0.58 in 53 draws of simulated
#: hands.
DRAWN_S = 0.35
#: A hand that takes the waste to the stock comes to the waste so much (s) sooner, and leaves it so much (s) sooner.
REACHED_FIRST_S, LEFT_LAST_S = 0.1, 0.15
#: Or it comes there so much (s) sooner, and leaves it no more than so much (s) later. In 38 draws on film an arm that lay
#: over both came up to 0.2 s sooner to the waste; none was seen to take its top before it came to the stock.
WELL_BEFORE_S, AT_ONCE_S = 0.25, 0.1
#: It comes to rest there no later than so long (s) after its stock was touched.
DRAW_S = 0.9
#: A hand leaves what it laid within so long (s), and nobody lays another card there before.
LEAVES_S = 0.3
#: A whole card that is misread is read less surely than this.
SURE_WHOLE = 0.985
#: A card that lay on top of a waste so long (s) before is the one that was laid elsewhere, if it was misread.
LATELY_S = 4.0
#: Where a card is seen so long (s) after it was played to a foundation it lies again; on a waste it lies still.
AGAIN_S = 0.3
#: Looks at a card that together make it certain enough.
ENOUGH_LOOKS = 2


def trust(
    event: Believed,
    under: str | None,
    views: Sequence[View],
    left: Sequence[View] = (),
    tops: Sequence[float] = (),
) -> float:
    """How far a misfit is to be believed, 0 to 1. `views`: all of its place, in time; `under`: what it lies on; `left`:
    all views of where it came from; `tops`: with which probability `under` was read there on top in each look before.
    """
    if event.foul == "early":
        return 1.0 if _stock_stayed(event, views, left) else INFERRED
    if event.foul == "several":
        shown = _read_on_top([view for view in views if view.at >= event.at], event.cards[-1])
        known = len(shown) >= ENOUGH_LOOKS and _were_taken_together(event, left)
        # a lower card that was seen on top before did not come with the other
        known = known and all(_top_face(view) != event.cards[0] for view in views if view.at < event.at)
        return _belief(shown, event.cards[-1]) if known else INFERRED
    if event.foul == SHORT:
        return 1.0 if short.trust(event, views) else INFERRED
    if event.foul == UPENDED:
        return _read_twice(event, views, tops)
    if event.target is None or len(event.cards) != 1 or event.caution < 1.0:
        return min(INFERRED, event.caution)
    before = [view for view in views if view.at < event.at]
    after = [view for view in views if view.at >= event.at]
    if event.foul == "slid":
        return _slid(event, before, after, left)
    came = _read_on_top(after, event.cards[0])
    if len(came) < ENOUGH_LOOKS:
        return INFERRED
    sure = _belief(came, event.cards[0])
    if event.foul is not None:
        return sure if _left(event, left) and not _may_be_due(event, left) else INFERRED
    # a card on one of the same face: nothing can be seen to have come
    if under in (UNKNOWN, event.cards[0]):
        return INFERRED
    if event.target.kind == FOUNDATION:
        gap = may_hide_cards(event.target, under, event.cards[0])
        at_once = event.at - after[0].untouched <= ONE_VISIT_S and not _came_unseen(before, under)
        return sure if (at_once or not gap) and _below(before, under) else INFERRED
    lain = _read_on_top(before[::-1], under) if under else []
    if under is None or not lain:
        return INFERRED
    step = float(np.hypot(*np.subtract(came[0].at, lain[0].at)))
    apart = LEAST_STEP_MM <= step <= MOST_STEP_MM
    return min(sure, _belief(lain, under)) if apart else INFERRED


def has_left(event: Believed, views: Sequence[View]) -> bool:
    """Whether a card that was played lay on top where it came from, and was not seen there any more when it was looked
    at next. `views`: all of that place, in time.
    """
    shows = [view.at < event.at and _top_face(view) == event.cards[-1] for view in views]
    last = max((number for number, there in enumerate(shows) if there), default=None)
    return last is not None and last + 1 < len(views) and _top_face(views[last + 1]) != event.cards[-1]


def is_back(event: Believed, views: Sequence[View], lies: Lying | None) -> bool:
    """Whether a card that was played to a foundation was seen on top where it came from again, though another one is
    thought to lie there. `views`: all of that place.
    """
    if event.target is None or event.target.kind != FOUNDATION or (lies and lies.face == event.cards[-1]):
        return False
    return any(view.at > event.at + AGAIN_S and _top_face(view) == event.cards[-1] for view in views)


def gave_way(event: Believed, later: Iterable[Believed]) -> bool:
    """Whether of a tie another one, whose card had come sooner, took it back: it is settled, and who came later may lie
    underneath. `later`: what a story tells, the newest first.
    """
    if event.target is None or event.target.kind != FOUNDATION:
        return False
    since = takewhile(lambda one: one is not event, later)
    backs = {one.seat for one in since if isinstance(one.event, TakeBack) and one.source == event.target}
    plays = (one for one in later if one.target == event.target and one.cards == event.cards)
    return any(one.seat in backs - {event.seat} and one.at < event.at - SOONER_S for one in plays)


def _rivals(event: Believed, told: Iterable[Believed]) -> Iterator[Believed]:
    """The plays of other seats by which the same card came to the same foundation. `told`: by a story."""
    if event.target is not None and event.target.kind == FOUNDATION:
        laid = (one for one in told if one.target == event.target and one.cards == event.cards)
        yield from (one for one in laid if one.seat != event.seat)


def has_rival(event: Believed, told: Iterable[Believed]) -> bool:
    """Whether another seat laid the same card there, too: one of the two is to be taken back. `told`: by a story."""
    return any(_rivals(event, told))


def may_lie_under(event: Believed, told: Iterable[Believed]) -> bool:
    """Whether a card came to a foundation after another seat's like it: pushed underneath it would be the first by how
    they lie. That it seems to lie on top says little: the one on which it pushes comes to rest when it does. `told`: by
    a story.
    """
    return any(one.at < event.at for one in _rivals(event, told))


def was_seen(event: Believed, views: Sequence[View], left: Sequence[View], hearsay_until: float) -> bool:
    """Whether what a misfit rests on was seen before it, and is not only said to have lain there: its place, and, up to a
    moment (s), where it came from the card that was not to be taken. `views`, `left`: all of its place, and of where it
    came from.
    """
    if event.foul == EARLY:
        return True
    if not any(view.at < event.at for view in views):
        return False
    taken = (sight for view in left if view.at < event.at for sight in view.sights if sight.face_up)
    return event.foul is None or event.at > hearsay_until or any(_face(s) in event.cards for s in taken)


def is_doubtful(event: Believed, wastes: Sequence[View]) -> bool:
    """Whether a card from beneath a waste's top, or off the stock, may be one that lay on top and was misread.

    A face that showed there of late was never read for sure then. `wastes`: all views of the waste, in time.
    """
    lately = (view for view in wastes if event.at - LATELY_S <= view.at <= event.at)
    tops = (view.top for view in lately if view.top is not None and view.top.face_up)
    return any(
        max(float(np.exp(top.log_face.max())) for top in shown) < SURE_WHOLE
        for _, shown in groupby(tops, _face)
    )


def _stock_stayed(event: Believed, wastes: Sequence[View], stocks: Sequence[View]) -> bool:
    """Whether a waste was seen gone while the stock beside it lay as it had lain since the last draw was seen."""
    gone = list(takewhile(lambda v: not v.sights, (v for v in wastes if v.at >= event.at)))
    last = next((view for view in reversed(wastes) if view.at < event.at and view.sights), None)
    after = next((view for view in stocks if view.at >= event.at), None)
    if after is None or last is None or not after.sights or len(gone) < ENOUGH_LOOKS:
        return False
    drawn_first = after.untouched < event.at - DRAWN_S and not _came_from_waste(gone[0], after)
    if drawn_first and after.rested > last.rested:
        return False
    meanwhile = (view for view in stocks if last.rested < view.at < event.at)
    lay = all(view.untouched >= view.rested or view.rested <= last.rested for view in meanwhile)
    return lay and any(_is_laid_upon(view, event, wastes) for view in stocks if view.at >= event.at)


def _came_from_waste(gone: View, stock: View) -> bool:
    """Whether a hand came to a waste, as its first look without cards tells, and to the stock beside it after that, and
    left in the same order. Who draws leaves the stock first; where an arm lies over the one on its way to the other it
    does so both ways. Whoever came to the waste in one way, and took its top well before, may leave both at once.
    """
    touched = _touched_since(stock)
    sooner = touched - gone.untouched
    taken = gone.left is not None and gone.left[1][1] <= touched - REACHED_FIRST_S
    if taken and sooner >= WELL_BEFORE_S and is_one_way(gone) and stock.rested >= gone.rested - AT_ONCE_S:
        return True
    return sooner >= REACHED_FIRST_S and stock.rested >= gone.rested + LEFT_LAST_S


def _touched_since(stock: View) -> float:
    """Since when (s) a stock was touched: backs that come to lie on it leave it looking as before."""
    return stock.steady if stock.untouched >= stock.rested else max(stock.untouched, stock.steady)


def _is_laid_upon(stock: View, event: Believed, wastes: Sequence[View]) -> bool:
    """Whether a stock was touched soon after its waste had gone, and no packet came of it: the waste was put there. A
    waste that is only missed goes nowhere.
    """
    since = _touched_since(stock)
    gone = next(view for view in wastes if view.at >= event.at)
    taken_there = _came_from_waste(gone, stock)
    if stock.untouched >= stock.rested and not taken_there:
        # it may have been brushed, and nothing laid there
        return False
    laid = stock.rested > since and (taken_there or stock.rested > event.at)
    if not laid or since > event.at + CARRY_S:
        return False
    return not any(view.sights and event.at < view.rested < since + DRAW_S for view in wastes)


def _were_taken_together(event: Believed, wastes: Sequence[View]) -> bool:
    """Whether two cards that were laid on one another can only have come together: in one short touch of where they were
    laid, or off a waste that showed after one what is known to have lain beneath both. `wastes`: all views of it.
    """
    if event.lifted is None or event.at - event.bare <= ONE_WAY_S:
        return True
    after = next((view for view in wastes if view.at >= event.lifted), None)
    if after is None or not is_one_way(after):
        return False
    before = {_top_face(view) for view in wastes if view.at < after.at}
    return _top_face(after) in before - {None} or all(card in before for card in event.cards)


def _read_twice(event: Believed, wastes: Sequence[View], tops: Sequence[float]) -> float:
    """How far a packet that was laid the other way round is to be believed: the card that should lie on top was read for
    sure when it did in a round before (`tops`), and the one that does now.
    """
    now = _read_on_top([view for view in wastes if view.at >= event.at], event.cards[-1])
    if min(len(now), len(tops)) < ENOUGH_LOOKS:
        return INFERRED
    read = min(_belief(now, event.cards[-1]), float(np.mean(tops)))
    return 1.0 if read >= SURE_WHOLE else INFERRED


def _left(event: Believed, views: Sequence[View]) -> bool:
    """Whether what lay and lies where a card came from bears out that it was no card to be taken."""
    before = next((view for view in reversed(views) if view.at < event.at), None)
    after = next((view for view in views if view.at >= event.at), None)
    if event.foul == "stock":
        # one back looks like another
        return True
    if event.foul == "foreign":
        return has_left(event, views)
    if event.foul == "unturned":
        return is_seen(event, views)
    if after is None:
        # a card that lands late may have been missing where it lay already when that was looked at last
        return event.foul in (CENTRE, ONTO) and has_left(event, views)
    if event.foul == "buried" and event.source is not None and event.source.kind == WASTE:
        # a card that was seen on top went as it may, whatever was believed to lie on it
        shown = any(_top_face(view) == event.cards[0] for view in views if view.at < event.at)
        if shown or before is None or _top_face(before) is None:
            return False
        # what is drawn onto it before it is looked at covers a top that looked as before until then
        return _top_face(before) == _top_face(after) or after.untouched >= event.at + AGAIN_S
    if event.foul == "buried":
        return before is not None and _top_face(before) is not None and _top_face(before) == _top_face(after)
    return _top_face(after) != event.cards[0]


def _may_be_due(event: Believed, centre: Sequence[View]) -> bool:
    """Whether a card that was taken back may never have been let go, or may have been tied. `centre`: all views of the
    foundation that it was taken from.
    """
    if not isinstance(event.event, TakeBack):
        return False
    before = [view for view in centre if view.at < event.at]
    lay = list(dropwhile(lambda view: _top_face(view) != event.cards[0], reversed(before)))
    shown = _read_on_top(lay, event.cards[0])
    whole = any(s.visible >= STRIP and np.exp(s.log_face.max()) >= SURE_WHOLE for s in shown)
    rested = len(shown) >= ENOUGH_LOOKS or any(view.landed is not None for view in lay[: len(shown)])
    # of two that are tied the other one still lies there
    bare = [view for view in centre if view.at > lay[0].at][:ENOUGH_LOOKS] if lay else []
    alone = bool(bare) and all(_top_face(view) not in (None, event.cards[0]) for view in bare)
    return not (whole and rested and alone)


def _top_face(view: View) -> str | None:
    """What is read on top; None for no face."""
    return None if view.top is None or not view.top.face_up else _face(view.top)


def _face(sight: Sight) -> str:
    return FACES[int(np.argmax(sight.log_face))]


def _slid(event: Believed, before: Sequence[View], after: Sequence[View], left: Sequence[View]) -> float:
    """How far a card slid under a pile is to be believed: of its strip less is enough where all of it was read before it
    left its place. `before`, `after`: views of the pile until then, and since.
    """
    card = event.cards[0]
    whole = _read_on_top([view for view in left if view.at < event.at and _top_face(view) == card], card)
    known = has_left(event, left) and bool(whole)
    came = _read_lowest(after, event, LIKELY_STRIP if known else SURE_STRIP)
    if len(came) < ENOUGH_LOOKS or _begins_there(event, before, came[0]):
        return INFERRED
    return _belief(whole if known else came, card)


def _begins_there(event: Believed, before: Sequence[View], lowest: Sight) -> bool:
    """Whether other columns of that place began where the card that seems to be slid under this one lies: then it was
    laid there first, and missed.
    """
    begun = (view.sights[0] for view in before if view.sights and view.sights[0].face_up)
    others = (sight for sight in begun if _face(sight) not in (event.under, event.cards[0]))
    return any(np.hypot(*np.subtract(sight.at, lowest.at)) < LEAST_STEP_MM for sight in others)


def _read_lowest(views: Sequence[View], event: Believed, least: float) -> list[Sight]:
    """The sights of a card that was slid under a pile, the pile's lowest one beside it. `least`: how surely (log) its
    strip is read.
    """
    card, pile = event.cards[0], event.under or UNKNOWN
    found: list[Sight] = []
    for view in views:
        if found and view.sights and view.sights[0].reads(pile) >= SURE_STRIP:
            # strips are missed now and then
            continue
        if (
            len(view.sights) < 2
            or view.sights[0].reads(card) < least
            or view.sights[1].reads(pile) < SURE_STRIP
        ):
            break
        found.append(view.sights[0])
    return found


def _read_on_top(views: Sequence[View], face: str) -> list[Sight]:
    """The sights of `face` on top in the first of these views, until another card lies there."""
    column = FACE_INDEX[face]

    def shows(view: View) -> bool:
        return view.top is not None and view.top.face_up and int(np.argmax(view.top.log_face)) == column

    return [view.top for view in takewhile(shows, views) if view.top is not None]


def _belief(sights: Sequence[Sight], face: str) -> float:
    """The mean of what was read: looks at one card at rest are no independent witnesses."""
    return float(np.mean([np.exp(sight.log_face[FACE_INDEX[face]]) for sight in sights]))


def _below(before: Sequence[View], under: str | None) -> bool:
    """Whether what lies underneath was itself read on top just before, or nothing was seen there where nothing does."""
    if under is None:
        return not any(view.sights for view in before[-ENOUGH_LOOKS:])
    return bool(_read_on_top(before[::-1], under))


def _came_unseen(before: Sequence[View], under: str | None) -> bool:
    """Whether a foundation looked otherwise once though it was read as before: a card that came may have been misread."""
    shows = list(takewhile(lambda view: _top_face(view) == under, reversed(before)))
    # whoever laid the card that is read may still have covered part of it at first
    changes = (view.rested for view in shows[:-1] if view.untouched < view.rested)
    return any(at > shows[-1].rested + LEAVES_S for at in changes)
