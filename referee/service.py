"""What commands and page share: the eye, the umpire and the counter, loaded when first needed, and how they fail."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from referee.errors import BadInputError as BadInputError
from referee.errors import BrokenInstallError as BrokenInstallError
from referee.record.strictjson import JsonError, load_json
from referee.rules import events
from referee.textfiles import read_text

if TYPE_CHECKING:
    from vision.backs.deckfile import EnrolledDeck
    from vision.capture.frames import Image
    from vision.geometry.camera import Rectangles
    from vision.layout import Layout

Json = dict[str, Any]
#: Who called, or who and at which second.
Call = str | tuple[str, float]
#: Told (seconds done, seconds in all).
Progress = Callable[[float, float], None]

#: The recording that ships with the program.
SAMPLE = Path(__file__).resolve().parent / "sample" / "hand.mp4"


class Sees(Protocol):
    """An eye."""

    def see(self, image: Image) -> Layout:
        """What lies in a BGR picture."""


class Replays(Protocol):
    """An umpire for recordings.

    Gives the record's lines, rulings and score at the end. May raise `CutOffError` behind the last line.
    """

    def __call__(
        self,
        video: Path,
        game: str,
        settings: Mapping[str, Any],
        *,
        call: Call | None,
        seats: Mapping[str, str] | None,
        on_progress: Progress | None,
        table: Rectangles | None = None,
    ) -> Iterable[Json]:
        """Referee one recording. `seats`: the name of each seat's deck; `table`: a rectangle of known size on it."""


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
        left_piles: Mapping[str, Sequence[Layout]] | None = None,
        together: bool | None = None,
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


def open_with(decks: Sequence[EnrolledDeck]) -> Sees:
    """The eye in use, told of these decks where there are any."""
    return tools.open_eye(decks) if decks else tools.open_eye()


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
    video: Path,
    game: str,
    settings: Mapping[str, Any],
    *,
    call: Call | None,
    seats: Mapping[str, str] | None,
    on_progress: Progress | None,
    table: Rectangles | None = None,
) -> Iterable[Json]:
    """The umpire with the shipped eye."""
    from referee.live.replay import replay

    return replay(video, game, settings, call=call, seats=seats, table=table, on_progress=on_progress)


def count_photos(
    layouts: Sequence[Layout],
    *,
    left: Mapping[str, int],
    seats: Mapping[str, str],
    penalty: int = 2,
    players: Collection[str] = (),
    left_piles: Mapping[str, Sequence[Layout]] | None = None,
    together: bool | None = None,
) -> Json:
    """The scores of a hand from its photos."""
    from referee.photos.scoring import score_photos

    report: Json = score_photos(
        layouts,
        left=left,
        seats=seats,
        penalty=penalty,
        players=players,
        left_piles=left_piles,
        together=together,
    ).to_json()
    return report


@dataclass(frozen=True, slots=True)
class Told:
    """What players tell the referee about a recording: who called and when, and whose deck is which, how
    large the table is."""

    call: Call | None = None
    seats: Mapping[str, str] | None = None
    #: A rectangle of known size on the table.
    table: Rectangles | None = None

    @classmethod
    def beside(cls, video: Path) -> Told:
        """What stands in the file of facts beside a recording (hand.json beside hand.mp4); nothing if there is none."""
        path = video.with_suffix(".json")
        if not path.is_file():
            return cls()
        try:
            return cls.of(load_json(read_text(path, "facts")))
        except JsonError as error:
            raise BadInputError(f"{path} cannot be used (it {error}): mend it, or take it away") from None

    @classmethod
    def of(cls, facts: Any) -> Told:
        """What a file of facts says; JsonError for what it cannot say."""
        try:
            call, seats = facts.get("call"), facts.get("seats", [])
            decks = {events.read_text(seat["seat"]): events.read_text(seat["deck"]) for seat in seats}
            called = (
                None if call is None else (events.read_text(call["seat"]), events.read_number(call["at"]))
            )
        except (AttributeError, TypeError, KeyError, events.BadEventError):
            raise JsonError("holds no facts of a recording") from None
        return cls(called, decks or None)


@dataclass(frozen=True, slots=True)
class Tools:
    """What the commands and the page work with; tests put others in."""

    #: Takes the enrolled decks where there are any.
    open_eye: Callable[..., Sees] = open_eye
    enrol: Enrols = enrol_deck
    replay: Replays = referee_recording
    count: Counts = count_photos
    sample: Path = SAMPLE


#: The tools in use.
tools = Tools()
