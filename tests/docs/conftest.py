"""Runs what the documents say, as a user would, in a folder with the samples."""

from __future__ import annotations

import io
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ctxtui.cli import main
from tests.docs.pages import SAMPLES

Shell = Callable[[str], str]


@pytest.fixture
def shell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Shell:
    """Return a function that runs a line of a transcript and returns what it printed.

    It knows ``cd``, ``echo $?`` and ``ctxtui``.
    """
    shutil.copytree(SAMPLES, tmp_path / "sample_sessions")
    monkeypatch.setenv("CTXTUI_LIBRARY", str(tmp_path / "library"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    monkeypatch.chdir(tmp_path)
    codes = [0]

    def run(line: str) -> str:
        match shlex.split(line):
            case ["cd", folder]:
                monkeypatch.chdir(folder)
                return ""
            case ["echo", "$?"]:
                return f"{codes[-1]}\n"
            case ["ctxtui", *words]:
                codes.append(main(words))
                said = capsys.readouterr()
                return said.out + said.err
            case _:
                raise AssertionError(f"no transcript can have {line!r}")

    return run
