"""A make-believe table for the umpire's tests: hurried players, exact truth, and an eye that errs as told."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np

from referee.umpire.odds import Odds
from referee.umpire.umpire import Umpire
from vision.layout import Layout, SeenCard

PX_PER_MM = 2.0
WIDTH, HEIGHT = 1800, 1600
RANKS = "A23456789TJQK"
SUITS = "SHDC"
FACES = [r + s for s in SUITS for r in RANKS]
RED = set("HD")
FAN_MM = 18.0


def goes_on_work(top: str | None, card: str) -> bool:
    if top is None:
        return True
    return RANKS.index(top[0]) == RANKS.index(card[0]) + 1 and (top[1] in RED) != (card[1] in RED)


def goes_on_foundation(top: str | None, card: str) -> bool:
    if top is None:
        return card[0] == "A"
    return top[1] == card[1] and RANKS.index(card[0]) == RANKS.index(top[0]) + 1


@dataclass
class Cover:
    """A hand over a place from `start` to `end`."""

    place: tuple[str, str]
    start: float
    end: float


@dataclass
class Change:
    """From `at` on `place` holds `cards` (face or "back", bottom to top; x, y in mm)."""

    at: float
    place: tuple[str, str]
    cards: list[tuple[str, float, float]]


@dataclass
class Player:
    seat: str
    nerts: list[str]
    work: list[list[str]]
    stock: list[str]
    waste: list[str] = field(default_factory=list)
    up: bool = True
    free_at: float = 0.0


class Table:
    """Plays one hand when made; then `changes`, `covers` and `record` tell everything."""

    def __init__(self, seed: int, seconds: float = 60.0, pace: float = 1.0, errors: float = 0.0) -> None:
        self.rng = random.Random(seed)
        self.pace, self.errors = pace, errors
        self.changes: list[Change] = []
        self.covers: list[Cover] = []
        self.foundations: list[list[str]] = []
        self.busy: set[int] = set()
        self.spots: list[tuple[float, float]] = []
        self.record: list[dict[str, object]] = []
        self.broken: list[dict[str, object]] = []
        self.players = [self._deal("north"), self._deal("south")]
        self.seconds = seconds
        self._play()
        self.changes.sort(key=lambda c: c.at)
        self.record.sort(key=lambda e: float(e["at"]))  # type: ignore[arg-type]

    # -- geometry -------------------------------------------------------------------------------------
    def spot(self, seat: str, x: float, y: float) -> tuple[float, float]:
        """Player's own view (x to the right, y from the row towards the player) to mm on the table."""
        return (450 + x, 560 + y) if seat == "south" else (450 - x, 240 - y)

    def home(self, seat: str, name: str) -> tuple[float, float]:
        x = {"nerts": -260, "stock": 200, "waste": 280}.get(name)
        if x is None:
            x = -160 + 85 * (int(name[-1]) - 1)
        return self.spot(seat, x, 0)

    # -- playing --------------------------------------------------------------------------------------
    def _deal(self, seat: str) -> Player:
        deck = FACES[:]
        self.rng.shuffle(deck)
        player = Player(seat, deck[:13], [[c] for c in deck[13:17]], deck[17:])
        self.players = [*getattr(self, "players", []), player]
        for name in ("nerts", "work 1", "work 2", "work 3", "work 4", "stock"):
            self._show(player, name, 0.0)
        return player

    def _cards(self, player: Player, name: str) -> list[tuple[str, float, float]]:
        x, y = self.home(player.seat, name)
        if name == "nerts":
            top = (player.nerts[-1] if player.up else "back") if player.nerts else None
            return [(top, x, y)] if top else []
        if name == "stock":
            return [("back", x, y)] if player.stock else []
        if name == "waste":
            return [(player.waste[-1], x, y)] if player.waste else []
        step = FAN_MM if player.seat == "south" else -FAN_MM
        return [(c, x, y + i * step) for i, c in enumerate(player.work[int(name[-1]) - 1])]

    def _show(self, player: Player, name: str, at: float) -> None:
        self.changes.append(Change(at, (player.seat, name), self._cards(player, name)))

    def _play(self) -> None:
        for player in self.players:
            player.free_at = 2.0 + self.rng.random()
        while True:
            player = min(self.players, key=lambda p: p.free_at)
            if player.free_at > self.seconds or not player.nerts:
                break
            self._act(player)
        self.end = max(p.free_at for p in self.players)

    def _options(self, p: Player) -> list[tuple[float, str, str, int]]:
        """(eagerness, from, to, count) of everything sensible."""
        tops = [("nerts", p.nerts[-1] if p.nerts else None), ("waste", p.waste[-1] if p.waste else None)]
        tops += [(f"work {i + 1}", w[-1] if w else None) for i, w in enumerate(p.work)]
        found: list[tuple[float, str, str, int]] = []
        for name, card in tops:
            if card is None:
                continue
            for i, pile in enumerate(self.foundations):
                if i not in self.busy and goes_on_foundation(pile[-1] if pile else None, card):
                    found.append((5 + (name == "nerts"), name, f"foundation {i + 1}", 1))
            if card[0] == "A":
                found.append((5, name, f"foundation {len(self.foundations) + 1}", 1))
            for i, w in enumerate(p.work):
                if name.startswith("work"):
                    continue
                if name != f"work {i + 1}" and goes_on_work(w[-1] if w else None, card):
                    eager = 4 if name == "nerts" else 2 if name == "waste" and w else 0.2
                    found.append((eager, name, f"work {i + 1}", 1))
        for i, source in enumerate(p.work):
            for j, target in enumerate(p.work):
                if i != j and len(source) > 1 and target and goes_on_work(target[-1], source[0]):
                    found.append((3, f"work {i + 1}", f"work {j + 1}", len(source)))
        return found

    def _act(self, p: Player) -> None:
        now = p.free_at
        options = self._options(p)
        if self.rng.random() < self.errors:
            self._blunder(p, now)
        elif options and self.rng.random() < 0.9:
            _, source, target, count = max(options, key=lambda o: o[0] + self.rng.random() * 1.5)
            self._move(p, source, target, count, now)
        else:
            self._draw(p, now)

    def _blunder(self, p: Player, now: float) -> None:
        if not p.nerts or not p.up:
            return self._draw(p, now)
        wrong = [i for i, w in enumerate(p.work) if w and not goes_on_work(w[-1], p.nerts[-1])]
        if not wrong:
            return self._draw(p, now)
        self._move(p, "nerts", f"work {self.rng.choice(wrong) + 1}", 1, now)
        self.broken.append(self.record[-1] if self.record[-1]["event"] == "play" else self.record[-2])
        return None

    def _pile(self, p: Player, name: str) -> list[str]:
        if name.startswith("foundation"):
            return self.foundations[int(name.split()[1]) - 1]
        return p.work[int(name[-1]) - 1] if name.startswith("work") else getattr(p, name)

    def _place(self, p: Player, name: str) -> tuple[str, str]:
        return ("", name) if name.startswith("foundation") else (p.seat, name)

    def _cover(self, place: tuple[str, str], start: float, end: float) -> None:
        self.covers.append(Cover(place, start, end))

    def _move(self, p: Player, source: str, target: str, count: int, now: float) -> None:
        rng = self.rng
        lifted = now + 0.15 * self.pace
        landed = lifted + rng.uniform(0.3, 0.7) * self.pace
        if target == f"foundation {len(self.foundations) + 1}":
            self.foundations.append([])
            n = len(self.foundations) - 1
            self.spots.append((130 + 95 * (n % 8), 350 + 100 * (n // 8)))
        pile = self._pile(p, source)
        cards = pile[-count:]
        del pile[-count:]
        if source == "nerts":
            p.up = False
        self._show(p, source, lifted)
        self._cover((p.seat, source), now, lifted + 0.12)
        self._pile(p, target).extend(cards)
        place = self._place(p, target)
        if target.startswith("foundation"):
            x, y = self.spots[int(target.split()[1]) - 1]
            top = (cards[-1], x + rng.gauss(0, 4), y + rng.gauss(0, 4))
            self.changes.append(Change(landed, place, [top]))
        else:
            self._show(p, target, landed)
        self._cover(place, landed - 0.2, landed + 0.15)
        self.record.append(
            {"event": "play", "at": landed, "seat": p.seat, "cards": cards, "from": source, "to": target}
        )
        p.free_at = landed + rng.uniform(0.25, 1.0) * self.pace
        if source == "nerts" and p.nerts:
            turned = landed + rng.uniform(0.3, 0.5) * self.pace
            p.up = True
            self._cover((p.seat, "nerts"), turned - 0.2, turned + 0.12)
            self._show(p, "nerts", turned)
            turn = {"event": "turn", "at": turned, "seat": p.seat, "place": "nerts", "card": p.nerts[-1]}
            self.record.append(turn)
            p.free_at = turned + rng.uniform(0.15, 0.6) * self.pace

    def _draw(self, p: Player, now: float) -> None:
        done = now + 0.4 * self.pace
        for name in ("stock", "waste"):
            self._cover((p.seat, name), now, done + 0.1)
        if not p.stock:
            p.stock, p.waste = p.waste[::-1], []
            self.record.append({"event": "recycle", "at": done, "seat": p.seat})
        else:
            drawn = [p.stock.pop() for _ in range(min(3, len(p.stock)))]
            p.waste += drawn
            self.record.append({"event": "draw", "at": done, "seat": p.seat, "cards": drawn})
        self._show(p, "stock", done)
        self._show(p, "waste", done)
        p.free_at = done + self.rng.uniform(0.3, 1.0) * self.pace

    # -- looking --------------------------------------------------------------------------------------
    def looks(self, every: float = 1 / 30, settle: float = 0.07) -> list[tuple[float, float, Change]]:
        """(time, last motion, what lies there) whenever a changed place is uncovered and at rest."""
        found: list[tuple[float, float, Change]] = []
        places = sorted({c.place for c in self.changes})
        for place in places:
            states = [c for c in self.changes if c.place == place]
            covers = sorted((c.start, c.end) for c in self.covers if c.place == place)
            moments = [0.5] + [end for _, end in covers]
            for moment in moments:
                at = every * np.ceil((moment + settle) / every)
                if any(start - 0.02 < at < end + settle for start, end in covers):
                    continue
                now = [s for s in states if s.at <= at]
                if now:
                    found.append((float(at), moment, now[-1]))
        return sorted(found, key=lambda look: look[0])


class Eye:
    """What is read of a true card: right most of the time, and honest about its doubts."""

    def __init__(self, seed: int, wrong: float = 0.02, missed: float = 0.02, shift_mm: float = 2.0) -> None:
        self.rng = np.random.default_rng(seed)
        self.wrong, self.missed, self.shift_mm = wrong, missed, shift_mm

    def probabilities(self, face: str, visible: float = 1.0) -> np.ndarray:
        """Sharp for most cards, blurred for some; wrong as often as it says."""
        rng = self.rng
        wrong = self.wrong * (1.0 if visible > 0.9 else 3.0)
        p = np.full(52, 1e-5)
        if rng.random() < 1 - 4 * wrong:
            p[FACES.index(face)] = 0.995
        else:
            other = int(rng.integers(52))
            share = rng.uniform(0.5, 0.95)
            first, second = FACES.index(face), other
            if rng.random() > share:
                first, second = second, first
            p[first], p[second] = share, 0.98 - share
        return p / p.sum()

    def sees(self) -> bool:
        return bool(self.rng.random() >= self.missed)

    def shift(self) -> tuple[float, float]:
        dx, dy = self.rng.normal(0, self.shift_mm, 2)
        return float(dx), float(dy)


class Still:
    """All that moved is known: what lies at a place came to rest at `at`."""

    def __init__(self, at: float, stirred: bool) -> None:
        self.at, self.stirred = at, stirred

    def rested(self, region: np.ndarray, since: float) -> float:
        return self.at

    def as_before(self, region: np.ndarray, since: float) -> float:
        return since

    def steady(self, region: np.ndarray, since: float) -> float:
        return since

    def moved_share(self, region: np.ndarray, since: float) -> float | None:
        return None

    def landed(self, corners: object, since: float) -> None:
        return None

    def lifted(self, corners: object, since: float) -> None:
        return None

    def arrivals(self, corners: object, since: float, until: float, sides: object = ()) -> list[object]:
        return []

    def uncovered(self, corners: object, since: float, then: float) -> None:
        return None

    def patch_of(self, region: object, at: float) -> None:
        return None

    def shows(self, region: object, patch: object) -> bool:
        return False

    def moving(self, region: np.ndarray, within_s: float) -> float:
        return 0.0

    def last_moved(self, region: np.ndarray) -> float:
        return self.at if self.stirred else -np.inf


def seen_card(eye: Eye, name: str, x: float, y: float, visible: float) -> SeenCard:
    dx, dy = eye.shift()
    w, h = 31.5, 44.0
    corners = (np.array([[-w, -h], [w, -h], [w, h], [-w, h]]) + np.array([x + dx, y + dy])) * PX_PER_MM
    if name == "back":
        return SeenCard(corners, "back", corners, visible, 0.95, back="blue")
    chances = eye.probabilities(name, visible)
    best = int(np.argmax(chances))
    return SeenCard(
        corners, "face", corners, visible, 0.95, FACES[best], float(chances[best]), face_probabilities=chances
    )


def layout_of(eye: Eye, changes: list[Change]) -> Layout:
    """What the eye makes of some places."""
    cards = []
    for change in changes:
        for i, (name, x, y) in enumerate(change.cards):
            if eye.sees():
                cards.append(seen_card(eye, name, x, y, 1.0 if i == len(change.cards) - 1 else 0.2))
    to_table = np.diag([1 / PX_PER_MM, 1 / PX_PER_MM, 1.0])
    return Layout(WIDTH, HEIGHT, PX_PER_MM, cards, [], to_table)


def window_of(table: Table, place: tuple[str, str]) -> tuple[int, int, int, int]:
    """A box that holds one place and no other."""
    seat, name = place
    if not seat:
        x, y = table.spots[int(name.split()[1]) - 1]
        low, high = (x - 75, y - 75), (x + 75, y + 75)
    else:
        deep = 240 if name.startswith("work") else 60
        corners = [table.spot(seat, dx, dy) for dx in (-45, 45) for dy in (-60, deep)]
        x, y = table.home(seat, name)
        middle = table.spot(seat, 0, 0)
        moved = [(cx + x - middle[0], cy + y - middle[1]) for cx, cy in corners]
        low, high = tuple(np.min(moved, axis=0)), tuple(np.max(moved, axis=0))
    x0, y0, x1, y1 = (round(v * PX_PER_MM) for v in (*low, *high))
    return max(0, x0), max(0, y0), min(WIDTH, x1), min(HEIGHT, y1)


def umpired(table: Table, eye: Eye) -> Umpire:
    """An umpire that has watched the whole hand through the eye; doubtful places are looked at twice."""
    umpire = Umpire(Odds())
    dealt = [change for change in table.changes if change.at == 0.0]
    sharp = Eye(0, wrong=0.0, missed=0.0)
    umpire.deal([layout_of(sharp, dealt) for _ in range(3)])
    for at, rested, change in table.looks():
        seat, name = change.place
        stirred = name == "waste" and any(
            cover.place == (seat, "stock") and rested - 0.05 < cover.end <= at for cover in table.covers
        )
        for again in range(2):
            moment = at + 0.03 * again
            views = umpire.see(
                moment,
                round(moment * 30),
                layout_of(eye, [change]),
                window=window_of(table, change.place),
                still=Still(rested, stirred),
            )
            if not any(umpire.doubts(view) for view in views):
                break
    return umpire


__all__ = ["Eye", "Table", "layout_of", "umpired"]
