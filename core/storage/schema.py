"""The version of what is stored, and the way up from older ones."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import not_a, shown
from .errors import TooNew
from .sealed import TableRow, Tables

VERSION = 1

MIGRATIONS: dict[int, Callable[[Tables], Tables]] = {}
"""For each old version the function that makes tables of the next one out of its tables."""


LINE_MIGRATIONS: dict[int, Callable[[TableRow], TableRow]] = {}
"""The same for single lines of a journal file, where those changed."""


def read_version(value: object, what: str) -> int:
    """Return the version of a file, or refuse one that is none or that is newer than this."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise not_a("version", value, f"a version of the {what} ({_oldest()}…{VERSION})")
    if value > VERSION:
        raise TooNew(
            f"the {what} has version {shown(value)} and the newest that can be read here is "
            f"{VERSION}; update ctxtui to open it",
            field="version",
            value=value,
            legal=f"{_oldest()}…{VERSION}",
        )
    if value < _oldest():
        raise not_a("version", value, f"a version of the {what} ({_oldest()}…{VERSION})")
    return value


def _oldest() -> int:
    return min([VERSION, *MIGRATIONS])


def migrated(tables: Tables) -> tuple[Tables, int]:
    """Return tables as this version has them, and the version they came in."""
    given = read_version(tables.get("meta", {}).get("1", {}).get("version"), "session file")
    for version in range(given, VERSION):
        tables = MIGRATIONS[version](tables)
    return tables, given


def migrated_line(line: TableRow, version: int) -> TableRow:
    """Return a line of a journal file as this version has it."""
    for number in range(version, VERSION):
        if number in LINE_MIGRATIONS:
            line = LINE_MIGRATIONS[number](line)
    return line
