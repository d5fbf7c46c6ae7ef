"""The web application: what it serves, and how errors reach the page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from referee.commands.tools import BrokenInstallError, Tools
from referee.photo_decks import UnknownBackError
from referee.settings import SettingsError, game_names, load_preset
from referee.web.desk import Desk
from referee.web.photos import PhotoTable, photo_routes
from referee.web.recordings import NotHereError
from referee.web.recordings import routes as recording_routes
from vision.frames import UnreadableError

_HERE = Path(__file__).resolve().parent
#: Nothing from outside is loaded, run or framed.
_POLICY = (
    "default-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'self'"
)


def create_app(tools: Tools, recordings: Path) -> FastAPI:
    """The application. `tools` see, referee and count; `recordings` is where recordings are kept."""
    desk = Desk(tools, recordings)

    @asynccontextmanager
    async def open_and_close(app: FastAPI) -> AsyncIterator[None]:
        yield
        desk.close()

    app = FastAPI(
        title="nerts-referee", docs_url=None, redoc_url=None, openapi_url=None, lifespan=open_and_close
    )
    app.include_router(photo_routes(PhotoTable(tools)))
    app.include_router(recording_routes)
    app.state.desk = desk
    app.mount("/static", StaticFiles(directory=_HERE / "static"), name="static")
    page = _page()

    @app.get("/", response_class=HTMLResponse)
    def show_page() -> str:
        return page

    for kind in (UnreadableError, SettingsError, UnknownBackError):
        app.add_exception_handler(kind, _as_sentence(422))
    app.add_exception_handler(NotHereError, _as_sentence(404))
    app.add_exception_handler(BrokenInstallError, _as_sentence(500))
    app.add_exception_handler(
        RequestValidationError, _as_sentence(422, "The page asked for something odd: reload it.")
    )
    app.add_middleware(Guard)
    return app


def _page() -> str:
    """The one page; everything else it asks for."""
    templates = Environment(
        loader=FileSystemLoader(_HERE / "templates"), autoescape=True, undefined=StrictUndefined
    )
    games = [load_preset(name) for name in game_names()]
    return templates.get_template("page.html").render(games=games)


def _as_sentence(status: int, sentence: str = "") -> Callable[[Request, Exception], Awaitable[Response]]:
    async def answer(request: Request, error: Exception) -> Response:
        return JSONResponse({"error": sentence or str(error)}, status_code=status)

    return answer


class Guard:
    """Refuses changes asked for by other sites; tells browsers to load nothing from outside and to keep nothing."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request (ASGI)."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        origin = headers.get("origin", "")
        if scope["method"] != "GET" and origin and origin.partition("://")[2] != headers.get("host"):
            refusal = JSONResponse(
                {"error": "Only the referee's own page may ask for this."}, status_code=403
            )
            await refusal(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer = MutableHeaders(scope=message)
                answer["Content-Security-Policy"] = _POLICY
                answer["X-Content-Type-Options"] = "nosniff"
                answer.setdefault("Cache-Control", "no-cache")
            await send(message)

        await self._app(scope, receive, send_guarded)
