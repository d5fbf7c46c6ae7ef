"""What may have happened when a place looks as it does: from one story to all that explain a view."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from referee.rules.cards import UNKNOWN
from referee.rules.events import Draw
from referee.rules.places import FOUNDATION, NERTS, STOCK, WASTE, Place
from referee.umpire import landings, moves, one_hand
from referee.umpire.columns import explain_column
from referee.umpire.fouls import short
from referee.umpire.fouls.aside import is_carried_off, passed_over, set_aside
from referee.umpire.odds import Odds
from referee.umpire.sights import Sight, View
from referee.umpire.story import Lying, Past, Story
from referee.umpire.tied import returned, ties

#: What changes for no longer than this (s) changed once.
ONE_TOUCH_S = 0.9
#: Once a card has left, a hand hides what lay beneath it for no longer than this (s).
UNCOVERED_S = 0.6
#: Of a card that is no illusion at least this share shows, and its face is read as surely (log) as whole cards are.
WHOLE, SURE_WHOLE = 0.8, -0.015
#: A story this much (log) worse than the best one is dropped.
HOPELESS = -12.0


def explain(story: Story, view: View, odds: Odds) -> Iterator[Story]:
    """Every story that continues `story` and shows what `view` shows, weighed."""
    if story.weight < view.floor and not (story.lifted and view.place.kind == FOUNDATION):
        # nothing makes a story likelier again but a tie, which says where a card was all the while
        return
    if view.place.kind == STOCK:
        yield from _stock(story, view, odds)
        return
    if cost := one_hand.out_of_time(story, view, odds):
        story = story.weighed(cost)
    if story.is_stack(view.place):
        there = bool(view.sights)
        yield story.weighed(0.0 if there == bool(story.pile(view.place)) else odds.miscounted)
    elif view.place.kind == NERTS and view.place.number:
        yield from _slot(story, view, odds)
    elif view.place.kind == NERTS:
        yield from _nerts(story, view, odds)
    elif view.place.kind == WASTE:
        known = story.top(view.place)
        # a card that is missed lies there as it did
        gone = odds.vanished if view.top is None and view.untouched < view.rested else 0.0
        for new in _waste(story, view, odds):
            missed = gone if new.pile(view.place) else 0.0
            yield _shown_first(new, view, known).weighed(missed)
    elif view.place.kind == FOUNDATION:
        yield from _foundation(story, view, odds)
    else:
        yield from explain_column(story, view, odds)


def shown(story: Story, place: Place, sight: Sight | None, odds: Odds) -> Iterator[Story]:
    """The story with its highest card at `place` held against what was seen; unknown cards become known."""
    top = story.top(place)
    again = top is not None and top.missed and top.at is None
    if sight is None:
        yield story.weighed(odds.missed_again if again else odds.missed_top if top else 0.0)
    elif top is None:
        yield story.weighed(odds.ghost_face if sight.face_up else odds.ghost)
    elif sight.face_up != top.up:
        yield story.weighed(odds.missed_again if again else odds.wrong_side)
    elif not sight.face_up:
        yield story
    elif top.known:
        yield _placed(story, place, top.face, sight).weighed(sight.reads(top.face))
    else:
        for face in sight.likely():
            weight = sight.reads(face) + moves.surprise(story, face, top.deck, odds)
            yield _placed(story, place, face, sight).weighed(weight)


def _placed(story: Story, place: Place, face: str, sight: Sight) -> Story:
    pile = story.pile(place)
    named = story.with_pile(place, (*pile[:-1], pile[-1]._replace(face=face, at=sight.at, there=True)))
    past = story.past
    # what was seen there before was not drawn since: the packet is in hand still
    if past and place.kind == WASTE and pile[-1].at is None:
        draw = past.last.event
        # its top card was not read yet
        if isinstance(draw, Draw) and draw.seat == place.seat and draw.cards[-1] == UNKNOWN:
            read = replace(past.last, event=replace(draw, cards=(*draw.cards[:-1], face)), caution=1.0)
            named.past = Past(read, past.before, past.length)
    return named


def _stock(story: Story, view: View, odds: Odds) -> Iterator[Story]:
    there = bool(view.sights)
    yield story.weighed(0.0 if there == bool(story.pile(view.place)) else odds.miscounted)
    if there and not story.pile(view.place):
        renewed = moves.recycle(story, view.place.seat, view, odds)
        if renewed is not None:
            yield renewed
    if not there and story.pile(view.place):
        ended = moves.run_out(story, view.place, odds)
        if ended is not None:
            yield ended
        drawn = moves.draw(story, view.place.seat, view, odds)
        while drawn is not None and drawn.pile(view.place):
            ended = moves.run_out(drawn, view.place, odds)
            drawn = ended or moves.draw(drawn, view.place.seat, view, odds, odds.unseen)
        if drawn is not None:
            yield drawn


def _nerts(story: Story, view: View, odds: Odds) -> Iterator[Story]:
    place, sight = view.place, view.top
    pile = story.pile(place)
    yield from shown(story, place, sight, odds)
    if sight is not None and sight.face_up:
        yield from _returned(story, view, odds)
        yield from _laid_on(story, view, odds)
        if pile and not pile[-1].up:
            yield from _turned(story, view, odds)
    if not pile or story.weight + odds.play < view.floor:
        return
    # a card is turned before it is taken, though that may not have been seen
    lifted = moves.lift(story, place, 1, view, odds, 0.0 if pile[-1].up else odds.unseen)
    if sight is None:
        yield from _ended(story, lifted, place, odds)
    if sight is None and len(pile) > 1:
        return
    yield from shown(lifted, place, sight, odds)
    if sight is not None and sight.face_up and len(pile) > 1 and pile[-2].up:
        # all cards of the pile lie face up
        yield from shown(moves.lift(lifted, place, 1, view, odds, odds.unseen), place, sight, odds)
    elif sight is not None and sight.face_up and len(pile) > 1:
        yield from _turned(lifted, view, odds)
        if len(pile) > 2 and pile[-1].up:
            hidden = moves.turn(lifted, place, UNKNOWN, None, view, odds.unseen)
            yield from _turned(moves.lift(hidden, place, 1, view, odds), view, odds)


def _slot(story: Story, view: View, odds: Odds) -> Iterator[Story]:
    """An open nert lies there, was played, or is replaced by the stack's top card (T2)."""
    place, sight = view.place, view.top
    yield from shown(story, place, sight, odds)
    if sight is not None and sight.face_up:
        yield from _returned(story, view, odds)
    free = story
    if story.pile(place) and story.weight + odds.play >= view.floor:
        free = moves.lift(story, place, 1, view, odds)
        yield from shown(free, place, sight, odds)
    if sight is not None and sight.face_up:
        for face in moves.expected(free, sight, place):
            for landed in landings.land(free, face, sight, view, odds, sight.reads(face)):
                yield landed.weighed(sight.reads(face))


