"""Files with several conversations: each becomes a session, once."""

import json
from pathlib import Path

import pytest

from ctxtui.core.storage import Library
from ctxtui.files.sessions import open_target
from ctxtui.progress import Cancelled, TaskProgress
from tests.cli.conftest import Run

SEVERAL = Path(__file__).parents[1] / "vectors" / "formats" / "openai" / "fine-tuning.jsonl"


def test_every_conversation_becomes_a_session_and_only_once(run: Run) -> None:
    first = run("import", SEVERAL, "--json")
    assert first.code == 0
    titles = [one["title"] for one in first.data["sessions"]]
    assert titles == ["fine-tuning.jsonl", "fine-tuning.jsonl #2", "fine-tuning.jsonl #3"]
    again = run("import", SEVERAL, "--json")
    assert again.data["sessions"] == first.data["sessions"]
    assert len(run("list", "--json").data["sessions"]) == 3


def test_an_import_goes_on_where_it_was_stopped(run: Run) -> None:
    ids = [one["id"] for one in run("import", SEVERAL, "--json").data["sessions"]]
    assert run("delete", ids[1]).code == 0
    after = [one["id"] for one in run("import", SEVERAL, "--json").data["sessions"]]
    assert [after[0], after[2]] == [ids[0], ids[2]]
    assert after[1] != ids[1]


def test_a_command_about_one_conversation_takes_the_first_and_says_so(run: Run) -> None:
    told = run("show", SEVERAL)
    assert told.code == 0
    assert "only the first of several conversations was read" in told.err


