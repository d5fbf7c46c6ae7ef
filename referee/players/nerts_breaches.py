"""How careless players break the rules of the Nerts family. Every recipe looks at the cards alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from referee.players.sim import Breach, Recipe, builds_down, builds_up, rank
from referee.rules.events import Bury, Call, Event, Play, SetAside

if TYPE_CHECKING:
    from referee.players.nerts import NertsSim

Way = Callable[["NertsSim", str], list[Event]]
#: By game: the id that a variant has for a rule of section 1.
IDS: dict[str, dict[str, str]] = {
    "nuts": {"down": "U3", "N6": "U4", "N8": "U7", "N11": "U5", "N12": "U5", "N14": "U7", "N15": "U6"},
    "team-nuts": {"down": "P2", "N6": "P4", "N11": "P4", "N12": "P4", "N15": "P5"},
    "nerts-twelve": {"down": "T1", "N4": "T3", "N8": "T2", "N13": "T3", "N15": "T4"},
}


def recipes(sim: NertsSim) -> Mapping[str, Recipe]:
    """The recipes of a game by the ids that its rulings name; several recipes may share one id."""
    ways: dict[str, list[Recipe]] = {}
    for rule, way in _simple(sim).items():
        ways.setdefault(_id(sim, rule), []).append(_from(sim, way))
    for rule, recipe in (("N13", _tie), ("N14", _bury)):
        if rule != "N14" or sim.settings["stuck"] not in ("none",):
            ways.setdefault(_id(sim, rule), []).append(recipe(sim))
    ways.setdefault("N16", []).append(_after_call(sim))
    return {rule: sim.either(*found) for rule, found in ways.items()}


def _id(sim: NertsSim, rule: str) -> str:
    rule = rule.rstrip("abc")
    return IDS.get(sim.game, {}).get(rule, rule)


def _from(sim: NertsSim, way: Way) -> Recipe:
    return lambda seat, rng: sim.some(way(sim, seat), rng)


def _simple(sim: NertsSim) -> dict[str, Way]:
    """Breaches that one event makes. A letter behind the id tells ways of breaking one rule apart."""
    found: dict[str, Way] = {
        "N3a": other_area,
        "N3b": out_of_centre,
        "N4": two_at_once,
        "N5a": wrong_build,
        "N5b": covered_work_card,
        "N7": wrong_slide,
        "N8a": lower_nerts_card,
        "N8b": onto_nerts,
        "N9a": wrong_foundation,
        "N9b": no_ace,
        "N10": aside_early,
        "N11a": wrong_draw,
        "N11b": from_stock,
        "N12": lower_waste_card,
        "N15": false_call,
    }
    if sim.settings["fill"] == "nuts-top":
        found["N6"] = wrong_fill
    if sim.settings["foundations_a_suit"] == 1:
        found["F1"] = second_foundation
    if sim.game in ("nuts", "team-nuts", "nerts-twelve"):
        found["down"] = face_down
    if sim.game == "team-nuts":
        found["P3"] = wrong_role
    if sim.game == "nerts-twelve":
        del found["N8a"]
        found["N8c"] = stack_played
    return found


def _waste(sim: NertsSim, seat: str) -> list[str]:
    return sim.pile(sim.turned(seat)) if sim.role(seat) != "nuts" else []


def other_area(sim: NertsSim, seat: str) -> list[Event]:
    """A card onto another's work pile, where it even fits."""
    others = [place for place in sim.piles if " work " in place and place not in sim.works(seat)]
    return [
        sim.own(seat, sim.top(source), source, target)
        for source in sim.available(seat)
        for target in others
        if sim.top(target) and builds_down(sim.top(source), sim.top(target))
    ]


def out_of_centre(sim: NertsSim, seat: str) -> list[Event]:
    """A foundation's top card onto an own work pile, where it even fits."""
    return [
        sim.own(seat, sim.top(source), source, target)
        for source in sim.places("foundation")
        for target in sim.works(seat)
        if sim.top(target) and builds_down(sim.top(source), sim.top(target))
    ]


def two_at_once(sim: NertsSim, seat: str) -> list[Event]:
    """Two cards of the waste at once onto a work pile."""
    waste = _waste(sim, seat)
    if len(waste) < 2:
        return []
    fits = [t for t in sim.works(seat) if sim.top(t) and builds_down(waste[-2], sim.top(t))]
    return [sim.own(seat, waste[-2:], sim.turned(seat), target) for target in fits]


def wrong_build(sim: NertsSim, seat: str) -> list[Event]:
    """A card that does not fit onto a work pile."""
    return [
        sim.own(seat, sim.top(source), source, target)
        for source in sim.available(seat)
        for target in sim.works(seat)
        if source != target and sim.top(target) and not builds_down(sim.top(source), sim.top(target))
    ]


