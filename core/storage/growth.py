"""Growth: what a list says of a session that has gone on since its file was written.

The last line of each write to the journal file has the figures that lists show. So a list is true
while somebody works, and costs two lines of that file instead of doing all of it again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..conversation.readable import Readable
from ..errors import Refused
from ..values.times import read_time
from .details import Details
from .disk import Disk
from .handles import Stamp
from .journal_text import CHAIN, JournalLine, read_line
from .names import SessionPaths
from .rows import listed
from .schema import read_version
from .sealed import TableRow

FIGURES = "figures"
DETAILS = b' {"details":'
LEAD = 2 * CHAIN + len(" q")
"""Where the JSON of a line begins: behind its chain and its flag."""


class Growth(NamedTuple):
    """What a journal file says last of its session."""

    details: Details | None
    """None where they are as the session file has them."""
    figures: TableRow


def with_figures(
    lines: Sequence[JournalLine], conversation: Readable, updated: int
) -> list[JournalLine]:
    """Return the lines of one write, of which the last says what a list should show by then."""
    if not lines:
        return []
    *most, last = lines
    return [*most, {**last, FIGURES: {**listed(conversation), "updated": updated}}]


def version_of(main: Stamp, journal: Stamp | None) -> Stamp:
    """Return what tells a version of a session from others: its file, and what came after that."""
    if journal is None:
        return main
    return Stamp(main.file, main.size + journal.size, max(main.changed, journal.changed))


def growth_of(disk: Disk, place: SessionPaths, meta: Mapping[str, Any]) -> Growth | None:
    """Return what the journal file says beyond a session file, if it continues that.

    What can't be read is left to those who open the session, and tell what is wrong with it.
    """
    try:
        return _read(disk.read(place.journal), meta.get("checksum"))
    except (OSError, Refused, LookupError, TypeError, ValueError, AttributeError):
        return None


def _read(data: bytes, base: object) -> Growth | None:
    first, _ = read_line("", data[: data.index(b"\n")])
    read_version(first.get("version"), "journal file")
    end = data.rfind(b"\n")
    last = data.rfind(b"\n", 0, end) + 1
    if first.get("base") != base or last == 0:
        return None
    told = _line(data, last)[FIGURES]
    at = _last_details(data, end)
    details = None if at is None else Details.from_dict(_line(data, at)["details"])
    return Growth(details, {**told, "updated": read_time(told["updated"], "updated")})


def _line(data: bytes, start: int) -> JournalLine:
    """Return what the line says that begins at a byte, held to the chain of the one before."""
    before = data.rfind(b"\n", 0, start - 1) + 1
    chain = data[before : before + 2 * CHAIN].decode("ascii")
    return read_line(chain, data[start : data.index(b"\n", start)])[0]


def _last_details(data: bytes, end: int) -> int | None:
    """Return where the last line of details begins; messages may hold what looks like one."""
    while (found := data.rfind(DETAILS, 0, end)) >= 0:
        start = data.rfind(b"\n", 0, found) + 1
        if found == start + LEAD:
            return start
        end = found
    return None