def test_a_recipe_is_not_applied_to_one_of_several(run: Run, tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.json"
    recipe.write_text(json.dumps([{"operation": "CLEAR"}]), encoding="utf-8")
    told = run("apply", SEVERAL, "--ops", recipe, "-o", tmp_path / "out.json")
    assert told.code == 2
    assert "it holds several conversations; import it" in told.err
    assert not (tmp_path / "out.json").exists()


def test_the_app_opens_the_first_and_makes_sessions_of_all(tmp_path: Path) -> None:
    library = Library(tmp_path / "library")
    with open_target(library, str(SEVERAL)) as session:
        assert session.title == "fine-tuning.jsonl"
        assert session.notes[0] == "this is the first of 3 sessions made from the file"
    assert [entry.part for entry in sorted(library.list(), key=lambda one: one.part)] == [0, 1, 2]
    with open_target(library, str(SEVERAL)) as again:
        assert again.id == session.id


def test_opening_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    path, library = tmp_path / "many.jsonl", Library(tmp_path / "library")
    chat = json.dumps({"messages": [{"role": "user", "content": "x" * 300_000}]})
    path.write_text(f"{chat}\n" * 8, encoding="utf-8")
    with pytest.raises(Cancelled):
        open_target(library, str(path), TaskProgress(is_stopped=lambda: len(library.list()) == 3))
    assert len(library.list()) == 3
    with open_target(library, str(path)) as session:
        assert session.notes[0] == "this is the first of 8 sessions made from the file"
    assert sorted(entry.part for entry in library.list()) == list(range(8))


def test_broken_lines_are_told_and_no_failure(run: Run) -> None:
    told = run("import", SEVERAL.with_name("dirt.jsonl"), "--json")
    assert (told.code, len(told.data["sessions"])) == (0, 3)
    assert any("lines that are not JSON were left out" in line for line in told.data["problems"])
    assert any("the last line is cut off" in line for line in told.data["problems"])


LEFT_OUT: list[tuple[str, tuple[int, ...]]] = [
    ("line-not-json", (3,)),
    ("conversation-unreadable", (4,)),
]


@pytest.fixture
def with_bad_lines(tmp_path: Path) -> Path:
    """Return a file of which two lines are no conversations."""
    good = json.dumps({"messages": [{"role": "user", "content": "hi"}]})
    rest = json.dumps({"messages": 5, "said": "what is in no message of any session"})
    path = tmp_path / "bad.jsonl"
    path.write_text("\n".join((good, good, "no", rest, good)))
    return path


def stored_warnings(library: Library) -> dict[int, list[tuple[str, tuple[int, ...]]]]:
    found: dict[int, list[tuple[str, tuple[int, ...]]]] = {}
    for entry in library.list():
        with library.open(entry.id, read_only=True) as session:
            every = [(one.code, one.places) for one in session.details.warnings]
            found[entry.part] = [one for one in every if one in LEFT_OUT]
    return found


def test_what_was_left_out_of_a_file_is_stored_with_its_first_session(
    run: Run, library: Path, with_bad_lines: Path, tmp_path: Path
) -> None:
    assert run("import", with_bad_lines).code == 0
    assert run("import", with_bad_lines).code == 0
    found = stored_warnings(Library(library))
    assert found.pop(0) == LEFT_OUT
    assert not any(found.values())
    other = Library(tmp_path / "another")
    with open_target(other, str(with_bad_lines)) as session:
        assert session.is_saved
    found = stored_warnings(other)
    assert found.pop(0) == LEFT_OUT
    assert not any(found.values())


def test_several_sessions_are_exported_to_one_file_and_read_again(run: Run, tmp_path: Path) -> None:
    ids = [one["id"] for one in run("import", SEVERAL, "--json").data["sessions"]]
    out = tmp_path / "openai.jsonl"
    for to in ("native", "openai"):
        out = tmp_path / f"{to}.jsonl"
        told = run("export", *ids, "-o", out, "--to", to)
        assert told.code == 0
        assert f"3 conversations written to {out} ({to})" in told.err
        assert len(run("import", out, "--json").data["sessions"]) == 3
    given = [json.loads(line) for line in SEVERAL.read_text(encoding="utf-8").splitlines()]
    assert [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()] == given


def test_a_named_format_is_taken_instead_of_the_one_detected(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "plain.json"
    path.write_text(json.dumps([{"role": "user", "content": "x"}]), encoding="utf-8")
    assert run("import", path, "--from", "openai").code == 0
    told = run("import", SEVERAL, "--from", "native")
    assert told.code == 2
    assert told.err.count("\n") == 1


def test_the_warnings_of_an_import_stay_with_the_session(run: Run, tmp_path: Path) -> None:
    chat = {"messages": [{"role": "developer", "content": "It was a dark and stormy night."}]}
    path = tmp_path / "tale.jsonl"
    path.write_text(f'{json.dumps(chat)}\n{{broken\n{json.dumps(chat)[:-1]}, "n": NaN}}\n')
    sessions = run("import", path, "--json").data["sessions"]
    listed = {one["id"]: one for one in run("list", "--json").data["sessions"]}
    said = ["developer as system"]
    role = {"code": "role-read-as", "names": said, "places": [0], "noun": "message"}
    number = {"code": "number-read-as-null", "places": [3], "noun": "line"}
    why = ["Expecting property name enclosed in double quotes"]
    broken = {"code": "line-not-json", "names": why, "places": [2], "noun": "line"}
    assert [listed[one["id"]]["warnings"] for one in sessions] == [[role, broken], [role, number]]
    assert [listed[one["id"]]["warningCount"] for one in sessions] == [2, 2]
    shown = run("show", sessions[1]["id"], "--json")
    assert isinstance(shown.data, list)
    assert "messages were read with another role: developer as system (message 0)\n" in shown.err
    assert "NaN and Infinity were read as null (line 3)\n" in shown.err
    assert "developer as system" in run("show", path).err


def test_all_warnings_about_a_file_of_one_conversation_are_its_own(run: Run) -> None:
    path = SEVERAL.parents[1] / "codex" / "dirt.jsonl"
    assert len(run("import", path, "--json").data["sessions"]) == 1
    (one,) = run("list", "--json").data["sessions"]
    assert "line-not-json" in [warning["code"] for warning in one["warnings"]]
