"""Command lines as they may come: every command, with files of every kind and odd words for its options."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from robust_records import spoilt_record, whole_record
from spoilt import FILMS, PICTURES, Files, spoilt, words
from spoilt_json import spoilt_value, written

from referee.commands.program import COMMANDS

Json = dict[str, Any]
_SEATS = ["north", "south", "red", "blue", "ann", "Ann", "anna"]
_NAMES = [
    *(
        "-x",
        "[b]x",
        "a b",
        "Zoë",
        "é" * 100,
        "x" * 248,
        "a\nb",
        "\x1b[31m",
        "‮gnp",
        "a=b",
        "12:30",
        "~",
        "con",
        ".",
    ),
    *(os.fsdecode(b"\xff\xfe"), "%s", "'", '"', "*", "{}"),
]
_MATCH: Json = {
    "match": 1,
    "game": "nerts",
    "settings": {"target": 200},
    "sides": [["north"], ["south"]],
    "before": {},
    "hands": [
        {"points": {"north": 31, "south": -4}, "from": "typed"},
        {"points": {"north": 1, "south": 2}, "from": "record", "digest": "a3a175188fcbb283", "lines": 3},
        {"points": {"north": 5, "south": 7}, "from": "photos", "photos": ["00"]},
    ],
    "edits": [{"edited": 1, "of": 2, "was": {"points": {"north": 30, "south": -4}}}],
    "undone": [
        {"points": {"north": 1, "south": 2}, "from": "typed"},
        {"points": {"north": 3, "south": 1}, "edits": 1},
    ],
}

_FACTS: Json = {"seats": [{"seat": "north", "deck": "blue"}], "call": {"seat": "north", "at": 1.5}, "fps": 30}


@dataclass
class Box:
    """What a case has at hand: files that are made in its own folder."""

    chance: random.Random
    files: Files
    folder: Path
    #: Whether options are as they should be: then it is the files that are not.
    careful: bool = True
    #: What a command reads and must leave as it was.
    given: dict[Path, bytes] = field(default_factory=dict)
    #: What stands on standard input.
    typed: bytes = b""
    #: The recording that ships, if another one than usual.
    sample: Path | None = None

    def put(self, data: bytes, ending: str, sound: float = 0.9) -> str:
        """A file of this content; the name is fitting with the probability `sound`."""
        name = chr(97 + len(self.given))
        if self.chance.random() > sound:
            name, ending = self.chance.choice(_NAMES), self.chance.choice([ending, "jpg", "json", "", "npz"])
        path = self.folder / f"{name}.{ending}"
        if path in self.given or path.exists():
            path = self.folder / f"{len(self.given)}.{ending}"
        path.write_bytes(data)
        self.given[path] = data
        return str(path)

    def file(self, kinds: tuple[str, ...], whole: float = 0.4) -> str:
        """A file that should be of one of these kinds."""
        kind = self.chance.choice(kinds)
        if self.chance.random() < 0.1:
            return self.anything()
        data = (
            self.files[kind]
            if self.chance.random() < whole
            else spoilt(self.chance, self.files, self.files[kind])
        )
        return self.put(data, kind)

    def picture(self, whole: float = 0.4) -> str:
        """A photo."""
        return self.file(PICTURES, whole)

    def film(self) -> str:
        """A recording."""
        return self.file(FILMS)

    def record(self) -> str:
        """A record of a hand."""
        if self.chance.random() < 0.1:
            return self.anything()
        data = (
            whole_record(self.chance)
            if self.chance.random() < 0.2
            else spoilt_record(self.chance, self.files)
        )
        return self.put(data, "jsonl")

    def match(self) -> str:
        """The file of a match."""
        if self.chance.random() < 0.1:
            return self.anything()
        value = _MATCH if self.chance.random() < 0.4 else spoilt_value(self.chance, _MATCH)
        return self.put(written(self.chance, value), "json")

    def decks(self) -> str:
        """A folder of decks that were enrolled."""
        folder = self.folder / self.chance.choice(["decks", "[b]"])
        folder.mkdir(exist_ok=True)
        for name in ("red", self.chance.choice(["blue", *_NAMES])):
            whole, path = self.files["npz"], folder / f"{name}.npz"
            path.write_bytes(self.chance.choice([whole, whole, spoilt(self.chance, self.files, whole)]))
            self.given[path] = path.read_bytes()
        return str(folder) if self.chance.random() < 0.8 else self.anything()

    def anything(self) -> str:
        """A file that was meant for something else, or no file at all."""
        odd = [
            "",
            ".",
            "/",
            "nothere.jpg",
            "no/such/folder/x",
            "-",
            "--",
            "x" * 300,
            "/dev/null",
            "/dev/zero",
        ]
        odd.append(self._pipe())
        if self.chance.random() < 0.5:
            return self.chance.choice(odd)
        kind = self.chance.choice(list(self.files))
        return self.put(spoilt(self.chance, self.files, self.files[kind]), kind)

    def _pipe(self) -> str:
        """A pipe that nobody writes to: whoever opens it waits."""
        path = self.folder / "pipe"
        if not path.exists():
            os.mkfifo(path)
        return str(path)

    def target(self, *endings: str) -> str:
        """Where something is to be written; now and then where something lies."""
        there = [*map(str, self.given)]
        if self.careful:
            return str(self.folder / f"{self.chance.choice(['out', 'new/folder/out'])}{endings[0]}")
        name = self.chance.choice(["out", "new/folder/out", *_NAMES])
        path = str(self.folder / f"{name}{self.chance.choice(endings)}")
        return self.chance.choice(
            [path, path, path, *there[:2], str(self.folder), "/dev/null", "/dev/full/x", ""]
        )

    def word(self, *good: str, odd: tuple[str, ...] = ()) -> str:
        """A word for an option: a good one, or one of any kind where typing is careless."""
        if self.careful or self.chance.random() < 0.5:
            return self.chance.choice(good)
        plain = words(self.chance).replace("\0", "")
        return self.chance.choice([*odd, plain, self.chance.choice(_NAMES)])

    def some(self, *options: list[str], often: float = 0.25) -> list[str]:
        """Some of these options."""
        chosen = [option for option in options if self.chance.random() < often]
        self.chance.shuffle(chosen)
        return [word for option in chosen for word in option]

    def pair(self, seats: tuple[str, ...], values: tuple[str, ...], odd: tuple[str, ...] = ()) -> str:
        """SEAT=VALUE, or what was meant so."""
        pair = f"{self.word(*seats, odd=_SEATS)}={self.word(*values, odd=odd)}"
        return pair if self.careful else self.chance.choice([pair, pair, pair.replace("=", "")])


def _number(box: Box) -> str:
    return box.word("1", "2", "30", odd=("0", "1.5", "99999", "٣", "1e3", "0x10", " 1", "-1"))


def _table(box: Box) -> list[str]:
    corners = [
        "10,10",
        "300,12",
        "310,170",
        box.word("8,160", odd=("1,2,3", "nan,1", "-5,-5", "1e9,1", "1000,5")),
    ]
    if not box.careful and box.chance.random() < 0.3:
        corners = corners[: box.chance.randrange(4)] * 2
    size = box.word("1200,700", "1,9000", odd=("0,0", "700", "inf,inf"))
    return [word for corner in corners for word in ("--table", corner)] + ["--table-size", size]


def see(box: Box) -> list[str]:
    """`see` with pictures, drawings, decks and what is known of the table."""
    images = [box.picture() for _ in range(box.chance.choice([1, 1, 2, 3]))]
    marker = ["--marker-size", _number(box)]
    draw = ["--draw", box.target(".png", ".jpg", "", ".gif"), *box.some(["--full-size"])]
    known = box.some(_table(box), marker, often=0.1)
    more = box.some(draw, ["--json"], ["--game", box.word("nerts", odd=("nuts",))], ["--decks", box.decks()])
    return ["see", *images, *more, *known]


def score(box: Box) -> list[str]:
    """`score` with photos, what is left, whose deck is which, and a match."""
    photos = [box.picture(0.8) for _ in range(box.chance.choice([1, 1, 2]))]
    seats, decks = ("north", "south"), ("red", "blue")
    left = ["--left", box.pair((*seats, "red"), ("3", "13", box.picture(0.8)), ("53", "-1", "nothere.jpg"))]
    named = [
        word
        for deck, seat in zip(decks, seats, strict=True)
        for word in ("--deck", box.pair((deck,), (seat,)))
    ]
    kept = ["--match", box.match() if box.chance.random() < 0.8 else box.target(".json")]
    odd = box.some(
        ["--call", box.word(*seats, "nobody", odd=("ann",))], ["--edit", _number(box)], ["--again"], often=0.1
    )
    more = box.some(["--json"], ["--together"], ["--apart"], ["--decks", box.decks()], often=0.2)
    return ["score", *photos, *box.some(left), *box.some(named, kept, often=0.7), *odd, *more]


def enrol(box: Box) -> list[str]:
    """`enrol` with a name and photos."""
    name = box.word("red lions", "red", odd=("unknown", "unknown 2", "../x", "a=b"))
    photo = box.file(("PNG", "PNG", "heif"), 0.8)
    return ["enrol", name, photo, *box.some([box.picture()], ["--decks", box.decks()], ["--json"])]


def check(box: Box) -> list[str]:
    """`check` with a record, in a file or on standard input."""
    if box.chance.random() < 0.2:
        box.typed = spoilt_record(box.chance, box.files)
        return ["check", "-", *box.some(["--json"])]
    return ["check", box.record(), *box.some(["--json"], often=0.5)]


def match(box: Box) -> list[str]:
    """`match` with its file and a hand, typed or in records."""
    kind = box.chance.choice(["typed", "typed", "records", "records", "none", "new"])
    file = (
        box.target(".json") if kind == "new" else box.record() if box.chance.random() < 0.1 else box.match()
    )
    hands: list[str] = []
    if kind in ("typed", "new"):
        numbers = box.chance.choice([("12", "-3"), ("23/4", "10/0/2")])
        odd = ("99999", "-3/2", "1/2/3/4", "1_0", "1/", "53/0", "0/14", "1/1/2")
        hands = [f"{seat}={box.word(*numbers, odd=odd)}" for seat in ("north", "south")]
    elif kind == "records":
        hands = [box.record() for _ in range(box.chance.choice([1, 1, 2]))]
    sides = ("ann,Ann", "a+b,c+d", ",", "north,south,north", "north", "+,+")
    begun = box.some(["--seats", box.word("north,south", odd=sides)], often=0.9 if kind == "new" else 0.05)
    rules = box.some(
        ["--game", box.word("nerts", odd=("canfield", "x"))], ["--set", _house_rule(box)], often=0.1
    )
    named = ["--as", box.pair(("north", "south"), ("ann", "north", "south"))]
    more = box.some(named, ["--call", box.word("north", odd=_SEATS)], ["--edit", _number(box)], often=0.1)
    undo = box.some(["--again"], ["--undo"], ["--redo"], often=0.3 if kind == "none" else 0.05)
    return ["match", file, *hands, *begun, *rules, *more, *undo, *box.some(["--json"])]


def replay(box: Box) -> list[str]:
    """`replay` with a recording."""
    video = box.film()
    call = ["--call", box.word("north", "north@2", odd=("x@y", "@", "south@1e9", "north@-1"))]
    told = box.some(call, ["--deck", box.pair(("blue", "[b]"), ("north", "south"))])
    rules = box.some(
        ["--game", box.word("nerts", odd=("nuts", "pishe-pasha"))], ["--set", _house_rule(box)], often=0.1
    )
    out = box.some(["--out", box.target(".jsonl", ".mp4")], ["--json"], often=0.5)
    return ["replay", video, *told, *rules, *out, *box.some(_table(box), often=0.1)]


def rules(box: Box) -> list[str]:
    """`rules` of games, known and unknown."""
    game = box.some(
        [box.word("nerts", "Team Nuts", "pounce", "canfield", odd=("nurts", "settings"))], often=0.9
    )
    return ["rules", *game, *box.some(["--set", _house_rule(box)], ["--set", _house_rule(box)], ["--json"])]


def _house_rule(box: Box) -> str:
    keys = ("penalty", "nerts_cards", "stuck", "ties", "call_threshold", "onto_nuts", "caller_bonus")
    values = ("200", "true", "none", "0.5", "bury", "10" * 9, "-1", "'")
    rule = box.word(
        "target=200",
        "target=50",
        "penalty=1",
        odd=tuple(f"{key}={box.chance.choice(values)}" for key in keys),
    )
    return rule


def markers(box: Box) -> list[str]:
    """`markers` of any size anywhere."""
    size = box.word("40", "30.25", odd=("0", "1e-9", "500", ".5"))
    return [
        "markers",
        "--out",
        box.target(".png", "", ".txt", ".jpg"),
        *box.some(["--size", size], ["--json"]),
    ]


def doctor(box: Box) -> list[str]:
    """`doctor`, with a camera that is not there."""
    return ["doctor", *box.some(["--camera", box.word("97", odd=("-1", "x", "1e3"))], ["--json"], often=0.6)]


def demo(box: Box) -> list[str]:
    """`demo` that leaves its report anywhere, of a sample beside which anything stands."""
    whole = box.files["mp4"]
    box.sample = box.folder / "sample.mp4"
    box.sample.write_bytes(whole if box.chance.random() < 0.7 else spoilt(box.chance, box.files, whole))
    if box.chance.random() < 0.8:
        facts = written(box.chance, spoilt_value(box.chance, _FACTS))
        box.sample.with_suffix(".json").write_bytes(facts)
    if box.chance.random() < 0.2:  # a folder where the report should lie
        box.folder.joinpath("out", "report.html").mkdir(parents=True)
    return ["demo", *box.some(["--out", box.target("", ".jsonl")], often=0.9), *box.some(["--json"])]


def serve(box: Box) -> list[str]:
    """`serve` at an address that cannot be, with recordings anywhere."""
    if box.chance.random() < 0.4:
        _fill_shelf(box)
        return ["serve", "--port", "0", "--recordings", str(box.folder / "shelf")]
    host = box.chance.choice(["127.0.0.1", "127.0.0.1", "127.0.0.1", "x" * 300, "..", "\udcff", "a b", "1:2"])
    shelf = box.some(["--recordings", box.target("", "/x")], often=0.8)
    allowed = box.some(["--allow-host", box.word("myhost", odd=("http://x", "[::1]", "::1", "a.b:80"))])
    return ["serve", "--host", host, "--port", box.word("0", odd=("65536", "-1", "8o80")), *shelf, *allowed]


def _fill_shelf(box: Box) -> None:
    """Recordings that were kept before, with what they were called and what was told of them."""
    for number in range(3):
        folder = box.folder / "shelf" / f"hand-{number}"
        folder.mkdir(parents=True)
        facts = {"name": "hand.mp4", "video": "video.mp4", "game": "nerts"}
        folder.joinpath("video.mp4").write_bytes(spoilt(box.chance, box.files, box.files["mp4"]))
        folder.joinpath("recording.json").write_bytes(written(box.chance, spoilt_value(box.chance, facts)))
        folder.joinpath("record.jsonl").write_bytes(spoilt_record(box.chance, box.files))


def nonsense(box: Box) -> list[str]:
    """Words that make no command, and options that none has."""
    options = ("--json", "--help", "-h", "--", "-", "--version", "--out", "--set=", "--game=nerts")
    given = [box.word(*COMMANDS, *options, odd=options) for _ in range(box.chance.randrange(5))]
    # these would wait for a browser, a camera, or refill the folder that is in use
    return [word for word in given if word not in ("serve", "demo", "--serve")] or ["--help"]


CASES: list[Callable[[Box], list[str]]] = [
    *([see] * 5 + [score] * 6 + [enrol] * 2 + [check] * 8 + [match] * 8 + [replay] * 4),
    *([rules] * 2 + [markers, doctor, demo, serve, nonsense]),
]
