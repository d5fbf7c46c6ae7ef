"""The eye with its lid off: what its networks are given on the way, to train them and to fit what it believes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.detect.placing import cuts_of
from vision.eye import NO_MASKS, Eye, cards_of, mask_of
from vision.faces.reader import rectify
from vision.found import Found
from vision.geometry.above import upright
from vision.layout import Layout, SeenCard
from vision.rows.beside_rows import with_rivals
from vision.scene.mixed import piled_backs
from vision.scene.sifting import Case
from vision.scene.stacking import stack_up

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]


class OpenEye(Eye):
    """See the module."""

    def candidate_cuts(self, window: Pixels) -> tuple[Found, Floats, Pixels]:
        """What may be a card by itself, not as part of a row, in a picture that has the finder's own scale.

        The cards, (n,) which share of each is seen, and (n, 128, 96, 5) their cuts (`vision/detect/placing.py`): what
        `vision/scene/verifying.py` is trained on.
        """
        found, stacking = self._placed(self._looker.look_once(window), None, sift=False)
        keep = [card for card in self._kept(found, stacking) if np.isnan(found.given[card])]
        cuts = cuts_of(window, found.corners, stacking.shown, stacking.step, keep)
        rows = np.array(keep, dtype=np.intp)
        return found.only(rows), stacking.fraction[rows], cuts

    def cuts(self, image: Pixels) -> tuple[list[SeenCard], Pixels]:
        """What may be a card by itself, not as part of a row, and the verifier's (n, 128, 96, 5) cuts of it."""
        # with what the verifier itself leaves out, and the sifter, which asks it first: it is trained on these
        looked = self._looker.look(image)
        found, stacking = self._placed(looked, None, sift=False)
        height, width = looked.image.shape[:2]
        keep = [card for card in self._kept(found, stacking) if np.isnan(found.given[card])]
        layout = Layout(width, height, 0.0, cards_of(found, stacking, found.corners, keep))
        cuts = cuts_of(looked.image, found.corners, stacking.shown, stacking.step, keep)
        return looked.carried_back(layout).cards, cuts

    def case(self, image: Pixels) -> tuple[list[SeenCard], Case] | None:
        """What may be spread backs, and what the sifter is told, as it is trained; None where no backs lie spread."""
        looked = self._look(image)
        if not looked.found.of_spread:
            layout, _, _ = self._believed(looked, None)
            part = self._parted(looked, layout, piled_backs(layout.cards))
            if part is None:
                return None
            looked = part
        placed, _, gone = self._in_place(looked, None)
        placed = with_rivals(self._placer, looked.image, looked.found, gone, placed)
        found, (height, width) = placed.found, looked.image.shape[:2]
        stacking = stack_up(found, width, height)
        layout = Layout(width, height, 0.0, cards_of(found, stacking, found.corners, list(range(len(found)))))
        return looked.carried_back(layout).cards, self._case(looked.image, placed)

    def other_ways(self, image: Pixels) -> tuple[NDArray[np.intp], Floats, Floats, Floats]:
        """How else spread backs may lie: (m,) numbers of the backs, (m, 4, 2) px where they were found, and where they
        would lie, and (m, 3) what tells of it; what `vision/backs/turned.py` is fitted to."""
        looked = self._look(image)
        layout, masks, step = self._of_both_sides(looked, None)
        spread = piled_backs(layout.cards)
        rows, ways, told = self._namer.weigh_ways(looked.image, layout, masks, step, spread)
        found = [layout.cards[row] for row in rows]
        turned = [replace(card, corners=way) for card, way in zip(found, ways, strict=True)]
        both = looked.carried_back(replace(layout, cards=[replace(card) for card in found] + turned))
        corners = np.array([card.corners for card in both.cards]).reshape(2, -1, 4, 2)
        return rows, corners[0], corners[1], told

    def crops(self, image: Pixels) -> tuple[list[SeenCard], Pixels, Pixels]:
        """What the reader is given: cards, (n, 160, 112, 3) crops and (n, 160, 112) masks; what it is trained on."""
        looked = self._look(image)
        found, stacking = self._placed(looked, None)
        height, width = looked.image.shape[:2]
        keep = self._kept(found, stacking)
        if not keep:
            return [], *rectify(image, np.zeros((0, 4, 2)), NO_MASKS)
        layout = Layout(width, height, 0.0, cards_of(found, stacking, upright(found.corners), keep))
        masks = np.stack([mask_of(stacking, card) for card in keep])
        corners = np.stack([card.corners for card in layout.cards])
        cut = rectify(looked.image, corners, masks, stacking.step)
        return looked.carried_back(layout).cards, *cut

    def back_crops(self, image: Pixels) -> tuple[list[SeenCard], Pixels, Pixels]:
        """The backs as they are compared: cards, (n, 160, 112, 3) crops and (n, 160, 112) masks."""
        looked = self._look(image)
        layout, masks, step = self._believed(looked, None)
        rows = [row for row, card in enumerate(layout.cards) if card.side == "back"]
        layout.cards = [layout.cards[row] for row in rows]
        corners = np.array([card.corners for card in layout.cards]).reshape(-1, 4, 2)
        cut = rectify(looked.image, corners, masks[rows], step)
        return looked.carried_back(layout).cards, *cut
