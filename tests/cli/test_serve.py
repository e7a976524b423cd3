"""``ctxtui serve`` says no in a sentence, and what it would start can only look."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from ctxtui.serve import server
from tests.cli.conftest import SAMPLES, Run
from tests.docs.pages import code_in, page

TOUR = SAMPLES / "tour.json"


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Return what was served, without serving it."""
    asked: list[dict[str, Any]] = []

    def serve(
        command: list[str],
        host: str,
        port: int,
        names: frozenset[str],
        ready: Callable[[int, str], None],
    ) -> None:
        asked.append({"command": command, "host": host, "port": port, "names": names})
        ready(port or 4000, "k")

    monkeypatch.setattr(server, "serve", serve)
    return asked


def test_it_listens_on_this_machine_only_and_reads_only(
    run: Run, served: list[dict[str, Any]]
) -> None:
    done = run("serve", TOUR)
    assert done.out == "http://127.0.0.1:8642/?key=k shows the app in a browser, until ctrl+c\n"
    assert (done.code, done.err) == (0, "")
    (asked,) = served
    assert asked["host"] == "127.0.0.1"
    assert asked["names"] == {"127.0.0.1", "localhost"}
    assert asked["command"][:4] == [sys.executable, "-P", "-m", "ctxtui.serve.visitor"]
    assert asked["command"][-2:] == ["--", str(TOUR)]
    assert "--write" not in asked["command"]


def test_the_address_is_told_to_programs(run: Run, served: list[dict[str, Any]]) -> None:
    done = run("serve", "--port", "0", "--json")
    rows = {row[0]: code_in(row[1]) for row in page("docs/commands.md").table("with `--json`")}
    assert list(done.data) == rows["`serve`"]
    url = "http://127.0.0.1:4000/?key=k"
    assert done.data == {"url": url, "urls": [url], "readOnly": True}
    assert "--" not in served[0]["command"]


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.7", "desk.example"])
def test_a_wider_address_needs_an_explicit_word(
    host: str, run: Run, served: list[dict[str, Any]]
) -> None:
    done = run("serve", "--host", host)
    assert done.code == 2
    assert f"host '{host}' is reached from other machines" in done.err
    assert "--anyone" in done.err
    assert served == []
    done = run("serve", "--host", host, "--anyone")
    assert done.code == 0
    assert "anyone with the address below can read the library; nothing is encrypted" in done.err
    assert served[0]["names"] == frozenset()


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_addresses_that_can_be_opened_are_told_instead_of_all(
    host: str, run: Run, served: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "desk")
    done = run("serve", "--host", host, "--anyone")
    here, there = done.out.splitlines()
    assert here.startswith("http://127.0.0.1:8642/?key=k shows the app")
    assert there.startswith("http://desk:8642/?key=k does so on other machines")
    assert "nothing is encrypted" in done.err
    assert served[0]["host"] == host
    told = run("serve", "--host", host, "--anyone", "--json").data
    assert told["urls"] == [told["url"], "http://desk:8642/?key=k"]


def test_an_ipv6_address_is_told_as_browsers_take_it(
    run: Run, served: list[dict[str, Any]]
) -> None:
    assert run("serve", "--host", "::1").out.startswith("http://[::1]:8642/?key=k shows")
    assert served[0]["names"] == {"::1", "localhost", "127.0.0.1"}


def test_writing_is_asked_for_and_told(run: Run, served: list[dict[str, Any]]) -> None:
    done = run("serve", "--write", "--host", "0.0.0.0", "--anyone")
    assert "what is changed there is saved" in done.out
    assert "can read the library and change it" in done.err
    assert "--write" in served[0]["command"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--port", "70000"), "port 70000 is outside 0…65535"),
        (("nothing.json",), "nothing.json: there is no such file"),
        ((str(SAMPLES / "README.md"),), "README.md"),
    ],
)
def test_what_can_not_be_served_is_said_before_anybody_comes(
    arguments: tuple[str, ...], sentence: str, run: Run, served: list[dict[str, Any]]
) -> None:
    done = run("serve", *arguments)
    assert done.code == 2
    assert sentence in done.err
    assert served == []


def test_without_the_extra_it_says_what_to_install(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "textual_serve", None)
    monkeypatch.delitem(sys.modules, "ctxtui.serve.server")
    monkeypatch.delattr("ctxtui.serve.server")
    monkeypatch.delitem(sys.modules, "textual_serve.server", raising=False)
    monkeypatch.delitem(sys.modules, "textual_serve.app_service", raising=False)
    done = run("serve", TOUR)
    assert done.code == 2
    assert "serve needs textual-serve, which is not installed" in done.err
