"""Secrets planted in calls of every kind: each place holds a value of its own, found nowhere else.

The places are made of tables: where an object is that takes a secret, what the secret is called,
and how it is written. Nothing here knows how secrets are found.
"""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any, NamedTuple
from urllib.parse import quote

from ctxtui.core.requests.exchange import Kind

Row = dict[str, Any]
PATHS: dict[Kind, str] = {
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "messages": "/v1/messages",
    "gemini": "/v1beta/models/m:generateContent",
    "ollama": "/api/chat",
}
SAID = "what a person said stays"
NAMES = (
    *("key", "pwd", "pin", "otp", "pat", "sig", "dsn", "webhook_url", "aws_access_key_id"),
    *("apiKeyString", "api_key", "API-KEY", "apiKey", "password", "token", "secret", "session"),
    *("x-api-key", "authorization", "cookie", "connectionString", "bearer", "jwt", "nonce"),
    *("value", "data", "note", "client", "ACCESS_TOKEN", "credentials", "hook", "account"),
)


def value_of(place: str, size: int = 28) -> str:
    """Return the secret of a place, which looks random and is the same each time."""
    made = base64.b64encode(sha256(place.encode()).digest()).decode()
    return made.replace("+", "p").replace("/", "s")[:size]


# How a secret is written under a name

WRITTEN: dict[str, Callable[[str, str], Any]] = {
    "text": lambda name, value: value,
    "list": lambda name, value: ["first", value],
    "nested": lambda name, value: {"inner": {"more": [{"x": value}]}},
    "variables": lambda name, value: [f"{name}={value}"],
    "pairs": lambda name, value: [{"name": name, "value": value}],
    "arguments": lambda name, value: ["--api-key", value, f"--api-key={value}"],
    "headers": lambda name, value: f"Authorization: Bearer {value}\nX-Other: y",
    "json": lambda name, value: json.dumps({"api_key": value}),
    "schema": lambda name, value: {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "env": {name: value},
    },
    "only properties": lambda name, value: {"properties": value, "password": value},
    "address": lambda name, value: f"https://me:{value}@example.com/p",
    "query": lambda name, value: f"https://example.com/p?page=1&{name}={value}",
    "path": lambda name, value: f"https://example.com/bot{value}/send",
    "dsn": lambda name, value: f"postgres://me:{value}@db:5432/x",
}
ENVELOPED = ("env", "args", "headers", "config", "x_settings", "server_env")
"""Names of fields that hold secrets in other ways than as a text."""


class Place(NamedTuple):
    """A place, and the secret that was planted there."""

    name: str
    value: str


# Where objects are that take a secret

Spots = dict[str, Row]


def _schema(name: str, value: str) -> Row:
    return {
        "type": "object",
        "properties": {
            "password": {"type": "string", "default": f"{value}"},
            "api_key": {"type": "string", "const": f"{value}"},
            "auth_token": {"type": "string", "examples": [value]},
            "plain": {"type": "string", "enum": ["red", value]},
            "nested": {"properties": {"secret": {"default": {"inner": value}}}},
        },
    }


def bodies(kind: Kind, schema: Row) -> tuple[Row, Row, Spots]:
    """Return a request and an answer of a kind, and the objects in them that take secrets."""
    tool: Row = {"name": "look", "description": "Look something up.", "parameters": schema}
    part: Row = {"type": "text", "text": SAID}
    message: Row = {"role": "user", "content": [part], "metadata": {}}
    server: Row = {"type": "url", "name": "s", "url": "https://example.com/mcp"}
    body: Row = {"model": "m", "metadata": {}, "extra_body": {}, "mcp_servers": [server]}
    usage: Row = {"total_tokens": 1}
    answer: Row = {"id": "a", "model": "m", "usage": usage, "provider_info": {}}
    spots: Spots = {
        "body": body,
        "metadata": body["metadata"],
        "extra_body": body["extra_body"],
        "server": server,
        "message": message,
        "message.metadata": message["metadata"],
        "part": part,
        "tool": tool,
        "usage": usage,
        "answer": answer,
        "answer info": answer["provider_info"],
    }
    spots |= OF_KIND[kind](body, answer, spots)
    return body, answer, spots


