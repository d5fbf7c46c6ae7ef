"""Cards counted while a camera is held over them.

The eye takes longer than a camera: it looks at one frame after another, one at a time, while every frame is laid on
those that it looked at (`vision/photos/following.py`), so that what it saw stands on the newest picture. Frames that show
the same cards are counted together, like photos of them: what only one of them shows flickers in none. Where something
changed nothing is counted until the eye has looked there again: quickly at that part first (`vision/photos/patching.py`),
which makes no count sure, and then at all of it. Nothing is written anywhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any, Literal, Protocol

import numpy as np

from referee.service import Sees
from vision.capture.frames import Image
from vision.geometry.plane import apply
from vision.layout import CARD_HEIGHT_MM, CARD_WIDTH_MM, Floats, Layout
from vision.photos.following import Followed, Follower
from vision.photos.patching import SeesParts, seen_again
from vision.photos.sweep import SHARP, detail

Json = dict[str, Any]
#: Layouts and further words (see `referee.photos.scoring.score_photos`) to the score as JSON.
Counts = Callable[..., Json]
State = Literal["looking", "counted", "moved", "blurred"]

#: Frames that are counted together at most, and how long nothing is looked at between two of them, s.
MOST, BETWEEN_S = 4, 1.0
#: A card counts no longer once such a share of what is seen of it changed; something came or went once so much of a card
#: did, or of the picture where there is none.
MOVED, OF_A_CARD, OF_A_PICTURE = 0.25, 0.12, 0.003
#: What moves is waited for, but not longer, s.
PATIENCE_S = 3.0
#: What the sharpest frame's detail counts, from frame to frame: light and distance change.
FADES = 0.97

SAY: Mapping[State, str] = {
    "looking": "Looking at the cards: hold the camera over them.",
    "moved": "Something moved: it is counted anew.",
    "blurred": "This is blurred: hold the camera stiller.",
    "counted": "",
}


class SeesAll(Sees, SeesParts, Protocol):
    """An eye that looks at whole pictures, and at parts of them."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame that was sent: `number` is the page's, `key` a photo's key."""

    number: int
    key: str
    image: Image


@dataclass(frozen=True, slots=True)
class Look:
    """What the eye saw in a frame; `onto`: (3, 3) px of the frame that others are laid on to px of this one."""

    frame: int
    key: str
    layout: Layout
    onto: Floats
    #: A part of it was looked at quickly; the rest is as it was seen before.
    quick: bool = False


@dataclass(slots=True)
class _Running:
    """A look that has not ended: at a frame that lay so on the first one, or on none."""

    frame: Frame
    onto: Floats | None
    #: Did it show what the looks before it do?
    same: bool
    quick: bool
    answer: Future[Layout]


