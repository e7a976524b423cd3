"""What a conversation shows, without what only a format noted: to compare across formats."""

from __future__ import annotations

from typing import Any

from ctxtui.core import Conversation
from ctxtui.core.engine.messages import Message, part_dict


def projected(conversation: Conversation) -> list[tuple[str, list[Any]]]:
    """Return roles and parts of the visible messages, without metadata.

    Results are said by the tool, whoever said them; empty texts say nothing.
    """
    return [(_role(message), _parts(message)) for message in conversation.visible]


def in_a_row(conversation: Conversation) -> list[Any]:
    """Return what is said, whatever the assistant says in a row taken together."""
    rows: list[Any] = []
    for role, parts in projected(conversation):
        if role == "assistant" and rows and rows[-1][0] == role:
            rows[-1] = (role, [*rows[-1][1], *parts])
        else:
            rows.append((role, parts))
    return rows


def _role(message: Message) -> str:
    only_results = len(message.results) == len(message.parts)
    return "tool" if message.role == "user" and only_results else message.role


def _parts(message: Message) -> list[Any]:
    found = [_bare(part_dict(part)) for part in message.parts]
    return [part for part in found if part != {"type": "text", "text": ""}]


def _bare(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _bare(value) for key, value in data.items() if key != "metadata"}
    return [_bare(item) for item in data] if isinstance(data, list) else data
