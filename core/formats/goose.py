"""Goose: sessions as lines or as an export; what the agent no longer sees is hidden."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..engine.messages import Message, Part, ThinkingPart
from .agents import TEXT, THINKING, ImageBlocks, TranscriptBuilder, call, message, result
from .base import Format, Layout, Loaded, ReadOnly
from .fields import is_object
from .format_metadata import FormatMetadata, without
from .source import Source
from .transcripts import compaction, hiding

NOTES = FormatMetadata("goose")
BLOCKS = ImageBlocks(NOTES, {"text": TEXT, "thinking": THINKING})
FOR_PEOPLE = (
    *("systemNotification", "conversationCompacted", "toolConfirmationRequest"),
    *("actionRequired", "contextLengthExceeded", "summarizationRequested"),
)
"""Parts that only people see."""


class Goose(ReadOnly, Format):
    """The messages of a session; what was compacted is hidden behind its summary."""

    name = NOTES.key
    about = "a Goose session"
    kinds = ("a Goose session",)
    sure_signs = (
        {"created": int, "role": str, "content": list},
        {"working_dir": str, "conversation": object},
        {"working_dir": str, "message_count": int},
    )
    many = False

    def read(self, source: Source) -> Iterator[Loaded]:
        builder = TranscriptBuilder(NOTES, source.collector)
        layout = Layout.ITEMS if source.is_lines else Layout.DOCUMENT
        hidden: list[str] = []
        for number, row in _rows(source, builder):
            if not isinstance(row.get("role"), str) or not isinstance(row.get("content"), list):
                builder.other(number, row)
                continue
            found = builder.read(number, row, lambda: _messages(number, row, builder))  # noqa: B023
            shown = row.get("metadata")
            is_hidden = is_object(shown) and shown.get("agentVisible") is False
            is_summary = is_object(shown) and shown.get("userVisible") is False and not is_hidden
            act = compaction("compaction", hides=hidden) if is_summary and hidden else None
            for one in found:
                name = builder.add([one], line=number, act=act)
                hidden += [name] if is_hidden else []
                act = None
            if is_summary:
                hidden = []
        if hidden:
            builder.add(act=hiding("hidden from the agent", hidden))
        if builder.has_messages:
            yield Loaded(builder.conversation(), self.name, layout=layout)


def _rows(source: Source, builder: TranscriptBuilder) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the messages of a file, whether they are its lines or a list in its document."""
    document = None if source.is_lines else source.document()
    if not is_object(document) or "conversation" not in document:
        yield from source.rows()
        return
    builder.fields = without(document, "conversation")
    named = document.get("name", document.get("description"))
    builder.title = named if isinstance(named, str) else None
    given = document["conversation"]
    rows = given.get("messages") if is_object(given) else given
    for number, row in enumerate(rows if isinstance(rows, list) else (), 1):
        if is_object(row):
            yield number, row


def _messages(number: int, row: Mapping[str, Any], builder: TranscriptBuilder) -> list[Message]:
    """Return the message of a row, and one for each result that is in it."""
    time = row.get("created")
    parts: list[Part] = []
    results: list[Message] = []
    rest: list[Any] = []
    for place, block in enumerate(row["content"]):
        match block:
            case {"type": str(type)} if type in FOR_PEOPLE:
                rest.append(block)
            case {"type": "toolRequest" | "frontendToolRequest", "toolCall": Mapping() as use}:
                value = use.get("value")
                value = value if is_object(value) else {}
                id = block.get("id")
                made = id if isinstance(id, str) else f"call_{number}_{place}"
                notes = {
                    "block": {**without(block, "id", "toolCall"), "call": without(use, "value")}
                }
                name, given = value.get("name", "unreadable"), value.get("arguments", {})
                parts.append(call(NOTES, made, name, given, **notes))
            case {"type": "toolResponse", "id": str(id), "toolResult": Mapping() as given}:
                results.append(_result(id, given, number, builder, time))
            case {"type": "redactedThinking"}:
                parts.append(ThinkingPart("", None, NOTES.frozen({"block": block})))
            case _:
                parts.append(BLOCKS.read_one(block, place, number, builder.warnings))
    notes = {"row": {**without(row, "content"), **({"content": rest} if rest else {})}}
    role: Any = "assistant" if row["role"] == "assistant" else "user"
    if not parts and results:
        first, *others = results
        return [message(NOTES, "tool", first.parts, notes, time, row.get("id")), *others]
    if not parts and rest:
        builder.other(number, row)
        return []
    return [message(NOTES, role, parts, notes, time, row.get("id")), *results]


def _result(
    id: str, given: Mapping[str, Any], number: int, builder: TranscriptBuilder, time: object
) -> Message:
    value = given.get("value", given.get("error"))
    is_error = given.get("status") == "error"
    if is_object(value) and isinstance(value.get("content"), list):
        is_error = is_error or value.get("isError") is True
        value = value["content"]
    return result(
        NOTES,
        id,
        value,
        is_error=is_error,
        time=time,
        read=lambda blocks: BLOCKS.read(blocks, number, builder.warnings),
    )
