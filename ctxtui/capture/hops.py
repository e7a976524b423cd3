"""Hops: headers that are about one connection, and so are not passed on to the next."""

from __future__ import annotations

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


def passed_on(headers: CIMultiDictProxy[str]) -> CIMultiDict[str]:
    """Return the headers that go on to the next hop, in their order and as they were spelled."""
    named = {
        name.strip().lower()
        for value in headers.getall("Connection", ())
        for name in value.split(",")
    }
    dropped = HOP_BY_HOP | named
    return CIMultiDict(
        (name, value) for name, value in headers.items() if name.lower() not in dropped
    )


def request_headers(headers: CIMultiDictProxy[str], *, is_recorded: bool) -> CIMultiDict[str]:
    """Return the headers of a request as it goes on; what is recorded is best not packed."""
    found = passed_on(headers)
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
