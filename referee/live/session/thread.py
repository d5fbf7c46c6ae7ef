"""The thread of a hand: lost where a place is seen otherwise than believed again and again, then looked for and found."""

from __future__ import annotations

from referee.live.hand import Referee
from referee.live.session.suspicions import Suspicions
from referee.live.session.told import Line
from referee.rules.places import Place

#: What is still seen otherwise so long (s) after the thread was lost is taken as it lies.
AS_IT_LIES_S = 2.0
#: What made it lost began up to so long (s) before it was first seen: until then nothing contradicted it.
BEGAN_S = 15.0


def follow_thread(referee: Referee, suspicions: Suspicions, now_s: float) -> Line | None:
    """The `state` line that says so when the thread is lost or found; None where nothing has changed.

    Where it is lost, what was seen since the last certain moment is explained again by more stories, and the places of
    that seat are looked at; what still contradicts lies as it is seen from then on.
    """
    lost = suspicions.lost_at
    if lost is None:
        place = suspicions.odd_place()
        if place is None or suspicions.perhaps_since() is not None:
            return None
        suspicions.lost_at = place, now_s
        referee.find_again(place, suspicions.odd_since() - BEGAN_S)
        return _state("lost", place, now_s)
    place, since_s = lost
    if suspicions.found_again():
        suspicions.lost_at = None
        return _state("found", place, now_s)
    if now_s - since_s >= AS_IT_LIES_S:
        for odd in suspicions.odd_places():
            referee.umpire.lay_as_seen(odd)
    return None


def _state(state: str, place: Place, at: float) -> Line:
    line: Line = {"event": "state", "at": round(at, 3), "state": state, "place": place.own_name}
    return line | ({"seat": place.seat} if place.seat else {})
