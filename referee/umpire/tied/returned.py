"""Cards of ties that were taken back: not before they can have been, and some that nobody saw lie on the other one."""

from __future__ import annotations

from collections.abc import Iterator

from referee.rules.events import TakeBack
from referee.rules.places import FOUNDATION, Place
from referee.umpire import moves
from referee.umpire.odds import Odds
from referee.umpire.sights import View
from referee.umpire.story import Believed, Lift, Pile, Story
from referee.umpire.tied.plays import CARRIED_S, both_somewhen, play_of, retold

#: A card is back no sooner than this (s) before the foundation was seen without it: a hand may hide that.
ON_WAY_S = 0.5
#: Whoever takes a card back comes for it so long (s) after it landed at least, and no longer than this (s) before it lies
#: where it lay.
COMES_AGAIN_S, BRINGS_S = 0.3, 1.5


def back_too_soon(held: Lift, view: View, odds: Odds) -> float:
    """What it costs that a card which was taken out of the centre should have come to rest elsewhere before that."""
    early = held.place.kind == FOUNDATION and view.rested < held.at - ON_WAY_S
    return odds.unreached if early else 0.0


def is_tied(pile: Pile) -> bool:
    """Whether the same card of two seats lies on top."""
    return len(pile) > 1 and pile[-1].known and pile[-1].face == pile[-2].face


def from_centre(pile: Pile, face: str, seat: str, strange: float, odds: Odds) -> tuple[int, float]:
    """How deep on a foundation this card of a seat lies that may be taken back, and what that costs; 0: it does not.

    Of two that are tied either may be, by its own player: `strange` is what it costs where another one has it then.
    """
    if (pile[-1].face, pile[-1].deck) == (face, seat):
        return 1, strange if is_tied(pile) else odds.taken_back
    return (2, strange) if is_tied(pile) and (pile[-2].face, pile[-2].deck) == (face, seat) else (0, 0.0)


def taken_off(story: Story, view: View, odds: Odds) -> Iterator[Story]:
    """The card on top of a foundation is in hand again; of two that are tied either one, since one of them must."""
    pile = story.pile(view.place)
    if len(pile) < 2 or not pile[-1].up:
        return
    tied = is_tied(pile)
    if story.weight + odds.play + (0.0 if tied else odds.taken_back) < view.floor:
        return
    yield moves.lift(story, view.place, 1, view, odds, 0.0 if tied else odds.taken_back)
    if tied:
        swapped = story.with_pile(view.place, (*pile[:-2], pile[-1], pile[-2]))
        yield moves.lift(swapped, view.place, 1, view, odds, odds.other_tied)


def put_back(placed: Story, before: Story, face: str, view: View, odds: Odds) -> Iterator[Story]:
    """A card was put back where it came from (`placed`). Where another seat played the same one meanwhile, and a hand
    came to that foundation again just before, it had rather been laid there, too, and was taken back.

    `before`: the story in which it is in hand.
    """
    tied = list(_taken_back(placed, before, face, view, odds)) if placed.past is before.past else []
    yield placed.weighed(odds.held_on if tied else 0.0)
    yield from tied


def _taken_back(placed: Story, before: Story, face: str, view: View, odds: Odds) -> Iterator[Story]:
    gone = [lift for lift in before.lifted if lift not in placed.lifted]
    if len(gone) != 1 or gone[0].place != view.place:
        return
    for place, pile in before.piles.items():
        if place.kind != FOUNDATION or not pile or pile[-1].face != face or pile[-1].deck == view.place.seat:
            continue
        other = play_of(before, place, pile[-1].deck, face, view.at)
        if other is None or not -CARRIED_S < other.at - gone[0].at < CARRIED_S:
            continue
        if _came_again(other, place, view):
            yield _tied(placed, gone[0], other, place, view, odds)


def _came_again(other: Believed, place: Place, view: View) -> bool:
    """Whether the foundation was touched again after the play, shortly before the card was put back."""
    since, until = max(other.at + COMES_AGAIN_S, view.rested - BRINGS_S), view.rested
    return any(since < begun < until for begun, _ in view.touched(place))


def _tied(placed: Story, held: Lift, other: Believed, place: Place, view: View, odds: Odds) -> Story:
    """Both were laid on the foundation, one of them was taken back."""
    seat = held.place.seat
    both = both_somewhen(held, other, place, other.came)
    back = TakeBack(
        at=view.rested,
        seat=seat,
        frames=view.frames,
        cards=other.cards,
        source=place.written_by(seat),
        target=view.place.written_by(seat),
        landed=view.landed,
    )
    # it was not in the air for as long as was thought
    weight = odds.tie - odds.waiting(view.at - held.at)
    return retold(placed, other, both, weight).told(Believed(back, place, view.place))
