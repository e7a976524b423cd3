"""Ids of calls: those in the log stay, whatever a request calls the same calls now."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ..messages.message import Message
from ..messages.parts import Part, ToolResultPart, ToolUsePart
from .asked import Sent
from .identity import is_made


def other_names(message: Message, logged: Message) -> dict[str, str]:
    """Return under which ids the log has the calls of a message, where these differ."""
    calls, known = _calls(message), _calls(logged)
    if len(calls) != len(known):
        return {}
    pairs = zip(calls, known, strict=True)
    return {call.id: its.id for call, its in pairs if call.id != its.id}


def names_without_ids(
    sent: Sequence[Sent], logged: Callable[[int], Message | None], make: Callable[[], str]
) -> dict[str, str]:
    """Return ids for the calls of a request that came without any.

    Those that ``logged`` knows by their place have one already, others get one nobody else has.
    """
    names: dict[str, str] = {}
    for place, one in enumerate(sent):
        if not one.has_made_ids:
            continue
        known = logged(place)
        if known is None:
            calls = _calls(one.message)
            names |= {call.id: make() for call in calls if is_made(call, one.message)}
        else:
            names |= other_names(one.message, known)
    return names


def renamed(message: Message, names: Mapping[str, str]) -> Message:
    """Return a message with the ids that the log has for its calls and results."""
    if not names or not names.keys() & {*message.calls, *message.results}:
        return message
    return replace(message, content=tuple(_renamed(part, names) for part in message.parts))


def _calls(message: Message) -> list[ToolUsePart]:
    return [part for part in message.parts if isinstance(part, ToolUsePart)]


def _renamed(part: Part, names: Mapping[str, str]) -> Part:
    match part:
        case ToolUsePart(id=id) if id in names:
            return replace(part, id=names[id])
        case ToolResultPart(tool_use_id=id) if id in names:
            return replace(part, tool_use_id=names[id])
    return part