def covered_work_card(sim: NertsSim, seat: str) -> list[Event]:
    """A face-up work card moved without those on top of it, to where it fits."""
    return [
        sim.own(seat, card, source, target)
        for source in sim.works(seat)
        for card in sim.pile(source)[sim.down[source] : -1]
        for target in sim.works(seat)
        if target != source and sim.top(target) and builds_down(card, sim.top(target))
    ]


def wrong_slide(sim: NertsSim, seat: str) -> list[Event]:
    """A card slid under a pile with no space in the own area, or where the ruleset knows no such thing."""
    works = sim.works(seat)
    if sim.settings["slide_under"] and not all(sim.top(place) for place in works):
        return []
    return [
        sim.own(seat, sim.top(source), source, target, under=True)
        for source in sim.available(seat)
        for target in works
        if source != target and sim.top(target) and sim.slides(sim.top(source), target)
    ]


def lower_nerts_card(sim: NertsSim, seat: str) -> list[Event]:
    """A card from within the Nerts pile, to where it fits."""
    source = f"{sim.owner(seat)} nerts"
    if sim.role(seat) == "cards":
        return []
    fits = [
        (card, target)
        for card in sim.pile(source)[:-1]
        for target in sim.works(seat)
        if sim.top(target) and builds_down(card, sim.top(target))
    ]
    return [sim.own(seat, card, source, target) for card, target in fits]


def onto_nerts(sim: NertsSim, seat: str) -> list[Event]:
    """A waste or work card onto the Nerts pile."""
    if sim.settings["onto_nuts"] or not sim.left(seat):
        return []
    target = sim.nerts(seat)[0]
    sources = [place for place in sim.available(seat) if " nerts" not in place]
    return [sim.own(seat, sim.top(source), source, target) for source in sources]


def stack_played(sim: NertsSim, seat: str) -> list[Event]:
    """nerts-twelve: a card of the stack played to a work pile."""
    stack = f"{sim.owner(seat)} nerts"
    fits = [t for t in sim.works(seat) if sim.top(stack) and sim.fits(sim.top(stack), t, stack)]
    return [sim.own(seat, sim.top(stack), stack, target) for target in fits]


def wrong_foundation(sim: NertsSim, seat: str) -> list[Event]:
    """A card that does not follow onto a foundation that is not complete."""
    return [
        sim.own(seat, sim.top(source), source, target)
        for source in sim.available(seat)
        for target in sim.open_foundations()
        if not builds_up(sim.top(source), sim.top(target))
    ]


def no_ace(sim: NertsSim, seat: str) -> list[Event]:
    """A foundation begun without an ace."""
    sources = [place for place in sim.available(seat) if rank(sim.top(place)) > 1]
    return [sim.own(seat, sim.top(source), source, sim.free("foundation")) for source in sources]


def aside_early(sim: NertsSim, seat: str) -> list[Event]:
    """A foundation set aside before its king; nobody plays to it any more."""
    return [SetAside(seat=seat, place=place) for place in sim.open_foundations()]


def wrong_draw(sim: NertsSim, seat: str) -> list[Event]:
    """Two or four cards drawn instead of three."""
    if sim.role(seat) == "nuts" or len(sim.pile(sim.drawing(seat)[0])) < 5:
        return []
    return [sim.draw(seat, count) for count in (2, 4) if count != sim.settings["draw"]]


def from_stock(sim: NertsSim, seat: str) -> list[Event]:
    """The stock's top card straight onto a foundation that it fits."""
    stock = sim.drawing(seat)[0]
    if sim.role(seat) == "nuts" or not sim.top(stock) or not sim.foundation_for(sim.top(stock)):
        return []
    return [sim.own(seat, sim.top(stock), stock, sim.foundation_for(sim.top(stock)))]


def lower_waste_card(sim: NertsSim, seat: str) -> list[Event]:
    """A buried waste card, to where it fits."""
    found: list[Event] = []
    for card in _waste(sim, seat)[:-1]:
        places = [t for t in sim.works(seat) if sim.top(t) and builds_down(card, sim.top(t))]
        places += [sim.foundation_for(card)] if sim.foundation_for(card) else []
        found += [sim.own(seat, card, sim.turned(seat), place) for place in places]
    return found


def false_call(sim: NertsSim, seat: str) -> list[Event]:
    """A call with cards left in the Nerts pile."""
    return [Call(seat=seat, word="Nerts")] if sim.left(seat) > 1 else []


