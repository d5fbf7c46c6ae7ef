"""Is it a card after all? What was found, once its edges are drawn, its face is read and the others' size is known.

Paper, books and the rims of boxes look like cards to the finder, and beside real cards it sees slivers of more of them.
They show no face, have other sizes and no edges. Fitted by scripts/calibrate/eye.py on tables and spreads drawn with
the tuning decks and on half of the labelled photos.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.found import Found
from vision.geometry.plane import apply
from vision.layout import Layout, SeenCard
from vision.scene.ghosts import own_cells
from vision.scene.stacking import Stacking

Floats = NDArray[np.float64]

#: Weights of `features` of cards that show their face, of those that show their back, and of backs in pictures of spread
#: backs; and the constants: what is to be read tells a face; edges, size and company tell a back; in a heap it is
#: what the sifter says (`vision/scene/sifting.py`, the first of the features) and size. Fitted by
#: `scripts/calibrate/eye.py`.
WEIGHTS = np.array(
    [
        [0.24, 0.319, 1.715, 0.39, -21.628, 5.476, 0.919, -0.415, 0.468, 0.0, 0.0],
        [0.835, 0.0, 0.0, 0.536, -13.138, 3.107, 1.647, 0.439, 0.197, 0.0, 0.0],
        [0.437, 0.0, 0.0, 0.457, -18.99, 1.338, 0.544, 0.238, 0.188, 0.258, 0.559],
    ]
)
CONSTANTS = np.array([-7.923, -9.129, -1.755])
FACE, BACK, SPREAD_BACK = range(3)
#: The verifier is asked about cards that these leave in doubt: more than the first, less than the second; a row each as
#: in `WEIGHTS`.
DOUBTED = np.array([[0.05, 0.99], [0.02, 0.997], [0.02, 0.985]])
#: What the figures of `closer_look` count then, and constants. In photos of single things the verifier errs more often.
#: Backs that lie on tables by themselves were fitted anew on 588 drawn pictures of `tune` (of 2,638 candidates 59 false
#: ones had been believed and 57 true ones not; pictures left out in turn, 36 and 51 are) and the photos.
ASKED = np.array(
    [
        [0.337, 0.582, 0.037, 0.325, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.179, 0.299, 0.192, 0.749, -1.367, -0.893, 0.121, -9.032, -5.544],
        [0.635, 0.25, 0.098, 0.104, 0.0, 0.0, 0.0, 0.0, 0.0],
    ]
)
ASKED_CONSTANTS = np.array([-0.541, -4.493, -0.222])
#: How much more backs on tables count than by this fit, which photos of single things without backs are part of: a stock
#: that is missed costs a whole seat. In full from `COMPANY` + 1 on, not at all up to `COMPANY`.
ON_TABLES = 0.3
#: Where the size, and the logarithms of how many others there are in the picture and in the pile, are among `features`;
#: how many others there are (logarithm) at a middling table.
SIZE, OTHERS, IN_PILE, COMPANY = 4, 6, 7, 2.0


#: Backs on tables of which the log odds are these without it are compared with the bare table: no others are believed or
#: not by what that tells, and it takes its time.
COMPARED = (0.0, 3.5)

#: From this on a card surely is one: as many of these must be backs as faces where backs are taken to lie spread.
CERTAIN = 0.9

#: A face that is read so surely, and that none of its neighbours (middles less than so many widths apart) shows, is a
#: card, and believed in this much at least: in tight fans edges, place and size are told wrongly. Of 388 faces of real
#: photos that may be looked at five were doubted and read so, and all were cards; of 176 drawn pictures of `tune` none.
READ_SURELY, NEIGHBOURS, BELIEVED = 0.95, 1.0, 0.6

#: Says something of each of some of the cards, by their numbers: (m,).
Tells = Callable[[NDArray[np.intp]], Floats]


@dataclass(frozen=True, slots=True)
class Signs:
    """What else is known of the cards of a layout: (n,) as in `Found`, and the (n, 52) chances that were read.

    `voted`: share of a card's area on which cells voted for it; `own`: share of these that lie where it is seen;
    `doubt`: by which share of a card's width the finder expects its cells' votes to be off.
    """

    edged: Floats
    real: Floats
    given: Floats
    back: Floats
    chances: Floats
    voted: Floats
    own: Floats
    doubt: Floats

    @classmethod
    def of(
        cls, found: Found, stacking: Stacking, rows: Sequence[int] | NDArray[np.intp], chances: Floats
    ) -> Signs:
        """Of some of the cards, with what was read on these."""
        kept = np.asarray(rows, dtype=np.intp)
        area = 4 * np.linalg.norm(found.long[kept], axis=1) * np.linalg.norm(found.short[kept], axis=1)
        voted = found.support[kept] * found.cell_px**2 / np.maximum(area, 1.0)
        own = own_cells(found, stacking)[kept]
        of_found = (found.edged[kept], found.real[kept], found.given[kept], found.back[kept])
        return cls(*of_found, chances, voted, own, found.evidence[kept, 2])


def features(layout: Layout, signs: Signs, others: float = 0.0) -> Floats:
    """(n, 11): log odds of the finder, of spread backs the sifter's, and of a face being readable (0 for backs), chance
    of the best face, log visible share, how far the size is from the others', share of the edges that are met, logarithms
    of how many others there are in the picture and in the pile (slivers and backs seldom come alone), log odds of the
    placer, and logarithms of the share of the card that voted for it and of how much of that lies where it is seen.

    `others`: how many lie around the picture, which shows a part of a table.
    """
    rows = []
    size = _sizes(layout)
    company = others + float(sum(card.confidence for card in layout.cards))
    piles: dict[int, float] = {}
    for card in layout.cards:
        piles[card.pile] = piles.get(card.pile, 1.0) + card.confidence
    told = zip(layout.cards, size, signs.edged, signs.real, signs.voted, signs.own, strict=True)
    for card, length, met, real, voted, own in told:
        back = card.side == "back"
        readable = readability(card)
        rows.append(
            (
                _odds(card.confidence),
                0.0 if back else _odds(readable),
                card.face_confidence,
                float(np.log(max(card.visible_fraction, 0.02))),
                min(abs(float(np.log(length))), 0.7),
                float(met),
                float(np.log(company + 1 - card.confidence)),
                float(np.log(piles[card.pile] - card.confidence)),
                0.0 if np.isnan(real) else _odds(float(real)),
                float(np.log(voted + 0.005)),
                float(np.log(own + 0.02)),
            )
        )
    return np.array(rows, dtype=np.float64).reshape(-1, WEIGHTS.shape[1])


def belief(
    layout: Layout,
    signs: Signs,
    others: float = 0.0,
    spread: bool = False,
    verifier: Tells | None = None,
    tablelike: Tells | None = None,
) -> Floats:
    """(n,) probability that each card of the layout is one; what was read as part of a row is as sure as it was read.

    A face of a row is at least as sure as it is by itself: a whole card beside others, taken for the end of their row, is
    read. `others`: see `features`; `spread`: is it a picture of spread backs? Where a doubt is left, the `verifier` says
    its log odds, and `tablelike` how much likelier what is seen is on the bare table (`vision/scene/tabletop.py`).
    """
    kind, known = kinds(layout, spread), features(layout, signs, others)
    own = (known * WEIGHTS[kind]).sum(axis=1) + CONSTANTS[kind]
    modelled = _chance(own)
    alone = np.isnan(signs.given)
    if verifier is not None:
        asked = np.flatnonzero(alone & doubted(modelled, kind))
        looked = np.column_stack([verifier(asked), np.zeros(len(asked))])
        odds = _asked(known, own, signs, kind, asked, looked)
        if tablelike is not None:
            least, most = COMPARED
            unsure = np.flatnonzero((kind[asked] == BACK) & (odds > least) & (odds < most))
            looked[unsure, 1] = tablelike(asked[unsure])
            odds = _asked(known, own, signs, kind, asked, looked)
        modelled[asked] = _chance(odds)
        read = _surely_read(layout, kind)
        modelled[read] = np.maximum(modelled[read], BELIEVED)
    given = np.where(kind == FACE, np.fmax(signs.given, modelled), signs.given)
    return np.asarray(np.where(alone, modelled, given))


def _surely_read(layout: Layout, kind: NDArray[np.intp]) -> NDArray[np.intp]:
    """Which cards are faces that are read surely, and that no neighbour shows."""
    rows = [
        row
        for row in np.flatnonzero(kind == FACE)
        if layout.cards[row].face_confidence >= READ_SURELY and not _has_double(layout.cards, int(row))
    ]
    return np.array(rows, dtype=np.intp)


def _has_double(cards: Sequence[SeenCard], row: int) -> bool:
    """Is a neighbour read as the same face?"""
    card = cards[row]
    reach = NEIGHBOURS * float(np.linalg.norm(card.corners[1] - card.corners[0]))
    return any(
        other.face == card.face
        and float(np.linalg.norm(other.corners.mean(axis=0) - card.corners.mean(axis=0))) < reach
        for number, other in enumerate(cards)
        if number != row
    )


def _asked(
    known: Floats,
    own: Floats,
    signs: Signs,
    kind: NDArray[np.intp],
    rows: NDArray[np.intp],
    looked: Floats,
) -> Floats:
    """(m,) log odds of some cards, by their `rows`, at which was `looked` more closely."""
    told = closer_look(known, own, signs.doubt, signs.back, rows, looked)
    odds = (told * ASKED[kind[rows]]).sum(axis=1) + ASKED_CONSTANTS[kind[rows]]
    company = np.clip(known[rows, OTHERS] - COMPANY, 0, 1)
    return np.asarray(odds + ON_TABLES * company * (kind[rows] == BACK))


def closer_look(
    known: Floats, own: Floats, doubt: Floats, back: Floats, rows: NDArray[np.intp], looked: Floats
) -> Floats:
    """(m, 9): what counts of some cards, by their `rows`; `looked` (m, 2): the verifier's log odds, and how table-like.

    Log odds by `features`, by the verifier, the latter times the logarithm of how many others there are beyond
    `COMPANY`, that itself; logarithms of the finder's doubt and of how many others there are in the pile; the finder's
    log odds of a back; how table-like it is, if it is; its size. `known` (n, 11): `features`, `own` (n,) log odds by
    them, `doubt`, `back`: as in `Signs`.
    """
    verified, tablelike = looked.T
    company = known[rows, OTHERS] - COMPANY
    backs = np.array([_odds(float(chance)) for chance in back[rows]])
    return np.column_stack(
        [
            *(own[rows], verified, verified * company, company),
            *(np.log(doubt[rows] + 0.005), known[rows, IN_PILE], backs, np.maximum(tablelike, 0.0)),
            known[rows, SIZE],
        ]
    )


def kinds(layout: Layout, spread: bool = False) -> NDArray[np.intp]:
    """(n,) which row of `WEIGHTS` is for each card of the layout; `spread`: is it a picture of spread backs?"""
    back = SPREAD_BACK if spread else BACK
    return np.array([back if card.side == "back" else FACE for card in layout.cards], dtype=np.intp)


def backs_prevail(layout: Layout, sure: Floats) -> bool:
    """Are at least as many backs as faces surely cards? `sure`: (n,) probability of each card of the layout."""
    back = np.array([card.side == "back" for card in layout.cards], dtype=bool)
    certain = sure >= CERTAIN
    return bool((certain & back).sum() >= (certain & ~back).sum())


def doubted(sure: Floats, kind: NDArray[np.intp]) -> NDArray[np.bool_]:
    """(n,) about which cards of these kinds the verifier is asked."""
    least, most = DOUBTED[kind].T
    return np.asarray((sure > least) & (sure < most))


def readability(card: SeenCard) -> float:
    """Probability that some face can be read on it; 0 for a back."""
    return 0.0 if card.face_probabilities is None else float(card.face_probabilities.sum())


def _chance(odds: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-odds)))


def _odds(chance: float) -> float:
    kept = float(np.clip(chance, 0.003, 0.997))
    return float(np.log(kept / (1 - kept)))


def _sizes(layout: Layout) -> Floats:
    """(n,) length of each card's diagonals on the table, in units of that of the cards that are surest."""
    if not layout.cards or layout.to_table is None:
        return np.ones(len(layout.cards))
    flat = apply(layout.to_table, np.concatenate([card.corners for card in layout.cards])).reshape(-1, 4, 2)
    length = (
        np.linalg.norm(flat[:, 0] - flat[:, 2], axis=1) + np.linalg.norm(flat[:, 1] - flat[:, 3], axis=1)
    ) / 2
    trust = np.array(
        [c.confidence**4 * min(1.0, c.visible_fraction + 0.1) * (0.1 + readability(c)) for c in layout.cards]
    )
    return np.asarray(np.maximum(length / max(float(np.average(length, weights=trust)), 1e-6), 1e-3))
