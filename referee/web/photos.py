"""Photos on the page: what the eye sees in them, and the score."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections import Counter, OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from tempfile import NamedTemporaryFile
from threading import Lock
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, Field
from starlette.datastructures import UploadFile

from referee.photos.mending import Mend
from referee.service import Tools
from referee.service.counted import CountedMatches
from referee.web.answers import Answer
from referee.web.errors import KindError, OddError, SizeError
from referee.web.names import film_ending, shown_name
from vision.capture.apart.footage import ApartVideo
from vision.capture.apart.opening import open_photo
from vision.capture.apart.process import Apart
from vision.capture.frames import PictureError, UnreadableError, as_jpeg
from vision.faces.indices import speak
from vision.layout import Layout
from vision.photos.sweep import sharpest_frames
from vision.report import layout_to_json

Json = dict[str, Any]
#: Layouts remembered, so that typing a name does not mean looking again; a hand has as many photos at most.
MOST_PHOTOS = 64
#: Cards of which something can be said.
_MENDS = 1_000
#: Fields of a form beside its photos.
_OTHER_FIELDS = 8
#: The longer side of the pictures that browsers are shown, px at most.
_MAX_PREVIEW_PX = 2400
#: Where photos are opened: every page of this program shares it.
PHOTOS = Apart()


class SaidCard(BaseModel):
    """What somebody says of a card of a photo: what each of these is: `referee.photos.mending.Mend`."""

    photo: str
    card: int | None = None
    at: tuple[float, float] | None = None
    gone: Literal["", "card", "pile"] = ""
    deck: Annotated[str, Field(min_length=1, max_length=60)] | None = None
    face: str | None = None
    alike: Literal["", "one", "two"] = ""


class Question(BaseModel):
    """What the page asks to be scored: photos by their keys, seats and cards left by back.

    `piles`: photos of left-over piles, by back. `together`: do the photos show the same cards? `mends`: what is said of
    single cards. `match`: by whose rules a card left is paid for. `indices`: the letters of king, queen and jack.
    `players`: how many play, 0 where nobody says.
    """

    photos: list[str] = Field(min_length=1, max_length=MOST_PHOTOS)
    seats: dict[str, str] = {}
    left: dict[str, Annotated[int, Field(ge=0, le=52)]] = {}
    piles: dict[str, Annotated[list[str], Field(max_length=MOST_PHOTOS)]] = Field({}, max_length=MOST_PHOTOS)
    together: bool | None = None
    mends: list[SaidCard] = Field([], max_length=_MENDS)
    match: Annotated[str, Field(max_length=60)] = ""
    indices: Literal["", "KDB", "RDV", "KVB"] = ""
    players: Annotated[int, Field(ge=0, le=12)] = 0


@dataclass(frozen=True, slots=True)
class Seen:
    """A photo that was looked at; `preview` is a small JPEG of it as the eye saw it, where it was asked for."""

    key: str
    layout: Layout
    preview: bytes | None = None

    def to_json(self, name: str) -> Json:
        """For the page."""
        told: Json = {"key": self.key, "layout": layout_to_json(self.layout, name)}
        if self.preview is not None:
            told["preview"] = f"data:image/jpeg;base64,{b64encode(self.preview).decode()}"
        return told


class PhotoTable:
    """Looks at photos, one at a time, and remembers what it saw, not the pictures. `apart`: where they are opened."""

    def __init__(self, tools: Tools, apart: Apart | None = None) -> None:
        self._tools, self.apart = tools, apart or PHOTOS
        self._eye = tools.eyes.look()
        self._seen: OrderedDict[str, Layout] = OrderedDict()
        self._lock = Lock()
        #: Whose photo is in memory.
        self._turn = asyncio.Lock()

    def expect(self) -> None:
        """Photos are being sent: be ready to open them."""
        self.apart.warm()

    async def look_at(self, photo: UploadFile, name: str, preview_px: int = 0) -> list[Seen]:
        """What is seen in a photo that was sent, or in a film of the cards; those sent meanwhile wait on the disk.

        Raises UnreadableError.
        """
        async with self._turn:
            data = await photo.read()
            if film_ending(photo.filename or "") or (photo.content_type or "").startswith("video/"):
                return await run_in_threadpool(self.sweep, data, name, preview_px)
            return [await run_in_threadpool(self.look, data, name, preview_px)]

    def sweep(self, data: bytes, name: str, preview_px: int = 0) -> list[Seen]:
        """What is seen in the sharpest frames of a film, each as `look` has it. Raises VideoError."""
        with NamedTemporaryFile(suffix=".film") as file:
            file.write(data)
            file.flush()
            frames = sharpest_frames(partial(ApartVideo, file.name, name), name)
        seen = []
        for frame in frames:
            key = sha256(data + b"%d" % frame.index).hexdigest()
            with self._lock:
                layout = self._seen.get(key)
            layout = self._eye.see(frame.image) if layout is None else layout
            self.remember(key, layout)
            preview = as_jpeg(frame.image, preview_px) if preview_px else None
            seen.append(Seen(key, layout, preview))
        return seen

    def look(self, data: bytes, name: str, preview_px: int = 0) -> Seen:
        """What is seen in a photo, with a preview of so many px where that is more than 0. Raises PictureError."""
        key = sha256(data).hexdigest()
        with self._lock:
            layout = self._seen.get(key)
        preview = None
        if layout is None or preview_px:
            image = open_photo(self.apart, data, name)
            layout = self._eye.see(image) if layout is None else layout
            preview = as_jpeg(image, preview_px) if preview_px else None
        self.remember(key, layout)
        return Seen(key, layout, preview)

    def remember(self, key: str, layout: Layout) -> None:
        """What was seen in the photo of this key."""
        with self._lock:
            self._seen[key] = layout
            self._seen.move_to_end(key)
            while len(self._seen) > MOST_PHOTOS:
                self._seen.popitem(last=False)

    def forget(self, key: str) -> None:
        """Of the photo of this key nothing more will be asked."""
        with self._lock:
            self._seen.pop(key, None)

    def score(self, question: Question, penalty: int | None = None) -> Json:
        """The score of photos looked at before, each counted once; `photos` are their keys in the order of its numbers.

        `penalty`: points for a card left, where it is not the usual. Raises PictureError when one is not remembered.
        """
        keys = list(dict.fromkeys(question.photos))
        piles = _by_seat(question, set(keys))
        layouts = self._remembered([*keys, *(key for pile in piles.values() for key in pile)])
        if question.indices:
            layouts = {key: _spoken(layout, question.indices) for key, layout in layouts.items()}
        left: Counter[str] = Counter()
        for back, count in question.left.items():  # a player's deck may be told by two labels
            left[question.seats.get(back, back)] += count
        more: Json = {} if penalty is None else {"penalty": penalty}
        if piles:
            more["left_piles"] = {seat: [layouts[key] for key in pile] for seat, pile in piles.items()}
            left = Counter({seat: count for seat, count in left.items() if seat not in piles})
        if question.together is not None:
            more["together"] = question.together
        if question.players:
            more["playing"] = question.players
        if question.mends:
            more["mends"] = _mends(question.mends, list(layouts))
        told = self._tools.count([layouts[key] for key in keys], left=left, seats=question.seats, **more)
        return {**told, "photos": list(layouts)}

    def _remembered(self, keys: Sequence[str]) -> dict[str, Layout]:
        """What was seen in these photos, in their order; PictureError when one is not remembered."""
        with self._lock:
            if not all(key in self._seen for key in keys):
                raise PictureError("These photos are no longer remembered: start over and give them again.")
            return {key: self._seen[key] for key in keys}


def _spoken(layout: Layout, indices: str) -> Layout:
    """What was seen, its courts named by these letters."""
    layout = replace(layout, cards=[replace(card) for card in layout.cards])
    speak(layout.cards, indices)
    return layout


def _by_seat(question: Question, centre: Collection[str]) -> dict[str, list[str]]:
    """The keys of the photos of left-over piles by seat; OddError where one is a photo of something else, too."""
    piles: dict[str, list[str]] = {}
    known = set(centre)
    for back, keys in question.piles.items():
        for key in dict.fromkeys(keys):
            if key in known:
                raise OddError(
                    f"The photo of what {back} has left is one of something else, too: give another."
                )
            known.add(key)
            piles.setdefault(question.seats.get(back, back), []).append(key)
    return piles


def _mends(said: Sequence[SaidCard], photos: Sequence[str]) -> list[Mend]:
    """What is said of the cards of these photos; OddError where it is of another photo."""
    numbers = {key: number for number, key in enumerate(photos)}
    for one in said:
        if one.photo not in numbers:
            raise OddError("Something is said of a card in a photo that is not there: reload the page.")
    return [
        Mend(numbers[one.photo], one.card, one.at, one.gone, one.deck, one.face, one.alike) for one in said
    ]


def photo_routes(table: PhotoTable, matches: CountedMatches) -> APIRouter:
    """`/api/photos` looks, `/api/score` counts, by the rules of one of the `matches` where one is named."""
    routes = APIRouter(prefix="/api")

    @routes.post("/photos", dependencies=[Depends(must_be_form)])
    async def look(request: Request, preview: Annotated[int, Query(ge=0, le=_MAX_PREVIEW_PX)] = 0) -> Answer:
        table.expect()
        async with request.form(max_fields=_OTHER_FIELDS) as form:
            photos = [photo for photo in form.getlist("photos") if isinstance(photo, UploadFile)]
            if not photos:
                raise OddError("There is no photo in what was sent: choose one.")
            if len(photos) > MOST_PHOTOS:
                raise SizeError(f"These are more than {MOST_PHOTOS} photos: send fewer at a time.")
            return await _look_at_all(table, photos, preview)

    @routes.post("/score", dependencies=[Depends(_must_be_json)])
    def score(question: Question) -> Answer:
        penalty = matches.penalty(question.match) if question.match else None
        return Answer(table.score(question, penalty))

    return routes


async def _look_at_all(table: PhotoTable, photos: list[UploadFile], preview_px: int) -> Answer:
    """What is seen in each; a photo that cannot be used keeps none of the others away."""
    seen: list[Json] = []
    refused: list[Json] = []
    for number, photo in enumerate(photos, 1):
        name = shown_name(photo.filename, "the photo" if len(photos) == 1 else f"photo {number}")
        try:
            seen += [each.to_json(name) for each in await table.look_at(photo, name, preview_px)]
        except UnreadableError as error:
            refused.append({"name": name, "error": str(error)})
    if seen:
        return Answer({"photos": seen, "refused": refused})
    told = ". ".join(each["error"] for each in refused)
    return Answer({"error": told}, status_code=422)


def must_be_form(request: Request) -> None:
    """Raises KindError for what is not sent as a form."""
    if _kind(request) != "multipart/form-data":
        raise KindError("Photos are sent as a form (multipart/form-data), in its field photos.")


def _must_be_json(request: Request) -> None:
    if _kind(request) != "application/json":
        raise KindError("A question is sent as JSON (application/json).")


def _kind(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()
