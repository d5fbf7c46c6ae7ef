"""Links and codes: what they say, and that a browser gets in by them; https with a certificate of one's own."""

from __future__ import annotations

import re
import ssl
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import cv2
import httpx2
import numpy as np
import pytest
import uvicorn
from cryptography import x509
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, Page, expect
from pretend import PretendEye, pretend_tools
from serving import serve

from referee import service
from referee.commands.program import run
from referee.commands.serve import is_beyond, run_server
from referee.service import BadInputError
from referee.web import certificate
from referee.web.auth import Keys, Role
from referee.web.certificate import certificate_for
from referee.web.invite import Invitation, own_addresses, terminal_code
from referee.web.private import private_folder
from vision.capture.frames import decode_image

KEYS = Keys.new()


@pytest.fixture
def guarded(hand_video: Path, tmp_path: Path) -> Iterator[str]:
    """The page for those who have a key."""
    yield from serve(pretend_tools(PretendEye(), hand_video), tmp_path, keys=KEYS)


def link(address: str, role: Role, path: str = "") -> str:
    return Invitation(address, KEYS).link(role, path)


def test_whoever_has_no_link_sees_a_sentence(page: Page, guarded: str) -> None:
    page.goto(guarded)
    expect(page.locator("body")).to_contain_text("This page is for whoever has its link")


def test_a_link_opens_the_page_and_leaves_no_key_in_the_address(page: Page, guarded: str) -> None:
    page.goto(link(guarded, Role.MASTER, "#recordings"))
    expect(page.get_by_role("heading", name="Watch a recording")).to_be_visible()
    assert page.url == f"{guarded}/#recordings"
    page.get_by_role("link", name="Invite").click()
    expect(page.locator("#invite-links li")).to_have_count(3)


def test_a_code_on_the_page_is_its_link(page: Page, guarded: str) -> None:
    page.goto(link(guarded, Role.MASTER, "#invite"))
    for number, role in enumerate(Role):
        card = page.locator("#invite-links li").nth(number)
        picture = decode_image(card.locator("img").screenshot(), "code")
        read, *_ = cv2.QRCodeDetector().detectAndDecode(picture)
        assert read == card.locator("a").get_attribute("href") == link(guarded, role)


def test_a_watcher_is_offered_nothing_that_is_not_theirs(page: Page, guarded: str) -> None:
    page.goto(link(guarded, Role.WATCHER))
    expect(page.get_by_role("heading", name="Watch a recording")).to_be_visible()
    for hidden in ("#recording-drop", "#invite"):
        expect(page.locator(hidden)).to_be_hidden()
    expect(page.get_by_role("link", name="Score a photo")).to_be_hidden()


def test_a_link_from_another_site_opens_the_page(browser: Browser, guarded: str) -> None:
    """A strict cookie is not shown where another site leads to: the page itself leads on."""
    context = browser.new_context()
    page = context.new_page()
    context.route(
        "http://mail.example/",
        lambda route: route.fulfill(
            body=f'<a href="{link(guarded, Role.PLAYER)}">x</a>', content_type="text/html"
        ),
    )
    page.goto("http://mail.example/")
    page.get_by_role("link").click()
    expect(page.get_by_role("heading", name="Score a photo")).to_be_visible()
    context.close()


def test_the_code_in_the_terminal_is_the_link() -> None:
    """Two rows of dots a line, as any scanner reads them."""
    rows = []
    for line in terminal_code("http://192.168.1.23:8377/?key=abc").splitlines():
        rows.append([letter in "█▀" for letter in line])
        rows.append([letter in "█▄" for letter in line])
    dots = np.array(rows, np.uint8) * 255
    read, *_ = cv2.QRCodeDetector().detectAndDecode(np.kron(dots, np.ones((8, 8), np.uint8)))
    assert read == "http://192.168.1.23:8377/?key=abc"


# -- the command ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "names", "beyond"),
    [
        ("127.0.0.1", ["localhost", "::1"], False),
        ("127.0.0.9", [], False),
        ("localhost", ["127.0.0.1"], False),
        ("::1", [], False),
        ("0.0.0.0", [], True),
        ("", [], True),
        ("::", [], True),
        ("192.168.1.5", [], True),
        ("127.0.0.1", ["table.example"], True),
    ],
)
def test_who_may_come_from_beyond(host: str, names: list[str], beyond: bool) -> None:
    assert is_beyond(host, names) is beyond


@pytest.fixture
def unserved(monkeypatch: pytest.MonkeyPatch, hand_video: Path) -> list[uvicorn.Config]:
    """A server that serves nobody; gives what it was to serve."""
    configs: list[uvicorn.Config] = []
    tools = pretend_tools(PretendEye(), hand_video)
    monkeypatch.setattr(service, "tools", replace(tools))
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: configs.append(self.config))
    return configs


