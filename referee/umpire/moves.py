"""The steps that a story may take: cards lifted, drawn, turned; with what each costs to believe."""

from __future__ import annotations

from referee.rules.cards import UNKNOWN
from referee.rules.events import INFERRED, Draw, Play, Recycle, TakeBack, Turn
from referee.rules.places import FOUNDATION, STOCK, WASTE, Place
from referee.umpire.odds import Odds
from referee.umpire.sights import Interval, Point, Sight, View
from referee.umpire.story import EARLY, UPENDED, Believed, Foul, Lift, Story

#: Cards in a waste and left in its stock that a play or draws which were missed do not explain away: three packets.
PLENTY_LAY, PLENTY_LEFT = 3, 9


def likeliest(stories: list[Story], most: int) -> list[Story]:
    """The best few stories, best first."""
    return sorted(stories, key=lambda story: -story.weight)[:most]


def surprise(story: Story, face: str, deck: str, odds: Odds) -> float:
    """Log prior of an unseen card of `deck` being `face`."""
    return odds.contradiction if story.knows(face, deck) else odds.any_face


def lift(story: Story, place: Place, count: int, view: View, odds: Odds, weight: float = 0.0) -> Story:
    """Take the `count` highest cards of `place` in hand."""
    pile = story.pile(place)
    taken, left = pile[-count:], pile[:-count]
    if any(held.place.seat == place.seat for held in story.lifted):
        weight += odds.second_in_hand
    moved = story.with_pile(place, left, weight + odds.play)
    moved.lifted = (*story.lifted, Lift(place, taken, view.rested))
    return moved


def run_out(story: Story, place: Place, odds: Odds) -> Story | None:
    """The story in which a pile of cards that may be there or not has ended; None where some card is surely there."""
    pile = story.pile(place)
    if not pile or any(card.there for card in pile):
        return None
    return story.with_pile(place, (), odds.ran_out)


def turn(story: Story, place: Place, face: str, at: Point | None, view: View, weight: float) -> Story:
    """Turn the highest card of `place` face up."""
    pile = story.pile(place)
    turned = pile[-1]._replace(face=face, up=True, at=at, there=True)
    event = Turn(at=view.rested, seat=place.seat, frames=view.frames, place=place.own_name, card=face)
    return story.with_pile(place, (*pile[:-1], turned), weight).told(Believed(event, None, place))


def draw(story: Story, seat: str, view: View, odds: Odds, weight: float = 0.0) -> Story | None:
    """Turn a packet of the stock onto the waste; an empty stock is renewed first. None if no card is left."""
    source, waste = Place(STOCK, 0, seat), Place(WASTE, 0, seat)
    stock = story.pile(source)
    if not stock:
        renewed = recycle(story, seat, view, odds)
        return draw(renewed, seat, view, odds, weight) if renewed else None
    if any(held.place.seat == seat for held in story.lifted):
        weight += odds.second_in_hand
    count = min(odds.draw_cards, len(stock))
    packet = tuple(card._replace(up=True, at=None) for card in stock[: -count - 1 : -1])
    event = Draw(at=view.rested, seat=seat, frames=view.frames, cards=(UNKNOWN,) * len(packet))
    drawn = story.with_pile(source, stock[:-count], weight + odds.draw)
    return drawn.with_pile(waste, story.pile(waste) + packet).told(Believed(event, caution=INFERRED))


def draw_anew(story: Story, seat: str, view: View, odds: Odds, weight: float = 0.0) -> Story | None:
    """Draw from a stock that lies in another order than thought, which is forgotten; None if none was known.

    A draw that was missed or made up in one round shifts all packets of the next.
    """
    stock = Place(STOCK, 0, seat)
    if not any(card.known for card in story.pile(stock)):
        return None
    forgotten = tuple(card._replace(face=UNKNOWN) for card in story.pile(stock))
    return draw(story.with_pile(stock, forgotten), seat, view, odds, weight + odds.lost_order)


