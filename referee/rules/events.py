"""The events of a record, one small class a kind, and how each is read from and written to JSON.

An event holds what its line says and nothing else: cards as text ("7H", "??"), places as written ("work 3").
Only what needs no knowledge of the table is checked here; `BadEventError` names the field.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from referee.rules.cards import MASKS

Json = dict[str, Any]
Interval = tuple[float, float]


class BadEventError(ValueError):
    """An event that cannot be: the message names the field and what is wrong with it."""


def read_number(value: Any) -> float:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not -1e12 < value < 1e12:
        raise BadEventError("is no number")
    return float(value)


def read_share(value: Any) -> float:
    """A number between 0 and 1."""
    number = read_number(value)
    if not 0 <= number <= 1:
        raise BadEventError("is not between 0 and 1")
    return number


def read_text(value: Any) -> str:
    """Text that is not empty."""
    if not isinstance(value, str) or not value:
        raise BadEventError("is no text")
    return value


#: The closed lists of words: which hand moved, why a hand ended, what is to follow a right call of Stop.
HANDS = ("left", "right")
ENDS = ("called", "stuck", "stopped", "finished")
CHOICES = ("correct", "end-turn")
#: Why a picture told nothing; whether the umpire has lost the thread, or found it again.
GAPS = ("frozen", "unreadable", "dark", "covered", "moved", "few-frames")
STATES = ("lost", "found")
#: The most that one is sure of what was not seen but follows from what was.
INFERRED = 0.85


def _word(value: Any, words: tuple[str, ...]) -> str:
    if value not in words:
        said = read_text(value)
        raise BadEventError(f"cannot be {said[:40]!r} (write {', '.join(words[:-1])} or {words[-1]})")
    return str(value)


def read_hand(value: Any) -> str:
    """Left or right."""
    return _word(value, HANDS)


def read_end(value: Any) -> str:
    """Why a hand ended."""
    return _word(value, ENDS)


def read_choice(value: Any) -> str:
    """What is to follow a call of Stop."""
    return _word(value, CHOICES)


def read_gap(value: Any) -> str:
    """Why a picture told nothing."""
    return _word(value, GAPS)


def read_state(value: Any) -> str:
    """Whether the umpire is lost."""
    return _word(value, STATES)


def read_flag(value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise BadEventError("is neither true nor false")
    return value


def read_index(value: Any) -> int:
    """An index of the record, or a count."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1e12:
        raise BadEventError("is no index")
    return value


