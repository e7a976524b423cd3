"""``ctxtui find``: transcripts of coding agents, from the folders where each tool keeps them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ctxtui.files.transcripts import BEGINNING, find_transcripts, title_in
from tests.cli.conftest import Run


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "PI_CODING_AGENT_DIR", "QWEN_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    for name in ("XDG_DATA_HOME", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def put(home: Path, name: str, *lines: Any, at: int = 0) -> Path:
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    os.utime(path, (at, at))
    return path


def asked(text: str) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": text}}


def test_each_tool_is_found_in_its_folder_the_newest_first(home: Path, run: Run) -> None:
    put(home, ".claude/projects/a/1.jsonl", asked("Fix the tides"), at=3)
    put(home, ".codex/sessions/2026/01/02/rollout-x.jsonl", asked("List files"), at=2)
    put(
        home, ".gemini/tmp/a/chats/session-1.json", {"messages": [asked("Run it")["message"]]}, at=4
    )
    put(home, ".claude/projects/a/notes.txt", "no transcript", at=9)
    task = ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/7/"
    put(home, f"{task}api_conversation_history.json", [{"role": "user", "content": "hi"}], at=1)
    data = run("find", "--json").data
    assert [(one["tool"], one["title"]) for one in data["transcripts"]] == [
        ("Gemini CLI", "Run it"),
        ("Claude Code", "Fix the tides"),
        ("Codex", "List files"),
        ("Roo Code", "hi"),
    ]
    told = run("find")
    assert told.code == 0
    assert "Fix the tides" in told.out


def test_no_transcript_is_no_fault(home: Path, run: Run) -> None:
    assert home.is_dir()
    told = run("find")
    assert told.code == 0
    assert told.out.startswith("no transcript of a coding agent was found")
    assert run("find", "--json").data == {"transcripts": []}


def test_a_variable_says_where_a_tool_keeps_them(tmp_path: Path) -> None:
    put(tmp_path / "else", "projects/a/1.jsonl", asked("hello"))
    found = find_transcripts(tmp_path, {"CLAUDE_CONFIG_DIR": str(tmp_path / "else")})
    assert [one.tool for one in found] == ["Claude Code"]


def test_more_than_fifty_are_printed_only_if_asked(home: Path, run: Run) -> None:
    for number in range(52):
        put(home, f".claude/projects/a/{number}.jsonl", asked(f"question {number}"), at=number)
    assert "2 older ones left out" in run("find").out
    assert "question 0 " in run("find", "--all").out


@pytest.mark.parametrize(
    ("lines", "title"),
    [
        ([asked("first"), asked("second")], "first"),
        ([{"type": "summary"}, asked("<command-name>x</command-name>"), asked("real")], "real"),
        ([asked("said"), {"type": "custom-title", "customTitle": "Named"}], "Named"),
        ([{"type": "session_info", "name": "Given"}, asked("said")], "Given"),
        ([{"role": "user", "content": [{"type": "text", "text": "in a\nblock"}]}], "in a block"),
        ([{"type": "assistant", "message": {"role": "assistant", "content": "no"}}], ""),
        ([asked("x" * 200)], "x" * 80),
    ],
)
def test_a_title_is_a_name_or_the_users_first_words(lines: list[Any], title: str) -> None:
    assert title_in("".join(f"{json.dumps(line)}\n" for line in lines)) == title


def test_what_is_no_text_or_cut_off_has_no_title_and_stops_nothing(home: Path) -> None:
    path = home / ".claude/projects/a/1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\xff\x00\x1b[2J" * BEGINNING)
    put(home, ".codex/sessions/rollout-1.jsonl", asked("y" * (2 * BEGINNING)))
    assert [one.title for one in find_transcripts(home, {})] == ["", ""]


def test_hostile_titles_and_names_reach_no_terminal(home: Path, run: Run) -> None:
    put(home, ".claude/projects/a/\x1b[2Jx.jsonl", asked("\x1b]0;evil\x07 \u202egnp"))
    assert not {"\x1b", "\x07", "\u202e"} & set(run("find").out)
