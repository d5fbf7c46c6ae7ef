"""The eye: a picture in, a `Layout` out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from vision.backs.deckfile import EnrolledDeck
from vision.backs.turned import found_twice, turn
from vision.detect.finder import Finder, SpreadFinder
from vision.detect.hands import seen_hands
from vision.detect.looking import Looked, Looker
from vision.detect.placing import Placer, cuts_of
from vision.faces import certainty, indices
from vision.faces.columns import read_columns
from vision.found import Found
from vision.geometry.above import upright
from vision.geometry.markers import find_markers, lie_on
from vision.geometry.plane import lay_plane, scale_at
from vision.layout import Layout, SeenCard
from vision.naming import Known, Namer
from vision.rows.beside_rows import InPlace, doubles, each_once, found_again, put, replaced, with_rivals
from vision.rows.finding import RowFinder
from vision.rows.reader import RowReader
from vision.scene.belief import BACK, Signs, backs_prevail, belief, kinds
from vision.scene.doubted import doubted
from vision.scene.glare import glare
from vision.scene.laying import laid, plane_of
from vision.scene.leftover import needed
from vision.scene.likeliest import beside_likelier
from vision.scene.mixed import piled_backs, taken_together
from vision.scene.sifting import Case, Sifter, together
from vision.scene.stacking import Stacking, stack_up
from vision.scene.tabletop import Tabletop
from vision.scene.twice import join
from vision.scene.verifying import Verifier

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]

#: What is seen of a card in strips thinner than this (widths) may be an error of its edges.
THIN = 0.06
#: A part of a table that is watched has about so many cards around it.
TABLE_CARDS = 20.0

#: Of no cards.
NO_MASKS = np.zeros((0, 0, 0), dtype=bool)


class Sees(Protocol):
    """Anything that turns a picture into a layout."""

    def see(self, image: Pixels, *, to_table: Floats | None = None, to_follow: bool = False) -> Layout:
        """See `Eye.see`."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What counts as a card."""

    confidence: float = 0.4
    #: The same where the sifter was asked (`vision/scene/sifting.py`): it is sure of far more than the finder's votes
    #: are, and what it doubts is read before it is settled.
    sifted: float = 0.1
    #: Less of a card than a strip of 6 mm is not told from the edge of the card above; what the sifter is so sure of may
    #: show less.
    fraction: float = 0.06
    surely: float = 0.98
    sliver: float = 0.03
    #: What is believed to be a card once it is read and its edges are known (`vision/scene/belief.py`).
    belief: float = 0.5


@dataclass(frozen=True, slots=True)
class _Look:
    """What one look at cards that are in place gave: rows of `Found` that it reports, their masks and readings."""

    layout: Layout
    stacking: Stacking
    keep: list[int]
    masks: NDArray[np.bool_]
    chances: Floats

    def signs(self, found: Found) -> Signs:
        """What else is known of these cards of `found`."""
        return Signs.of(found, self.stacking, self.keep, self.chances)

    def cuts(self, image: Pixels, found: Found, numbers: Sequence[int] | NDArray[np.intp]) -> Pixels:
        """(m, 128, 96, 5): the cuts of some of these cards, by place in the layout (`vision/detect/placing.py`)."""
        rows = [self.keep[number] for number in numbers]
        return cuts_of(image, found.corners, self.stacking.shown, self.stacking.step, rows)

    def of(self, rows: NDArray[np.intp]) -> dict[int, Known]:
        """The readings of some of these cards, by their place in `rows`."""
        at = {card: number for number, card in enumerate(self.keep)}
        found = ((new, at[int(old)]) for new, old in enumerate(rows) if int(old) in at)
        return {new: Known(self.masks[number], self.chances[number]) for new, number in found}


@dataclass(frozen=True, slots=True)
class Candidates:
    """What may be a card in a picture, with (n, 2) what a closer look tells and kinds as in `vision/scene/belief.py`."""

    layout: Layout
    signs: Signs
    looked: Floats
    kind: NDArray[np.intp]


