"""The centre of the Nerts family: ties, and cards taken back (N13, T3, N3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.games.nerts.course import EPSILON_S, course_of
from referee.rules.events import Play
from referee.rules.places import Place
from referee.rules.rulings import Finding
from referee.rules.ties import Interval, Landing, TieVerdict, between, settle

if TYPE_CHECKING:
    from referee.games.nerts.game import NertsGame
    from referee.rules.hand import Entry, Hand

#: Seconds before a play within which a touch's landing stands for the play's.
TOUCH_S = 1.0


def landing_of(hand: Hand, event: Play, place: Place) -> Interval | None:
    """When a play's card landed: as the play says, or a touch of that foundation by its seat just before."""
    if event.landed is not None:
        return event.landed
    touch = course_of(hand).touches.get((str(event.seat), place))
    if touch is None or not touch.at <= event.at <= touch.at + TOUCH_S + EPSILON_S:
        return None
    return touch.landed


def _landed(hand: Hand, position: int) -> Interval:
    """When the card of a play in the log landed; without better knowledge at its `at`."""
    at = hand.log[position].event.at
    return course_of(hand).landings.get(position) or (at, at)


def rivals_mask(game: NertsGame, hand: Hand, event: Play, place: Place) -> int:
    """The cards that other seats played to a foundation so shortly before that the same card ties."""
    played = course_of(hand).centre.get(place)
    if not played:
        return 0
    mask = 0
    window = game.settings.number("tie_window_s")
    landed = landing_of(hand, event, place) or (event.at, event.at)
    for position in reversed(played):
        entry = hand.log[position]
        other = entry.event
        assert isinstance(other, Play) and entry.move is not None
        if other.at < event.at - window - TOUCH_S - 1:
            break
        if other.seat != event.seat and between(_landed(hand, position), landed) <= window + EPSILON_S:
            mask |= hand.table.domain(entry.move.cards[0])
    return mask


def ties_at(game: NertsGame, hand: Hand, place: Place) -> list[list[int]]:
    """The ties at a foundation: positions of plays of one card by different seats within the window."""
    window = game.settings.number("tie_window_s")
    groups: list[tuple[int, list[int]]] = []
    for position in course_of(hand).centre.get(place, ()):
        entry = hand.log[position]
        event = entry.event
        assert isinstance(event, Play) and entry.move is not None
        face = hand.table.faces[entry.move.cards[0]]
        if face < 0:
            continue
        for known, group in groups:
            plays = [hand.log[p].event for p in group]
            if known != face or any(play.seat == event.seat for play in plays):
                continue
            here = _landed(hand, position)
            if any(between(_landed(hand, p), here) <= window + EPSILON_S for p in group):
                group.append(position)
                break
        else:
            groups.append((face, [position]))
    return [group for _, group in groups if len(group) > 1]


def decide_tie(game: NertsGame, hand: Hand, place: Place, group: list[int]) -> TieVerdict:
    """The verdict on a tie as far as it is known."""
    landings = []
    for position in group:
        entry = hand.log[position]
        event = entry.event
        assert isinstance(event, Play)
        over = frozenset() if event.over is None else frozenset({event.over})
        doubt = game.slots > 0 and "two-hands" in hand.faults_of(position)
        landings.append(
            Landing(str(event.seat), entry.index, course_of(hand).landings.get(position), over, doubt)
        )
    fps = game.header.fps
    gap = None if fps is None else game.settings.number("tie_gap_frames") / fps
    return settle(landings, gap, str(game.settings["tie"]))


def settle_ties(game: NertsGame, hand: Hand, place: Place, but: int = -1) -> list[Finding]:
    """Rule on the ties at a foundation that were not ruled on, but one that the play `but` belongs to."""
    course, found = course_of(hand), []
    for group in ties_at(game, hand, place):
        if group[0] in course.settled or but in group:
            continue
        course.settled.add(group[0])
        verdict = decide_tie(game, hand, place, group)
        winner = None if verdict.winner is None else group[verdict.winner]
        seat = "" if winner is None else str(hand.log[winner].event.seat)
        evidence = () if verdict.interval is None else (("interval", list(verdict.interval)),)
        found.append(
            Finding(
                game.rule("N13"),
                "tie",
                verdict.why,
                verdict=verdict.verdict,
                about=tuple(group),
                seat=seat,
                evidence=evidence,
            )
        )
        if winner is not None:
            course.losers += [position for position in group if position != winner]
    return found


