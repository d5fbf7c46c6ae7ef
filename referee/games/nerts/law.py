"""The legality function of the Nerts family: which rules an event breaks on the table as it lies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.games.nerts.blocked import takes_bottom
from referee.games.nerts.builds import BEGINS, ONTO
from referee.games.nerts.course import course_of
from referee.games.nerts.ties import rivals_mask
from referee.rules import cards as c
from referee.rules.events import Bury, Deal, Draw, Event, Play, Recycle, SetAside, Touch, Turn
from referee.rules.order import order_doubts, put_up
from referee.rules.places import Place
from referee.rules.rulings import NEVER, Finding, Need, Question, weigh

if TYPE_CHECKING:
    from referee.games.nerts.game import NertsGame
    from referee.rules.hand import Hand, Move


#: A draw whose frames reach so far (s) is told by what its cards left behind.
LATER_S = 1.0


def judge(game: NertsGame, hand: Hand, event: Event) -> list[Finding]:
    """Every rule that `event` would break; several findings may name one rule."""
    if isinstance(event, Play):
        move = hand.resolve(event)
        assert move is not None
        return _Play(game, hand, event, move).findings()
    if isinstance(event, Draw):
        return _draw(game, hand, event)
    if isinstance(event, Deal):
        return _deal(game, event)
    if isinstance(event, SetAside):
        return _set_aside(game, hand, event)
    if isinstance(event, Touch | Turn):
        return _reach(game, event, [game.place(event.place, event.seat)])
    if isinstance(event, Recycle | Bury):
        found = _role(game, str(event.seat), "stock")
        return found + _bury(game, hand, event) if isinstance(event, Bury) else found
    return []


def _reach(game: NertsGame, event: Event, places: list[Place]) -> list[Finding]:
    """N3: nobody touches what is another player's."""
    for place in places:
        if place.seat and place.seat != game.owner[str(event.seat)]:
            return [Finding("N3", "foreign-area", f"{place} is not {event.seat}'s to touch.")]
    return []


def _role(game: NertsGame, seat: str, source: str) -> list[Finding]:
    """P3: only the Nuts player plays from the Nut pile, only the Cards player from stock and waste."""
    role = game.role[seat]
    if role == "cards" and source == "nerts":
        return [Finding("P3", "wrong-role", f"{seat} is the Cards player: not to play from the Nut pile.")]
    if role == "nuts" and source in ("stock", "waste"):
        return [Finding("P3", "wrong-role", f"{seat} is the Nuts player: not to use stock or waste.")]
    return []


def _deal(game: NertsGame, deal: Deal) -> list[Finding]:
    """N2, U1, U2, P1, P2, T1: every place has as many cards, and as many face up, as the ruleset says."""
    given = {game.place(text, deal.seat): (text, len(pile)) for text, pile in deal.piles.items()}
    owner = game.owner[str(deal.seat)]
    wanted = {Place(kind, number, owner): count for (kind, number), (count, _) in game.layout.items()}
    wrong: list[Finding] = []
    for place in dict.fromkeys([*wanted, *given]):
        if place.kind == "stock":
            continue
        text, count = given.get(place, ("", 0))
        up = deal.up.get(text, game.face_up(place, count))
        rule = game.rule("nerts-dealt" if place.kind == "nerts" else "work-dealt")
        if count != wanted.get(place, 0):
            why = f"{place} was dealt {count} cards instead of {wanted.get(place, 0)}."
            wrong.append(Finding(rule, "wrong-layout", why))
        elif up != game.face_up(place, count):
            why = f"{place} was dealt with {up} cards face up instead of {game.face_up(place, count)}."
            wrong.append(Finding(rule, "wrong-layout", why))
    if deal.up.get("stock"):
        wrong.append(Finding(game.rule("work-dealt"), "wrong-layout", "The stock was dealt face up."))
    return wrong


def _draw(game: NertsGame, hand: Hand, event: Draw) -> list[Finding]:
    """N11 (U5, P4): how many cards, and in the order in which they lie."""
    seat, table = str(event.seat), hand.table
    found = _role(game, seat, "stock")
    source = game.place("stock", seat)
    if not hand.is_known(source):
        return found
    rule = game.rule("N11")
    stock = table.pile(source) or table.pile(game.place("waste", seat))[::-1]
    due = min(game.settings.count("draw"), len(stock))
    if len(event.cards) != due:
        why = f"{seat} drew {len(event.cards)} cards instead of {due}{_shown_later(hand, event)}."
        found.append(Finding(rule, "wrong-draw", why))
        return found
    deck = game.deck[seat]
    for text, card in zip(event.cards, reversed(stock), strict=False):
        mask = c.MASKS[text]
        meant = table.bound.get(deck, {}).get(c.single(mask))
        if not table.domain(card) & mask and meant in stock:
            why = f"{text} was drawn where {table.text(card)} lay: the order of the cards was changed."
            doubts = order_doubts(hand, game.place("waste", seat))
            found.append(put_up(Finding(rule, "order-changed", why, rests_on=(card,)), hand, doubts))
            break
    return found