def read_interval(value: Any) -> Interval:
    """A pair [earliest, latest]."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise BadEventError("is no pair [earliest, latest]")
    first, last = read_number(value[0]), read_number(value[1])
    if first > last:
        raise BadEventError("ends before it begins")
    return first, last


def read_card(value: Any) -> str:
    """A card as written."""
    if not isinstance(value, str) or value not in MASKS:
        raise BadEventError(f"holds {value!r}, which is no card (rank then suit, as TH; ?? if unknown)")
    return value


def read_cards(value: Any) -> tuple[str, ...]:
    """A list of cards."""
    if not isinstance(value, list | tuple):
        raise BadEventError("is no list of cards")
    return tuple(read_card(card) for card in value)


def _pile(value: Any) -> tuple[str, ...]:
    if isinstance(value, int) and not isinstance(value, bool):
        if not 0 <= value <= 52:
            raise BadEventError(f"counts {value} cards in a pile")
        return ("??",) * value
    return read_cards(value)


def read_piles(value: Any) -> dict[str, tuple[str, ...]]:
    """Piles by place; a number stands for so many unknown cards."""
    if not isinstance(value, dict):
        raise BadEventError("is no table of piles")
    return {place: _pile(pile) for place, pile in value.items()}


def read_counts(value: Any) -> dict[str, int]:
    """Counts by place."""
    if not isinstance(value, dict):
        raise BadEventError("is no table of numbers")
    return {place: read_index(count) for place, count in value.items()}


def read_texts(value: Any) -> tuple[str, ...]:
    """A list of texts."""
    if not isinstance(value, list | tuple):
        raise BadEventError("is no list")
    return tuple(read_text(text) for text in value)


def read_object(value: Any) -> Json:
    """An object as it is."""
    if not isinstance(value, dict):
        raise BadEventError("is no object")
    return value


def read_objects(value: Any) -> tuple[Json, ...]:
    """A list of objects."""
    if not isinstance(value, list | tuple) or not all(isinstance(item, dict) for item in value):
        raise BadEventError("is no list of objects")
    return tuple(value)


#: JSON name -> (attribute, reader). A reader raises BadEventError with the end of a sentence.
Fields = dict[str, tuple[str, Callable[[Any], Any]]]
_WHO: Fields = {"seat": ("seat", read_text)}
_SEEN: Fields = {"confidence": ("confidence", read_share), "frames": ("frames", read_interval)}
COMMON: Fields = {"at": ("at", read_number), **_WHO, **_SEEN}
_MOMENTS: Fields = {
    "lifted": ("lifted", read_interval),
    "landed": ("landed", read_interval),
    "hand": ("hand", read_hand),
    "over": ("over", read_index),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What every event has. `at` in seconds from the start of the recording; `frames` [first, last]."""

    kind: ClassVar[str] = ""
    FIELDS: ClassVar[Fields] = {}
    REQUIRED: ClassVar[tuple[str, ...]] = ()
    #: Fields that are written even where they equal their default.
    WRITTEN: ClassVar[tuple[str, ...]] = ()

    at: float = 0.0
    seat: str | None = None
    confidence: float = 1.0
    frames: Interval | None = None
    #: Fields of the line that the referee does not know; written back as they came.
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def to_json(self) -> Json:
        """The event as a line of a record; what equals its default is left out, but for `at`."""
        line: Json = {"event": self.kind, "at": self.at}
        for name, (attribute, _) in (_WHO | self.FIELDS | _SEEN).items():
            value = getattr(self, attribute)
            default = type(self).__dataclass_fields__[attribute].default
            if name in self.REQUIRED + self.WRITTEN or value != default:
                line[name] = value if not isinstance(value, tuple) else list(value)
        return line | dict(self.extra)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deal(Event):
    """A deck laid out: piles bottom to top by place; `up` overrides how many lie face up from the top."""

    kind: ClassVar[str] = "deal"
    FIELDS: ClassVar[Fields] = {"piles": ("piles", read_piles), "up": ("up", read_counts)}
    REQUIRED: ClassVar[tuple[str, ...]] = ("piles",)

    piles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    up: Mapping[str, int] = field(default_factory=dict)

    def to_json(self) -> Json:
        """The deal as a line of a record."""
        line: Json = {"event": self.kind, "at": self.at}
        if self.seat is not None:
            line["seat"] = self.seat
        if self.confidence != 1.0:
            line["confidence"] = self.confidence
        if self.frames is not None:
            line["frames"] = list(self.frames)
        line["piles"] = {place: list(pile) for place, pile in self.piles.items()}
        if self.up:
            line["up"] = dict(self.up)
        return line | dict(self.extra)


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun(Event):
    """The hand had begun: what is seen to lie in a seat's places, or (without a seat) in the centre, bottom to top.

    A place of a seat that is named holds these cards and no others, unless it is among those of which there may be
    `more` underneath. Whose the cards of the centre are cannot be seen.
    """

    kind: ClassVar[str] = "begun"
    FIELDS: ClassVar[Fields] = {"piles": ("piles", read_piles), "more": ("more", read_texts)}
    REQUIRED: ClassVar[tuple[str, ...]] = ("piles",)

    piles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    more: tuple[str, ...] = ()

    def to_json(self) -> Json:
        """What lay there as a line of a record."""
        piles = {place: list(pile) for place, pile in self.piles.items()}
        # a mapping has no default to be compared with
        return {**super(Begun, self).to_json(), "piles": piles}


