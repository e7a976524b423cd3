"""Where the program begins and ends: interrupts, strange folders, crashes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from ctxtui import __main__ as entry
from ctxtui.app import CtxtuiApp
from ctxtui.cli import run_app
from ctxtui.core import Conversation
from ctxtui.core.storage import Library
from tests.cli.conftest import SAMPLES, Run

TOUR = SAMPLES / "tour.json"
INTERRUPTING = """
import os, signal, sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["INTERRUPT_AT"]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
"""
PANICKING = """
import os, signal, sys

class Panic(BaseException):
    pass

class Panicking:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["INTERRUPT_AT"]:
            try:
                os.kill(os.getpid(), signal.SIGINT)
            except KeyboardInterrupt:
                raise Panic from None

sys.meta_path.insert(0, Panicking())
"""
"""What a compiled module does that can't be loaded because of an interrupt."""
AS_MODULE = ("-m", "ctxtui")
AS_SCRIPT = ("-c", "import sys; from ctxtui.__main__ import main; sys.exit(main())")


def python(*arguments: object, folder: Path, **environment: str) -> tuple[int, str, str]:
    """Run Python in a folder; return the exit code and what was printed."""
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
        cwd=folder,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("way", "at"),
    [
        (AS_SCRIPT, "ctxtui.cli"),
        (AS_MODULE, "ctxtui.cli"),
        (AS_MODULE, "argparse"),
        (AS_MODULE, "ctxtui.core"),
        (AS_SCRIPT, "pydantic"),
        (AS_MODULE, "ctxtui.cli.show"),
    ],
)
def test_ctrl_c_while_modules_load_ends_quietly(
    tmp_path: Path, way: tuple[str, ...], at: str
) -> None:
    (tmp_path / "sitecustomize.py").write_text(INTERRUPTING, encoding="utf-8")
    found = os.pathsep.join((str(tmp_path), str(SAMPLES.parent)))
    ended = python(*way, "show", TOUR, folder=tmp_path, PYTHONPATH=found, INTERRUPT_AT=at)
    assert ended == (130, "", "")


@pytest.mark.parametrize("at", ["ctxtui.core", "pydantic_core", "ctxtui.files.opening"])
@pytest.mark.parametrize("command", [("show",), ()], ids=["command", "app"])
def test_ctrl_c_waits_for_compiled_modules(
    tmp_path: Path, command: tuple[str, ...], at: str
) -> None:
    (tmp_path / "sitecustomize.py").write_text(PANICKING, encoding="utf-8")
    found = os.pathsep.join((str(tmp_path), str(SAMPLES.parent)))
    ended = python(*AS_MODULE, *command, TOUR, folder=tmp_path, PYTHONPATH=found, INTERRUPT_AT=at)
    assert ended == (130, "", "")


def test_ctrl_c_that_is_ignored_stays_ignored(run: Run) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert run("list").code == 0
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_ctrl_c_while_a_command_works_ends_quietly(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ctxtui.cli.lint.open_target", interrupted)
    monkeypatch.setattr(sys, "argv", ["ctxtui", "lint", str(TOUR)])
    assert entry.main() == 130
    assert capsys.readouterr() == ("", "")


def test_the_installed_command_begins_where_the_module_does() -> None:
    project = tomllib.loads((SAMPLES.parent / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["scripts"] == {"ctxtui": "ctxtui.__main__:main"}


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("core.py", ""),
        ("core.py", "1"),
        ("core/__init__.py", ""),
        ("json.py", ""),
        ("json.py", "1"),
        ("rich.py", "1"),
    ],
)
def test_a_module_of_the_users_own_is_not_taken_for_ours(
    tmp_path: Path, name: str, safe: str
) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("raise SystemExit('the wrong one')", encoding="utf-8")
    code, out, err = python(
        *AS_MODULE, "show", TOUR, folder=tmp_path, PYTHONPATH="", PYTHONSAFEPATH=safe
    )
    assert (code, err) == (0, "")
    assert out


class Crashing(CtxtuiApp):
    """The app, with a fault, on no terminal."""

    def on_mount(self) -> None:
        """Do what no app should."""
        raise ZeroDivisionError("a fault of ours")

    def run(self, **_: Any) -> str | None:
        """Run without a terminal."""
        return super().run(headless=True)


def test_a_crash_of_the_app_is_no_success(
    capsys: pytest.CaptureFixture[str], library: Path
) -> None:
    session = Library(library).create(Conversation([{"role": "user", "content": "hi"}]))
    assert run_app(Crashing(session)) == 1
    told = capsys.readouterr().err
    assert "a fault of ours" in told
    assert told.splitlines()[-1].startswith("ctxtui: the app has crashed")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("asked", ["--help", "--version", "list --help"])
def test_help_that_nobody_can_be_shown_is_told_to_be_lost(asked: str, unbuffered: str) -> None:
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m ctxtui {asked} > /dev/full"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        cwd=SAMPLES.parent,
    )
    assert done.returncode == 2
    assert done.stderr == "ctxtui: standard output can't be written: No space left on device\n"


def test_without_interruption_the_entry_gives_the_commands_own_code(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["ctxtui", "show", "nobody"])
    assert entry.main() == 2
