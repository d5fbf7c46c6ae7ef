"""How likely every two backs of a picture are of one design, by all that is known of them together.

Strips along the edges and all that is seen of the backs, each by a network; how far the patches differ where both are
seen, and how alike their patterns are. What is compared directly says most of cards that are seen well, and the networks
of slivers. A logistic model, fitted by scripts/calibrate_backs.py to drawn photos of the tuning backs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.backs import Patches, distances, patches
from vision.designs import Designs
from vision.patterns import correlations
from vision.whole_backs import WholeBacks

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]

#: Log odds of a network beyond this say no more; direct distances beyond that one.
MOST, FARTHEST = 12.0, 3.0
#: Distance of patches up to which they are as alike as those of one design.
ALIKE = 0.6
#: Weights of `Evidence.features`, and the constant.
WEIGHTS = np.array(
    [0.172, -0.373, 0.229, 0.279, -0.06, 0.534, -0.242, 0.068, -0.355, 0.001, 0.141, 0.363, -1.47, 2.882]
)
CONSTANT = 0.837


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

    @classmethod
    def of(
        cls, crops: Pixels, masks: Pixels, designs: Designs, backs: WholeBacks, found: Patches | None = None
    ) -> Evidence:
        """Of (n, H, W, 3) crops of backs and their (n, H, W) masks; `found`: their patches, if they are known."""
        found = patches(crops, masks) if found is None else found
        told = designs.odds(crops, masks), backs.odds(crops, masks)
        distance, trust = (np.asarray(part, dtype=np.float64) for part in distances(found))
        return cls(*told, distance, trust, *correlations(found))

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

    def odds(self, weights: Floats = WEIGHTS, constant: float = CONSTANT) -> Floats:
        """(n, n) log odds of one design."""
        return np.asarray(self.features() @ weights + constant)
