"""Files in one format become files in another: one or many, from folders and patterns."""

import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from ctxtui.cli.output import progress
from ctxtui.files.reading import found_files
from ctxtui.files.sandbox import Unreadable
from tests.cli.conftest import SAMPLES, Run, Write

TRIP = SAMPLES / "trip.openai.json"
SEVERAL = Path(__file__).parents[1] / "vectors" / "formats" / "openai" / "fine-tuning.jsonl"


def said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": text}


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def read_lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_file_is_converted_there_and_back(run: Run, tmp_path: Path) -> None:
    there, back = tmp_path / "trip.json", tmp_path / "back.openai.json"
    assert run("export", TRIP, "-o", there).code == 0
    assert read(there)["format"] == "ctxtui"
    told = run("export", there, "-o", back)
    assert told.code == 0
    assert f"1 conversation written to {back} (openai)" in told.err
    assert read(back) == read(TRIP)


def test_a_format_that_is_named_wins_over_the_ending(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "chat.json"
    assert run("export", TRIP, "-o", out, "--to", "openai", "--from", "openai").code == 0
    assert read(out) == read(TRIP)


@pytest.mark.parametrize("ending", ["parquet", "CSV"])
def test_json_is_never_written_under_the_name_of_a_table(
    run: Run, tmp_path: Path, ending: str
) -> None:
    told = run("export", TRIP, "--to", "openai", "-o", tmp_path / f"trip.{ending}")
    assert told.code == 2
    assert told.err == (
        f"ctxtui: a .{ending.casefold()} file would not be one: export writes JSON or text; "
        "Parquet is written by ctxtui corpus --as parquet\n"
    )
    assert not any(tmp_path.iterdir())


def test_without_a_file_it_is_printed(run: Run) -> None:
    assert run("export", TRIP, "--to", "openai").data == read(TRIP)
    assert run("export", "-", "--to", "openai", stdin=TRIP.read_text()).data == read(TRIP)


def test_several_conversations_become_lines_or_a_list(run: Run, tmp_path: Path) -> None:
    lines, listed = tmp_path / "all.openai.jsonl", tmp_path / "all.openai.json"
    assert run("export", SEVERAL, "-o", lines).code == 0
    assert read_lines(lines) == read_lines(SEVERAL)
    assert run("export", SEVERAL, "-o", listed).code == 0
    assert read(listed) == read_lines(SEVERAL)
    again = run("export", TRIP, "-o", listed)
    assert (again.code, again.err) == (
        2,
        f"ctxtui: {listed} exists, so nothing is written; --force overwrites it\n",
    )
    assert run("export", TRIP, "-o", listed, "--force").code == 0
    assert read(listed) == read(TRIP)


def test_a_folder_gets_a_file_each(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "new" / "folder"
    told = run("export", SEVERAL, TRIP, "-o", f"{out}/", "--to", "native")
    assert told.code == 0
    assert "4 conversations written to" in told.err
    names = {path.name for path in out.iterdir()}
    assert names == {
        "fine-tuning.json",
        "fine-tuning-2.json",
        "fine-tuning-3.json",
        "trip.openai.json",
    }


@pytest.mark.parametrize("name", ["codex", "claude-code"])
@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_several_conversations_are_never_mixed_in_one_transcript(
    run: Run, tmp_path: Path, name: str, ending: str
) -> None:
    out = tmp_path / f"all.{ending}"
    told = run("export", SEVERAL, "--to", name, "-o", out)
    assert told.code == 2
    reason = f"it can't be written: a file of the format {name} holds one conversation only"
    assert f"{out}: {reason}" in told.err
    assert not out.exists()


def test_files_and_sessions_are_written_together(run: Run, tmp_path: Path) -> None:
    id = run("import", SAMPLES / "tour.json", "--json").data["sessions"][0]["id"]
    out = tmp_path / "all.jsonl"
    told = run("export", TRIP, id, "--to", "openai", "-o", out)
    assert (told.code, len(read_lines(out))) == (0, 2)
    for option in (("--split", "0.5"), ("--manifest", "m.json"), ("--seed", "1")):
        told = run("export", TRIP, *option, "-o", tmp_path / "x.jsonl")
        assert told.code == 2
        assert f"{option[0]} is for data sets of sessions, and {TRIP} is a file" in told.err
    assert "--from is for files" in run("export", id, "--from", "openai", "-o", out).err


def test_folders_and_patterns_are_taken_as_their_files(run: Run, tmp_path: Path) -> None:
    (tmp_path / "in" / "deep").mkdir(parents=True)
    for name in ("b.json", "deep/a.json", ".hidden.json"):
        (tmp_path / "in" / name).write_text(json.dumps([said("user", name)]), encoding="utf-8")
    files = [str(tmp_path / "in" / name) for name in ("b.json", "deep/a.json")]
    assert found_files([str(tmp_path / "in")]) == files
    assert found_files([f"{tmp_path}/in/**/*.json", files[0]]) == [files[0], files[1]]
    told = run("import", tmp_path / "in", "--json")
    assert [one["title"] for one in told.data["sessions"]] == ["b.json", "a.json"]
    assert "2 files: 0 sessions made, 2 in the library" in run("import", tmp_path / "in").err
    for nothing in (f"{tmp_path}/*.csv", str(tmp_path / "none")):
        Path(tmp_path / "none").mkdir(exist_ok=True)
        with pytest.raises(Unreadable, match="no file"):
            found_files([nothing])


def test_what_cannot_be_read_is_told_and_the_rest_is_written(run: Run, tmp_path: Path) -> None:
    bad, out = tmp_path / "bad.json", tmp_path / "out.jsonl"
    bad.write_text('{"nothing": 1}', encoding="utf-8")
    told = run("export", bad, TRIP, "-o", out)
    assert told.code == 1
    assert f"{bad}: an object with the key 'nothing' is in no known format" in told.err
    assert len(read_lines(out)) == 1


def test_a_file_stays_as_it_is_when_nothing_can_be_read(run: Run, tmp_path: Path) -> None:
    bad, out = tmp_path / "bad.json", tmp_path / "out.json"
    bad.write_text("nonsense", encoding="utf-8")
    out.write_text("precious", encoding="utf-8")
    assert run("export", bad, "-o", out, "--force").code == 2
    assert out.read_text(encoding="utf-8") == "precious"
    told = run("export", out, "-o", out, "--force")
    assert (told.code, told.err.count("\n")) == (2, 1)
    assert "it is read, so it can't be written too" in told.err


def test_every_message_is_written_in_the_raw_scope(run: Run, tmp_path: Path) -> None:
    tour = SAMPLES / "tour.json"
    sent = run("export", tour, "--to", "openai").data
    everything = run("export", tour, "--to", "openai", "--scope", "raw").data
    assert (len(sent), len(everything)) == (11, 32)
    refused = run("export", tour, "--to", "native", "--scope", "raw")
    assert refused.code == 2
    assert "native keeps every message" in refused.err


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ([said("user", "2 + 2?")], "F1 No assistant message is visible."),
        ([], "F1 No assistant message is visible."),
        ([said("wizard", "2 + 2?"), said("assistant", "4")], "F4 No trainer knows the role"),
    ],
    ids=["no answer", "nothing at all", "an unknown role"],
)
def test_what_no_trainer_accepts_is_left_out_and_told(
    run: Run, write: Write, tmp_path: Path, bad: list[Any], reason: str
) -> None:
    good = [said("user", "2 + 2?"), said("assistant", "4")]
    source = write("chats.jsonl", None)
    source.write_text(
        "".join(json.dumps({"messages": one}) + "\n" for one in (good, bad, good)),
        encoding="utf-8",
    )
    out = tmp_path / "train.jsonl"
    told = run("export", source, "--fine-tuning", "-o", out)
    assert told.code == 1
    assert f"{source}: conversation 2 is left out: {reason}" in told.err
    assert "2 conversations written" in told.err
    assert read_lines(out) == [{"messages": good}] * 2
    ids = [one["id"] for one in run("import", source, "--json").data["sessions"]]
    told = run("export", *ids, "--fine-tuning")
    assert told.code == 1
    assert re.search(rf"session {ids[1]} \(.+\) is left out", told.err)
    assert told.out.count("\n") == 2
    assert run("export", *ids, "--fine-tuning", "--to", "native").code == 2


