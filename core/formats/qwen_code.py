"""Qwen Code: a tree of lines whose messages are contents of Gemini; compressions replace all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..engine.messages import Message, of_parts
from .agents import TranscriptBuilder
from .base import Format, Layout, Loaded, ReadOnly
from .fields import is_object, read_timestamp
from .format_metadata import FormatMetadata, without
from .gemini import CAMEL, ContentReader
from .source import Source
from .transcripts import Row, compaction
from .usage import GEMINI_USAGE, call_of

NOTES = FormatMetadata("qwen-code")


class QwenCode(ReadOnly, Format):
    """A tree of lines; the pieces of one message share their uuid."""

    name = NOTES.key
    about = "a Qwen Code transcript"
    kinds = ("a Qwen Code transcript",)
    sure_signs = (
        {"uuid": str, "sessionId": str, "message": {"parts": list}},
        {"systemPayload": object, "uuid": str, "type": "system"},
    )
    many = False

    def read(self, source: Source) -> Iterator[Loaded]:
        builder = TranscriptBuilder(NOTES, source.collector)
        reader = ContentReader(CAMEL)
        pieces: dict[str, Row] = {}
        rows: list[tuple[int, Row]] = []
        for number, row in source.rows():
            first = pieces.get(row["uuid"]) if isinstance(row.get("uuid"), str) else None
            piece, whole = _parts(row), None if first is None else _parts(first)
            if first is not None and whole is not None and piece is not None:
                whole += piece
                first.update({key: row[key] for key in row if key not in first})
                builder.other(number, {**row, "message": without(row["message"], "parts")})
                continue
            rows.append((number, _copied(row)))
            if isinstance(row.get("uuid"), str):
                pieces.setdefault(row["uuid"], rows[-1][1])
        active = None
        for number, row in rows:
            name = row.get("uuid")
            if not isinstance(name, str):
                builder.other(number, row)
                continue
            parent = row.get("parentUuid")
            parent = parent if isinstance(parent, str) else None
            if _parts(row) is not None and row.get("type") in ("user", "assistant", "tool_result"):
                found = builder.read(number, row, lambda: [_message(row, reader, number)])  # noqa: B023
                calls = _calls(row) if found else []
                builder.add(found, name=name, follows=parent, line=number, calls=calls)
                active = name
                continue
            history = _history(row)
            if history is None:
                builder.other(number, row)
                _note(row, builder)
                builder.add(name=name, follows=parent, line=number)
                if not str(row.get("subtype")).startswith("session_artifact"):
                    active = name
                continue
            payload = row["systemPayload"]
            kept = {**row, "systemPayload": without(payload, "compressedHistory")}
            builder.other(number, kept)
            summary = [reader.read(one, number) for one in history if is_object(one)]
            act = compaction("compression")
            builder.add(summary, name=name, follows=parent, line=number, act=act)
            active = name
        if builder.has_messages:
            made = builder.conversation(active)
            yield Loaded(made, self.name, reader.warnings.found(), Layout.ITEMS)


def _parts(row: Mapping[str, Any]) -> list[Any] | None:
    said = row.get("message")
    parts = said.get("parts") if is_object(said) else None
    return parts if isinstance(parts, list) else None


def _copied(row: Mapping[str, Any]) -> Row:
    parts = _parts(row)
    return dict(row) if parts is None else {**row, "message": {**row["message"], "parts": [*parts]}}


def _message(row: Row, reader: ContentReader, number: int) -> Message:
    made = reader.read(row["message"], number)
    kept = {**row, "message": without(row["message"], "parts")}
    metadata = NOTES.frozen({"line": kept})
    return of_parts(
        "tool" if row["type"] == "tool_result" else made.role,
        made.parts,
        id=row["uuid"],
        timestamp=read_timestamp(row.get("timestamp")),
        metadata=metadata,
    )


def _calls(row: Row) -> list[Row]:
    time = read_timestamp(row.get("timestamp"))
    return call_of(row.get("usageMetadata"), GEMINI_USAGE, time, model=row.get("model"))


def _history(row: Row) -> list[Any] | None:
    """Return what replaced everything before, if a line is a compression that did so."""
    match row:
        case {"subtype": "chat_compression", "systemPayload": {"compressedHistory": list(found)}}:
            return found
    return None


def _note(row: Row, builder: TranscriptBuilder) -> None:
    match row:
        case {"subtype": "custom_title", "systemPayload": Mapping() as payload}:
            named = payload.get("title", payload.get("customTitle"))
            builder.title = named if isinstance(named, str) and named else builder.title
