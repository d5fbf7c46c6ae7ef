"""Whom the page answers: those who came by its own address, and no other site's pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from fastapi.testclient import TestClient
from pretend import PretendEye, pretend_tools
from serving import serve
from starlette.websockets import WebSocketDisconnect

from referee.commands.serve import allowed_hosts
from referee.service import BadInputError
from referee.web import create_app

ROUTES = [
    ("GET", "/"),
    ("GET", "/static/page.js"),
    ("GET", "/api/recordings"),
    ("GET", "/api/recordings/sample"),
    ("GET", "/api/recordings/sample/video"),
    ("GET", "/api/recordings/sample/events"),
    ("GET", "/nowhere"),
    ("POST", "/api/photos"),
    ("POST", "/api/recordings?name=a.mp4"),
    ("POST", "/api/recordings/sample/referee"),
]


@pytest.fixture
def page(hand_video: Path, tmp_path: Path) -> Iterator[TestClient]:
    app = create_app(pretend_tools(PretendEye(), hand_video), tmp_path, hosts=["localhost", "box.lan"])
    with TestClient(app, base_url="http://localhost") as client:
        yield client


@pytest.mark.parametrize(("method", "path"), ROUTES)
@pytest.mark.parametrize("host", ["evil.example", "evil.example:8377", "localhost.evil.example"])
def test_a_name_that_is_not_the_pages_own_is_refused(
    page: TestClient, method: str, path: str, host: str
) -> None:
    """A site whose name was bound anew to this machine reads nothing and asks for nothing."""
    answer = page.request(method, path, headers={"Host": host})
    assert answer.status_code == 421
    assert "--allow-host" in answer.json()["error"]
    assert page.get("/api/recordings/sample").json()["state"] == "new"


@pytest.mark.parametrize(
    "host", ["", "local host", "localhost:80:80", "a/../localhost", "user@localhost", "[::1"]
)
def test_a_name_that_is_none_is_refused(page: TestClient, host: str) -> None:
    answer = page.get("/", headers={"Host": host})
    assert answer.status_code == 421
    assert set(answer.json()) == {"error"}


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8377", "localhost.", "box.lan", "Box.LAN:80"])
def test_the_pages_own_names_are_answered(page: TestClient, host: str) -> None:
    assert page.get("/", headers={"Host": host}).status_code == 200


def test_a_websocket_by_another_name_is_closed(page: TestClient) -> None:
    with (
        pytest.raises(WebSocketDisconnect),
        page.websocket_connect("/api/recordings/sample/events", headers={"Host": "evil.example"}),
    ):
        pass


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://elsewhere.example"},
        {"Origin": "http://localhost:3000"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"},
    ],
)
def test_other_sites_ask_for_no_change(page: TestClient, headers: dict[str, str]) -> None:
    answer = page.post("/api/recordings/sample/referee", headers=headers)
    assert answer.status_code == 403
    assert set(answer.json()) == {"error"}
    assert page.get("/api/recordings/sample").json()["state"] == "new"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "http://localhost"},
        {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "none"},
    ],
)
def test_the_own_page_and_other_programs_may_ask(page: TestClient, headers: dict[str, str]) -> None:
    assert page.post("/api/recordings/sample/referee", headers=headers).status_code == 200


def test_other_sites_show_no_recording_of_ours_but_may_lead_to_the_page(page: TestClient) -> None:
    foreign = {"Sec-Fetch-Site": "cross-site"}
    shown = page.get("/api/recordings/sample/video", headers={**foreign, "Sec-Fetch-Mode": "no-cors"})
    assert shown.status_code == 403
    led = page.get("/", headers={**foreign, "Sec-Fetch-Mode": "navigate"})
    assert led.status_code == 200
    assert led.headers["cross-origin-resource-policy"] == "same-origin"


@pytest.fixture
def everywhere(hand_video: Path, tmp_path: Path) -> Iterator[str]:
    """The page as it is served to a whole network, at a free port."""
    hosts = allowed_hosts("0.0.0.0", ["box.lan"])
    yield from serve(pretend_tools(PretendEye(), hand_video), tmp_path, host="0.0.0.0", hosts=hosts)


def test_served_to_a_network_the_address_that_was_called_is_answered(everywhere: str) -> None:
    """127.0.0.2 is an address of this machine that nobody listed: what the connection came to is its own address."""
    port = everywhere.rpartition(":")[2]
    asked = {
        "127.0.0.2": 200,  # as called
        "127.0.0.3": 421,  # another machine's, for all the page knows
        "localhost": 200,
        "box.lan": 200,
        "evil.example": 421,
    }
    for host, status in asked.items():
        answer = httpx2.get(f"http://127.0.0.2:{port}/", headers={"Host": f"{host}:{port}"})
        assert answer.status_code == status, host


def test_the_machines_name_is_its_own_where_all_addresses_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "Kitchen")
    assert {"kitchen", "kitchen.local", "localhost", "127.0.0.1", "::1"} <= allowed_hosts("0.0.0.0")
    assert "kitchen" in allowed_hosts("::")
    assert allowed_hosts("192.168.1.5", ["Box"]) == {"localhost", "127.0.0.1", "::1", "192.168.1.5", "box"}


@pytest.mark.parametrize("name", ["http://box", "box:8377", "", "a b", "box/"])
def test_an_allowed_name_is_a_name_alone(name: str) -> None:
    with pytest.raises(BadInputError, match="--allow-host"):
        allowed_hosts("127.0.0.1", [name])
