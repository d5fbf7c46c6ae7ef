"""`nerts-referee watch`: referees a table live, and keeps the recording."""

from __future__ import annotations

import signal
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from referee import service
from referee.commands.console import IndicesOption, JsonOption, complain, number, pairs, repeated, settings_of
from referee.commands.live_terminal import Lines, Screen, keys_pressed
from referee.commands.replay import GameOption, SetOption, followed_on_video
from referee.commands.serve import (
    DEFAULT_PORT,
    AllowHostOption,
    HostOption,
    NewLinksOption,
    PortOption,
    TlsOption,
    allowed_hosts,
    default_recordings,
    listen,
    served_beside,
)
from referee.live.replay import eyes_of, followed
from referee.live.session import Keeper, Rules, Session
from referee.live.session.watching import Watching
from referee.rules.settings import Settings, SettingsError
from referee.service import BadInputError
from referee.service.kept_match import KeptMatch
from referee.service.table import TableTerms
from referee.service.tablefile import open_table, read_table
from vision.capture.frames import Image
from vision.capture.live.capture import Capture
from vision.capture.live.errors import SourceError
from vision.capture.live.film import FilmAsLive
from vision.capture.live.recorder import Recorder, RecorderError
from vision.capture.live.sources import Source, open_source

if TYPE_CHECKING:
    from referee.web.live import LiveTable


def watch(
    camera: Annotated[
        str | None,
        typer.Option(metavar="N|NAME|URL", help="A camera by number, name or address; else the first."),
    ] = None,
    as_live: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A film in place of a camera, at its real speed.")
    ] = None,
    table: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A file with names, decks and house rules.")
    ] = None,
    recordings: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where records and recordings are kept.")
    ] = None,
    game: GameOption = "nerts",
    set_: SetOption = None,
    deck: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=SEAT", help="What a seat's deck is called; else its colour."),
    ] = None,
    match: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The match that the hands are counted in.")
    ] = None,
    page: Annotated[
        bool | None,
        typer.Option(
            "--page/--no-page", help="Show the table on the web page, too; unless with --json it is."
        ),
    ] = None,
    host: HostOption = "127.0.0.1",
    port: PortOption = DEFAULT_PORT,
    allow_host: AllowHostOption = None,
    tls: TlsOption = False,
    new_links: NewLinksOption = False,
    speed: Annotated[str, typer.Option(hidden=True)] = "1",
    indices: IndicesOption = None,
    json: JsonOption = False,
) -> int:
    """Referee a table live: every play as it comes, rulings, calls, the score of hand after hand."""
    rules = rules_of(game, set_ or [], deck or [], table)
    service.tools.eyes.indices = indices or ""
    on_page = page or (page is None and not json)
    shown = Page(host, port, allowed_hosts(host, allow_host or ()), tls, new_links)
    if on_page:
        listen(host, port).close()  # before anything is kept
    source = _source(camera, as_live, speed)
    folder = recordings or default_recordings()
    # what tells one source from another when a session is gone on with; a camera's own name holds no password
    named = f"camera {source.name}" if as_live is None else f"film {as_live.resolve()}"
    with opened_table(
        source,
        named,
        folder,
        rules,
        match=match,
        page=shown if on_page else None,
        terms_file=table,
    ) as opened:
        return opened.watch(json=json)


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(watch)


@dataclass(frozen=True, slots=True)
class Page:
    """How the page is served: see `run_server`."""

    host: str
    port: int
    hosts: Collection[str]
    tls: bool = False
    new_links: bool = False


@dataclass(frozen=True, slots=True)
class OpenTable:
    """A table that can be watched. `address`: of a place on its page; None where it has no page."""

    session: Session
    watching: Watching
    capture: Capture
    address: Callable[[str], str] | None = None

    def watch(self, *, json: bool = False) -> int:
        """Watch until the film ends, the camera gives nothing more, or somebody stops it: the exit status."""
        with self.capture:
            return _watched(self.session, self.watching, self.capture, json=json)


