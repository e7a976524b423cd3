"""The first frame with the real rows, in a terminal, against a bare Textual app with one table."""

from __future__ import annotations

import os
import pty
import select
import signal
import struct
import sys
from fcntl import ioctl
from pathlib import Path
from tempfile import TemporaryDirectory
from termios import TIOCSWINSZ
from time import monotonic

from tests.benchmarks.table import Report, Target, show, times

BARE = """
from textual.app import App
from textual.widgets import DataTable

class Bare(App):
    def compose(self):
        yield DataTable()

    def on_mount(self):
        table = self.query_one(DataTable)
        table.add_columns("no", "role", "message")
        table.add_rows((str(at), "user", "the last row" if at == 19 else "row") for at in range(20))

Bare().run()
"""
FILE = Path(__file__).parents[2] / "sample_sessions" / "coding-agent.json"
ROUNDS, SECONDS = 7, 30
STARTS = {
    "bare": (("-c", BARE), b"the last row"),
    "file": (("-m", "ctxtui", str(FILE)), b"Forecasts for harbours"),
    "library": (("-m", "ctxtui"), b"Tides an hour late"),
}
"""What is started, and what its first frame shows."""
MOST = {"file": 2.5, "library": 2.2}


def first_frame(arguments: tuple[str, ...], shown: bytes, folder: str) -> float:
    """Return the seconds from the start of a process until its terminal shows something."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": f"{folder}/bytecode", "TERM": "xterm"}
    environment |= {"CTXTUI_LIBRARY": f"{folder}/library", "CTXTUI_CONFIG": f"{folder}/config"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    start = monotonic()
    child, terminal = pty.fork()
    if child == 0:
        os.execve(sys.executable, (sys.executable, *arguments), environment)
    ioctl(terminal, TIOCSWINSZ, struct.pack("HHHH", 42, 140, 0, 0))
    written = b""
    try:
        while shown not in written and monotonic() - start < SECONDS:
            if select.select([terminal], [], [], SECONDS)[0]:
                written += os.read(terminal, 65536)
        if shown not in written:
            raise TimeoutError(f"{arguments[-1]} showed no {shown!r}")
        return monotonic() - start
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(terminal)


def report(out: Report) -> None:
    """Print the first frames and what they are in bare apps."""
    with TemporaryDirectory() as folder:
        found: dict[str, list[float]] = {name: [] for name in STARTS}
        for at in range(ROUNDS + 1):
            for name, (arguments, shown) in STARTS.items():
                seconds = first_frame(arguments, shown, folder)
                if at:  # The first round writes the bytecode.
                    found[name].append(seconds)
    best = {name: min(seconds) for name, seconds in found.items()}
    rows = []
    for name, most in MOST.items():
        ratio = best[name] / best["bare"]
        target = Target(f"first frame, {name}", ratio, "×", most)
        rows.append(
            [name, f"{best[name]:.2f}", f"{best['bare']:.2f}", times(ratio), out.judge(target)]
        )
    show(
        "First frame",
        ["seconds until the terminal shows a real row, bytecode written; best of several"],
        ["", "ctxtui, s", "bare app, s", "ratio", ""],
        rows,
    )
