"""Secrets: what is kept of an exchange holds none of them, wherever it was recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from core.requests.exchange import Exchange
from core.requests.logins import HEADERS, REMOVED, Logins, hide, hiding

QUERY = frozenset(("alt", "api-version", "beta"))
"""What is kept of what stands behind the question mark of an address."""
ADDRESSES = ("path", "url", "upstream")
LEFT_OUT = ("api_key", "authorization", "cookies")
"""Keys of records that hold addresses, and those that are nothing but secret."""


def cleaned(exchange: Exchange) -> Exchange:
    """Return an exchange without keys and tokens: in headers, in the path, in its bodies.

    Those that bodies hold are removed wherever else they turn up.
    """
    return cleaned_of(exchange, Logins())


def cleaned_of(exchange: Exchange, logins: Logins) -> Exchange:
    """Return an exchange without logins, neither its own nor those that were found before."""
    envelope, answer = exchange.envelope, exchange.response
    exchange = replace(
        exchange,
        headers=allowed(exchange.headers),
        path=without_keys(exchange.path),
        request=logins.without(exchange.request),
        response=None if answer is None else logins.without(answer),
        envelope=None if envelope is None else logins.without(_clean_envelope(envelope)),
    )
    hidden = hiding(logins.found)
    if hidden is None:
        return exchange
    return replace(
        exchange,
        headers=hide(exchange.headers, hidden),
        path=hidden.sub(REMOVED, exchange.path),
        request=hide(exchange.request, hidden),
        response=hide(exchange.response, hidden),
        envelope=hide(exchange.envelope, hidden),
        tag=None if exchange.tag is None else hidden.sub(REMOVED, exchange.tag),
    )


def allowed(headers: Mapping[Any, Any]) -> dict[str, str]:
    """Return the headers that may be kept, with lower-case names."""
    named = ((name.lower(), value) for name, value in headers.items() if isinstance(name, str))
    return {n: value for n, value in named if n in HEADERS and isinstance(value, str)}


def without_keys(path: str) -> str:
    """Return a path without who is logged in and without what its query should not tell."""
    try:
        parts = urlsplit(path)
    except ValueError:
        return ""
    told = [(name, value) for name, value in parse_qsl(parts.query) if name in QUERY]
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, urlencode(told), ""))


def _clean_envelope(envelope: Mapping[str, Any]) -> dict[str, Any]:
    """Return what else a record held; headers and addresses in it are sifted as others are."""
    kept: dict[str, Any] = {}
    for key, value in envelope.items():
        if "headers" in key and isinstance(value, Mapping):
            kept[key] = _sifted(value)
        elif key in ADDRESSES and isinstance(value, str):
            kept[key] = without_keys(value)
        elif key not in LEFT_OUT:
            kept[key] = value
    return kept


def _sifted(headers: Mapping[Any, Any]) -> dict[str, Any]:
    return {
        name: value
        for name, value in headers.items()
        if isinstance(name, str) and name.lower() in HEADERS
    }
