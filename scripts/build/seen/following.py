"""What people do who follow a count's requests: some cards spread anew, a pile laid apart, another photo taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from datasets.photos.endings import all_show_strips
from datasets.photos.finished import HandPhoto, SameTable
from datasets.photos.lays import TRIES, Lay
from datasets.photos.leftovers import Piles
from datasets.photos.phone import MakeSurface
from datasets.photos.photograph import photograph, still_of
from datasets.render import HAND, Art
from datasets.scene import PlacedCard
from datasets.stills import Still
from referee.photos.score import Request
from scripts.build.seen.lays import spread_area


@dataclass(frozen=True, slots=True)
class Follower:
    """Somebody at the table of a finished hand, who does what is asked once for each photo that it is asked about."""

    rng: np.random.Generator
    decks: list[Art]
    surface: MakeSurface
    #: See `FinishedHand`.
    table: int

    def follow(self, requests: Sequence[Request], photos: Sequence[HandPhoto]) -> list[HandPhoto]:
        """The photos taken then; `photos` by the numbers that the requests have of them."""
        first: dict[int, Request] = {}
        for request in requests:
            first.setdefault(request.image, request)
        taken = []
        for image, request in first.items():
            photo = photos[image]
            still = self._again(photo, request)
            if still is not None:
                taken.append(HandPhoto(photo.kind, photo.lay, photo.seat, still))
        return taken

    def _again(self, photo: HandPhoto, request: Request) -> Still | None:
        assert photo.still.scene is not None
        cards = list(photo.still.scene.cards)
        if photo.kind == "fan":
            return self._pile(cards, apart=request.kind == "spread")
        if photo.kind == "tops":
            return self._photo(cards)
        lay = Lay(self.rng, self.decks, self.surface, self.table, cards)
        if request.area is not None:
            return spread_area(lay, photo.still, np.array(request.area))
        return lay.photo()

    def _pile(self, cards: list[PlacedCard], *, apart: bool) -> Still | None:
        """A photo of a left-over pile with no hand over it, `apart`: laid so that each card shows a broad strip."""
        side = "faces" if cards[0].face_up else "backs"
        size = (cards[0].width, cards[0].height)
        for _ in range(TRIES):
            laid = (
                Piles(self.rng, size).pile([(card.deck, card.face) for card in cards], side)
                if apart
                else cards
            )
            still = self._photo(laid)
            assert still.scene is not None
            assert still.ids is not None
            if not (still.ids == HAND).any() and (not apart or all_show_strips(still.scene, still.ids)):
                return still
        return None

    def _photo(self, cards: Sequence[PlacedCard]) -> Still:
        table = SameTable(self.surface, self.table)
        return still_of(photograph(self.rng, cards, self.decks, table))
