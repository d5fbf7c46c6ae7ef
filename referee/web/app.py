"""The web application: what it serves, and who may ask."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from referee.live.replay import followed
from referee.rules.settings import Preset, SettingsError, game_names
from referee.service import Tools
from referee.service.counted import CountedMatches
from referee.web.auth import Auth, Role
from referee.web.counted import counted_routes
from referee.web.desk import Desk
from referee.web.dispute.clips import Clips
from referee.web.dispute.frames import Frames
from referee.web.dispute.routes import dispute_routes
from referee.web.dispute.views import view_routes
from referee.web.errors import tell_errors
from referee.web.film import interrupt_films
from referee.web.guard import LOOPBACK, Guard
from referee.web.invite import Invitation, link_routes
from referee.web.live import LiveTable
from referee.web.live.routes import Watched, live_routes
from referee.web.live.setup import setup_routes
from referee.web.photos import PhotoTable, photo_routes
from referee.web.recordings import routes as recording_routes
from referee.web.shelf.evenings import Evenings
from referee.web.sizes import MAX_VIDEO_MB, SizeLimit
from referee.web.tables import table_routes
from referee.web.viewfinder.routes import Viewfinder, viewfinder_routes
from vision.capture.frames import MAX_PICTURE_MB

_HERE = Path(__file__).resolve().parent


def create_app(
    tools: Tools,
    recordings: Path,
    hosts: Collection[str] = LOOPBACK,
    invitation: Invitation | None = None,
    table: LiveTable | None = None,
) -> FastAPI:
    """The application. `tools` see, referee and count; `recordings` is where recordings are kept.

    `hosts`: the names and addresses by which it may be called, beside the address that a connection comes to.
    `invitation`: the keys that are asked for, and the links that carry them; None where it listens on this machine
    alone, and whoever asks is the master. `table`: the one that is played at, where one is watched.
    """
    desk, evenings = Desk(tools, recordings), Evenings(recordings, table)
    photos, matches = PhotoTable(tools), CountedMatches(recordings / "matches")
    frames, clips, viewfinder = Frames(), Clips(), Viewfinder(tools, photos)
    watched = None if table is None else Watched(table)

    def leave() -> None:
        desk.close()
        interrupt_films()
        viewfinder.close()
        if watched is not None:
            watched.close()

    @asynccontextmanager
    async def open_and_close(app: FastAPI) -> AsyncIterator[None]:
        yield
        leave()
        frames.close()
        clips.close()

    app = FastAPI(
        title="nerts-referee", docs_url=None, redoc_url=None, openapi_url=None, lifespan=open_and_close
    )
    terms_file = None if table is None else table.terms_file
    app.include_router(photo_routes(photos, matches))
    app.include_router(viewfinder_routes(viewfinder))
    app.include_router(counted_routes(photos, matches, terms_file))
    app.include_router(recording_routes)
    app.include_router(dispute_routes)
    app.include_router(view_routes)
    app.include_router(link_routes(invitation))
    app.include_router(live_routes)
    app.include_router(table_routes(_games(), terms_file))
    app.include_router(setup_routes(tools))
    app.state.desk, app.state.watched, app.state.frames = desk, watched, frames
    app.state.evenings, app.state.clips = evenings, clips
    #: Ends what browsers listen to: before a server is stopped, which else waits for them.
    app.state.leave = leave
    app.mount("/static", StaticFiles(directory=_HERE / "static"), name="static")
    _show_pages(app, "live" if table is not None else "")
    app.add_middleware(SizeLimit)
    tell_errors(app)
    app.add_middleware(Auth, keys=None if invitation is None else invitation.keys)
    app.add_middleware(Guard, hosts=hosts)
    return app


def _show_pages(app: FastAPI, first: str) -> None:
    """The page as each role sees it, the board for a television, the button for a phone. `first`: the view shown."""
    templates = Environment(
        loader=FileSystemLoader(_HERE / "templates"), autoescape=True, undefined=StrictUndefined
    )
    told = {"games": _games(), "most_photo_mb": MAX_PICTURE_MB, "most_video_mb": MAX_VIDEO_MB}

    def add(path: str, template: str, view: str = "") -> None:
        shown = {
            role: templates.get_template(template).render(role=role.word, view=view, **told) for role in Role
        }

        @app.get(path, response_class=HTMLResponse)
        def show(request: Request) -> str:
            return shown[request.state.role]

    add("/", "page.html", first)
    add("/live", "page.html", "live")
    add("/board", "board.html")
    add("/buzz", "buzz.html")


def _games() -> list[Preset]:
    """The games of which recordings can be refereed: no other is offered."""
    games = []
    for name in game_names():
        try:
            games.append(followed(name).preset)
        except SettingsError:
            continue
    return games