class Eye:
    """Finder, reader and back matcher behind one call. Not safe for use by several threads at once."""

    def __init__(
        self,
        models: Path | None = None,
        bounds: Bounds | None = None,
        threads: int = 2,
        decks: Sequence[EnrolledDeck] = (),
    ) -> None:
        """`decks`: whose names backs get (`vision/backs/enrolled.py`); none: backs are named by their colours."""
        # first, for it goes on opening beside the others
        self._namer = Namer(models, threads, decks)
        finder = Finder(None if models is None else models / "finder.onnx", threads)
        self._placer = Placer(None if models is None else models / "placer.onnx", threads)
        spreads = SpreadFinder(None if models is None else models / "spreads.onnx", threads)
        every_way, once = finder.looking_every_way(), spreads.looking_once()
        self._looker = Looker(finder, self._placer, spreads, every_way, once)
        # backs on a table lie in piles and stairs that nobody counts, and the finder of spreads takes fifteen seconds
        self._follower = Looker(finder.giving_back(), self._placer)
        self._verifier = Verifier(None if models is None else models / "verifier.onnx", threads)
        self._sifter = Sifter(None if models is None else models / "sifter.onnx", threads)
        rows = RowReader(None if models is None else models / "rows.onnx", threads)
        self._rows = RowFinder(rows, self._placer, self._namer.read)
        self._bounds = bounds or Bounds()

    def see(
        self,
        image: Pixels,
        *,
        to_table: Floats | None = None,
        to_follow: bool = False,
        letters: bool = False,
        names_backs: bool = True,
    ) -> Layout:
        """Everything in `image` ((H, W, 3) BGR).

        `letters`: of a table that is watched, too, it is read what letters of other languages stand in the indices.
        `names_backs`: of a table that is watched it is told which backs are of one design.
        `to_follow`: it is a table that is going to be watched, where hands move on: they are looked at once.
        `to_table`: (3, 3) px -> mm where the table is known already, because it is watched: then neither the scale nor
        the plane has to be found out.
        """
        if to_table is not None:
            watched = Looked(image, self._follower.watch(image, to_table))
            return self._seen(watched, to_table, letters=letters, names_backs=names_backs)
        looked, markers = self._look(image, to_follow=to_follow), find_markers(image)
        if markers is not None:
            looked = looked.beside(partial(lie_on, markers))
        layout = looked.carried_back(self._seen(looked, None, parted=not to_follow))
        lay_plane(layout, markers, "cards" if markers is None else "markers")
        if looked.found.of_backs():
            layout.glare = glare(image, layout)
        return layout

    def see_part(self, image: Pixels, to_table: Floats, area: Floats, *, spread: bool) -> Layout:
        """The cards of a part of a picture of which the plane is known, (3, 3) px -> mm, seen quickly: around `area`,
        (n, 2) px. `spread`: whether backs lie spread there. Less sure than what `see` sees.
        """
        height, width = image.shape[:2]
        looked = self._looker.part(image, to_table, area, spread=spread)
        layout = Layout(width, height, 0.0)
        if looked is not None:
            layout = looked.carried_back(self._seen(self._cleared(looked), None))
        layout.to_table, layout.px_per_mm = to_table, float(scale_at(to_table, width / 2, height / 2))
        return layout

    def _look(self, image: Pixels, *, to_follow: bool = False) -> Looked:
        looker = self._follower if to_follow else self._looker
        return self._cleared(looker.look(image, hands_again=not to_follow))

    def _cleared(self, looked: Looked) -> Looked:
        return replace(looked, found=self._verifier.cleared(looked.image, looked.found))

    def _seen(
        self,
        looked: Looked,
        to_table: Floats | None,
        *,
        letters: bool = False,
        parted: bool = True,
        names_backs: bool = True,
    ) -> Layout:
        """Everything in a picture in which the finder found this; `parted`: backs that lie spread beside faces are looked
        at by themselves, and turned where they lie the wrong way.
        """
        image, found = looked.image, looked.found
        layout, masks, step = self._of_both_sides(looked, to_table, parted=parted and to_table is None)
        if to_table is None:
            self._namer.turn_over(image, layout.cards, masks, step)
        if to_table is None and parted:
            spread = piled_backs(layout.cards)
            turn(layout.cards, *self._namer.weigh_ways(image, layout, masks, step, spread))
        if names_backs:
            self._namer.name_backs(image, layout.cards, masks, step)
        if to_table is None:
            # a table that is watched is read many times anyway
            self._namer.read_again(image, layout.cards, masks, step)
        self._namer.read_jointly(image, layout.cards, masks, step)
        if to_table is None:
            # whoever watches a table weighs its plays by what was seen, and by nothing else
            read_columns(layout)
        certainty.settle(layout.cards)
        if to_table is None or letters:
            self._namer.read_indices(image, layout.cards, masks, step)
        if to_table is None:
            # a table that is watched is told its letters, or has those of the thirteen ranks
            indices.doubt(layout.cards)
        hands = found.hands if looked.hands is None else looked.hands
        layout.hands = seen_hands(hands, found.width(), strict=to_table is None)
        return layout

    def _of_both_sides(
        self, looked: Looked, to_table: Floats | None, *, parted: bool = True
    ) -> tuple[Layout, NDArray[np.bool_], float]:
        """As `_believed`; `parted`: see `_seen`."""
        layout, masks, step = self._believed(looked, to_table)
        piled = piled_backs(layout.cards)
        part = self._parted(looked, layout, piled) if parted else None
        if part is None:
            return layout, masks, step
        backs, back_masks, _ = self._believed(part, None)
        layout.cards = [card for card, back in zip(layout.cards, piled, strict=True) if not back]
        return *taken_together((layout, masks[~piled]), (backs, back_masks)), step

    def _parted(self, looked: Looked, layout: Layout, piled: NDArray[np.bool_]) -> Looked | None:
        """A closer look at the `piled` (n,) cards, backs that lie spread beside faces; None where there are none."""
        if looked.found.of_backs() or not piled.any():
            return None
        corners = np.stack([card.corners for card, back in zip(layout.cards, piled, strict=True) if back])
        return self._looker.parted(looked, corners)

    def _believed(self, looked: Looked, to_table: Floats | None) -> tuple[Layout, NDArray[np.bool_], float]:
        """What is believed to be cards, read once, the backs without names; their masks and px a place of these."""
        image, found = looked.image, looked.found
        height, width = image.shape[:2]
        watched = to_table is not None
        cells, cell_px = np.concatenate([found.cells_at, found.loose]), found.cell_px
        # photos of other things are full of what looks a little like a card
        spread = not watched and found.of_backs()
        found, stacking = self._placed(looked, to_table)
        look = self._layout(image, found, stacking, to_table)
        tabletop = None if watched else Tabletop(image, found.width())
        sure = self._sure(image, found, look, spread, tabletop)
        if spread and not backs_prevail(look.layout, sure):
            # whatever was taken for backs, they do not lie spread
            if found.of_spread:
                return self._believed(self._cleared(self._looker.look_plainly(looked)), to_table)
            spread = False
            sure = self._sure(image, found, look, spread, tabletop)
        if spread and tabletop is not None:
            self._doubt_tablelike(look, sure, tabletop)
            _doubt_found_again(look.layout, sure, found.given[look.keep])
        if (sure < self._bounds.belief).any():
            # what is no card hides nothing: the others, hidden ones too, are seen anew without it, which makes none of
            # them less likely
            before = np.zeros(len(found))
            if spread:
                corners = np.array([card.corners for card in look.layout.cards])
                saved = needed(cells, cell_px, corners, sure, self._bounds.belief)
                sure[saved] = self._bounds.belief
            before[look.keep] = sure
            refuted = np.array(look.keep, dtype=np.intp)[sure < self._bounds.belief]
            left = np.setdiff1d(np.arange(len(found)), refuted)
            found = found.only(left)
            look = self._layout(image, found, stack_up(found, width, height), to_table, look.of(left))
            sure = self._sure(image, found, look, spread, tabletop)
            sure = np.maximum(sure, before[left][look.keep])
            if spread and tabletop is not None:
                self._doubt_tablelike(look, sure, tabletop)
                _doubt_found_again(look.layout, sure, found.given[look.keep])
        layout = look.layout
        for card, chance in zip(layout.cards, sure, strict=True):
            card.confidence = float(chance)
        real = np.flatnonzero(sure >= self._bounds.belief)
        layout.cards = [layout.cards[number] for number in real]
        masks = look.masks[real]
        layout.doubted = doubted(found, layout.cards)
        if not spread:
            rowed = np.isfinite(found.given[look.keep])[real]
            kept = join(layout.cards, masks, stacking.step, partial(self._namer.read, image), rowed)
            layout.cards, masks = [layout.cards[number] for number in kept], masks[kept]
        return layout, masks, stacking.step

    def _sure(
        self, image: Pixels, found: Found, look: _Look, spread: bool, tabletop: Tabletop | None
    ) -> Floats:
        """How surely each card of a look is one; where there is a doubt, it is looked at more closely."""
        signs = look.signs(found)
        if tabletop is None:
            # what is no card of a table that is watched does not stay one in the pictures to come
            return belief(look.layout, signs, TABLE_CARDS)
        return belief(
            look.layout,
            signs,
            spread=spread,
            verifier=lambda rows: self._verifier.odds(look.cuts(image, found, rows)),
            tablelike=lambda rows: tabletop.likeness(look.masks, rows),
        )

    def _doubt_tablelike(self, look: _Look, sure: Floats, tabletop: Tabletop) -> None:
        """Takes away the belief in spread backs that look like the table; what is not believed counts as table."""
        cards = np.flatnonzero(sure >= self._bounds.belief)
        backs = np.array([look.layout.cards[card].side == "back" for card in cards], dtype=bool)
        sure[cards[tabletop.no_cards(look.masks[cards], sure[cards], backs)]] = 0.0

    def candidates(self, image: Pixels) -> Candidates:
        """What may be a card: what `vision/scene/belief.py` is fitted to."""
        looked = self._look(image)
        spread = looked.found.of_backs()
        found, stacking = self._placed(looked, None)
        look = self._layout(looked.image, found, stacking, None)
        kind = kinds(look.layout, spread)
        tabletop = Tabletop(looked.image, found.width())
        odds = self._verifier.odds(look.cuts(looked.image, found, range(len(look.keep))))
        like = np.zeros(len(odds))
        like[kind == BACK] = tabletop.likeness(look.masks, np.flatnonzero(kind == BACK))
        told = np.column_stack([odds, like])
        return Candidates(looked.carried_back(look.layout), look.signs(found), told, kind)

    def _placed(
        self, looked: Looked, to_table: Floats | None, *, sift: bool = True
    ) -> tuple[Found, Stacking]:
        """What the finder found, put in place; `sift`: without what the sifter gives up."""
        image = looked.image
        height, width = image.shape[:2]
        placed, stacking, gone = self._in_place(looked, to_table)
        found = placed.found
        if found.of_spread and sift:
            found, stacking = self._sifted(
                image, with_rivals(self._placer, image, looked.found, gone, placed)
            )
        found, stacking = self._settled(found, stacking, width, height)
        return laid(image, found, stacking, to_table)

    def _in_place(
        self, looked: Looked, to_table: Floats | None
    ) -> tuple[InPlace, Stacking, NDArray[np.intp]]:
        """The finder's cards and those of rows, each put in place, and which of the finder's a row replaced."""
        # a table that is watched has piles and columns; rows are what people lay out for a photo
        rowed = looked.found if to_table is not None else self._rows.with_rows(looked.image, looked.found)
        # told first, by where they lie: putting them in place moves them
        gone = replaced(looked.found, rowed)
        return *put(self._placer, looked.image, rowed), gone

    def _sifted(self, image: Pixels, placed: InPlace) -> tuple[Found, Stacking]:
        """What lies in place among spread backs, as sure as the sifter is of it, of rows as it and the row reader are."""
        height, width = image.shape[:2]
        found, chance = placed.found, self._sifter.chance(self._case(image, placed))
        found.given = together(found.given, chance)
        found.confidence, found.sifted = np.where(np.isnan(found.given), chance, found.given), True
        found.weighed, found.weights = found.corners, found.confidence
        found = each_once(found.only(np.flatnonzero(self._enough(found) & ~doubles(found))))
        return found, stack_up(found, width, height)

    def _case(self, image: Pixels, placed: InPlace) -> Case:
        height, width = image.shape[:2]
        return Case.of(placed, self._verifier.odds(placed.cuts), (width, height))

    def _layout(
        self,
        image: Pixels,
        found: Found,
        stacking: Stacking,
        to_table: Floats | None,
        known: Mapping[int, Known] | None = None,
    ) -> _Look:
        """The cards worth reporting, read, on their plane; `known`: by row of `found`, those that were read before."""
        height, width = image.shape[:2]
        keep = self._kept(found, stacking)
        layout = Layout(width, height, 0.0)
        layout.to_table = plane_of(found, stacking, keep, width, height) if to_table is None else to_table
        if layout.to_table is not None:
            layout.px_per_mm = float(scale_at(layout.to_table, width / 2, height / 2))
        layout.cards = cards_of(found, stacking, upright(found.corners), keep)
        masks = np.stack([mask_of(stacking, card) for card in keep]) if keep else NO_MASKS
        before = [None if known is None else known.get(card) for card in keep]
        shown = found.only(np.array(keep, dtype=np.intp))
        # a table that is watched is read many times anyway
        briefly = to_table is not None
        chances = self._namer.name(image, layout.cards, masks, stacking.step, shown, before, briefly=briefly)
        return _Look(layout, stacking, keep, masks, chances)

    def _settled(self, found: Found, stacking: Stacking, width: int, height: int) -> tuple[Found, Stacking]:
        """Without the cards that are not believed, so that they hide nothing, nor what would hide likelier ones."""
        believed = np.flatnonzero(self._enough(found))
        if found.sifted:
            believed = believed[beside_likelier(found.only(believed))]
        if len(believed) == len(found):
            return found, stacking
        kept = found.only(believed)
        return kept, stack_up(kept, width, height)

    def _kept(self, found: Found, stacking: Stacking) -> list[int]:
        """Rows of the cards worth reporting, in painting order."""
        bounds = self._bounds
        surely = found.sifted & (found.confidence >= bounds.surely)
        enough = self._enough(found) & (stacking.fraction >= np.where(surely, bounds.sliver, bounds.fraction))
        return [card for card in stacking.painting if enough[card]]

    def _enough(self, found: Found) -> NDArray[np.bool_]:
        """(n,) which cards are not given up yet."""
        least = self._bounds.sifted if found.sifted else self._bounds.confidence
        return np.asarray(found.confidence >= least)