class LiveCount:
    """Counts what one camera sees. Its frames come one by one; looks go on in `worker`, one at a time."""

    def __init__(
        self, eye: SeesAll, count: Counts, worker: Executor, clock: Callable[[], float] = monotonic
    ) -> None:
        self._eye, self._count, self._worker, self._clock = eye, count, worker, clock
        #: Lays frames on that of the last look; where there is none yet, on that of the first.
        self._follower: Follower | None = None
        self.looks: list[Look] = []
        self._running: _Running | None = None
        #: The score, and of which frames and how many players it is.
        self._report: tuple[object, Json] = (None, {})
        self._sharpest = 0.0
        self._ended_at = -np.inf
        #: What had changed when the last frame came, and since when something has.
        self._before: Followed | None = None
        self._moved_since: float | None = None

    def take(self, frame: Frame, players: int = 0) -> Json:
        """Takes in a frame and says what is seen in it, see docs/page.md; `players`: how many play, 0: nobody says."""
        told = detail(frame.image)
        self._sharpest = max(told, self._sharpest * FADES)
        blurred = told < SHARP * self._sharpest
        self._take_in()
        followed = None if self._follower is None else self._follower.follow(frame.image)
        if followed is None and not blurred:
            self._start_over()
        state = self._state(followed, blurred)
        if self._running is None and self._wants_look(state, followed):
            self._look_at(frame, followed, state)
        if not blurred:
            self._before = followed
        return self._told(frame, state, followed, players)

    def close(self) -> None:
        """Nobody waits any more for what is being looked at."""
        if self._running is not None:
            self._running.answer.cancel()

    def _start_over(self) -> None:
        """Nothing that was looked at lies in view: another place, or a camera that was moved too fast."""
        self.looks, self._before, self._follower = [], None, None
        if self._running is not None:
            # what is being looked at may come into view again
            self._running.onto, self._running.same = None, False
            self._follower = Follower(self._running.frame.image)

    def _take_in(self) -> None:
        """Takes in what the eye saw, once it has."""
        running = self._running
        if running is None or not running.answer.done():
            return
        self._running, self._ended_at, self._before = None, self._clock(), None
        layout, image = running.answer.result(), running.frame.image
        kept: list[Look] = []
        if running.onto is not None and self._follower is not None:
            back = np.linalg.inv(running.onto)
            same = [look for look in self.looks if running.same and not look.quick]
            kept = [replace(look, onto=look.onto @ back) for look in same]
            self._follower = Follower(image, self._follower.onto @ back)
        new = Look(running.frame.number, running.frame.key, layout, np.eye(3), running.quick)
        self.looks = [*kept, new][-MOST:]

    def _state(self, followed: Followed | None, blurred: bool) -> State:
        if blurred:
            return "blurred"
        if followed is None or not self.looks:
            return "looking"
        return "moved" if followed.most > self._much() else "counted"

    def _much(self) -> float:
        """px² of the last look's frame: less than this is no card that came or went."""
        layout = self.looks[-1].layout
        a_card = CARD_WIDTH_MM * CARD_HEIGHT_MM * layout.px_per_mm**2
        return OF_A_CARD * a_card if a_card else OF_A_PICTURE * layout.width * layout.height

    def _wants_look(self, state: State, followed: Followed | None) -> bool:
        if state != "moved":
            self._moved_since = None
            rested = self._clock() >= self._ended_at + BETWEEN_S
            ready = any(look.quick for look in self.looks) or (len(self.looks) < MOST and rested)
            return state == "looking" or (state == "counted" and ready)
        now = self._clock()
        self._moved_since = now if self._moved_since is None else self._moved_since
        assert followed is not None
        settled = self._before is not None and followed.since(self._before) <= self._much()
        return settled or now >= self._moved_since + PATIENCE_S

    def _look_at(self, frame: Frame, followed: Followed | None, state: State) -> None:
        onto = None if followed is None else followed.onto
        # before there is a plane there is no part of it
        quick = followed is not None and state == "moved" and self.looks[-1].layout.to_table is not None
        if quick:
            assert followed is not None
            answer = self._worker.submit(seen_again, self._eye, frame.image, self.looks[-1].layout, followed)
        else:
            answer = self._worker.submit(self._eye.see, frame.image)
        self._running = _Running(frame, onto, state == "counted", quick, answer)
        if followed is None:
            self._follower = Follower(frame.image)

    def _told(self, frame: Frame, state: State, followed: Followed | None, players: int) -> Json:
        looking = None if self._running is None else self._running.frame.number
        told: Json = {
            "state": state,
            "say": SAY[state],
            "size": [frame.image.shape[1], frame.image.shape[0]],
            "frames": [look.frame for look in self.looks],
            "looking": looking,
            "cards": [],
            "decks": [],
            "quick": False,
            "faces": None,
            "glow": [],
        }
        if followed is None or not self.looks:
            return told
        report = self._counted(players)
        drawn = Drawn(self.looks, followed)
        told["cards"] = [drawn.card(tag) for tag in report["cards"]]
        told["glow"] = drawn.glow(report)
        told["quick"] = any(look.quick for look in self.looks)
        told["decks"] = _decks(report, told["cards"], state == "counted" and not told["quick"])
        told["faces"] = report["total_by_faces"]
        told["say"] = SAY[state] or _advice(report)
        return told

    def _counted(self, players: int) -> Json:
        """The score of the frames that were looked at, as of photos of the same cards."""
        asked = [look.key for look in self.looks], players
        if self._report[0] != asked:
            layouts = [look.layout for look in self.looks]
            together = True if len(layouts) > 1 else None
            self._report = asked, self._count(layouts, left={}, seats={}, together=together, playing=players)
        return self._report[1]


@dataclass(frozen=True, slots=True)
class Drawn:
    """What was seen in the frames that were looked at, where the newest one has it."""

    looks: Sequence[Look]
    #: How that one lies on the last of these.
    followed: Followed

    def card(self, tag: Json) -> Json:
        """A card that counts, by its tag in a score."""
        place = max(tag["on"], key=lambda place: place["image"])
        visible = self._visible(place)
        moved = self.followed.share(self._onto_last(place["image"], visible)) > MOVED
        corners, at = (self._here(place["image"], np.array(place[name])) for name in ("corners", "at"))
        kept = {name: tag[name] for name in ("number", "shows", "name", "face")}
        return {**kept, "corners": corners, "at": at[0], "moved": moved}

    def glow(self, report: Json) -> list[list[list[float]]]:
        """Outlines of cards and areas that are in doubt."""
        asked = [(doubt["image"], doubt["corners"]) for doubt in report["doubts"]]
        asked += [(request["image"], request["area"]) for request in report["requests"]]
        return [self._here(image, np.array(outline)) for image, outline in asked if outline]

    def _visible(self, place: Json) -> Floats:
        cards = self.looks[place["image"]].layout.cards
        visible = cards[place["card"]].visible if place["card"] is not None else np.zeros((0, 2))
        return visible if len(visible) > 2 else np.array(place["corners"])

    def _onto_last(self, image: int, points: Floats) -> Floats:
        return apply(np.asarray(np.linalg.inv(self.looks[image].onto), dtype=np.float64), points)

    def _here(self, image: int, points: Floats) -> list[list[float]]:
        told: list[list[float]] = (
            apply(self.followed.onto, self._onto_last(image, points.reshape(-1, 2))).round(1).tolist()
        )
        return told


def _decks(report: Json, cards: Sequence[Json], may_be_sure: bool) -> list[Json]:
    """Each deck with its count, without what moved; sure only where the frames' own score is, and nothing moves."""
    moved = Counter(card["name"] for card in cards if card["moved"] and card["shows"] == "back")
    return [
        {
            "back": deck["back"],
            "count": deck["centre"] - moved[deck["back"]],
            "moved": moved[deck["back"]],
            "sure": may_be_sure and deck["state"] == "sure" and not moved.total(),
        }
        for deck in report["decks"]
    ]


def _advice(report: Json) -> str:
    """What settles what is open, in a sentence."""
    if not report["cards"]:
        return "No card can be seen: hold the camera above the table, with all cards in view."
    asked = [each["asks"] for each in [*report["requests"], *report["doubts"]]]
    return asked[0] if asked else ""
