"""Everybody stuck: burying by rounds, turning over too early (N14, U7; N11, U5, P4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.games.nerts.course import course_of, left
from referee.rules.events import Bury, Play, Recycle
from referee.rules.places import Place
from referee.rules.rulings import Finding

if TYPE_CHECKING:
    from referee.games.nerts.game import NertsGame
    from referee.rules.hand import Entry, Hand, Move


def recycle_finding(game: NertsGame, position: int) -> Finding:
    """The waste turned over too early."""
    why = "The waste was turned over with cards left in the stock."
    return Finding(game.rule("N11"), "recycled-early", why, about=(position,))


def early_recycle(game: NertsGame, hand: Hand, entry: Entry) -> list[Finding]:
    """A recycle with stock left is only right just before the seat's own bury."""
    course, owner = course_of(hand), game.owner[str(entry.event.seat)]
    open_one = course.early_recycles.pop(owner, None)
    found = []
    if open_one is not None and not (isinstance(entry.event, Bury) or course.took_bottom):
        found.append(recycle_finding(game, open_one))
    if isinstance(entry.event, Recycle) and course.stock_left:
        course.early_recycles[owner] = entry.position
    return found


def takes_bottom(game: NertsGame, hand: Hand, move: Move) -> bool:
    """U7's alternative to burying: a play of the fifth pile's bottom card, which lies face down until then."""
    if not move.bottom or game.settings["stuck"] != "bottom-card" or len(move.cards) > 1:
        return False
    card, up = move.cards[0], hand.table.face_up
    return move.source == Place("work", 5, game.owner[move.seat]) and not (card < len(up) and up[card])


def can_bury(game: NertsGame, hand: Hand, owner: str) -> bool:
    """Whether a side has a card to bury; one that has none neither holds a round up nor breaks it."""
    if not hand.is_known(Place("stock", 0, owner)):
        return True
    if game.settings["stuck"] == "bottom-card":
        bottom = hand.table.pile(Place("work", 5, owner))[:1]
        return any(not hand.table.face_up[card] for card in bottom)
    return any(hand.table.pile(Place(kind, 0, owner)) for kind in ("stock", "waste"))


def bottom_play(game: NertsGame, hand: Hand, entry: Entry) -> list[Finding]:
    """A bottom card played is its seat's burying in the round, and a card played."""
    found = bury(game, hand, entry)
    if entry.move is not None and entry.move.target.kind != "stock":
        course_of(hand).played = True
    return found


def bury(game: NertsGame, hand: Hand, entry: Entry) -> list[Finding]:
    """N14: agreed when all bury in one round; a round after which nobody could play ends the hand."""
    course, owner, rule = course_of(hand), game.owner[str(entry.event.seat)], game.rule("N14")
    stuck = game.settings["stuck"]
    if stuck == "none":
        why = "The ruleset does not say what is done when everybody is stuck."
        return [Finding(rule, "bury-unstated", why, verdict="undecided")]
    if course.ended:
        return []
    if not course.buried or owner in course.buried:
        course.buried, course.round, course.disturbed = {}, [], []
        course.again, course.played = course.redealt and not course.played, False
    found = []
    others = [p for p in course.disturbed if game.owner[str(hand.log[p].event.seat)] != owner]
    if others:
        found.append(_lone_bury(hand, rule, others[0], entry.position))
    else:
        course.round.append(entry.position)
    if stuck == "redeal-then-score" and course.again:
        why = "Stuck again with no card played since: the hand ends and is scored."
        found.append(Finding(rule, "stuck-again", why))
    course.buried[owner] = entry.position
    if all(side in course.buried or not can_bury(game, hand, side) for side in game.sides):
        found += _must_call(game, hand)
        course.redealt = True
        course.buried, course.round, course.disturbed = {}, [], []
    return found


def _lone_bury(hand: Hand, rule: str, other: int, position: int) -> Finding:
    event = hand.log[other].event
    why = f"{event.seat} played on in the same round: only when all are stuck is a card put to the bottom."
    return Finding(rule, "bury-while-others-play", why, about=(position,), events=(other,))


def round_goes_on(game: NertsGame, hand: Hand, entry: Entry) -> list[Finding]:
    """A play or draw while a round of burying runs: not everybody was stuck."""
    course, owner = course_of(hand), game.owner[str(entry.event.seat)]
    move = entry.move
    if move is not None and isinstance(entry.event, Play) and move.target.kind in ("work", "foundation"):
        course.played = True
    if not course.buried or owner in course.buried:
        return []
    had = move is not None and move.source.kind in ("stock", "waste")
    if not had and not can_bury(game, hand, owner):
        return []
    course.disturbed.append(entry.position)
    found = []
    for position in course.round:
        if game.owner[str(hand.log[position].event.seat)] != owner:
            found.append(_lone_bury(hand, game.rule("N14"), entry.position, position))
    course.round = []
    return found


def _must_call(game: NertsGame, hand: Hand) -> list[Finding]:
    """The setting's duty: with everybody stuck, whoever can call must."""
    if not game.settings["must_call_when_stuck"]:
        return []
    found = []
    for owner, position in course_of(hand).buried.items():
        if hand.is_known(Place("nerts", 0, owner)) and not left(game, hand, owner):
            why = f"{owner} could call and must when everybody is stuck."
            found.append(Finding(game.rule("N15"), "no-call-when-stuck", why, about=(position,)))
    return found
