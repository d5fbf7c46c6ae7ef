"""How likely every two backs of a picture are of one design, by all that is known of them together.

Strips along the edges and all that is seen of the backs, each by a network; how far the patches differ where both are
seen, and how alike their patterns are. What is compared directly says most of cards that are seen well, and the networks
of slivers. Logistic models, fitted by scripts/calibrate/backs.py to drawn photos of the tuning backs: one of all pairs,
and one of those that are both seen well, which are few, and by which a person would tell two designs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.backs.designs import Designs
from vision.backs.patterns import correlations
from vision.backs.similarity import Patches, distances, patches
from vision.backs.whole_backs import WholeBacks

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Pixels = NDArray[np.uint8]

#: Log odds of a network beyond this say no more; direct distances beyond that one.
MOST, FARTHEST = 12.0, 3.0
#: The same of backs that are seen well.
CLEAR, FAR = 8.0, 2.5
#: Distance of patches up to which they are as alike as those of one design.
ALIKE = 0.6
#: Weights of `Evidence.features`, and the constant.
WEIGHTS = np.array(
    [0.172, -0.373, 0.229, 0.279, -0.06, 0.534, -0.242, 0.068, -0.355, 0.001, 0.141, 0.363, -1.47, 2.882]
)
CONSTANT = 0.837
#: Backs of which such a share is seen are seen well; how many others a pair of these counts for. Weights of
#: `Evidence.well_seen`, and the constant, fitted by `scripts/calibrate/backs.py`.
SHOWN, COUNTS = 0.6, 10.0
WELL_SEEN_WEIGHTS = np.array([0.285, 3.447, -1.868, 0.338])
WELL_SEEN_CONSTANT = -0.565

#: Weights and constant of all pairs, and of those that are seen well.
Weights = tuple[Floats, float, Floats, float]
KEPT: Weights = (WEIGHTS, CONSTANT, WELL_SEEN_WEIGHTS, WELL_SEEN_CONSTANT)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of every two of n backs, (n, n) each."""

    #: Log odds by the networks; NaN where there are no strips to compare.
    strips: Floats
    whole: Floats
    #: Direct distance and correlation, and how far either can be trusted, 0..1.
    distance: Floats
    trust: Floats
    correlation: Floats
    shared: Floats
    #: (n,) which share of each is seen.
    shown: Floats

    @classmethod
    def of(
        cls, crops: Pixels, masks: Pixels, designs: Designs, backs: WholeBacks, found: Patches | None = None
    ) -> Evidence:
        """Of (n, H, W, 3) crops of backs and their (n, H, W) masks; `found`: their patches, if they are known."""
        found = patches(crops, masks) if found is None else found
        told = designs.odds(crops, masks), backs.odds(crops, masks)
        distance, trust = (np.asarray(part, dtype=np.float64) for part in distances(found))
        shown = (masks > 0).mean(axis=(1, 2))
        return cls(*told, distance, trust, *correlations(found), shown)

    def features(self) -> Floats:
        """(n, n, 14)."""
        strips, whole = (np.clip(told, -MOST, MOST) for told in (self.strips, self.whole))
        none = np.isnan(strips)
        strips = np.where(none, 0.0, strips)
        away = np.minimum(self.distance, FARTHEST)
        return np.stack(
            [
                *(strips, none, whole, whole * none),
                *(away * self.trust, self.trust, away),
                *(self.correlation * self.shared, self.correlation, self.shared),
                *(
                    strips * self.trust,
                    whole * self.trust,
                    np.minimum(away * self.trust, ALIKE),
                    none * self.trust,
                ),
            ],
            axis=-1,
        )

    def both_well_seen(self) -> Flags:
        """(n, n) which pairs are of two backs that are seen well."""
        well = self.shown >= SHOWN
        return np.asarray(well[:, None] & well[None])

    def well_seen(self, odds: Floats) -> Floats:
        """(n, n, 4) what tells of pairs that are seen well; `odds` (n, n): what all of `features` say."""
        return np.stack(
            [
                np.clip(odds, -CLEAR, CLEAR),
                np.maximum(self.correlation, 0.0),
                np.minimum(self.distance, FAR),
                np.clip(self.whole, -CLEAR, CLEAR),
            ],
            axis=-1,
        )

    def odds(self, weights: Weights = KEPT) -> Floats:
        """(n, n) log odds of one design."""
        every, constant, well, well_constant = weights
        odds = self.features() @ every + constant
        closer = self.well_seen(odds) @ well + well_constant
        return np.asarray(np.where(self.both_well_seen(), closer, odds))

    def counts(self) -> Floats:
        """(n, n) how much each pair counts when backs are grouped."""
        return np.asarray(np.where(self.both_well_seen(), COUNTS * self.trust, self.trust))
