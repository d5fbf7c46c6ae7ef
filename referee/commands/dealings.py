"""`nerts-referee score --dealing`: the centre dealt out card by card under a camera, or in a film."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from rich.progress import Progress
from rich.prompt import Prompt

from referee import service
from referee.commands.console import complain, out, shown, user_errors
from referee.commands.sweeps import is_film
from referee.record.check import check_lines
from referee.service import BadInputError
from referee.textfiles import read_text
from vision.capture.frames import save_image

if TYPE_CHECKING:
    from referee.dealt.count import Count
    from referee.dealt.watched import Dealt
    from vision.backs.deckfile import EnrolledDeck
    from vision.capture.video import Frame
    from vision.eye import Sees

Json = dict[str, Any]
#: A camera is watched until nothing has landed for so long (s), once something has.
DONE_S = 6.0


def dealt_in(spec: str, eye: Sees, decks: Sequence[EnrolledDeck], *, quiet: bool) -> Dealt:
    """What is dealt in a film, or under a camera (number, name or address); raises BadInputError."""
    # late: dealings are seldom counted
    from referee.dealt.watched import watch_dealing
    from vision.capture.live.errors import SourceError
    from vision.capture.video import Video

    with user_errors(), _bar(quiet=quiet) as tell:
        if Path(spec).is_file() or is_film(Path(spec)):
            with Video(Path(spec)) as video:
                size = video.width, video.height
                progress = _shown(tell, video.duration_s)
                return watch_dealing(video, size, spec, eye, decks=decks, on_progress=progress)
        try:
            return _under_camera(spec, eye, decks, _shown(tell, 0.0))
        except SourceError as error:
            raise BadInputError(str(error)) from error


def _under_camera(spec: str, eye: Sees, decks: Sequence[EnrolledDeck], progress: Any) -> Dealt:
    from referee.dealt.watched import watch_dealing
    from vision.capture.live.sources import open_source

    source = open_source(spec)
    last = [monotonic(), 0]

    def told(at: float, cards: int) -> None:
        if cards != last[1]:
            last[:] = [monotonic(), cards]
        progress(at, cards)

    def goes_on(_: Frame) -> bool:
        return not last[1] or monotonic() - last[0] < DONE_S

    complain(
        f"{source.name}: deal the cards backs up, one by one; it ends {DONE_S:.0f} s after the last, or with Ctrl-C",
        0,
    )
    try:
        frames = takewhile(goes_on, _until_interrupted(source.frames()))
        return watch_dealing(
            frames, (source.width, source.height), source.name, eye, decks=decks, on_progress=told
        )
    finally:
        source.close()


def _until_interrupted(frames: Iterator[Frame]) -> Iterator[Frame]:
    try:
        yield from frames
    except KeyboardInterrupt:
        return


@contextmanager
def _bar(*, quiet: bool) -> Iterator[Progress | None]:
    if quiet or not out.is_terminal:
        yield None
        return
    with Progress(console=out, transient=True) as bar:
        yield bar


def _shown(bar: Progress | None, lasts_s: float) -> Any:
    if bar is None:
        return lambda at, cards: None
    task = bar.add_task("no card yet", total=lasts_s or None)
    return lambda at, cards: bar.update(task, completed=at, description=f"{cards} cards")


def recorded_in(path: Path) -> dict[str, int]:
    """Cards in the centre by seat and by deck, as a record has them at its end; raises BadInputError."""
    result = check_lines(read_text(path, "record").splitlines(keepends=True))
    if result.score is None or result.hand is None:
        raise BadInputError(f"{path}: {result.errors[0] if result.errors else 'no record'}")
    return {seat: int(told["centre"]) for seat, told in result.score.to_json()["hand"].items()}


def count_dealing(
    spec: str,
    decks: Sequence[EnrolledDeck],
    indices: str | None,
    seats: Mapping[str, str],
    left: Mapping[str, int],
    record: Path | None,
    draw: Path | None,
    asks: Path | None,
    *,
    quiet: bool,
) -> Count:
    """The count of what is dealt, with its picture written where that is asked for; raises BadInputError.

    `asks`: a folder for the pictures of what is asked then.
    """
    from referee.dealt.count import count_dealt
    from referee.dealt.sheet import sheet

    recorded = None if record is None else recorded_in(record)
    eye = service.tools.eyes.look(decks, indices)
    dealt = dealt_in(spec, eye, decks, quiet=quiet)
    count = count_dealt(
        dealt.landings,
        dealt.cards,
        dealt.ending,
        seats=seats,
        left=left,
        recorded=recorded,
        unseen=dealt.unseen,
    )
    if asks is not None:
        ask(count, asks)
    if draw is not None:
        with user_errors():
            save_image(draw, sheet(count))
    return count


def ask(count: Count, folder: Path) -> None:
    """Asks a person about single moments; leaves off when nobody answers any more."""
    from referee.dealt.questions import YES, answer, asked, is_open, still

    names = {deck.seat or label: label for label, deck in count.decks.items()}
    for number, doubt in enumerate(asked(count), 1):
        if not is_open(count, doubt):
            continue
        path = folder / f"question-{number}.png"
        with user_errors():
            folder.mkdir(parents=True, exist_ok=True)
            save_image(path, still(doubt))
        whose = [name for name, label in names.items() if label in doubt.shares]
        choices = ["no", *(whose if doubt.kind in YES else ["yes"]), "skip"]
        about = " If so, whose is the other card?" if doubt.kind in YES else ""
        try:
            said = Prompt.ask(f"{shown(doubt.asks)}{about} See {path}", console=out, choices=choices)
        except (EOFError, KeyboardInterrupt):
            out.print()
            return
        if said != "skip":
            answer(count, doubt, yes=said != "no", whose=names.get(said))


def tell_dealing(report: Json) -> None:
    """What is told of a dealing beside the decks."""
    told = report["dealing"]
    back = f", {told['taken_back']} taken back" if told["taken_back"] else ""
    out.print(
        f"{told['dealt']} cards dealt{back}; {told['seen']} of {told['open']} that lie open are seen in the end"
    )
    if told["as_recorded"] is not None:
        out.print("as in the record" if told["as_recorded"] else "[yellow]not as in the record[/yellow]")
    out.print("they agree" if report["agrees"] else "[yellow]they disagree[/yellow]")
    for doubt in report["doubts"]:
        out.print(f"doubt: {shown(doubt['asks'])}", style="yellow")
