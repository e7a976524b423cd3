"""The sandbox of a visitor's process: it reads only some folders and writes nothing at all.

A visitor on another machine may type any path into a prompt, so the sandbox is enforced where files
are opened. It is entered once, before a visitor can type, and never left.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGING = frozenset(
    f"os.{name}"
    for name in (
        *("mkdir", "rmdir", "remove", "rename", "link", "symlink", "truncate"),
        *("chmod", "chown", "utime", "setxattr", "removexattr"),
        *("system", "exec", "fork", "forkpty", "posix_spawn", "spawn", "startfile"),
    )
) | {"subprocess.Popen", "shutil.copyfile", "shutil.move", "shutil.rmtree"}
"""The audit events of Python for everything that changes files or starts programs."""
READS_NOTHING = "files of the machine that shows this are not read from here"
WRITES_NOTHING = "nothing is written from here"

_inside: list[tuple[Path, ...]] = []


class Unreadable(Exception):  # noqa: N818 - it says what the file is
    """A file that can't be read as what it should be."""


def check_sandbox(path: str) -> None:
    """Refuse to read a file outside of the sandbox, whether it exists or not."""
    if not _inside:
        return
    try:
        real = Path(path).resolve()
    except (OSError, RuntimeError, ValueError):
        raise Unreadable(READS_NOTHING) from None
    if not any(real.is_relative_to(root) for root in _inside[0]):
        raise Unreadable(READS_NOTHING)


def enter_sandbox(folders: Iterable[Path]) -> None:
    """Read only files in these folders from now on, write none, and start no program."""
    _inside.append(tuple(folder.resolve() for folder in folders))
    sys.addaudithook(_refuse_changes)


def _refuse_changes(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open":
        path, _, flags = arguments
        is_ours = isinstance(path, int) or path == os.devnull
        if isinstance(flags, int) and flags & WRITING and not is_ours:
            raise OSError(errno.EROFS, WRITES_NOTHING, str(path))
    elif event in CHANGING or (event == "sqlite3.connect" and not _is_harmless(arguments[0])):
        raise OSError(errno.EROFS, WRITES_NOTHING)


def _is_harmless(database: object) -> bool:
    """Return whether SQLite, which opens files itself, only reads or stays in memory."""
    name = str(database)
    return name == ":memory:" or (name.startswith("file:") and "?mode=ro" in name)
