"""Pi, OpenClaw and oh-my-pi: sessions as trees of lines, with compactions and labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..engine.messages import Message, ThinkingPart, ToolUsePart
from .agents import TEXT, ImageBlocks, TranscriptBuilder, message, result, texts_in
from .base import Format, Layout, Loaded, ReadOnly
from .detection import MISSING
from .fields import is_object, read_timestamp
from .format_metadata import FormatMetadata, PartField, Shape, without
from .source import Source
from .transcripts import Row, compaction
from .usage import UsageKeys, call_of

NOTES = FormatMetadata("pi")
BLOCKS = ImageBlocks(
    NOTES,
    {
        "text": TEXT,
        "thinking": Shape(
            ThinkingPart,
            {
                "type": "thinking",
                "thinking": PartField("text"),
                "thinkingSignature": PartField("signature", "optional"),
            },
        ),
        "toolCall": Shape(
            ToolUsePart,
            {
                "type": "toolCall",
                "id": PartField("id"),
                "name": PartField("name"),
                "arguments": PartField("input", "value"),
            },
        ),
    },
)
USAGE = UsageKeys(("input", "cacheRead", "cacheWrite"), ("output",), "cacheRead", "cacheWrite")
SUMMARY = (
    "The conversation history before this point was compacted into the following summary:\n\n"
    "<summary>\n{}\n</summary>"
)
"""How Pi sends the summary of a compaction."""
SAID_BY_USER = {"user": "content", "custom": "content", "branchSummary": "summary"}
"""The roles of messages that are sent as the user's, and the key of what they say."""


class Pi(ReadOnly, Format):
    """A tree of lines; the last one is the current leaf."""

    name = NOTES.key
    about = "a session of Pi, OpenClaw or oh-my-pi"
    kinds = ("a Pi session",)
    sure_signs = ({"cwd": str, "type": "session", "id": str, "trace_id": MISSING},)
    many = False

    def read(self, source: Source) -> Iterator[Loaded]:
        reader = _PiReader(source)
        for number, row in source.rows():
            reader.add(number, row)
        if reader.builder.has_messages:
            yield Loaded(reader.builder.conversation(), self.name, layout=Layout.ITEMS)


class _PiReader:
    def __init__(self, source: Source) -> None:
        self.builder = TranscriptBuilder(NOTES, source.collector)
        self._parents: dict[str, str | None] = {}
        self._calls: dict[str, str] = {}
        """The lines that hold calls, by the ids of these."""
        self._session: object = None

    def add(self, number: int, row: Mapping[str, Any]) -> None:
        kind, id = row.get("type"), row.get("id")
        if kind == "session":
            self._session = id
            self.builder.other(number, row)
            return
        name = id if isinstance(id, str) and id else f"line {number}"
        parent = self._parent(row)
        found: list[Message] = []
        act, calls = None, list[Row]()
        match row:
            case {"type": "message", "message": Mapping() as said}:
                found = self.builder.read(number, row, lambda: self._messages(number, row, said))
                calls = self._usage(row, said) if found else []
            case {"type": "custom_message"}:
                found = self.builder.read(number, row, lambda: [self._said(row, row, "content")])
            case {"type": "branch_summary", "summary": str()}:
                found = [self._said(row, row, "summary")]
            case {"type": "compaction", "summary": str(summary)}:
                notes = {"line": row}
                text = SUMMARY.format(summary)
                found = [message(NOTES, "user", text, notes, row.get("timestamp"), name)]
                act = compaction("compaction", self._kept(parent, row.get("firstKeptEntryId")))
            case _:
                self._note(number, row)
        self._parents[name] = parent
        self.builder.add(found, name=name, follows=parent, line=number, act=act, calls=calls)

    def _parent(self, row: Mapping[str, Any]) -> str | None:
        """Return the line that a line follows; some name a call, or the session itself."""
        given = row.get("parentId")
        if given is None or given == self._session:
            return self.builder.at if "parentId" not in row else None
        if isinstance(given, str) and given not in self._parents:
            return self._calls.get(given, given)
        return given if isinstance(given, str) else self.builder.at

    def _kept(self, at: str | None, first: object) -> list[str]:
        """Return the lines from the first that a compaction keeps; none if that is unknown."""
        found: list[str] = []
        acts = {node.id for node in self.builder.nodes if node.act is not None}
        while at is not None:
            found += [] if at in acts else [at]
            if at == first:
                return found
            at = self._parents.get(at)
        return []

    def _note(self, number: int, row: Mapping[str, Any]) -> None:
        self.builder.other(number, row)
        match row:
            case {"type": "session_info", "name": str(title)}:
                self.builder.title = title
            case {"type": "label", "targetId": str(target)}:
                label = row.get("label")
                labels = [one for one in self.builder.labels if one[0] != target]
                is_one = isinstance(label, str) and label.isprintable() and 0 < len(label) <= 64  # noqa: PLR2004
                self.builder.labels = [*labels, *([(target, str(label))] if is_one else [])]

    def _said(self, row: Mapping[str, Any], body: Mapping[str, Any], key: str) -> Message:
        content = body.get(key)
        notes = {"line": without(row, key) if row is body else _without_content(row, key)}
        parts = BLOCKS.read(content, 0, self.builder.warnings) if content else ""
        return message(NOTES, "user", parts, notes, row.get("timestamp"), row.get("id"))

    def _messages(
        self, number: int, row: Mapping[str, Any], said: Mapping[str, Any]
    ) -> list[Message]:
        time = said.get("timestamp", row.get("timestamp"))
        role, content = said.get("role"), said.get("content")
        if isinstance(role, str) and role in SAID_BY_USER:
            return [self._said(row, said, SAID_BY_USER[role])]
        notes = {"line": _without_content(row, "content")}
        match role:
            case "assistant":
                parts = BLOCKS.read(content, number, self.builder.warnings)
                for part in parts:
                    if isinstance(part, ToolUsePart) and isinstance(row.get("id"), str):
                        self._calls[part.id] = row["id"]
                return [message(NOTES, "assistant", parts, notes, time, row.get("id"))]
            case "toolResult":
                call = said.get("toolCallId")
                is_error = said.get("isError") is True
                return [
                    result(
                        NOTES,
                        call if isinstance(call, str) else f"call_{number}",
                        content,
                        notes,
                        is_error=is_error,
                        time=time,
                        id=row.get("id"),
                        read=lambda given: BLOCKS.read(given, number, self.builder.warnings),
                    )
                ]
            case "bashExecution" if said.get("excludeFromContext") is not True:
                output = texts_in(said.get("output"))
                text = f"Ran `{texts_in(said.get('command'))}`\n```\n{output}\n```"
                return [message(NOTES, "user", text, {"line": row}, time, row.get("id"))]
        self.builder.other(number, row)
        return []

    def _usage(self, row: Mapping[str, Any], said: Mapping[str, Any]) -> list[Row]:
        time = read_timestamp(row.get("timestamp"))
        more = {"model": said.get("model"), "request": said.get("responseId")}
        return call_of(said.get("usage"), USAGE, time, **more)


def _without_content(row: Mapping[str, Any], key: str) -> Row:
    said = row.get("message")
    return {**row, "message": without(said, key)} if is_object(said) else dict(row)
