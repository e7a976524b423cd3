"""Admission: which requests the proxy passes on; those of web pages are refused.

There is no key, since agents could not send one. So a request must ask for an address that the
proxy listens on, and must not come from a web page, unless the user has allowed the name or the
origin.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable, Mapping, Sequence
from ipaddress import ip_address
from typing import Any

from ctxtui.core.errors import Refused, format_value
from ctxtui.web_access import is_own_host, is_own_origin, split_host

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "::1")
HOSTS = "NAME or NAME:PORT, such as host.docker.internal"
ORIGINS = "SCHEME://HOST with a port if it has one, SCHEME://HOST:*, SCHEME://*, or null"
PLAIN_HOST = re.compile(r"(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?", re.ASCII | re.IGNORECASE)
PLAIN_ORIGIN = re.compile(
    r"null|[a-z][a-z0-9+.-]*://(?:\*|(?:[\w.-]*|\[[0-9a-f:.]+\])(?::(?:\d{1,5}|\*))?)",
    re.ASCII | re.IGNORECASE,
)
"""What is worth repeating of a header in a sentence that may be printed."""
LONGEST = 200
FROM_PAGES = ("cross-site", "same-site")
"""What browsers say in Sec-Fetch-Site of a request that a page of another origin has made."""


class Admission:
    """Decides whether a request is passed on, by its Host and Origin headers."""

    def __init__(self, host: str, hosts: Iterable[str] = (), origins: Iterable[str] = ()) -> None:
        self._names = {*LOOPBACK_NAMES, host.strip("[]").lower()}
        self._ports: set[int] = set()
        self._takes_any_ip = False
        self._hosts = frozenset(map(_allowed_host, hosts))
        self._origins = frozenset(map(_allowed_origin, origins))

    def listens(self, addresses: Iterable[Sequence[Any]]) -> None:
        """Note the addresses that the proxy listens on.

        0.0.0.0 and :: mean addresses that are not known. No web page can choose one of those
        as its Host by DNS rebinding, so any IP address is admitted, and the name of this machine.
        """
        for ip, port, *_ in addresses:
            self._ports.add(port)
            if ip_address(ip.partition("%")[0]).is_unspecified:
                self._takes_any_ip = True
                self._names.add(socket.gethostname().lower())
            else:
                self._names.add(ip.lower())

    def refusal(self, headers: Mapping[str, str]) -> str | None:
        """Return why a request is refused, or None if it is passed on.

        Several headers of a name are one, joined by commas, which is neither a host nor an origin.
        """
        host, origin = headers.get("host"), headers.get("origin")
        if host is not None and not self._is_ours(host):
            name = _plain(host, PLAIN_HOST)
            return (
                f"{'the Host header' if name is None else f'Host {name}'} "
                "is not an address of this proxy; "
                f"to allow it, start ctxtui capture with --allow-host {name or 'NAME'}"
            )
        if origin is not None:
            if self._is_allowed(origin) or is_own_origin(origin, host or ""):
                return None
            name = _plain(origin, PLAIN_ORIGIN)
            return (
                f"requests of web pages are refused, and this one has "
                f"{'an Origin' if name is None else f'Origin {name}'}; "
                f"to allow it, start ctxtui capture with --allow-origin {name or 'ORIGIN'}"
            )
        site = headers.get("sec-fetch-site", "").lower()
        if site in FROM_PAGES:
            return (
                f"requests of web pages are refused, and this one has Sec-Fetch-Site {site}; "
                "only one with an Origin header can be allowed, by --allow-origin ORIGIN"
            )
        return None

    def _is_ours(self, host: str) -> bool:
        if is_own_host(host, self._names, self._ports):
            return True
        name, port = split_host(host) or ("", None)
        if (name, None) in self._hosts or (name, port) in self._hosts:
            return True
        return self._takes_any_ip and _is_ip(name)

    def _is_allowed(self, origin: str) -> bool:
        asked = origin.lower()
        return any(_fits(asked, one) for one in self._origins)


def _fits(origin: str, allowed: str) -> bool:
    """Return whether an origin is allowed; a star means any host or any port."""
    if not allowed.endswith("*"):
        return origin == allowed
    start = allowed[:-1]
    rest = origin.removeprefix(start)
    return origin.startswith(start) and (rest.isdecimal() or not start.endswith(":"))


def _is_ip(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _plain(value: str, pattern: re.Pattern[str]) -> str | None:
    """Return a header's value as it may be printed, None if it is not what it should be."""
    return value if len(value) <= LONGEST and pattern.fullmatch(value) else None


def _allowed_host(given: str) -> tuple[str, int | None]:
    found = split_host(given) if PLAIN_HOST.fullmatch(given) else None
    if found is None:
        raise Refused(
            f"--allow-host {format_value(given)} is not a host ({HOSTS})",
            field="allow-host",
            value=given,
            legal=HOSTS,
        )
    return found


def _allowed_origin(given: str) -> str:
    """Return an origin in lower case; one that ends with a star allows all that begin like it."""
    text = given if given.endswith("://") else given.removesuffix("/")
    if not PLAIN_ORIGIN.fullmatch(text):
        raise Refused(
            f"--allow-origin {format_value(given)} is not an origin ({ORIGINS})",
            field="allow-origin",
            value=given,
            legal=ORIGINS,
        )
    return f"{text}*".lower() if text.endswith("://") else text.lower()
