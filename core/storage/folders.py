"""Folders: whether one is a library, so that nothing is put, swept or replaced in any other."""

from __future__ import annotations

from pathlib import Path

from .disk import Disk
from .errors import StorageError, telling
from .index import is_index
from .names import BESIDE, CATALOG, INDEX, PART, RUN, SLIP, SPOOL, session_of

TRASH = "trash"
OPENING = b'{"messages":{'
FORMAT = b'"format":"ctxtui session"'
"""What session files begin with, and what stands near their end."""
PEEK = 1 << 14
NAMED = 3
SQLITE = b"SQLite format 3\0"
APPLICATION = b"ctxt"
APPLICATION_AT = 68
"""What an SQLite file begins with, and where it says which program it belongs to."""


def names_in(disk: Disk, folder: Path) -> list[str]:
    """Return the names in the folder of a library; refuse one that holds only other things."""
    with telling(f"the library {folder} can't be read", "library", str(folder)):
        names = disk.names(folder)
    if names and not any(_is_ours(disk, folder / name) for name in sorted(names, key=_place)):
        named = ", ".join(names[:NAMED]) + (" …" if len(names) > NAMED else "")
        raise StorageError(
            f"{folder} is not a library: there are only other files in it ({named}); "
            "choose a library, or a folder that is new or empty",
            field="library",
            value=str(folder),
        )
    return names


def _place(name: str) -> bool:
    """Let the index be looked at first."""
    return name != INDEX


def is_session(disk: Disk, path: Path) -> bool:
    """Tell whether a file holds a session, by what it begins with or has near its end."""
    try:
        return disk.head(path, PEEK).startswith(OPENING) or FORMAT in disk.tail(path, PEEK)
    except OSError:
        return False


def is_catalog(disk: Disk, path: Path) -> bool:
    """Tell whether a file is certainly a catalog of ours, by what it begins with."""
    end = APPLICATION_AT + len(APPLICATION)
    head = disk.head(path, end)
    return head.startswith(SQLITE) and head[APPLICATION_AT:end] == APPLICATION


def _is_ours(disk: Disk, path: Path) -> bool:
    """Tell whether only this program would have made a file, by its name and what is in it."""
    name = path.name
    try:
        if name == INDEX:
            return is_index(disk, path)
        if name == CATALOG:
            return is_catalog(disk, path)
        if session_of(name) is not None:
            return is_session(disk, path)
        if name == TRASH and disk.is_folder(path):
            return any(_is_ours(disk, path / one) for one in disk.names(path) if one != TRASH)
        if name == SPOOL and disk.is_folder(path):
            return all(_is_spooled(one) for one in disk.names(path))
    except OSError:
        return False
    return (PART.fullmatch(name) or BESIDE.fullmatch(name)) is not None


def _is_spooled(name: str) -> bool:
    """Tell whether a name is one that only the spool has."""
    return any(pattern.fullmatch(name) for pattern in (RUN, SLIP, PART))
