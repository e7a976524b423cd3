"""Other fields: what a file holds in addition to its messages, settings, tools and title.

They are ``meta.fields``, in the file's own order. Version 0.1 stored them under the key of a format
(``meta.openai``), among its notes of the file's layout; they are read from there, too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

FIELDS = "fields"
"""The key of a conversation's meta that has its other fields."""
SCRIPT = "script"
"""The key of meta with the steps of the script that made the conversation."""
LINES = "lines"
"""The field of a transcript with its lines that are no messages, each with its number."""
WEB_LINES = "loglines"
"""The same in a web export of Claude Code, which has fields of its own in addition to its lines."""

TRANSCRIPTS = (
    *("claude-code", "codex", "gemini-cli", "qwen-code", "pi", "opencode", "copilot", "cline"),
    *("cursor", "goose", "openhands", "aider", "atif"),
)
"""The formats whose files have such lines."""

Row = dict[str, Any]
Leaf = str | int | float | bool | None
Parted = tuple[Row, Row]
"""The other fields in a format's notes, and what only describes the layout of its file."""
FieldPath = tuple[str | int, ...]
NODE = {"id", "message", "parent", "children"}


def other_fields(meta: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the other fields of a conversation, in order, wherever its meta has them."""
    own = meta.get(FIELDS, {})
    found = own if isinstance(own, Mapping) else {FIELDS: own}
    old = {name: value for key in _noted(meta) for name, value in parted(key, meta[key])[0].items()}
    return {**old, **found} if old else found


def with_fields(meta: Mapping[str, Any], fields: Mapping[str, Any]) -> Row:
    """Return the entries of meta to change so that these are all the other fields."""
    entries: Row = {FIELDS: dict(fields) or None}
    for key in _noted(meta):
        old, layout = parted(key, meta[key])
        if old:
            entries[key] = layout
    return entries


def field_texts(meta: Mapping[str, Any]) -> Iterator[tuple[FieldPath, str]]:
    """Yield every text of the other fields, with the keys and numbers that lead to it."""
    yield from texts_below(other_fields(meta))


def texts_below(value: Any) -> Iterator[tuple[FieldPath, str]]:
    """Yield every text of a JSON value, with the keys and numbers that lead to it."""
    for path, leaf in leaves(value):
        if isinstance(leaf, str):
            yield path, leaf


def leaves(value: Any, path: FieldPath = ()) -> Iterator[tuple[FieldPath, Leaf]]:
    """Yield every text, number, true, false and null of a JSON value, with its path."""
    if isinstance(value, Mapping):
        inner: Iterable[tuple[str | int, Any]] = value.items()
    elif isinstance(value, tuple | list):
        inner = enumerate(value)
    else:
        yield path, value
        return
    for step, item in inner:
        if isinstance(item, Mapping | tuple | list):
            yield from leaves(item, (*path, step))
        else:
            yield (*path, step), item


def value_text(value: Any) -> str:
    """Return the value of a field as text: itself, or a line for each value in it."""
    if not isinstance(value, Mapping | tuple | list):
        return leaf_text(value)
    rows: list[str] = []
    _add_rows(value, "", rows)
    return "\n".join(rows)


def _add_rows(value: Any, name: str, rows: list[str]) -> None:
    """Add a row for each value in another one; a transcript may have a hundred thousand."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            _add_rows(item, f"{name}.{key}" if name else key, rows)
    elif isinstance(value, tuple | list):
        for number, item in enumerate(value):
            _add_rows(item, f"{name}[{number}]", rows)
    else:
        rows.append(f"{name}: {leaf_text(value)}")


def leaf_text(leaf: Leaf) -> str:
    """Return a text as it is, and anything else as JSON writes it."""
    return leaf if isinstance(leaf, str) else json.dumps(leaf)


def path_name(path: FieldPath) -> str:
    """Return a path as people write it: ``checks[0].name``."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).removeprefix(".")


def parted(key: str, notes: Mapping[str, Any]) -> Parted:
    """Return the other fields among the notes of a format, and the rest of the notes."""
    part = PARTED.get(key)
    return ({}, dict(notes)) if part is None else part(notes)


def _noted(meta: Mapping[str, Any]) -> Iterator[str]:
    for key in PARTED:
        if isinstance(meta.get(key), Mapping):
            yield key


def _all_but(*layout: str) -> Callable[[Mapping[str, Any]], Parted]:
    """Return how to split notes of which some keys describe the layout."""

    def part(notes: Mapping[str, Any]) -> Parted:
        fields = {key: value for key, value in notes.items() if key not in layout}
        return fields, {key: value for key, value in notes.items() if key in layout}

    return part


def _of_items(notes: Mapping[str, Any]) -> Parted:
    """Part the notes of Responses: the key that had the items says whether they were a text."""
    holders = ("output", "input", "data")
    holder = next((key for key in holders if notes.get(key) in ("items", "text")), "")
    return _all_but(holder)(notes)


def _of_tree(notes: Mapping[str, Any]) -> Parted:
    """Part the notes of ChatGPT's export, which have its nodes without a message among them."""
    fields, layout = _all_but("mapping", "end")(notes)
    nodes = notes.get("mapping")
    if isinstance(nodes, Mapping):
        said = {key: node for key, node in nodes.items() if not is_bare_node(node)}
        layout["mapping"] = {key: node for key, node in nodes.items() if key not in said}
        fields |= {"mapping": said} if said else {}
    return fields, layout


def is_bare_node(node: object) -> bool:
    """Return whether a node of a tree only names its parent."""
    if not isinstance(node, Mapping):
        return node is None
    return node.get("message") is None and node.keys() <= NODE


def _of_chain(notes: Mapping[str, Any]) -> Parted:
    """Split the notes of LangChain, which have the other fields under one key."""
    beside = notes.get("beside")
    if not isinstance(beside, Mapping):
        return {}, dict(notes)
    return dict(beside), {**notes, "beside": {}}


def _of_lines(notes: Mapping[str, Any]) -> Parted:
    """Split the notes of a transcript: its other lines, and the fields of a web export."""
    fields: Row = {}
    layout = {key: value for key, value in notes.items() if key != "others"}
    web = notes.get("web")
    if isinstance(web, Mapping):
        fields, layout["web"] = dict(web), {}
    if notes.get("others"):
        fields[WEB_LINES if isinstance(web, Mapping) else LINES] = notes["others"]
    return fields, layout


PARTED: dict[str, Callable[[Mapping[str, Any]], Parted]] = {
    "openai": _all_but(),
    "hf": _all_but("messages", "tools"),
    "alpaca": _all_but("tools"),
    "sharegpt": _all_but("conversations", "tools", "answers"),
    "anthropic": _all_but("messages"),
    "gemini": _all_but("contents", "spelling", "tools"),
    "responses": _of_items,
    "chatgpt": _of_tree,
    "langchain": _of_chain,
    "langgraph": _all_but(),
    "claude-code": _of_lines,
    "codex": _of_lines,
    "inspect": _all_but(),
    "otel": _all_but(),
    "swe-agent": _all_but(),
    "tau-bench": _all_but(),
}
"""How the notes of each format are split, by their key."""
