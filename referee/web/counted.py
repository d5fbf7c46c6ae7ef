"""Hands counted from photos, written into matches that the page keeps, with their tagged pictures as the evidence."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import Field, ValidationError
from starlette.datastructures import UploadFile

from referee.matches.match import MatchError
from referee.matches.scorebook import Where
from referee.rules.settings import SettingsError
from referee.service.counted import CountedMatches, PartlyKeptError
from referee.service.tablefile import open_table
from referee.web.answers import Answer
from referee.web.errors import OddError, is_full
from referee.web.photos import MOST_PHOTOS, PhotoTable, Question, must_be_form
from vision.capture.apart.opening import open_photo
from vision.capture.frames import encode_jpeg

Json = dict[str, Any]


class CountedHand(Question):
    """A hand that is to be kept: who called, and whether it takes the place of a hand or is one more."""

    match: str = Field(min_length=1, max_length=60)
    call: Annotated[str, Field(max_length=60)] = ""
    edit: Annotated[int, Field(ge=1, le=9999)] | None = None
    again: bool = False


def counted_routes(table: PhotoTable, matches: CountedMatches, terms_file: Path | None) -> APIRouter:
    """`/api/matches` tells the matches, `/api/counted` keeps a hand. `terms_file`: the rules that a new match takes."""
    routes = APIRouter(prefix="/api")

    @routes.get("/matches")
    def told() -> Answer:
        return Answer({"matches": matches.to_json()})

    @routes.post("/counted", dependencies=[Depends(must_be_form)])
    async def keep(request: Request) -> Answer:
        async with request.form(max_fields=8, max_files=MOST_PHOTOS) as form:
            try:
                hand = CountedHand.model_validate_json(str(form.get("hand", "")))
            except ValidationError:
                raise OddError("The hand cannot be read: reload the page.") from None
            sent = [await each.read() for each in form.getlist("pictures") if isinstance(each, UploadFile)]
        return await run_in_threadpool(_kept, hand, sent)

    def _kept(hand: CountedHand, sent: list[bytes]) -> Answer:
        pictures = [encode_jpeg(open_photo(table.apart, each, "a tagged picture")) for each in sent]
        report = table.score(hand, matches.penalty(hand.match))
        terms, where = open_table(terms_file).terms, Where(hand.edit, hand.again)
        try:
            book, written = matches.keep(
                hand.match, report, hand.call or None, report["photos"], terms, where
            )
        except PartlyKeptError as error:
            return Answer({"error": str(error), "hand": error.hand}, 409)
        except (MatchError, SettingsError) as error:
            return Answer({"error": str(error)}, 422)
        said = [written.told or f"Hand {written.hand} is kept in {hand.match}."]
        try:
            evidence = {**report, "mends": hand.model_dump()["mends"]}
            matches.keep_evidence(hand.match, written.hand, evidence, pictures)
        except OSError as error:
            why = "the disk is full" if is_full(error) else error.strerror
            said.append(f"Its pictures cannot be kept ({why}).")
        totals = ", ".join(f"{seat} {total:g}" for seat, total in book.match.totals.items())
        said.append(f"{totals}: {book.match.standing}.")
        return Answer({"hand": written.hand, "said": " ".join(said), "matches": matches.to_json()})

    return routes
