"""An evening: every card is somewhere once at every moment, states follow each other, hands do one thing at a time."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import combinations, pairwise

import cv2
import numpy as np
import pytest

from datasets.evening.busy import Busy
from datasets.evening.dealing import Habits, deal_out, draw_habits
from datasets.evening.plan import Evening, Span, plan_evening, wandered
from datasets.film.art import plain_deck
from datasets.film.choreography import HELD
from datasets.film.movement import Card, Lying
from datasets.film.setting import Setting, draw_setting
from datasets.film.table import lay_out

COLOURS = [(150, 60, 30), (40, 40, 170), (40, 130, 40), (120, 40, 130)]
DECKS = [plain_deck(str(number), colour) for number, colour in enumerate(COLOURS)]
#: Seeds by number of players; among them seats that hold their stock, and such as lay it down.
TABLES = [(2, 0), (2, 1), (2, 2), (2, 4), (3, 1), (4, 3)]


def drawn(players: int, seed: int) -> Setting:
    return draw_setting(seed, players=players, quick=True)


@cache
def evening(players: int, seed: int, nerts_cards: int | None = 3) -> Evening:
    return plan_evening(seed, drawn(players, seed), DECKS[:players], hands=3, nerts_cards=nerts_cards)


class Watch:
    """The cards as they lie and are carried, from motion to motion."""

    def __init__(self, plan: Evening) -> None:
        self.lying: dict[Card, Lying] = {each.card: each for each in plan.film.start}
        self.carried: set[Card] = set()
        self.cards = len(self.lying)
        changes = [(m.start, 1, m) for m in plan.film.motions] + [(m.end, 0, m) for m in plan.film.motions]
        self.changes = sorted(changes, key=lambda change: change[:2], reverse=True)

    def until(self, t: float) -> dict[Card, Lying]:
        """What lies at `t`; nothing is taken that does not lie there just so."""
        while self.changes and self.changes[-1][0] <= t:
            _, starts, motion = self.changes.pop()
            cards = {each.card for each in (motion.taken if starts else motion.put)}
            assert len(cards) == len(motion.taken) == len(motion.put)
            if starts:
                for each in motion.taken:
                    there = self.lying.pop(each.card)
                    if motion.deed.kind != "bring":
                        assert there.pose == each.pose, f"{each.card} jumps at {t:.2f} s, {motion.deed}"
                self.carried |= cards
            else:
                assert cards <= self.carried
                self.carried -= cards
                self.lying |= {each.card: each for each in motion.put}
            assert not self.carried & self.lying.keys()
            assert len(self.carried) + len(self.lying) == self.cards
        return self.lying


@pytest.mark.parametrize(("players", "seed"), TABLES)
def test_every_card_is_somewhere_once_and_never_jumps(players: int, seed: int) -> None:
    plan = evening(players, seed)
    watch = Watch(plan)
    for span in plan.spans:
        waits = span.state in ("empty", "waiting")
        lying = watch.until(span.end - 1e-4 if waits else span.end)
        assert not watch.carried or span.state in ("playing", "called"), span
        places = Counter(each.place.partition(" ")[2] for each in lying.values())
        if span.state in ("empty", "waiting", "gathering"):
            assert places == {"lap": 52 * players}
        elif span.state in ("dealing", "ready"):
            assert (places["nerts"], places["stock"]) == (3 * players, 45 * players)
            assert all(places[f"work {number}"] == players for number in range(1, 5))
            up = [each for each in lying.values() if each.pose.face_up]
            assert len(up) == 5 * players and not any(each.place.endswith("stock") for each in up)
        else:
            assert places["lap"] == 0


@pytest.mark.parametrize(("players", "seed"), TABLES)
def test_the_hand_begins_as_it_was_dealt(players: int, seed: int) -> None:
    plan = evening(players, seed)
    watch = Watch(plan)
    for played in plan.hands:
        lying = watch.until(played.dealt)
        piles: dict[str, list[Lying]] = {}
        for each in lying.values():
            piles.setdefault(each.place, []).append(each)
        told = {
            f"{seat} {place}": pile
            for seat, dealt in played.hand.deal.items()
            for place, pile in dealt.items()
        }
        found = {
            place: [each.card.face for each in sorted(pile, key=lambda each: each.order)]
            for place, pile in piles.items()
        }
        assert found == told


@pytest.mark.parametrize(("players", "seed"), TABLES)
def test_states_follow_each_other_without_a_gap(players: int, seed: int) -> None:
    plan = evening(players, seed)
    assert plan.spans[0].start == 0.0
    assert all(a.end == b.start and a.start < a.end for a, b in pairwise(plan.spans))
    called = ["dealing", "ready", "playing", "called", "gathering", "waiting"]
    silent = [state for state in called if state != "called"]
    assert [span.state for span in plan.spans] == ["empty", *called, *called, *silent]
    for played, number in zip(plan.hands, (1, 2, 3), strict=True):
        mine: dict[str, Span] = {span.state: span for span in plan.spans if span.hand == number}
        deeds = played.hand.deeds
        assert min(deed.reached for deed in deeds) >= mine["ready"].end
        assert max(deed.landed for deed in deeds) <= mine["gathering"].start
        assert played.ends == mine["playing"].end
        calls = [deed.landed for deed in deeds if deed.kind == "call"]
        assert calls == ([played.ends] if played.called else [])


@pytest.mark.parametrize(("players", "seed"), TABLES)
def test_a_hand_does_one_thing_at_a_time(players: int, seed: int) -> None:
    plan = evening(players, seed)
    for arm in plan.film.reaches:
        busy = [(m.start, m.end) for m in plan.film.motions if m.deed.arm == arm]
        busy += [(hold.start, hold.end) for hold in plan.film.holds.get(arm, [])]
        busy.sort()
        assert all(a[1] <= b[0] for a, b in pairwise(busy)), arm


@pytest.mark.parametrize(("players", "seed"), TABLES[::2])
def test_hands_move_at_human_speed_and_never_jump(players: int, seed: int) -> None:
    plan = evening(players, seed)
    step = 1 / 30
    for arm in plan.film.reaches:
        path = [plan.film.hand(arm, t) for t in np.arange(0.0, plan.ends, step)]
        at = np.array([(hand.x, hand.y) for hand in path if hand is not None])
        speed = np.linalg.norm(np.diff(at, axis=0), axis=1) / step
        assert speed.max() < 4000, (arm, float(np.argmax(speed)) * step)
        assert np.percentile(speed, 99) < 2300


@pytest.mark.parametrize(("players", "seed"), TABLES[::2])
def test_what_is_in_a_lap_is_out_of_sight(players: int, seed: int) -> None:
    plan, camera = evening(players, seed), drawn(players, seed).camera
    laps = list(plan.film.start)
    laps += [each for m in plan.film.motions for each in m.put if each.place.endswith(" lap")]
    corners = np.concatenate([camera.to_picture(each.pose.corners(63, 88)) for each in laps])
    away = np.maximum(-corners, corners - (camera.width, camera.height)).max(axis=1)
    assert away.min() > 20
    lying = [each for m in plan.film.motions for each in m.put if not each.place.endswith(" lap")]
    corners = np.concatenate([camera.to_picture(each.pose.corners(63, 88)) for each in lying])
    # a deck that is not squared yet may reach over the edge by a little
    assert corners.min() >= -15 and (corners <= (camera.width + 15, camera.height + 15)).all()


def test_deals_differ_decks_and_seats_stay_and_places_wander_a_little() -> None:
    plan = evening(2, 1)
    first, second, _ = (played.hand for played in plan.hands)
    assert first.deal.keys() == second.deal.keys() and first.deal != second.deal
    starts = []
    for played in plan.hands:
        lying = Watch(plan).until(played.dealt)
        starts.append({e.place: (e.pose.x, e.pose.y) for e in lying.values() if "work" in e.place})
    apart = [np.hypot(*np.subtract(a[place], b[place])) for a, b in combinations(starts, 2) for place in a]
    assert np.mean(apart) > 1.5 and max(apart) < 22


@pytest.mark.parametrize(("players", "seed"), TABLES)
def test_places_that_wandered_lie_apart(players: int, seed: int) -> None:
    setting = drawn(players, seed)
    table = lay_out(*setting.camera.room(), setting.styles)
    for other in range(8):
        spots = wandered(table, np.random.default_rng(other)).spots
        boxes = {
            name: cv2.boxPoints(((s.x, s.y), (table.card_width - 2, table.card_height - 2), s.angle))
            for name, s in spots.items()
        }
        for (one, a), (two, b) in combinations(boxes.items(), 2):
            assert not cv2.intersectConvexConvex(a, b)[0], f"{one} and {two}"


def test_the_same_seed_is_the_same_evening_and_another_is_not() -> None:
    one, two = (plan_evening(3, drawn(2, 3), DECKS[:2], hands=2, nerts_cards=2) for _ in range(2))
    assert one.film.motions == two.film.motions and one.spans == two.spans
    other = plan_evening(4, drawn(2, 3), DECKS[:2], hands=2, nerts_cards=2)
    assert other.spans != one.spans


def test_people_differ_in_how_they_deal() -> None:
    habits = [draw_habits(np.random.default_rng(seed), held=False) for seed in range(40)]
    for trait in ("in_hand", "packet", "nerts_first", "work_backwards", "turns_later", "squares"):
        assert len({getattr(each, trait) for each in habits}) > 1, trait
    assert all(draw_habits(np.random.default_rng(seed), held=True).in_hand for seed in range(20))
    lasts = [
        s.end - s.start for _, seed in TABLES[:4] for s in evening(2, seed).spans if s.state == "dealing"
    ]
    assert max(lasts) > 1.2 * min(lasts)


@pytest.mark.parametrize("packet", [1, 3, 4])
@pytest.mark.parametrize("kept", [True, False])
def test_thirteen_cards_are_dealt_at_human_speed_and_lie_as_they_shall(packet: int, kept: bool) -> None:
    plan = evening(2, 1, None)
    seat, start = "west", []
    for each in Watch(plan).until(plan.hands[0].dealt).values():
        if each.card.seat == "west":
            up = HELD * (kept - (each.pose.z >= HELD)) if each.place.endswith("stock") else 0.0
            start.append(replace(each, pose=replace(each.pose, z=each.pose.z + up)))
    busy = Busy(seat, plan.film.table, np.random.default_rng(packet), 10.0)
    holds = deal_out(busy, start, Habits(True, packet, True, False, True, True))
    last = {each.card: each for motion in busy.motions for each in motion.put}
    assert last == {each.card: each for each in start}
    deals = [m for m in busy.motions if m.deed.kind == "deal" and m.put[-1].place == "west nerts"]
    assert [len(m.put) for m in deals] == {1: [1] * 14, 3: [3] * 4 + [1, 1], 4: [4] * 3 + [1, 1]}[packet]
    assert 8 < busy.now - 10.0 < 30
    (hold,) = holds
    assert hold.start == busy.motions[0].end
    assert hold.end == (float("inf") if kept else busy.motions[-1].start)


def test_a_glass_goes_with_the_hand_and_stands_still_in_between() -> None:
    glass = next(glass for _, seed in TABLES[:4] for glass in evening(2, seed).glasses)
    assert glass.at(glass.brought.reached - 0.1) is None
    brought, stands = glass.at(glass.brought.lifted), glass.at(glass.taken.lifted - 0.01)
    assert brought is not None and stands == brought
    moving, hand = glass.at(glass.taken.landed + 0.5), glass.film.hand(glass.arm, glass.taken.landed + 0.5)
    assert moving is not None and hand is not None
    assert np.hypot(moving.x - hand.x, moving.y - hand.y) < 25
    assert glass.at(glass.taken.landed + 4.0) is None


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"hands": 0}, "at least one"),
        ({"uncalled": 4}, "hand 4"),
        ({"nerts_cards": 0}, "at least one"),
        ({"latest": 0.5}, "allow more time"),
    ],
)
def test_what_cannot_be_planned_is_refused_in_words(wrong: dict[str, int], named: str) -> None:
    asked = {"hands": 2, "nerts_cards": 2} | wrong
    with pytest.raises(ValueError, match=named):
        plan_evening(1, drawn(2, 1), DECKS[:2], **asked)
