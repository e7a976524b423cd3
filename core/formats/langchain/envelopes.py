"""Envelopes: the three ways in which LangChain writes a message, around the same body.

``messages_to_dict`` gives ``{type: "human", data}``; ``dumpd`` gives the name of a class with
``kwargs``; a message that is dumped by itself, as LangGraph servers do, has its type in the body.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ...errors import not_a
from ...values.roles import Role
from ..notes import without
from ..roles import core_role

TO_DICT = "messages_to_dict"
DUMPD = "dumpd"
FLAT = "flat"

TYPES: dict[Role, str] = {"system": "system", "user": "human", "assistant": "ai", "tool": "tool"}
CLASSES: dict[Role, str] = {
    "system": "SystemMessage",
    "user": "HumanMessage",
    "assistant": "AIMessage",
    "tool": "ToolMessage",
}
CHAT = "chat"
"""The kind of messages that say their role themselves."""
WORDS: dict[str, Role] = {"human": "user", "ai": "assistant"}
"""What LangChain calls otherwise than everybody else."""


class Opened(NamedTuple):
    """A message out of its envelope: what was written around the body, and the body."""

    shape: str
    outer: dict[str, Any]
    body: dict[str, Any]

    @property
    def kind(self) -> str:
        """Return the word for what the message is: human, ai, tool."""
        return kind_of(self.outer)


def open_row(row: Any) -> Opened:
    """Return a message out of its envelope, or refuse it."""
    match row:
        case {"lc": _, "id": [*_, str()], "kwargs": Mapping() as body}:
            return Opened(DUMPD, without(row, "kwargs"), dict(body))
        case {"type": str(), "data": Mapping() as body}:
            return Opened(TO_DICT, without(row, "data"), dict(body))
        case {"type": str(type), "content": _}:
            return Opened(FLAT, {"type": type}, without(row, "type"))
    raise not_a("message", row, "a LangChain message with a type and data, or of a class")


def kind_of(outer: Mapping[str, Any]) -> str:
    """Return the word for what an envelope holds; chunks of a message are one."""
    names = outer.get("id")
    word = names[-1] if "lc" in outer and isinstance(names, list) and names else outer.get("type")
    if not isinstance(word, str):
        return ""
    return word.removesuffix("Chunk").removesuffix("Message").casefold()


def role_of(outer: Mapping[str, Any], body: Mapping[str, Any]) -> Role:
    """Return core's role for a message; one of the kind chat says its role itself."""
    kind = kind_of(outer)
    if kind == CHAT and isinstance(body.get("role"), str):
        kind = body["role"]
    return WORDS.get(kind) or core_role(kind)


def says(body: Mapping[str, Any], role: Role) -> bool:
    """Tell whether the type within a body, if it has one, is that of a role."""
    type = body.get("type")
    return not isinstance(type, str) or role_of({"type": type}, body) == role


def usual_outer(shape: str, role: Role, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return what stands around a body of some role where nothing else was noted.

    A tool's message must tell of which call; one that does not is of the kind chat.
    """
    is_loose = role == "tool" and "tool_call_id" not in body
    if shape == DUMPD:
        names = ["langchain", "schema", "messages", "ChatMessage" if is_loose else CLASSES[role]]
        return {"lc": 1, "type": "constructor", "id": names}
    return {"type": CHAT if is_loose else TYPES[role]}


def close_row(shape: str, outer: Mapping[str, Any], body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message in its envelope."""
    match shape:
        case "dumpd":
            return {**outer, "kwargs": body}
        case "flat":
            return {**body, **outer}
    return {**outer, "data": body}
