"""Reading files that a user names: regular ones, within bounds, in one sentence if not."""

from __future__ import annotations

import errno
import glob
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from ctxtui.core import Refused
from ctxtui.core.formats.source import MIB, MOST_BYTES, Source
from ctxtui.files.sandbox import Unreadable, check_sandbox
from ctxtui.progress import TaskProgress

BLOCK_BYTES = 4_000_000
READING_SHARE = 0.2
"""Bytes read at once, and the share of opening a file that reading it takes."""
MOST_RECIPE_BYTES = 64 * MIB
"""Bytes of a recipe, which holds operations and at most a few messages."""
OPEN_STREAMS = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")
"""How paths begin that name a stream this program was given, as ``<(command)`` does."""


def spelled(name: str) -> str:
    """Return the name of a file, or what else was typed, as UTF-8 says it, whatever the locale.

    Python keeps bytes that a locale knows nothing of as lone surrogates, which no title can have.
    """
    try:
        return os.fsencode(name).decode("utf-8")
    except UnicodeError:
        return without_surrogates(name)


def without_surrogates(text: str) -> str:
    """Return a text in which every lone surrogate is a question mark in a diamond."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


# Reading


def source_of_file(
    path: str,
    watch: TaskProgress | None = None,
    around: Callable[[object], object] = lambda data: data,
) -> Source:
    """Return what is in a file, to be read piece by piece; a stream is read whole at once."""
    watch = watch or TaskProgress()
    if path == "-" or path.startswith(OPEN_STREAMS):
        return Source.of_bytes(read_bytes(path, watch), around=around)
    if Path(path).is_dir():
        check_sandbox(path)
        with _explaining(path):
            return _source_of_folder(path)
    with _explaining(path), _opened(path) as file:
        size = _size(file)
    source = Source(lambda: open_file(path), size=size, step=watch.step, around=around)
    source.path, source.opens = Path(path), _opened_path
    return source


def _opened_path(path: Path) -> BinaryIO:
    return open_file(str(path))


def _source_of_folder(path: str) -> Source:
    from ctxtui.core.formats.folders import folder_source

    try:
        return folder_source(Path(path), _opened_path)
    except Refused as refusal:
        raise Unreadable(str(refusal)) from None


def open_file(path: str) -> BinaryIO:
    """Return an open file, if it is one."""
    with _explaining(path):
        return _handle(path)


def read_bytes(path: str, watch: TaskProgress | None = None, most: int = MOST_BYTES) -> bytes:
    """Return what is in a file, if it is one and not too large; ``-`` is standard input."""
    with _explaining(path), _opened(path) as file:
        return _bytes(file, most, watch or TaskProgress())


def check_readable(path: str) -> None:
    """Refuse a path that can't be read as a file, without reading it."""
    with _explaining(path), _opened(path):
        pass


@contextmanager
def _explaining(path: str) -> Iterator[None]:
    """Say what is wrong with a file in one sentence."""
    called = "standard input" if path == "-" else path
    try:
        yield
    except FileNotFoundError:
        is_link = Path(path).is_symlink()
        reason = (
            "it is a link to a file that does not exist" if is_link else "there is no such file"
        )
        raise Unreadable(f"{path}: {reason}") from None
    except Unreadable as problem:
        raise Unreadable(f"{called}: {problem}") from None
    except MemoryError:
        raise Unreadable(f"{called}: there is not enough memory to read it") from None
    except (OSError, ValueError) as error:
        raise Unreadable(f"{called}: {_reason(error)}") from None


def _reason(error: OSError | ValueError) -> str:
    if not isinstance(error, OSError):
        return "it can't be read: it is no file name"
    if error.errno == errno.ELOOP:
        return "it is a link that leads back to itself"
    return f"it can't be read: {error.strerror}"


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    """Open a file to be read, or take standard input."""
    if path == "-":
        check_sandbox(path)
        yield _standard_input()
        return
    with _handle(path) as file:
        yield file