@dataclass(frozen=True, slots=True, kw_only=True)
class Motion(Event):
    """What a hand does with cards: when lifted, when come to rest, which hand, over which play."""

    lifted: Interval | None = None
    landed: Interval | None = None
    hand: str | None = None
    over: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw(Motion):
    """Cards turned from the stock, in the order in which they came to lie (the last is on top)."""

    kind: ClassVar[str] = "draw"
    FIELDS: ClassVar[Fields] = {"cards": ("cards", read_cards), **_MOMENTS}
    REQUIRED: ClassVar[tuple[str, ...]] = ("cards",)

    cards: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.seat} draws {' '.join(self.cards)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Play(Motion):
    """Cards (bottom to top) moved from `source` to `target`; `under`: slid underneath the pile there."""

    kind: ClassVar[str] = "play"
    FIELDS: ClassVar[Fields] = {
        "cards": ("cards", read_cards),
        "from": ("source", read_text),
        "to": ("target", read_text),
        "under": ("under", read_flag),
        "bottom": ("bottom", read_flag),
        **_MOMENTS,
    }
    REQUIRED: ClassVar[tuple[str, ...]] = ("cards", "from", "to")

    cards: tuple[str, ...]
    source: str
    target: str
    under: bool = False
    bottom: bool = False

    def __str__(self) -> str:
        how = "under " if self.under else ""
        return f"{self.seat} {' '.join(self.cards)} {self.source} → {how}{self.target}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeBack(Motion):
    """Cards returned: `source` is where they lie, `target` where they came from."""

    kind: ClassVar[str] = "take-back"
    FIELDS: ClassVar[Fields] = {
        "cards": ("cards", read_cards),
        "from": ("source", read_text),
        "to": ("target", read_text),
        **_MOMENTS,
    }
    REQUIRED: ClassVar[tuple[str, ...]] = ("cards", "from", "to")

    cards: tuple[str, ...]
    source: str
    target: str

    def __str__(self) -> str:
        return f"{self.seat} takes back {' '.join(self.cards)} {self.source} → {self.target}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn(Event):
    """A face-down card turned up."""

    kind: ClassVar[str] = "turn"
    FIELDS: ClassVar[Fields] = {"place": ("place", read_text), "card": ("card", read_card)}
    REQUIRED: ClassVar[tuple[str, ...]] = ("place",)
    WRITTEN: ClassVar[tuple[str, ...]] = ("card",)

    place: str
    card: str = "??"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recycle(Event):
    """The waste (or discard pile) turned over as the new stock."""

    kind: ClassVar[str] = "recycle"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bury(Event):
    """The stock's top card (or the bottom card of `source`) put to the bottom of the stock."""

    kind: ClassVar[str] = "bury"
    FIELDS: ClassVar[Fields] = {"from": ("source", read_text), "card": ("card", read_card)}

    source: str | None = None
    card: str = "??"


@dataclass(frozen=True, slots=True, kw_only=True)
class Touch(Motion):
    """A hand or card that comes to a place without a play."""

    kind: ClassVar[str] = "touch"
    FIELDS: ClassVar[Fields] = {"place": ("place", read_text), **_MOMENTS}
    REQUIRED: ClassVar[tuple[str, ...]] = ("place",)

    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Event):
    """A word called out: "Nerts", "Nuts", …; for "Stop" `of` which event, and `choice` what is to follow."""

    kind: ClassVar[str] = "call"
    FIELDS: ClassVar[Fields] = {
        "word": ("word", read_text),
        "of": ("of", read_index),
        "choice": ("choice", read_choice),
    }
    REQUIRED: ClassVar[tuple[str, ...]] = ("word",)

    word: str
    of: int | None = None
    choice: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAside(Event):
    """A foundation put aside."""

    kind: ClassVar[str] = "set-aside"
    FIELDS: ClassVar[Fields] = {"place": ("place", read_text)}
    REQUIRED: ClassVar[tuple[str, ...]] = ("place",)

    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class End(Event):
    """The hand is over: called, stuck, stopped or finished."""

    kind: ClassVar[str] = "end"
    FIELDS: ClassVar[Fields] = {"why": ("why", read_end)}

    why: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Correct(Event):
    """A person's correction of the event at index `of`."""

    kind: ClassVar[str] = "correct"
    FIELDS: ClassVar[Fields] = {
        "of": ("of", read_index),
        "with": ("replace", read_object),
        "drop": ("drop", read_flag),
        "insert": ("insert", read_objects),
        "by": ("by", read_text),
        "pass": ("again", read_index),
    }
    REQUIRED: ClassVar[tuple[str, ...]] = ("of",)

    of: int
    replace: Mapping[str, Any] | None = None
    drop: bool = False
    insert: tuple[Json, ...] = ()
    by: str | None = None
    #: In which pass over a recording it was found, from the second on.
    again: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt(Event):
    """What the event at index `of` may have been instead, and a question in plain words."""

    kind: ClassVar[str] = "doubt"
    FIELDS: ClassVar[Fields] = {
        "of": ("of", read_index),
        "candidates": ("candidates", read_objects),
        "asks": ("asks", read_text),
    }
    REQUIRED: ClassVar[tuple[str, ...]] = ("of",)

    of: int
    candidates: tuple[Json, ...] = ()
    asks: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Aside(Event):
    """Said beside the hand, of the recording or the umpire: it carries no weight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap(Aside):
    """The picture told nothing from `since` to `until` (s)."""

    kind: ClassVar[str] = "gap"
    FIELDS: ClassVar[Fields] = {
        "from": ("since", read_number),
        "to": ("until", read_number),
        "why": ("why", read_gap),
    }
    REQUIRED: ClassVar[tuple[str, ...]] = ("from", "to", "why")

    since: float
    until: float
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class State(Aside):
    """The umpire does not know, or knows again, what lies at a place (everywhere, if none is named)."""

    kind: ClassVar[str] = "state"
    FIELDS: ClassVar[Fields] = {"state": ("state", read_state), "place": ("place", read_text)}
    REQUIRED: ClassVar[tuple[str, ...]] = ("state",)

    state: str
    place: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Other(Aside):
    """An event that carries no weight: of an unknown kind, or a ruling or score that was written before."""

    name: str = ""


KINDS: dict[str, type[Event]] = {
    cls.kind: cls
    for cls in (
        *(Deal, Begun, Draw, Play, Turn, Recycle, Bury, TakeBack, Touch, Call, SetAside, End),
        *(Correct, Doubt),
        *(Gap, State),
    )
}
#: Kinds that make no sense without somebody who does them.
NEEDS_SEAT = frozenset({"draw", "play", "take-back", "turn", "recycle", "bury", "touch", "call"})
#: Kinds that say what was ruled and scored when they were written, not what holds now.
WEIGHTLESS = frozenset({"ruling", "score"})
#: Kinds whose `at` may be any: they are written when somebody looks back.
LOOKING_BACK = frozenset({"correct", "doubt", "gap", "state", "ruling", "score"})


def parse_event(line: Json) -> Event:
    """The event of a JSON object; `BadEventError` names the field that is missing or wrong."""
    name = line.get("event")
    if not isinstance(name, str):
        raise BadEventError("has no field 'event'")
    cls = KINDS.get(name)
    if cls is None:
        return Other(name=name, extra=line)
    fields = COMMON | cls.FIELDS
    values: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for key, value in line.items():
        if key in fields:
            if value is None:
                continue
            attribute, read = fields[key]
            try:
                values[attribute] = read(value)
            except BadEventError as error:
                raise BadEventError(f"{name}: field {key!r} {error}") from None
        elif key != "event":
            extra[key] = value
    for key in cls.REQUIRED:
        if fields[key][0] not in values:
            raise BadEventError(f"{name}: field {key!r} is missing")
    if cls in (Play, TakeBack) and not values["cards"]:
        raise BadEventError(f"{name}: field 'cards' is empty")
    if cls is Gap and values["since"] > values["until"]:
        raise BadEventError(f"{name}: field 'to' lies before field 'from'")
    return cls(**values, extra=extra)
