"""The thread of a hand: lost where the table contradicts what is believed, looked for, and found."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from umpire_table import Eye, Table, umpired

from referee.live.session.suspicions import LOST_ALONE, Suspicions
from referee.live.session.thread import AS_IT_LIES_S, follow_thread
from referee.record.check import check_lines
from referee.record.lines import dump
from referee.rules.places import WORK, Place
from referee.umpire.again.certain import EVERY_S, Certain
from referee.umpire.again.kept import Look, Watched
from referee.umpire.sights import View
from referee.umpire.story import Lift
from referee.umpire.umpire import Umpire

TABLE = Table(0, 30.0)
#: Nobody sees the work piles of north between these moments (s).
HIDDEN_S = 5.0, 15.0


@cache
def sharp() -> Umpire:
    return umpired(TABLE, Eye(0, wrong=0.0, missed=0.0))


class Watching:
    """A hand that is followed by views, as the live referee does; its lines of states beside it."""

    def __init__(self) -> None:
        self.umpire = sharp().anew(24)
        self.suspicions = Suspicions(self.umpire)
        self.states: list[dict[str, Any]] = []
        self.looked_for: list[Place] = []

    def find_again(self, place: Place, since: float) -> None:
        self.looked_for.append(place)
        self.umpire.find_again(since)

    def see(self, view: View) -> None:
        watched = Watched(view)
        self.umpire.explain(view)
        self.umpire.kept.add(watched, self.umpire.story.piles)
        self.suspicions.view(view)
        line = follow_thread(self, self.suspicions, view.at)  # type: ignore[arg-type]
        if line is not None:
            self.states.append(dict(line))

    @property
    def said(self) -> list[tuple[str, str, str]]:
        return [(line["state"], line["seat"], line["place"]) for line in self.states]


def is_hidden(look: Look) -> bool:
    own = look.place.kind == WORK and look.place.seat == "north"
    return own and HIDDEN_S[0] < look.at < HIDDEN_S[1]


def plays(umpire: Umpire, since: float) -> list[tuple[str, str, tuple[str, ...]]]:
    events = umpire.story.events()
    return [(e.seat, str(e.target), e.cards) for e in events if e.event.kind == "play" and e.at > since]


def test_a_player_whose_piles_nobody_saw_for_a_while_is_lost_and_found_and_followed_from_then_on() -> None:
    watching = Watching()
    for look in sharp().kept:
        if not is_hidden(look):
            watching.see(look.view())
    assert watching.said == [("lost", "north", "work 4"), ("found", "north", "work 4")]
    assert watching.looked_for == [Place(WORK, 4, "north")]
    found = watching.states[-1]["at"]
    assert found < 27.0
    assert plays(watching.umpire, found) == plays(sharp(), found) != []
    seats = [{"seat": "north", "deck": "blue"}, {"seat": "south", "deck": "red"}]
    header = {"record": 1, "game": "nerts", "seats": seats}
    assert check_lines(dump(line) + b"\n" for line in [header, *watching.states]).status == 0


def test_a_hand_that_is_followed_is_never_lost() -> None:
    watching = Watching()
    for look in sharp().kept:
        watching.see(look.view())
    assert watching.states == []


def test_what_goes_on_contradicting_is_taken_as_it_lies() -> None:
    umpire = sharp().anew(24)
    looks = list(sharp().kept)
    for look in looks:
        umpire.explain(look.view())
    place = next(p for p, pile in umpire.story.piles.items() if p.kind == WORK and len(pile) > 2)
    lies = [card.face for card in umpire.story.pile(place)]
    umpire.beam.lay(place, umpire.story.pile(place)[:1])
    umpire.lay_as_seen(place)
    assert [card.face for card in umpire.story.pile(place)] == lies
    # what came to lie there unseen cannot be explained from the beginning any more
    assert not umpire.kept.whole


class Stubborn:
    """A referee whose umpire believes what it did, whatever is seen."""

    def __init__(self) -> None:
        self.laid: list[Place] = []

    @property
    def umpire(self) -> Stubborn:
        return self

    def find_again(self, place: Place, since: float) -> None:
        pass

    def lay_as_seen(self, place: Place) -> None:
        self.laid.append(place)


def test_one_place_that_contradicts_long_enough_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    place, referee = Place(WORK, 1, "north"), Stubborn()
    suspicions = Suspicions(sharp())
    said = []
    for n in range(LOST_ALONE + 40):
        now = 40.0 + 0.1 * n
        suspicions.view(View(place, now, 0, now, []))
        line = follow_thread(referee, suspicions, now)  # type: ignore[arg-type]
        if line is not None:
            said.append((line["state"], round(now - 40.0, 1)))
    assert said == [("lost", 0.1 * (LOST_ALONE - 1))]
    assert set(referee.laid) == {place}
    assert len(referee.laid) == pytest.approx(41 - 10 * AS_IT_LIES_S, abs=1)


def test_what_is_certain_is_kept_every_few_seconds_but_not_with_a_card_in_hand() -> None:
    certain, beam = Certain(), sharp().anew(24).beam
    certain.note(beam, 1.0)
    certain.note(beam, 1.0 + EVERY_S / 2)
    assert [at and at[0] for at in (certain.before(1.0), certain.before(9.0))] == [None, 1.0]
    beam.best.lifted = (Lift(Place(WORK, 1, "north"), (), 2.0),)
    certain.note(beam, 10.0)
    assert (certain.before(20.0) or (0.0,))[0] == 1.0
    beam.best.lifted = ()
    certain.note(beam, 11.0)
    assert (certain.before(20.0) or (0.0,))[0] == 11.0
    certain.forget(5.0)
    assert (certain.before(20.0) or (0.0,))[0] == 1.0
