"""How a picture is looked at: at the scale that suits its cards, and from above where it was taken at a slant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from vision.detect.finder import Look
from vision.detect.hands import Outline
from vision.detect.placing import Placed, put_in_place, seen_map
from vision.found import Found
from vision.geometry.above import LEAST_CARDS, WORTH, WORTH_OF_PHOTO, Above, from_above, part_from_above
from vision.geometry.plane import apply, scale_at
from vision.geometry.polygons import within
from vision.layout import CARD_WIDTH_MM, Layout
from vision.scene.mixed import LEAST, seen_among

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]

#: Card width at which the finder sees best, px.
BEST_CARD_PX = 92.0
#: The first look is at about this many px along the longer side.
GLANCE_PX = 704
#: Cards less wide (px) than this are looked at more closely before they tell how the picture is slanted: backs that
#: lie spread, and others.
SMALL_BACKS, SMALL = 44.0, 36.0
#: Most pixels that the finder is given in one go.
MOST_PIXELS = 3_200_000
#: A third look that explains less than this share of what the second did is at a wrong scale: on a chequered cloth.
EXPLAINS = 0.9
#: A glance is a good one if it explains this share of what it takes for cards; else a closer one is taken.
PURE = 0.2
#: What is seen at a slant looks less slanted than it is; so often, at most, the picture is drawn from further above.
RISES = 5
#: A picture of so many cards or fewer is a photo, not a table.
MOST_OF_PHOTO = 36
#: So many cards, those seen best, tell how a picture is slanted: of those whose cells are so sure to show one, and of
#: which the placer is so sure.
STEADY, SURELY, REALLY = 24, 0.75, 0.9
#: What so many cards lie on that are at most this share as wide, each seen in so many cells, is no card but a table.
ON_TABLE, AS_WIDE, CELLS = 3, 0.45, 20
#: A card is in the picture as it was taken if this share of what is seen of it is.
TAKEN = 0.5
#: Fewer backs than this are no spread: the finder of spreads was trained on photos of ten and more.
LEAST_SPREAD = 8
#: Hands are looked at again from further off, where they are seen more as a whole. On 516 pictures of `tune` with 284
#: hands (every kind that `scripts/measure/eyes` draws; chosen on these) recall 0.944 to 0.972, precision 0.947 to
#: 0.986. Both looks every way, on 14 sets of `tune` with 334 hands, chosen on these: 323 instead of 322 found, 2
#: instead of 11 seen where none is.
FURTHER = 0.7
#: What is drawn from above wrongly explains so little of what it takes for spread backs; then they are seen as they were
#: taken if so many times as much is explained there.
DOUBTED, PURER = 0.5, 1.15
#: Most pixels of a part that is looked at quickly.
QUICK_PIXELS = 1_000_000


class Finds(Protocol):
    """See `vision.detect.finder.Finder`."""

    def find(self, image: Pixels, scale: float = 1.0) -> Found:
        """Cards of a picture looked at when resized by `scale`."""

    def find_inside(self, image: Pixels, scale: float = 1.0) -> Found:
        """Those of them whose middle lies in the picture."""

    def look(self, image: Pixels, scale: float = 1.0) -> Look:
        """The same, with how much it explains, cards being put together when they are asked for."""


class Places(Protocol):
    """See `vision.detect.placing.Placer`."""

    def place(self, image: Pixels, corners: Floats, seen: NDArray[np.int32], step: float) -> Placed:
        """Corners put where the cards' are."""


@dataclass(frozen=True, slots=True)
class Looked:
    """What the finder finds in a picture: in px of `image`, the picture drawn from above where that helps."""

    image: Pixels
    found: Found
    #: By how much `image` was resized for that.
    scale: float = 1.0
    #: None: `image` is as it was taken. (Width, height) px of the picture as it was taken.
    above: Above | None = None
    taken: tuple[int, int] = (0, 0)
    #: Outlines of hands, px of `image`, each as a whole; None: those of `found`, which tell better what they hide.
    hands: list[Outline] | None = None
    #: Where it is a part of the picture in which backs lie spread: what the other finder sees of it.
    plain: Found | None = None

    def carried_back(self, layout: Layout) -> Layout:
        """A layout of `image` as one of the picture as it was taken."""
        return layout if self.above is None else self.above.carried_back(layout, *self.taken)

    def beside(self, taken_up: Callable[[Floats], NDArray[np.bool_]]) -> Looked:
        """Without cards that are seen, mostly, where something else lies; `taken_up`: (m, 2) px of the picture as it was
        taken to (m,) whether that is so."""
        if not len(self.found):
            return self
        at = self.found.cells_at
        if self.above is not None:
            at = apply(np.asarray(np.linalg.inv(self.above.matrix), dtype=np.float64), at)
        cells = np.bincount(self.found.cells_card, minlength=len(self.found))
        there = np.bincount(self.found.cells_card[taken_up(at)], minlength=len(self.found))
        return replace(self, found=self.found.only(np.flatnonzero(there <= cells / 2)))


