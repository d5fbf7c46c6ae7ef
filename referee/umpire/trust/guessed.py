"""Cards that nobody had seen before they were laid: whose they were is guessed, until it is said whose arm laid them."""

from __future__ import annotations

from itertools import islice

from referee.umpire.beam import Beam
from referee.umpire.odds import Odds
from referee.umpire.sights import View
from referee.umpire.story import Believed, Story

#: A story that is less likely than this (log) is not worth asking whose arm it was; what is asked is among the last so
#: many events.
LIKELY, LATELY = -6.0, 16


def is_asked(beam: Beam, view: View) -> bool:
    """Whether a likely story guesses who laid what a view showed first."""
    return any(_guess(story, view) for story in beam.stories if story.weight >= LIKELY)


def laid_by(beam: Beam, view: View, seat: str, odds: Odds) -> None:
    """A seat's arm alone was there when what a view shows was laid: stories that guess at another one are less likely."""

    def cost(story: Story) -> float:
        guess = _guess(story, view)
        return odds.guessed_arm if guess is not None and guess.seat != seat else 0.0

    beam.weigh(cost)


def _guess(story: Story, view: View) -> Believed | None:
    for event in islice(story.past or (), LATELY):
        if event.target == view.place and event.event.frames == view.frames and event.is_guessed:
            return event
    return None
