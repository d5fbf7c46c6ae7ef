"""Planted infractions on the table: the cards of the deed go where the record says, and no card is lost."""

from __future__ import annotations

import json

import numpy as np
import pytest

from datasets.film.art import DeckArt
from datasets.film.choreography import Choreography, choreograph
from datasets.film.film import play_on
from datasets.film.poses import Pose
from datasets.film.record import record_of
from datasets.film.setting import draw_setting
from datasets.film.staged import staged_in
from datasets.film.table import Table, lay_out
from datasets.play.dealing import LAYOUTS
from datasets.play.deeds import Deed, PlayedHand
from datasets.play.plants import OF_A_GAME, OF_THE_GATE, PLANTS, Plant
from datasets.play.players import find_hand


def two_players(*plants: Plant) -> tuple[Table, PlayedHand, Choreography]:
    """A table, a hand with what is planted, and how its cards move."""
    setting = draw_setting(5)
    table = lay_out(*setting.camera.room(), setting.styles)
    hand = find_hand(setting.players, 3, longest=table.longest, latest=250, plants=plants)
    return table, hand, choreograph(hand, table, np.random.default_rng(1))


@pytest.mark.parametrize("kind", sorted(set(PLANTS) - {"late-play", "false-call", "wrong-deal"}))
def test_the_cards_of_a_planted_deed_are_carried_to_its_place(kind: str) -> None:
    game = OF_A_GAME.get(kind, "nerts")
    setting = draw_setting(5, game=game)
    partners = {player.seat: player.owner for player in setting.players if player.partner_of}
    piles = len(LAYOUTS[game].work)
    table = lay_out(*setting.camera.room(), setting.styles, work_piles=piles, partners=partners)
    plants = [Plant(kind, after=8)]
    hand = find_hand(setting.players, 3, game=game, longest=table.longest, latest=250, plants=plants)
    film = choreograph(hand, table, np.random.default_rng(1))
    (motion,) = [motion for motion in film.motions if motion.deed.planted]
    deed = motion.deed
    assert {lying.card.face for lying in motion.taken} == set(deed.cards)
    owners = ("foundation", "aside", *table.styles)
    target = deed.target if deed.target.startswith(owners) else f"{hand.owner(deed.seat)} {deed.target}"
    if kind != "early-aside":
        assert {lying.place for lying in motion.put} == {target}
    else:
        assert motion.put[0].place.startswith("aside") and not motion.put[0].pose.face_up


def test_nothing_is_lost_when_a_card_changes_sides() -> None:
    """All cards of both decks lie somewhere, each once, whoever moved them."""
    _, _, film = two_players(Plant("others-card", after=8), Plant("to-others", after=12))
    lying = {lying.card: lying.place for lying in film.start}
    for motion in sorted(film.motions, key=lambda motion: motion.end):
        assert all(lying[taken.card] == taken.place for taken in motion.taken)
        lying.update({put.card: put.place for put in motion.put})
    assert len(lying) == 104
    carried = [motion for motion in film.motions if motion.deed.planted]
    assert len(carried) == 2 and all(
        motion.taken[0].place.split()[0] != motion.put[0].place.split()[0] for motion in carried
    )


@pytest.mark.parametrize(("target", "event"), [("work 3", "take-back"), ("work 2", "play")])
def test_a_card_out_of_the_centre_is_taken_back_where_it_came_from(target: str, event: str) -> None:
    """As a record says it: to where it lay before, and to no other place."""
    laid = Deed("play", "south", ("2H",), "work 3", "foundation 1", 1.0, 1.2, 1.8)
    gone = Deed("play", "south", ("2H",), "foundation 1", target, 2.0, 2.2, 2.8, "out-of-centre")
    _, hand, _ = two_players()
    hand.deeds = [laid, gone]
    decks = {seat: seat for seat in hand.deal}
    told = [json.loads(line) for line in record_of(hand, decks, 30).splitlines()]
    assert [line["event"] for line in told[-2:]] == ["play", event]


def test_the_gate_plants_what_it_always_did() -> None:
    assert set(OF_THE_GATE) < set(PLANTS) and list(OF_THE_GATE) == sorted(OF_THE_GATE)


