"""Names of files: whole under every locale, and without what a terminal would act on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ctxtui.files.reading import spelled
from tests.cli.conftest import SAMPLES, Run, Write

CHAT = [{"role": "user", "content": "hi"}]
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
"""A locale in which Python knows no letter beyond ASCII."""


def ctxtui(*arguments: str | bytes, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "ctxtui", *arguments],
        capture_output=True,
        check=False,
        env={**os.environ, **environment},
        cwd=SAMPLES.parent,
    )


def imported(*arguments: str | bytes, **environment: str) -> list[dict[str, Any]]:
    done = ctxtui("import", "--json", *arguments, **environment)
    assert done.returncode == 0
    found: list[dict[str, Any]] = json.loads(done.stdout)["sessions"]
    return found


def test_a_name_is_the_same_under_every_locale(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "süß 日本.json"
    path.write_text(json.dumps(CHAT), encoding="utf-8")
    (one,) = imported(os.fsencode(path), **ASCII)
    assert one["title"] == "süß 日本.json"
    assert imported(os.fsencode(path)) == [one]
    (entry,) = run("list", "--json").data["sessions"]
    assert entry["source"] == str(path)


@pytest.mark.parametrize("command", ["show", "export", "verify", "delete"])
def test_a_session_is_found_by_its_title_under_every_locale(
    run: Run, write: Write, command: str
) -> None:
    run("import", write("süß.json", CHAT))
    done = ctxtui(command, "süß.json".encode(), **ASCII)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_name_that_is_no_utf_8_has_no_surrogate_in_its_title(run: Run, tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/b\xe9.json"
    Path(os.fsdecode(path)).write_text(json.dumps(CHAT), encoding="utf-8")
    (one,) = imported(path)
    assert one["title"] == "b\ufffd.json"
    assert imported(path, **ASCII) == [one]
    assert run("verify").code == 0


def test_a_title_inside_a_file_has_no_surrogate_either(run: Run, write: Write) -> None:
    saved = {"messages": CHAT, "meta": {"title": "a\ud800b"}, "steps": []}
    path = write("script.json", saved)
    (one,) = run("import", path, "--json").data["sessions"]
    assert one["title"] == "a\ufffdb"


def test_spelling_leaves_good_names_alone() -> None:
    for name in ("", "a b.json", "süß 日本 👩‍💻"):
        assert spelled(name) == name
    assert spelled("\udce9") == "\ufffd"
    assert spelled("\ud800x") == "\ufffdx"
