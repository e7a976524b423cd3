"""The README's tour in a real terminal: the same keys, and what they should show."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

TMUX = shutil.which("tmux")
ROOT = Path(__file__).parents[2]
PATIENCE = 120.0
"""Seconds until something must be on the screen; only a broken app takes as long."""

pytestmark = pytest.mark.skipif(TMUX is None, reason="there is no tmux here")


class Terminal:
    """The app in a terminal of its own."""

    def __init__(self, folder: Path) -> None:
        self._socket = str(folder / "tmux")
        places = {"CTXTUI_LIBRARY": str(folder / "library"), "CTXTUI_CONFIG": str(folder / "conf")}
        command = f"{sys.executable} -m ctxtui {ROOT / 'sample_sessions' / 'tour.json'}"
        self.tmux("new-session", "-d", "-x", "140", "-y", "42", command, env=places)

    def tmux(self, *words: str, env: dict[str, str] | None = None) -> str:
        """Run a command of tmux."""
        assert TMUX is not None
        kept = {key: value for key, value in os.environ.items() if not key.startswith("TMUX")}
        whole = {**kept, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **(env or {})}
        done = subprocess.run(
            [TMUX, "-S", self._socket, "-f", "/dev/null", *words],
            capture_output=True,
            text=True,
            check=False,
            cwd=ROOT,
            env=whole,
        )
        return done.stdout

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.tmux("send-keys", key)
            time.sleep(0.05)

    def screen(self) -> str:
        """Return what is on the screen."""
        return self.tmux("capture-pane", "-p")

    def shows(self, *texts: str) -> str:
        """Wait until all of some texts are on the screen, and return it."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            screen = self.screen()
            if all(text in screen for text in texts):
                return screen
            time.sleep(0.1)
        raise AssertionError(f"{texts} did not come:\n{self.screen()}")


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    """Run the app on the tour, and end it afterwards."""
    made = Terminal(tmp_path)
    yield made
    made.tmux("kill-server")


@pytest.mark.slow
def test_the_tour_of_the_readme_shows_what_it_says(terminal: Terminal) -> None:
    terminal.shows("batch 4 of 4", "11 visible of 32 raw", "✖ 1 error", "✓ saved", "truncate 4")
    terminal.press("j", "j", "j")
    terminal.shows("This result has no call", "Its call, raw 20")
    terminal.press("[")
    terminal.shows("VIEWING BATCH 3 OF 4", "read-only")
    terminal.press("Escape")
    terminal.shows("11 visible of 32 raw")
    terminal.press("L")
    terminal.shows("Repairs", "bring the missing half back", "✖ 1 → ✓")
    terminal.press("E")
    terminal.shows("generic passes", "u undoes it")
    terminal.press("u")
    terminal.shows("✖ 1 error")
    terminal.press("t", "Tab", "4")
    terminal.shows("TRUNCATE", "7 messages would go", "opens batch 5")
    terminal.press("C-s")
    terminal.shows("TRUNCATE opened batch 5", "4 visible of 33 raw")
    terminal.press("u")
    terminal.shows("11 visible of 33 raw")
    terminal.press("1", ":")
    terminal.shows("a raw index, or # and a batch number")
    terminal.press("1", "0", "Enter")
    terminal.shows("raw 10  hidden by batch 4", "instruction")
    terminal.press("p")
    terminal.shows("12 visible of 34 raw")
    terminal.press("=")
    terminal.shows("› Diff", "cached")
    terminal.press("Escape")
    terminal.shows("12 visible of 34 raw")
    terminal.press("w")
    terminal.shows("half the messages", "50 % of the")
    terminal.press("Escape")
    terminal.shows("12 visible of 34 raw")
    terminal.press("q")
    end = time.monotonic() + PATIENCE
    while terminal.tmux("list-sessions") and time.monotonic() < end:
        time.sleep(0.1)
    assert terminal.tmux("list-sessions") == ""