def wrong_fill(sim: NertsSim, seat: str) -> list[Event]:
    """A space filled from the waste where only the Nut pile may fill it."""
    spaces = [place for place in sim.works(seat) if not sim.top(place)]
    waste = _waste(sim, seat)
    return [sim.own(seat, waste[-1], sim.turned(seat), place) for place in spaces if waste]


def second_foundation(sim: NertsSim, seat: str) -> list[Event]:
    """An ace of a suit whose foundation is not complete."""
    aces = [place for place in sim.available(seat) if rank(sim.top(place)) == 1]
    return [
        sim.own(seat, sim.top(source), source, sim.free("foundation"))
        for source in aces
        if not sim.foundation_for(sim.top(source))
    ]


def face_down(sim: NertsSim, seat: str) -> list[Event]:
    """A block with a face-down card in it, to where its lowest card fits."""
    found: list[Event] = []
    for source in sim.works(seat):
        for at in range(sim.down[source]):
            block = sim.pile(source)[at:]
            targets = [t for t in sim.works(seat) if t != source and sim.top(t)]
            fits = [t for t in targets if builds_down(block[0], sim.top(t))]
            found += [sim.own(seat, block, source, target) for target in fits]
    return found


def wrong_role(sim: NertsSim, seat: str) -> list[Event]:
    """The Cards player plays from the Nut pile, the Nuts player from the waste."""
    places = sim.nerts(seat) if sim.role(seat) == "cards" else [sim.turned(seat)]
    tops = [place for place in places if sim.top(place) and sim.foundation_for(sim.top(place))]
    return [sim.own(seat, sim.top(place), place, sim.foundation_for(sim.top(place))) for place in tops]


# -- breaches that several events make ----------------------------------------------------------------------


def _tie(sim: NertsSim) -> Recipe:
    """Two sides play one card to a foundation; the one who came later does not take it back."""

    def broken(seat: str, rng: Random) -> Breach | None:
        for source in sim.available(seat):
            card = sim.top(source)
            place = sim.foundation_for(card)
            for other in sim.seats:
                if not place or sim.owner(other) == sim.owner(seat):
                    continue
                for rival in sim.available(other):
                    if sim.top(rival) == card:
                        return _tied(sim, seat, source, other, rival, place)
        return None

    return broken


def _tied(sim: NertsSim, seat: str, source: str, other: str, rival: str, place: str) -> Breach:
    first, later = sim.clock + 2.0, sim.clock + 2.3
    one, two = sim.own(seat, sim.top(source), source, place), sim.own(other, sim.top(rival), rival, place)
    return Breach([_landing(one, first), _landing(two, later)], at=1)


def _landing(play: Play, at: float) -> Play:
    return Play(
        at=at,
        seat=play.seat,
        cards=play.cards,
        source=play.source,
        target=play.target,
        landed=(at - 0.02, at),
        lifted=(at - 0.4, at - 0.3),
    )


def _bury(sim: NertsSim) -> Recipe:
    """A card put to the bottom of the stock while another side plays on."""

    def broken(seat: str, rng: Random) -> Breach | None:
        others = [other for other in sim.seats if sim.owner(other) != sim.owner(seat)]
        other = rng.choice([other for other in others if sim.role(other) != "nuts"])
        stock = sim.pile(sim.drawing(other)[0])
        begun = sim.buried and sim.owner(seat) not in sim.buried
        if not stock or not sim.pile(sim.drawing(seat)[0]) or begun or sim.role(seat) == "nuts":
            return None
        return Breach([Bury(seat=seat), sim.draw(other, int(sim.settings["draw"]))])

    return broken


def _after_call(sim: NertsSim) -> Recipe:
    """A right call, and a card lifted after it: to the centre, or from a Nerts pile."""

    def broken(seat: str, rng: Random) -> Breach | None:
        callers = [other for other in sim.seats if not sim.left(other)]
        late = [play for other in sim.seats if sim.left(other) for play in _too_late(sim, other)]
        if not callers or not late:
            return None
        at = sim.clock + 3.0
        lifted = replace(rng.choice(late), at=at, lifted=(at - 0.6, at - 0.5))
        return Breach([Call(seat=callers[0], word="Nerts", at=sim.clock + 2.0), lifted], at=1)

    return broken


def _too_late(sim: NertsSim, seat: str) -> list[Play]:
    """Plays of a seat that are right but for the call."""
    found = []
    for source in sim.available(seat):
        card = sim.top(source)
        places = [sim.foundation_for(card)]
        if " nerts" in source:
            places += [place for place in sim.works(seat) if sim.fits(card, place, source)]
        found += [sim.own(seat, card, source, place) for place in places if place]
    return found
