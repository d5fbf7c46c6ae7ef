"""Layouts of every game: the deal as the rules say, piles built as the game builds them, places named as in a record."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from datasets.photos.layouts import Layout, camera_over, draw_layout, lay_table
from datasets.photos.midgame import GAMES, GameName, stopped
from datasets.scene import PlacedCard
from referee.games import game_for
from referee.rules.header import parse_header
from tests.datasets.plain import cloth, plain_decks, tilt_of

RANKS = "A23456789TJQK"
FAMILY = ("nerts", "nerts-minus-one", "one-per-suit", "nuts", "team-nuts", "nerts-twelve")

FOUR_WORKS = {"nerts": (13, 1), **{f"work {n}": (1, 1) for n in range(1, 5)}, "stock": (35, 0)}
#: Of one owner's deal: how many cards each place holds, and how many of them lie face up (RULES 1 to 1d and 2).
OWN_DEAL: dict[GameName, dict[str, tuple[int, int]]] = {
    "nerts": FOUR_WORKS,
    "nerts-minus-one": FOUR_WORKS,
    "one-per-suit": FOUR_WORKS,
    "nuts": {"nerts": (11, 11), **{f"work {n}": (n, 1) for n in range(1, 6)}, "stock": (26, 0)},
    "team-nuts": {"nerts": (11, 11), **{f"work {n}": (6 - n, 1) for n in range(1, 6)}, "stock": (26, 0)},
    "nerts-twelve": {
        "nerts": (8, 0),
        **{f"nerts {n}": (1, 1) for n in range(1, 5)},
        **{f"work {n}": (n, 1) for n in range(1, 8)},
        "stock": (12, 0),
    },
    "double-solitaire": {"stock": (24, 0)},
    "pishe-pasha": {"stock": (26, 0)},
    "canfield": {"reserve": (13, 1), **{f"work {n}": (1, 1) for n in range(1, 5)}, "stock": (34, 0)},
    "california-jacks": {},
}
COMMON_DEAL: dict[GameName, dict[str, tuple[int, int]]] = {
    "double-solitaire": {f"centre {n}": (1, 1) for n in range(1, 5)},
    "canfield": {"foundation 1": (1, 1)},
    # the deck lies face up between the players, six cards each are in their hands
    "california-jacks": {"stock": (40, 40)},
}


def by_place(layout: Layout) -> dict[str, list[PlacedCard]]:
    places: dict[str, list[PlacedCard]] = {}
    for card in layout.cards:
        places.setdefault(layout.names[card.pile], []).append(card)
    return places


def value(card: PlacedCard) -> int:
    return RANKS.index(card.face[0]) + 1


def red(card: PlacedCard) -> bool:
    return card.face[1] in "HD"


def kind(place: str) -> str:
    return next(word for word in reversed(place.split()) if not word.isdigit())


def own_name(place: str) -> str:
    return " ".join(place.split()[1:])


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("game", GAMES)
def test_a_deal_is_what_the_rules_say(game: GameName, seed: int) -> None:
    layout = lay_table(np.random.default_rng(seed), game, 0.0)
    owners = set(layout.position.owners.values())
    wanted = {f"{owner} {place}": counts for owner in owners for place, counts in OWN_DEAL[game].items()}
    wanted |= COMMON_DEAL.get(game, {})
    places = by_place(layout)
    assert {
        place: (len(cards), sum(card.face_up for card in cards)) for place, cards in places.items()
    } == wanted
    for cards in places.values():
        # what is up lies on top
        assert [card.face_up for card in cards] == sorted(card.face_up for card in cards)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("game", GAMES)
def test_places_are_those_of_the_referee_and_every_card_lies_once(game: GameName, seed: int) -> None:
    layout = lay_table(np.random.default_rng(seed), game, 0.6)
    position = layout.position
    seats: list[dict[str, str]] = [{"seat": seat} for seat in position.seats]
    if game in FAMILY:
        seats = [line | {"deck": position.owners[line["seat"]]} for line in seats]
    if game == "team-nuts":
        seats = [line | {"role": ("nuts", "cards")[i % 2]} for i, line in enumerate(seats)]
    reader = game_for(parse_header({"record": 1, "game": game, "seats": seats})).place
    places = by_place(layout)
    for name in places:
        assert str(reader(name, None)) == name
    assert len({(card.deck, card.face) for card in layout.cards}) == len(layout.cards)
    decks = len(set(position.owners.values())) if game in FAMILY else 1
    held = {"california-jacks": 12, "double-solitaire": 1, "pishe-pasha": 1}.get(game, 0)
    assert 52 * decks - held <= len(layout.cards) <= 52 * decks
    if game in FAMILY:
        for place, cards in places.items():
            if not place.startswith("foundation"):
                assert {list(dict.fromkeys(position.owners.values()))[card.deck] for card in cards} == {
                    place.split()[0]
                }


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("game", GAMES)
def test_piles_are_built_as_the_game_builds_them(game: GameName, seed: int) -> None:
    played = (0.35, 0.6, 0.95)[seed]
    places = by_place(lay_table(np.random.default_rng(10 + seed), game, played))
    for place, cards in places.items():
        up = [card for card in cards if card.face_up]
        if kind(place) in ("work", "centre"):
            for lower, upper in pairwise(up):
                assert red(lower) != red(upper), place
                assert (value(lower) - value(upper)) % 13 == 1, place
            assert up, place
        elif kind(place) in ("foundation", "side"):
            ordered = cards if cards[-1].face_up else cards[::-1]
            assert len(up) in (0, len(cards))
            assert up or len(cards) == 13
            assert len({card.face[1] for card in cards}) == 1
            for lower, upper in pairwise(ordered):
                assert (value(upper) - value(lower)) % 13 == 1, place
            assert game == "canfield" or value(ordered[0]) == 1
        elif kind(place) in ("waste", "discard", "trick"):
            assert len(up) == len(cards)
        elif kind(place) == "won":
            assert not up
            assert len(cards) % 2 == 0
    if game == "one-per-suit":
        growing = [
            cards[0].face[1] for place, cards in places.items() if "foundation" in place and len(cards) < 13
        ]
        assert len(growing) == len(set(growing))


def test_more_is_played_as_the_game_goes_on() -> None:
    seats = ("south", "north")
    for game in ("nerts", "nuts", "pishe-pasha"):
        centre = [
            sum(
                len(pile)
                for place, pile in stopped(game, seats, share, 4).places.items()
                if "foundation" in place
            )
            for share in (0.0, 0.3, 0.6, 1.0)
        ]
        assert centre == sorted(centre)
        assert centre[0] == 0
        assert centre[-1] > 4


def test_a_trick_shows_the_card_led_and_the_one_that_follows() -> None:
    seen = set()
    for seed in range(40):
        places = stopped("california-jacks", ("south", "north"), 0.2 + 0.015 * seed, seed).places
        trick = places.get("trick", [])
        seen.add(len(trick))
        assert all(card.up for card in trick)
        assert not any(card.up for place, pile in places.items() if place.endswith("won") for card in pile)
    assert seen == {0, 1, 2}


@pytest.mark.parametrize("seed", range(6))
def test_columns_are_fanned_and_piles_lie_before_their_players(seed: int) -> None:
    layout = lay_table(np.random.default_rng(seed), "nerts", 0.7)
    steps = []
    for place, cards in by_place(layout).items():
        x, y = np.mean([(card.x, card.y) for card in cards], axis=0)
        side = {"south": y, "north": -y, "west": -x, "east": x}
        for name, towards in side.items():
            if place.split()[0].endswith(name) or (place.startswith(name) and name in ("south", "north")):
                assert towards > 0, place
                break
        if kind(place) == "work":
            steps += [float(np.hypot(b.x - a.x, b.y - a.y)) for a, b in pairwise(cards)]
            sideways = place.split()[0] in ("west", "east")
            turns = np.array([card.angle % np.pi for card in cards])
            off = np.abs(turns - (np.pi / 2 if sideways else 0))
            assert np.minimum(off, np.pi - off).max() < 0.35
    assert not steps or 13 < np.mean(steps) < 23.5


def test_players_are_one_to_six() -> None:
    tables = Counter(
        len(lay_table(np.random.default_rng(seed), "nerts", 0.0).position.seats) for seed in range(40)
    )
    assert set(tables) == {1, 2, 3, 4, 5, 6}


@pytest.mark.parametrize("game", ["one-per-suit", "canfield"])
def test_a_drawn_layout_is_whole_in_the_picture_and_named(game: GameName) -> None:
    one, two = (draw_layout(np.random.default_rng(7), plain_decks, cloth, game) for _ in range(2))
    assert (one.image == two.image).all()
    assert one.image.shape == (1080, 1920, 3)
    assert 1.2 <= one.px_per_mm <= 2.6
    assert one.about["game"] == game
    assert one.about["tilt"] <= 15
    assert 0.1 <= one.about["progress"] <= 0.9
    for card in one.cards:
        corners = np.array(card.corners)
        assert (corners >= 0).all()
        assert (corners <= (1920, 1080)).all()
        assert card.as_json()["place"] == card.place
    names = {card.pile: card.place for card in one.cards}
    assert len(set(names.values())) == len(names)
    assert all(card.place == names[card.pile] for card in one.cards)


def test_the_camera_looks_down_and_is_tilted_by_15_degrees_at_most() -> None:
    tilts = []
    for seed in range(12):
        layout = lay_table(np.random.default_rng(seed), "pishe-pasha", 0.5)
        scene, phone = camera_over(np.random.default_rng(seed), layout, (1.2, 2.6))
        assert 1.2 <= scene.px_per_mm() <= 2.6
        tilts.append(tilt_of(scene, phone))
    assert max(tilts) <= 15
    assert max(tilts) > 7
