"""Detection: what kind of data this is, also of kinds that no format reads.

A kind is known by what only its files have. A format names the kinds it reads in ``kinds``; the
others are refused by name, so that half a conversation is not taken for all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice

from ..errors import format_value
from .fields import ROLES, is_object

ANTHROPIC = "an Anthropic conversation"
ANTHROPIC_ANSWER = "an Anthropic answer, without the messages that were sent"
RESPONSES = "OpenAI Responses items"
GEMINI = "a Gemini conversation"
SHAREGPT = "ShareGPT data"
HUGGING_FACE = "Hugging Face messages with parts"
LANGCHAIN = "LangChain messages"
COMPLETION = "an OpenAI chat completion, the answer without the messages that were sent"
CHATS = "a data set of chats"
DATA_ROWS = "rows of training data"
BARE_CODEX = "items of a Codex session, without the line that it begins with"

CHAT_ONLY = ("system", "developer", "tool", "function")
"""Roles that chat has and Anthropic has not."""
LANGCHAIN_TYPES = ("human", "ai", "HumanMessageChunk", "AIMessageChunk")
"""Types of messages that no other format has."""
MISSING = object()
"""Stands in a shape for a key that must not be there."""
ONLY = object()
"""A key of a shape that says that there are no further keys."""


def among(*values: object) -> Callable[[object], bool]:
    """Return the shape of one of some values."""
    return lambda data: isinstance(data, str | None) and data in values


def starts(prefix: str) -> Callable[[object], bool]:
    """Return the shape of a text that begins with another."""
    return lambda data: isinstance(data, str) and data.startswith(prefix)


def some(shape: object) -> Callable[[object], bool]:
    """Return the shape of a list of which one of the first items has a shape."""
    return lambda data: (
        isinstance(data, list) and any(_fits(one, shape) for one in data[:FIRST_LINES])
    )


def each(shape: object) -> Callable[[object], bool]:
    """Return the shape of a list whose first items all have a shape."""
    return lambda data: (
        isinstance(data, list)
        and bool(data)
        and all(_fits(one, shape) for one in data[:FIRST_LINES])
    )


LANGCHAIN_TYPE = among(
    *LANGCHAIN_TYPES, "system", "tool", "function", "chat", "developer", "remove"
)
SHAPES: list[tuple[str, object]] = [
    (SHAREGPT, {"conversations": [{"from": object, "value": object}]}),
    (DATA_ROWS, {"chosen": object, "rejected": object}),
    (DATA_ROWS, {"chosen_messages": list, "rejected_messages": list}),
    (DATA_ROWS, {"response_chosen": object, "response_rejected": object}),
    (DATA_ROWS, {"preferred_output": list, "non_preferred_output": list}),
    (DATA_ROWS, {"instruction": object, "completions": list}),
    (DATA_ROWS, {"instruction": str, "context": str, "response": str}),
    (DATA_ROWS, {"prompt": object, "completions": list, "labels": list}),
    (DATA_ROWS, {"prompt": object, "completion": object}),
    (DATA_ROWS, {"messages": list, "label": bool}),
    (DATA_ROWS, {"messages": list, "kto_tag": bool}),
    (DATA_ROWS, {"input": list, "ideal": object}),
    (LANGCHAIN, {"lc": object, "kwargs": dict}),
    (LANGCHAIN, {"type": LANGCHAIN_TYPE, "data": {"content": object}}),
    (GEMINI, {"contents": [{"parts": list}]}),
    (ANTHROPIC_ANSWER, {"type": "message", "content": list, "stop_reason": object}),
    (COMPLETION, {"object": "chat.completion"}),
    (RESPONSES, {"object": "response"}),
    (RESPONSES, {"input": list}),
    (RESPONSES, {"model": str, "input": str}),
    (
        BARE_CODEX,
        {
            "timestamp": str,
            "type": among("tool_call", "tool_result", "function_call", "function_call_output"),
            "payload": MISSING,
            "message": MISSING,
        },
    ),
    (RESPONSES, {"object": "list", "data": [{"type": "message", "role": object}]}),
]
"""What a whole file, a conversation among several or a line has that no other kind has.

