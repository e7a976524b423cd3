"""Secrets of a call: what it logged in with is found nowhere in what is kept of it.

Which headers, addresses and fields are kept at all is the business of ``core.requests.secrets``.
This finds the same keys where nobody expects them: in an error that repeats the key it refuses, in
a prompt somebody pasted one into, in the name of a conversation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from core.requests.exchange import Exchange
from core.requests.secrets import HEADERS, QUERY, REMOVED, cleaned, scrubbed
from core.values.frozen import DEEPEST

SHORTEST = 12
"""Characters of a text that may be a key; shorter ones are words such as ``ollama``."""
TOKEN = re.compile(r"[^\s,;:=\"']+")
LOGINS = re.compile(r"auth|key|token|secret|cookie|credential|session|password", re.IGNORECASE)
BODY_KEYS = ("api_key", "apikey", "authorization", "access_token", "client_secret")
"""Fields of a body that are nothing but secret; gateways take keys in there."""


def keys_of(headers: Mapping[str, str], path: str) -> frozenset[str]:
    """Return the texts that a request logs in with, in headers and in its address."""
    found: set[str] = set()
    for name, value in headers.items():
        if name.lower() not in HEADERS and LOGINS.search(name):
            found.update(TOKEN.findall(value))
    try:
        query = parse_qsl(urlsplit(path).query)
    except ValueError:
        query = []
    for name, value in query:
        if name not in QUERY and LOGINS.search(name):
            found.update((value, unquote(value)))
    return frozenset(one for one in found if len(one) >= SHORTEST)


class Hider:
    """Knows what a call logs in with, and takes it out of all that is kept of the call."""

    def __init__(self, keys: frozenset[str], request: Mapping[str, Any]) -> None:
        keys = keys | frozenset(_given(request))
        longest = sorted(keys, key=len, reverse=True)
        self._keys = re.compile("|".join(map(re.escape, longest))) if keys else None

    def without_secrets(self, exchange: Exchange) -> Exchange:
        """Return an exchange in which there is no key, neither where one belongs nor elsewhere."""
        exchange = cleaned(exchange)
        kept = {key: value for key, value in exchange.request.items() if key not in BODY_KEYS}
        exchange = replace(exchange, request=kept)
        if self._keys is None:
            return exchange
        return replace(
            exchange,
            request=_hide(exchange.request, self._keys),
            path=self._keys.sub(REMOVED, exchange.path),
            tag=None if exchange.tag is None else self._keys.sub(REMOVED, exchange.tag),
            headers=_hide(exchange.headers, self._keys),
        )

    def hidden(self, answer: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return an answer in which there is no key."""
        answer = scrubbed(answer)
        found: Mapping[str, Any] = answer if self._keys is None else _hide(answer, self._keys)
        return found


def _given(request: Mapping[str, Any]) -> Iterable[str]:
    """Yield the keys that a body holds itself, which its answer may repeat."""
    given = [request.get(key) for key in BODY_KEYS]
    for item in (*_items(request, "tools"), *_items(request, "mcp_servers")):
        headers = item.get("headers")
        given += [item.get("authorization"), item.get("authorization_token")]
        given += headers.values() if isinstance(headers, Mapping) else ()
    for value in given:
        if isinstance(value, str):
            yield from (one for one in TOKEN.findall(value) if len(one) >= SHORTEST)


def _items(request: Mapping[str, Any], key: str) -> Iterable[Mapping[str, Any]]:
    items = request.get(key)
    return [one for one in items if isinstance(one, Mapping)] if isinstance(items, list) else ()


def _hide(value: Any, hidden: re.Pattern[str], depth: int = 0) -> Any:
    """Return a value in which no text holds a key; what is nested absurdly deep goes as a whole."""
    if isinstance(value, str):
        return hidden.sub(REMOVED, value)
    if depth > DEEPEST:
        return REMOVED
    if isinstance(value, Mapping):
        return {_hide(key, hidden): _hide(one, hidden, depth + 1) for key, one in value.items()}
    if isinstance(value, list):
        return [_hide(one, hidden, depth + 1) for one in value]
    return value