def _ended(story: Story, lifted: Story, place: Place, odds: Odds) -> Iterator[Story]:
    """The pile is seen to be empty: so it has ended, before or with the card that was lifted."""
    for one in (story, lifted):
        ended = moves.run_out(one, place, odds)
        if ended is not None:
            yield ended


def _turned(story: Story, view: View, odds: Odds) -> Iterator[Story]:
    sight = view.top
    assert sight is not None
    for face in sight.likely():
        if story.weight + sight.reads(face) + odds.any_face < view.floor:
            continue
        weight = sight.reads(face) + moves.surprise(story, face, view.place.seat, odds)
        yield moves.turn(story, view.place, face, sight.at, view, weight)


def _returned(story: Story, view: View, odds: Odds) -> Iterator[Story]:
    """Cards in hand put back where they came from, before the centre or from there."""
    sight, place = view.top, view.place
    assert sight is not None
    for i, held in enumerate(story.lifted):
        card = held.cards[-1]
        if len(held.cards) > 1 or not card.known or moves.whose(held) != place.seat:
            continue
        if held.place != place and held.place.kind != FOUNDATION:
            continue
        laid = card._replace(up=True, at=sight.at)
        back = story.with_pile(place, (*story.pile(place), laid), sight.reads(card.face))
        back.lifted = story.lifted[:i] + story.lifted[i + 1 :]
        if held.place != place:
            yield back.weighed(returned.back_too_soon(held, view, odds)).told(landings.taken_back(held, view))
            continue
        since = any(e.source == held.place and e.at >= held.at for e in islice(story.past or (), 8))
        yield from returned.put_back(back.weighed(odds.back_in * since), story, card.face, view, odds)


