"""Keys pressed while the app starts: the terminal still keeps lines, and nothing is listed yet."""

from __future__ import annotations

import fcntl
import os
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ctxtui.files.sessions import open_library
from tests.ui.opening import tour

PATIENCE = 120.0
"""Seconds until something must be on the screen; only a broken app takes as long."""


class Typist:
    """A terminal in which keys are pressed before the program in it has even begun."""

    def __init__(self, *words: str, keys: bytes, library: Path) -> None:
        self._ours, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 42, 140, 0, 0))
        os.write(self._ours, keys)
        places = {"CTXTUI_LIBRARY": str(library), "CTXTUI_CONFIG": str(library / "conf")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ctxtui", *words],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **places},
            start_new_session=True,
        )
        os.close(theirs)
        self._seen = b""

    def shows(self, text: str) -> bool:
        """Wait until a text was drawn."""
        end = time.monotonic() + PATIENCE
        while text.encode() not in self._seen and time.monotonic() < end:
            if select.select([self._ours], [], [], 1.0)[0]:
                self._seen += os.read(self._ours, 65_536)
        return text.encode() in self._seen

    def close(self) -> None:
        """End the program, and let go of the terminal."""
        self.process.kill()
        self.process.wait()
        os.close(self._ours)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Path]:
    """Give a library with one session that somebody writes."""
    writer = open_library(str(tmp_path)).create(tour(), title="coder")
    yield tmp_path
    writer.close()


@pytest.mark.slow
@pytest.mark.parametrize("words", [("watch",), ()], ids=["watch", "library"])
def test_enter_pressed_before_anything_is_listed_opens_what_will_be(
    words: tuple[str, ...], library: Path
) -> None:
    typist = Typist(*words, keys=b"\r", library=library)
    try:
        assert typist.shows("Mark map")
    finally:
        typist.close()