def _shown_later(hand: Hand, event: Draw) -> str:
    """In words, how long after a draw the last of its frames showed what it was; nothing where that is at once."""
    fps = hand.header.fps
    later = (event.frames[1] - event.frames[0]) / fps if event.frames is not None and fps else 0.0
    return f", as showed {later:.1f} s later, when these had been played" if later >= LATER_S else ""


def _bury(game: NertsGame, hand: Hand, event: Bury) -> list[Finding]:
    """U7: instead of the stock's top card, the fifth pile's bottom card may be buried if it lies face down."""
    if event.source is None:
        return []
    place = game.place(event.source, event.seat)
    if place.seat != game.owner[str(event.seat)]:
        return [Finding("N3", "foreign-area", f"{place} is not {event.seat}'s to touch.")]
    bottom = hand.table.pile(place)[:1]
    stuck = game.settings["stuck"]
    fifth = stuck == "bottom-card" and (place.kind, place.number) == ("work", 5)
    if stuck == "none" or (fifth and bottom and not hand.table.face_up[bottom[0]]):
        return []
    why = f"{place}: only the stock's top card is put to the bottom"
    why += ", or a face-down bottom card of work 5." if stuck == "bottom-card" else "."
    return [Finding(game.rule("N14"), "wrong-bury", why)]


def _set_aside(game: NertsGame, hand: Hand, event: SetAside) -> list[Finding]:
    """N10: only a foundation that has its king is set aside."""
    place = game.place(event.place, event.seat)
    pile = hand.table.pile(place)
    if place.kind != "foundation" or game.is_complete(hand, place) or _lay_unseen(hand, place):
        return []
    why = f"{place} was set aside before its king."
    need = None
    if len(pile) >= 13 and hand.table.domain(pile[-1]) & c.KINGS:
        need = Need(pile[-1], None, c.KINGS)
    return [Finding("N10", "set-aside-early", why, need)]


def _lay_unseen(hand: Hand, place: Place) -> bool:
    """Whether a foundation without cards may have lain hidden when the record of a hand that had begun did."""
    return bool(course_of(hand).begun) and not hand.table.pile(place)


