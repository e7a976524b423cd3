"""OpenCode: what its export prints; a tool's part is a call and its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..engine.messages import ImagePart, Message, Part, TextPart, ThinkingPart
from ..errors import wrong_type
from .agents import TranscriptBuilder, call, message, result, texts_in
from .base import JsonFormat, Loaded, ReadOnly, split_rows
from .detection import ONLY, starts
from .fields import is_object, read_timestamp
from .format_metadata import FormatMetadata, without
from .transcripts import Act, Row, clearing, compaction
from .usage import UsageKeys, call_of
from .warnings import WarningCollector

NOTES = FormatMetadata("opencode")
USAGE = UsageKeys(("input", "cache.read", "cache.write"), ("output",), "cache.read", "cache.write")
ASKED = "What did we do so far?"
"""How OpenCode sends the request for a summary."""
CLEARED = "[Old tool result content cleared]"


class OpenCode(ReadOnly, JsonFormat):
    """The messages of a session, with its compactions and the results that were cleared."""

    name = NOTES.key
    about = "an OpenCode session, as opencode export prints it"
    kinds = ("an OpenCode session",)
    sure_signs = (
        {"info": {"id": starts("ses_")}, "messages": list, ONLY: True},
        {"info": {"id": str, "projectID": str}, "messages": list, ONLY: True},
    )

    def read_one(self, value: Any) -> Loaded:
        if not is_object(value) or not is_object(value.get("info")):
            raise wrong_type("session", value, "an object with info and messages")
        split_rows(value, "messages", "a list of messages")
        warnings = WarningCollector()
        made = _OpenCodeReader(value, warnings).builder
        title = value["info"].get("title")
        made.title = title if isinstance(title, str) else None
        made.fields = {"info": value["info"]}
        return Loaded(made.conversation(), self.name, warnings.found())


class _OpenCodeReader:
    def __init__(self, value: Mapping[str, Any], warnings: WarningCollector) -> None:
        self.builder = TranscriptBuilder(NOTES, warnings)
        self._cleared: list[tuple[int, str]] = []
        """Results that were cleared, by their time."""
        rows = [row for row in value["messages"] if is_object(row) and is_object(row.get("info"))]
        revert = value["info"].get("revert")
        first = revert.get("messageID") if is_object(revert) else None
        end: str | None = None
        for place, row in enumerate(rows):
            if first is not None and row["info"].get("id") == first:
                end = self.builder.at
            following = rows[place + 1]["info"] if place + 1 < len(rows) else {}
            self._add(place, row, is_summarised=following.get("summary") is True)
        self._clear(None)
        if end is not None:
            self.builder.at = end

    def _add(self, place: int, row: Mapping[str, Any], *, is_summarised: bool) -> None:
        info, given = row["info"], row.get("parts")
        parts = [part for part in given if is_object(part)] if isinstance(given, list) else []
        created = info.get("time")
        time = read_timestamp(created.get("created")) if is_object(created) else None
        self._clear(time)
        found = self.builder.read(place, row, lambda: self._messages(place, row, info, parts, time))
        act: Act | None = None
        if is_summarised and any(part.get("type") == "compaction" for part in parts):
            act = compaction("compaction")
        is_answer = info.get("role") == "assistant"
        calls = call_of(info.get("tokens"), USAGE, time, model=info.get("modelID"))
        name = self.builder.add(found[:1], act=act, line=place, calls=calls if is_answer else ())
        uses = [part for part in parts if part.get("type") == "tool"]
        for one in found[1:]:
            name = self.builder.add([one], line=place)
            use = next((use for use in uses if use.get("callID") in one.results), {})
            if (moment := _moment(use, "state", "time", "compacted")) is not None:
                self._cleared.append((moment, name))

    def _clear(self, time: int | None) -> None:
        """Clear the results that were cleared before a time, or at all."""
        due = [name for moment, name in self._cleared if time is None or moment <= time]
        if due:
            self._cleared = [one for one in self._cleared if one[1] not in due]
            self.builder.add(act=clearing("pruning", CLEARED, due))

    def _messages(
        self,
        place: int,
        row: Mapping[str, Any],
        info: Mapping[str, Any],
        parts: Sequence[Mapping[str, Any]],
        time: int | None,
    ) -> list[Message]:
        content: list[Part] = []
        results: list[Message] = []
        rest: list[Row] = []
        for number, part in enumerate(parts):
            notes = NOTES.frozen({"part": without(part, "text", "state", "url")})
            match part:
                case {"type": "text", "text": str(text)} if part.get("ignored") is not True:
                    content.append(TextPart(text, notes))
                case {"type": "reasoning", "text": str(text)}:
                    content.append(ThinkingPart(text, None, notes))
                case {"type": "compaction"}:
                    content.append(TextPart(ASKED, notes))
                case {"type": "file", "url": str(url), "mime": str(mime)}:
                    is_image = mime.startswith("image/")
                    content.append(ImagePart(url, notes) if is_image else NOTES.data(part))
                case {"type": "tool", "state": Mapping() as state}:
                    id = texts_in(part.get("callID")) or f"call_{place}_{number}"
                    kept = without(part, "callID", "tool", "state")
                    more = without(state, "input", "output", "error")
                    made = call(NOTES, id, part.get("tool"), state.get("input"), part=kept)
                    content.append(made)
                    results += _results(id, state, {"state": more})
                case _:
                    rest.append(dict(part))
        role: Any = "assistant" if info.get("role") == "assistant" else "user"
        notes_of = {"info": info, **({"parts": rest} if rest else {})}
        return [message(NOTES, role, content, notes_of, time, info.get("id")), *results]


def _moment(value: Any, *path: str) -> int | None:
    for key in path:
        value = value.get(key) if is_object(value) else None
    return read_timestamp(value)


def _results(id: str, state: Mapping[str, Any], notes: Row) -> list[Message]:
    """Return the result of a call that is done, or went wrong."""
    if state.get("status") not in ("completed", "error"):
        return []
    is_error = state["status"] == "error"
    said = state.get("error" if is_error else "output")
    end = _moment(state, "time", "end")
    return [result(NOTES, id, said, notes, is_error=is_error, time=end)]
