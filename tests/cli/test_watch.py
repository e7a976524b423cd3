"""``ctxtui watch`` and ``--follow`` without a terminal: for programs, or one sentence."""

from __future__ import annotations

import json
from pathlib import Path

from ctxtui.core.storage import Library
from tests.cli.conftest import Run
from tests.storage.processes import worker
from tests.storage.samples import small


def test_who_writes_what_is_printed_as_json(tmp_path: Path, run: Run) -> None:
    library = Library(tmp_path / "library")
    with library.create(small(), title="tea") as made:
        id = made.id
    nothing: dict[str, object] = {"sessions": [], "inFlight": []}
    assert json.loads(run("watch", "--json", "--library", library.folder).out) == nothing
    with worker("hold", library.folder, id) as other:
        process = other.answer()[1]
        other.ask("four")
        other.answer()
        told = run("watch", "--json", "--library", library.folder)
        (session,) = json.loads(told.out)["sessions"]
    assert told.code == 0
    assert f"process {process}" in session["holder"]
    assert (session["id"], session["title"], session["messages"]) == (id, "tea", 4)
    assert (session["calls"], session["cacheHit"]) == (0, None)


def test_watching_needs_a_terminal(tmp_path: Path, run: Run) -> None:
    told = run("watch", "--library", tmp_path / "library")
    assert told.code == 2
    assert told.err == (
        "ctxtui: the app needs a terminal: standard input and output must both be one\n"
    )


def test_following_needs_a_file(tmp_path: Path, run: Run) -> None:
    for given in (["--follow"], ["--follow", "a-session"]):
        told = run(*given, "--library", tmp_path / "library")
        assert told.code == 2
        assert "--follow needs a file that another program writes" in told.err


def test_calls_in_flight_are_told(run: Run, library: Path) -> None:
    proxy = Library(library)
    slip = proxy.spool.begin()
    request = {"model": "m-1", "messages": [{"role": "user", "content": "about rivers"}]}
    head = {"kind": "chat", "path": "/v1/chat/completions", "time": 7, "request": request}
    slip.add(json.dumps(head).encode())
    flying = [{"session": None, "time": 7, "model": "m-1", "messages": 1}]
    assert run("watch", "--json").data == {"sessions": [], "inFlight": flying}
    slip.delete()
    assert run("watch", "--json").data["inFlight"] == []
