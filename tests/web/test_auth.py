"""Who may do what: every address, asked in every way, by everybody who may come."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from pretend import PretendEye, pretend_tools

from referee.web import create_app
from referee.web.auth import Keys, Role
from referee.web.invite import Invitation
from referee.web.private import kept_keys

BASE = "http://localhost"
KEYS = Keys({role: f"the-key-of-the-{role.word}-{'x' * 12}" for role in Role})
METHODS = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE", "BREW"]
READING = {"GET", "HEAD", "OPTIONS"}
#: Who may ask for each route in the way that it answers; a route that is not named here fails the test.
ROUTES = {
    ("GET", "/"): "watcher",
    ("POST", "/api/photos"): "player",
    ("POST", "/api/score"): "player",
    ("POST", "/api/viewfinder"): "player",
    ("DELETE", "/api/viewfinder"): "player",
    ("POST", "/api/counted"): "player",
    ("GET", "/api/matches"): "watcher",
    ("GET", "/api/recordings"): "watcher",
    ("POST", "/api/recordings"): "master",
    ("GET", "/api/recordings/{id}"): "watcher",
    ("POST", "/api/recordings/{id}/referee"): "master",
    ("GET", "/api/recordings/{id}/video"): "watcher",
    ("GET", "/api/recordings/{id}/frames"): "watcher",
    ("GET", "/api/recordings/{id}/record"): "watcher",
    ("GET", "/api/recordings/{id}/events"): "watcher",
    ("GET", "/api/recordings/{id}/times"): "watcher",
    ("GET", "/api/recordings/{id}/frame/{number}"): "watcher",
    ("GET", "/api/recordings/{id}/lines/{index}"): "watcher",
    ("GET", "/api/recordings/{id}/alternatives/{index}"): "watcher",
    ("GET", "/api/recordings/{id}/first/{index}"): "watcher",
    ("GET", "/api/recordings/{id}/clip"): "watcher",
    ("GET", "/api/recordings/{id}/moment/{index}"): "watcher",
    ("GET", "/api/recordings/{id}/under"): "watcher",
    ("POST", "/api/recordings/{id}/correct"): "master",
    ("GET", "/api/recordings/{id}/challenges"): "watcher",
    ("POST", "/api/recordings/{id}/challenges"): "player",
    ("POST", "/api/recordings/{id}/challenges/{number}"): "player",
    ("GET", "/api/table"): "watcher",
    ("POST", "/api/table"): "master",
    ("GET", "/api/links"): "master",
    ("GET", "/live"): "watcher",
    ("GET", "/board"): "watcher",
    ("GET", "/buzz"): "watcher",
    ("GET", "/api/live"): "watcher",
    ("GET", "/api/live/events"): "watcher",
    ("GET", "/api/live/picture"): "watcher",
    ("GET", "/api/live/still/{hand}/{index}"): "watcher",
    ("POST", "/api/live/setup"): "master",
    ("POST", "/api/live/call"): "player",
    ("GET", "/api/live/alternatives/{index}"): "watcher",
    ("POST", "/api/live/correct"): "master",
    ("POST", "/api/live/answer"): "player",
}
RANK = {"nobody": 0, "stranger": 0, "watcher": 1, "player": 2, "master": 3}


@pytest.fixture(scope="module")
def app(hand_video: Path, tmp_path_factory: pytest.TempPathFactory) -> FastAPI:
    folder = tmp_path_factory.mktemp("shelf")
    return create_app(pretend_tools(PretendEye(), hand_video), folder, ["localhost"], Invitation(BASE, KEYS))


@pytest.fixture(scope="module")
def page(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app, base_url=BASE, raise_server_exceptions=False) as client:
        yield client


def routes(app: FastAPI) -> list[tuple[str, str]]:
    """Every method and path that the application answers."""
    found = []
    for route in app.routes:
        for each in getattr(getattr(route, "original_router", None), "routes", [route]):
            if isinstance(each, APIRoute):
                found += [(method, each.path) for method in each.methods]
    return found


def shown(who: str) -> dict[str, str]:
    """The key that somebody shows."""
    if who == "nobody":
        return {}
    key = "no-such-key-but-long-enough" if who == "stranger" else KEYS.by_role[Role[who.upper()]]
    return {"Authorization": f"Bearer {key}"}


def address(path: str) -> str:
    """A path that leads to something that is there."""
    return re.sub(r"\{\w+\}", "1", path.replace("{id}", "sample"))


def test_every_route_is_named_here(app: FastAPI) -> None:
    assert set(routes(app)) == set(ROUTES)


@pytest.mark.parametrize("who", RANK)
@pytest.mark.parametrize("path", sorted({path for _, path in ROUTES} | {"/static/page.js", "/nowhere"}))
def test_nobody_goes_beyond_their_role(page: TestClient, path: str, who: str) -> None:
    for method in METHODS:
        answer = page.request(method, address(path), headers=shown(who))
        needed = ROUTES.get((method, path))
        if needed is None:
            whole = ROUTES.get(("GET", path)) if path in ("/api/links",) else None
            needed = whole or ("watcher" if method in READING else "any")
        if RANK[who] == 0:
            assert answer.status_code == 401, (method, who)
            assert answer.headers["www-authenticate"] == "Bearer"
        elif needed == "any":  # there is nothing that is asked in this way
            assert answer.status_code in (403, 404, 405), (method, who)
        elif RANK[who] < RANK[needed]:
            assert answer.status_code == 403, (method, who)
        else:
            assert answer.status_code not in (401, 403, 421), (method, who)
        if answer.status_code in (401, 403) and method != "HEAD":
            assert set(answer.json()) == {"error"}


@pytest.mark.parametrize(("route", "who"), list(product(sorted(ROUTES), ("nobody", "master"))))
def test_neither_a_foreign_name_nor_another_site_gets_in(
    page: TestClient, route: tuple[str, str], who: str
) -> None:
    method, path = route
    foreign = page.request(method, address(path), headers={**shown(who), "Host": "evil.example"})
    assert foreign.status_code == 421
    crossing = {**shown(who), "Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"}
    assert page.request(method, address(path), headers=crossing).status_code == 403


def test_nothing_that_was_refused_was_done(page: TestClient) -> None:
    """Behind everything above: no watcher or stranger has had the sample refereed."""
    for who in ("nobody", "stranger", "watcher", "player"):
        page.post("/api/recordings?name=a.mp4", headers=shown(who), content=b"x")
        page.post("/api/recordings/sample/referee/", headers=shown(who))
    names = [
        each["id"] for each in page.get("/api/recordings", headers=shown("watcher")).json()["recordings"]
    ]
    assert names == ["sample"]


# -- links and cookies ---------------------------------------------------------------------------------------


@pytest.fixture
def visitor(app: FastAPI) -> Iterator[TestClient]:
    """Somebody with a browser of their own."""
    yield TestClient(app, base_url=BASE, raise_server_exceptions=False)


@pytest.mark.parametrize("role", list(Role))
def test_a_link_gives_its_role_to_the_browser(visitor: TestClient, role: Role) -> None:
    entered = visitor.get("/", params={"key": KEYS.by_role[role], "see": "a&b"})
    assert entered.status_code == 200
    cookie = entered.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie
    assert entered.headers["cache-control"] == "no-store"
    assert KEYS.by_role[role] not in entered.text
    assert 'href="/?see=a%26b"' in entered.text
    page = visitor.get("/")
    assert page.status_code == 200 and f'data-role="{role.word}"' in page.text


def test_the_last_link_counts(visitor: TestClient) -> None:
    for role in (Role.MASTER, Role.WATCHER):
        visitor.get("/", params={"key": KEYS.by_role[role]})
    assert visitor.get("/api/links").status_code == 403


def test_a_link_that_holds_no_longer_is_told_to_people(visitor: TestClient) -> None:
    answer = visitor.get("/", params={"key": "old"}, headers={"Accept": "text/html"})
    assert answer.status_code == 401
    assert "<p>This link holds no longer: " in answer.text
    assert "set-cookie" not in answer.headers


def test_a_key_in_the_address_changes_nothing(visitor: TestClient) -> None:
    """Addresses are kept and passed on: what changes something asks for a cookie or a header."""
    master = KEYS.by_role[Role.MASTER]
    assert visitor.post(f"/api/recordings/sample/referee?key={master}").status_code == 401


@pytest.mark.parametrize("path", ["//evil.example/", "/\\evil.example", "///evil.example"])
def test_a_link_leads_to_no_other_machine(visitor: TestClient, path: str) -> None:
    answer = visitor.get(f"{BASE}{path}?key={KEYS.by_role[Role.WATCHER]}")
    assert 'href="//' not in answer.text and 'href="/\\' not in answer.text


@pytest.mark.parametrize(
    "headers",
    [
        {"Cookie": "nerts-referee=; a=b"},
        {"Cookie": 'nerts-referee="\\377'},
        {"Cookie": "\x00;=;;nerts-referee"},
        {"Cookie": "nerts-referee=" + "x" * 5000},
        {"Authorization": "Bearer"},
        {"Authorization": "Basic eDp5"},
        {"Authorization": "Bearer \xff\xfe"},
    ],
)
def test_what_is_no_key_lets_nobody_in(visitor: TestClient, headers: dict[str, str]) -> None:
    raw = {name: value.encode("latin-1") for name, value in headers.items()}
    assert visitor.get("/api/recordings", headers=raw).status_code == 401


def test_on_this_machine_alone_nobody_is_asked(hand_video: Path, tmp_path: Path) -> None:
    app = create_app(pretend_tools(PretendEye(), hand_video), tmp_path)
    client = TestClient(app, base_url=BASE)
    assert 'data-role="master"' in client.get("/").text
    assert client.get("/api/links").json() == {"links": []}


def test_the_links_are_those_of_their_roles(page: TestClient) -> None:
    links: list[dict[str, Any]] = page.get("/api/links", headers=shown("master")).json()["links"]
    assert [link["role"] for link in links] == ["watcher", "player", "master"]
    for link in links:
        assert KEYS.by_role[Role[link["role"].upper()]] in link["link"]
        assert link["code"].startswith("data:image/svg+xml")


# -- keys that are kept --------------------------------------------------------------------------------------


def test_keys_are_kept_for_a_day_and_for_nobody_else(tmp_path: Path) -> None:
    folder = tmp_path / "private"
    keys = kept_keys(folder)
    assert kept_keys(folder) == keys
    assert stat.S_IMODE((folder / "keys.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert kept_keys(folder, anew=True) != keys


@pytest.mark.parametrize("odd", ["", "{}", "[1]", '{"made": "x"}', "null", '{"made": 1e999}'])
def test_what_is_kept_but_none_is_made_anew(tmp_path: Path, odd: str) -> None:
    file = tmp_path / "keys.json"
    file.write_text(odd)
    file.chmod(0o600)
    keys = kept_keys(tmp_path)
    assert len(set(keys.by_role.values())) == 3 and kept_keys(tmp_path) == keys


@pytest.mark.parametrize("change", ["old", "short", "same", "open"])
def test_keys_that_are_no_longer_safe_are_made_anew(tmp_path: Path, change: str) -> None:
    keys = kept_keys(tmp_path)
    file = tmp_path / "keys.json"
    told = json.loads(file.read_text())
    if change == "old":
        told["made"] -= 25 * 3600
    elif change == "short":
        told["master"] = "short"
    elif change == "same":
        told["watcher"] = told["master"]
    file.write_text(json.dumps(told))
    file.chmod(0o644 if change == "open" else 0o600)
    assert kept_keys(tmp_path) != keys


def test_a_disk_that_takes_no_keys_keeps_nobody_out(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert len(kept_keys(tmp_path / "file" / "private").by_role) == 3
