"""The film's truth is true: faces are not mirrored, polygons lie on the drawn edges, fractions are counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from datasets.film.art import DeckArt, Textures, plain_deck
from datasets.film.camera import Camera
from datasets.film.compositor import Compositor, Group
from datasets.film.hands import Arm
from datasets.film.look import Look
from datasets.film.movement import Card, HandAt, Lying
from datasets.film.paint import smear
from datasets.film.poses import Pose
from datasets.film.sensor import Sensor
from datasets.film.truth import frame_truth
from datasets.play.moves import RANKS, SUITS

Pixels = NDArray[np.uint8]
#: A wide lens, leaning and bent more than any that is drawn for a film.
CAMERA = Camera(
    width=1280, height=720, px_per_mm=1.6, view=70, tilt=12, towards=35, roll=3, k1=-0.04, margin=40
)
SMALL = Camera(
    width=400, height=280, px_per_mm=1.6, view=35, tilt=12, towards=35, roll=3, k1=-0.04, margin=20
)
CLEAN = Look(
    surface="plain", noise=0, flicker=0, blur=0, exposure=1, gradient=0, vignette=0, shadow_strength=0
)
FACES = [rank + suit for suit in SUITS for rank in RANKS]


def flat(name: str, colour: tuple[int, int, int]) -> DeckArt:
    picture = np.full((352, 252, 3), colour, dtype=np.uint8)
    return DeckArt(name, dict.fromkeys(FACES, picture), picture)


def invisible_arm() -> Arm:
    nothing = np.zeros((8, 8, 4), dtype=np.uint8)
    return Arm(nothing, nothing, 1.0, (4.0, 4.0), (4.0, 4.0))


def table(
    *decks: DeckArt,
    look: Look = CLEAN,
    camera: Camera = SMALL,
    arm: Arm | None = None,
    bends: Mapping[Card, float] | None = None,
) -> Compositor:
    seats = ("west", "east", "north", "south")[: len(decks)]
    textures = {seat: Textures(deck, 2 * camera.px_per_mm) for seat, deck in zip(seats, decks, strict=True)}
    arms = dict.fromkeys(seats, arm or invisible_arm())
    compositor = Compositor(camera, look, textures, arms, np.random.default_rng(1), bends)
    compositor.bare[:] = compositor.canvas[:] = compositor._picture[:] = 20
    return compositor


def lying(face: str, pose: Pose, seat: str = "west", order: int = 0, place: str = "west work 1") -> Lying:
    return Lying(Card(seat, face), pose, place, order)


def picture_of(compositor: Compositor, groups: list[Group] | None = None) -> Pixels:
    sensor = Sensor(compositor.camera, compositor.look, np.random.default_rng(1))
    planes = sensor.expose(*compositor.frame(groups or []))
    return np.asarray(cv2.cvtColor(planes, cv2.COLOR_YUV2BGR_I420), dtype=np.uint8)


def rectified(picture: Pixels, corners: object, size: tuple[int, int]) -> NDArray[np.float32]:
    w, h = size
    to = np.array([[0, 0], [w, 0], [w, h], [0, h]], dtype=np.float32)
    # Truth counts from the corner of a px, OpenCV from its middle.
    matrix = cv2.getPerspectiveTransform(np.array(corners, dtype=np.float32) - 0.5, to - 0.5)
    grey = cv2.cvtColor(cv2.warpPerspective(picture, matrix, (w, h)), cv2.COLOR_BGR2GRAY)
    return np.asarray(grey, dtype=np.float32)


def likeness(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    return float(np.corrcoef(a[6:-6, 6:-6].ravel(), b[6:-6, 6:-6].ravel())[0, 1])


@pytest.mark.parametrize("angle", [0.0, 37.0, 90.0, 180.0, -95.0])
@pytest.mark.parametrize(
    ("face", "flip"), [("2S", 0.0), ("7D", 0.0), ("7D", 30.0), ("2S", 180.0), ("2S", 150.0)]
)
def test_faces_and_backs_are_not_mirrored(face: str, flip: float, angle: float) -> None:
    deck = plain_deck("plain", (150, 60, 30))
    # A back that is not the same in a mirror, unlike those of real decks.
    back = deck.back.copy()
    cv2.putText(back, "7", (60, 250), cv2.FONT_HERSHEY_DUPLEX, 7, (255, 255, 255), 30)
    compositor = table(DeckArt("plain", deck.faces, back), camera=SMALL)
    compositor.put([lying(face, Pose(20, -10, angle, flip, z=20))])
    (card,) = frame_truth(compositor, [], 0, 0.0)["cards"]
    size = (126, 176)
    seen = rectified(picture_of(compositor), card["corners"], size)
    art = deck.faces[face] if card["side"] == "face" else back
    drawn = cv2.cvtColor(cv2.resize(art, size, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY).astype(
        np.float32
    )
    assert card["side"] == ("face" if flip < 90 else "back")
    straight = likeness(seen, drawn)
    mirrored = [likeness(seen, drawn[:, ::-1]), likeness(seen, drawn[::-1])]
    assert straight > 0.75
    assert straight > max(mirrored) + 0.2
    assert straight > likeness(seen, drawn[::-1, ::-1])


@pytest.mark.parametrize("x", [-110, 0, 120])
@pytest.mark.parametrize("y", [-50, 45])
def test_corners_lie_on_the_drawn_edges(x: float, y: float) -> None:
    compositor = table(flat("pink", (230, 60, 230)), camera=CAMERA)
    compositor.put([lying("2S", Pose(x, y, 17.0, 0.0, 0.0))])
    (card,) = frame_truth(compositor, [], 0, 0.0)["cards"]
    drawn = (picture_of(compositor)[..., 0] > 120).astype(np.uint8)
    (outline,), _ = cv2.findContours(drawn, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    corners = np.array(card["corners"])
    # Contours run through the middles of the px just inside; round corners lie off the polygon.
    points = outline[:, 0].astype(np.float64) + 0.5
    straight = [p for p in points if np.linalg.norm(corners - p, axis=1).min() > 5 * CAMERA.px_per_mm]
    away = [cv2.pointPolygonTest(corners.astype(np.float32), (float(a), float(b)), True) for a, b in straight]
    assert len(away) > 200
    assert max(away) < 1.5
    assert min(away) > -1.0
    assert abs(np.mean(away) - 0.5) < 0.4


def test_visible_fractions_match_counted_px() -> None:
    colours = [(230, 60, 60), (60, 230, 60), (60, 60, 230), (200, 200, 40)]
    compositor = table(*(flat(str(i), colour) for i, colour in enumerate(colours)))
    seats = ("west", "east", "north", "south")
    poses = [Pose(-20, 0, 0), Pose(0, 5, 10), Pose(4, 18, -12), Pose(20, -30, 80)]
    compositor.put([lying("2S", pose, seat) for seat, pose in zip(seats, poses, strict=True)])
    cards = {card["seat"]: card for card in frame_truth(compositor, [], 0, 0.0)["cards"]}
    picture = picture_of(compositor).astype(np.int32)
    for seat, colour in zip(seats, colours, strict=True):
        seen = (np.abs(picture - colour).sum(axis=2) < 120).sum()
        whole = cv2.contourArea(np.array(cards[seat]["corners"], dtype=np.float32))
        assert cards[seat]["visible"] == pytest.approx(seen / whole, abs=0.04)
    assert cards["south"]["visible"] == pytest.approx(1.0, abs=0.01)
    assert cards["west"]["visible"] < 0.8


def test_a_card_under_a_whole_card_is_left_out_and_lifting_brings_it_back() -> None:
    compositor = table(flat("pink", (230, 60, 230)), flat("green", (60, 230, 60)))
    under, over = lying("2S", Pose(0, 0, 0)), lying("3S", Pose(0, 0, 0), "east", 1)
    compositor.put([under, over])
    assert [card["face"] for card in frame_truth(compositor, [], 0, 0.0)["cards"]] == ["3S"]
    compositor.lift([over.card])
    assert [card["face"] for card in frame_truth(compositor, [], 0, 0.0)["cards"]] == ["2S"]


def test_a_hand_hides_what_lies_under_it_in_picture_and_truth() -> None:
    block = np.zeros((120, 60, 4), dtype=np.uint8)
    block[..., 3] = 255
    arm = Arm(block, block, 1.0, (30.0, 10.0), (30.0, 10.0))
    compositor = table(flat("pink", (230, 60, 230)), arm=arm)
    compositor.put([lying("2S", Pose(0, 0, 0))])
    hand = HandAt("west", 0, 0, 0, 0.0, True)
    groups = [Group(hand, [], np.zeros(2), 0.0)]
    picture = picture_of(compositor, groups)
    truth = frame_truth(compositor, groups, 0, 0.0)
    (card,), (outline,) = truth["cards"], truth["hands"]
    seen = (picture[..., 0] > 120).sum() / cv2.contourArea(np.array(card["corners"], dtype=np.float32))
    assert 0.3 < card["visible"] < 0.6
    assert card["visible"] == pytest.approx(seen, abs=0.04)
    assert cv2.pointPolygonTest(np.array(outline["outline"], dtype=np.float32), card["corners"][2], False) < 0


def test_frames_in_a_row_leave_no_ghosts() -> None:
    look = Look(surface="plain", noise=0, flicker=0, blur=0.8)
    moving, fresh = (
        table(plain_deck("a", (150, 60, 30)), look=look),
        table(plain_deck("a", (150, 60, 30)), look=look),
    )
    sensor = Sensor(SMALL, look, np.random.default_rng(1))
    cards = [
        lying(face, Pose(40 * i - 80, 10 * i, 20 * i)) for i, face in enumerate(("2S", "7D", "KC", "9H"))
    ]
    moving.put(cards)
    card = cards[1].card
    for step in range(6):
        held = Pose(25 * step - 60, -5 * step, 30 * step, z=20)
        hand = HandAt("west", held.x, held.y, 30, 90.0, True)
        group = Group(hand, [(card, held)], np.array([20.0, 5.0]), 30.0)
        if step == 0:
            moving.lift([card])
        sensor.expose(*moving.frame([group]))
    last = lying("7D", Pose(90, -20, 200))
    moving.put([last])
    after = sensor.expose(*moving.frame([]))
    fresh.put([cards[0], cards[2], cards[3], last])
    alone = Sensor(SMALL, look, np.random.default_rng(1)).expose(*fresh.frame([]))
    assert np.abs(after.astype(int) - alone.astype(int)).max() <= 2


def test_motion_blur_spreads_evenly_around_and_stands_a_sliver_of_a_layer() -> None:
    layer = np.zeros((60, 90, 4), dtype=np.uint8)
    layer[28:32, 43:47] = 240
    spread = smear(layer, np.array([32.0, 0.0])).astype(int)
    columns = np.flatnonzero(spread[30, :, 3] > 4)
    assert abs(columns.mean() - 44.5) <= 1
    assert 26 <= len(columns) <= 38
    assert spread[..., 3].sum() == pytest.approx(layer[..., 3].astype(int).sum(), rel=0.1)
    assert spread[:26].max() == 0
    assert smear(layer[:5], np.array([10.0, -40.0])).shape == (5, 90, 4)


def test_a_card_pushed_underneath_is_painted_and_told_so() -> None:
    compositor = table(flat("one", (200, 200, 200)), flat("two", (40, 40, 220)))
    compositor.put([lying("2S", Pose(0, 0, 0)), lying("3S", Pose(4, 4, 0), order=1)])
    compositor.put([replace(lying("4S", Pose(-6, 6, 0), "east", order=1), above=1)])
    told = {card["face"]: card for card in frame_truth(compositor, [], 0, 0.0)["cards"]}
    assert [told[face]["order"] for face in ("2S", "4S", "3S")] == [0, 1, 2]
    assert told["3S"]["visible"] > 0.99 > told["4S"]["visible"] > 0.1
    x, y = np.mean(told["3S"]["corners"], axis=0)
    assert picture_of(compositor)[int(y), int(x)] == pytest.approx((200, 200, 200), abs=12)


@pytest.mark.parametrize("pushed", [False, True])
@pytest.mark.parametrize("travel", [0.0, 8.0])
def test_a_card_slides_in_underneath_others(travel: float, pushed: bool) -> None:
    bare = np.zeros((8, 8, 4), dtype=np.uint8)
    compositor = table(
        flat("one", (200, 200, 200)),
        flat("two", (40, 40, 220)),
        arm=Arm(bare, bare, 1.0, (4.0, 4.0), (4.0, 4.0)),
    )
    compositor.put([lying("2S", Pose(0, 0, 0)), lying("3S", Pose(4, 4, 0), order=1)])
    to = replace(lying("4S", Pose(4, 4, 0), "east", order=1), above=1) if pushed else None
    carried, hand = Pose(30, 4, 0), HandAt("west", 120, 90, 0, 90.0, True)
    group = Group(
        hand, [(Card("east", "4S"), carried)], np.array([travel, 0.0]), 0.0, np.array([9.0, 0.0]), to
    )
    told = {card["face"]: card for card in frame_truth(compositor, [group], 0, 0.0)["cards"]}
    # the one that was there before it lies beneath both
    assert "4S" in told and (told["3S"]["visible"] > 0.99) == pushed
    assert told["4S"]["visible"] == pytest.approx(0.4 if pushed else 1.0, abs=0.1)
    corners = np.array(told["3S"]["corners"])
    x, y = corners.mean(axis=0) + (corners[1] - corners[0]) * 0.3
    shown = picture_of(compositor, [group])[int(y), int(x)].astype(int)
    assert shown == pytest.approx((200, 200, 200) if pushed else (40, 40, 220), abs=14)


def edges_off(picture: Pixels, corners: object) -> float:
    """How far, px, the outline of what is pink lies off a polygon at most, round corners left out."""
    drawn = (picture[..., 0] > 120).astype(np.uint8)
    outline = max(cv2.findContours(drawn, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0], key=len)
    quad = np.array(corners, dtype=np.float32)
    points = outline[:, 0].astype(np.float64) + 0.5
    straight = [p for p in points if np.linalg.norm(quad - p, axis=1).min() > 5 * SMALL.px_per_mm]
    return max(abs(cv2.pointPolygonTest(quad, (float(a), float(b)), True)) for a, b in straight)


def test_a_shutter_that_reads_line_by_line_shears_what_moves_and_nothing_else() -> None:
    lying_there = lying("2S", Pose(-70, 20, 0), "east", place="east work 1")
    card, pose = Card("west", "2S"), Pose(30, 0, 0)
    hand = HandAt("west", 0, 0, 0, 90.0, True)
    seen = {}
    for line_time in (0.0, 3e-5):
        compositor = table(
            flat("pink", (230, 60, 230)),
            flat("green", (60, 230, 60)),
            camera=replace(SMALL, line_time=line_time),
        )
        compositor.put([lying_there])
        # no smear, to see the shear alone
        group = Group(hand, [(card, pose)], np.zeros(2), 0.0, np.array([1500.0, 0.0]))
        truth = {c["seat"]: c for c in frame_truth(compositor, [group], 0, 0.0)["cards"]}
        seen[line_time] = truth
        assert edges_off(picture_of(compositor, [group]), truth["west"]["corners"]) < 1.6
        assert truth["west"]["speed"] == [1500, 0] and truth["east"]["speed"] == [0, 0]
    still, moved = (np.array(seen[t]["west"]["corners"]) for t in (0.0, 3e-5))
    assert seen[0.0]["east"]["corners"] == seen[3e-5]["east"]["corners"]
    # a lower line is read later, when the card is further to the right: 1500 mm/s, 30 us a line
    lower = still[:, 1] - SMALL.height / 2
    assert moved[:, 0] - still[:, 0] == pytest.approx(lower * 3e-5 * 1500 * SMALL.px_per_mm, abs=0.6)
    assert np.ptp(moved[:, 0] - still[:, 0]) > 6


@pytest.mark.parametrize("bend", [-2.5, 2.5])
def test_a_bent_card_is_shaded_and_its_corners_are_where_they_stand(bend: float) -> None:
    pink = flat("pink", (230, 60, 230))
    flat_one, bent = table(pink), table(pink, bends={Card("west", "2S"): bend})
    pose = Pose(60, 30, 50)
    light = {}
    for name, compositor in (("flat", flat_one), ("bent", bent)):
        compositor.put([lying("2S", pose)])
        (card,) = frame_truth(compositor, [], 0, 0.0)["cards"]
        picture = picture_of(compositor)
        assert edges_off(picture, card["corners"]) < 1.6
        upright = rectified(picture, card["corners"], (126, 176))
        light[name] = (
            card["corners"],
            float(upright[20:40, 20:-20].mean() - upright[-40:-20, 20:-20].mean()),
        )
    assert abs(light["flat"][1]) < 2 < abs(light["bent"][1])
    # ends that stand up are nearer to the lens
    apart = np.array(light["bent"][0]) - np.array(light["flat"][0])
    assert (np.abs(apart).max() > 0.15) == (bend > 0)


def test_truth_tells_where_an_index_can_be_seen() -> None:
    compositor = table(flat("one", (200, 200, 200)), flat("two", (40, 40, 220)))
    column = [
        lying("2S", Pose(0, 0, 0)),
        lying("3S", Pose(0, 16, 0), order=1),
        lying("4S", Pose(0, 48, 180), order=2),
    ]
    compositor.put([*column, lying("5S", Pose(-100, 0, 0, flip=180.0), "east")])
    told = {card["face"]: card["index"] for card in frame_truth(compositor, [], 0, 0.0)["cards"]}
    assert told == {"2S": True, "3S": True, "4S": True, "5S": False}
    compositor.put([lying("6S", Pose(-30, -50, 0), place="foundation 1")])
    told = {card["face"]: card["index"] for card in frame_truth(compositor, [], 0, 0.0)["cards"]}
    assert not told["2S"] and told["6S"]
