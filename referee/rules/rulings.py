"""What the referee says: findings of the legality functions, and the rulings made of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple

from referee.rules.cards import faces_of, single

Verdict = Literal["illegal", "legal", "first", "too-close", "both-stay", "undecided"]


class Need(NamedTuple):
    """Knowledge that a decision waits for: is `card` one of `allowed`?

    With `onto`, `allowed` has one mask for each face that `onto` may have; without, it is one mask.
    """

    card: int
    onto: int | None
    allowed: tuple[int, ...] | int


#: What a card can be, by its number on the table.
Domain = Callable[[int], int]


@dataclass(frozen=True, slots=True)
class Question:
    """A decision that rests on several cards: True = allowed, False = not, None = cannot be said yet."""

    ask: Callable[[Domain], bool | None]


#: What no card that is shown can ever decide.
NEVER = Question(lambda domain: None)


def weigh(need: Need, card_domain: int, onto_domain: int, *, one_deck: bool) -> bool | None:
    """True: allowed for everything the cards can be. False: for nothing. None: it depends.

    `one_deck` says that both cards are of one deck and so cannot have the same face.
    """
    if isinstance(need.allowed, int):
        return _compare(card_domain, need.allowed)
    onto_face = single(onto_domain)
    if onto_face >= 0:
        return _compare(card_domain, need.allowed[onto_face])
    answers = set()
    for face in faces_of(onto_domain):
        left = card_domain & ~(1 << face) if one_deck else card_domain
        if left:
            answers.add(_compare(left, need.allowed[face]))
    return answers.pop() if len(answers) == 1 else None


def _compare(domain: int, allowed: int) -> bool | None:
    if not domain & ~allowed:
        return True
    return None if domain & allowed else False


class Finding(NamedTuple):
    """One rule that an event breaks, or may break.

    `need`: what is still missing to say so; None when it is settled. `subject`: the card it is about, where
    one event may break a rule once for each of several cards. `about`: log positions of the events
    it is about when that is not just the event judged. `rests_on`: cards whose sights it rests on; `events`:
    log positions of other events that it rests on. `seat`: the offender, the winner or the caller when that
    is not the seat of the event; "" = nobody.
    """

    rule: str
    name: str
    why: str
    need: Need | Question | None = None
    verdict: Verdict = "illegal"
    about: tuple[int, ...] = ()
    seat: str | None = None
    rests_on: tuple[int, ...] = ()
    events: tuple[int, ...] = ()
    confidence: float = 1.0
    evidence: tuple[tuple[str, Any], ...] = ()
    subject: int | None = None
    #: What a settled finding was weighed by, for the case that a sight proves wrong later.
    basis: Need | None = None

    def __str__(self) -> str:
        return f"{self.rule} {self.verdict}: {self.why}"


def one_a_rule(findings: Sequence[Finding]) -> list[Finding]:
    """One finding for each rule (and card, where it names one): a settled one where there is one."""
    chosen: dict[tuple[str, int | None], Finding] = {}
    for finding in findings:
        key = finding.rule, finding.subject
        other = chosen.get(key)
        if other is None or (other.need is not None and finding.need is None):
            chosen[key] = finding
    return list(chosen.values())


@dataclass(frozen=True, slots=True)
class Ruling:
    """A decision of the referee on the events at indices `of`, as the record's `ruling` line has it."""

    kind: ClassVar[str] = "ruling"

    ruling: str
    rule: str
    of: tuple[int, ...]
    seat: str | None
    verdict: Verdict
    why: str
    at: float = 0.0
    confidence: float = 1.0
    evidence: dict[str, Any] = field(default_factory=dict)
    #: Log positions of the events that it is about (several may have one index); not written.
    about: tuple[int, ...] = field(default=(), compare=False, repr=False)

    def to_json(self) -> dict[str, Any]:
        """The ruling as a line of a record."""
        return {
            "event": "ruling",
            "at": self.at,
            "seat": self.seat,
            "ruling": self.ruling,
            "rule": self.rule,
            "of": list(self.of),
            "verdict": self.verdict,
            "confidence": round(self.confidence, 4),
            "evidence": self.evidence,
            "why": self.why,
        }

    def __str__(self) -> str:
        return f"{self.rule} {self.verdict}: {self.why}"
