"""The manifest holds what may be opened, and nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from datasets.decks import AssetError, list_decks
from datasets.decks.manifest import MANIFEST, manifest

#: The families as they are split: training, tuning, figures.
TRAINED = {
    "A": {"anglo_poker", "letele", "heruka_2color", "heruka_4color", "heruka_2color_bf"},
    "B": {"anglo", "anglo_bitmap", "gnomangelo", "gnomangelo_bitmap"},
    "C": {
        "bellot",
        "paris",
        "dondorf",
        "tigullio",
        "guyenne_classic",
        "ancient_french",
        "bonded",
        "svg_cards",
    },
    "G": {"plastic", "simplistic", "neoclassical", "neoclassical_4_color"},
    "J": {"berlin", "tarocco"},
    "L": {"egyptians", "penguins"},
    "M": {"arcade"},
}
TUNED = {"anglo_modern", "anglo_modern_4_color"}
FIGURES = {"atlasnye", "orell", "heruka_4color_bf"}


def every_string(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [s for pair in value.items() for part in pair for s in every_string(part)]
    if isinstance(value, list):
        return [s for part in value for s in every_string(part)]
    return [value] if isinstance(value, str) else []


@pytest.fixture(scope="module")
def strings() -> list[str]:
    return every_string(json.loads(MANIFEST.read_text(encoding="utf-8")))


def test_the_manifest_holds_no_address(strings: list[str]) -> None:
    assert [s for s in strings if "//" in s or re.search(r"\b(www|https?)\b", s)] == []


def test_decks_are_the_agreed_ones_in_the_agreed_splits() -> None:
    for family, names in TRAINED.items():
        assert {d.name for d in list_decks("train", family)} == names
    assert {d.name for d in list_decks("train")} == set().union(*TRAINED.values())
    assert {d.name for d in list_decks("tune")} == TUNED
    assert {d.name for d in list_decks("figures")} == FIGURES


def test_no_family_is_both_trained_and_measured() -> None:
    trained = {d.family for d in list_decks("train")}
    measured = {d.family for d in list_decks("tune")} | {d.family for d in list_decks("figures")}
    assert not trained & measured


def test_only_free_art_may_be_committed() -> None:
    committable = {d.name for d in list_decks() if d.committable}
    assert committable == {n for n in [*TRAINED["A"], "heruka_4color_bf", "arcade"] if n != "anglo_poker"}
    assert all("GPL" not in d.licence for d in list_decks() if d.committable)


def test_every_member_is_pinned_and_used() -> None:
    assets = manifest()
    groups = [*assets.decks.values(), *assets.fonts, *assets.textures]
    for group in groups:
        assert group.archive in assets.archives
        assert all(re.fullmatch(r"[0-9a-f]{64}", digest) for digest in group.members.values())
    assert {group.archive for group in groups} == set(assets.archives)
    for deck in assets.decks.values():
        assert {*deck.faces.values(), *deck.backs.values()} <= set(deck.members)


def test_textures_of_figures_are_not_trained_on() -> None:
    members: dict[str, set[str]] = {"train": set(), "figures": set()}
    for group in manifest().textures:
        members[group.split] |= set(group.members)
    assert members["train"]
    assert members["figures"]
    assert not members["train"] & members["figures"]


def test_a_broken_manifest_is_said_in_one_line(tmp_path: Path) -> None:
    broken = tmp_path / "assets.json"
    broken.write_text('{"archives": {}}', encoding="utf-8")
    with pytest.raises(AssetError, match=r"assets\.json: not a manifest") as failure:
        manifest(broken)
    assert "\n" not in str(failure.value)
