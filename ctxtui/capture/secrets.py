"""Secrets of a call: what it logged in with is found nowhere in what is kept of it.

Which headers, addresses and fields are kept at all is the business of ``core.requests.secrets``.
This finds the same keys where nobody expects them: in an error that repeats the key it refuses, in
a prompt somebody pasted one into, in the name of a conversation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from core.requests.exchange import Exchange
from core.requests.logins import HEADERS, TOKEN, Logins, hide, hiding
from core.requests.secrets import QUERY, cleaned_of

SHORTEST = 12
"""Characters of a text that may be a key; shorter ones are words such as ``ollama``."""
LOGINS = re.compile(r"auth|key|token|secret|cookie|credential|session|password", re.IGNORECASE)


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

    def __init__(self, keys: frozenset[str]) -> None:
        self._logins = Logins(keys)

    def without_secrets(self, exchange: Exchange) -> Exchange:
        """Return an exchange in which there is no key, neither where one belongs nor elsewhere."""
        return cleaned_of(exchange, self._logins)

    def hidden(self, answer: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return an answer in which there is no key."""
        answer = self._logins.without(answer)
        hidden = hiding(self._logins.found)
        found: Mapping[str, Any] = answer if hidden is None else hide(answer, hidden)
        return found
