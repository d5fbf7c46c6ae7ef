"""Names and rules on the page: chosen in a form, kept in the table's file, told to the table that is watched."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from live_table import PretendSession, live_table
from playwright.sync_api import Page, expect
from pretend import PretendEye, pretend_tools
from serving import Served, serving

from referee.service.tablefile import default_table
from referee.web import create_app

CHOSEN = {
    "game": "nerts",
    "settings": {"target": 100, "slide_under": False},
    "names": {"north": "Anna", "south": "Ben"},
    "decks": {"north": "blue", "south": "red"},
}


@pytest.fixture(autouse=True)
def own_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test has a table's file of its own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture
def session() -> PretendSession:
    return PretendSession()


@pytest.fixture
def client(hand_video: Path, tmp_path: Path, session: PretendSession) -> Iterator[TestClient]:
    tools = pretend_tools(PretendEye(), hand_video)
    app = create_app(tools, tmp_path / "shelf", table=live_table(session))
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client


def kept() -> dict[str, Any]:
    return tomllib.loads(default_table().read_text("utf-8"))


def test_what_is_chosen_is_kept_and_told_to_the_table(client: TestClient, session: PretendSession) -> None:
    answer = client.post("/api/table", json=CHOSEN)
    assert answer.status_code == 200
    table = kept()
    assert table["settings"] == {"target": 100, "slide_under": False}
    assert table["names"] == {"north": "Anna", "south": "Ben"} and table["decks"]["south"] == "red"
    assert client.get("/api/table").json()["table"]["names"]["north"] == "Anna"
    assert [terms.names["south"] for terms in session.agreed] == ["Ben"]
    assert "from the next deal on" in answer.json()["said"]


def test_what_people_wrote_beside_it_stays(client: TestClient) -> None:
    path = default_table()
    path.parent.mkdir(parents=True)
    path.write_text('title = "Friday" # our table\ngame = "nerts"\n')
    client.post("/api/table", json=CHOSEN)
    assert "# our table" in path.read_text("utf-8") and kept()["title"] == "Friday"


@pytest.mark.parametrize(
    "change",
    [
        {"game": "chess"},
        {"game": ""},
        {"settings": {"target": "many"}},
        {"settings": {"target": 1e999}},
        {"settings": {"colour": 3}},
        {"names": {"north": "Anna", "south": "Anna"}},
        {"names": {"north": "x" * 500}},
        {"names": {f"seat{n}": "Anna" for n in range(99)}},
        {"decks": {"north": "red", "south": "red"}},
        {"names": ["Anna"]},
    ],
)
def test_what_cannot_be_agreed_on_is_not_kept(
    client: TestClient, session: PretendSession, change: dict[str, Any]
) -> None:
    import json

    body = json.dumps({**CHOSEN, **change}).replace("Infinity", "1e999")
    answer = client.post("/api/table", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422 and set(answer.json()) == {"error"}
    assert not default_table().exists() and session.agreed == []


def test_a_file_that_cannot_be_read_is_told_and_kept_beside(client: TestClient) -> None:
    path = default_table()
    path.parent.mkdir(parents=True)
    path.write_text("game = \n")
    assert "line 1" in client.get("/api/table").json()["trouble"]
    assert "kept as" in client.post("/api/table", json=CHOSEN).json()["said"]
    assert path.with_name("table.toml.bad").read_text() == "game = \n"


@pytest.fixture
def served(hand_video: Path, tmp_path: Path, session: PretendSession) -> Iterator[Served]:
    tools = pretend_tools(PretendEye(), hand_video)
    with serving(tools, tmp_path / "shelf", table=live_table(session)) as served:
        yield served


def test_the_form_keeps_names_and_rules(page: Page, served: Served) -> None:
    page.goto(f"{served.address}/#terms")
    page.get_by_label("Who sits at north").fill("Anna")
    page.get_by_label("The back of north's deck").fill("blue")
    page.locator("#terms").get_by_text("House rules").click()
    target = page.locator("[data-key=target]")
    expect(target).to_have_value("50")
    target.fill("100")
    page.locator("[data-key=slide_under]").uncheck()
    page.locator("[data-key=tie]").select_option("quickest")
    page.get_by_role("button", name="Keep").click()
    expect(page.locator("#terms-said")).to_contain_text("Kept for next time.")
    assert kept()["settings"] == {"target": 100, "slide_under": False, "tie": "quickest"}
    assert kept()["names"] == {"north": "Anna"}
    page.reload()
    page.locator("#terms").get_by_text("House rules").click()
    expect(page.locator("[data-key=target]")).to_have_value("100")
    expect(page.get_by_label("Who sits at north")).to_have_value("Anna")
    page.get_by_label("Who sits at south").fill("Anna")
    page.get_by_role("button", name="Keep").click()
    expect(page.locator("#terms-said")).to_contain_text("two players have one name")
    assert kept()["names"] == {"north": "Anna"}
