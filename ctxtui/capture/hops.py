"""Hops: headers that are about one connection, and so are not passed on to the next."""

from __future__ import annotations

from collections.abc import Iterable

from multidict import CIMultiDict, CIMultiDictProxy

HOP_BY_HOP = frozenset(
    (
        *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization"),
        *("proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"),
    )
)
OURS = frozenset(("host", "expect"))
"""What a request says of the connection to us: it has another host after that."""
ENCODINGS = "Accept-Encoding"


RawHeaders = Iterable[tuple[bytes, bytes]]


def passed_on(headers: RawHeaders, connection: str) -> CIMultiDict[str]:
    """Return the headers that go on to the next hop, in their order and as they were first spelled.

    ``connection`` is what the header of that name holds.
    """
    dropped = HOP_BY_HOP | {name.strip().lower() for name in connection.split(",")}
    found: CIMultiDict[str] = CIMultiDict()
    spelled: dict[str, str] = {}
    for raw_name, raw_value in headers:
        name = raw_name.decode("utf-8", "surrogateescape")
        if name.lower() not in dropped:
            # Of two spellings of a name, aiohttp would send the last one only.
            name = spelled.setdefault(name.lower(), name)
            found.add(name, raw_value.decode("utf-8", "surrogateescape"))
    return found


def request_headers(headers: RawHeaders, connection: str, *, is_recorded: bool) -> CIMultiDict[str]:
    """Return the headers of a request as it goes on; what is recorded is best not packed."""
    found = passed_on(headers, connection)
    for name in OURS:
        found.popall(name, None)
    if is_recorded:
        found[ENCODINGS] = "identity"
    return found


def names_and_values(headers: CIMultiDictProxy[str]) -> dict[str, str]:
    """Return headers by their lower-case names; of several of a name all, joined."""
    found: dict[str, str] = {}
    for name, value in headers.items():
        key = name.lower()
        found[key] = f"{found[key]}, {value}" if key in found else value
    return found
