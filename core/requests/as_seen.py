"""A conversation as the model saw it at a call, with the provider's edits as operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..conversation.conversation import Conversation
from ..engine.calls import Call
from ..engine.messages import DataPart, Message, Part, ToolResultPart, ToolUsePart
from ..engine.operation import Operation
from ..engine.operations import Checkout, Compress, Delete, Replace
from ..engine.seen import HIDING, Seen, SentPiece
from ..errors import Refused
from ..values.frozen import FrozenDict, freeze_object

CLEARED = "[cleared by the provider]"


def as_seen(conversation: Conversation, call: Call) -> Conversation:
    """Return a copy that shows what the model saw of a call; refuse what is not known.

    What a provider cleared reads ``[cleared by the provider]``: its own wording is not known.
    """
    seen = conversation.seen(call)
    if seen.view is None:
        raise Refused(f"what the model saw is not known: {seen.why}", field="seen")
    copy = conversation.copy()
    copy.execute(Checkout(revision=call.revision))
    operations = seen_operations(copy, seen)
    if operations:
        copy.execute(operations)
    return copy


def seen_operations(conversation: Conversation, seen: Seen) -> list[Operation]:
    """Return what a provider did to what is visible, as operations."""
    hidden = _pieces(seen, HIDING)
    cleared = _pieces(seen, ("CLEAR_RESULTS",))
    emptied = _pieces(seen, ("CLEAR_INPUTS",))
    shown = {piece.piece.raw for piece in seen.view or ()}
    gone = [raw for raw in conversation.view if raw in hidden and raw not in shown]
    found: list[Operation] = []
    for raw in conversation.view:
        parts = [one.get(raw, ()) for one in (hidden, cleared, emptied)]
        if raw not in gone and any(parts):
            message = _edited(conversation.log[raw], *parts)
            found.append(Replace(indices=[raw], messages=[message]))
    about = f"as the provider showed it at request {seen.record}"
    summaries = [one for one in seen.view or () if one.shown in ("summary", "opaque")]
    made = [one for one in summaries if one.piece.raw is None]
    if gone and made:
        found.append(Compress(indices=gone, summary=_summary(made[-1].data), description=about))
    elif gone:
        found.append(Delete(indices=gone, description=about))
    return found


def _pieces(seen: Seen, kinds: Sequence[str]) -> dict[int, list[int | None]]:
    """Return the parts that edits of some kinds concern, by message; None is all of it."""
    pieces: list[SentPiece] = [
        piece for edit in seen.edits if edit.kind in kinds for piece in edit.pieces
    ]
    found: dict[int, list[int | None]] = {}
    for piece in pieces:
        if piece.raw is not None:
            found.setdefault(piece.raw, []).append(piece.part)
    if any(piece.raw is None and not piece.path.startswith("system") for piece in pieces):
        raise Refused("a part that the provider hid is not among what was sent", field="seen")
    return found


def _edited(
    message: Message,
    hidden: Sequence[int | None],
    cleared: Sequence[int | None],
    emptied: Sequence[int | None],
) -> Message:
    """Return a message without the parts that were hidden, and with placeholders."""
    parts: list[Part] = []
    for at, part in enumerate(message.parts):
        if at in hidden:
            continue
        if isinstance(part, ToolResultPart) and (at in cleared or None in cleared):
            parts.append(replace(part, content=CLEARED, metadata=None))
        elif isinstance(part, ToolUsePart) and (at in emptied or None in emptied):
            parts.append(replace(part, input=FrozenDict(), metadata=None))
        else:
            parts.append(part)
    return Message(message.role, tuple(parts), message.id, message.timestamp)


def _summary(data: Mapping[str, Any]) -> Message:
    """Return a compaction as a message: its text, or what only its provider can read."""
    text = data.get("content")
    if isinstance(text, str) and text:
        return Message("assistant", text)
    return Message("assistant", (DataPart(freeze_object(data, "summary")),))
