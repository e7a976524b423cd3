"""Random conversations that formats are asked to hold, and what they must give back."""

from typing import Any

from hypothesis import strategies as st

from ctxtui.core import Conversation

TEXTS = st.text(min_size=1, max_size=20)
"""Anything, also escapes and signs that only some alphabets have."""
INPUTS = st.dictionaries(
    st.text(max_size=5),
    st.recursive(
        st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=2),
        max_leaves=3,
    ),
    max_size=3,
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)


def part_call(id: str, name: str, input: Any) -> dict[str, Any]:
    return {"type": "tool_use", "tool_use": {"id": id, "name": name, "input": input}}


def part_result(id: str, content: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_result": {"tool_use_id": id, "content": content}}


@st.composite
def exchanges(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Return messages that all formats can hold: texts, and calls with their results."""
    messages: list[dict[str, Any]] = []
    if draw(st.booleans()):
        messages.append({"role": "system", "content": draw(TEXTS)})
    for turn in range(draw(st.integers(1, 4))):
        messages.append({"role": "user", "content": draw(TEXTS)})
        ids = [f"id{turn}{i}" for i in range(draw(st.integers(0, 3)))]
        if ids:
            calls = [part_call(id, draw(TEXTS), draw(INPUTS)) for id in ids]
            messages.append({"role": "assistant", "content": calls})
            messages += [{"role": "tool", "content": [part_result(id, draw(TEXTS))]} for id in ids]
        messages.append({"role": "assistant", "content": draw(TEXTS)})
    return messages


def projection(conversation: Conversation, *, ids: bool = True) -> list[Any]:
    """Return who says what in a conversation; calls by their order where ids are of no account."""
    numbers: dict[str, int] = {}

    def named(id: str) -> Any:
        return id if ids else numbers.setdefault(id, len(numbers))

    shown: list[Any] = []
    for message in conversation.visible:
        for part in message.to_dict()["content"] if not isinstance(message.content, str) else ():
            part.pop("metadata", None)
            if part["type"] == "tool_use":
                part["tool_use"]["id"] = named(part["tool_use"]["id"])
            if part["type"] == "tool_result":
                part["tool_result"]["tool_use_id"] = named(part["tool_result"]["tool_use_id"])
            shown.append((message.role, part))
        if isinstance(message.content, str):
            shown.append((message.role, {"type": "text", "text": message.content}))
    return shown
