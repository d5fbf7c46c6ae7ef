"""A pool of eyes: opened when first needed, lent to one asker at a time, in the order in which they asked.

An eye is not safe for use by several threads, takes a second to open and much memory; so commands, page and live tables
take theirs from here and give them back.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from threading import Condition
from typing import TYPE_CHECKING, Protocol

from referee.errors import BrokenInstallError

if TYPE_CHECKING:
    from vision.backs.deckfile import EnrolledDeck
    from vision.capture.frames import Image
    from vision.layout import Floats, Layout

#: What tells the eyes of some enrolled decks from those of others: names and digests of their backs.
_Key = tuple[tuple[str, str], ...]
#: An eye computes on two cores; of more eyes than this, on a large machine, most would wait for memory.
_CORES_AN_EYE, _LEAST, _MOST = 2, 2, 4


class Sees(Protocol):
    """An eye."""

    def see(self, image: Image, *, to_table: Floats | None = None, to_follow: bool = False) -> Layout:
        """What lies in a BGR picture; `to_table`: (3, 3) px -> mm, where the table is watched; `to_follow`: it is going
        to be.
        """


def usual_number() -> int:
    """How many eyes are open at once, for want of another number: by the cores, two at least."""
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        cores = os.cpu_count() or 1
    return min(max(cores // _CORES_AN_EYE, _LEAST), _MOST)


class EyePool:
    """At most `most` eyes, lent and idle ones together; `open_eye` is given the enrolled decks where there are any.

    Whoever asks while all are lent waits, and is served before those who asked later.
    """

    def __init__(self, open_eye: Callable[..., Sees], most: int | None = None) -> None:
        self.most = usual_number() if most is None else most
        if self.most < 1:
            raise ValueError(f"a pool of {self.most} eyes lends none")
        self._open_eye = open_eye
        self._changed = Condition()
        self._waiting: deque[object] = deque()
        #: The one that was idle longest first.
        self._idle: list[tuple[_Key, Sees]] = []
        self._open = 0
        #: Letters of courts (of `vision.faces.indices.LANGUAGES`) for whoever says none; "": those of no other language.
        self.indices = ""

    def __repr__(self) -> str:
        return f"<EyePool {self._open - len(self._idle)} of {self.most} lent, {len(self._waiting)} waiting>"

    @contextmanager
    def eye(self, decks: Sequence[EnrolledDeck] = ()) -> Iterator[Sees]:
        """An eye that knows these decks, for nobody else meanwhile; BrokenInstallError if none can be opened."""
        key = _key(decks)
        eye = self._taken(key)
        if eye is None:
            eye = self._opened(decks)
        try:
            yield eye
        finally:
            with self._changed:
                self._idle.append((key, eye))
                self._changed.notify_all()

    def look(self, decks: Sequence[EnrolledDeck] = (), indices: str | None = None) -> Borrower:
        """What looks as an eye that knows these decks, and borrows one for each look: for whoever looks for long.

        `indices`: the letters of courts, "" for those of no other language; None: as the pool's.
        """
        return Borrower(self, tuple(decks), self.indices if indices is None else indices)

    def _taken(self, key: _Key) -> Sees | None:
        """An idle eye of these decks; None where one may be opened, for which room is kept."""
        me = object()
        with self._changed:
            self._waiting.append(me)
            try:
                self._changed.wait_for(lambda: self._waiting[0] is me and self._is_free())
                for number, (known, eye) in enumerate(self._idle):
                    if known == key:
                        del self._idle[number]
                        return eye
                if self._open == self.most:
                    del self._idle[0]
                else:
                    self._open += 1
                return None
            finally:
                self._waiting.remove(me)
                self._changed.notify_all()

    def _is_free(self) -> bool:
        return bool(self._idle) or self._open < self.most

    def _opened(self, decks: Sequence[EnrolledDeck]) -> Sees:
        """An eye just opened, in the room that was kept for it."""
        try:
            return self._open_eye(decks) if decks else self._open_eye()
        except BaseException as error:
            with self._changed:
                self._open -= 1
                self._changed.notify_all()
            if isinstance(error, BrokenInstallError) or not isinstance(error, Exception):
                raise
            why = " ".join(str(error).split()) or type(error).__name__
            raise BrokenInstallError(
                f"the eye cannot be opened ({why}): install nerts-referee again"
            ) from error


@dataclass(frozen=True, slots=True)
class Borrower:
    """Looks like an eye; safe for use by several threads."""

    pool: EyePool
    decks: tuple[EnrolledDeck, ...] = ()
    indices: str = ""

    def see(
        self,
        image: Image,
        *,
        to_table: Floats | None = None,
        to_follow: bool = False,
        names_backs: bool = True,
    ) -> Layout:
        """What lies in a BGR picture, as the next eye sees it that is free; raises BrokenInstallError."""
        with self.pool.eye(self.decks) as eye:
            if to_table is not None:
                more = {"letters": True} if self.indices else {}
                more |= {} if names_backs else {"names_backs": False}
                layout = eye.see(image, to_table=to_table, **more)
            else:
                layout = eye.see(image, to_follow=True) if to_follow else eye.see(image)
        if self.indices:
            from vision.faces.indices import speak

            speak(layout.cards, self.indices)
        return layout

    def see_part(self, image: Image, to_table: Floats, area: Floats, *, spread: bool) -> Layout:
        """What lies in a part of a picture, as the next eye sees it that is free; raises BrokenInstallError."""
        with self.pool.eye(self.decks) as eye:
            layout: Layout = eye.see_part(image, to_table, area, spread=spread)  # type: ignore[attr-defined]
        return layout


def _key(decks: Sequence[EnrolledDeck]) -> _Key:
    return tuple((deck.name, sha256(deck.backs.tobytes()).hexdigest()) for deck in decks)