def test_several_recipes_follow_one_flag(run: Run) -> None:
    recipes = SAMPLES / "recipes"
    names = [recipes / "plain-window.json", recipes / "sliding-window.json"]
    assert len(run("simulate", TRIP, "--policy", *names, "--json").data["now"]["recipes"]) == 2
    both = run("apply", TRIP, "--ops", *names, "--dry-run", "--json").data
    assert len(both["steps"]) == sum(len(read(name)) for name in names)


def test_a_script_starts_with_the_messages_of_a_file(run: Run, write: Write) -> None:
    chat = write("chat.openai.json", {"messages": [said("user", "a"), said("assistant", "b")]})
    steps = [{"expect": {"texts": ["a", "b"]}}]
    script = write("script.json", {"messages": {"file": chat.name}, "steps": steps})
    assert run("replay", script).code == 0
    assert len(run("show", script, "--json").data) == 2
    for file in ("script.json", "nobody.json"):
        bad = write("bad.json", {"messages": {"file": file}, "steps": []})
        told = run("replay", bad)
        assert (told.code, told.err.count("\n")) == (2, 1)
        assert file in told.err


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_sees_how_far_it_is(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    with progress("folder/\x1b[31mfile.json", 2, 3) as watch:
        watch.step(0.5)
    shown = screen.getvalue()
    assert "file.json (2 of 3)" in shown
    assert " 50 %" in shown
    assert "\x1b[31m" not in shown
    assert shown.endswith("\r\x1b[K")


def test_nobody_else_sees_a_bar(run: Run) -> None:
    assert "\r" not in run("export", TRIP, "--to", "openai").err