def _handle(path: str) -> BinaryIO:
    """Return an open file that is one."""
    check_sandbox(path)
    # Without waiting, or a pipe without a writer would be waited for before it is known.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        _check(handle, is_stream=path.startswith(OPEN_STREAMS))
        if hasattr(os, "O_NONBLOCK"):
            os.set_blocking(handle, True)
    except BaseException:
        os.close(handle)
        raise
    return os.fdopen(handle, "rb")


def _standard_input() -> BinaryIO:
    if sys.stdin is None or sys.stdin.closed:
        raise Unreadable("it is closed")
    stream = sys.stdin.buffer
    with suppress(OSError):  # What has no descriptor is no device either.
        _check(stream.fileno(), is_stream=True)
    return stream


def _check(handle: int, *, is_stream: bool) -> None:
    """Refuse what is no file: a folder, a device without end, a pipe that was only named."""
    mode = os.fstat(handle).st_mode
    if stat.S_ISDIR(mode):
        raise Unreadable("it is a folder, not a file")
    is_pipe = stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
    if stat.S_ISREG(mode) or (is_stream and (is_pipe or os.isatty(handle))):
        return
    raise Unreadable(f"it is {'a pipe' if is_pipe else 'a device'}, not a file")


def _bytes(file: BinaryIO, most: int, watch: TaskProgress) -> bytes:
    """Return all bytes of an open file, block by block so that even a slow disk can be left."""
    blocks, size, done = [], max(1, _size(file)), 0
    if size <= most:
        while block := file.read(BLOCK_BYTES):
            blocks.append(block)
            done += len(block)
            if done > most:
                break
            watch.step(min(1.0, done / size) * READING_SHARE)
    if max(size, done) > most:
        raise Unreadable(f"it is larger than the {most // MIB:,} MiB limit")
    return b"".join(blocks)


def _size(file: BinaryIO) -> int:
    """Return how large a file says it is; a stream says nothing."""
    try:
        found = os.fstat(file.fileno())
    except OSError:
        return 0
    return found.st_size if stat.S_ISREG(found.st_mode) else 0


# Paths as a user types them.


def read_path(text: str) -> Path:
    """Return the path a user typed, with ~ for home, or refuse it.

    It is absolute, so that a file called - is not taken for standard input.
    """
    name = text.strip()
    try:
        return Path(name).expanduser().absolute()
    except RuntimeError:
        why = "there is no such home folder"
    except OSError:
        why = "this folder is gone"
    raise Refused(f"{name}: {why}", field="path", value=text)


# Finding the files that a user means: by name, by folder, or by a pattern.


def found_files(names: Iterable[str]) -> list[str]:
    """Return the files of some names, each once: a folder means all below it, in order.

    A name that is no file may be a pattern such as ``logs/*.jsonl``, for shells that expand none.
    What a name means is looked up now; whether it can be read shows when it is.
    """
    return list(dict.fromkeys(file for name in names for file in _files(name)))


def _files(name: str) -> Iterator[str]:
    if name == "-" or not _is_folder(name):
        matches = [] if name == "-" or Path(name).exists() else _matches(name)
        yield from matches or [name]
        return
    below = list(_below(Path(name)))
    if not below:
        raise Unreadable(f"{spelled(name)}: there is no file in this folder")
    yield from below


def _matches(pattern: str) -> Iterator[str] | list[str]:
    """Return the files that fit a pattern, those in folders that fit included."""
    if not glob.has_magic(pattern):
        return []
    found = sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207 - names stay as typed
    if not found:
        raise Unreadable(f"{spelled(pattern)}: no file fits this pattern")
    return [file for one in found for file in _files(one)]


def _below(folder: Path) -> Iterator[str]:
    """Yield the regular files below a folder, and stores whole; hidden ones are not meant."""
    from ctxtui.core.formats.folders import is_store

    try:
        if is_store(folder):
            yield str(folder)
            return
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise Unreadable(f"{spelled(str(folder))}: it can't be read: {error.strerror}") from None
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir() and not entry.is_symlink():
            yield from _below(entry)
        elif entry.is_file():
            yield str(entry)


def _is_folder(name: str) -> bool:
    try:
        return bool(name) and Path(name).is_dir()
    except (OSError, ValueError):
        return False
