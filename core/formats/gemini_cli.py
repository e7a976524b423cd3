"""Gemini CLI: sessions as one document or as lines, which restate and take back messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..engine.messages import Message, Part, TextPart, ThinkingPart, ToolResultPart, ToolUsePart
from .agents import TranscriptBuilder, call, message
from .base import Format, Layout, Loaded, ReadOnly
from .fields import is_object, read_timestamp
from .format_metadata import FormatMetadata, without
from .gemini import CAMEL, ContentReader
from .source import Source
from .transcripts import Row, compaction
from .usage import UsageKeys, call_of
from .warnings import WarningCollector

NOTES = FormatMetadata("gemini-cli")
USAGE = UsageKeys(("input",), ("output",), "cached")
COMPARED = 400
"""Characters of a text by which a restated message is known: long results may be cut."""

Words = tuple[str, str, tuple[str, ...]]
"""A message as it is known again when it is restated: its role, its text, the tools it calls."""


@dataclass(slots=True)
class _Entry:
    """A message of the file, with the node and the messages that it became."""

    id: object
    node: str
    words: list[Words] = field(default_factory=list)


class GeminiCli(ReadOnly, Format):
    """The messages as they were added; a history that replaced them is a compaction."""

    name = NOTES.key
    about = "a Gemini CLI session"
    kinds = ("a Gemini CLI session",)
    sure_signs = ({"projectHash": str, "sessionId": str},)
    many = False

    def read(self, source: Source) -> Iterator[Loaded]:
        reader = _GeminiCliReader(source.collector)
        layout = Layout.ITEMS
        if not source.is_lines and is_object(document := source.document()):
            layout = Layout.DOCUMENT
            rows = document.get("messages")
            reader.builder.fields |= without(document, "messages")
            for number, row in enumerate(rows if isinstance(rows, list) else (), 1):
                if is_object(row):
                    reader.add(number, row)
        else:
            for number, row in _last_versions(source):
                reader.add(number, row)
        reader.settle()
        if reader.builder.has_messages:
            yield Loaded(reader.builder.conversation(), self.name, reader.warnings, layout)


def _last_versions(source: Source) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield each line; one that is written again, with results, only as it was written last."""
    rows = [(number, row) for number, row in source.rows()]
    last: dict[object, int] = {}
    places: list[int | None] = [None] * len(rows)
    for place, (_, row) in enumerate(rows):
        change = row.get("$set")
        if "$rewindTo" in row or (is_object(change) and "messages" in change):
            last.clear()
        id = row.get("id")
        if not isinstance(id, str):
            continue
        first = last.setdefault(id, place)
        places[first] = place
        if first != place:
            places[place] = -1
    for place, (number, row) in enumerate(rows):
        again = places[place]
        if again is None or again >= 0:
            yield number, row if again is None else rows[again][1]