def centre_play(game: NertsGame, hand: Hand, entry: Entry) -> list[Finding]:
    """A play to a foundation: when it landed, and what it settles that was open there."""
    course, move = course_of(hand), entry.move
    assert move is not None
    assert isinstance(entry.event, Play)
    landed = landing_of(hand, entry.event, move.target)
    course.touches.pop((move.seat, move.target), None)
    if landed is not None:
        course.landings[entry.position] = landed
    course.centre[move.target] = (*course.centre.get(move.target, ()), entry.position)
    found = settle_ties(game, hand, move.target, but=entry.position)
    tied = any(entry.position in group for group in ties_at(game, hand, move.target))
    return found if tied else found + unreturned(game, hand, move.target)


def settled_by_return(game: NertsGame, hand: Hand, entry: Entry) -> list[Finding]:
    """A tied card that is taken back settles the tie at once, if nobody else's card can have come within its window."""
    move, window = entry.move, game.settings.number("tie_window_s")
    assert move is not None
    for group in ties_at(game, hand, move.source):
        if move.cards[0] not in _cards_of(hand, group):
            continue
        seats = {game.owner[str(hand.log[position].event.seat)] for position in group}
        over = entry.event.at - max(hand.log[position].event.at for position in group) > window + TOUCH_S
        if over or len(seats) == len(set(game.owner.values())):
            return settle_ties(game, hand, move.source)
    return []


def _cards_of(hand: Hand, group: list[int]) -> list[int]:
    moves = [hand.log[position].move for position in group]
    return [move.cards[0] for move in moves if move is not None]


def unreturned(game: NertsGame, hand: Hand, place: Place | None) -> list[Finding]:
    """N13: losers of ties whose cards still lie there when the next card comes, or (no place) at the end."""
    course, found = course_of(hand), []
    if place is None:
        for known in course.centre:
            found += settle_ties(game, hand, known)
    for position in course.losers.copy():
        move = hand.log[position].move
        assert move is not None
        if place is not None and move.target != place:
            continue
        course.losers.remove(position)
        if hand.table.moved_by[move.cards[0]] == position:
            why = f"{hand.log[position].event}: the tie was lost and the card was not taken back."
            tied = next((g for g in ties_at(game, hand, move.target) if position in g), [])
            found.append(
                Finding(game.rule("N13"), "tie-not-taken-back", why, about=(position,), events=tuple(tied))
            )
    return found


def take_back(game: NertsGame, hand: Hand, entry: Entry) -> list[Finding]:
    """N3: a card leaves the centre only if its play was illegal or tied; N13: and goes where it came from."""
    move, course = entry.move, course_of(hand)
    assert move is not None
    last = hand.last_play_of(move.cards[0], move.seat)
    if move.source.kind != "foundation":
        return _foreign_take_back(game, hand, entry, last)
    if course.ended:
        course.kept.update(move.cards)
    why = f"{entry.event}: nothing gives a reason to take it out of the centre."
    wrong = [Finding("N3", "out-of-centre", why)]
    if last is None or last.move is None:
        return wrong
    group = [g for g in ties_at(game, hand, move.source) if last.position in g]
    if hand.verdict_on(last.position) is not None and not group:
        return []
    if not group:
        return wrong
    verdict, tied = decide_tie(game, hand, move.source, group[0]), tuple(group[0])
    if verdict.winner is not None and tied[verdict.winner] == last.position:
        return [] if hand.verdict_on(last.position) == "illegal" else [wrong[0]._replace(events=tied)]
    if verdict.verdict == "first" and move.target != last.move.source:
        why = f"{entry.event}: the card came from {last.move.source}."
        return [Finding(game.rule("N13"), "tie-put-back-wrongly", why, events=tied)]
    return []


def _foreign_take_back(game: NertsGame, hand: Hand, entry: Entry, last: Entry | None) -> list[Finding]:
    """N3: what lies in another's area is only touched to reverse an illegal play."""
    move = entry.move
    assert move is not None
    if last is not None and hand.verdict_on(last.position) is not None:
        return []
    for place in (move.source, move.target):
        if place.seat not in ("", game.owner[move.seat]):
            return [Finding("N3", "foreign-area", f"{place} is not {move.seat}'s to touch.")]
    return []
