"""Runs the command line as a user does, within this process."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ctxtui.cli import main

SAMPLES = Path(__file__).parents[2] / "sample_sessions"


class Ran(NamedTuple):
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """Return the JSON it printed."""
        assert self.out.isascii()
        return json.loads(self.out)


Run = Callable[..., Ran]
Write = Callable[[str, Any], Path]


@pytest.fixture(autouse=True)
def library(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of an empty library, so that no test sees the user's own."""
    folder = tmp_path_factory.mktemp("home") / "library"
    monkeypatch.setenv("CTXTUI_LIBRARY", str(folder))
    return folder


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs ``ctxtui`` with some arguments and standard input."""

    def run_command(*arguments: object, stdin: str | None = None) -> Ran:
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as stop:
            code = int(stop.code or 0)
        said = capsys.readouterr()
        return Ran(code, said.out, said.err)

    return run_command


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, Any], Path]:
    """Return a function that writes JSON data to a file of that name."""

    def write_json(name: str, data: Any) -> Path:
        path = tmp_path / name
        path.write_text(json.dumps(data), encoding="utf-8")
        return path

    return write_json


@pytest.fixture
def tour(run: Run) -> str:
    """Return the id of a session made of the sample tour."""
    return str(run("import", SAMPLES / "tour.json", "--json").data["sessions"][0]["id"])
