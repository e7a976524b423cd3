"""Files a user names: read block by block, written as a whole or not at all."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from ctxtui.watching import Watch

BLOCK, READING = 4_000_000, 0.2
"""Bytes read at once, and the share of opening a file that reading it takes."""


def _new_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


NEW_MODE = _new_mode()
"""The permissions of a new file; found once, since asking changes them for every thread."""


class Unreadable(Exception):  # noqa: N818 - it says what the file is
    """A file that can't be read as what it should be."""


def read_bytes(path: str, watch: Watch | None = None) -> bytes:
    """Return what is in a file; ``-`` is standard input."""
    try:
        return sys.stdin.buffer.read() if path == "-" else _bytes(Path(path), watch or Watch())
    except AttributeError:
        raise Unreadable("standard input is closed") from None
    except FileNotFoundError:
        raise Unreadable(f"{path}: there is no such file") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no file name"
        raise Unreadable(f"{path}: it can't be read: {reason}") from None


def _bytes(path: Path, watch: Watch) -> bytes:
    """Return a file's bytes, block by block so that even a slow disk can be left."""
    blocks, size, done = [], max(1, path.stat().st_size), 0
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            blocks.append(block)
            done += len(block)
            watch.step(min(1.0, done / size) * READING)
    return b"".join(blocks)


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there as a whole or not at all."""
    try:
        path = path.resolve()  # What a link points to is written, not the link.
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")
            return
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".ctxtui-")
        try:
            os.fchmod(handle, _mode(path))
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise Unreadable(f"{path}: it can't be written: {error.strerror}") from None
    except (RuntimeError, ValueError):
        raise Unreadable(f"{path}: it can't be written: it leads nowhere") from None


def _mode(path: Path) -> int:
    """Return the permissions the file has, or a new one would get."""
    return path.stat().st_mode & 0o777 if path.exists() else NEW_MODE