def _doubt_found_again(layout: Layout, sure: Floats, given: Floats) -> None:
    """Takes away the belief in spread backs that are another one, found the other way round about its corner, or one of a
    row; `given` (n,): as in `Found`."""
    backs = np.array([row for row, card in enumerate(layout.cards) if card.side == "back"], dtype=np.intp)
    corners = np.array([layout.cards[row].corners for row in backs]).reshape(-1, 4, 2)
    sure[backs[found_again(corners, given[backs], sure[backs])]] = 0.0
    sure[backs[found_twice(corners, sure[backs], layout.to_table)]] = 0.0


def mask_of(stacking: Stacking, card: int) -> NDArray[np.bool_]:
    """Where a card is seen, by its row, on the grid of `stacking`."""
    return np.asarray(stacking.shown == card)


def cards_of(found: Found, stacking: Stacking, corners: Floats, keep: list[int]) -> list[SeenCard]:
    """The cards of these rows as they are reported, at `corners` (n, 4, 2), not read yet."""
    return [
        SeenCard(
            corners=corners[card],
            side="back" if found.back[card] > 0.5 else "face",
            visible=stacking.outline(card, THIN * 2 * float(np.linalg.norm(found.short[card]))),
            visible_fraction=float(stacking.fraction[card]),
            confidence=float(found.confidence[card]),
            pile=int(stacking.pile[card]),
            order=int(stacking.order[card]),
        )
        for card in keep
    ]
