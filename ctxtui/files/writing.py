"""Writing files that a user names: there as a whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from ctxtui.core.errors import Refused
from ctxtui.files.reading import Unreadable


def _new_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


NEW_MODE = _new_mode()
"""The permissions of a new file; found once, since asking changes them for every thread."""


def write_whole(path: Path, text: str | Iterable[str]) -> None:
    """Write a file so that it is there as a whole or not at all, over one that is there.

    The text may come piece by piece, so that none of a large file need be in memory.
    """
    pieces = [text] if isinstance(text, str) else text
    try:
        path = path.resolve()  # What a link points to is written, not the link.
        if path.exists() and not path.is_file():
            with path.open("wb") as file:
                file.writelines(map(_encoded, pieces))
            return
        mode = path.stat().st_mode & 0o777 if path.exists() else NEW_MODE
        with _finished(path.parent, pieces, mode) as part:
            part.replace(path)
    except OSError as error:
        raise Unreadable(f"{path}: it can't be written: {error.strerror}") from None
    except Refused as refusal:  # The pieces are made while they are written.
        raise Unreadable(f"{path}: it can't be written: {refusal.sentence}") from None
    except (RuntimeError, ValueError):
        raise Unreadable(f"{path}: it can't be written: it leads nowhere") from None


def write_new(folder: Path, name: str, suffix: str, text: str, mode: int = NEW_MODE) -> Path:
    """Write a new file as a whole or not at all, and return it; nothing is written over.

    Where the name is taken, it gets a number. What fails is an ``OSError``.
    """
    with _finished(folder, [text], mode) as part:
        for number in count(1):
            path = folder / f"{name}{f'-{number}' if number > 1 else ''}{suffix}"
            with suppress(FileExistsError):
                _take(part, path)
                return path
    raise AssertionError("numbers never end")


@contextmanager
def _finished(folder: Path, pieces: Iterable[str], mode: int) -> Iterator[Path]:
    """Give a finished file without a name of its own; it is gone again unless it gets one."""
    handle, name = tempfile.mkstemp(dir=folder, prefix=".ctxtui-")
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            part.chmod(mode)
            file.writelines(map(_encoded, pieces))
            file.flush()
            os.fsync(handle)
        yield part
    finally:
        with suppress(OSError):
            part.unlink()


def _take(part: Path, path: Path) -> None:
    """Put a file at a path if nothing is there."""
    try:
        os.link(part, path)
    except FileExistsError:
        raise
    except OSError:
        # Some disks know no links. Then the name is taken first, and filled in one go.
        path.touch(exist_ok=False)
        try:
            part.replace(path)
        except OSError:
            path.unlink()
            raise


def _encoded(text: str) -> bytes:
    """Return a text as UTF-8; a lone surrogate is kept, since it may be what is looked for."""
    return text.encode("utf-8", "surrogatepass")