def _chat(body: Row, answer: Row, spots: Spots) -> Spots:
    said: Row = {"role": "assistant", "content": "yes"}
    choice: Row = {"index": 0, "message": said, "finish_reason": "stop"}
    answer["choices"] = [choice]
    return {**_rows(body, spots, "{}"), "answered": said, "choice": choice}


def _ollama(body: Row, answer: Row, spots: Spots) -> Spots:
    said: Row = {"role": "assistant", "content": "yes"}
    body["options"], answer["message"] = {"temperature": 0}, said
    return {**_rows(body, spots, {}), "answered": said, "options": body["options"]}


def _rows(body: Row, spots: Spots, arguments: Any) -> Spots:
    function: Row = {"name": "f", "arguments": arguments}
    call: Row = {"id": "c", "type": "function", "function": function}
    asks: Row = {"role": "assistant", "content": "", "tool_calls": [call]}
    result: Row = {"role": "tool", "tool_call_id": "c", "content": "found"}
    outer: Row = {"type": "function", "function": spots["tool"]}
    body |= {"messages": [spots["message"], asks, result], "tools": [outer]}
    found = {"outer tool": outer, "call": call, "function": function}
    return {**found, "result": result, "asks": asks}


def _responses(body: Row, answer: Row, spots: Spots) -> Spots:
    spots["tool"]["type"], spots["part"]["type"] = "function", "input_text"
    item: Row = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
    output: Row = {"type": "function_call_output", "call_id": "c", "output": "found"}
    text: Row = {"type": "output_text", "text": "yes"}
    said: Row = {"type": "message", "role": "assistant", "content": [text]}
    body |= {"input": [spots["message"], item, output], "tools": [spots["tool"]]}
    answer |= {"output": [said], "object": "response", "status": "completed"}
    return {"item": item, "output": output, "answered": said}


def _messages(body: Row, answer: Row, spots: Spots) -> Spots:
    tool = spots["tool"]
    tool["input_schema"] = tool.pop("parameters")
    use: Row = {"type": "tool_use", "id": "c", "name": "f", "input": {}}
    found: Row = {"type": "tool_result", "tool_use_id": "c", "content": "found"}
    said: Row = {"type": "text", "text": "yes"}
    body |= {"max_tokens": 5, "tools": [tool], "system": "Be kind."}
    body["messages"] = [
        spots["message"],
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [found]},
    ]
    answer |= {"type": "message", "role": "assistant", "content": [said]}
    return {"use": use, "result": found, "answered": said}


def _gemini(body: Row, answer: Row, spots: Spots) -> Spots:
    message = spots["message"]
    del spots["part"]["type"]
    message["parts"] = message.pop("content")
    asking: Row = {"functionCall": {"name": "f", "args": {}}}
    giving: Row = {"functionResponse": {"name": "f", "response": {"r": "found"}}}
    said: Row = {"text": "yes"}
    choice: Row = {"content": {"role": "model", "parts": [said]}, "finishReason": "STOP"}
    body["contents"] = [
        message,
        {"role": "model", "parts": [asking]},
        {"role": "user", "parts": [giving]},
    ]
    body["tools"] = [{"functionDeclarations": [spots["tool"]]}]
    body["generationConfig"] = {"temperature": 0}
    answer["candidates"] = [choice]
    found = {"choice": choice, "asking": asking, "call": asking["functionCall"]}
    return {**found, "giving": giving, "answered": said, "config": body["generationConfig"]}


OF_KIND: dict[Kind, Callable[[Row, Row, Spots], Spots]] = {
    "chat": _chat,
    "responses": _responses,
    "messages": _messages,
    "gemini": _gemini,
    "ollama": _ollama,
}
LEGAL = {
    # Names that are the provider's own there, with a meaning that is no secret.
    ("part", "data"),
    ("use", "data"),
    ("result", "data"),
    ("answered", "data"),
    ("asking", "data"),
    ("giving", "data"),
}


