"""The stories kept alive side by side, and what they agree on."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from referee.rules.places import Place
from referee.umpire.explain import HOPELESS, explain
from referee.umpire.odds import Odds
from referee.umpire.sights import View
from referee.umpire.story import Believed, Past, Pile, Story

#: Two tellings of one event may differ by this much in time (s).
SAME_EVENT_S = 2.5
#: An event is not looked for among those so much older (s).
LOOKED_BACK_S = 20.0


class Beam:
    """The likeliest stories, best first. `push` a view, read `best`, `agreed` and `confidence`."""

    def __init__(self, first: Story, odds: Odds, width: int = 24) -> None:
        self.stories = [first]
        self.odds = odds
        self.width = width
        self.now = 0.0

    @property
    def best(self) -> Story:
        """The likeliest story."""
        return self.stories[0]

    def push(self, view: View) -> None:
        """Continue every story so that it explains `view`."""
        self.wait(view.at)
        grown = [s for story in self.stories for s in self._continued(story, view)]
        # what the stories shared while they were held against this view is of no use to the next one
        view.memo.clear()
        if grown:
            self._keep(grown)

    def lay(self, place: Place, pile: Pile) -> None:
        """Something has lain at a place all along that nobody had seen so far."""
        self.stories = [story.with_pile(place, pile) for story in self.stories]

    def wait(self, now: float) -> None:
        """Let time pass: cards that stay in the air become unlikely."""
        if now <= self.now:
            return
        for story in self.stories:
            for held in story.lifted:
                before = self.odds.waiting(max(0.0, self.now - held.at))
                story.weight += self.odds.waiting(now - held.at) - before
        self.now = now
        self.stories.sort(key=lambda s: -s.weight)

    def _continued(self, story: Story, view: View) -> list[Story]:
        found = list(explain(story, view, self.odds))
        for new in found:
            self._charge_late(new, story)
        return found

    def _charge_late(self, new: Story, old: Story) -> None:
        """A card lifted long before this view has been waiting since then."""
        known = set(map(id, old.lifted))
        for held in new.lifted:
            if id(held) not in known:
                new.weight += self.odds.waiting(self.now - held.at)

    def _keep(self, grown: Iterable[Story]) -> None:
        merged: dict[tuple[object, ...], Story] = {}
        ranked = sorted(grown, key=lambda s: -s.weight)
        for story in ranked:
            if story.weight < ranked[0].weight + HOPELESS or len(merged) >= self.width:
                break
            merged.setdefault(story.state(), story)
        self.stories = list(merged.values())
        top = self.best.weight
        for story in self.stories:
            story.weight -= top

    def shares(self) -> list[float]:
        """The probability of each story among those alive."""
        weights = np.exp(np.array([s.weight for s in self.stories]) - self.best.weight)
        return [float(w) for w in weights / weights.sum()]

    def agreed(self) -> int:
        """How many events from the first on are the same in every story."""
        nodes: list[Past | None] = [s.past for s in self.stories]
        while any(node is not nodes[0] for node in nodes):
            longest = max(node.length if node else 0 for node in nodes)
            nodes = [node.before if node and node.length == longest else node for node in nodes]
        return nodes[0].length if nodes[0] else 0

    def confidence(self, event: Believed) -> float:
        """Share of the stories in which this event happened, capped by its own caution."""
        known: dict[int, bool] = {}
        told = [_tells(story.past, event, known) for story in self.stories]
        share = sum(share for share, tells in zip(self.shares(), told, strict=True) if tells)
        return min(share, event.caution)


def _tells(past: Past | None, event: Believed, known: dict[int, bool]) -> bool:
    """Whether a past tells this event; `known`: by what node of it so far, as stories share most of their past."""
    walked, node, found = [], past, False
    while node is not None and not found:
        if id(node) in known:
            found = known[id(node)]
            break
        walked.append(id(node))
        told = node.last
        found = told is event or (abs(told.at - event.at) <= SAME_EVENT_S and told.same(event))
        node = node.before if told.at >= event.at - LOOKED_BACK_S else None
    known.update(dict.fromkeys(walked, found))
    return found
