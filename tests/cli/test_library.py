"""Files go into the library, are listed, and come out again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from ctxtui.core import Conversation
from ctxtui.core.formats import dump_json, format_named
from ctxtui.core.storage import Library
from tests.cli.conftest import SAMPLES, Run, Write

TOUR, TRIP = SAMPLES / "tour.json", SAMPLES / "trip.openai.json"
CHAT = [{"role": "user", "content": "hi"}]
HOSTILE = "\x1b[31mred\x07 \u202egnp.exe \x9b2J nul\0 [/b] \n../../x"


def titled(path: Path, title: str) -> Path:
    """Write a conversation that calls itself something."""
    made = Conversation(CHAT, meta={"title": title})
    path.write_text(dump_json(format_named("native").write(made).data), encoding="utf-8")
    return path


def sessions(run: Run, *more: object) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = run("list", "--json", *more).data["sessions"]
    return found


def test_import_makes_a_session_of_each_file(run: Run) -> None:
    told = run("import", TOUR, TRIP, "--json")
    assert (told.code, told.err) == (0, "")
    made = told.data["sessions"]
    assert [(one["title"], one["messages"]) for one in made] == [
        ("fix-flaky-upload", 32),
        ("trip.openai.json", 21),
    ]
    assert set(made[0]) == {"id", "title", "messages"}
    assert told.data["problems"] == []
    assert {one["id"] for one in sessions(run)} == {one["id"] for one in made}


LABELLED = {"messages": CHAT, "label": "good\nold", "score": 0.5, "by\x1b": {"a": ["東京"]}}


def test_other_fields_are_named_at_import_listed_shown_searched_and_written(
    run: Run, write: Write
) -> None:
    path = write("chat.openai.json", LABELLED)
    told = run("import", path)
    id = told.out.split()[0]
    assert told.out == f"{id}  chat.openai.json: 1 message, 3 other fields: label, score, by␛\n"
    assert [one["fields"] for one in sessions(run)] == [["label", "score", "by\x1b"]]
    assert sessions(run, "--where", "field:score>0.4 fields:yes")
    assert not sessions(run, "--where", "field:label=bad")
    for name in (id, path):
        shown = run("show", name).out.splitlines()
        start = shown.index("3 other fields: label, score, by␛")
        assert [line.strip() for line in shown[start + 1 : -1]] == [
            *("label", "good", "old", "score", "0.5", "by␛", "a[0]: 東京"),
        ]
        assert len(run("show", name, "--json").data) == 1
    assert f"{id}  chat.openai.json\n  field by␛: a[0]: «東京»\n" in run("search", "東京").out
    assert [hit["field"] for hit in run("search", "good", "--json").data["hits"]] == ["label"]
    assert json.loads(run("export", id, "--to", "openai").out) == LABELLED
    left = run("export", id, "--to", "hf")
    assert "fields.label, fields.score" in left.err
    assert "label" not in left.out


def test_of_many_files_all_other_fields_are_named_once(run: Run, write: Write) -> None:
    paths = [
        write(f"{n}.json", {"messages": CHAT, "n": n, "label": n} if n else LABELLED)
        for n in range(2)
    ]
    assert "; 4 other fields: label, score, by␛, n" in run("import", *paths).err


def test_squash_keeps_other_fields_unless_they_are_dropped(run: Run, write: Write) -> None:
    path = write("chat.openai.json", LABELLED)
    assert json.loads(run("squash", path).out)["label"] == LABELLED["label"]
    assert "label" not in run("squash", path, "--drop-fields").out
    id = run("import", path).out.split()[0]
    for more, count in ((("--purge",), 3), (("--purge", "--drop-fields"), 0)):
        id = run("squash", id, *more, "--json").data["squashed"][0]["session"]
        assert [len(one["fields"]) for one in sessions(run)] == [count]


def test_a_file_that_is_there_already_is_not_imported_twice(run: Run, write: Write) -> None:
    path = write("chat.json", CHAT)
    first = run("import", path)
    assert first.code == 0
    id = first.out.split()[0]
    assert first.out == f"{id}  chat.json: 1 message\n"
    again = run("import", path)
    assert again.code == 0
    assert again.out == f"{id}  chat.json: {path} is in the library already, as {id}\n"
    twice = run("import", path, path, "--json")
    assert [one["id"] for one in twice.data["sessions"]] == [id]
    assert len(sessions(run)) == 1


def test_another_content_or_another_place_is_another_session(run: Run, write: Write) -> None:
    path = write("chat.json", CHAT)
    run("import", path, write("copy.json", CHAT))
    write("chat.json", CHAT * 2)
    assert run("import", path).code == 0
    assert sorted(one["messages"] for one in sessions(run)) == [1, 1, 2]


def test_files_that_can_not_be_read_do_not_keep_the_others_out(run: Run, write: Write) -> None:
    bad = write("bad.json", {"colour": 1})
    told = run("import", "nope.json", TRIP, bad, "--json")
    assert told.code == 1
    assert [one["title"] for one in told.data["sessions"]] == ["trip.openai.json"]
    assert len(told.data["problems"]) == 2
    assert told.data["problems"][0] == "nope.json: there is no such file"
    assert told.err.count("\n") == 2
    nothing = run("import", "nope.json", bad, "--json")
    assert (nothing.code, nothing.data["sessions"]) == (2, [])


def test_what_an_import_adapts_is_told_and_no_failure(run: Run, write: Write) -> None:
    path = write("odd.json", [{"role": "assistant", "content": None, "audio": {"id": "a"}}])
    told = run("import", path, "--json")
    assert told.code == 0
    assert told.data["problems"]
    assert all(problem.startswith(f"{path}: ") for problem in told.data["problems"])
    assert told.err.count("\n") == len(told.data["problems"])


def test_standard_input_is_imported_without_a_place(run: Run) -> None:
    for _ in range(2):
        assert run("import", "-", stdin=json.dumps(CHAT)).code == 0
    assert [(one["title"], one["source"]) for one in sessions(run)] == [
        ("standard input", None)
    ] * 2


def test_import_says_when_nothing_can_be_kept(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("", encoding="utf-8")
    told = run("import", TRIP, "--library", place / "library")
    assert told.code in (1, 2)
    assert told.out == ""
    assert told.err.startswith("ctxtui: ")
    assert told.err.count("\n") == 1


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder nobody can add to")
def test_import_says_where_no_folder_can_be_made(run: Run) -> None:
    told = run("import", TRIP, "--library", "/proc/library")
    assert (told.code in (1, 2), told.out) == (True, "")
    assert told.err.endswith("could not be saved in /proc/library: no folder can be made there\n")


def test_a_disk_that_refuses_is_no_success(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    told = run("import", TRIP, "--json")
    assert told.code == 1
    assert told.data["sessions"] == []
    assert "the disk is full" in told.data["problems"][0]
    monkeypatch.undo()


def test_a_library_is_chosen_by_option_before_the_environment(
    run: Run, library: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    run("import", TRIP, "--library", other)
    assert not library.exists()
    assert sessions(run) == []
    assert len(sessions(run, "--library", other)) == 1
    run("import", TOUR)
    assert [one["title"] for one in sessions(run)] == ["fix-flaky-upload"]
    assert library.is_dir()


@pytest.mark.parametrize("command", [("list",), ("verify",), ("import", TRIP), ("show", "x")])
def test_a_folder_that_is_no_library_is_refused_and_left_as_it_is(
    run: Run, tmp_path: Path, command: tuple[object, ...]
) -> None:
    files = {"ubuntu.iso.part": "half", "index.json": '{"my": "own"}', "abcdefghijkl.json": "{}"}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    told = run(*command, "--library", tmp_path)
    assert told.code in (1, 2)
    assert told.out == ""
    assert "is not a library: there are only other files in it (abcdefghijkl.json, " in told.err
    assert told.err.count("\n") == 1
    left = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert left == files


def test_list_is_a_table_and_says_how_to_begin(run: Run, library: Path) -> None:
    empty = run("list")
    assert (empty.code, empty.err) == (0, "")
    assert empty.out == f"no session in {library}; ctxtui import FILE makes one\n"
    assert not library.exists()
    run("import", TOUR)
    lines = run("list").out.splitlines()
    head = "id title format messages visible batches tokens lint tags status updated"
    assert lines[0].split() == head.split()
    told = "fix-flaky-upload native 32 11 6 218 ✖ 1 new"
    assert lines[1].split()[1:10] == told.split()
    assert lines[2] == "tokens by bytes/4, an estimate"


def test_columns_stand_below_each_other_whatever_the_letters(run: Run, tmp_path: Path) -> None:
    names = ("plain", "上下文 检查", "한국어", "👩‍💻 emoji", "é", "字" * 90)
    for i, title in enumerate(names):
        run("import", titled(tmp_path / f"{i}.json", title))
    rows = run("list").out.splitlines()[: len(names) + 1]
    ends = {cell_len(row[: row.index(" new ")]) for row in rows[1:]}
    assert len(ends) == 1
    assert max(map(cell_len, rows)) < 150
    assert {one["title"] for one in sessions(run)} == set(names)


def test_figures_of_several_counters_say_their_own(run: Run, write: Write, library: Path) -> None:
    run("import", write("a.json", CHAT), write("b.json", CHAT))
    with Library(library).open(sessions(run)[0]["id"]) as session:
        session.execute({"operation": "CONFIGURE", "counter": "o200k"})
    out = run("list").out
    assert " 1 bytes/4 " in out
    assert " 1 o200k " in out


def test_tags_status_and_note_are_listed(run: Run, library: Path) -> None:
    run("import", TRIP)
    with Library(library).open(sessions(run)[0]["id"]) as session:
        session.describe(tags=["good", "short"], status="needs work", note="a word")
    assert "  good, short  needs work  " in run("list").out
    (one,) = sessions(run)
    assert (one["tags"], one["status"], one["note"]) == (
        ["good", "short"],
        "needs work",
        "a word",
    )


def test_hostile_titles_reach_no_terminal_and_no_path(
    run: Run, tmp_path: Path, library: Path
) -> None:
    run("import", titled(tmp_path / "h.json", HOSTILE))
    (one,) = sessions(run)
    told = [
        run("list"),
        run("verify"),
        run("export", one["id"], "-o", tmp_path),
        run("show", "red"),
    ]
    told.append(run("delete", one["title"]))
    assert [done.code for done in told] == [0, 0, 0, 2, 0]
    for done in told:
        said = (done.out + done.err).replace("\n", "")
        assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 or c == "\u202e" for c in said)
    assert not (library.parent / "x").exists()


def test_export_gives_everything_back(run: Run, tmp_path: Path) -> None:
    run("import", TOUR)
    out = tmp_path / "out.json"
    told = run("export", "fix-flaky-upload", "-o", out)
    assert (told.code, told.out) == (0, "")
    for scope in ("raw", "visible"):
        ours, theirs = (run("show", file, "--scope", scope, "--json") for file in (out, TOUR))
        assert ours.out == theirs.out
    printed = run("export", "fix-flaky-upload")
    assert printed.out == out.read_text(encoding="utf-8")
    assert run("export", "fix-flaky-upload", "-o", "-").out == printed.out


def test_export_says_what_is_left_out(run: Run, library: Path) -> None:
    run("import", TRIP)
    plain = run("export", "trip.openai.json", "--to", "openai")
    assert json.loads(plain.out) == json.loads(TRIP.read_text(encoding="utf-8"))
    assert plain.err == ""
    with Library(library).open(sessions(run)[0]["id"]) as session:
        session.describe(title="Porto", tags=["good"], status="accepted")
        session.execute({"operation": "TRUNCATE", "keepLast": 2})
    told = run("export", "Porto", "--to", "openai")
    assert "hidden messages are left out (19)" in told.err
    assert "only the library stores it: title, tags, review status\n" in told.err
    assert run("export", "Porto", "--to", "wizard").code == 2


def test_export_writes_a_whole_file_or_none(run: Run, tmp_path: Path) -> None:
    run("import", TRIP)
    told = run("export", "trip.openai.json", "-o", tmp_path / "no" / "out.json")
    assert told.code == 2
    assert told.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_several_sessions_are_exported_into_a_folder(run: Run, tmp_path: Path) -> None:
    ids = [one["id"] for one in run("import", TOUR, TRIP, "--json").data["sessions"]]
    told = run("export", *ids, ids[0], "-o", tmp_path)
    assert told.code == 0
    assert {path.name for path in tmp_path.iterdir()} == {f"{id}.json" for id in ids}
    printed = run("export", *ids).out.splitlines()
    assert len(printed) == 2
    assert run("export", *ids, "-o", tmp_path / "all.json").code == 0
    listed = json.loads((tmp_path / "all.json").read_text(encoding="utf-8"))
    assert listed == [json.loads(line) for line in printed]
    assert len(run("import", tmp_path / "all.json", "--json").data["sessions"]) == 2


@pytest.mark.parametrize(
    "name", ["nobody", "../no-such-file", "..", "", "\x1b[31m", "a\0b", "abcdefghij22"]
)
@pytest.mark.parametrize("command", ["export", "verify", "delete"])
def test_a_session_that_is_not_there_is_bad_input(run: Run, command: str, name: str) -> None:
    run("import", TRIP)
    told = run(command, "trip.openai.json", name)
    assert (told.code, told.out) == (2, "")
    assert told.err.count("\n") == 1
    assert "\x1b" not in told.err
    assert len(sessions(run)) == 1


def test_a_title_that_several_have_is_answered_with_their_ids(run: Run, tmp_path: Path) -> None:
    files = [titled(tmp_path / f"{i}.json", "same") for i in range(2)]
    ids = [one["id"] for one in run("import", *files, "--json").data["sessions"]]
    for command in ("show", "export", "delete"):
        told = run(command, "same")
        assert told.code == 2
        assert all(id in told.err for id in ids)


@pytest.mark.slow
def test_a_killed_import_leaves_whole_sessions_only(run: Run, write: Write, library: Path) -> None:
    files = [write(f"{i}.json", CHAT * (i + 1)) for i in range(60)]
    with subprocess.Popen(
        [sys.executable, "-m", "ctxtui", "import", *map(str, files)],
        cwd=SAMPLES.parent,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        said = [process.stdout.readline().split()[0] for _ in range(5)]
        os.kill(process.pid, signal.SIGKILL)
        said += [line.split()[0] for line in process.stdout.read().splitlines()]
    there = {one["id"]: one["messages"] for one in sessions(run)}
    assert set(said) <= set(there)
    assert len(there) <= len(said) + 1
    assert sorted(there.values()) == list(range(1, len(there) + 1))
    assert run("verify").code == 0
    assert not list(library.glob("*.part"))
    assert run("import", *files).code == 0
    assert len(sessions(run)) == 60


def test_a_headless_command_loads_no_app() -> None:
    code = (
        "import sys, ctxtui.cli as c\n"
        "c.main(['list'])\n"
        "assert 'textual' not in sys.modules, 'the app was loaded'"
    )
    subprocess.run([sys.executable, "-c", code], cwd=SAMPLES.parent, check=True)
