"""The table kept for next time: what was agreed on comes back, what people wrote stays, a fault has its line."""

from __future__ import annotations

import random
import re
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from referee.errors import BadInputError
from referee.live.terms import Terms
from referee.service.table import BadTermError, TableTerms
from referee.service.tablefile import default_table, keep_table, line_of, open_table, read_table

NOW = datetime(2026, 11, 28, 20, 15, tzinfo=UTC)
KITCHEN = TableTerms(
    title="Kitchen",
    settings={"target": 200, "slide_under": False},
    names={"north": "Anna", "south": "Bö"},
    decks={"north": "blue", "south": "red lions"},
    last_used=NOW,
)
BY_HAND = """\
# Fridays
title = "Pub"   # upstairs

game = 'pounce'

[names]
  south = "Zoe"   # the tall one
north = "Max"

[settings]
target = 150
# they never agreed on the penalty
[decks]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config" / "table.toml"


def written(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())
    return file


def test_what_was_agreed_on_comes_back(file: Path) -> None:
    assert keep_table(file, KITCHEN, NOW) == ""
    assert read_table(file) == KITCHEN
    text = file.read_text()
    assert tomllib.loads(text)["names"] == {"north": "Anna", "south": "Bö"}
    assert "target = 200 # Target\nslide_under = false # Slide-under\n\n[names]\n#" in text
    assert text.startswith("# The table of nerts-referee")
    before = file.stat().st_ino
    keep_table(file, KITCHEN, NOW)
    assert file.read_text() == text
    assert file.stat().st_ino != before, "it was not written whole, beside the old one"
    assert [each.name for each in file.parent.iterdir()] == ["table.toml"]


def test_a_referee_gets_what_it_needs() -> None:
    assert KITCHEN.terms(("north", 61.5)) == Terms(
        "nerts",
        {"target": 200, "slide_under": False},
        ("north", 61.5),
        {"north": "blue", "south": "red lions"},
    )
    assert KITCHEN.player("north") == "Anna" and KITCHEN.player("east") == "east"
    assert KITCHEN.seats == ["north", "south"]
    assert (
        TableTerms.of({k: v for k, v in KITCHEN.to_json().items() if k != "last_used"}).names == KITCHEN.names
    )


def test_what_people_wrote_stays_where_they_wrote_it(file: Path) -> None:
    terms = read_table(written(file, BY_HAND))
    assert (terms.title, terms.game, terms.settings) == ("Pub", "nerts", {"target": 150})
    keep_table(
        file, TableTerms(title="Pub", settings={"penalty": 1}, names={"south": "Zoe", "west": "Kim"}), NOW
    )
    lines = file.read_text().splitlines()
    assert lines[:2] == ["# Fridays", 'title = "Pub"   # upstairs']
    assert '  south = "Zoe"   # the tall one' in lines
    assert "# they never agreed on the penalty" in lines
    assert read_table(file).names == {"south": "Zoe", "west": "Kim"}
    assert read_table(file).settings == {"penalty": 1}
    assert not any("Max" in line or "150" in line for line in lines)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('title = "A"\ngame = nerts\n', 2, "no TOML"),
        ('title = "A"\ntitle = "B"\n', 2, "no TOML"),
        ("[names\n", 1, "no TOML"),
        ('# x\n\ngame = "whist"\n', 3, "unknown game 'whist'"),
        ('title = "A"\nplayers = 2\n', 2, "'players' means nothing here"),
        ("setings = 1\n", 1, "did you mean settings?"),
        ("title = 3\n", 1, "'title' is no text: write it in quotes"),
        ('title = " "\n', 1, "'title' is no text"),
        ('title = "a\\u0007b"\n', 1, "no name that can be shown"),
        ('names = "Anna"\n', 1, "write [names] on a line of its own"),
        ('game = "nerts"\n[settings]\ntarget = 100\npenalti = 1\n', 4, "did you mean penalty?"),
        ("[settings]\ntarget = 100\n\npenalty = 'much'\n", 4, "setting 'penalty' cannot be 'much'"),
        ("\n[settings]\nmust_call_when_stuck = true\nstuck = 'none'\n", 2, "contradict each other"),
        ('[settings]\ntarget = 100\n\n[ "names" ]\nnorth = "A"\nsouth = 7\n', 6, "'south' is no text"),
        ('names.north = "A"\nnames.south = ["B"]\n', 2, "'south' is no text"),
        ('[names]\nnorth = "Anna"\nsouth = "anna"\n', 1, "two players have one name"),
        ('[names]\nnorth = "Anna"\nsouth = "Anna"\n', 1, "two players have one name"),
        ('[names]\nnorth = "\\u200b"\n', 2, "no name that can be shown"),
        ('[decks]\nnorth = "blue"\nsouth = "blue"\n', 3, "north and south have one deck, 'blue'"),
        ("last_used = 7\n", 1, "'last_used' is no moment"),
    ],
)
def test_a_fault_is_named_with_its_line_and_a_remedy(file: Path, text: str, line: int, words: str) -> None:
    with pytest.raises(BadInputError) as bad:
        read_table(written(file, text))
    said = str(bad.value)
    assert said.startswith(f"{file}, line {line}: ")
    assert words in said
    assert "\n" not in said and said.count(": ") >= 2
    opened = open_table(file)
    assert opened.terms == TableTerms()
    assert said in opened.trouble and "usual rules" in opened.trouble


def test_partners_may_share_a_deck(file: Path) -> None:
    text = 'game = "team-nuts"\n[decks]\nnorth = "blue"\nsouth = "blue"\n'
    assert read_table(written(file, text)).decks == {"north": "blue", "south": "blue"}


def test_no_file_is_no_trouble_and_what_is_none_is_named(file: Path, tmp_path: Path) -> None:
    assert (open_table(file).terms, open_table(file).trouble) == (TableTerms(), "")
    with pytest.raises(BadInputError, match="no such file"):
        read_table(file)
    assert "is a folder" in open_table(tmp_path).trouble
    file.parent.mkdir()
    file.write_bytes(b'title = "A"\ngame = "\xff"\n')
    assert f"{file}, line 2: not UTF-8: save it as UTF-8" in open_table(file).trouble


@pytest.mark.parametrize("bad", [b"game = \n", b'title = "\xff"\n', b'game = "whist"\n'])
def test_a_bad_file_is_kept_beside_the_new_one(file: Path, bad: bytes) -> None:
    file.parent.mkdir()
    file.write_bytes(bad)
    said = keep_table(file, KITCHEN, NOW)
    assert "kept as table.toml.bad" in said
    assert read_table(file) == KITCHEN
    assert (file.parent / "table.toml.bad").read_bytes() == bad


def test_what_cannot_be_is_not_kept(file: Path) -> None:
    with pytest.raises(BadTermError, match="setting 'target'"):
        keep_table(file, TableTerms(settings={"target": -1}), NOW)
    assert not file.exists()
    with pytest.raises(BadInputError, match="cannot be written"):
        keep_table(written(file, "") / "below.toml", KITCHEN, NOW)


def test_a_link_stays_a_link(file: Path, tmp_path: Path) -> None:
    real = written(tmp_path / "dotfiles" / "mine.toml", BY_HAND)
    file.parent.mkdir()
    file.symlink_to(real)
    keep_table(file, KITCHEN, NOW)
    assert file.is_symlink() and read_table(real) == KITCHEN


def test_the_usual_place_is_the_users_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert default_table() == tmp_path / "nerts-referee" / "table.toml"


def test_the_line_of_a_key_is_found_however_it_is_written() -> None:
    text = 'a = 1\n[b]\nc = 2\n"d e" = 3\n[f.g] # x\nh.i = 4\nj = {k = 5}\n'
    places = {
        ("a",): 1,
        ("b",): 2,
        ("b", "c"): 3,
        ("b", "d e"): 4,
        ("f", "g", "h", "i"): 6,
        ("f", "g", "j", "k"): 7,
    }
    assert {keys: line_of(text, keys) for keys in places} == places
    assert line_of(text, ("z",)) == 1


def some_terms(chance: random.Random) -> TableTerms:
    names = chance.sample(["Anna", "Bö", 'The "Duke"', "C#", "d = 1", "[x]", "éé"], 4)
    seats = chance.sample(["north", "south", "east", "west", "by the window"], 4)
    some: dict[str, Any] = {
        "target": 150,
        "penalty": 1,
        "slide_under": True,
        "draw": 1,
        "call_threshold": 0.5,
    }
    return TableTerms(
        chance.choice(["", "Kitchen", "# no comment"]),
        chance.choice(["nerts", "nna-singles", "tournament"]),
        dict(chance.sample(sorted(some.items()), chance.randint(0, 4))),
        dict(zip(seats, names[: chance.randint(0, 4)], strict=False)),
        dict(
            zip(seats[::-1], ["blue", "red", "x" * 60, "green lions"][: chance.randint(0, 4)], strict=False)
        ),
        NOW,
    )


STARTS = [
    None,
    BY_HAND,
    "",
    "\n\n",
    "#c\n[decks]\n",
    'names.north = "A"\nsettings = {target = 50}\n# end',
    '[settings]\r\ntarget = 50\r\n\r\n[names]\r\nnorth = "A"\r\n',
    'game = "nerts"\n[names]\n\n\n[settings]\n\n# last',
]


@pytest.mark.parametrize("start", range(len(STARTS)))
def test_whatever_is_chosen_evening_after_evening_comes_back(file: Path, start: int) -> None:
    chance, text = random.Random(start), STARTS[start]
    if text is not None:
        written(file, text)
    comments = {
        part.strip() for line in (text or "").splitlines() for part in line.split("#")[1:] if '"' not in part
    }
    for _ in range(25):
        terms = some_terms(chance)
        assert keep_table(file, terms, NOW) == ""
        assert read_table(file) == terms
    kept = file.read_text()
    own = {comment for comment in comments if comment in ("Fridays", "end", "last", "c")}
    assert all(comment in kept for comment in own)
    assert kept.count("\n\n\n\n") == 0


def test_the_example_of_the_docs_is_one(file: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "table.md").read_text("utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    terms = read_table(written(file, example))
    assert (terms.title, terms.names["south"], terms.decks["south"]) == ("Kitchen", "Bo", "red lions")
    (said,) = re.findall(r"`table.toml, (line \d+: .*?)`", page)
    with pytest.raises(BadInputError, match=re.escape(said)):
        read_table(written(file, example.replace("target =", "targit =")))
