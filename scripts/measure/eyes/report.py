"""The figures as a page of Markdown with its pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.files import put
from scripts.build.film.contact_sheet import write
from scripts.build.measured import SETS
from scripts.measure.eyes import figures as f
from scripts.measure.eyes.certified import Certified
from scripts.measure.eyes.enrolment import EnrolmentFigures
from scripts.measure.eyes.hands import Hands
from scripts.measure.eyes.indices import IndexFigures
from scripts.measure.eyes.records import CardRecord, Named, PictureRecord
from scripts.measure.eyes.shares import Share, share
from scripts.measure.eyes.sweeps import Sweeps
from scripts.measure.eyes.table import TableRecord, rows_of
from scripts.measure.real import BridgeFigures, EdjeFigures

Pixels = NDArray[np.uint8]

#: Pictures of failures on a sheet, and their width, px.
SHOWN, WIDTH = 8, 480
#: How bright paper is in a picture (of 1), at most, and what that is called.
LIGHT = (
    (0.4, "dark, up to 0.4"),
    (0.6, "dim, 0.4 to 0.6"),
    (0.85, "even, 0.6 to 0.85"),
    (0.985, "light, 0.85 to 0.985"),
    (1.0, "overexposed, above"),
)
#: Markers on a table that is marked.
MARKERS = 4


@dataclass(slots=True)
class Seen:
    """Everything measured of one set."""

    pictures: list[PictureRecord] = field(default_factory=list)
    cards: list[CardRecord] = field(default_factory=list)
    #: What went wrong, drawn; the worst first.
    failures: list[Pixels] = field(default_factory=list)
    #: Of every fanned left-over pile: its cards, and how many were seen.
    fans: list[tuple[int, int]] = field(default_factory=list)
    #: Of every photo of tops: cards of its foundations, and how many the tops give.
    sums: list[tuple[int, int | None]] = field(default_factory=list)
    #: Of every photo of hands laid open: how its faces are named.
    named: list[Named] = field(default_factory=list)


@dataclass(slots=True)
class Report:
    """What the page says."""

    made: str
    drawn: dict[str, Seen]
    edje: EdjeFigures | None = None
    bridge: BridgeFigures | None = None
    hands: Hands | None = None
    certified: Certified | None = None
    sweeps: Sweeps | None = None
    enrolment: EnrolmentFigures | None = None
    indices: IndexFigures | None = None
    #: Tops of 1.6 px/mm and more that readers read of families of decks that were left out
    #: (`scripts/measure/leave_one_out.py`).
    left_out: dict[str, Share] = field(default_factory=dict)

    def page(self) -> str:
        """Markdown."""
        parts = [
            "# How good the eye is\n",
            f"Made by `make eval`: {self.made}. Intervals are Wilson's of 95 %. Real photos and drawn pictures stand "
            "apart. Drawn pictures show decks, backs and surfaces of the split that is named; nothing was trained or "
            "tuned on those of `figures` (atlasnye, orell, heruka_4color_bf, drawn decks); no deck data and no totals "
            "were given to the eye. There are no real photos of counted backs: the figures on spreads rest on drawn "
            "ones alone.\n",
            self._points(),
            self._real(),
            *(self._set(name) for name in self.drawn),
        ]
        return "\n".join(part for part in parts if part)

    def _points(self) -> str:
        rows = [(point, asked, f"{measured}") for point, asked, measured in self._asked()]
        return "## What was asked, and what is so\n\n" + table(("point", "asked", "measured"), rows)

    def _asked(self) -> list[tuple[str, str, object]]:
        rows: list[tuple[str, str, object]] = []
        for name, scale, least in (("tables", "1.6–2.6 px/mm", 0.99), ("far", "1.1–1.6 px/mm", 0.97)):
            if name in self.drawn:
                seen = self.drawn[name]
                rows += [
                    (f"recall, visible >= 15 %, {scale}", f">= {least}", f.recall(seen.cards)),
                    (f"precision, {scale}", f">= {least}", f.precision(seen.cards, seen.pictures)),
                    (
                        f"tops read right, {scale}",
                        ">= 0.995" if name == "tables" else ">= 0.985",
                        f.right(f.tops(seen.cards)),
                    ),
                    (
                        f"strips of columns read right, {scale}",
                        ">= 0.99" if name == "tables" else ">= 0.97",
                        f.right(f.strips(seen.cards)),
                    ),
                    (
                        "... indices that show askew in heaps, or beneath hands, read right",
                        "-",
                        f.right(f.askew(seen.cards)),
                    ),
                ]
        if "tables" in self.drawn:
            seen = self.drawn["tables"]
            sure, wrong = f.named(seen.cards)
            rows += [
                ("tables with every top right or marked doubtful", ">= 0.95", f.tables(seen.cards, True)),
                ("tops that are doubtful", "<= 0.05", f.doubtful(seen.cards)),
                ("tables with every top right", ">= 0.80", f.tables(seen.cards, False)),
                ("expected calibration error", "<= 0.02", f"{f.calibration_error(seen.cards):.3f}"),
                ("visible faces named with >= 0.99", ">= 0.85", sure),
                ("wrong among these", "<= 0.005", wrong),
            ]
        for name, low, high, asked in (
            ("few", 12, 41, 0.95),
            ("some", 40, 81, 0.90),
            ("many", 80, 111, 0.75),
        ):
            if name in self.drawn:
                exact, error = f.counts(self.drawn[name].pictures, low, high)
                rows.append((f"{SETS[name].told}: every deck's count exact", f">= {asked}", exact))
                rows.append(("... mean error a deck where not", "<= 1", f"{error:.2f}"))
        backs = [c for name in ("few", "some", "many") if name in self.drawn for c in self.drawn[name].cards]
        if backs:
            pictures = [
                p for name in ("few", "some", "many") if name in self.drawn for p in self.drawn[name].pictures
            ]
            found = share(backs, lambda card: card.found)
            rows.append(("backs in spreads: recall", ">= 0.98", found))
            rows.append(
                (
                    "backs in spreads: precision",
                    ">= 0.98",
                    Share(found.part, found.part + sum(len(p.false) for p in pictures)),
                )
            )
        if "printed" in self.drawn:
            seen = self.drawn["printed"]
            name = SETS["printed"].told
            found = share(seen.cards, lambda card: card.found)
            false = sum(len(picture.false) for picture in seen.pictures)
            rows.append((f"{name}: recall", ">= 0.96", found))
            rows.append(("... precision", ">= 0.985", Share(found.part, found.part + false)))
        if self.certified is not None:
            rows += self.certified.rows()
        if self.sweeps is not None:
            rows += self.sweeps.rows()
        every = [p for seen in self.drawn.values() for p in seen.pictures]
        if every:
            hands, found_hands, seen_hands = (
                sum(getattr(p, n) for p in every) for n in ("hands", "hands_found", "hands_seen")
            )
            rows += self._tables()
            rows.append(("hands: recall", ">= 0.95", Share(found_hands, hands)))
            rows.append(("hands: precision", ">= 0.95", Share(found_hands, seen_hands)))
        if self.enrolment is not None:
            rows += self.enrolment.rows()
        if self.indices is not None:
            rows += self.indices.rows()
        if "tops" in self.drawn:
            sums = share(self.drawn["tops"].sums, lambda pair: pair[0] == pair[1])
            rows.append(("photos of tops: sum of the top ranks exact", ">= 0.98", sums))
            rows.append(("... every rank right", "-", _ranks(self.drawn["tops"].cards)))
        return rows + self._fans() + self._hands() + self._left_out()

    def _fans(self) -> list[tuple[str, str, object]]:
        if "fans" not in self.drawn:
            return []
        named = self.drawn["fans"].named
        indices, found = (sum(getattr(one, part) for one in named) for part in ("indices", "found"))
        told, wrong = (sum(getattr(one, part) for one in named) for part in ("told", "wrong"))
        return [
            ("hands of faces laid open: those whose index shows, named", "-", Share(found, indices)),
            ("... wrong among named", "-", Share(wrong, told)),
        ]

    def _left_out(self) -> list[tuple[str, str, object]]:
        if not self.left_out:
            return []
        worst = min(self.left_out, key=lambda family: self.left_out[family].value)
        point = f"families left out in turn ([page](left-out.md)): tops at >= 1.6 px/mm, the worst, {worst}"
        return [(point, ">= 0.98", self.left_out[worst])]

    def _hands(self) -> list[tuple[str, str, object]]:
        rows: list[tuple[str, str, object]] = []
        if "leftovers" in self.drawn:
            exact = share(self.drawn["leftovers"].fans, lambda fan: fan[0] == fan[1])
            rows.append(
                ("fans of 1 to 13 left-over cards counted exactly, several in a picture", ">= 0.95", exact)
            )
        return rows + (self.hands.rows() if self.hands else [])

    def _tables(self) -> list[tuple[str, str, object]]:
        told: dict[str, list[TableRecord]] = {"plain": [], "marked": [], "stress": []}
        for name, drawn in self.drawn.items():
            for p in drawn.pictures:
                if p.table is not None and (name != "marked" or len(p.about["markers"]) == MARKERS):
                    told[name if name in told else "plain"].append(p.table)
        return rows_of(told["plain"], told["marked"], told["stress"])

    def _real(self) -> str:
        rows = []
        if self.edje is not None:
            e = self.edje
            rows += [
                (
                    f"`edje`, the {e.pictures} photos nothing was fitted to: recall",
                    ">= 0.98",
                    str(Share(e.found, e.cards)),
                ),
                ("... precision", ">= 0.97", str(Share(e.found, e.reported))),
                ("... rank right among found", ">= 0.985", str(Share(e.rank_right, e.found))),
            ]
        if self.bridge is not None:
            b = self.bridge
            rows += [
                ("`bridge`: identities found", ">= 0.97", str(Share(b.found, b.present))),
                ("... wrong among named", "<= 0.01", str(Share(b.named - b.found, b.named))),
            ]
        return "## Real photos\n\n" + table(("point", "asked", "measured"), rows) if rows else ""

    def _set(self, name: str) -> str:
        seen = self.drawn[name]
        parts = [
            f"## {SETS[name].told[0].upper()}{SETS[name].told[1:]}\n",
            f"{len(seen.pictures)} pictures, {len(seen.cards):,} cards.\n",
        ]
        faces = [card for card in seen.cards if card.face_up]
        keys: dict[str, Callable[[CardRecord], str]] = {
            "deck": lambda c: c.deck,
            "px/mm": lambda c: (
                f"{np.floor(c.px_per_mm * 2.5) / 2.5:.1f} to {np.floor(c.px_per_mm * 2.5) / 2.5 + 0.4:.1f}"
            ),
            "visible": lambda c: (
                f"{min(int(c.visible * 5), 4) * 20:02d} to {min(int(c.visible * 5), 4) * 20 + 20} %"
            ),
            "light on its paper": lambda c: _light(c.light),
        }
        for title, key in keys.items():
            rows = [
                (
                    group,
                    str(f.recall(some)),
                    str(f.right([c for c in some if c.face_up and c.visible >= f.VISIBLE])),
                    str(f.right(f.tops(some))),
                )
                for group, some in f.by(seen.cards, key).items()
                if group
            ]
            parts.append(table((title, "found", "faces read right", "tops read right"), rows))
        if faces:
            wrong = ", ".join(
                f"{true} as {read} ({number})" for true, read, number in f.confusions(seen.cards)
            )
            parts.append(f"Read wrong most often: {wrong or 'nothing'}.\n")
            parts.append(f"![Reliability](eyes/{name}-reliability.png)\n")
        if seen.failures:
            parts.append(
                "![Where the most went wrong: missed cards red, tops read wrong yellow, what is none blue]"
                f"(eyes/{name}-failures.jpg)\n"
            )
        return "\n".join(parts)


def _light(value: float | None) -> str:
    """A word for how bright paper is; none where no card is seen."""
    return "" if value is None else next(word for most, word in LIGHT if value <= most)


def _ranks(cards: Sequence[CardRecord]) -> Share:
    pictures: dict[int, bool] = {}
    for card in f.tops(cards):
        pictures[card.picture] = pictures.get(card.picture, True) and (card.read or "")[:1] == card.face[0]
    return share(pictures.values(), bool)


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table in Markdown."""
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def reliability(cards: Sequence[CardRecord], size: int = 300) -> Pixels:
    """How often what is said with a confidence is so: a dot a bin, as large as the bin is full."""
    drawn = np.full((size + 40, size + 60, 3), 255, np.uint8)
    cv2.rectangle(drawn, (40, 10), (40 + size, 10 + size), (200, 200, 200), 1)
    cv2.line(drawn, (40, 10 + size), (40 + size, 10), (200, 200, 200), 1, cv2.LINE_AA)
    for said, so, number in f.reliability(cards):
        at = (40 + round(said * size), 10 + round((1 - so) * size))
        cv2.circle(drawn, at, int(np.clip(np.sqrt(number), 3, 14)), (190, 90, 20), -1, cv2.LINE_AA)
    write(drawn, "said", (size // 2 + 20, size + 32))
    write(drawn, "so", (6, size // 2))
    return drawn


def sheet(pictures: Sequence[Pixels]) -> Pixels:
    """Pictures two in a row."""
    tiles = []
    for picture in pictures[:SHOWN]:
        tile = np.full((WIDTH * 3 // 4, WIDTH, 3), 255, np.uint8)
        scale = min(WIDTH / picture.shape[1], tile.shape[0] / picture.shape[0])
        small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        tile[: small.shape[0], : small.shape[1]] = small
        tiles.append(tile)
    if len(tiles) % 2:
        tiles.append(np.full_like(tiles[0], 255))
    return np.vstack([np.hstack(tiles[k : k + 2]) for k in range(0, len(tiles), 2)])


def save(report: Report, out: Path) -> None:
    """Writes `out` and the pictures of the page beside it."""
    folder = out.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    for name, seen in report.drawn.items():
        if any(card.face_up for card in seen.cards):
            _put(folder / f"{name}-reliability.png", reliability(seen.cards))
        if seen.failures:
            _put(folder / f"{name}-failures.jpg", sheet(seen.failures))
    put(out, report.page())


def _put(path: Path, picture: Pixels) -> None:
    done, data = cv2.imencode(path.suffix, picture, [cv2.IMWRITE_JPEG_QUALITY, 80])
    assert done
    put(path, data.tobytes())
