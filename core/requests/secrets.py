"""Secrets: what is kept of an exchange holds none of them, wherever it was recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from core.requests.exchange import Exchange

HEADERS = frozenset(
    (
        *("accept", "accept-encoding", "content-type", "content-encoding", "content-length"),
        *("date", "host", "retry-after", "server", "transfer-encoding", "user-agent"),
        *("anthropic-beta", "anthropic-version", "openai-beta", "openai-version"),
        *("openai-processing-ms", "originator", "request-id", "x-request-id"),
        *("session-id", "session_id", "x-claude-code-agent-id", "x-claude-code-session-id"),
        *("x-goog-api-client", "x-opencode-session", "x-stainless-lang", "x-stainless-os"),
        *("x-stainless-package-version", "x-stainless-retry-count", "x-stainless-runtime"),
        *("x-stainless-timeout", "x-stainless-arch", "x-should-retry"),
    )
)
"""The headers that are kept. A list of those to leave out would always miss the next one."""
QUERY = frozenset(("alt", "api-version", "beta"))
"""The same for what stands behind the question mark of an address."""
REMOVED = "[removed]"
ADDRESSES = ("path", "url", "upstream")
LEFT_OUT = ("api_key", "authorization", "cookies")
"""Keys of records that hold addresses, and those that are nothing but secret."""


def cleaned(exchange: Exchange) -> Exchange:
    """Return an exchange without keys and tokens: in headers, in the path, in its bodies."""
    envelope = exchange.envelope
    return replace(
        exchange,
        headers=allowed(exchange.headers),
        path=without_keys(exchange.path),
        request=scrubbed(exchange.request),
        response=None if exchange.response is None else scrubbed(exchange.response),
        envelope=None if envelope is None else _clean_envelope(envelope),
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


def scrubbed(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a body without what authorises its tools and servers; most have nothing of that."""
    changed: dict[str, Any] = {}
    for key, secrets in SECRETS.items():
        items = body.get(key)
        if isinstance(items, list) and any(_has(item, secrets) for item in items):
            changed[key] = [_without(item, secrets) for item in items]
    return {**body, **changed} if changed else body


SECRETS = {
    "tools": ("authorization", "headers"),
    "mcp_servers": ("authorization_token", "authorization", "headers"),
}
"""Where bodies have them: lists of tools that run elsewhere, and of servers that give some."""


def _has(item: object, secrets: tuple[str, ...]) -> bool:
    return isinstance(item, Mapping) and any(item.get(key) for key in secrets)


def _without(item: Any, secrets: tuple[str, ...]) -> Any:
    if not _has(item, secrets):
        return item
    return {key: REMOVED if key in secrets and value else value for key, value in item.items()}


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