Formats add the ``signs`` of their own.
"""
ANTHROPIC_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")
ANTHROPIC_RESULTS = (
    *("tool_result", "mcp_tool_result", "web_search_tool_result", "web_fetch_tool_result"),
    *("code_execution_tool_result", "bash_code_execution_tool_result"),
    *("text_editor_code_execution_tool_result", "tool_search_tool_result"),
)
PART_SHAPES: dict[str, tuple[str, object]] = {
    **dict.fromkeys(ANTHROPIC_CALLS, (ANTHROPIC, {"id": object, "input": object})),
    **dict.fromkeys(ANTHROPIC_RESULTS, (ANTHROPIC, {"tool_use_id": object})),
    "thinking": (ANTHROPIC, {"thinking": str}),
    "redacted_thinking": (ANTHROPIC, {"data": str}),
    "image": (ANTHROPIC, {"source": dict}),
    "document": (ANTHROPIC, {"source": dict}),
    "search_result": (ANTHROPIC, {"source": str}),
    "container_upload": (ANTHROPIC, {"file_id": str}),
    "input_text": (RESPONSES, object),
    "output_text": (RESPONSES, object),
    "text": (HUGGING_FACE, {"value": object}),
    "reasoning": (HUGGING_FACE, {"value": object}),
    "tool_call": (HUGGING_FACE, {"value": object}),
}
"""What a part of a message, by its type, has that chat and our own parts lack."""
FIRST = 20
"""Items of a list that its kind is detected by."""
FIRST_LINES = 50
"""Items of a list, or lines, one of which may have what is sure to be of one program."""
MOST_KEYS = 5
"""Keys of an object that are named."""

Judge = Callable[[object], str | None]
_found: ContextVar[dict[tuple[object, ...], tuple[object, str | None]] | None] = ContextVar(
    "_found", default=None
)
"""Data with its kind, by identity; it is held there, so that no other can get its identity."""


@contextmanager
def cached_detection() -> Iterator[None]:
    """Detect the kind of the same data only once, since every format asks for it."""
    before = _found.set({})
    try:
        yield
    finally:
        _found.reset(before)


def detect_kind(data: object) -> str | None:
    """Return what kind of foreign data this is, or None if it is unknown."""
    return _once(_recognised, data)


def _once(judge: Judge, data: object) -> str | None:
    """Return what is judged of data; of two lists of the same values only once."""
    found = _found.get()
    if found is None:
        return judge(data)
    key: tuple[object, ...] = judge, id(data)
    if key not in found:
        same = key
        if isinstance(data, list):
            same = judge, len(data), *map(id, data[:FIRST_LINES])
        found[key] = data, found[same][1] if same in found else judge(data)
        found.setdefault(same, found[key])
    return found[key][1]


def _recognised(data: object) -> str | None:
    items = data if isinstance(data, list) else [data]
    return sure_kind(data) or _first(map(_item_kind, items[:FIRST])) or _messages_kind(data)


_sure: dict[str, list[tuple[int, str, object]]] = {}
"""Sure signs by their first key, each with its number; those of lists under no key."""


def sure_signs(signs: Iterable[tuple[str, object]]) -> None:
    """Add shapes that only one kind of file has: one is enough to know it by.

    The first key of a shape should be a rare one; a shape that is no object is one of a list.
    """
    for kind, shape in signs:
        key = next(iter(shape)) if isinstance(shape, dict) else ""
        number = sum(map(len, _sure.values()))
        _sure.setdefault(key, []).append((number, kind, shape))


def sure_kind(data: object) -> str | None:
    """Return what data certainly is, by one of its values or lines; None where that is unknown.

    Of several kinds the one whose sign was added first counts.
    """
    return _once(_surely, data)


def _surely(data: object) -> str | None:
    found: list[tuple[int, str]] = []
    if isinstance(data, list):
        for one in data[:FIRST_LINES]:
            found += _sure_of(one)
    found += _sure_of(data)
    return min(found)[1] if found else None


def is_script(data: object) -> bool:
    """Return whether data looks like a script, and not like what else has steps."""
    return is_object(data) and "steps" in data and sure_kind(data) is None


def _sure_of(value: object) -> Iterator[tuple[int, str]]:
    if is_object(value):
        keys: Iterable[str] = _sure.keys() & value.keys()
    else:
        keys = ("",) if isinstance(value, list) and "" in _sure else ()
    for key in keys:
        for number, kind, shape in _sure[key]:
            if _fits(value, shape):
                yield number, kind


def describe(data: object) -> str:
    """Return in a few words what data is, where its kind is unknown."""
    match data:
        case str():
            return "a text"
        case list() if data:
            nouns = {_noun(item) for item in data}
            noun = nouns.pop() if len(nouns) == 1 else "value"
            first = f", the first with {_keys(data[0])}" if noun == "object" else ""
            return f"a list of {len(data):,} {noun}{'' if len(data) == 1 else 's'}{first}"
        case Mapping() if data:
            return f"an object with {_keys(data)}"
    return format_value(data)


def _item_kind(item: object) -> str | None:
    """Return the kind of a whole file, of a conversation among several, or of a line."""
    return _first(
        kind
        for kind, shape in SHAPES
        if _fits(item, shape) and not (kind == SHAREGPT and has_chat(item))
    )


def has_chat(item: object) -> bool:
    """Return whether an object has chat messages; other rows next to them are a copy."""
    rows = item.get("messages") if is_object(item) else None
    if not isinstance(rows, list):
        return False
    roles = (row.get("role") for row in _objects(rows))
    return any(isinstance(role, str) and role in ROLES for role in roles)


def _messages_kind(data: object) -> str | None:
    """Return the kind of messages: in a list, in an object, or in an object for each of several."""
    match data:
        case {"messages": list(rows)}:
            return _beside_kind(data, rows) or _first(map(_message_kind, rows))
        case {"type": "message", "role": "assistant", "content": list()}:
            kind = _message_kind(data)
            return ANTHROPIC_ANSWER if kind in (None, ANTHROPIC) else kind
        case {"role": str(), "content": _} | {"type": str(), "content": _}:
            return _message_kind(data)
        case [{"messages": list()}, *_]:
            return _first(map(_messages_kind, data[:FIRST])) or CHATS
        case list():
            return _first(map(_message_kind, data))
    return None


def _beside_kind(data: object, rows: list[object]) -> str | None:
    """Return the kind of a request by the keys next to its messages."""
    match data:
        case {"tools": list(tools)} if any("input_schema" in tool for tool in _objects(tools)):
            return ANTHROPIC
        case {"system": str() | list() as prompt} if prompt and not _is_chat(rows):
            return ANTHROPIC
        case {"anthropic_version": _} | {"stop_sequences": _} if not _is_chat(rows):
            return ANTHROPIC
        case {"model": str(model)} if model.startswith("claude") and not _is_chat(rows):
            return ANTHROPIC
    return None


def _is_chat(rows: list[object]) -> bool:
    """Return whether messages are chat's, whatever keys are next to them."""
    return any(row.get("role") in CHAT_ONLY or "tool_calls" in row for row in _objects(rows))