def _laid_on(story: Story, view: View, odds: Odds) -> Iterator[Story]:
    """A card that lay open elsewhere put where nobody builds: on the Nerts pile, or on the waste."""
    sight, top = view.top, story.top(view.place)
    assert sight is not None
    # what was in hand costs nothing if it came from there
    if top is None or story.weight + (0.0 if story.lifted else odds.illegal) < view.floor:
        return
    for face in sight.likely(0.5, 1):
        if top.face == face:
            continue
        for landed in landings.land(story, face, sight, view, odds, sight.reads(face)):
            event = landed.past.last if landed.past else None
            if event is not None and event.caution == 1.0 and event.seat == view.place.seat:
                yield landed.weighed(sight.reads(face))


def _waste(story: Story, view: View, odds: Odds) -> Iterator[Story]:
    place, sight = view.place, view.top
    if sight is not None and not sight.face_up:
        yield story.weighed(odds.ghost)
        return
    lay = _illusion(story, view, odds) + _uncovered(story, 0, view, odds)
    yield from shown(story.weighed(lay) if lay else story, place, sight, odds)
    if sight is not None:
        yield from _returned(story, view, odds)
        yield from _laid_on(story, view, odds)
    still = odds.stock_still if view.stirred is False else 0.0
    stirred = odds.stock_stirred if view.stirred else 0.0
    is_one_touch = view.rested - view.untouched <= ONE_TOUCH_S
    for lifts in range(3):
        before = _lifted(story, place, lifts, view, odds)
        if before is None or before.weight < view.floor:
            break
        if lifts:
            # nobody takes one card after the other in the time of one touch
            hurried = odds.hurried if lifts > 1 and is_one_touch else _uncovered(story, lifts, view, odds)
            yield from shown(before.weighed(stirred + hurried), place, sight, odds)
        yield from short.turned_out(before.weighed(stirred if lifts else 0.0), view, odds)
        if before.weight + still + odds.draw >= view.floor:
            yield from _drawn(before, lifts, still, view, odds)
        ended = moves.run_out(before, place, odds) if sight is None else None
        if ended is not None:
            yield ended
        if sight is None and lifts < 2 and before.pile(place):
            turned = moves.recycle(before, place.seat, view, odds)
            if turned is not None:
                yield turned.weighed(still)
    if sight is not None and len(story.pile(place)) > 1 and is_one_touch:
        yield from shown(moves.lift(story, place, 2, view, odds, odds.both + stirred), place, sight, odds)
    early = moves.recycle_early(story, place.seat, view, odds) if sight is None else None
    if early is not None:
        yield early


def _illusion(story: Story, view: View, odds: Odds) -> float:
    """What it costs besides to say that no card lies on an empty waste, though a face was seen to come to rest there."""
    sight = view.top
    if sight is None or view.landed is None or story.pile(view.place):
        return 0.0
    is_plain = sight.visible >= WHOLE and float(sight.log_face.max()) >= SURE_WHOLE
    return odds.ghost_plain if is_plain else odds.ghost


def _uncovered(story: Story, lifts: int, view: View, odds: Odds) -> float:
    """What it costs to say that a waste's top card lay beneath the one that has left, though it was seen to come to rest
    well after that. `lifts`: so many have left besides those of which a play is told.
    """
    if view.left is None or view.landed is None or view.landed[0] - view.left[1][1] < UNCOVERED_S:
        return 0.0
    since = view.seen(view.place)
    taken = (e for e in islice(story.past or (), 12) if e.source == view.place)
    left = [e.at - one_hand.WAY_S if e.lifted is None else e.lifted for e in taken]
    return odds.came_later if lifts + sum(at > since for at in left) == 1 else 0.0


def _drawn(story: Story, lifts: int, still: float, view: View, odds: Odds) -> Iterator[Story]:
    """A packet or two were drawn, after so many cards had left the waste."""
    place, sight = view.place, view.top
    drawn = moves.draw(story, place.seat, view, odds, still)
    for draws in (1, 2):
        if draws == 2 and drawn is not None:
            drawn = moves.draw(drawn, place.seat, view, odds, odds.unseen)
        if drawn is not None and lifts + draws < 4:
            yield from shown(drawn, place, sight, odds)
    if lifts < 2 and story.weight + still + odds.lost_order + odds.draw >= view.floor:
        for draw in (moves.draw_anew, moves.draw_upended):
            other = draw(story, place.seat, view, odds, still)
            if other is not None:
                yield from shown(other, place, sight, odds)


