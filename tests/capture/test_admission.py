"""Requests of web pages and for other names are refused, and nothing of them is recorded."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from ctxtui.capture.admission import Admission
from ctxtui.capture.keeper import RefusedRequest
from ctxtui.cli import main
from ctxtui.cli.capture import CaptureReport
from ctxtui.core.errors import Refused
from tests.capture.conftest import CHAT, Rig, asking
from tests.capture.test_command import capture, capturing, folder, upstream

__all__ = ["folder", "upstream"]
PORT = 8000
ASK = """
import json, os, sys, urllib.error, urllib.request
headers = json.loads(sys.argv[1])
body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "hello"}]}).encode()
sent = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body, headers)
try:
    print(urllib.request.urlopen(sent).status)
except urllib.error.HTTPError as error:
    print(error.code)
"""


def admission(host: str = "127.0.0.1", **allowed: list[str]) -> Admission:
    found = Admission(host, **allowed)
    found.listens([(host, PORT)])
    return found


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "LocalHost", "127.0.0.1:8000", "[::1]:8000"]
)
def test_this_machine_is_asked_for_by_its_own_names(host: str) -> None:
    assert admission().refusal({"host": host}) is None


@pytest.mark.parametrize(
    "host",
    [
        *(
            "evil.example",
            "evil.example:8000",
            "127.0.0.1:1",
            "127.0.0.1.evil.example",
            "",
            ":8000",
        ),
        *(
            "localhost.evil.example:8000",
            "192.168.1.2",
            "127.0.0.1, evil.example",
            "[::1",
            "::1:80",
        ),
        "127.0.0.1:" + "8" * 5_000,
    ],
)
def test_another_name_is_refused(host: str) -> None:
    refusal = admission().refusal({"host": host})
    assert refusal is not None
    assert "--allow-host" in refusal
    assert len(refusal) < 500


def test_a_client_of_http_1_0_that_names_no_host_is_no_browser() -> None:
    assert admission().refusal({}) is None


def test_the_refusal_names_what_to_allow_and_nothing_that_is_no_host() -> None:
    assert admission().refusal({"host": "host.docker.internal:8000"}) == (
        "Host host.docker.internal:8000 is not an address of this proxy; "
        "to allow it, start ctxtui capture with --allow-host host.docker.internal:8000"
    )
    refusal = admission().refusal({"host": "a secret; rm"})
    assert refusal is not None
    assert "secret" not in refusal


@pytest.mark.parametrize(
    ("allowed", "host", "is_admitted"),
    [
        ("host.docker.internal", "host.docker.internal:9999", True),
        ("Host.Docker.Internal", "host.docker.internal", True),
        ("gate:8080", "gate:8080", True),
        ("gate:8080", "gate:8081", False),
        ("gate", "other", False),
        ("[fd00::1]", "[fd00::1]:8000", True),
    ],
)
def test_names_can_be_allowed(allowed: str, host: str, is_admitted: bool) -> None:
    assert (admission(hosts=[allowed]).refusal({"host": host}) is None) == is_admitted


@pytest.mark.parametrize("origin", ["http://127.0.0.1:8000", "HTTP://127.0.0.1:8000"])
def test_a_page_of_the_proxy_itself_is_admitted(origin: str) -> None:
    assert admission().refusal({"host": "127.0.0.1:8000", "origin": origin}) is None


@pytest.mark.parametrize(
    "origin",
    [
        *("http://evil.example", "https://evil.example:8000", "http://127.0.0.1", "null", ""),
        *("http://127.0.0.1:3000", "http://localhost:8000", "app://obsidian.md", "file://"),
        "http://127.0.0.1:8000, http://evil.example",
    ],
)
def test_other_pages_are_refused(origin: str) -> None:
    refusal = admission().refusal({"host": "127.0.0.1:8000", "origin": origin})
    assert refusal is not None
    assert "--allow-origin" in refusal
    assert admission().refusal({"origin": origin}) is not None


@pytest.mark.parametrize(
    ("allowed", "origin", "is_admitted"),
    [
        ("app://obsidian.md", "app://obsidian.md", True),
        ("app://", "app://-", True),
        ("app://*", "app://any", True),
        ("vscode-webview://*", "vscode-webview://1a2b", True),
        ("vscode-webview://*", "http://vscode-webview", False),
        ("null", "null", True),
        ("null", "http://evil.example", False),
        ("http://localhost:*", "http://localhost:3000", True),
        ("http://localhost:*", "http://localhost.evil.example", False),
        ("http://localhost:3000/", "http://localhost:3000", True),
    ],
)
def test_origins_can_be_allowed(allowed: str, origin: str, is_admitted: bool) -> None:
    asked = {"host": "localhost", "origin": origin, "sec-fetch-site": "cross-site"}
    assert (admission(origins=[allowed]).refusal(asked) is None) == is_admitted


@pytest.mark.parametrize(
    ("site", "is_admitted"),
    [("cross-site", False), ("same-site", False), ("same-origin", True), ("none", True)],
)
def test_what_a_browser_says_of_a_request_without_an_origin_counts(
    site: str, is_admitted: bool
) -> None:
    asked = {"host": "localhost", "sec-fetch-site": site}
    assert (admission().refusal(asked) is None) == is_admitted


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_listening_on_all_addresses_admits_any_address_but_no_other_name(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "Desk")
    wide = admission(host)
    for name in ("192.168.1.2:8000", "[fd00::1]:8000", "desk:8000", "localhost:8000"):
        assert wide.refusal({"host": name}) is None
    for name in ("evil.example", "desk.evil.example"):
        assert wide.refusal({"host": name}) is not None


def test_the_name_that_is_listened_on_is_admitted() -> None:
    found = Admission("Desk.Local")
    found.listens([("192.168.1.2", PORT)])
    for name in ("desk.local:8000", "192.168.1.2:8000", "localhost"):
        assert found.refusal({"host": name}) is None
    assert found.refusal({"host": "192.168.1.3:8000"}) is not None


@pytest.mark.parametrize("given", ["http://evil.example/path", "*", "evil.example", "", "http:/x"])
def test_what_is_no_origin_cannot_be_allowed(given: str) -> None:
    with pytest.raises(Refused, match=r"--allow-origin .* is not an origin \(SCHEME://HOST"):
        Admission("127.0.0.1", origins=[given])


@pytest.mark.parametrize("given", ["http://gate", "*", "", "a b", "gate:port"])
def test_what_is_no_host_cannot_be_allowed(given: str) -> None:
    with pytest.raises(Refused, match=r"--allow-host .* is not a host \(NAME or NAME:PORT"):
        Admission("127.0.0.1", hosts=[given])


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
    ],
)
async def test_what_is_refused_is_neither_passed_on_nor_recorded(
    rig: Rig, headers: dict[str, str]
) -> None:
    answer, body = await rig.ask(headers=headers)
    assert answer.status == 403
    (name,) = headers
    assert name in json.loads(body)["error"]["message"]
    async with rig.client.get(f"{rig.address}/v1/models", headers=headers) as answer:
        assert answer.status == 403
    async with rig.client.options(rig.address + CHAT, headers=headers) as answer:
        assert answer.status == 403
    assert rig.server.came == []
    await rig.ask(json=asking("a call that is recorded"))
    await rig.until(1)
    assert len(rig.kept) == 1


def test_a_command_passes_and_what_is_refused_is_told_when_it_has_ended(
    upstream: str, folder: Path
) -> None:
    options = ("--upstream", upstream, "--library", folder)
    child = ("--", sys.executable, "-c", ASK)
    assert capture(*options, *child, "{}").stdout == "200\n"
    page = json.dumps({"Origin": "app://obsidian.md"})
    ran = capture(*options, *child, page)
    assert ran.stdout == "403\n"
    assert "1 request refused: requests of web pages are refused, and this one has Origin" in (
        ran.stderr
    )
    assert "0 calls recorded" in ran.stderr
    both = json.dumps({"Origin": "app://obsidian.md", "Host": "host.docker.internal"})
    allowed = ("--allow-origin", "app://*")
    assert capture(*options, *allowed, *child, both).stdout == "403\n"
    hosts = ("--allow-host", "host.docker.internal")
    assert capture(*options, *allowed, *hosts, *child, both).stdout == "200\n"


@pytest.mark.parametrize("host", ["localhost", "0.0.0.0", "127.0.0.2"])
def test_a_command_reaches_the_proxy_wherever_it_listens(
    upstream: str, folder: Path, host: str
) -> None:
    if host == "127.0.0.2" and sys.platform != "linux":
        pytest.skip("only Linux has this address")
    options = ("--upstream", upstream, "--library", folder, "--host", host)
    assert capture(*options, "--", sys.executable, "-c", ASK, "{}").stdout == "200\n"


def test_a_reason_is_told_once_while_the_proxy_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = CaptureReport(tmp_path, is_json=False, is_quiet=False)
    for _ in range(3):
        report.call(RefusedRequest("Host a is not an address of this proxy"))
    for number in range(50):
        report.call(RefusedRequest(f"Host {number} is not an address of this proxy"))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "ctxtui: refused: Host a is not an address of this proxy"
    assert len(lines) == len(set(lines)) == 11
    assert not report.has_problems


def test_what_is_no_origin_is_told_by_the_command(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["capture", "--library", str(folder), "--allow-origin", "evil", "--", "true"]
    assert main(asked) == 2
    assert re.search(r"--allow-origin 'evil' is not an origin", capsys.readouterr().err)


def test_a_null_origin_is_warned_of(folder: Path) -> None:
    with capturing("--library", folder, "--allow-origin", "null") as process:
        assert process.stderr is not None
        assert "sandboxed frame" in process.stderr.readline()