def test_two_cards_are_drawn_where_both_are_played_next_and_show_it() -> None:
    """The waste's top from before shows again when two cards have left it."""
    _, hand, film = two_players(Plant("draw-two", after=8))
    (draw,) = [deed for deed in hand.deeds if deed.planted]
    own = [deed for deed in hand.deeds if deed.seat == draw.seat and deed.landed > draw.landed]
    later = [deed for deed in own if "waste" in (deed.source, deed.target)]
    assert [d.kind for d in later[:2]] == ["play", "play"] and len(draw.cards) == 2
    assert [d.cards for d in later[:2]] == [(card,) for card in reversed(draw.cards)]
    assert hand.shows_at(draw) == later[1].landed
    (staged,) = staged_in(hand, film, (), 30)
    assert staged.shows == later[1].landed > staged.landed


@pytest.mark.parametrize("seed", [3, 4, 5, 6])
def test_a_packet_is_laid_the_other_way_round_where_its_rightful_top_had_been_seen(seed: int) -> None:
    """Else nobody can tell that it is: the card that lies lowest now was on top of the waste in the round before."""
    setting = draw_setting(5)
    longest = lay_out(*setting.camera.room(), setting.styles).longest
    plants = [Plant("draw-order", after=8)]
    hand = find_hand(setting.players, seed, longest=longest, latest=250, plants=plants)
    (draw,) = [deed for deed in hand.deeds if deed.planted]
    own = [deed for deed in hand.deeds if deed.seat == draw.seat and deed.landed < draw.landed]
    under = {
        card: one.cards[n - 1] for one in own if one.kind == "draw" for n, card in enumerate(one.cards) if n
    }
    tops = [one.cards[-1] for one in own if one.kind == "draw"]
    played = [one.cards[0] for one in own if one.source == "waste" and one.kind == "play"]
    assert draw.cards[0] in {*tops, *(under.get(card, "") for card in played)}


def test_a_card_that_is_buried_is_drawn_aside_and_comes_to_lie_lowest() -> None:
    _, _, film = two_players(Plant("lone-bury", after=8))
    (motion,) = [motion for motion in film.motions if motion.deed.kind == "bury"]
    ((_, half_way),) = motion.poses((motion.start + motion.end) / 2)
    there = motion.taken[0].pose
    assert np.hypot(half_way.x - there.x, half_way.y - there.y) > 25
    assert motion.put[0].order == 0 and motion.put[0].above > 0
    later = [m for m in film.motions if m.start > motion.end and m.taken[0].place == motion.put[0].place]
    # the next draw takes what lay below it, and the last of that round takes the buried card
    assert motion.taken[0].card not in [lying.card for lying in later[0].taken]
    assert any(motion.taken[0].card == lying.card for m in later for lying in m.taken)


def test_a_card_that_is_slid_lies_lowest_and_a_step_further_in() -> None:
    table, hand, film = two_players(Plant("slide-full", after=8))
    (motion,) = [motion for motion in film.motions if motion.deed.under]
    (slid,) = motion.put
    before: dict[str, Pose] = {}
    for m in [None, *film.motions]:
        for lying in film.start if m is None else m.put if m.end <= motion.start else ():
            if lying.place == slid.place:
                before[lying.card.face] = lying.pose
    base = before[hand.deal[motion.deed.seat][" ".join(slid.place.split()[1:])][0]]
    assert slid.order == 0 and slid.above >= 1
    # further from the player, in line with the column
    sx, sy = table.shoulders[motion.deed.seat]
    away = np.hypot(slid.pose.x - sx, slid.pose.y - sy) - np.hypot(base.x - sx, base.y - sy)
    assert 8 < away < 30
    later = next(m for m in film.motions if m.start > motion.end and m.put[0].place == slid.place)
    assert np.hypot(later.put[0].pose.x - slid.pose.x, later.put[0].pose.y - slid.pose.y) > 25


