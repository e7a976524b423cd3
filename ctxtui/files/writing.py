"""Writing files that a user names: there as a whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from ctxtui.core import Conversation
from ctxtui.core.errors import Refused
from ctxtui.core.formats import Format
from ctxtui.core.formats.warnings import sentences
from ctxtui.files.reading import read_path
from ctxtui.files.sandbox import Unreadable


def _new_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


NEW_MODE = _new_mode()
"""The permissions of a new file; found once, since asking changes them for every thread."""


def write_whole(path: Path, text: str | bytes | Iterable[str]) -> None:
    """Write a file so that it is there as a whole or not at all, over one that is there.

    The text may come piece by piece, so that none of a large file need be in memory.
    """
    pieces: Iterable[str | bytes] = [text] if isinstance(text, str | bytes) else text
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
def _finished(folder: Path, pieces: Iterable[str | bytes], mode: int) -> Iterator[Path]:
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


def _encoded(text: str | bytes) -> bytes:
    """Return a text as UTF-8; a lone surrogate is kept, since it may be what is looked for."""
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")


# Writing over a file: only when that was asked for twice.


class Overwriting:
    """Remembers which taken name was given before, so that giving it again is meant."""

    def __init__(self) -> None:
        self._asked: str | None = None

    def check(self, name: str) -> None:
        """Refuse a name that is taken unless it was given just before."""
        if self._asked != name and _exists(name):
            self._asked = name
            sentence = f"{name} exists. Press enter again to overwrite it"
            raise Refused(sentence, field="file", value=name, legal="a name that is not taken")
        self._asked = None


def _exists(name: str) -> bool:
    """Return whether there is a file of that name."""
    try:
        return read_path(name).exists()
    except (Refused, OSError, ValueError):
        return False


# Exporting a conversation to a file a user names.

MOST_WARNINGS = 3
LONGEST_STEM = 80
"""Characters of a title that the name of a file takes."""


class Exporter(Overwriting):
    """Writes a conversation to files; over one that is there only when asked twice."""

    def __init__(self, conversation: Conversation) -> None:
        super().__init__()
        self._conversation = conversation

    def write(self, name: str, chosen: Format) -> tuple[str, list[str]]:
        """Write the file as a whole or not at all; return that in words, and warnings about it."""
        written = chosen.write(self._conversation.copy())
        write_whole(read_path(name), written.text)
        return f"Exported to {name} ({chosen.name})", list(
            sentences(written.warnings[:MOST_WARNINGS])
        )


def usual_name(title: str, chosen: Format) -> str:
    """Return what a file of a session is called by default: its title with an ending."""
    known = title
    for suffix in (*chosen.suffixes, ".json", ".jsonl"):
        known = known.removesuffix(suffix)
    kept = "".join(char if char.isalnum() or char in "-_. " else "-" for char in known)
    stem = kept[:LONGEST_STEM].strip(" .-") or "conversation"
    return f"{stem}{chosen.suffixes[0] if chosen.suffixes else f'.{chosen.name}.json'}"
