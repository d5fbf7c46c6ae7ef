"""The pool of eyes: one asker an eye, in the order of asking, and nothing lost when something fails."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from pretend import RECORD, PretendEye, picture
from serving import finished

from referee.errors import BrokenInstallError
from referee.service import EyePool, Tools
from referee.web import create_app
from vision.backs.deckfile import EnrolledDeck
from vision.capture.frames import save_image

PATIENCE_S = 20.0


class JealousEye(PretendEye):
    """Notices whoever else looks with it at the same time."""

    #: In all of them: how many looked at once, at most.
    at_once, most_at_once = 0, 0
    lock = threading.Lock()

    def __init__(self, look_s: float = 0.002) -> None:
        super().__init__()
        self.look_s = look_s
        self.mine = threading.Lock()

    def see(self, image: np.ndarray, **known: Any) -> Any:
        assert self.mine.acquire(blocking=False), "two threads look with one eye"
        with self.lock:
            JealousEye.at_once += 1
            JealousEye.most_at_once = max(JealousEye.at_once, JealousEye.most_at_once)
        time.sleep(self.look_s)
        layout = super().see(image)
        with self.lock:
            JealousEye.at_once -= 1
        self.mine.release()
        return layout


@pytest.fixture(autouse=True)
def nobody_looks() -> Iterator[None]:
    JealousEye.at_once = JealousEye.most_at_once = 0
    yield
    assert JealousEye.at_once == 0


def deck(name: str, shade: int = 0) -> EnrolledDeck:
    return EnrolledDeck(name, np.full((1, 160, 112, 3), shade, np.uint8), np.zeros((1, 160, 112), np.uint8))


class Opened:
    """Opens eyes, and knows how many and of which decks."""

    def __init__(self, make: Callable[[], Any] = PretendEye) -> None:
        self.decks: list[list[str]] = []
        self.make = make

    def __call__(self, decks: Sequence[EnrolledDeck] = ()) -> Any:
        self.decks.append([each.name for each in decks])
        return self.make()


def wait_until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_no_two_threads_look_with_one_eye_and_no_more_eyes_than_told() -> None:
    opened = Opened(JealousEye)
    pool = EyePool(opened, 3)
    with ThreadPoolExecutor(12) as threads:
        looks = [threads.submit(pool.look().see, picture("red", "ace")) for _ in range(200)]
        assert all(len(look.result().cards) == 2 for look in looks)
    assert JealousEye.most_at_once == 3
    assert len(opened.decks) == 3


def test_an_eye_is_opened_when_needed_and_used_again() -> None:
    opened = Opened()
    pool = EyePool(opened, 4)
    assert opened.decks == []
    with pool.eye() as first:
        pass
    with pool.eye() as second, pool.eye() as third:
        pass
    assert second is first and third is not first
    assert len(opened.decks) == 2


def test_whoever_asked_first_is_served_first() -> None:
    pool = EyePool(Opened(), 1)
    served: list[int] = []

    def ask(number: int) -> None:
        with pool.eye([deck("lions")] if number % 2 else []):
            served.append(number)

    askers = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    with pool.eye():
        for number, asker in enumerate(askers):
            asker.start()
            wait_until(lambda number=number: repr(pool).endswith(f"{number + 1} waiting>"))  # type: ignore[misc]
    for asker in askers:
        asker.join(PATIENCE_S)
    assert served == list(range(8))
    assert repr(pool) == "<EyePool 0 of 1 lent, 0 waiting>"


def test_enrolled_decks_have_eyes_of_their_own() -> None:
    opened = Opened()
    pool = EyePool(opened, 3)
    with pool.eye() as plain, pool.eye([deck("lions")]) as lions, pool.eye([deck("lions", 9)]) as others:
        assert len({id(plain), id(lions), id(others)}) == 3
    with pool.eye([deck("lions", 9)]) as again:
        assert again is others
    assert opened.decks == [[], ["lions"], ["lions"]]


def test_an_idle_eye_of_other_decks_makes_room() -> None:
    opened = Opened()
    pool = EyePool(opened, 2)
    with pool.eye():
        pass
    with pool.eye([deck("lions")]) as lions:
        pass
    with pool.eye([deck("stars")]):  # in the room of the plain one, idle for longer
        pass
    with pool.eye([deck("lions")]) as again:
        assert again is lions
    with pool.eye():
        pass
    assert opened.decks == [[], ["lions"], ["stars"], []]


def test_of_a_known_table_it_is_passed_on_that_no_back_is_to_be_named() -> None:
    asked: list[dict[str, Any]] = []

    class Asked(PretendEye):
        def see(self, image: np.ndarray, **how: Any) -> Any:
            asked.append(how)
            return super().see(image)

    look = EyePool(Opened(Asked), 1).look()
    look.see(picture(), to_table="known", names_backs=False)  # type: ignore[arg-type]
    look.see(picture(), to_table="known")  # type: ignore[arg-type]
    assert asked == [{"to_table": "known", "names_backs": False}, {"to_table": "known"}]


def test_a_look_that_fails_gives_the_eye_back() -> None:
    class Failing(PretendEye):
        def see(self, image: np.ndarray) -> Any:
            raise ValueError("no look")

    opened = Opened(Failing)
    pool = EyePool(opened, 1)
    for _ in range(3):
        with pytest.raises(ValueError, match="no look"):
            pool.look().see(picture())
    assert repr(pool) == "<EyePool 0 of 1 lent, 0 waiting>"
    assert len(opened.decks) == 1


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (
            BrokenInstallError("the weights are missing: install again"),
            "^the weights are missing: install again$",
        ),
        (
            RuntimeError("bad\nprotobuf"),
            r"^the eye cannot be opened \(bad protobuf\): install nerts-referee again$",
        ),
        (AssertionError(), r"^the eye cannot be opened \(AssertionError\)"),
    ],
)
def test_an_eye_that_cannot_be_opened_is_told_and_the_next_may_try(raised: Exception, said: str) -> None:
    failures = [raised, raised]

    def open_eye() -> Any:
        if failures:
            raise failures.pop()
        return PretendEye()

    pool = EyePool(open_eye, 1)
    for _ in range(2):
        with pytest.raises(BrokenInstallError, match=said), pool.eye():
            pass
        assert repr(pool) == "<EyePool 0 of 1 lent, 0 waiting>"
    with pool.eye() as eye:
        assert eye.see(picture("red")).cards


def test_who_waits_is_served_when_another_cannot_open() -> None:
    failing, asked = threading.Event(), threading.Event()

    def open_eye(decks: Sequence[EnrolledDeck] = ()) -> Any:
        if decks:
            asked.set()
            assert failing.wait(PATIENCE_S)
            raise OSError("no memory")
        return PretendEye()

    pool = EyePool(open_eye, 1)
    with ThreadPoolExecutor(2) as threads:
        bad = threads.submit(pool.look([deck("lions")]).see, picture())
        assert asked.wait(PATIENCE_S)
        good = threads.submit(pool.look().see, picture("red"))
        wait_until(lambda: repr(pool).endswith("1 waiting>"))
        failing.set()
        assert len(good.result(PATIENCE_S).cards) == 1
        with pytest.raises(BrokenInstallError, match="no memory"):
            bad.result(PATIENCE_S)


def test_a_pool_of_no_eyes_is_refused() -> None:
    with pytest.raises(ValueError, match="a pool of 0 eyes"):
        EyePool(PretendEye, 0)


def test_the_usual_pool_lets_a_table_and_a_photo_be_looked_at_together() -> None:
    with ExitStack() as lent:
        pool = EyePool(Opened())
        eyes = [lent.enter_context(pool.eye()) for _ in range(2)]
    assert eyes[0] is not eyes[1]


def test_a_photo_on_the_page_and_a_recording_share_the_pool(hand_video: Path, tmp_path: Path) -> None:
    """With one eye in all, a photo is seen between two looks of a recording, never with the same eye at once."""
    seen = threading.Event()

    def long_replay(*_: Any, eye: Any, **__: Any) -> Iterator[dict[str, Any]]:
        deadline = time.monotonic() + PATIENCE_S
        while not seen.is_set():
            assert time.monotonic() < deadline, "the photo waits for the recording's end"
            eye.see(picture("blue"))
        yield from RECORD

    opened = Opened(JealousEye)
    tools = Tools(open_eye=opened, replay=long_replay, sample=hand_video)
    object.__setattr__(tools, "eyes", EyePool(opened, 1))
    save_image(tmp_path / "photo.png", picture("red", "red"))
    shown = [("photos", ("photo.png", (tmp_path / "photo.png").read_bytes()))]
    with TestClient(create_app(tools, tmp_path / "kept"), base_url="http://localhost") as page:
        page.post("/api/recordings/sample/referee")
        for _ in range(3):
            (photo,) = page.post("/api/photos", files=shown).json()["photos"]
            assert len(photo["layout"]["cards"]) == 2
        seen.set()
        assert finished(page, "sample")["state"] == "done"
    assert len(opened.decks) == 1
