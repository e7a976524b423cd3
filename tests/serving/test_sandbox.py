"""Behind the fence nothing is written, no program is started, and few files are read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ATTEMPTS = {
    "open": "open(target, 'w')",
    "append": "open(target, 'a')",
    "path": "Path(target).write_text('x')",
    "folder": "Path(target).mkdir()",
    "rename": "os.rename(kept, target)",
    "remove": "os.remove(kept)",
    "link": "os.symlink(kept, target)",
    "run": "subprocess.run(['true'])",
    "shell": "os.system('true')",
    "table": "sqlite3.connect(target)",
    "new": "write_new(Path(folder), 'x', '.txt', 'text')",
    "whole": "write_whole(Path(target), 'text')",
    "recipe": "save_recipe('mine', [{'operation': 'UNDO'}])",
}
PROGRAM = """
import os, sqlite3, subprocess, sys
from pathlib import Path
from ctxtui.files.sandbox import enter_sandbox
from ctxtui.files.reading import check_readable, read_bytes
from ctxtui.files.sandbox import Unreadable
from ctxtui.files.policies import save_recipe
from ctxtui.files.writing import write_new, write_whole
folder, inside = sys.argv[1:3]
kept, target = folder + "/kept", folder + "/new"
enter_sandbox([Path(inside)])
try:
    {attempt}
except Exception as error:
    print("refused:", error)
else:
    print("done")
"""


def attempt(code: str, folder: Path) -> str:
    """Return what an attempt in a process in the sandbox came to."""
    (folder / "kept").write_text("kept")
    (folder / "inside").mkdir()
    (folder / "inside" / "sample.json").write_text("[]")
    (folder / "inside" / "link").symlink_to(folder / "kept")
    arguments = [sys.executable, "-c", PROGRAM.format(attempt=code)]
    done = subprocess.run(
        [*arguments, str(folder), str(folder / "inside")],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
        env={"CTXTUI_CONFIG": str(folder), "PATH": ""},
    )
    return done.stdout.strip()


@pytest.mark.parametrize("name", ATTEMPTS)
def test_nothing_is_written_and_no_program_started(name: str, tmp_path: Path) -> None:
    before = sorted(path.name for path in tmp_path.rglob("*"))
    said = attempt(ATTEMPTS[name], tmp_path)
    assert said.startswith("refused:")
    assert "nothing is written from here" in said
    after = sorted(path.name for path in tmp_path.rglob("*"))
    assert after == sorted([*before, "inside", "kept", "link", "sample.json"])


@pytest.mark.parametrize(
    "path",
    ["kept", "there-is-none", "inside/../kept", "inside/link"],
)
def test_files_outside_are_not_read_whether_they_are_there_or_not(
    path: str, tmp_path: Path
) -> None:
    for code in (f"read_bytes(folder + '/{path}')", f"check_readable(folder + '/{path}')"):
        for one in tmp_path.iterdir():
            _remove(one)
        said = attempt(code, tmp_path)
        assert said.endswith("files of the machine that shows this are not read from here")


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        for one in path.iterdir():
            _remove(one)
        path.rmdir()
    else:
        path.unlink()


def test_standard_input_is_not_read(tmp_path: Path) -> None:
    assert "not read from here" in attempt("read_bytes('-')", tmp_path)


def test_files_inside_are_read(tmp_path: Path) -> None:
    assert attempt("assert read_bytes(inside + '/sample.json') == b'[]'", tmp_path) == "done"
