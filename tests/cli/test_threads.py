"""``ctxtui threads``: what was recorded is listed, merged, split and renamed, or refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxtui.capture.thread_sessions import ThreadSessions
from ctxtui.core import Conversation
from ctxtui.core.storage import Library
from tests.cli.conftest import Run
from tests.core.requests.test_revising import VECTORS
from tests.core.requests.traffic import FOLDER, exchange_of
from tests.storage.processes import worker
from tests.storage.samples import small
from tests.ui.recorded_threads import Talk, Writer, run_with_agents


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "library")


def two(library: Library) -> None:
    writer = Writer(library)
    talks = [Talk(writer, f"Do {name}.", tag=name) for name in ("one", "two")]
    for talk in (*talks, *talks):
        talk.go_on(2)
    writer.close()


def calls(library: Library) -> dict[str, int]:
    """Return how many calls each session has, by its title."""
    opened = [library.open(entry.id, read_only=True) for entry in library.list()]
    return {session.title: len(session.conversation.calls.all) for session in opened}


def test_threads_are_listed_as_a_tree(library: Library, run: Run) -> None:
    told = run("threads", "--library", library.folder)
    assert (told.code, told.out.split(";")[0]) == (0, f"no run is recorded in {library.folder}")
    run_with_agents(library).close()
    told = run("threads", "list", "--library", library.folder)
    lines = [line.split("  ")[-1] for line in told.out.splitlines()]
    assert lines == [
        "coder.py",
        "coder: 7 calls",
        "Find every place where the retry limit is written down.: 1 call",
        "side call: 1 token count, 1 attempt",
        "attempts that came to nothing: 1 call",
        "token counts: 1 call",
        "triage: 2 calls",
    ]
    told = run("threads", "list", "--json", "--library", library.folder)
    rows = {row["title"]: row for row in json.loads(told.out)["threads"]}
    assert rows["coder"]["thread"] == {
        **{"run": "run1", "program": "coder.py", "thread": 0, "role": "main"},
    }
    assert (rows["coder"]["calls"], rows["coder"]["brokeCache"]) == (7, 1)


def test_threads_are_merged_and_the_old_ones_come_back_from_the_trash(
    library: Library, run: Run
) -> None:
    two(library)
    told = run("threads", "merge", "one", "two", "--library", library.folder)
    assert told.code == 0
    assert "one: 8 calls" in told.out
    assert calls(library) == {"one": 8}
    (made,) = library.list()
    ids = library.trash.ids()
    back = told.out.partition("ctxtui delete --restore ")[2].split()[:2]
    assert sorted(back) == sorted(ids)
    assert run("delete", made.id, "--library", library.folder).code == 0
    assert run("delete", "--restore", *ids, "--library", library.folder).code == 0
    assert calls(library) == {"one": 4, "two": 4}


def test_a_thread_is_split_at_a_call(library: Library, run: Run) -> None:
    two(library)
    told = run("threads", "split", "one", "2", "--json", "--library", library.folder)
    made = json.loads(told.out)["made"]
    assert [(one["title"], one["calls"]) for one in made] == [("one", 1), ("one from call 2", 3)]
    assert calls(library) == {"one": 1, "one from call 2": 3, "two": 4}
    places = [library.open(one["session"], read_only=True).details.thread for one in made]
    assert [place.thread for place in places if place is not None] == [0, 2]


def test_a_file_of_requests_is_a_run_too(library: Library, run: Run) -> None:
    file = FOLDER / "lc_summarize.jsonl"
    assert run("import", file, "--library", library.folder).code == 0
    told = run("threads", "--library", library.folder).out.splitlines()
    assert told[0] == "lc_summarize.jsonl"
    (main,) = (line.split()[0] for line in told[1:] if line.startswith("  ") and line[2] != " ")
    before = run("threads", "--library", library.folder, "--json").data["threads"]
    assert run("threads", "split", main, "2", "--library", library.folder).code == 0
    after = run("threads", "--library", library.folder, "--json").data["threads"]
    assert len(after) == len(before) + 1
    assert {row["thread"]["program"] for row in after} == {"lc_summarize.jsonl"}
    assert sum(row["calls"] for row in after) == sum(row["calls"] for row in before)


def test_a_thread_is_renamed(library: Library, run: Run) -> None:
    two(library)
    told = run("threads", "rename", "one", "tea", "--library", library.folder)
    assert told.out.rstrip().endswith("  tea")
    assert set(calls(library)) == {"tea", "two"}


@pytest.mark.parametrize(
    ("given", "code", "sentence"),
    [
        (("split", "one", "1"), 2, "call 1 is outside 2…4"),
        (("split", "one", "5"), 2, "call 5 is outside 2…4"),
        (("split", "one", "x"), 2, "call 'x' is not a number"),
        (("merge", "one", "one"), 2, "'one' can't be merged into itself"),
        (("merge", "one", "nobody"), 2, "nobody"),
        (("merge", "one"), 2, "ctxtui threads merge INTO SESSION…: 1 name can't be that"),
        (("split", "one"), 2, "ctxtui threads split SESSION CALL: 1 name can't be that"),
        (("list", "one"), 2, "ctxtui threads list: 1 name can't be that"),
        (("mend", "one"), 2, "invalid choice: 'mend'"),
        (("rename", "one", "a\x1bb"), 2, "holds U+001B"),
        (("merge", "one", "silent"), 2, "no call is recorded in"),
    ],
)
def test_what_can_not_be_done_is_a_sentence_and_changes_nothing(
    library: Library, run: Run, given: tuple[str, ...], code: int, sentence: str
) -> None:
    two(library)
    library.create(small(), title="silent").close()
    before = calls(library)
    told = run("threads", *given, "--library", library.folder)
    assert told.code == code
    assert sentence in told.err
    assert len(told.err.splitlines()) == 1
    assert calls(library) == before
    assert library.trash.ids() == []


def test_what_another_program_writes_is_refused(
    library: Library, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ctxtui.cli.threads.WAIT_SECONDS", 0.0)
    two(library)
    id = library.find("one")
    with worker("hold", library.folder, id) as other:
        other.answer()
        told = run("threads", "merge", "two", "one", "--library", library.folder)
    assert told.code == 1
    assert "'one' is open in" in told.err
    assert calls(library) == {"one": 4, "two": 4}


def test_a_stored_run_is_explained_again(library: Library, run: Run) -> None:
    two(library)
    same = run("threads", "explain", library.list()[0].id, "--library", library.folder)
    assert (same.code, same.out) == (0, "every call is explained as it is stored\n")
    data = library.open(library.list()[0].id, read_only=True).conversation.to_dict()
    calls = [row["operation"] for row in data["journal"] if "wire" in row["operation"]]
    calls[1]["wire"]["explained"] = [
        {"operation": "COMPRESS", "reason": "as it was once", "certainty": "proven"}
    ]
    with library.create(Conversation.from_dict(data)) as session:
        id = session.id
    told = run("threads", "explain", id, "--library", library.folder)
    assert told.code == 1
    assert told.out == "call 2: COMPRESS (proven) is stored; now it would be APPEND (proven)\n"
    listed = run("threads", "explain", id, "--json", "--library", library.folder)
    assert json.loads(listed.out)["changes"] == [
        {"call": 2, "stored": ["COMPRESS (proven)"], "now": ["APPEND (proven)"]}
    ]
    saved = run("threads", "explain", id, "--save", "--json", "--library", library.folder)
    (made,) = json.loads(saved.out)["made"]
    again = run("threads", "explain", made["session"], "--library", library.folder)
    assert (again.code, id in json.loads(saved.out)["trashed"]) == (0, True)


@pytest.mark.parametrize(("name", "count"), [("ag-team", 2), ("oa-handoff", 2)])
def test_a_run_is_judged_with_all_its_calls(
    name: str, count: int, library: Library, run: Run
) -> None:
    recorded = ThreadSessions(library)
    rows = (VECTORS / "threads" / f"{name}.jsonl").read_text("utf-8").splitlines()
    for line in rows:
        recorded.save(recorded.record(exchange_of(json.loads(line))).thread)
    judged = recorded.rejudged()
    assert judged is not None
    id, threads = judged
    assert threads == count
    list(recorded.close())
    told = run("threads", "explain", id, "--library", library.folder)
    assert told.code == 1
    assert told.out.startswith("with all its calls known, the run has 2 threads; --save stores")
    saved = run("threads", "explain", id, "--save", "--json", "--library", library.folder)
    made = json.loads(saved.out)["made"]
    assert sum(one["calls"] for one in made) == len(rows)
    for one in made:
        conversation = library.open(one["session"], read_only=True).conversation
        assert conversation.check() == []
        again = run("threads", "explain", one["session"], "--library", library.folder)
        assert (again.code, again.out) == (0, "every call is explained as it is stored\n")
    label = {call.wire["number"]: one["session"] for one in made for call in calls_of(library, one)}
    wanted = json.loads((VECTORS / "threads" / "expected.json").read_text("utf-8"))[name]
    assert len(set(zip(wanted, map(label.get, range(len(rows))), strict=True))) == count


def calls_of(library: Library, made: dict[str, str]) -> list[Any]:
    return list(library.open(made["session"], read_only=True).conversation.calls.all)