def planted(kind: Kind) -> tuple[Row, Row, list[Place]]:
    """Return a request and an answer of a kind with a secret in every place that can have one."""
    places: list[Place] = []

    def plant(*names: str) -> str:
        place = "/".join((kind, *names))
        places.append(Place(place, value_of(place)))
        return places[-1].value

    request, answer, spots = bodies(kind, _schema("schema", plant("schema")))
    for spot, holder in spots.items():
        for name in NAMES:
            if (spot, name) not in LEGAL and name not in holder:
                holder[name] = plant(spot, name)
        for name in ENVELOPED:
            for written, write in WRITTEN.items():
                holder[f"{name}_{written.replace(' ', '_')}"] = write(
                    "API_KEY", plant(spot, name, written)
                )
        holder["env"] = {name: plant(spot, "env", name) for name in NAMES}
        holder["headers"] = {"X-Any": plant(spot, "headers"), "Content-Type": "text/plain"}
        holder["server_url"] = f"https://u:{plant(spot, 'userinfo')}@example.com"
        holder["url"] = f"https://example.com/bot{plant(spot, 'bot')}/x?sig={plant(spot, 'sig')}"
        if spot in SAYING:
            holder["url"] = f"https://me:{plant(spot, 'me')}@example.com/x?sig={plant(spot, 'q')}"
    request["messages_file"] = {plant("a name"): 1}
    return request, answer, places


SAYING = (
    *("message", "part", "result", "answered", "asks", "use", "item", "output", "call"),
    *("function", "asking", "giving"),
)
"""Spots in what was said, where the path of an address is part of it."""

HEADERS = (
    *("Authorization", "X-Api-Key", "Api-Key", "Proxy-Authorization", "Cookie", "X-Unheard-Of"),
    *("x-goog-api-key", "OpenAI-Organization", "X-Tenant", "X-Auth", "Ocp-Apim-Subscription-Key"),
)
QUERIES = ("key", "access_token", "sig", "code", "x", "user")


# How a secret is written where it is repeated


def _each(form: str) -> Callable[[str], str]:
    return lambda value: "".join(form.format(ord(char)) for char in value)


REPEATED: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "percent": lambda value: quote(value, safe=""),
    "percent all": _each("%{:02X}"),
    "percent small": _each("%{:02x}"),
    "percent twice": lambda value: quote(quote(value, safe=""), safe=""),
    "base64": lambda value: base64.b64encode(value.encode()).decode(),
    "base64url": lambda value: base64.urlsafe_b64encode(value.encode()).decode().rstrip("="),
    "base64 within": lambda value: base64.b64encode(f"me:{value}!".encode()).decode(),
    "base64 within more": lambda value: base64.b64encode(f"you:{value}?".encode()).decode(),
    "hex": lambda value: value.encode().hex(),
    "HEX": lambda value: value.encode().hex().upper(),
    "json": json.dumps,
    "json in json": lambda value: json.dumps(json.dumps({"x": value})),
    "json all": _each("\\u{:04x}"),
    "html": html.escape,
    "html all": _each("&#{};"),
    "html hex": _each("&#x{:x};"),
    "quoted-printable": lambda value: (
        f"{quote(value[:9], safe='').replace('%', '=')}=\n{value[9:]}"
    ),
    "quoted-printable all": _each("={:02X}"),
    "python": _each("\\x{:02x}"),
    "PYTHON": _each("\\x{:02X}"),
    "base64 in an address": lambda value: quote(base64.b64encode(value.encode()).decode(), safe=""),
    "base64 in lines": lambda value: base64.encodebytes(f"{'x' * 40}{value}!".encode()).decode(),
    "base64 in lines, in json": lambda value: json.dumps(
        base64.encodebytes(f"{'x' * 50}{value}!".encode()).decode()
    ),
}
AWKWARD = "a+b/c=d&e<f>\"g'h\\i-"
"""Signs that each encoding writes in another way; every secret that is repeated has them."""


def repeated(kind: Kind) -> Iterator[tuple[str, str, str]]:
    """Yield ways to repeat a secret: the name of the way, a secret, and how it is repeated."""
    for name, write in REPEATED.items():
        value = value_of(f"{kind}/repeated/{name}", 18) + AWKWARD
        yield name, value, write(value)


HALF = 9


def forms_of(value: str) -> list[bytes]:
    """Return all that a secret is searched as in what is stored."""
    found = [write(value) for write in REPEATED.values()]
    for offset in ("", "x", "xy"):
        packed = base64.b64encode((offset + value).encode()).decode()
        found.append(packed[4:-4])
    found += [value[:HALF], value[HALF : 2 * HALF]]
    found += [json.dumps(one)[1:-1] for one in found]
    return [one.encode() for one in dict.fromkeys(found)]
