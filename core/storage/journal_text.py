"""The text of a journal file: what was confirmed since the session file was written.

The first line says which session file it continues. Each further line is ``<chain> <flag> <json>``,
where the chain is a checksum of everything up to and including that line: a line that is missing,
changed or in another's place is seen. Several lines are written at once and waited for once.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..errors import Refused, not_a
from ..history.journal import Record
from ..values.models import read_count
from .details import Details
from .json_bytes import decode, encode
from .schema import VERSION, migrated_line, read_version
from .sealed import digest

CHAIN = 8
QUICK = b"q"
EXACT = b"x"
"""Which of the two JSON readers a line needs."""


class Header(NamedTuple):
    """Which session, and which version of its file, a journal file continues."""

    id: str
    base: str
    records: int


JournalLine = dict[str, Any]
"""One line: a record and its place in the journal, or new details of the session."""


def record_line(place: int, record: Record) -> JournalLine:
    """Return the line of a record."""
    return {"n": place, "record": record.to_dict()}


def details_line(details: Details) -> JournalLine:
    """Return the line of a session's new details."""
    return {"details": details.to_dict()}


class JournalText(NamedTuple):
    """What a journal file says, as far as it can be read."""

    header: Header
    lines: list[JournalLine]
    chains: list[str]
    """What the file leads to after each line; the first is that of the header, which no other
    journal file shares."""
    size: int
    """The bytes up to the end of the last line that can be read."""
    unread: int
    """How many lines stand behind it; one that breaks off counts."""
    damage: str | None
    """What is wrong with them, unless it is just that writing them was cut off."""
    version: int = VERSION

    @property
    def torn(self) -> bool:
        """Tell whether the file ends in something whose writing was cut off."""
        return self.unread > 0 and self.damage is None


class JournalPlace(NamedTuple):
    """The end of the last line that was read of a journal file."""

    first: str
    """The chain of its first line, by which the file is known."""
    chain: str
    lines: int
    size: int
    version: int

    @classmethod
    def after(cls, text: JournalText) -> JournalPlace:
        """Return the place behind what a journal file says."""
        chains = text.chains
        return cls(chains[0], chains[-1], len(text.lines), text.size, text.version)


def line_text(chain: str, data: JournalLine) -> tuple[bytes, str]:
    """Return a line that follows a chain, and the chain it leads to."""
    made = encode(data, is_safe=True)
    body = (EXACT if made.exact else QUICK) + b" " + made.data
    chain = digest(chain.encode(), body, size=CHAIN)
    return chain.encode() + b" " + body + b"\n", chain


def lines_text(chain: str, lines: Sequence[JournalLine]) -> tuple[bytes, str]:
    """Return lines that follow a chain, and the chain they lead to."""
    made = []
    for line in lines:
        text, chain = line_text(chain, line)
        made.append(text)
    return b"".join(made), chain


def header_text(header: Header) -> tuple[bytes, str]:
    """Return the first line of a new journal file, unlike any other's, and its chain."""
    token = secrets.token_hex(CHAIN)
    named = {"format": "ctxtui journal", "version": VERSION, **header._asdict(), "token": token}
    return line_text("", named)


def read_line(chain: str, line: bytes) -> tuple[JournalLine, str]:
    """Return what a line says and the chain it leads to, or refuse it."""
    said, body = line[: 2 * CHAIN], line[2 * CHAIN + 1 :]
    leads_to = digest(chain.encode(), body, size=CHAIN)
    if said != leads_to.encode() or line[2 * CHAIN : 2 * CHAIN + 1] != b" ":
        raise Refused("its checksum is wrong", field="chain")
    data = decode(body[2:], exact=body[:1] == EXACT)
    if not isinstance(data, dict):
        raise not_a("line", data, "an object")
    return data, leads_to


def read_journal(data: bytes) -> JournalText:
    """Return what a journal file says; refuse one whose first line can't be read."""
    *whole, rest = data.split(b"\n")
    if not whole:
        raise Refused("the journal file breaks off within its first line", field="header")
    first, chain = read_line("", whole[0])
    version = read_version(first.get("version"), "journal file")
    header = _header(first)
    lines, chains, damage = read_lines(chain, whole[1:], version)
    there = 1 + len(lines)
    size = sum(len(line) + 1 for line in whole[:there])
    unread = len(whole) - there + bool(rest)
    return JournalText(header, lines, [chain, *chains], size, unread, damage, version)


def read_lines(
    chain: str, whole: Sequence[bytes], version: int, number: int = 2
) -> tuple[list[JournalLine], list[str], str | None]:
    """Return what lines behind a chain say, what each leads to, and what is wrong with the rest.

    ``number`` is that of the first of them in its file.
    """
    lines: list[JournalLine] = []
    chains: list[str] = []
    for place, line in enumerate(whole):
        try:
            read, chain = read_line(chain, line)
        except Refused as refusal:
            if all(b"\0" in one for one in whole[place:]):
                break  # Blocks that were never written come back as zeros: that was cut off, too.
            where = f"line {number + place} of the journal file"
            return lines, chains, f"{where} can't be read: {refusal}"
        lines.append(migrated_line(read, version))
        chains.append(chain)
    return lines, chains, None


def _header(data: JournalLine) -> Header:
    match data:
        case {"format": "ctxtui journal", "id": str(id), "base": str(base), "records": records}:
            return Header(id, base, read_count(records, "records"))
    raise Refused("the first line of the journal file is not one of ours", field="header")