def draw_upended(story: Story, seat: str, view: View, odds: Odds, weight: float = 0.0) -> Story | None:
    """Turn a packet onto the waste so that the stock's top card comes to lie on top, which breaks a rule; None where it
    was not known which card should.
    """
    source, waste = Place(STOCK, 0, seat), Place(WASTE, 0, seat)
    stock = story.pile(source)
    count = min(odds.draw_cards, len(stock))
    if count < 2 or not stock[-count].known:
        return None
    packet = tuple(card._replace(up=True, at=None) for card in stock[-count:])
    lowest = stock[-count].face
    cards = (lowest, *(UNKNOWN,) * (count - 1))
    event = Draw(at=view.rested, seat=seat, frames=view.frames, cards=cards)
    told = Believed(event, source, waste, INFERRED, misfit=True, under=lowest, foul=UPENDED)
    drawn = story.with_pile(source, stock[:-count], weight + odds.draw + odds.upended)
    return drawn.with_pile(waste, story.pile(waste) + packet).told(told)


def recycle(story: Story, seat: str, view: View, odds: Odds) -> Story | None:
    """Turn the waste over as the new stock; stock that is left was drawn without being noticed."""
    stock, waste = Place(STOCK, 0, seat), Place(WASTE, 0, seat)
    story = run_out(story, stock, odds) or story
    while story.pile(stock):
        drawn = draw(story, seat, view, odds, odds.unseen)
        if drawn is None:
            return None
        story = drawn
    cards = tuple(card._replace(up=False, at=None) for card in story.pile(waste)[::-1])
    if not cards:
        return None
    turned = story.with_pile(stock, cards, odds.recycle).with_pile(waste, ())
    event = Recycle(at=view.rested, seat=seat, frames=view.frames)
    return turned.told(Believed(event, caution=INFERRED))


def recycle_early(story: Story, seat: str, view: View, odds: Odds) -> Story | None:
    """Turn the waste over and put it under what is left of the stock, which breaks a rule; None if nothing is left."""
    stock, waste = Place(STOCK, 0, seat), Place(WASTE, 0, seat)
    if not story.pile(stock) or not story.pile(waste):
        return None
    cards = tuple(card._replace(up=False, at=None) for card in story.pile(waste)[::-1])
    turned = story.with_pile(stock, cards + story.pile(stock), odds.recycle + odds.early).with_pile(waste, ())
    event = Recycle(at=view.rested, seat=seat, frames=view.frames)
    left, lay = (sum(card.there for card in story.pile(place)) for place in (stock, waste))
    free = all(held.place.seat != seat for held in story.lifted)
    plenty = free and lay >= PLENTY_LAY and left >= PLENTY_LEFT
    return turned.told(Believed(event, stock, waste, misfit=True, foul=EARLY, plenty=plenty))


def expected(story: Story, sight: Sight, place: Place) -> list[str]:
    """Faces that a newly landed card may be: what the eye reads, and what could well have come."""
    found = sight.likely()
    tops = [pile[-1].face for p, pile in story.piles.items() if pile and p != place and p.kind != FOUNDATION]
    tops += [held.cards[-1].face for held in story.lifted if len(held.cards) == 1]
    return found + [
        f for f in dict.fromkeys(tops) if f not in found and f != UNKNOWN and sight.reads(f) > -6.5
    ]


def whose(held: Lift) -> str:
    """Whose hand it is: from the centre a card is taken back by its own seat."""
    return held.place.seat or held.cards[-1].deck


def moved(
    seat: str,
    faces: tuple[str, ...],
    source: Place,
    view: View,
    foul: Foul | None = None,
    landed: Interval | None = None,
) -> Play | TakeBack:
    """Cards laid on `view.place`: from a foundation one takes back, or takes what is not to be taken."""
    kind = TakeBack if source.kind == FOUNDATION and foul is None else Play
    return kind(
        at=view.rested,
        seat=seat,
        frames=view.frames,
        cards=faces,
        source=source.written_by(seat),
        target=view.place.written_by(seat),
        landed=landed,
    )