def _shown_first(story: Story, view: View, before: Lying | None) -> Story:
    """The story with its mark on a waste's top card that is another one than before: whether one may have lain on it that
    went on at once.
    """
    top = story.top(view.place)
    if top is None or (before is not None and (top.face, top.deck) == (before.face, before.deck)):
        return story
    # what left after it had come to rest lay on it, as what another hand took may have
    bared = view.revisited or (view.left is not None and view.left[1][0] > view.rested)
    first = view.rested - view.untouched <= ONE_TOUCH_S and not bared
    return story.with_pile(view.place, (*story.pile(view.place)[:-1], top._replace(first=first)))


def _lifted(story: Story, place: Place, count: int, view: View, odds: Odds) -> Story | None:
    """The story with `count` cards taken one after the other from `place`, None if there are not so many."""
    for i in range(count):
        if not story.pile(place) or story.weight < view.floor:
            return None
        story = moves.lift(story, place, 1, view, odds, odds.unseen if i else 0.0)
    return story


def _foundation(story: Story, view: View, odds: Odds) -> Iterator[Story]:
    place, sight = view.place, view.top
    pile = story.pile(place)
    if sight is None and is_carried_off(pile):
        yield story
        return
    for seen in shown(story if view.uncovered is None else story.weighed(odds.covered), place, sight, odds):
        yield seen.weighed(passed_over(seen, view, odds))
    if sight is None or not sight.face_up:
        for laid in one_hand.missed(story, view, odds):
            yield laid.weighed(passed_over(laid, view, odds))
        yield from set_aside(story, view, odds)
    if sight is None:
        return
    if story.lifted:
        yield from _tied(story, view, odds)
    if not sight.face_up:
        return
    for bare in returned.taken_off(story, view, odds):
        yield from shown(bare, place, sight, odds)
    for face in moves.expected(story, sight, place):
        for landed in landings.land(story, face, sight, view, odds, sight.reads(face)):
            yield landed.weighed(sight.reads(face))
        yield from _landed_between(story, face, sight, view, odds)
        for landed in landings.land_both(story, face, sight, view, odds):
            yield landed.weighed(sight.reads(face))


def _tied(story: Story, view: View, odds: Odds) -> Iterator[Story]:
    """A card in hand lies or lay there with the same one of another seat."""
    yield from ties.uncovered(story, view, odds)
    for tied in ties.stays(story, view, odds):
        yield from shown(tied, view.place, view.top, odds)
        for face in moves.expected(tied, view.top, view.place) if view.top else ():
            for landed in landings.land(tied, face, view.top, view, odds):
                yield landed.weighed(view.top.reads(face) if view.top else 0.0)


def _landed_between(story: Story, face: str, sight: Sight, view: View, odds: Odds) -> Iterator[Story]:
    """Up to three cards that landed underneath `face` since the last look."""
    rank = "A23456789TJQK".index(face[0])
    top = None if is_carried_off(story.pile(view.place)) else story.top(view.place)
    first = 0 if top is None else "A23456789TJQK".index(top.face[0]) + 1 if top.known else rank
    if (top is not None and top.face[1] != face[1]) or not 0 < rank - first <= 3:
        return
    left = sight.reads(face) + odds.unseen / 2
    if story.weight + left < view.floor:
        return
    earlier = [story]
    for under in range(first, rank):
        name = "A23456789TJQK"[under] + face[1]
        step = replace(view, rested=max(0.0, view.rested - 0.3 * (rank - under)), landed=None)
        earlier = [s for e in earlier for s in landings.land(e, name, None, step, odds, left)]
        earlier = moves.likeliest(earlier, 5)
    for before in earlier:
        if before.weight - story.weight > HOPELESS:
            for landed in landings.land(before, face, sight, view, odds, left):
                both = landings.laid_at_once(landed, view, odds) if rank == first + 1 else landed
                yield both.weighed(sight.reads(face) + odds.unseen / 2)