class Looker:
    """Decides where and how closely the finder looks."""

    def __init__(
        self,
        finder: Finds,
        placer: Places,
        spreads: Finds | None = None,
        hands: Finds | None = None,
        quick: Finds | None = None,
    ) -> None:
        """Who looks at backs that lie spread, `spreads` or, briefly, `quick`, and at `hands`, once it is known that there
        are some."""
        self._quick = quick
        self._finder, self._placer, self._spreads = finder, placer, spreads
        self._of_hands = hands or finder

    def look(self, image: Pixels, *, hands_again: bool = True) -> Looked:
        """What the finder finds in a picture ((H, W, 3) BGR), drawn from above where that helps.

        `hands_again`: hands are looked at eight times more, which takes most of the time where there are some.
        """
        looked = self._look(image)
        if not hands_again:
            return looked
        return replace(looked, hands=self._hands(looked.image, looked.found, looked.scale))

    def _look(self, image: Pixels) -> Looked:
        """Without a second look at hands."""
        most = _most(image)
        glance, scale = self._glance(image, most)
        # cards that are small at a glance say little of how they lie
        far = len(glance) > 0 and glance.width() * scale < (SMALL_BACKS if glance.of_backs() else SMALL)
        closer = self._closer(image, glance, scale, most) if far else None
        seen = glance if closer is None else closer

        def near() -> Found:
            return self._closer(image, glance, scale, most) if closer is None else closer

        photo = len(seen) <= MOST_OF_PHOTO or seen.of_backs()
        above, steady, told = None, self._steady(image, seen), seen
        taken = (image.shape[1], image.shape[0])
        for _ in range(RISES):
            # what has to be drawn anew anyway may as well be drawn right
            worth = WORTH if above is None and not photo else WORTH_OF_PHOTO
            higher = from_above(image, steady, above, worth)
            if higher is None:
                break
            above = higher
            wanted = max(_first(above.image), min(SMALL_BACKS / above.card_px, _most(above.image)))
            seen = self._finder.find(above.image, wanted)
            told = _taken(seen, above, taken)
            steady = self._steady(above.image, told)
        if above is None:
            return self._as_taken(image, near(), most)
        wanted = min(BEST_CARD_PX / above.card_px, _most(above.image), 3.0)
        # of backs in a tight fan few surely lie where they seem to
        spread = self._spread(above.image, steady if len(steady) >= LEAST_SPREAD else told, wanted)
        if spread is not None and spread.pure < DOUBTED:
            flat = self._as_taken(image, near(), most)
            if flat.found.of_spread and flat.found.pure > PURER * spread.pure:
                return flat
        found = _taken(spread or self._finder.find(above.image, wanted), above, taken)
        return Looked(above.image, found, wanted, above, taken)

    def _as_taken(self, image: Pixels, seen: Found, most: float) -> Looked:
        """What is found in a picture that is not drawn from above, and was `seen` before in the scale that suits it."""
        wanted = min(BEST_CARD_PX / max(seen.width(), 4.0), most, 3.0)
        found = self._spread(image, seen, wanted) or seen
        return Looked(image, found, wanted)

    def look_plainly(self, looked: Looked) -> Looked:
        """The same picture again, where the backs that were seen in it prove not to lie spread."""
        if not looked.found.of_spread:
            return looked
        if looked.plain is not None:
            return replace(looked, found=looked.plain, plain=None)
        found = self._finder.find(looked.image, looked.scale)
        return replace(
            looked, found=found if looked.above is None else _taken(found, looked.above, looked.taken)
        )

    def parted(self, looked: Looked, corners: Floats) -> Looked | None:
        """The part of a picture where backs at `corners` (n, 4, 2) lie spread beside faces; None if none lie there."""
        if self._spreads is None:
            return None
        size = looked.image.shape[1], looked.image.shape[0]
        spread = self._spreads.find(looked.image, looked.scale)
        backs = spread.only(seen_among(spread, corners, *size))
        if len(backs) < LEAST or not backs.of_backs():
            return None
        backs.hands = looked.found.hands
        plain = looked.found.only(seen_among(looked.found, corners, *size))
        return replace(looked, found=backs, plain=plain)

    def look_once(self, image: Pixels) -> Looked:
        """The same where the picture has the finder's own scale and is seen from above already."""
        found = self._finder.find(image)
        return Looked(image, self._spread(image, found, 1.0) or found)

    def watch(self, image: Pixels, to_table: Floats) -> Found:
        """The same of a table that is known, because it is watched: (3, 3) px -> mm. Of a neighbouring place a window
        shows the rim of a card, of which nobody wants to know more: none whose middle lies beside it.
        """
        height, width = image.shape[:2]
        card_px = CARD_WIDTH_MM * float(scale_at(to_table, width / 2, height / 2))
        return self._finder.find_inside(image, min(BEST_CARD_PX / card_px, _most(image), 4.0))

    def part(self, image: Pixels, to_table: Floats, area: Floats, *, spread: bool) -> Looked | None:
        """What is found at one look in a part of a picture whose plane is known, (3, 3) px -> mm: around `area`, (n, 2)
        px; `spread`: where backs lie spread. None where nothing of it is in view.
        """
        above = part_from_above(image, to_table, area, BEST_CARD_PX, QUICK_PIXELS)
        if above is None:
            return None
        taken = (image.shape[1], image.shape[0])
        finder = self._quick if spread and self._quick is not None else self._finder
        scale = min(BEST_CARD_PX / above.card_px, 1.0)
        found = _taken(finder.find(above.image, scale), above, taken)
        return Looked(above.image, found, scale, above, taken, [])

    def _spread(self, image: Pixels, told: Found, scale: float) -> Found | None:
        """Spread backs of a picture that is `told` to show these; None where it does not."""
        if self._spreads is None or len(told) < LEAST_SPREAD or not told.of_backs():
            return None
        found = self._spreads.find(image, scale)
        # it was shown few hands
        found.hands = told.hands
        return found if found.of_backs() else None

    def _hands(self, image: Pixels, found: Found, scale: float) -> list[Outline]:
        """Hands seen again, also from further off; where none seems to be none is looked for."""
        if not found.hands:
            return []
        near, far = (self._of_hands.look(image, by * scale).skin for by in (1.0, FURTHER))
        return near.joined(far).outlines()

    def _closer(self, image: Pixels, found: Found, scale: float, most: float) -> Found:
        """After a glance at `scale`: looks at the scale that suits the cards that it showed."""
        for least in (0.0, EXPLAINS):
            wanted = min(BEST_CARD_PX / max(found.width(), 4.0), most, 3.0)
            if not len(found) or 0.75 < wanted / scale < 1.34:
                break
            closer = self._finder.find(image, wanted)
            if not len(closer) or closer.explained < least * found.explained:
                break
            found, scale = closer, wanted
        return found

    def _glance(self, image: Pixels, most: float) -> tuple[Found, float]:
        """The first look, small: at the scale, of two or three, at which the finder is surest of what it sees."""
        first = _first(image)
        looks = [self._finder.look(image, scale) for scale in (first, first / 2)]
        looks.sort(key=_worth, reverse=True)
        if not any(look.pure >= PURE and len(look.found) for look in looks) and first < 0.7:
            looks.append(self._finder.look(image, min(2 * first, most)))
        best = max(looks, key=_worth)
        for look in looks:
            if look.scale > best.scale and look.pure >= PURE and _is_table(best.found, look.found):
                best = look
        return best.found, best.scale

    def _steady(self, image: Pixels, glance: Found) -> Found:
        """The cards of a glance that are seen best, put in place: the finder alone thinks them seen from above.

        What is none, on a patterned table, would tell another slant.
        """
        height, width = image.shape[:2]
        sure = _enough(glance, glance.evidence[:, 0] >= SURELY)
        steady = sure.only(np.sort(np.argsort(-sure.support, kind="stable")[:STEADY]))
        if len(steady) < LEAST_CARDS:
            return steady
        put_in_place(steady, self._placer.place(image, steady.corners, *seen_map(steady, width, height)))
        return _enough(steady, steady.real >= REALLY)


