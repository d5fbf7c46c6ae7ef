"""Of rivals for one place among spread backs, those that would hide a likelier one are given up.

What the finder sees of one card may vote for two, one of them turned about it. The one that has more votes comes to lie
on the other, whatever the sifter says of them (`vision/scene/sifting.py`), and a card that is hidden altogether counts
as a ghost (`vision/scene/ghosts.py`). So they are laid one by one, the likeliest first: what would not be seen among
those that lie there, or would leave nothing of one of them to be seen, is not laid.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.found import Found
from vision.scene.stacking import inside, pairs

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

#: A card is seen if this share of its cells at least lies where it is: twice as much loses cards of which little shows.
SEEN = 0.1
#: A card that was read in a row is kept if it is so sure.
SURE = 0.5


def beside_likelier(found: Found) -> NDArray[np.intp]:
    """Rows of the cards that hide none that `found.confidence` calls likelier, and are not hidden by these; what was
    surely read in rows is kept."""
    above, _ = pairs(found)
    in_row = found.given >= SURE
    laid = _Laid(found, above > above.T, in_row)
    for card in np.argsort(-np.where(in_row, 2 + found.given, found.confidence), kind="stable"):
        laid.lay(int(card), bool(in_row[card]))
    return np.flatnonzero(laid.kept)


class _Laid:
    """The cards that lie there already."""

    def __init__(self, found: Found, over: Flags, in_row: Flags) -> None:
        """`over` (n, n): does card i lie on card j? `in_row` (n,): which are kept in any case."""
        count = len(found)
        self.kept = np.zeros(count, dtype=bool)
        self._over, self._given = over, in_row
        self._card = found.cells_card
        #: (n, m): lies a cell within a card?
        self._within = inside(found, np.arange(count), found.cells_at)
        self._cells = np.bincount(self._card, minlength=count)
        #: (m,) cells that are hidden by what lies there.
        self._hidden = np.zeros(len(self._card), dtype=bool)

    def lay(self, card: int, surely: bool) -> None:
        """Lays a card, `surely` whatever it hides, if it is seen there and leaves the others to be seen."""
        own = self._card == card
        covered = own & self._within[self.kept & self._over[:, card]].any(axis=0)
        under = self.kept & self._over[card]
        hidden = self._hidden | covered | (self._within[card] & under[self._card])
        if not surely:
            seen, left = self._seen(self._hidden | covered), self._seen(hidden)
            lost = under & ~self._given & (seen >= SEEN) & (left < SEEN)
            if seen[card] < SEEN or lost.any():
                return
        self.kept[card] = True
        self._hidden = hidden

    def _seen(self, hidden: Flags) -> Floats:
        """(n,) share of each card's cells that is seen; 1 for cards without any."""
        seen = np.bincount(self._card, weights=~hidden, minlength=len(self._cells))
        return np.where(self._cells > 0, seen / np.maximum(self._cells, 1), 1.0)
