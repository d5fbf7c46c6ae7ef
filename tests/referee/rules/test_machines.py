"""State machines: seats that do anything at all, with cards seen, half seen or misread, in every preset."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from referee import (
    Bury,
    Call,
    Draw,
    End,
    Event,
    Hand,
    Play,
    Recycle,
    SetAside,
    TakeBack,
    Touch,
    Turn,
    open_hand,
)
from referee.games.position import hand_at, position_text
from referee.record.check import check_lines, sort_rulings
from referee.record.lines import write_record
from referee.rules.cards import FACES

from .tables import PRESETS, deals, header, seen_by_a_camera

KINDS = ("typed", "camera")


class AnythingGoes(RuleBasedStateMachine):
    """Every event that can be read must be taken, ruled on, undone and replayed."""

    hand: Hand
    events: list[Event]

    @initialize(
        game=st.sampled_from(PRESETS),
        kind=st.sampled_from(KINDS),
        seed=st.integers(0, 99),
        hidden=st.booleans(),
    )
    def deal(self, game: str, kind: str, seed: int, hidden: bool) -> None:
        head = header(game, kind)
        self.hand = open_hand(head)
        self.events = []
        self.places = ["stock", "waste", "foundation 1", "foundation 2", "foundation 3"]
        self.places += [f"{k} {n}" if n else k for k, n in self.hand.game.layout]  # type: ignore[attr-defined]
        for deal in deals(head, random.Random(seed)):
            self.push(seen_by_a_camera(self.hand, deal) if hidden else deal)

    def push(self, event: Event) -> None:
        before = (str(self.hand), list(self.hand.rulings), self.hand.score())
        judged = self.hand.judge(event)
        told = self.hand.push(event)
        if any(finding.need is None for finding in judged):
            assert told
        after = (str(self.hand), list(self.hand.rulings))
        assert self.hand.pop() == event
        assert (str(self.hand), list(self.hand.rulings), self.hand.score()) == before
        self.hand.push(event)
        assert (str(self.hand), list(self.hand.rulings)) == after
        self.events.append(event)

    @property
    def at(self) -> float:
        return self.events[-1].at if self.events else 0.0

    def a_place(self, data: Any) -> str:
        place = data.draw(st.sampled_from(self.places))
        if data.draw(st.integers(0, 9)) or place.startswith("foundation"):
            return str(place)
        return f"{data.draw(st.sampled_from(self.hand.game.seats))} {place}"

    @rule(data=st.data(), later=st.floats(0, 2))
    def play_something_legal(self, data: Any, later: float) -> None:
        seat = data.draw(st.sampled_from(self.hand.game.seats))
        choices = self.hand.legal_plays(seat)
        if choices:
            event = data.draw(st.sampled_from(choices))
            self.push(replace(event, at=self.at + later))

    @rule(data=st.data(), later=st.floats(0, 2), take_back=st.booleans(), under=st.booleans())
    def move_anything(self, data: Any, later: float, take_back: bool, under: bool) -> None:
        seat = data.draw(st.sampled_from(self.hand.game.seats))
        source, target = self.a_place(data), self.a_place(data)
        top = self.hand.pile(source, seat)[-1:] or ["??"]
        cards = data.draw(
            st.one_of(
                st.just(tuple(top)),
                st.lists(st.sampled_from([*FACES, "??", "7?", "?H"]), min_size=1, max_size=3)
                .filter(lambda cards: all(cards.count(card) == 1 or "?" in card for card in cards))
                .map(tuple),
            )
        )
        fields = {"at": self.at + later, "seat": seat, "cards": cards, "source": source, "target": target}
        self.push(TakeBack(**fields) if take_back else Play(**fields, under=under))

    @rule(data=st.data(), cards=st.lists(st.sampled_from([*FACES, "??"]), max_size=4))
    def draw(self, data: Any, cards: list[str]) -> None:
        seat = data.draw(st.sampled_from(self.hand.game.seats))
        self.push(Draw(at=self.at, seat=seat, cards=tuple(cards)))

    @rule(data=st.data(), card=st.sampled_from([*FACES, "??"]))
    def turn(self, data: Any, card: str) -> None:
        seat = data.draw(st.sampled_from(self.hand.game.seats))
        self.push(Turn(at=self.at, seat=seat, place=self.a_place(data), card=card))

    @rule(data=st.data(), kind=st.sampled_from([Recycle, Bury, Call, Touch, SetAside]))
    def something_else(self, data: Any, kind: Any) -> None:
        seat = data.draw(st.sampled_from(self.hand.game.seats))
        fields: dict[str, Any] = {"at": self.at, "seat": seat}
        if kind is Call:
            fields["word"] = data.draw(st.sampled_from(["Nerts", "Stop"]))
        elif kind is Touch:
            fields |= {"place": self.a_place(data), "landed": (self.at, self.at)}
        elif kind is SetAside:
            fields["place"] = "foundation 1"
        self.push(kind(**fields))

    @precondition(lambda self: len(self.events) > 20)
    @rule()
    def end(self) -> None:
        self.push(End(at=self.at, why="stopped"))

    @invariant()
    def every_card_is_in_one_place_and_no_deck_has_two_of_one(self) -> None:
        table = self.hand.table
        placed = [card for pile in table.piles.values() for card in pile]
        assert sorted(placed) == list(range(len(table.faces)))
        assert all(table.place_of[card] == place for place, pile in table.piles.items() for card in pile)
        assert set(Counter(table.decks).values()) <= {52}
        known = [(deck, face) for deck, face in zip(table.decks, table.faces, strict=True) if face >= 0]
        assert len(known) == len(set(known))
        for deck, bound in table.bound.items():
            assert table.seen[deck] == sum(1 << face for face in bound)
            assert all(table.faces[card] == face for face, card in bound.items())

    @invariant()
    def the_score_adds_up(self) -> None:
        score, game = self.hand.score(), self.hand.game
        penalty, bonus = game.settings.count("penalty"), game.settings.count("caller_bonus")
        for one in score.hand.values():
            assert one.points == one.centre - penalty * one.left + one.bonus
            assert one.bonus in (0, bonus)
            assert 0 <= one.disputed <= one.centre <= 52

    @invariant()
    def the_position_survives_as_text(self) -> None:
        text = position_text(self.hand)
        assert position_text(hand_at(self.hand.header, text)) == text

    def teardown(self) -> None:
        if not hasattr(self, "events"):
            return
        result = check_lines(write_record(self.hand.header, self.events).splitlines(keepends=True))
        assert (result.status, result.errors) == (0, [])
        closed = self.hand.closed()
        assert result.rulings == sort_rulings(closed.rulings)
        assert result.score == self.hand.score()
        assert str(result.hand) == str(closed)


TestAnythingGoes = AnythingGoes.TestCase
TestAnythingGoes.settings = settings(
    max_examples=25, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
