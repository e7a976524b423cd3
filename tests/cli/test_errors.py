"""Bad input is one sentence, exit code 2, and never a traceback; hostile text never acts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import SAMPLES, Run

Write = Callable[[str, Any], Path]
TOUR = SAMPLES / "tour.json"
COMMANDS: dict[str, tuple[object, ...]] = {
    "replay": (),
    "import": (),
    "show": (),
    "lint": (),
    "diff": ("0", "0"),
    "calls": (),
    "why": ("0",),
    "apply": ("--ops", SAMPLES / "recipes" / "plain-window.json"),
    "simulate": ("--policy", SAMPLES / "recipes" / "plain-window.json"),
    "verify": (),
}
OPTIONS = {"apply": "--ops", "simulate": "--policy"}
"""How a command is given a recipe."""
BROKEN: dict[str, bytes | None] = {
    "missing": None,
    "empty": b"",
    "half": b'{"messages": [',
    "latin": b'["\xe9"]',
    "half of utf16": '["x"]'.encode("utf-16")[:-1],
    "deep": b"[" * 200_000,
    "huge number": b'{"messages": ' + b"9" * 10_000 + b"}",
    "number": b"5",
    "strange": b'{"colour": 1}',
    "role": b'[{"role": "wizard", "content": "x"}]',
    "completion": b'{"object": "chat.completion", "choices": []}',
    "lines": b'{"object": "chat.completion"}\n{"object": "chat.completion"}',
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_can_not_be_read_is_told_in_one_sentence(
    run: Run, tmp_path: Path, command: str, name: str
) -> None:
    path = tmp_path / "file.json"
    data = BROKEN[name]
    if data is not None:
        path.write_bytes(data)
    told = run(command, path, *COMMANDS[command])
    assert (told.code, told.out) == (2, "")
    assert told.err.startswith("ctxtui: ")
    assert told.err.count("\n") == 1
    assert len(told.err) < 500


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("completion", "an OpenAI chat completion, the answer without the messages that were sent"),
        (
            "lines",
            "an OpenAI chat completion, the answer without the messages that were sent "
            "(JSONL, a value in each line)",
        ),
    ],
)
def test_a_file_of_another_program_is_told_by_name(
    run: Run, tmp_path: Path, name: str, kind: str
) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(BROKEN[name] or b"")
    told = run("import", path)
    assert told.code == 2
    assert told.err.startswith(f"ctxtui: {path}: this looks like {kind}; ctxtui can't read that")


NAMED = {"role": "user", "content": "x", "name": "Bob"}
FILES_OF_OURS: dict[str, Any] = {
    "native": {"format": "ctxtui", "version": 1, "messages": [NAMED], "journal": []},
    "script": {"messages": [NAMED], "steps": []},
    "step": {"messages": [], "steps": [{"operation": "APPEND", "messages": [NAMED]}]},
}


@pytest.mark.parametrize("name", FILES_OF_OURS)
def test_nobody_who_imports_a_file_is_told_to_import_it(run: Run, write: Write, name: str) -> None:
    told = run("import", write("file.json", FILES_OF_OURS[name]))
    assert told.code == 2
    assert told.err.endswith(
        "messages[0]: 'name' is not a field of a message; it takes "
        "role, content, id, timestamp, metadata; "
        "what else is known of a message goes into its metadata\n"
    )


@pytest.mark.parametrize("command", ["apply", "simulate", "replay"])
def test_a_message_in_an_operation_of_a_file_is_told_the_same(
    run: Run, write: Write, command: str
) -> None:
    operations = [{"operation": "APPEND", "messages": [NAMED]}]
    if command == "replay":
        told = run(command, write("script.json", {"steps": operations}))
    else:
        told = run(command, TOUR, OPTIONS[command], write("r.json", operations))
    assert "'name' is not a field of a message" in told.out + told.err
    assert "; what else is known of a message goes into its metadata" in told.out + told.err


@pytest.mark.parametrize("command", OPTIONS)
@pytest.mark.parametrize("recipe", [{}, [], "x", 5, None], ids=str)
def test_a_recipe_that_can_not_be_read_is_bad_input(
    run: Run, write: Write, command: str, recipe: Any
) -> None:
    told = run(command, TOUR, OPTIONS[command], write("r.json", recipe))
    assert told.code == 2
    assert told.err.count("\n") == 1


@pytest.mark.parametrize(
    "operation",
    [5, {"operation": "EXPLODE"}, {"operation": "CLEAR", "self": 1}, {"operation": "DELETE"}],
    ids=str,
)
def test_an_operation_that_can_not_be_applied_is_a_refusal(
    run: Run, write: Write, operation: Any
) -> None:
    told = run("apply", TOUR, "--ops", write("r.json", [operation]))
    assert told.code == 1
    assert "step 0: " in told.out + told.err
    assert "Traceback" not in told.err


def test_strange_expectations_are_answered_in_sentences(run: Run, write: Write) -> None:
    deep: Any = []
    for _ in range(300):
        deep = [deep]
    for wanted in ({"lint": [1, "G1"]}, {"lint": ["G1", "G1"]}, {"visible": [True]}):
        told = run("replay", write("s.json", {"steps": [{"expect": wanted}]}))
        assert told.code == 1
        assert told.err == ""
    steps = [{"expect": {"visible": deep}}]
    assert run("replay", write("s.json", {"steps": steps})).code == 2
    odd = [{"query": {"kind": "search", "text": "[[a]", "regex": True}}]
    assert run("replay", write("s.json", {"steps": odd})).err == ""
    never = [{"expect": {"rawCount": 5}, "refused": True}]
    assert run("replay", write("s.json", {"steps": never})).code == 1


def test_a_folder_is_no_file(run: Run, tmp_path: Path) -> None:
    assert run("show", tmp_path).code == 2
    assert run("show", "a\0b").code == 2


def test_without_a_terminal_the_app_says_so(run: Run) -> None:
    told = run(TOUR)
    assert told.code == 2
    assert told.err == (
        "ctxtui: the app needs a terminal: standard input and output must both be one\n"
    )


def test_unknown_options_and_missing_arguments_are_bad_usage(run: Run) -> None:
    for arguments in ((), ("--nope",), ("lint",), ("lint", TOUR, "--profile", "x"), ("show",)):
        told = run(*arguments)
        assert told.code == 2
        assert "Traceback" not in told.err


def test_help_names_every_command(run: Run) -> None:
    told = run("--help")
    assert told.code == 0
    for command in (*COMMANDS, "list", "export", "verify", "delete"):
        assert f"\n  {command} " in told.out
        one = run(command, "--help")
        assert one.code == 0
        assert f"usage: ctxtui {command}" in one.out


def test_hostile_text_reaches_no_terminal(run: Run, write: Write) -> None:
    text = "\x1b[31mred\x07 \u202egnp.exe \x9b2J \ud800 nul\0 [/b]\r\nnext"
    path = write("hostile.json", [{"role": "user", "content": text}])
    for command in ("show", "lint", "diff", "why"):
        out = run(command, path, *COMMANDS[command]).out
        assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 for c in out.replace("\n", ""))
        assert "\u202e" not in out
        assert "\ud800" not in out
    shown = run("show", path, "--json")
    assert shown.data[0]["content"] == text


def python(*code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run ``ctxtui`` in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "ctxtui", *code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
        cwd=SAMPLES.parent,
    )


def test_a_closed_pipe_ends_quietly() -> None:
    code = f"{sys.executable} -m ctxtui show {TOUR} --scope raw --json | head -c 1"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {code}"],
        capture_output=True,
        text=True,
        check=False,
        cwd=SAMPLES.parent,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "[", "")


@pytest.mark.parametrize("ending", [">/dev/full", "<&-"])
def test_streams_that_can_not_be_used_are_no_traceback(ending: str) -> None:
    file = "-" if "<" in ending else TOUR
    command = f"{sys.executable} -m ctxtui lint {file} {ending}"
    done = subprocess.run(
        ["bash", "-c", command],
        capture_output=True,
        text=True,
        check=False,
        cwd=SAMPLES.parent,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") <= 1


def test_bad_usage_is_one_sentence_without_escapes(run: Run) -> None:
    told = run("show", TOUR, "--scope", "\x1b[31m")
    assert told.code == 2
    assert told.err.count("\n") == 1
    assert "\x1b" not in told.err


def test_a_terminal_without_unicode_gets_escapes() -> None:
    done = python("lint", str(TOUR), PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 1
    assert done.stderr == ""
    assert done.stdout.isascii()


def test_help_loads_neither_textual_nor_pydantic_nor_tinydb() -> None:
    code = (
        "import sys, json, ctxtui.cli as c\n"
        "try: c.main(['--help'])\n"
        "except SystemExit: pass\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}
    assert loaded.isdisjoint({"textual", "rich", "pydantic", "tinydb", "core"})
    assert not any(
        name.startswith("ctxtui.core") for name in json.loads(done.stdout.splitlines()[-1])
    )
