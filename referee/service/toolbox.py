"""The tools that commands and page work with: a pool of eyes, the umpire and the counter, loaded when first needed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from referee.errors import BadInputError, BrokenInstallError
from referee.service.eyes import EyePool, Sees
from referee.service.told import Call, Told

if TYPE_CHECKING:
    from referee.photos.mending import Mend
    from vision.backs.deckfile import EnrolledDeck
    from vision.capture.frames import Image
    from vision.capture.video import Footage
    from vision.geometry.camera import Rectangles
    from vision.layout import Layout

Json = dict[str, Any]
#: Told (seconds done, seconds in all).
Progress = Callable[[float, float], None]

#: What each of these seats has in the match that a hand is counted in.
Totals = Callable[[Sequence[str]], Mapping[str, float]]

#: The recording that ships with the program.
SAMPLE = Path(__file__).resolve().parents[1] / "sample" / "hand.mp4"


class Replays(Protocol):
    """An umpire for recordings.

    Gives the record's lines, rulings and score at the end. May raise `CutOffError` behind the last line.
    """

    def __call__(
        self,
        video: Path | Footage,
        game: str,
        settings: Mapping[str, Any],
        *,
        call: Call | None,
        seats: Mapping[str, str] | None,
        on_progress: Progress | None,
        table: Rectangles | None = None,
        eye: Sees | None = None,
        totals: Totals = ...,
        on_notice: Callable[[str], None] = ...,
        fast: bool = ...,
    ) -> Iterable[Json]:
        """Referee one recording. `seats`: the name of each seat's deck; `table`: a rectangle of known size on it.

        `eye`: what looks at its frames, safe for use beside others. `fast`: in one pass, as live.
        """


class Counts(Protocol):
    """Scores a hand from the layouts of its photos: the JSON of `nerts-referee score`."""

    def __call__(
        self,
        layouts: Sequence[Layout],
        *,
        left: Mapping[str, int],
        seats: Mapping[str, str],
        penalty: int = 2,
        players: Collection[str] = (),
        playing: int = 0,
        left_piles: Mapping[str, Sequence[Layout]] | None = None,
        together: bool | None = None,
        mends: Sequence[Mend] = (),
    ) -> Json:
        """Score one hand; what each of these is: `referee.photos.scoring.score_photos`."""


class Enrols(Protocol):
    """Makes a deck of photos of its backs; raises `vision.backs.deckfile.DeckError`."""

    def __call__(self, name: str, photos: Sequence[Image]) -> EnrolledDeck:
        """Enrol one deck. The photos show no other deck's backs."""


def open_eye(decks: Sequence[EnrolledDeck] = ()) -> Sees:
    """The eye with the shipped weights."""
    from vision.eye import Eye

    try:
        return Eye(decks=decks)
    except FileNotFoundError as error:
        raise BrokenInstallError(str(error)) from error


def enrolled_decks(folder: Path | None) -> list[EnrolledDeck]:
    """The decks of `--decks FOLDER`, none without it; raises BadInputError."""
    if folder is None:
        return []
    from vision.backs.deckfile import DeckError, read_decks

    try:
        return read_decks(folder)
    except DeckError as error:
        raise BadInputError(str(error)) from error


def enrol_deck(name: str, photos: Sequence[Image]) -> EnrolledDeck:
    """A deck as the shipped eye sees it."""
    from vision.backs.enrolment import enrolled
    from vision.eye import Eye

    try:
        eye = Eye()
    except FileNotFoundError as error:
        raise BrokenInstallError(str(error)) from error
    return enrolled(
        name,
        [(image, eye.candidates(image).layout) for image in photos],
        [eye.see(image) for image in photos],
    )


def referee_recording(
    video: Path | Footage,
    game: str,
    settings: Mapping[str, Any],
    *,
    call: Call | None,
    seats: Mapping[str, str] | None,
    on_progress: Progress | None,
    table: Rectangles | None = None,
    eye: Sees | None = None,
    totals: Totals | None = None,
    on_notice: Callable[[str], None] | None = None,
    fast: bool = False,
) -> Iterable[Json]:
    """The umpire for recordings that ships."""
    from referee.live.replay import replay

    return replay(
        video,
        game,
        settings,
        call=call,
        seats=seats,
        table=table,
        on_progress=on_progress,
        eye=eye,
        totals=totals,
        on_notice=on_notice,
        fast=fast,
    )


def count_photos(
    layouts: Sequence[Layout],
    *,
    left: Mapping[str, int],
    seats: Mapping[str, str],
    penalty: int = 2,
    players: Collection[str] = (),
    playing: int = 0,
    left_piles: Mapping[str, Sequence[Layout]] | None = None,
    together: bool | None = None,
    mends: Sequence[Mend] = (),
) -> Json:
    """The scores of a hand from its photos."""
    from referee.photos.scoring import score_photos

    report: Json = score_photos(
        layouts,
        left=left,
        seats=seats,
        penalty=penalty,
        players=players,
        playing=playing,
        left_piles=left_piles,
        together=together,
        mends=mends,
    ).to_json()
    return report


@dataclass(frozen=True, slots=True)
class Tools:
    """What the commands and the page work with; tests put others in."""

    #: Takes the enrolled decks where there are any. Eyes to look with come from the pool.
    open_eye: Callable[..., Sees] = open_eye
    enrol: Enrols = enrol_deck
    #: Referees as it is told; recordings are refereed with `referee`, which gives it eyes of the pool.
    replay: Replays = referee_recording
    count: Counts = count_photos
    sample: Path = SAMPLE
    #: Opens its eyes with `open_eye`.
    eyes: EyePool = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "eyes", EyePool(self.open_eye))

    def referee(
        self,
        video: Path | Footage,
        game: str,
        settings: Mapping[str, Any],
        told: Told,
        *,
        on_progress: Progress | None = None,
        on_notice: Callable[[str], None] | None = None,
        fast: bool = False,
    ) -> Iterable[Json]:
        """The record of a recording, line by line, as `Replays` gives it; each look borrows an eye of the pool.

        `on_notice` is told early, in one line each, what makes the table hard to follow. `fast`: in one pass.
        The records of several hands follow one another, each from its header on.
        """
        more: dict[str, Any] = {} if told.totals is None else {"totals": told.totals}
        more |= {} if on_notice is None else {"on_notice": on_notice}
        more |= {"fast": True} if fast else {}
        return self.replay(
            video,
            game,
            settings,
            call=told.call,
            seats=told.seats,
            table=told.table,
            on_progress=on_progress,
            eye=self.eyes.look(),
            **more,
        )
