"""Finding the files that a user means: by name, by folder, or by a pattern."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator
from pathlib import Path

from ctxtui.files.reading import Unreadable, spelled


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
    """Yield the regular files below a folder; hidden ones are not meant."""
    try:
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
        return Path(name).is_dir()
    except (OSError, ValueError):
        return False
