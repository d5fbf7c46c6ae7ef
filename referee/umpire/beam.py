"""The stories kept alive side by side, and what they agree on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from itertools import islice, takewhile
from math import inf
from typing import NamedTuple

import numpy as np

from referee.rules.places import Place
from referee.umpire.explain import HOPELESS, explain
from referee.umpire.odds import Odds
from referee.umpire.sights import View
from referee.umpire.story import Believed, Past, Pile, States, Story

#: Two tellings of one event may differ by this much in time (s).
SAME_EVENT_S = 2.5
#: Of what all stories tell, only what is no more than so much older (s) than the rest may be told again.
LOOKED_BACK_S = 20.0


class Beam:
    """The likeliest stories, best first. `push` a view, read `best`, `agreed` and `confidence`."""

    def __init__(self, first: Story, odds: Odds, width: int = 24) -> None:
        self.stories = [first]
        self.odds = odds
        self.width = width
        self.now = 0.0
        #: What all views so far have said for the likeliest story, but for its weight (log).
        self.evidence = 0.0
        #: Whether a story may go on so, from the one before; any may where nothing is said.
        self.admits: Callable[[Story, Story], bool] | None = None
        self._sharing: _Sharing | None = None

    @property
    def best(self) -> Story:
        """The likeliest story."""
        return self.stories[0]

    @property
    def total(self) -> float:
        """What all views so far have said for the likeliest story (log)."""
        return self.evidence + self.best.weight

    def push(self, view: View) -> None:
        """Continue every story so that it explains `view`."""
        self.wait(view.at)
        likeliest = _Likeliest(self.width)
        ways = [explain(story, view, self.odds) for story in self.stories]
        # what a story tells first is mostly that all lies as it believes: that shows soon what is not worth telling
        for most in (1, None):
            for number, (story, way) in enumerate(zip(self.stories, ways, strict=True)):
                for new in islice(way, most):
                    if self.admits is None or self.admits(new, story):
                        likeliest.add(self._charged(new, story), number)
                    view.floor = likeliest.floor
        # what the stories shared while they were held against this view is of no use to the next one
        view.memo.clear()
        view.floor = -inf
        self._keep(likeliest.stories)

    def lay(self, place: Place, pile: Pile) -> None:
        """Something has lain at a place all along that nobody had seen so far."""
        self.stories = [story.with_pile(place, pile) for story in self.stories]
        self._sharing = None

    def go_on(self, stories: Sequence[Story]) -> None:
        """Other stories turned out likelier, best first."""
        self.stories = [story.weighed(-stories[0].weight) for story in stories[: self.width]]
        self._sharing = None

    def weigh(self, cost: Callable[[Story], float]) -> None:
        """Something came to be known beside what was seen: by story, what it costs (log)."""
        self._keep(sorted((story.weighed(cost(story)) for story in self.stories), key=lambda s: -s.weight))

    def wait(self, now: float) -> None:
        """Let time pass: cards that stay in the air become unlikely."""
        if now <= self.now:
            return
        for story in self.stories:
            for held in story.lifted:
                before = self.odds.waiting(max(0.0, self.now - held.at))
                story.weight += self.odds.waiting(now - held.at) - before
        self.now = now
        self._sharing = None
        self.stories.sort(key=lambda s: -s.weight)

    def _charged(self, new: Story, old: Story) -> Story:
        """A card lifted long before this view has been waiting since then."""
        if new.lifted is old.lifted:
            return new
        known = set(map(id, old.lifted))
        charged = new.weighed(0.0)
        for held in new.lifted:
            if id(held) not in known:
                charged.weight += self.odds.waiting(self.now - held.at)
        return charged

    def _keep(self, stories: list[Story]) -> None:
        if not stories:
            return
        self.stories, self._sharing = stories, None
        top = self.best.weight
        self.evidence += top
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
        if self._sharing is None:
            self._sharing = _Sharing(self.stories, self.shares(), self.agreed())
        return min(self._sharing.share(event), event.caution)


class _Ranked(NamedTuple):
    """A story among those that explain a view; of equally likely ones what the likelier story tells, and tells first."""

    weight: float
    before: int
    sooner: int
    state: object
    story: Story


class _Likeliest:
    """The likeliest of the stories that are added, all different: of two that are one from here on the likelier."""

    def __init__(self, width: int) -> None:
        self.width = width
        #: Less likely stories (log) are not among them, whatever comes.
        self.floor = -inf
        self._best = -inf
        self._added = 0
        self._found: dict[object, _Ranked] = {}
        #: The same, the least likely first, with what was dropped since.
        self._heap: list[_Ranked] = []
        self._states = States()

    @property
    def stories(self) -> list[Story]:
        """All of them, best first."""
        ranked = sorted(self._found.values(), reverse=True)
        return [one.story for one in ranked if one.weight >= self._best + HOPELESS]

    def add(self, story: Story, number: int) -> None:
        """Take in what continues the story of this number."""
        if story.weight < self.floor:
            return
        self._added += 1
        new = _Ranked(story.weight, -number, -self._added, self._states.of(story), story)
        known = self._found.get(new.state)
        if known is not None and known > new:
            return
        self._found[new.state] = new
        heappush(self._heap, new)
        self._best = max(self._best, story.weight)
        if len(self._found) > self.width:
            del self._found[self._last().state]
        self.floor = self._best + HOPELESS
        if len(self._found) == self.width:
            self.floor = max(self.floor, self._last().weight)

    def _last(self) -> _Ranked:
        while self._found.get(self._heap[0].state) is not self._heap[0]:
            heappop(self._heap)
        return self._heap[0]


class _Sharing:
    """Which stories tell what, beyond what all of them tell in the same way; they share most of their past."""

    def __init__(self, stories: Sequence[Story], shares: Sequence[float], agreed: int) -> None:
        """`agreed`: how many events from the first on are the same in every story."""
        self._shares = shares
        #: By node of a past: the stories that go through it, a bit each.
        through: dict[int, int] = {}
        nodes: dict[int, Past] = {}
        common: Past | None = None
        for number, story in enumerate(stories):
            common = story.past
            while common is not None and common.length > agreed:
                through[id(common)] = through.get(id(common), 0) | 1 << number
                nodes[id(common)] = common
                common = common.before
        #: By what is told: when (s), and by which stories.
        self._told: dict[tuple[object, ...], list[tuple[Believed, int]]] = {}
        for key, node in nodes.items():
            self._add(node.last, through[key])
        since = min((node.last.at for node in nodes.values()), default=inf) - SAME_EVENT_S
        for event in takewhile(lambda told: told.at >= since - LOOKED_BACK_S, common or ()):
            self._add(event, (1 << len(stories)) - 1)

    def _add(self, event: Believed, tellers: int) -> None:
        self._told.setdefault(event.identity, []).append((event, tellers))

    def share(self, event: Believed) -> float:
        """The share of the stories that tell this event, at about its moment."""
        tellers = 0
        for told, by in self._told.get(event.identity, ()):
            if told is event or abs(told.at - event.at) <= SAME_EVENT_S:
                tellers |= by
        return sum(share for number, share in enumerate(self._shares) if tellers >> number & 1)