@contextmanager
def opened_table(
    source: Source,
    named: str,
    folder: Path,
    rules: Rules,
    *,
    match: Path | None = None,
    resume: bool = True,
    page: Page | None = None,
    terms_file: Path | None = None,
) -> Iterator[OpenTable]:
    """A session at a table, kept in `folder` and shown on its page as long as this is open; closes the source.

    `named`: what the source is called in the session. `resume`: go on with a session of the same source, with a film
    where its recording ends. `terms_file`: where what is agreed on is kept for next time, else the user's own.
    BadInputError where it cannot be kept.
    """
    with ExitStack() as opened:
        opened.callback(source.close)
        keeper = Keeper.open(folder, named, resume=resume)
        opened.callback(keeper.close)
        try:
            if match is not None:
                keeper.count_in(match)
            recorder = Recorder(keeper.folder, "film")
        except OSError as error:
            raise BadInputError(f"{folder} cannot be written ({error.strerror}): choose another") from error
        except RecorderError as error:
            raise BadInputError(str(error)) from error
        eyes = eyes_of(service.tools.eyes.look(), None)
        kept = KeptMatch(match or keeper.match or keeper.folder / "match.json")
        session = Session(eyes, keeper, rules, match=kept, fps=source.fps or 30.0)
        first_s = max(recorder.last_s, keeper.age()) if keeper.hand or recorder.next_index else 0.0
        if isinstance(source, FilmAsLive):
            # it has a clock of its own, and did not go on meanwhile
            source.go_on_from(recorder.last_s + 0.001 if recorder.next_index else 0.0)
            first_s = 0.0
        capture = Capture(source, recorder, first_index=recorder.next_index, first_s=first_s)
        watching = Watching(session, capture)
        address = None
        if page is not None:
            shown = table_on_page(session, watching, capture, terms_file)
            address = opened.enter_context(
                served_beside(
                    page.host,
                    page.port,
                    folder,
                    shown,
                    hosts=page.hosts,
                    tls=page.tls,
                    new_links=page.new_links,
                )
            )
        yield OpenTable(session, watching, capture, address)


def table_on_page(
    session: Session, watching: Watching, capture: Capture, terms_file: Path | None = None
) -> LiveTable:
    """The table as the page shows it."""
    from referee.web.live import LiveTable

    def picture() -> tuple[int, Image] | None:
        frame = watching.latest
        return None if frame is None else (frame.index, frame.image)

    def amiss() -> list[str]:
        troubles = [notice.text for notice in capture.amiss if notice.kind != "gone"]  # the state tells that
        return [*filter(None, [session.keeper.trouble]), *troubles]

    def counts() -> dict[str, float]:
        return {name.replace("_", " "): count for name, count in asdict(capture.counts).items()}

    return LiveTable(
        session,
        session.keeper.session,
        picture,
        counts=counts,
        places=lambda: session.places,
        earlier=session.earlier,
        kept=session.keeper.folder.name,
        amiss=amiss,
        terms_file=terms_file,
        names=lambda: session.rules.names,
        agree=partial(agreed, session),
    )


def agreed(session: Session, terms: TableTerms) -> str:
    """Let this be played from the next deal on; says so, or why it cannot be followed."""
    try:
        followed(terms.game, terms.settings)
    except SettingsError as error:
        return f"This table goes on as it was: {error}."
    session.agree(Rules(terms.game, terms.settings, terms.decks, terms.names))
    return "This table is played so from the next deal on."


def _watched(session: Session, watching: Watching, capture: Capture, *, json: bool) -> int:
    screen = Lines(session) if json else Screen(session, capture)
    session.observe(screen.told)
    capture.observe(screen.noticed)
    with screen, told_to_stop(watching.stop), keys_pressed(screen.key):
        try:
            watching.run()
        finally:
            session.end("stopped" if watching.stopped else "")
    last = [notice.text for notice in capture.notices if notice.kind == "ended"]
    return complain(last[-1], 1) if last and not watching.stopped else 0


@contextmanager
def told_to_stop(stop: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C, or being told to end, calls `stop`, so that everything is written; once more ends it at once."""
    told = False

    def on_signal(given: int, _frame: FrameType | None) -> None:
        nonlocal told
        if told:
            raise KeyboardInterrupt
        told = True
        stop()

    kinds = (signal.SIGINT, signal.SIGTERM)
    before = {kind: signal.signal(kind, on_signal) for kind in kinds}
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)


def rules_of(game: str, set_: Sequence[str], deck: Sequence[str], table: Path | None) -> Rules:
    """What is played: the table's file, and what the options say otherwise."""
    told = read_table(table) if table is not None else _kept_for_next_time()
    same_game = game in ("nerts", told.game)
    settings = settings_of(told.game if same_game else game, set_)
    house = {**(told.settings if same_game else {}), **settings.changed}
    changed = followed_on_video(Settings.of(settings.preset.name, house)).changed
    given = {seat: back for back, seat in pairs(deck, "--deck", "blue=north").items()}
    return Rules(settings.preset.name, changed, {**told.decks, **given}, told.names)


def _kept_for_next_time() -> TableTerms:
    """The user's own table; one that cannot be read is told of, and the usual rules are taken."""
    kept = open_table()
    if kept.trouble:
        complain(kept.trouble)
    return kept.terms


def _source(camera: str | None, as_live: Path | None, speed: str) -> Source:
    if camera is not None and as_live is not None:
        raise BadInputError("--camera and --as-live both say what is looked at: give one of them")
    times = number(speed)
    if times is None or times <= 0:
        raise BadInputError(f"--speed {repeated(speed)}: give a number above 0, like --speed 0.5")
    try:
        return FilmAsLive(as_live, times) if as_live is not None else open_source(camera or "0")
    except SourceError as error:
        raise BadInputError(str(error)) from error