def test_a_seat_that_uses_both_hands_has_two_arms_in_the_picture() -> None:
    _, hand, film = two_players(Plant("two-hands", after=8))
    (second,) = [motion for motion in film.motions if motion.deed.hand == "other"]
    half_way = (second.start + second.end) / 2
    held = {motion.deed.arm: motion.poses(half_way)[0][1] for motion in film.moving(half_way)}
    seat = second.deed.seat
    assert {seat, f"{seat} other"} <= set(held)
    for arm in (seat, f"{seat} other"):
        at = film.hand(arm, half_way)
        assert at is not None and at.holding
        assert np.hypot(at.x - held[arm].x, at.y - held[arm].y) < 40
    # both cards are the deed
    (told,) = staged_in(hand, film, [], 30)
    both = {f"{seat} {motion.deed.cards[0]}" for motion in film.moving(half_way) if motion.deed.seat == seat}
    assert set(told.cards) == both and len(both) == 2
    assert told.lifted < second.start and told.landed >= second.end


def test_p3_partners_sit_side_by_side_before_one_row_of_piles() -> None:
    setting = draw_setting(5, game="team-nuts")
    partners = {player.seat: player.owner for player in setting.players if player.partner_of}
    table = lay_out(*setting.camera.room(), setting.styles, work_piles=5, partners=partners)
    plants = [Plant("wrong-role", after=8)]
    hand = find_hand(setting.players, 3, game="team-nuts", longest=table.longest, latest=250, plants=plants)
    film = choreograph(hand, table, np.random.default_rng(1))
    assert set(film.reaches) == {player.seat for player in setting.players}
    for partner, owner in partners.items():
        (x1, y1), (x2, y2) = table.shoulders[owner], table.shoulders[partner]
        assert abs(x1 - x2) > 300 and y1 == pytest.approx(y2)
        # who plays the Nut pile sits on its side of the row
        assert abs(table.spots[f"{owner} nerts"].x - x1) < abs(table.spots[f"{owner} nerts"].x - x2)
        # and is called after that side in the picture
        assert ("west" in owner) == (x1 < x2)
    up = {
        place: [lying.pose.face_up for lying in film.start if lying.place == place] for place in table.spots
    }
    for owner in partners.values():
        assert up[f"{owner} work 1"] == [False, False, False, False, True] and up[f"{owner} work 5"] == [True]
        assert len(up[f"{owner} nerts"]) == 11 and all(up[f"{owner} nerts"])
    # every card is where its place says, whoever moves it
    lying = {lying.card: lying.place for lying in film.start}
    for motion in sorted(film.motions, key=lambda motion: motion.end):
        assert all(lying[taken.card] == taken.place for taken in motion.taken)
        lying.update({put.card: put.place for put in motion.put})
    assert len(lying) == 104
    turned = [motion for motion in film.motions if motion.deed.kind == "turn"]
    assert turned and all(not m.taken[0].pose.face_up and m.put[0].pose.face_up for m in turned)


def test_t1_columns_lie_over_the_open_nerts_and_never_on_them() -> None:
    setting = draw_setting(4, game="nerts-twelve")
    deck = DeckArt("plain", {}, np.zeros((1, 1, 3), np.uint8))
    table, hand = play_on(setting, [deck, deck], 4, game="nerts-twelve")
    film = choreograph(hand, table, np.random.default_rng(1))
    up = {(lying.place, lying.order): lying.pose.face_up for lying in film.start}
    for seat, style in table.styles.items():
        assert [up[f"{seat} work 7", n] for n in range(7)] == [False] * 6 + [True]
        assert up[f"{seat} nerts 1", 0] and not up[f"{seat} nerts", 7]
        spots = [table.spots[f"{seat} {place}"] for place in ("nerts", "nerts 1", "work 2", "work 1")]
        axis = np.array([np.cos(np.radians(turn := spots[0].angle)), np.sin(np.radians(turn))])
        across = [float(axis @ (spot.x, spot.y)) for spot in spots]
        # from the player's left the stack and the nerts, those under the columns
        assert across[0] == pytest.approx(across[3]) and across[1] == pytest.approx(across[2])
        assert (across[1] > across[0]) != style.left_handed
        below = np.hypot(spots[0].x - spots[3].x, spots[0].y - spots[3].y)
        lying = [put for motion in film.motions for put in motion.put if put.place.startswith(f"{seat} work")]
        first = table.spots[f"{seat} work 1"]
        along = np.array([-axis[1], axis[0]])
        deepest = max(float(along @ (put.pose.x - first.x, put.pose.y - first.y)) for put in lying)
        assert 60 < deepest < below - table.card_height - 5