class _Play:
    """One play on its way through the rules."""

    def __init__(self, game: NertsGame, hand: Hand, event: Play, move: Move) -> None:
        self.game, self.hand, self.event, self.move, self.table = game, hand, event, move, hand.table
        self.owner = game.owner[move.seat]
        self.card = move.cards[0]
        self.found: list[Finding] = []

    def findings(self) -> list[Finding]:
        move = self.move
        source, target = move.source, move.target
        if source == target:
            return []
        foreign = [place for place in (source, target) if place.seat and place.seat != self.owner]
        if foreign:
            self._break("N3", "foreign-area", f"{foreign[0]} is not {move.seat}'s to touch.")
        if source.kind == "foundation":
            self._break("N3", "out-of-centre", f"{self._name()} was taken out of the centre.")
        if source.seat == self.owner:
            self._source()
        if target.seat in ("", self.owner):
            self._target()
        return self.found

    # -- where the cards come from -------------------------------------------------------------------------

    def _source(self) -> None:
        move, kind = self.move, self.move.source.kind
        self.found += _role(self.game, move.seat, kind)
        block = kind == "work" and move.target.kind == "work" and move.target.seat == self.owner
        several = len(move.cards) > 1
        if several and (not block or self.game.settings["block_moves"] == "none"):
            self._break("N4", "several-cards", f"{len(move.cards)} cards were moved at once.")
        if kind == "nerts":
            self._from_nerts()
        elif kind == "waste" and self.hand.is_known(move.source):
            self._from_waste()
        elif kind == "stock":
            self._from_stock()
        elif kind == "work":
            self._from_work()

    def _from_waste(self) -> None:
        if self.move.left_above:
            why = f"{self._name()} is not the top of the waste."
            doubts = order_doubts(self.hand, self.move.source, self.table.pile(self.move.source)[-1])
            finding = Finding(self.game.rule("N12"), "not-the-top", why, rests_on=self._above())
            self.found.append(put_up(finding, self.hand, doubts))
        else:
            self._perhaps_covered("N12")

    def _perhaps_covered(self, rule: str) -> None:
        """Where cards were mixed up by an earlier pull, it cannot be said which of them lies on top."""
        if not self.move.new and self.table.is_confused(self.card):
            why = f"{self._name()}: a card was pulled from under others before, so the top is not known."
            self._break(rule, "not-the-top", why, NEVER)

    def _above(self) -> tuple[int, ...]:
        return tuple(self.table.pile(self.move.source)[self.move.source_at :])

    def _unturned(self) -> bool:
        """Whether the top card is played face down though the source writes every card turned up."""
        move = self.move
        return (
            not move.new
            and self.hand.is_known(move.source)
            and self.table.place_of[self.card] == move.source
            and not self.table.face_up[self.card]
            and self.hand.header.turns_are_written
        )

    def _from_nerts(self) -> None:
        move = self.move
        if self.game.slots and move.source.number == 0:
            self._from_stack()
            return
        if move.left_above and self.hand.is_known(move.source):
            why = f"{self._name()} is not the top card of {move.source}."
            self._break("N8", "not-the-top", why, rests_on=self._above())
        elif self._unturned():
            self._break("N8", "unturned-card", f"{self._name()} was played from {move.source} unturned.")
        else:
            self._perhaps_covered("N8")
        if (
            move.target.kind == "work"
            and not self.game.settings["nuts_to_work"]
            and self.table.pile(move.target)
        ):
            why = f"{self._name()}: cards of the Nerts pile go only to spaces and foundations."
            self._break("N8", "nerts-onto-work", why)

    def _from_stack(self) -> None:
        """nerts-twelve: a card of the stack only fills an empty slot."""
        move = self.move
        empty_slot = move.target.kind == "nerts" and move.target.number and not self.table.pile(move.target)
        if not empty_slot or move.left_above:
            why = f"{self._name()}: the stack's top card only replaces a played nert."
            self._break("N8", "from-the-stack", why)

    def _from_stock(self) -> None:
        move = self.move
        if move.target.kind == "work" and not self.table.pile(move.target):
            self._break("N6", "wrong-fill", "A space is not filled from the stock.")
        else:
            self._break("N11", "from-the-stock", "A card of the stock goes to the waste first.")

    def _from_work(self) -> None:
        move, table = self.move, self.table
        if not self.hand.is_known(move.source) or not move.found:
            return
        if takes_bottom(self.game, self.hand, move):
            return
        to_work = move.target.kind == "work"
        covered = bool(move.left_above)
        # where nobody writes that a card was turned up, the top one was
        told = move.cards if covered or self.hand.header.turns_are_written else move.cards[:-1]
        if any(not table.face_up[card] for card in told):
            self._break("face-down", "face-down-card", f"{self._name()} was moved lying face down.")
        elif covered:
            rule = "N5" if to_work else "N9"
            why = f"{self._name()} was moved without the cards on top of it."
            self._break(rule, "covered-card", why, rests_on=self._above())

    # -- where they go -------------------------------------------------------------------------------------

    def _target(self) -> None:
        move, kind = self.move, self.move.target.kind
        if kind == "foundation":
            self._onto_foundation()
        elif kind == "work":
            self._onto_work()
        elif kind == "nerts":
            from_stack = move.source.kind == "nerts" and not move.source.number
            stack_to_slot = self.game.slots and move.target.number and from_stack
            if not stack_to_slot and not self.game.settings["onto_nuts"]:
                self._break("N8", "onto-nerts", f"{self._name()} was put onto {move.target}.")
        elif not (kind == "stock" and takes_bottom(self.game, self.hand, move)):
            self._break("N11", "order-changed", f"{self._name()} was put onto {move.target}.")

    def _onto_work(self) -> None:
        move = self.move
        pile = self.table.pile(move.target)
        if move.under and pile:
            self._slide(pile)
        elif pile:
            why = "a work pile builds down by one in alternating colour."
            self._fit("N5", "wrong-build", pile[-1], ONTO["work"], why)
        elif self.hand.is_known(move.target):
            self._fill()

    def _fill(self) -> None:
        source = self.move.source
        if self.game.settings["fill"] == "nuts-top" and source.kind in ("waste", "work"):
            why = f"{self._name()}: a space is filled with the top card of the Nut pile only."
            self._break("N6", "wrong-fill", why)

    def _slide(self, pile: list[int]) -> None:
        move, game = self.move, self.game
        if not game.settings["slide_under"]:
            self._break("N7", "slide-under", "Sliding under is not in this ruleset.")
        elif self.hand.is_known(move.target) and all(map(self.table.pile, game.works(self.hand, self.owner))):
            self._break("N7", "slide-under", "No work pile is empty, so nothing may be slid under another.")
        elif len(move.cards) > 1:
            self._break("N7", "slide-under", "Only a single card may be slid under a work pile.")
        else:
            why = "a card slid under ranks one higher than the pile's base and has the other colour."
            self._fit("N7", "slide-under", pile[0], c.UNDER_ALTERNATING, why)

    def _onto_foundation(self) -> None:
        move, place = self.move, self.move.target
        pile = self.table.pile(place)
        tied = rivals_mask(self.game, self.hand, self.event, place)
        if place in course_of(self.hand).closed or self.game.is_complete(self.hand, place):
            why = f"{place} is complete and set aside."
            self._weigh("N10", "completed-foundation", self.card, None, tied, why)
            return
        if pile:
            allowed = tuple(mask | tied for mask in ONTO["foundation"]) if tied else ONTO["foundation"]
            why = "a foundation builds up by one in its suit."
            self._fit("N9", "wrong-foundation-card", pile[-1], allowed, why)
        else:
            why = f"{self._name()}: a foundation begins with an ace."
            begins = c.ALL if _lay_unseen(self.hand, place) else BEGINS["foundation"] | tied
            self._weigh("N9", "no-ace", self.card, None, begins, why)
            self._one_a_suit(place)
        for lower, upper in zip(move.cards, move.cards[1:], strict=False):
            why = f"{self._name()}: each card must fit on the one below."
            self._weigh("N9", "wrong-foundation-card", upper, lower, ONTO["foundation"], why)

    def _one_a_suit(self, place: Place) -> None:
        """F1: an ace waits until its suit's foundation is complete."""
        if self.game.settings["foundations_a_suit"] != 1:
            return
        open_aces = 0
        for other, pile in self.table.piles.items():
            if other.kind != "foundation" or other == place or not pile:
                continue
            # with a king on top it is done with as it lies, even if the king does not belong there
            if self.table.domain(pile[-1]) & c.KINGS:
                continue
            base = c.single(self.table.domain(pile[0]))
            if base >= 0:
                open_aces |= c.SUIT_MASKS[c.suit(base)] & c.ACES
        if open_aces:
            why = f"{self._name()}: the suit's other foundation is not complete."
            self._weigh("F1", "second-foundation", self.card, None, c.ALL & ~open_aces, why)

    # -- what the cards are --------------------------------------------------------------------------------

    def _domain(self, card: int) -> int:
        """What a card can be, with what this play itself shows."""
        move, table = self.move, self.table
        if card in move.cards:
            mask = move.masks[move.cards.index(card)]
            if c.single(mask) >= 0 or card >= len(table.faces):
                return mask
            return (table.domain(card) & mask) or mask
        return table.domain(card)

    def _name(self) -> str:
        return c.name(self._domain(self.card))

    def _fit(self, rule: str, name: str, onto: int, allowed: tuple[int, ...], why: str) -> None:
        need = Need(self.card, onto, allowed)
        answer = self._answer(need)
        if answer is not True:
            there = self.table.text(onto)
            self._unfit(rule, name, need, answer, f"{self._name()} does not go with {there}: {why}")

    def _weigh(
        self, rule: str, name: str, card: int, onto: int | None, allowed: tuple[int, ...] | int, why: str
    ) -> None:
        need = Need(card, onto, allowed)
        answer = self._answer(need)
        if answer is not True:
            self._unfit(rule, name, need, answer, why)

    def _answer(self, need: Need) -> bool | None:
        onto = need.onto
        if onto is None:
            return weigh(need, self._domain(need.card), 0, one_deck=False)
        one_deck = self._deck(need.card) == self._deck(onto)
        return weigh(need, self._domain(need.card), self._domain(onto), one_deck=one_deck)

    def _unfit(self, rule: str, name: str, need: Need, answer: bool | None, why: str) -> None:
        rests_on = tuple(
            card for card in (need.card, need.onto) if card is not None and card < len(self.table.faces)
        )
        self._break(rule, name, why, need if answer is None else None, rests_on, need)

    def _deck(self, card: int) -> str:
        decks = self.table.decks
        return decks[card] if card < len(decks) else self.game.deck[self.move.source.seat or self.move.seat]

    def _break(
        self,
        rule: str,
        name: str,
        why: str,
        need: Need | Question | None = None,
        rests_on: tuple[int, ...] = (),
        basis: Need | None = None,
    ) -> None:
        self.found.append(Finding(self.game.rule(rule), name, why, need, rests_on=rests_on, basis=basis))
