"""A recording from its first frame to the score, and what the program says of one that it cannot follow."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from believed import believed, place_of
from filmed_table import HEIGHT, WIDTH, FilmedTable, referee_of, still_table
from filmed_table import followed as watched
from umpire_table import Change, Table

from referee.live import scribe
from referee.live.looking import CropEyes, SteadyEyes, for_play, moved
from referee.live.replay import followed, replay
from referee.live.terms import Terms
from referee.rules.settings import SettingsError
from referee.umpire.seats.area import project
from referee.umpire.seats.deal import Deal, find_deal
from referee.umpire.seats.dealt_row import DealNotFoundError, NotFollowedError
from referee.umpire.story import Believed
from vision.capture.video import Frame, Video
from vision.layout import Layout, SeenCard, SeenHand

Line = dict[str, Any]


def recorded(path: Path, film: FilmedTable) -> Path:
    """The film as a file."""
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=round(film.fps))
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        stream.options = {"preset": "ultrafast"}
        for frame in film.frames():
            picture = av.VideoFrame.from_ndarray(frame.image, format="bgr24")
            picture.pts, picture.time_base = frame.index, Fraction(1, round(film.fps))
            out.mux(stream.encode(picture))
        out.mux(stream.encode())
    return path


@pytest.fixture(scope="module")
def film() -> FilmedTable:
    return FilmedTable(Table(8, 4.5), 4.5, fps=10.0)


@pytest.fixture(scope="module")
def video(film: FilmedTable, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return recorded(tmp_path_factory.mktemp("film") / "hand.mp4", film)


def kinds(lines: list[Line]) -> list[str]:
    return [line.get("event", "header") for line in lines]


def test_a_recording_is_followed_ruled_on_and_scored(video: Path, film: FilmedTable) -> None:
    steps: list[tuple[float, float]] = []
    lines = list(replay(video, eye=film, on_progress=lambda done, of: steps.append((done, of))))
    assert kinds(lines)[:3] == ["header", "deal", "deal"]
    assert kinds(lines)[-1] == "score"
    assert lines[0]["game"] == "nerts" and lines[0]["source"] == {"kind": "video", "fps": 10}
    played = [line["cards"] for line in film.table.record if line["event"] == "play" and line["at"] < 4.0]  # type: ignore[operator]
    assert (
        played and [line["cards"] for line in lines if line.get("event") == "play"][: len(played)] == played
    )
    assert len(steps) == 45
    assert [done for done, _ in steps] == pytest.approx([k / 10 for k in range(45)])
    assert all(of == pytest.approx(4.5, abs=0.11) for _, of in steps)


def test_an_opened_recording_is_taken_as_it_is_and_the_caller_ends_the_hand(
    video: Path, film: FilmedTable
) -> None:
    with Video(video) as opened:
        lines = list(
            replay(opened, eye=film, call="north", seats={"north": "roses"}, settings={"penalty": 5})
        )
    (call,) = [line for line in lines if line.get("event") == "call"]
    assert call["seat"] == "north" and "confidence" not in call
    last = max(line["at"] for line in lines if line.get("event") in ("play", "draw", "turn"))
    assert call["at"] == pytest.approx(last)
    assert {seat["deck"] for seat in lines[0]["seats"]} == {"roses", "blue"}
    assert lines[0]["settings"]["penalty"] == 5


def test_a_call_behind_the_end_is_refused(video: Path, film: FilmedTable) -> None:
    with pytest.raises(NotFollowedError, match=r"it ends at 4\.4 s, before the call at 60 s"):
        list(replay(video, eye=film, call=("south", 60.0)))
    assert "call" in kinds(list(replay(video, eye=film, call=("south", 5.0))))


def test_a_recording_without_a_deal_is_looked_at_a_few_times(tmp_path: Path) -> None:
    bare = still_table()
    bare.changes = []
    film = FilmedTable(bare, 12.0, fps=5.0)
    frames = list(film.frames())
    assert len(frames) == 60
    with pytest.raises(DealNotFoundError, match="no card can be seen"):
        list(replay(recorded(tmp_path / "bare.mp4", film), eye=film))
    assert [round(at, 1) for at, _ in film.looks] == [0.0, 0.4, 0.6, 3.0, 8.0, 8.4]


@pytest.mark.parametrize(
    ("game", "settings", "says"),
    [
        ("canfield", None, "'canfield' cannot be followed on video yet: only games of the Nerts family"),
        ("pishe-pasha", {}, "'pishe-pasha' cannot be followed on video yet"),
        ("nerts", {"work_piles": 7}, "setting 'work_piles' cannot be 7"),
        ("nuts", {"work_piles": 5}, "unknown setting 'work_piles'"),
    ],
)
def test_what_cannot_be_followed_is_said_before_anything_is_read(
    game: str, settings: dict[str, Any] | None, says: str
) -> None:
    with pytest.raises(SettingsError, match=says):
        followed(game, settings)


def test_what_can_be_followed_has_its_own_packet() -> None:
    assert followed("nerts", None).count("draw") == 3
    assert followed("nerts", {"draw": 1}).count("draw") == 1


def test_whoever_emptied_the_nerts_pile_has_called() -> None:
    """Nobody said who called: at the end it is the seat whose Nerts pile is gone, as surely as that is known."""
    film = FilmedTable(still_table(), 1.5, fps=8.0)
    referee = referee_of(film)
    for frame in film.frames():
        referee.push(frame)
    nerts = place_of("south", "nerts")
    for story in referee.umpire.beam.stories:
        story.piles = {**story.piles, nerts: ()}
    (call,) = [line for line in referee.end() if line.get("event") == "call"]
    assert (call["seat"], call["word"]) == ("south", "Nerts")


@pytest.mark.parametrize(
    ("terms", "seats"),
    [
        (Terms(), []),
        (Terms(call="north"), ["north"]),
        (Terms(call=("north", 2.0), decks={"south": "x"}), ["north", "south"]),
    ],
)
def test_the_seats_that_are_named_are_those_of_call_and_decks(terms: Terms, seats: list[str]) -> None:
    assert terms.seats == seats


# -- eyes that look at a part ------------------------------------------------------------------------------------------


class Finder:
    """An eye that sees one card and one hand in the middle of whatever it is shown."""

    def __init__(self) -> None:
        self.shown: list[tuple[tuple[int, ...], Any]] = []

    def see(
        self, image: np.ndarray, to_table: np.ndarray | None = None, *, to_follow: bool = False
    ) -> Layout:
        assert to_follow == (to_table is None)
        self.shown.append((image.shape, to_table))
        height, width = image.shape[:2]
        quad = np.array([[-5.0, -7.0], [5.0, -7.0], [5.0, 7.0], [-5.0, 7.0]]) + np.array(
            [width / 2, height / 2]
        )
        card = SeenCard(quad, "back", quad.copy(), 1.0, 0.9)
        plane = np.diag([0.5, 0.5, 1.0]) if to_table is None else to_table
        return Layout(width, height, 2.0, [card], [SeenHand(quad + 1.0, 0.9)], plane)


def test_a_part_is_seen_where_it_lies_in_the_whole_picture() -> None:
    finder = Finder()
    eyes = CropEyes(finder)
    frame = Frame(0, 0.0, np.zeros((90, 160, 3), np.uint8))
    whole = eyes.look(frame, None, None)
    assert finder.shown[0] == ((90, 160, 3), None)
    assert (whole.width, whole.height) == (160, 90)
    plane = np.array([[0.5, 0.1, 3.0], [0.0, 0.6, 7.0], [0.0, 0.001, 1.0]])
    part = eyes.look(frame, (40, 20, 100, 70), plane)
    shape, known = finder.shown[1]
    assert shape == (50, 60, 3)
    (card,), (hand,) = part.cards, part.hands
    assert card.corners.mean(axis=0) == pytest.approx((70.0, 45.0))
    assert card.visible.mean(axis=0) == pytest.approx((70.0, 45.0))
    assert hand.corners.mean(axis=0) == pytest.approx((71.0, 46.0))
    assert (part.width, part.height) == (160, 90)
    assert part.to_table == pytest.approx(plane)
    point = np.array([[30.0, 25.0]])
    assert project(known, point) == pytest.approx(project(plane, point + (40, 20)))  # noqa: RUF005


def test_for_play_no_back_of_a_known_table_is_named() -> None:
    asked: list[dict[str, Any]] = []

    class Asked(Finder):
        def see(self, image: np.ndarray, to_table: Any = None, **how: Any) -> Layout:
            asked.append(how)
            return super().see(image, to_table, to_follow=how.get("to_follow", False))

    eyes, frame = CropEyes(Asked()), Frame(0, 0.0, np.zeros((90, 160, 3), np.uint8))
    steady = SteadyEyes(eyes, lambda _: np.eye(3))
    for each in (eyes, for_play(eyes), for_play(steady)):
        each.look(frame, None, None)
        each.look(frame, (40, 20, 100, 70), np.eye(3))
    whole, plain = {"to_follow": True}, {"names_backs": False}
    assert asked == [whole, {}, whole, plain, whole, plain]
    assert eyes.names_backs
    table = FilmedTable(still_table(), 1.0)
    assert for_play(table) is table


def test_a_plane_with_its_lens_belongs_to_its_own_picture() -> None:
    layout = Layout(50, 40, 1.0)
    layout.plane = object()  # type: ignore[assignment]
    assert moved(layout, 0, 0, 50, 40).plane is not None
    assert moved(layout, 5, 5, 100, 90).plane is None


# -- lines -------------------------------------------------------------------------------------------------------------


def deal() -> Deal:
    film = FilmedTable(still_table(), 1.0)
    frame = next(film.frames())
    return find_deal([film.look(frame, None, None)] * 3)


def test_a_header_names_the_decks_as_far_as_they_can_be_told_apart() -> None:
    told = deal()
    told.backs = {"north": "blue", "south": "blue"}
    line = scribe.header_line(told, Terms(settings={"penalty": 3}), 29.97003)
    assert {s["seat"]: s["deck"] for s in line["seats"]} == {"north": "blue (north)", "south": "blue (south)"}
    assert line["source"]["fps"] == 29.97 and line["settings"]["penalty"] == 3
    told.backs = {}
    line = scribe.header_line(told, Terms(decks={"north": "roses"}), 30)
    assert {s["seat"]: s["deck"] for s in line["seats"]} == {"north": "roses", "south": "south's deck"}


def test_a_deal_tells_what_lies_open_and_how_many_cards_do_not() -> None:
    table = still_table()
    for line in scribe.deal_lines(deal()):
        piles, player = line["piles"], next(p for p in table.players if p.seat == line["seat"])
        assert piles["nerts"] == ["??"] * 12 + [player.nerts[-1]]
        assert [piles[f"work {n}"] for n in range(1, 5)] == player.work
        assert piles["stock"] == 35


WASTE, ACE, OTHER = place_of("north", "waste"), place_of("", "foundation 2"), place_of("south", "work 1")


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (
            believed("play", 1.23456, "north", 7, ("AS",), WASTE, ACE),
            {"cards": ["AS"], "from": "waste", "to": "foundation 2"},
        ),
        (believed("play", 1.0, "north", 7, ("AS",), WASTE, OTHER), {"from": "waste", "to": "south work 1"}),
        (
            believed("take-back", 1.0, "north", 7, ("AS",), ACE, WASTE),
            {"from": "foundation 2", "to": "waste"},
        ),
        (believed("draw", 1.0, "north", 7, ("??", "2C")), {"cards": ["??", "2C"]}),
        (believed("turn", 1.0, "north", 7, ("2C",)), {"place": "nerts", "card": "2C"}),
        (believed("turn", 1.0, "north", 7), {"place": "nerts", "card": "??"}),
        (believed("recycle", 1.0, "north", 7), {}),
        (believed("set-aside", 1.0, "north", 7, (), None, ACE), {"place": "foundation 2"}),
    ],
)
def test_each_kind_of_event_is_a_line_of_the_record(event: Believed, told: Line) -> None:
    line = scribe.event_line(event, 1.0)
    assert line == {**line, **told}
    named = {"event": event.event.kind, "at": round(event.at, 3), "seat": "north", "frames": [7, 7]}
    assert line == {**named, **{name: line[name] for name in line if name not in named}}
    assert set(line) - set(named) <= {"cards", "from", "to", "place", "card"}
    assert scribe.event_line(event, 0.99951) == line
    assert scribe.event_line(event, 0.8123)["confidence"] == 0.812


def test_no_record_is_ruled_on_that_is_none() -> None:
    with pytest.raises(ValueError, match="makes no record"):
        scribe.ruled([{"record": 1, "game": "nerts"}])


def test_a_change_that_nobody_made_is_no_event() -> None:
    """A card that is jogged a little where it lies."""
    table = still_table()
    lying = next(change for change in table.changes if change.place == ("south", "work 2"))
    jogged = [(name, x + 3.0, y - 3.0) for name, x, y in lying.cards]
    table.changes.append(Change(1.2, lying.place, jogged))
    told = watched(FilmedTable(table, 4.5, fps=8.0))
    assert kinds(told.record) == ["header", "deal", "deal"]
