"""How well the eye knows the table: its plane, told by cards or by markers, and who sits where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from datasets.stills import Still
from referee.umpire.seats.seating import propose_seating
from scripts.measure.eyes.shares import Share, share
from vision.geometry.plane import on_table
from vision.layout import Layout, PlaneSource

Floats = NDArray[np.float64]

#: Cards that must be seen for the plane to count; places that are hidden further are nobody's fault.
CARDS, SEEN = 30, 0.15


@dataclass(frozen=True, slots=True)
class TableRecord:
    """What was seen of one drawn table."""

    #: Median and 95th percentile of the distances of known points from their true places, mm; None without a plane.
    plane_mm: tuple[float, float] | None
    source: PlaneSource | None
    #: Cards that were seen, and of which format they are and were taken for (width, mm).
    cards: int
    format: float
    taken_for: float | None
    #: Error that the eye itself tells, mm.
    residual_mm: float | None
    #: Of tables of Nerts: are all seats right; is every place, too? None for other pictures.
    seats: bool | None = None
    places: bool | None = None


def told_table(still: Still, layout: Layout, pairs: Mapping[int, int]) -> TableRecord:
    """A picture's table beside what was made of it; `pairs`: true and seen cards that belong together."""
    plane = layout.plane
    seats, places = _seating(still, layout, pairs) if still.about.get("game") == "nerts" else (None, None)
    return TableRecord(
        plane_mm=None if plane is None else plane_error(still, layout),
        source=None if plane is None else plane.source,
        cards=len(layout.cards),
        format=still.cards[0].mm[3],
        taken_for=None if plane is None or plane.card_mm is None else plane.card_mm[0],
        residual_mm=None if plane is None else plane.residual_mm,
        seats=seats,
        places=places,
    )


def plane_error(still: Still, layout: Layout) -> tuple[float, float]:
    """The corners of all true cards, carried to the table by the eye's plane and laid on their true places by a turn
    and a
    shift (where the origin is, is nobody's business; the scale is not freed): median and 95th percentile, mm."""
    assert layout.plane is not None
    seen = on_table(layout.plane, np.concatenate([np.array(card.corners) for card in still.cards]))
    true = np.concatenate([_corners_mm(card.mm) for card in still.cards])
    a, b = true - true.mean(axis=0), seen - seen.mean(axis=0)
    u, _, vt = np.linalg.svd(b.T @ a)
    turn = u @ np.diag([1.0, np.sign(np.linalg.det(u @ vt))]) @ vt
    off = np.linalg.norm(b @ turn - a, axis=1)
    return float(np.median(off)), float(np.percentile(off, 95))


def _corners_mm(mm: Sequence[float]) -> Floats:
    x, y, degrees, width, height = mm
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    local = np.array([[-width, -height], [width, -height], [width, height], [-width, height]]) / 2
    return np.asarray(local @ np.array([[c, s], [-s, c]]) + (x, y))


def _seating(still: Still, layout: Layout, pairs: Mapping[int, int]) -> tuple[bool, bool]:
    """Are the seats right; is the topmost card of every place that can be seen in its place, and foundations
    common?
    """
    seating = propose_seating(layout)
    tops = {card.place: row for row, card in enumerate(still.cards) if card.place is not None}
    seats = {place.split()[0] for place in tops if not place.startswith("foundation")}
    right = set(seating.seats) == seats and len(seating.seats) == len(seats)
    seen = dict(pairs)
    places = all(
        row in seen and _kind(str(seating.places.get(seen[row]))) == _kind(place)
        for place, row in tops.items()
        if still.cards[row].visible_fraction >= SEEN
    )
    return right, right and places


def _kind(place: str) -> str:
    """Foundations have no numbers of their own."""
    return "foundation" if place.startswith("foundation") else place


def rows_of(
    tables: Sequence[TableRecord], marked: Sequence[TableRecord], stressed: Sequence[TableRecord] = ()
) -> list[tuple[str, str, object]]:
    """Point, what is asked, what was measured: `tables` without markers, those on which some were laid, and those in
    bad light, whose seats are told apart."""
    rows: list[tuple[str, str, object]] = []
    cards = [t for t in [*tables, *stressed] if t.source == "cards" and t.cards >= CARDS]
    markers = [t for t in marked if t.source == "markers"]
    if cards:
        rows.append(("plane by the cards, 30 and more seen: median error, mm", "<= 2", _planes(cards)))
        rows.append(
            ("... poker told from bridge cards", "-", share(cards, lambda t: t.taken_for == t.format))
        )
        told = [t.residual_mm for t in cards if t.residual_mm is not None]
        rows.append(("... error of corners that the eye tells, mm", "-", f"{np.median(told):.2f}"))
    if marked:
        rows.append(("plane by four markers: median error, mm", "<= 1", _planes(markers) if markers else "-"))
        rows.append(("... markers seen where four lie", "-", Share(len(markers), len(marked))))
    for seen, where, asked in (
        (tables, "tables of Nerts", ">= 0.95"),
        (stressed, "... in bad light, glare, blur, JPEG 30:", "-"),
    ):
        seated = [t for t in seen if t.seats is not None]
        if not seated:
            continue
        rows.append(
            (f"{where} with every seat and place right", asked, share(seated, lambda t: bool(t.places)))
        )
        rows.append(("... with every seat right", "-", share(seated, lambda t: bool(t.seats))))
    return rows


def _planes(tables: Sequence[TableRecord]) -> str:
    errors = np.array([t.plane_mm for t in tables if t.plane_mm is not None])
    good = Share(int((errors[:, 0] <= 2).sum()), len(errors))
    low, high = _interval(errors[:, 0])
    return (
        f"{np.median(errors[:, 0]):.2f} [{low:.2f}, {high:.2f}] in {len(errors)} pictures; a point in twenty is "
        f"more than {np.median(errors[:, 1]):.2f} off; at most 2 mm: {good}"
    )


def _interval(values: Floats) -> tuple[float, float]:
    """Interval of 95 % of a median, from ranks."""
    ordered, half = np.sort(values), 0.98 * np.sqrt(len(values))
    low, high = np.floor(len(values) / 2 - half), np.ceil(len(values) / 2 + half)
    last = len(values) - 1
    return float(ordered[int(np.clip(low, 0, last))]), float(ordered[int(np.clip(high, 0, last))])
