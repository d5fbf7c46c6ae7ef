import numpy as np

from vision import backs
from vision.designs import Designs
from vision.one_design import Evidence
from vision.whole_backs import WholeBacks


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
    return backs.group(evidence.odds(), evidence.trust)


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
    found = backs.patches(crops, masks)
    names = backs.name_designs(found, grouped(crops, masks))
    assert sorted(names) == ["blue", "red"]
