"""Logins in bodies: what authorises tools and servers, known by its name or by its address.

Only what stands around a conversation is looked through, never what was said in it. A tool that has
a parameter called ``api_key`` defines one: what describes it is a schema, and stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

from core.values.frozen import DEEPEST

REMOVED = "[removed]"
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
SAID = frozenset(
    (
        *("messages", "input", "contents", "system", "instructions", "system_instruction"),
        *("systemInstruction", "choices", "output", "content", "candidates", "message"),
    )
)
"""Fields of requests and of answers that hold what was said."""
NAMES = re.compile(
    r"(api|access|secret|private|signing|account|subscription)keys?$|secrets?$|pass(word|wd|phrase)$"
    r"|auth(orization|entication|header)?$|credentials?$|connectionstring$|cookies?$|headers$|jwt$"
    r"|(?<!eos)(?<!bos)(?<!pad)(?<!unk)(?<!sep)(?<!cls)(?<!mask)(?<!stop)(?<!page)(?<!image)token$"
)
"""How names of secrets end, in small letters and without what joins words."""
IN_QUERIES = re.compile(r"(key|sig|signature|^code)$", re.IGNORECASE)
"""How they end in addresses too, where a key has no other use."""
JOINED = re.compile(r"[\W_]+")
URL = re.compile(r"://([^\s/?#\"'<>]*@)?([^\s\"'<>]*)")
PAIR = re.compile(r"([?&#;])([^\s=&#;]+)=([^&#;]+)")
SCHEMA_TYPES = ("object", "string", "array", "number", "integer", "boolean", "null")
SCHEMA_KEYS = ("properties", "$ref", "$defs", "$schema", "anyOf", "allOf", "oneOf")
TOKEN = re.compile(r"[^\s,;:=\"']+")
SHORTEST = 8
"""Characters of a secret that is looked for elsewhere too."""
LONG = 16
"""Characters from which on it is, whatever it looks like: shorter ones may be words, or dates."""


@lru_cache(maxsize=4096)
def is_secret(name: str) -> bool:
    """Tell whether a field of this name holds what nobody else may know."""
    return NAMES.search(JOINED.sub("", name).lower()) is not None


class Logins:
    """Takes out of bodies what logs in somewhere, and knows afterwards what that was."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self.found: set[str] = set(known)
        """The texts that were taken out and would be known again elsewhere; some from before."""

    def without(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a body without logins, the same one where it has none."""
        changed = {}
        for key, value in body.items():
            if key not in SAID:
                kept = self._kept(key, value, in_schema=False, depth=1)
                if kept is not value:
                    changed[key] = kept
        return {**body, **changed} if changed else body

    def _kept(self, key: str, value: Any, *, in_schema: bool, depth: int) -> Any:
        """Return the value of a field; one that is nested absurdly deep goes as a whole."""
        if isinstance(value, str):
            if value and is_secret(key):
                return self._removed(value)
            return self._clean_urls(value, is_told=key != "description")
        if not isinstance(value, Mapping | list):
            return value
        if depth > DEEPEST:
            return REMOVED
        in_schema = in_schema or _is_schema(value)
        if not in_schema and is_secret(key):
            return self._emptied(value, is_login=not key.lower().endswith("headers"), depth=depth)
        fields = value if isinstance(value, Mapping) else dict(enumerate(value))
        kept = {
            name: one
            if type(one) is str and "://" not in one and not is_secret(_text(name))
            else self._kept(_text(name), one, in_schema=in_schema, depth=depth + 1)
            for name, one in fields.items()
        }
        if all(new is fields[name] for name, new in kept.items()):
            return value
        return kept if isinstance(value, Mapping) else [*kept.values()]

    def _emptied(self, value: Any, *, is_login: bool, depth: int) -> Any:
        """Return what is secret as a whole without any text, but for what kind of thing it is."""
        if isinstance(value, str):
            return self._removed(value, is_login=is_login)
        if depth > DEEPEST:
            return REMOVED
        if isinstance(value, list):
            return [self._emptied(one, is_login=is_login, depth=depth + 1) for one in value]
        if not isinstance(value, Mapping):
            return value
        return {
            key: one
            if _is_harmless(key, one)
            else self._emptied(one, is_login=is_login or _is_login(key), depth=depth + 1)
            for key, one in value.items()
        }

    def _removed(self, value: str, *, is_login: bool = True) -> str:
        if value and value != REMOVED:
            shortest = SHORTEST if is_login else LONG
            self.found.update(one for one in _tokens(value) if len(one) >= shortest)
        return REMOVED if value else value

    def _clean_urls(self, text: str, *, is_told: bool) -> str:
        if "://" not in text:
            return text

        def pair(match: re.Match[str]) -> str:
            start, name, value = match.groups()
            if not (is_secret(name) or IN_QUERIES.search(name)):
                return match[0]
            if is_told:
                self._removed(value)
                self._removed(unquote(value))
            return f"{start}{name}={REMOVED}"

        def url(match: re.Match[str]) -> str:
            who = (match[1] or "").removesuffix("@")
            if who and is_told:
                self._removed(who.rpartition(":")[2])
                self._removed(unquote(who.rpartition(":")[2]))
            return "://" + PAIR.sub(pair, match[2])

        return URL.sub(url, text)


def hiding(texts: Iterable[str]) -> re.Pattern[str] | None:
    """Return what finds any of some texts, the longest first; None where there are none."""
    longest = sorted(texts, key=lambda one: (-len(one), one))
    return re.compile("|".join(map(re.escape, longest))) if longest else None


def hide(value: Any, hidden: re.Pattern[str], depth: int = 0) -> Any:
    """Return a value in which no text holds a key; what is nested absurdly deep goes as a whole."""
    if isinstance(value, str):
        return hidden.sub(REMOVED, value)
    if depth > DEEPEST:
        return REMOVED
    if isinstance(value, Mapping):
        return {hide(key, hidden): hide(one, hidden, depth + 1) for key, one in value.items()}
    if isinstance(value, list):
        return [hide(one, hidden, depth + 1) for one in value]
    return value


def _tokens(value: str) -> Iterator[str]:
    """Yield what of a secret would be known again: all of it, and its parts that are no words."""
    for one in {value, *TOKEN.findall(value)}:
        is_word = one.isalpha() and (one.islower() or one.isupper() or one.istitle())
        if one not in REMOVED and (len(one) >= LONG or not is_word):
            yield one


def _is_schema(value: object) -> bool:
    """Tell whether an object describes a value instead of holding one."""
    if not isinstance(value, Mapping):
        return False
    named = value.get("type")
    is_type = isinstance(named, str) and named.lower() in SCHEMA_TYPES
    return is_type or any(key in value for key in SCHEMA_KEYS)


def _is_harmless(name: object, value: object) -> bool:
    if not isinstance(name, str) or not isinstance(value, str):
        return False
    return name == "type" or name.lower() in HEADERS


def _is_login(header: object) -> bool:
    return isinstance(header, str) and (is_secret(header) or "key" in header.lower())


def _text(name: object) -> str:
    return name if isinstance(name, str) else ""
