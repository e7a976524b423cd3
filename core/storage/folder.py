"""The folder of a library: how its files are named, and how they are known from those of others."""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path
from typing import NamedTuple

from .disk import Disk
from .errors import StorageError, translated

ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
ID_LENGTH = 12
JOURNAL = ".journal"
"""How the name of a journal file ends, after the id of its session."""
CATALOG = "catalog.sqlite"
"""A cache of what is in the sessions."""
INDEX = "index.json"
"""The list of sessions that versions up to 0.1 stored; it is removed, since it may be outdated."""
TRASH = "trash"
SPOOL = "spool"
PART = re.compile(
    r"(?:index\.json|[a-z0-9]{12}\.(?:json|journal|confirmed|holder|deleted|run|journal\.[0-9a-f]{16}\.kept))"
    r"\.(?P<process>[0-9]{1,10})-[0-9a-f]{16}\.part"
)
"""The name of an unfinished file: the file it becomes, the process that writes it, a token."""
UNFINISHED = ".part"
COMPANION = re.compile(
    r"[a-z0-9]{12}\.(?:journal|confirmed|holder|deleted|journal\.[0-9a-f]{16}\.kept"
    r"|(?:json|journal)\.lock)"
)
"""The names that only files of a session have, apart from the session file."""
RUN = re.compile(r"(?P<run>[a-z0-9]{12})\.run")
SLIP = re.compile(r"(?P<run>[a-z0-9]{12})-[0-9]{1,12}\.slip")
"""The names of files in the spool."""

SESSION_START = b'{"messages":{'
SESSION_FORMAT = b'"format":"ctxtui session"'
"""What session files begin with, and what is near their end."""
INDEX_START = re.compile(rb'\{"sessions":\{(?:\},"meta":\{|"1":\{"id":"[a-z0-9]{12}","title":")')
PEEK = 1 << 14
SQLITE = b"SQLite format 3\0"
APPLICATION = b"ctxt"
APPLICATION_AT = 68
"""What an SQLite file begins with, and where it states which program it belongs to."""
NAMED = 3


class SessionPaths(NamedTuple):
    """Where the files of a session are."""

    folder: Path
    id: str

    @property
    def main(self) -> Path:
        """The TinyDB file."""
        return self.folder / f"{self.id}.json"

    @property
    def journal(self) -> Path:
        return self.folder / f"{self.id}{JOURNAL}"

    @property
    def confirmed(self) -> Path:
        """The record of how far the journal file is confirmed."""
        return self.folder / f"{self.id}.confirmed"


def new_id() -> str:
    """Return a random id for a session."""
    return "".join(secrets.choice(ALPHABET) for _ in range(ID_LENGTH))


def is_id(text: str) -> bool:
    """Return whether a text can be the id of a session; no path is one."""
    return len(text) == ID_LENGTH and text.isascii() and text.isalnum() and text.islower()


def session_of(name: str) -> str | None:
    """Return the id of the session that a file of this name would hold."""
    id = name.removesuffix(".json")
    return id if id != name and is_id(id) else None


def kept_of(journal: Path) -> Path:
    """Return a name for a copy of a journal file."""
    return journal.with_name(f"{journal.name}.{secrets.token_hex(8)}.kept")


def sweep(disk: Disk, folder: Path) -> list[str]:
    """Remove unfinished files of ours that dead processes left behind; return their names."""
    swept = []
    for name in disk.names(folder):
        part = PART.fullmatch(name) if name.endswith(UNFINISHED) else None
        if part is not None and not _is_alive(int(part["process"])):
            try:
                disk.unlink(folder / name)
            except OSError:
                continue
            swept.append(name)
    return swept


def _is_alive(process: int) -> bool:
    if os.name == "nt":
        return True  # Asking there would interrupt the process.
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return process > 0


def names_in(disk: Disk, folder: Path) -> list[str]:
    """Return the names in the folder of a library; refuse one that holds only other files."""
    with translated(f"the library {folder} can't be read", "library", str(folder)):
        names = disk.names(folder)
    first = sorted(names, key=lambda name: name != CATALOG)
    if names and not any(_is_ours(disk, folder / name) for name in first):
        named = ", ".join(names[:NAMED]) + (" …" if len(names) > NAMED else "")
        raise StorageError(
            f"{folder} is not a library: there are only other files in it ({named}); "
            "choose a library, or a folder that is new or empty",
            field="library",
            value=str(folder),
        )
    return names


def is_session(disk: Disk, path: Path) -> bool:
    """Return whether a file holds a session, by its start and its end."""
    try:
        start = disk.read(path, 0, PEEK)
        return start.startswith(SESSION_START) or SESSION_FORMAT in disk.read(path, -PEEK)
    except OSError:
        return False


def is_catalog(disk: Disk, path: Path) -> bool:
    """Return whether a file is certainly a catalog of ours, by its start."""
    end = APPLICATION_AT + len(APPLICATION)
    head = disk.read(path, 0, end)
    return head.startswith(SQLITE) and head[APPLICATION_AT:end] == APPLICATION


def is_index(disk: Disk, path: Path) -> bool:
    """Return whether a file is certainly a list of sessions of an earlier version."""
    return INDEX_START.match(disk.read(path, 0, PEEK)) is not None


def _is_ours(disk: Disk, path: Path) -> bool:
    """Return whether only this program would have made a file, by its name and content."""
    name = path.name
    try:
        if name == CATALOG:
            return is_catalog(disk, path)
        if name == INDEX:
            return is_index(disk, path)
        if session_of(name) is not None:
            return is_session(disk, path)
        if name == TRASH and disk.is_folder(path):
            return any(_is_ours(disk, path / one) for one in disk.names(path) if one != TRASH)
        if name == SPOOL and disk.is_folder(path):
            known = (RUN, SLIP, PART)
            return all(any(one.fullmatch(name) for one in known) for name in disk.names(path))
    except OSError:
        return False
    return (PART.fullmatch(name) or COMPANION.fullmatch(name)) is not None
