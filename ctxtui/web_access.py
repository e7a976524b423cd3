"""Web access: which requests a server on this machine may answer, by their Host and Origin.

A web page can make its browser send a request to any address. Two headers that a page can't choose
show it: ``Host`` is the name that the browser looked up, which an attacker can point at 127.0.0.1
(DNS rebinding); ``Origin`` is the page. The server of the app and the recording proxy both check
them.
"""

from __future__ import annotations

import re
from collections.abc import Collection

HOST = re.compile(r"\[?([^\[\]]*?)\]?(?::(\d{1,5}))?")


def split_host(host: str) -> tuple[str, int | None] | None:
    """Return the name and the port of a Host header, or None if it is malformed."""
    found = HOST.fullmatch(host)
    if found is None:
        return None
    return found[1].lower(), None if found[2] is None else int(found[2])


def is_own_host(host: str, names: Collection[str] | None, ports: Collection[int]) -> bool:
    """Return whether a Host header is one of these names, with one of these ports or none.

    Without names, any name is.
    """
    found = split_host(host)
    if found is None or not (found[1] is None or found[1] in ports):
        return False
    return names is None or found[0] in names


def is_own_origin(origin: str, host: str) -> bool:
    """Return whether an Origin header is that of the server itself, which was asked for as host."""
    return bool(host) and origin.partition("://")[2].lower() == host.lower()
