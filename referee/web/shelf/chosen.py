"""Which hand is asked for: dependencies of routes, from the state of the application."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from referee.web.desk import Desk, Recording
from referee.web.errors import NotHereError
from referee.web.names import shown_name
from referee.web.shelf.evenings import Evenings
from referee.web.shelf.kept import KeptHand
from referee.web.shelf.uploaded import UploadedHand


def _desk(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


def _evenings(request: Request) -> Evenings:
    evenings: Evenings = request.app.state.evenings
    return evenings


OnDesk = Annotated[Desk, Depends(_desk)]
OfEvenings = Annotated[Evenings, Depends(_evenings)]


def _recording(id: str, desk: OnDesk, evenings: OfEvenings) -> Recording:
    try:
        return desk[id]
    except KeyError:
        hand = evenings.hand(id)
    if hand is not None:
        raise NotHereError(f"{hand.name} was refereed while it was played: look closely at it instead.")
    raise _not_here(id)


def _hand(id: str, desk: OnDesk, evenings: OfEvenings) -> KeptHand:
    hand = evenings.hand(id)
    if hand is not None:
        return hand
    try:
        return UploadedHand(desk, desk[id])
    except KeyError:
        raise _not_here(id) from None


def _not_here(id: str) -> NotHereError:
    return NotHereError(f"There is no recording {shown_name(id, '')!r} here: choose one from the list.")


#: A recording that was sent, and any hand at all.
ChosenRecording = Annotated[Recording, Depends(_recording)]
Chosen = Annotated[KeptHand, Depends(_hand)]
