"""Names: what the files of a library are called, and how a name of ours is told from another's."""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path
from typing import NamedTuple

ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
ID_LENGTH = 12
INDEX = "index.json"
JOURNAL = ".journal"
"""How the name of a journal file ends, behind the id of its session."""
CATALOG = "catalog.sqlite"
"""A cache of what is in the sessions, which is made and read elsewhere."""
PART = re.compile(
    r"(?:index\.json|[a-z0-9]{12}\.(?:json|journal|confirmed|holder|deleted|run|journal\.[0-9a-f]{16}\.kept))"
    r"\.(?P<process>[0-9]{1,10})-[0-9a-f]{16}\.part"
)
"""The name of a file that is not finished yet: whose it becomes, who writes it, a random token."""
UNFINISHED = ".part"
BESIDE = re.compile(
    r"[a-z0-9]{12}\.(?:journal|confirmed|holder|deleted|journal\.[0-9a-f]{16}\.kept"
    r"|(?:json|journal)\.lock)"
)
"""The names that only files beside a session file have."""
SPOOL = "spool"
RUN = re.compile(r"(?P<run>[a-z0-9]{12})\.run")
SLIP = re.compile(r"(?P<run>[a-z0-9]{12})-[0-9]{1,12}\.slip")
"""The folder of what is not saved yet, and the names that files in it have."""


def new_id() -> str:
    """Return a name for a session that no other has."""
    return "".join(secrets.choice(ALPHABET) for _ in range(ID_LENGTH))


def is_id(text: str) -> bool:
    """Tell whether a text can be the name of a session; no path is one."""
    return len(text) == ID_LENGTH and text.isascii() and text.isalnum() and text.islower()


def session_of(name: str) -> str | None:
    """Return the id of the session that a file of this name would hold."""
    id = name.removesuffix(".json")
    return id if id != name and is_id(id) else None


def part_of(path: Path) -> Path:
    """Return where a file is written before it gets its name: nobody can guess that, or link it."""
    return path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(8)}{UNFINISHED}")


def kept_of(journal: Path) -> Path:
    """Return a name under which a journal file is kept aside."""
    return journal.with_name(f"{journal.name}.{secrets.token_hex(8)}.kept")


class SessionPaths(NamedTuple):
    """Where the files of a session are."""

    folder: Path
    id: str

    @property
    def main(self) -> Path:
        """Return the path of the TinyDB file."""
        return self.folder / f"{self.id}.json"

    @property
    def journal(self) -> Path:
        """Return the path of the journal file."""
        return self.folder / f"{self.id}{JOURNAL}"

    @property
    def confirmed(self) -> Path:
        """Return the path of the record of how far the journal file is confirmed."""
        return self.folder / f"{self.id}.confirmed"