class _GeminiCliReader:
    """Takes record after record; a history that is set counts when the next message comes."""

    def __init__(self, warnings: WarningCollector) -> None:
        self.builder = TranscriptBuilder(NOTES, warnings)
        self._contents = ContentReader(CAMEL)
        self._current: list[_Entry] = []
        self._answered: set[str] = set()
        self._waiting: tuple[int, Sequence[Any]] | None = None
        self._beside: Row = {}
        """What was set with the history that waits."""

    @property
    def warnings(self) -> tuple[Any, ...]:
        return self._contents.warnings.found()

    def add(self, number: int, row: Mapping[str, Any]) -> None:
        match row:
            case {"$set": {"messages": list(messages)} as change}:
                self._keep(self._waiting, {})
                self._waiting, self._beside = (number, messages), without(change, "messages")
                return
            case {"$rewindTo": id}:
                self.settle()
                self._rewind(id)
            case {"type": "user" | "gemini" | "model"}:
                self.settle()
                self._append(number, row)
                return
            case {"summary": str(title)}:
                self.builder.title = title
        self.builder.other(number, row)

    def settle(self) -> None:
        """Compare the history that was set last with the messages so far."""
        if self._waiting is None:
            return
        (number, rows), self._waiting = self._waiting, None
        answered = set(self._answered)
        self._answered = set()
        made = [(row, self._messages(number, row)) for row in rows if is_object(row)]
        fresh = [(row, found) for row, found in made if found]
        known = [words for entry in self._current for words in entry.words]
        said = [one for _, found in fresh for one in map(_words, found)]
        if said[: len(known)] == known:
            self._answered = answered
            seen = 0
            restated: list[Any] = []
            for row, found in fresh:
                seen += len(found)
                if seen > len(known):
                    self._grow(number, row, found)
                else:
                    restated.append(row)
            self._keep((number, restated), self._beside)
            return
        self._keep(
            (number, [row for row, _ in made if not any(row is one for one, _ in fresh)]), {}
        )
        kept: list[_Entry] = []
        summary: list[tuple[Mapping[str, Any], list[Message]]] = []
        rest = list(self._current)
        for row, found in fresh:
            words = [_words(one) for one in found]
            same = next((one for one in rest if one.words[: len(words)] == words), None)
            if same is None:
                summary.append((row, found))
            else:
                rest = rest[rest.index(same) + 1 :]
                kept.append(same)
                self._keep((number, [row]), {})
        messages = [one for _, found in summary for one in found]
        act = compaction("compression", [one.node for one in kept])
        node = self.builder.add(messages, line=number, act=act)
        self._current = [_Entry(None, node, [_words(one) for one in messages]), *kept]

    def _keep(self, waiting: tuple[int, Sequence[Any]] | None, beside: Row) -> None:
        """Keep what a history restates, which are no messages of their own."""
        if waiting is not None and (waiting[1] or beside):
            rows = {"messages": list(waiting[1])} if waiting[1] else {}
            self.builder.other(waiting[0], {"$set": {**rows, **beside}})

    def _rewind(self, id: object) -> None:
        for place, entry in enumerate(self._current):
            if entry.id == id:
                del self._current[place:]
                break
        self.builder.at = self._current[-1].node if self._current else None

    def _append(self, number: int, row: Mapping[str, Any]) -> None:
        found = self.builder.read(number, row, lambda: self._messages(number, row))
        if found:
            self._grow(number, row, found)
        else:  # The results stand at their calls.
            self.builder.other(number, without(row, "content"))

    def _grow(self, number: int, row: Mapping[str, Any], found: list[Message]) -> None:
        time = read_timestamp(row.get("timestamp"))
        calls = call_of(row.get("tokens"), USAGE, time, model=row.get("model"))
        node = self.builder.add(found, line=number, calls=calls)
        self._current.append(_Entry(row.get("id"), node, [_words(one) for one in found]))

    def _messages(self, number: int, row: Mapping[str, Any]) -> list[Message]:
        """Return the message of a record, and the results of its calls."""
        time, id = row.get("timestamp"), row.get("id")
        is_user = row.get("type") == "user"
        content = row.get("content", row.get("parts"))
        content = [content] if is_object(content) else content  # One part alone.
        parts: list[Part] = []
        for one in row.get("thoughts") or () if isinstance(row.get("thoughts"), list) else ():
            if is_object(one):
                words = [one.get(key) for key in ("subject", "description")]
                text = ": ".join(word for word in words if isinstance(word, str) and word)
                notes = NOTES.frozen(without(one, "subject", "description") or None)
                parts.append(ThinkingPart(text, None, notes))
        if isinstance(content, list):
            given = [one for one in content if not self._is_known(one)]
            if not given and content:
                return []
            body = {"role": "user" if is_user else "model", "parts": given}
            read = self._contents.read(body, number)
            parts += [one for one in read.parts if one != TextPart("")]
            role = read.role
        else:
            parts += [TextPart(content)] if isinstance(content, str) and content else []
            role = "user" if is_user else "assistant"
        rest = without(row, "content", "parts", "thoughts", "toolCalls")
        results: list[Message] = []
        uses = row.get("toolCalls")
        for place, use in enumerate(uses if isinstance(uses, list) else ()):
            if is_object(use):
                made, found = self._call(number, place, use)
                parts.append(made)
                results += found
        self._answered.update(
            part.tool_use_id for part in parts if isinstance(part, ToolResultPart)
        )
        return [message(NOTES, role, parts, {"row": rest}, time, id), *results]

    def _is_known(self, part: object) -> bool:
        """Return whether a part is a result that stands at its call, too."""
        response = part.get("functionResponse") if is_object(part) else None
        id = response.get("id") if is_object(response) else None
        return isinstance(id, str) and id in self._answered

    def _call(
        self, number: int, place: int, use: Mapping[str, Any]
    ) -> tuple[ToolUsePart, list[Message]]:
        id = use.get("id")
        id = id if isinstance(id, str) and id else f"call_{number}_{place}"
        more = without(use, "id", "name", "args", "result")
        made = call(NOTES, id, use.get("name"), use.get("args"), call=more)
        given = use.get("result")
        if not isinstance(given, list) or not given:
            return made, []
        read = self._contents.read({"role": "user", "parts": given}, number)
        self._answered.add(id)
        is_error = use.get("status") == "error"
        found = [
            ToolResultPart(id, part.content, is_error or part.is_error, part.metadata)
            for part in read.parts
            if isinstance(part, ToolResultPart)
        ]
        return made, [message(NOTES, "tool", found, {}, use.get("timestamp"))] if found else []


def _words(one: Message) -> Words:
    """Return what a message is known by when it is restated: thoughts and ids may be missing."""
    said = [one.text] if one.text else []
    said += [
        part.content
        for part in one.parts
        if isinstance(part, ToolResultPart) and isinstance(part.content, str)
    ]
    names = tuple(part.name for part in one.parts if isinstance(part, ToolUsePart))
    return one.role, "\n".join(said).strip()[:COMPARED], names