def _message_kind(row: object) -> str | None:
    if not is_object(row):
        return None
    if "parts" in row and "content" not in row:
        return GEMINI
    if "role" not in row:
        is_flat = "content" in row and row.get("type") in LANGCHAIN_TYPES
        if is_flat or any(_fits(row, shape) for kind, shape in SHAPES if kind == LANGCHAIN):
            return LANGCHAIN
    if "role" not in row and ("call_id" in row or row.get("type") == "reasoning"):
        return RESPONSES
    content = row.get("content")
    return _first(map(_part_kind, content)) if isinstance(content, list) else None


def _part_kind(part: object) -> str | None:
    type = part.get("type") if is_object(part) else None
    if not isinstance(type, str) or type not in PART_SHAPES:
        return None
    kind, shape = PART_SHAPES[type]
    return kind if _fits(part, shape) else None


def _fits(data: object, shape: object) -> bool:
    """Return whether data has a shape; a list has that of its first item."""
    match shape:
        case type():
            return isinstance(data, shape)
        case dict():
            return (
                is_object(data)
                and all(_fits_under(data, key, inner) for key, inner in shape.items())
                and (ONLY not in shape or data.keys() <= shape.keys())
            )
        case [first]:
            return isinstance(data, list) and bool(data) and _fits(data[0], first)
        case _ if callable(shape):
            return bool(shape(data))
    return data == shape


def _fits_under(data: Mapping[str, object], key: object, shape: object) -> bool:
    if shape is MISSING:
        return key not in data
    return key is ONLY or (key in data and _fits(data[key], shape))  # type: ignore[index]


def _objects(items: list[object]) -> Iterator[Mapping[str, object]]:
    return filter(is_object, items)


def _first(kinds: Iterable[str | None]) -> str | None:
    return next((kind for kind in kinds if kind is not None), None)


def _keys(data: Mapping[object, object]) -> str:
    """Return the keys of an object as a sentence may name them."""
    if not data:
        return "no keys"
    names = ", ".join(map(format_value, islice(data, MOST_KEYS)))
    more = len(data) - MOST_KEYS
    return f"the key{'s' if len(data) > 1 else ''} {names}" + (f" and {more} more" * (more > 0))


def _noun(value: object) -> str:
    match value:
        case str():
            return "text"
        case bool() | None:
            return "value"
        case int() | float():
            return "number"
        case Mapping():
            return "object"
    return "list" if isinstance(value, list) else "value"