def _enough(found: Found, wanted: NDArray[np.bool_]) -> Found:
    """The cards that are `wanted`, or all where these are too few to tell a plane."""
    return found.only(np.flatnonzero(wanted)) if np.count_nonzero(wanted) >= LEAST_CARDS else found


def _is_table(coarse: Found, fine: Found) -> bool:
    """Do several cards of a closer look lie on one that another look found?"""
    width = np.linalg.norm(fine.short, axis=1)
    for quad, half in zip(coarse.corners, np.linalg.norm(coarse.short, axis=1), strict=True):
        small = (width <= AS_WIDE * half) & (fine.support >= CELLS)
        if int((small & within(fine.middle, quad)).sum()) >= ON_TABLE:
            return True
    return False


def _taken(found: Found, above: Above, taken: tuple[int, int]) -> Found:
    """Without what is seen beyond the edges of the picture as it was `taken` (width, height), where the drawn one shows
    streaks."""
    if not len(found):
        return found
    at = apply(np.asarray(np.linalg.inv(above.matrix), dtype=np.float64), found.cells_at)
    inside = ((at >= 0) & (at < taken)).all(axis=1)
    cells = np.bincount(found.cells_card, minlength=len(found))
    kept = np.bincount(found.cells_card[inside], minlength=len(found)) >= np.maximum(TAKEN * cells, 1)
    return found.only(np.flatnonzero(kept))


def _first(image: Pixels) -> float:
    """The scale of a glance."""
    return float(min(1.0, GLANCE_PX / max(image.shape[:2])))


def _worth(look: Look) -> float:
    """How much a look at one scale explains without contradicting itself."""
    return float(look.explained * look.pure)


def _most(image: Pixels) -> float:
    """How much larger a picture may be made for the finder."""
    return float(np.sqrt(MOST_PIXELS / (image.shape[0] * image.shape[1])))
