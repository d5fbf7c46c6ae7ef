import numpy as np

from vision.backs import similarity
from vision.backs.designs import Designs
from vision.backs.one_design import Evidence
from vision.backs.whole_backs import WholeBacks


def crop(colour: tuple[int, int, int], pattern: int, light: float, rng: np.random.Generator) -> np.ndarray:
    """A back with a white border and a pattern that is the same upside down."""
    y, x = np.mgrid[0:160, 0:112]
    wave = np.cos((x - 55.5) * 2 * np.pi / (30 + 9 * pattern)) * np.cos(
        (y - 79.5) * 2 * np.pi / (44 - 6 * pattern)
    )
    image = np.where((wave > 0)[..., None], np.array(colour), 245.0)
    image[:8] = image[-8:] = image[:, :8] = image[:, -8:] = 245
    return np.clip(image * light + rng.normal(0, 4, image.shape), 0, 255).astype(np.uint8)


def strip(left: int, right: int) -> np.ndarray:
    mask = np.zeros((160, 112), np.uint8)
    mask[:, left:right] = 255
    return mask


def grouped(crops: np.ndarray, masks: np.ndarray) -> np.ndarray:
    evidence = Evidence.of(crops, masks, Designs(threads=1), WholeBacks(threads=1))
    return similarity.group(evidence.odds(), evidence.counts())


def test_two_colours_of_one_design_are_two_decks() -> None:
    rng = np.random.default_rng(0)
    crops = np.stack(
        [crop(((40, 30, 170), (170, 60, 30))[i % 2], 1, rng.uniform(0.75, 1), rng) for i in range(10)]
    )
    masks = np.stack([strip(0, 25) if i % 3 else strip(0, 112) for i in range(10)])
    designs = grouped(crops, masks)
    assert len(set(designs)) == 2
    assert all(designs[i] == designs[i % 2] for i in range(10))


def test_strips_from_either_side_belong_together() -> None:
    rng = np.random.default_rng(1)
    crops = np.stack([crop((40, 120, 40), 2, 0.9, rng) for _ in range(4)])
    masks = np.stack([strip(0, 22), strip(90, 112), strip(0, 30), strip(80, 112)])
    assert len(set(grouped(crops, masks))) == 1


def test_two_designs_in_one_colour_are_two_decks() -> None:
    rng = np.random.default_rng(2)
    crops = np.stack([crop((150, 50, 40), (0, 3)[i % 2], 0.9, rng) for i in range(6)])
    masks = np.stack([strip(0, 112)] * 6)
    assert len(set(grouped(crops, masks))) == 2


def test_names_are_colours_and_no_two_alike() -> None:
    rng = np.random.default_rng(3)
    colours = [(40, 30, 170)] * 2 + [(170, 60, 30)] * 2
    crops = np.stack([crop(colour, 1, 1.0, rng) for colour in colours])
    masks = np.stack([strip(0, 112)] * 4)
    found = similarity.patches(crops, masks)
    names = similarity.name_designs(found, grouped(crops, masks))
    assert sorted(names) == ["blue", "red"]


def distances_as_odds(same: list[list[float]]) -> tuple[np.ndarray, np.ndarray]:
    odds = np.array(same)
    return odds, np.ones_like(odds)


def test_cards_are_of_the_deck_whose_views_they_resemble() -> None:
    odds, trust = distances_as_odds([[0, 6, -6], [6, 0, -6], [-6, -6, 0]])
    known = np.array([[5.0, -6, -6], [5, -6, -6], [-6, 4, 5]])
    designs, whose = similarity.group_with(odds, trust, known, np.array([0, 1, 1]), 0.7)
    assert designs.tolist() == [0, 0, 1]
    assert whose.tolist() == [0, 0, 1]


def test_cards_between_two_decks_join_one_and_the_decks_stay_two() -> None:
    # two cards that are surely of one design, and each as surely of another deck's: cards may err, decks are two
    odds, trust = distances_as_odds([[0, 6], [6, 0]])
    known = np.array([[6.0, 4], [4, 6]])
    _, whose = similarity.group_with(odds, trust, known, np.array([0, 1]), 0.7)
    assert (whose >= 0).all()
    four = np.array([[6.0, -6, 6, -6]] * 2)
    _, whose = similarity.group_with(odds, trust, four, np.array([0, 0, 1, 1]), 0.7)
    assert len(set(whose.tolist())) == 1


def test_a_view_that_nothing_resembles_takes_no_card_and_one_card_no_far_view() -> None:
    odds, trust = distances_as_odds([[0.0]])
    for known, deck in ((-1.0, -1), (3.0, 0)):
        _, whose = similarity.group_with(odds, trust, np.array([[known]]), np.array([0]), 0.7)
        assert whose.tolist() == [deck]


def test_without_cards_or_views_there_is_nothing_to_tell() -> None:
    none = np.zeros((0, 0))
    assert [
        part.tolist() for part in similarity.group_with(none, none, np.zeros((0, 2)), np.array([0, 1]), 0.7)
    ] == [
        [],
        [],
    ]
    odds, trust = distances_as_odds([[0, 6], [6, 0]])
    designs, whose = similarity.group_with(odds, trust, np.zeros((2, 0)), np.zeros(0, dtype=np.intp), 0.7)
    assert designs.tolist() == [0, 0] and whose.tolist() == [-1, -1]


def test_a_back_alone_is_of_the_first_design() -> None:
    """So that whoever has one needs not compare it."""
    rng = np.random.default_rng(3)
    alone = crop((40, 30, 170), 1, 0.9, rng)[None]
    assert grouped(alone, strip(0, 112)[None]).tolist() == [0]