@pytest.mark.parametrize("arguments", [["--host", "0.0.0.0"], ["--allow-host", "table.example"]])
def test_beyond_this_machine_links_are_printed_and_asked_for(
    arguments: list[str], unserved: list[uvicorn.Config], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf = ["--port", "0", "--recordings", str(tmp_path)]
    assert run(["serve", *arguments, *shelf]) == 0
    said = capsys.readouterr().out
    keys = re.findall(r"\?key=([\w-]{20,})", said)
    assert len(set(keys)) == 3
    assert "▀" in said
    with TestClient(unserved[0].app, base_url="http://localhost") as client:  # type: ignore[arg-type]
        assert client.get("/").status_code == 401
        assert client.get("/", headers={"Authorization": f"Bearer {keys[0]}"}).status_code == 200
    assert run(["serve", *arguments, *shelf]) == 0
    assert re.findall(r"\?key=([\w-]{20,})", capsys.readouterr().out) == keys, "phones go on after a restart"
    assert run(["serve", *arguments, *shelf, "--new-links"]) == 0
    assert not set(re.findall(r"\?key=([\w-]{20,})", capsys.readouterr().out)) & set(keys)


def test_on_this_machine_alone_no_key_is_printed(
    unserved: list[uvicorn.Config], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_server("127.0.0.1", 0, tmp_path)
    assert "key=" not in capsys.readouterr().out
    assert unserved[0].ssl_certfile is None


# -- https ---------------------------------------------------------------------------------------------------


def test_a_certificate_holds_for_every_name_and_is_kept(tmp_path: Path) -> None:
    names = ["localhost", "127.0.0.1", "kitchen.local", "fd00::5"]
    first = certificate_for(names, tmp_path)
    told = x509.load_pem_x509_certificate(first.cert.read_bytes())
    held = told.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert {str(name.value) for name in held} == set(names)
    assert told.not_valid_after_utc - told.not_valid_before_utc < timedelta(days=825)
    assert first.key.stat().st_mode & 0o077 == 0
    assert certificate_for(names[:2], tmp_path) == first
    assert certificate_for(["10.0.0.7"], tmp_path) != first, "the machine has moved to another network"


def test_a_certificate_is_made_anew_before_it_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = certificate_for(["localhost"], tmp_path)

    class Later(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            return datetime.now(UTC) + timedelta(days=390)

    monkeypatch.setattr(certificate, "datetime", Later)
    assert certificate_for(["localhost"], tmp_path) != first


@pytest.mark.parametrize("broken", ["cert.pem", "key.pem"])
def test_a_broken_certificate_is_made_anew(tmp_path: Path, broken: str) -> None:
    first = certificate_for(["localhost"], tmp_path)
    (tmp_path / broken).write_text("none")
    second = certificate_for(["localhost"], tmp_path)
    assert second != first
    ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(second.cert, second.key)


def test_a_certificate_that_cannot_be_kept_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInputError, match="leave --tls out"):
        certificate_for(["localhost"], tmp_path / "file" / "private")


def test_https_is_served_to_whoever_trusts_the_certificate(
    hand_video: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The real server on all addresses: the link that it printed, opened with that very certificate."""
    monkeypatch.setattr(service, "tools", pretend_tools(PretendEye(), hand_video))
    servers: list[uvicorn.Server] = []
    begun = threading.Event()
    real = uvicorn.Server.run

    def noted(server: uvicorn.Server, sockets: object = None) -> None:
        servers.append(server)
        begun.set()
        real(server, sockets)  # type: ignore[arg-type]

    monkeypatch.setattr(uvicorn.Server, "run", noted)
    thread = threading.Thread(target=run_server, args=("0.0.0.0", 0, tmp_path), kwargs={"tls": True})
    thread.start()
    try:
        assert begun.wait(20)
        told = re.search(r"(https://\S+?)/\?key=(\S+)", capsys.readouterr().out)
        assert told is not None
        assert told[1].split("//")[1].rsplit(":", 1)[0] in [*own_addresses(), "127.0.0.1"]
        made = certificate_for([], private_folder())
        trusting = ssl.create_default_context(cafile=str(made.cert))
        with httpx2.Client(verify=trusting, base_url=told[1]) as client:
            entered = client.get("/", params={"key": told[2]})
            assert "secure" in entered.headers["set-cookie"].lower()
            assert 'data-role="master"' in client.get("/").text
            assert client.get("/api/links").json()["links"][0]["link"].startswith(told[1])
        assert httpx2.get(f"{told[1]}/", verify=trusting).status_code == 401
    finally:
        servers[0].should_exit = True
        thread.join(20)
