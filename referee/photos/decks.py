"""What each deck brings: its cards in the centre and those left over, by the players who have them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from referee.photos.score import DECK, DeckScore, Doubt, PhotoScore
from vision.photos.merging import MergedCard

#: So many cards at most are asked about where a deck seems to have too many: still more are two decks taken for one.
ASKED_BEYOND = 3
#: A design of so few cards beside one of so many, none of which shows so much of itself, may be a strip of another
#: deck's, glare or the table's edge: a deck that is there shows a card.
FEW, MANY, WHOLE = 2, 8, 0.7


class UnknownBackError(ValueError):
    """--deck names a back, or --left a seat, that the photos do not show."""


def fill_decks(
    result: PhotoScore,
    left: Mapping[str, int],
    seats: Mapping[str, str],
    penalty: int,
    players: Collection[str],
) -> None:
    """Gives a score its decks, in place, from the backs that were counted; what each is: `score_photos`.

    Raises UnknownBackError.
    """
    left = dict(left)
    counts = Counter(label for _, label in result.counted)
    _check_labels(counts, seats, players)
    for label in sorted(counts, key=lambda name: (-counts[name], name)):
        seat = seats.get(label)
        over = left.pop(seat or label, 0)
        result.doubts += _beyond_a_deck(result.counted, label, over)
        if seat is None and label not in players and (hardly := _hardly_seen(result.counted, counts, label)):
            result.doubts += hardly
            result.hardly.add(label)
        points = counts[label] - penalty * over
        # how sure that is: `referee/photos/certify.py`
        result.decks.append(DeckScore(label, seat, counts[label], over, points, 0.0))
    result.doubts += _beyond_one_player(result.decks)
    _fill_absent(result, left, seats, penalty, players)


def _hardly_seen(
    counted: Sequence[tuple[MergedCard, str]], counts: Mapping[str, int], label: str
) -> list[Doubt]:
    """Questions about a design that nobody is known to have and of which no card is seen nearly whole."""
    cards = [merged for merged, name in counted if name == label]
    if not hardly_seen(cards, counts):
        return []
    some = "one card" if len(cards) == 1 else f"{len(cards)} cards"
    asks = f"Only {some} with a {label} back, and not seen whole: is there such a deck?"
    return [Doubt.at(merged, asks, "card") for merged in cards]


def hardly_seen(cards: Sequence[MergedCard], counts: Mapping[str, int]) -> bool:
    """Are these cards of one design few beside those of another, by the `counts` of all, and none seen nearly whole?"""
    if len(cards) > FEW or max(counts.values()) < MANY:
        return False
    return not any(merged.card.visible_fraction >= WHOLE or merged.card.told for merged in cards)


def beyond_the_players(decks: Sequence[DeckScore], playing: int) -> list[Doubt]:
    """A question about the least of the decks where more were counted than people play (0: nobody says how many)."""
    seen = [deck for deck in decks if deck.centre]
    whose = {deck.seat or deck.back for deck in seen}
    if not 0 < playing < len(whose):
        return []
    least = min(seen, key=lambda deck: deck.centre)
    asks = f"The backs look like {len(whose)} decks, but {playing} play: whose are those called {least.back}?"
    return [Doubt(asks, 0)]


def _beyond_one_player(decks: Sequence[DeckScore]) -> list[Doubt]:
    """Questions about players of two backs, which may be one that looks twofold, with more cards than a deck has."""
    by_seat: dict[str, list[DeckScore]] = {}
    for deck in decks:
        by_seat.setdefault(deck.seat or "", []).append(deck)
    doubts = []
    for seat, own in by_seat.items():
        cards = sum(deck.centre + deck.left for deck in own)
        if seat and len(own) > 1 and cards > DECK:
            backs = " and ".join(sorted(deck.back for deck in own))
            asks = f"{seat} has {cards} cards of the backs {backs}: a deck has {DECK}. Are both theirs?"
            doubts.append(Doubt(asks, 0))
    return doubts


def _beyond_a_deck(counted: Sequence[tuple[MergedCard, str]], label: str, left: int) -> list[Doubt]:
    """Questions about a deck that seems to have more cards than a deck has (N1), at those that are the least sure.

    Each stays counted: whether a card too many is none, is another deck's or a joker, only who is there can tell.
    """
    cards = [merged for merged, name in counted if name == label]
    beyond = len(cards) + left - DECK
    if beyond <= 0:
        return []
    rest = f" and {left} left over" if left else ""
    seen = sorted((m for m in cards if not m.card.told), key=lambda m: m.card.confidence)
    asks = f"{len(cards)} cards with the {label} back{rest}: a deck has {DECK}"
    if not seen:
        return [Doubt(f"{asks}. Which of them are another deck's?", cards[0].photo)]
    least = seen[: min(beyond, ASKED_BEYOND)]
    return [Doubt.at(merged, f"{asks}. Is this one of them?", "card") for merged in least]


def _nobodys(shown: Collection[str], seats: Mapping[str, str], players: Collection[str]) -> list[str]:
    """Labels that the photos show and that are no player's."""
    return sorted(label for label in shown if label not in seats and label not in players)


def _check_labels(shown: Collection[str], seats: Mapping[str, str], players: Collection[str]) -> None:
    """Raises UnknownBackError where a label is none that the photos show, unless it may be a deck without a card."""
    absent = [label for label in seats if label not in shown]
    nobodys = _nobodys(shown, seats, players)
    if absent and nobodys:
        raise UnknownBackError(
            f"no back in the photos is called {absent[0]}: they show {', '.join(sorted(shown))}. If none of its cards "
            f"is in the centre, say whose {' and '.join(nobodys)} are, too"
        )


def _fill_absent(
    result: PhotoScore,
    left: Mapping[str, int],
    seats: Mapping[str, str],
    penalty: int,
    players: Collection[str],
) -> None:
    """Players of whom no card is seen in the centre: with what they have left, or asked about."""
    shown = {label for _, label in result.counted}
    told = bool(shown) and not _nobodys(shown, seats, players)
    here = {deck.seat for deck in result.decks}
    absent = {seat: label for label, seat in seats.items() if seat not in here}
    for seat, label in absent.items():
        if shown and seat not in left:
            asks = f"No back in the photos is called {label}: how many cards has {seat} left?"
            result.doubts.append(Doubt(asks, 0))
    for seat, cards_left in left.items():
        back = absent.get(seat)
        if back is None and (seats or players) and seat not in players:
            raise UnknownBackError(f"--left names {seat}, whose back is not given: add --deck LABEL={seat}")
        sure = told and (back is not None or seat in players)
        if not sure:
            result.doubts.append(Doubt(_whose(seat, shown), 0))
        result.decks.append(
            DeckScore(back or "unknown", seat, 0, cards_left, -penalty * cards_left, float(sure))
        )


def _whose(seat: str, shown: Collection[str]) -> str:
    """The question that is left where cards are left over and nothing tells which of those in the centre are theirs."""
    if shown:
        return f"Which deck is {seat}'s? The photos show {', '.join(sorted(shown))}"
    return f"How many cards of {seat} are in the centre? Spread them backs up, and add that photo"
