"""Questions about single moments of a dealing, each with two pictures side by side: how it was before, and after.

A person who looks at them says whether a card more landed, and whose: then the doubt is none any more.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from referee.dealt.count import Count, Doubt
from vision.capture.frames import Image
from vision.dealt.landings import Landing

#: So many at most, for people stop reading.
MOST = 5
#: Cards more that a yes means, and a no, by what may be amiss.
YES = {"beside": 1, "two": 1, "unclear": 1, "unseen": 1, "pause": 1}
NO = {"haste": -1}
#: These may be about one card that nobody saw land, "just before" another one being no more than so long (s).
UNSEEN, JUST_BEFORE_S = ("unseen", "pause", "unclear"), 1.0
#: The second of two cards is surely of the deck for which it is counted, up to this chance that it is not.
SURE = 0.05
#: A yes to these leaves the count as it is.
AS_COUNTED = ("taken back unlike", "hardly", "haste", "apart", "few")
#: Width of each of the pictures, px; the line between them; what is said above.
WIDTH, LINE, SAID = 460, 6, 26
WHITE, DARK = (255, 255, 255), (40, 40, 40)


def asked(count: Count) -> list[Doubt]:
    """The doubts that a look at one moment settles, if they leave any count open; those that leave most of it first."""
    open_ones = {label for label, deck in count.decks.items() if not deck.sure}
    some = [
        doubt
        for doubt in count.doubts
        if doubt.about is not None
        and (doubt.kind in YES or doubt.kind in AS_COUNTED)
        and open_ones & doubt.shares.keys()
    ]
    return sorted(some, key=lambda doubt: -doubt.worth)[:MOST]


def answer(count: Count, doubt: Doubt, *, yes: bool, whose: str | None = None) -> None:
    """Takes what a person says of a doubt.

    `whose`: the label of the deck of a card that landed unseen, if it is known; else some deck has a card more, which
    leaves all of them open. A no that says nothing of the number of cards leaves the doubt.
    """
    if not is_open(count, doubt):
        return
    more = YES.get(doubt.kind, 0) if yes else NO.get(doubt.kind, 0)
    if doubt.counted is not None and (not yes or whose is not None):
        # what was counted for it is taken out, and what is said put in its place
        count.decks[doubt.counted].centre -= 1
        count.under = [one for one in count.under if one[0] is not doubt.about]
    elif doubt.counted is not None:
        more = 0
        if doubt.shares[doubt.counted] > SURE:
            return
    if not yes and doubt.kind in AS_COUNTED and not more:
        return
    if more and whose is None and len(doubt.shares) > 1:
        return
    if more:
        count.decks[whose or next(iter(doubt.shares))].centre += more
    same = [one for one in count.doubts if one is doubt or (yes and more and _of_one_card(one, doubt))]
    for one in same:
        for label, share in one.shares.items():
            count.decks[label].off -= share
        count.doubts = [other for other in count.doubts if other is not one]


def is_open(count: Count, doubt: Doubt) -> bool:
    """Has nothing that was answered settled it?"""
    return any(one is doubt for one in count.doubts)


def _of_one_card(one: Doubt, other: Doubt) -> bool:
    """May both be about the same card that was not seen?"""
    if one.kind not in UNSEEN or other.kind not in UNSEEN:
        return False
    (since, at), (begun, ended) = _time(one), _time(other)
    return since < ended and begun < at


def _time(doubt: Doubt) -> tuple[float, float]:
    """When a card may have landed unseen (s)."""
    about = doubt.about
    assert about is not None
    return (about.at - JUST_BEFORE_S if isinstance(about, Landing) else about.since), about.at


def still(doubt: Doubt) -> Image:
    """(h, w, 3) BGR: the place before and after, side by side."""
    about = doubt.about
    assert about is not None
    before, after = about.before, about.after
    if isinstance(about, Landing) and about.gone is not None and about.bare is not None:
        before, after = about.after, about.bare
    elif isinstance(about, Landing) and about.scene is not None:
        before, after = about.scene
    return _side_by_side([_large(before), _large(after)])


def _large(picture: Image) -> Image:
    height = round(WIDTH * picture.shape[0] / picture.shape[1])
    large = cv2.resize(picture, (WIDTH, height), interpolation=cv2.INTER_CUBIC)
    titled = cv2.copyMakeBorder(large, SAID, 0, 0, 0, cv2.BORDER_CONSTANT, value=WHITE)
    return np.asarray(titled, dtype=np.uint8)


def _side_by_side(pictures: Sequence[Image]) -> Image:
    for picture, name in zip(pictures, ("before", "after"), strict=True):
        cv2.putText(picture, name, (6, 19), cv2.FONT_HERSHEY_SIMPLEX, 0.55, DARK, 1, cv2.LINE_AA)
    line = np.full((pictures[0].shape[0], LINE, 3), WHITE[0], np.uint8)
    return np.ascontiguousarray(np.hstack([pictures[0], line, pictures[1]]))
